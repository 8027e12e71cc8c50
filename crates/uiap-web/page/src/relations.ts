// Who labels whom and who owns whom, indexed once: asking each element for its labels is quadratic.

import * as dom from './builtins';
import type { Look } from './look';
import { words } from './text';
import { closest, references } from './tree';

const NONE: readonly Element[] = [];

export class Relations {
  /** Labels by the id that they name. Those that do so no more fall out when they are asked for. */
  readonly #byId = new Map<string, Set<Element>>();
  #anyAround = false;
  #anyOwner = false;
  readonly #owned = new Map<Element, Element[]>();
  readonly #owner = new Map<Element, Element>();

  /** Notes the labels in a root or in a subtree. */
  scan(root: dom.Root | Element): void {
    for (const label of dom.tagged(root, 'label')) this.addLabel(label);
    if (dom.nodeType(root) === dom.ELEMENT && dom.localName(root as Element) === 'label') this.addLabel(root as Element);
  }

  /** An element owns others. */
  noteOwner(): void {
    this.#anyOwner = true;
  }

  addLabel(label: Element): void {
    if (dom.htmlTag(label) !== 'label') return;
    const id = dom.attribute(label, 'for');
    if (id === null) {
      this.#anyAround = true;
      return;
    }
    const known = this.#byId.get(id);
    if (known) known.add(label);
    else this.#byId.set(id, new Set([label]));
  }

  /** The labels of a control, in document order. */
  labels(control: Element): readonly Element[] {
    const id = this.#byId.size > 0 ? dom.attribute(control, 'id') : null;
    const named = id === null ? undefined : this.#byId.get(id);
    const around = this.#anyAround ? labelAround(control) : null;
    if (!named) return around ? [around] : NONE;
    const found = around ? [around] : [];
    for (const label of named) if (isLabelOf(label, control)) found.push(label);
    return found.length > 1 ? found.sort((a, b) => (4 & dom.position(a, b) ? -1 : 1)) : found;
  }

  /** Whether a label names a control by this id, or did. */
  isTarget(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Labels that name a control by its id, or did. */
  *targeted(): Iterable<Element> {
    for (const labels of this.#byId.values()) yield* labels;
  }

  /** Whether elements are owned from elsewhere. */
  get hasOwners(): boolean {
    return this.#anyOwner;
  }

  owned(owner: Element): readonly Element[] {
    return this.#owned.get(owner) ?? NONE;
  }

  owner(element: Element): Element | undefined {
    return this.#owned.size > 0 ? this.#owner.get(element) : undefined;
  }

  /** Works out anew who owns whom. */
  own(roots: Iterable<dom.Root>, look: Look): void {
    this.#owned.clear();
    this.#owner.clear();
    for (const root of roots) for (const owner of dom.queryAll(root, '[aria-owns]')) this.#addOwned(owner, look);
  }

  // ARIA 1.3 on aria-owns: neither a hidden owner nor a hidden target counts; the first owner wins; no cycles.
  #addOwned(owner: Element, look: Look): void {
    if (!look.isRendered(owner) || closest(owner, isAriaHidden)) return;
    for (const target of references(owner, words(dom.attribute(owner, 'aria-owns')))) {
      if (this.#owner.has(target) || !look.isRendered(target) || this.#leadsTo(owner, target)) continue;
      this.#owner.set(target, owner);
      const known = this.#owned.get(owner);
      if (known) known.push(target);
      else this.#owned.set(owner, [target]);
    }
  }

  #leadsTo(owner: Element, target: Element): boolean {
    for (let at: Element | undefined = owner, steps = 0; at && steps < 100; steps++) {
      if (at === target || dom.contains(target, at)) return true;
      const holder: Element | null = closest(at, (each) => this.#owner.has(each));
      at = holder ? this.#owner.get(holder) : undefined;
    }
    return false;
  }
}

const isLabelOf = (label: Element, control: Element): boolean =>
  dom.isConnected(label) && dom.labelControl(label as HTMLLabelElement) === control;

function labelAround(control: Element): Element | null {
  for (let at = dom.parentNode(control); at && dom.nodeType(at) === dom.ELEMENT; at = dom.parentNode(at)) {
    if (dom.htmlTag(at as Element) !== 'label') continue;
    return !dom.hasAttribute(at as Element, 'for') && isLabelOf(at as Element, control) ? (at as Element) : null;
  }
  return null;
}

export const isAriaHidden = (element: Element): boolean => dom.attribute(element, 'aria-hidden') === 'true';
