// Who labels whom and who owns whom, indexed once per capture: asking each element for its labels is quadratic.

import * as dom from './builtins';
import type { Look } from './look';
import { words } from './text';
import { closest, references } from './tree';

export class Relations {
  readonly #labels = new Map<Element, Element[]>();
  readonly #owned = new Map<Element, Element[]>();
  readonly #owner = new Map<Element, Element>();

  constructor(roots: readonly dom.Root[], look: Look) {
    for (const root of roots) {
      for (const label of dom.queryAll(root, 'label')) this.#addLabel(label);
      for (const owner of dom.queryAll(root, '[aria-owns]')) this.#addOwned(owner, look);
    }
  }

  labels(control: Element): readonly Element[] {
    return this.#labels.get(control) ?? [];
  }

  owned(owner: Element): readonly Element[] {
    return this.#owned.get(owner) ?? [];
  }

  owner(element: Element): Element | undefined {
    return this.#owner.get(element);
  }

  #addLabel(label: Element): void {
    const control = dom.htmlTag(label) === 'label' ? dom.labelControl(label as HTMLLabelElement) : null;
    if (!control) return;
    const known = this.#labels.get(control);
    if (known) known.push(label);
    else this.#labels.set(control, [label]);
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

export const isAriaHidden = (element: Element): boolean => dom.attribute(element, 'aria-hidden') === 'true';
