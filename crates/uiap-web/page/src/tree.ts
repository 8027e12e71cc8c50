// The flat tree: light children of a host where its slots put them.

import * as dom from './builtins';

/** The nodes that a slot shows instead of its own children; null where it shows its own, and for anything else. */
export function assignedTo(element: Element): Node[] | null {
  if (dom.localName(element) !== 'slot' || !dom.isHtml(element) || dom.shadowRoot(element)) return null;
  const assigned = dom.assignedNodes(element as HTMLSlotElement);
  return assigned.length > 0 ? assigned : null;
}

/** The parent as rendered; crosses from a shadow root to its host. */
export function parentElement(element: Element): Element | null {
  const slot = dom.assignedSlot(element);
  if (slot) return slot;
  const parent = dom.parentNode(element);
  if (!parent) return null;
  if (dom.nodeType(parent) === dom.ELEMENT) return parent as Element;
  return dom.nodeType(parent) === 11 ? ((parent as ShadowRoot).host ?? null) : null;
}

export function closest(element: Element, wanted: (element: Element) => boolean): Element | null {
  for (let at: Element | null = element; at; at = parentElement(at)) if (wanted(at)) return at;
  return null;
}

/** Elements that an attribute of ids names, in the tree of the element itself. */
export function references(element: Element, ids: readonly string[]): Element[] {
  if (ids.length === 0) return [];
  const root = dom.rootNode(element);
  const found: Element[] = [];
  for (const id of ids) {
    const target = dom.byId(root, id);
    if (target) found.push(target);
  }
  return found;
}
