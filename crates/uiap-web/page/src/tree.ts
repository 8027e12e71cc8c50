// The flat tree: light children of a host where its slots put them.

import * as dom from './builtins';

/** Child nodes as rendered: the shadow tree of a host, the assigned nodes of a slot. */
export function childNodes(element: Element): Node[] {
  const shadow = dom.shadowRoot(element);
  if (!shadow && dom.htmlTag(element) === 'slot') {
    const assigned = dom.assignedNodes(element as HTMLSlotElement);
    if (assigned.length > 0) return assigned;
  }
  const nodes: Node[] = [];
  for (let node = dom.firstChild(shadow ?? element); node; node = dom.nextSibling(node)) nodes.push(node);
  return nodes;
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
