// Ids that stay with a node for as long as it lives. Weak: a removed node takes its id with it.

import * as dom from './builtins';

export class Identity {
  #next: number;
  #nextDocument = 1;
  readonly #elements = new WeakMap<Element, string>();
  readonly #bearers = new Map<string, WeakRef<Element>>();
  readonly #documents = new WeakMap<Document, string>();
  readonly #scopes = new WeakMap<Element | Document, string>();
  readonly #modals = new WeakMap<Element, number>();
  #modalCount = 0;

  constructor(first: number, root: Document) {
    this.#next = first;
    this.#documents.set(root, 'doc_root');
  }

  get next(): number {
    return this.#next;
  }

  element(element: Element): string {
    let id = this.#elements.get(element);
    if (id === undefined) {
      id = `e${this.#next++}`;
      this.#elements.set(element, id);
      this.#bearers.set(id, new WeakRef(element));
    }
    return id;
  }

  /** The attached element of that id. */
  find(id: string): Element | null {
    const element = this.#bearers.get(id)?.deref();
    return element && dom.isConnected(element) ? element : null;
  }

  /** Drops the ids of elements that are gone. */
  sweep(): void {
    for (const [id, bearer] of this.#bearers) if (!bearer.deref()) this.#bearers.delete(id);
  }

  /** Whether it was given an id before, that is, whether it was published. */
  isKnown(element: Element): boolean {
    return this.#elements.has(element);
  }

  document(document: Document): string {
    let id = this.#documents.get(document);
    if (id === undefined) {
      id = `doc_${this.#nextDocument++}`;
      this.#documents.set(document, id);
    }
    return id;
  }

  /** An id for the document of a frame that cannot be looked into: it goes with the frame element. */
  opaqueDocument(host: Element): string {
    return `doc_of_${this.element(host)}`;
  }

  /** The id that a scope had, so that a change of its name does not rename it; or the one made from `base`. */
  scope(node: Element | Document, base: string, taken: ReadonlySet<string>): string {
    const before = this.#scopes.get(node);
    if (before !== undefined && !taken.has(before)) return before;
    let id = base;
    for (let ordinal = 2; taken.has(id); ordinal++) id = `${base}~${ordinal}`;
    this.#scopes.set(node, id);
    return id;
  }

  /** The order in which modals were first seen. */
  modal(element: Element): number {
    let order = this.#modals.get(element);
    if (order === undefined) {
      order = this.#modalCount++;
      this.#modals.set(element, order);
    }
    return order;
  }

  /** A modal that closed counts as new when it opens again. */
  forgetModal(element: Element): void {
    this.#modals.delete(element);
  }
}

/** Every root that can be looked into: documents of frames of the same origin, open shadow roots. */
export function openRoots(document: Document, limit: number): { roots: dom.Root[]; cut: boolean } {
  const roots: dom.Root[] = [document];
  let left = limit;
  for (const root of roots) {
    for (const element of dom.queryAll(root, '*')) {
      if (left-- <= 0) return { roots, cut: true };
      const shadow = dom.shadowRoot(element);
      if (shadow) roots.push(shadow);
      if (dom.localName(element) === 'iframe' && dom.isHtml(element)) {
        const inner = openDocument(element);
        if (inner) roots.push(inner);
      }
    }
  }
  return { roots, cut: false };
}

export function openDocument(frame: Element): Document | null {
  try {
    return dom.frameDocument(frame as HTMLIFrameElement);
  } catch {
    return null;
  }
}
