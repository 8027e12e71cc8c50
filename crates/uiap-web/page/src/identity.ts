// Ids that stay with a node for as long as it lives. Weak: a removed node takes its id with it.

import * as dom from './builtins';

// An isolated world has wrappers of its own: the page does not see what is put on them.
const ID = Symbol('id');

const MARK = Symbol('item');

interface ItemMark {
  readonly key: string;
  readonly name: string;
}

interface Bearer {
  [ID]?: string;
  [MARK]?: ItemMark;
}

export class Identity {
  #next: number;
  #nextDocument = 1;
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
    return ((element as Bearer)[ID] ??= `e${this.#next++}`);
  }

  /** The element became another thing: it gets another id. */
  renew(element: Element): void {
    delete (element as Bearer)[ID];
  }

  /** What an item of a collection was when it was last published. */
  item(element: Element): ItemMark | undefined {
    return (element as Bearer)[MARK];
  }

  markItem(element: Element, mark: ItemMark): void {
    (element as Bearer)[MARK] = mark;
  }

  /** Whether it was given an id before, that is, whether it was published. */
  isKnown(element: Element): boolean {
    return (element as Bearer)[ID] !== undefined;
  }

  /** The attached element of that id. Rarely asked for, so nothing is kept to answer it faster than by looking. */
  find(id: string, document: Document): Element | null {
    for (const root of openRoots(document, Infinity)) {
      for (const element of dom.queryAll(root, '*')) if ((element as Bearer)[ID] === id) return element;
    }
    return null;
  }

  /** The same for many ids, in their order: one walk for all of them. */
  findAll(ids: readonly string[], document: Document): (Element | null)[] {
    const wanted = new Set(ids);
    const found = new Map<string, Element>();
    for (const root of openRoots(document, Infinity)) {
      for (const element of dom.queryAll(root, '*')) {
        const id = (element as Bearer)[ID];
        if (id !== undefined && wanted.has(id)) found.set(id, element);
      }
    }
    return ids.map((id) => found.get(id) ?? null);
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

  /** The generated id that a scope has already. */
  scopeOf(node: Element | Document): string | undefined {
    return this.#scopes.get(node);
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
export function openRoots(document: Document, limit: number): dom.Root[] {
  const roots: dom.Root[] = [document];
  let left = limit;
  for (const root of roots) {
    for (const element of dom.queryAll(root, '*')) {
      if (left-- <= 0) return roots;
      const shadow = dom.shadowRoot(element);
      if (shadow) roots.push(shadow);
      if (dom.localName(element) === 'iframe' && dom.isHtml(element)) {
        const inner = openDocument(element);
        if (inner) roots.push(inner);
      }
    }
  }
  return roots;
}

export function openDocument(frame: Element): Document | null {
  try {
    return dom.frameDocument(frame as HTMLIFrameElement);
  } catch {
    return null;
  }
}
