// What happened in the page since somebody last looked: marks only, no work. Observers and listeners are there while the
// page is observed, and gone when it is not.

import * as dom from './builtins';
import type { PageEventOut } from './contract';
import { parentElement } from './tree';

/** What has to be looked at again. */
export interface Dirty {
  /** Everything: style sheets, the size of the window, or more marks than are worth keeping. */
  all: boolean;
  /** Parts to be walked again, among them what is new. */
  readonly parts: Set<Element>;
  /** Elements whose own text or value changed. */
  readonly texts: Set<Element>;
  /** Nodes that were taken out. */
  readonly gone: Set<Element>;
  /** Elements that a rule about their neighbours may have shown or hidden. */
  readonly neighbours: Set<Element>;
  /** Ids or labels came or went with the nodes that bear them. */
  ids: boolean;
  /** An id or the target of a label was changed. */
  relabelled: boolean;
  /** Something may have moved. */
  moved: boolean;
  /** What was changed by whoever listened to an input of a person, or of one who acts for a person. */
  readonly caused: Set<Element>;
}

export const clean = (): Dirty => ({
  all: false, parts: new Set(), texts: new Set(), gone: new Set(), neighbours: new Set(), ids: false, relabelled: false, moved: false, caused: new Set(),
});

/** Whether nothing is marked. */
export const isClean = (dirty: Dirty): boolean =>
  !(dirty.all || dirty.ids || dirty.relabelled || dirty.moved) && dirty.parts.size + dirty.texts.size + dirty.gone.size + dirty.neighbours.size === 0;

const MOST_MARKS = 20_000;
const MOST_NEIGHBOURS = 16;
const EVERYTHING: MutationObserverInit = { subtree: true, childList: true, attributes: true, characterData: true };
const RESTYLES = new Set(['style', 'link']);
// What these are depends on their children.
const BY_CHILDREN = new Set(['tr', 'details', 'fieldset', 'select', 'optgroup', 'slot', 'picture', 'table', 'figure']);
const CHANGES = ['input', 'change', 'invalid', 'focusin', 'focusout', 'select'];
const REDRAWS = ['toggle', 'beforetoggle', 'close', 'animationstart', 'animationend', 'animationcancel', 'transitionrun', 'transitionend',
  'transitioncancel', 'fullscreenchange', 'reset', 'submit'];
// Trusted ones come from a person, or from one who acts for a person.
const INPUTS = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'dblclick', 'auxclick', 'contextmenu', 'keydown', 'keyup',
  'beforeinput', 'input', 'change', 'submit', 'reset', 'drop'];
const MOVES = ['scroll', 'scrollend', 'load', 'mouseover', 'mouseleave', 'resize'];

export class Watch {
  #dirty = clean();
  readonly #observer: MutationObserver;
  readonly #roots = new Map<dom.Root, () => void>();
  #events: PageEventOut[] = [];
  #lost = 0;
  /** Whether the task of an input runs: what changes now is its doing, for nothing else runs before its end. */
  #causing = false;
  /** Kinds of inputs whose task began since the marks were last taken, and who waits for the end of one. */
  #begun = new Set<string>();
  #waiting: { readonly kinds: readonly string[]; readonly go: () => void }[] = [];
  /** The innermost element under the pointer. */
  pointer: Element | null = null;
  #active: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly documentId: (document: Document) => string,
    private readonly elementId: (element: Element) => string | null,
    private readonly mostEvents: number,
    private readonly wake: () => void,
    /** Told when the task of an input begins, and when it is over. */
    private readonly handling: (isBegun: boolean) => void,
  ) {
    this.#observer = new MutationObserver((records) => {
      this.#note(records);
    });
  }

  /** Watches a document or a shadow root. */
  add(root: dom.Root): void {
    if (this.#roots.has(root)) return;
    this.#observer.observe(root, EVERYTHING);
    // By a signal: a window that shows another origin by now must not be touched to be left alone.
    const listening = new AbortController();
    const { signal } = listening;
    const listen = (target: EventTarget, types: readonly string[], handle: (event: Event) => void): void => {
      for (const type of types) target.addEventListener(type, handle, { capture: true, passive: true, signal });
    };
    listen(root, CHANGES, (event) => this.#changed(event));
    listen(root, REDRAWS, (event) => this.#redrawn(event));
    listen(root, MOVES, (event) => this.#moved(event));
    if (dom.isDocument(root)) this.#listenToDocument(root, listen);
    this.#roots.set(root, () => listening.abort());
  }

  #listenToDocument(document: Document, listen: (target: EventTarget, types: readonly string[], handle: (event: Event) => void) => void): void {
    listen(document, ['pointerdown', 'keydown', 'touchend'], (event) => this.#activated(event, document));
    listen(document, ['uiap:signal'], (event) => this.#signalled(event, document));
    const view = dom.defaultView(document);
    if (!view) return;
    // The signal may be sent on the document or on the window; on the window's way down both are seen once.
    listen(view, INPUTS, (event) => this.#inputBegins(event));
    listen(view, ['resize'], () => this.all());
    listen(view, ['uiap:signal'], (event) => {
      if (event.target === view) this.#signalled(event, document);
    });
    const { navigation } = view as unknown as { navigation?: EventTarget };
    if (navigation) listen(navigation, ['currententrychange'], (event) => this.#routed(event, document));
  }

  /** Forgets roots that left the page. */
  keep(roots: ReadonlySet<dom.Root>): void {
    for (const [root, stop] of this.#roots) {
      if (roots.has(root)) continue;
      stop();
      this.#roots.delete(root);
    }
  }

  stop(): void {
    this.#observer.disconnect();
    for (const stop of this.#roots.values()) stop();
    this.#roots.clear();
    clearTimeout(this.#active);
    this.hurry();
  }

  /** Everything has to be looked at again. */
  all(): void {
    this.#dirty.all = true;
    this.wake();
  }

  /** Something was left for later. */
  owe(): void {
    this.#dirty.moved = true;
    this.wake();
  }

  /** A part has to be walked again, for a reason that no event tells. */
  mark(element: Element): void {
    this.#dirty.parts.add(element);
    this.wake();
  }

  /** What is marked, with what the observer has not told yet; from now on marks begin anew. */
  take(): Dirty {
    this.#note(this.#observer.takeRecords());
    const dirty = this.#dirty;
    this.#dirty = clean();
    this.#begun.clear();
    return dirty;
  }

  /** What is marked so far; the marks stay. */
  peek(): Dirty {
    this.#note(this.#observer.takeRecords());
    return this.#dirty;
  }

  /** Waits until an input of one of these kinds was handled since the marks were last taken, or until somebody is in a hurry. */
  handled(kinds: readonly string[]): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ kinds, go });
      this.#release();
    });
  }

  /** Nobody waits any longer. */
  hurry(): void {
    for (const { go } of this.#waiting.splice(0)) go();
  }

  #release(): void {
    if (this.#causing) return;
    const over = ({ kinds }: { kinds: readonly string[] }): boolean => kinds.some((kind) => this.#begun.has(kind));
    const ready = this.#waiting.filter(over);
    this.#waiting = this.#waiting.filter((each) => !over(each));
    for (const { go } of ready) go();
  }

  takeEvents(): { events: PageEventOut[]; lost: number } {
    const taken = { events: this.#events, lost: this.#lost };
    this.#events = [];
    this.#lost = 0;
    return taken;
  }

  /** Notes what changes until the task of an input is over. What was changed before is somebody else's. */
  #inputBegins(event: Event): void {
    if (!event.isTrusted) return;
    this.#note(this.#observer.takeRecords());
    this.#begun.add(event.type);
    if (this.#causing) return;
    this.#causing = true;
    this.handling(true);
    afterTask(() => {
      this.#note(this.#observer.takeRecords());
      this.#causing = false;
      this.handling(false);
      this.#release();
    });
  }

  #note(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    const dirty = this.#dirty;
    if (this.#causing) for (const record of records) noteCaused(record, dirty);
    if (!dirty.all) for (const record of records) this.#noteOne(record, dirty);
    if (dirty.parts.size + dirty.texts.size + dirty.gone.size > MOST_MARKS) dirty.all = true;
    dirty.moved = true;
    this.wake();
  }

  #noteOne(record: MutationRecord, dirty: Dirty): void {
    const { target, type } = record;
    const holder = elementOf(target);
    if (!holder) {
      this.#newRoot(target, dirty);
      return;
    }
    if (RESTYLES.has(dom.localName(holder))) dirty.all = true;
    if (type === 'characterData') dirty.texts.add(holder);
    else if (type === 'attributes') this.#attribute(record, holder, dirty);
    else this.#children(record, holder, dirty);
  }

  /** A document got another root element: that of a frame is walked as a part of the page around it. */
  #newRoot(target: Node, dirty: Dirty): void {
    const view = dom.isDocument(target) ? dom.defaultView(target) : null;
    if (!view) return;
    const frame = view.frameElement;
    if (frame && view.parent !== view) dirty.parts.add(frame);
    else dirty.all = true;
  }

  #attribute(record: MutationRecord, element: Element, dirty: Dirty): void {
    if (record.attributeName === 'id' || record.attributeName === 'for') dirty.ids = dirty.relabelled = true;
    // Where it stands, or what the row around it is, depends on these.
    const beyond = record.attributeName === 'slot' || record.attributeName === 'role' || record.attributeName === 'scope';
    dirty.parts.add((beyond ? parentElement(element) : null) ?? element);
    let next = dom.nextElement(element);
    for (let count = 0; next && count < MOST_NEIGHBOURS; count++, next = dom.nextElement(next)) dirty.neighbours.add(next);
  }

  #children(record: MutationRecord, holder: Element, dirty: Dirty): void {
    const tag = dom.localName(holder);
    const whole = BY_CHILDREN.has(tag) || tag.includes('-') || dom.shadowRoot(holder) !== null;
    if (whole) dirty.parts.add(holder);
    dirty.texts.add(holder);
    for (const node of record.removedNodes) {
      if (dom.nodeType(node) !== dom.ELEMENT) continue;
      dirty.gone.add(node as Element);
      this.#came(node as Element, dirty);
    }
    for (const node of record.addedNodes) {
      if (dom.nodeType(node) !== dom.ELEMENT) continue;
      if (!whole) dirty.parts.add(node as Element);
      this.#came(node as Element, dirty);
    }
  }

  #came(element: Element, dirty: Dirty): void {
    if (RESTYLES.has(dom.localName(element)) || dom.queryFirst(element, 'style,link')) dirty.all = true;
    dirty.ids ||= dom.hasAttribute(element, 'id') || dom.localName(element) === 'label' || dom.queryFirst(element, '[id],label') !== null;
  }

  #changed(event: Event): void {
    const element = target(event);
    if (!element) return;
    this.#dirty.texts.add(element);
    this.#dirty.moved = true;
    if (dom.htmlTag(element) === 'input' && dom.inputType(element as HTMLInputElement) === 'radio') {
      for (const other of dom.queryAll(dom.rootNode(element) as dom.Root, 'input[type=radio]')) this.#dirty.texts.add(other);
    }
    let next = dom.nextElement(element);
    for (let count = 0; next && count < MOST_NEIGHBOURS; count++, next = dom.nextElement(next)) this.#dirty.neighbours.add(next);
    const document = dom.ownerDocument(element);
    if (document && event.type === 'invalid') this.#tell(document, { kind: 'invalid', id: this.elementId(element) });
    if (document && event.type === 'focusin') this.#tell(document, { kind: 'focus', id: this.elementId(element) });
    if (document && event.type === 'focusout' && !(event as FocusEvent).relatedTarget) this.#tell(document, { kind: 'focus', id: null });
    this.wake();
  }

  #redrawn(event: Event): void {
    const element = target(event);
    if (!element) return;
    this.#dirty.parts.add(element);
    this.#dirty.moved = true;
    this.wake();
  }

  #moved(event: Event): void {
    this.#dirty.moved = true;
    const element = target(event);
    if (event.type === 'load' && element) {
      const tag = dom.localName(element);
      if (RESTYLES.has(tag)) this.#dirty.all = true;
      this.#dirty.parts.add(element);
    }
    if (event.type === 'mouseover') this.pointer = element;
    this.wake();
  }

  // Which key was pressed is nobody's business.
  #activated(event: Event, document: Document): void {
    if (!event.isTrusted) return;
    this.#tell(document, { kind: 'activation', by: event.type === 'keydown' ? 'key' : 'pointer' });
    const view = dom.defaultView(document);
    const { userActivation } = (view?.navigator ?? {}) as { userActivation?: { isActive: boolean } };
    const look = (): void => {
      if (userActivation?.isActive) this.#active = setTimeout(look, 500);
      else this.#tell(document, { kind: 'lapsed' });
    };
    clearTimeout(this.#active);
    if (userActivation) this.#active = setTimeout(look, 500);
  }

  #signalled(event: Event, document: Document): void {
    let detail: string | undefined;
    try {
      detail = JSON.stringify((event as CustomEvent).detail);
    } catch {
      detail = undefined;
    }
    this.#tell(document, { kind: 'signal', detail: detail === undefined || detail.length > 65_536 ? 'null' : detail });
  }

  #routed(event: Event, document: Document): void {
    const { navigationType } = event as unknown as { navigationType: string | null };
    this.#tell(document, { kind: 'route', url: dom.urlOf(document).toWellFormed(), how: navigationType ?? 'replace' });
  }

  #tell(document: Document, event: Omit<PageEventOut, 'at' | 'documentId'>): void {
    if (this.#events.length >= this.mostEvents) {
      this.#events.shift();
      this.#lost++;
    }
    this.#events.push({ at: Date.now(), documentId: this.documentId(document), ...event });
    this.wake();
  }
}

/** Runs before anything else that waits, as far as the browser lets choose. */
function afterTask(work: () => void): void {
  const { scheduler } = globalThis as unknown as { scheduler?: { postTask(work: () => void, options: { priority: string }): Promise<void> } };
  if (scheduler) void scheduler.postTask(work, { priority: 'user-blocking' });
  else setTimeout(work, 0);
}

function noteCaused({ target: node, addedNodes, removedNodes }: MutationRecord, dirty: Dirty): void {
  const holder = elementOf(node);
  if (holder) dirty.caused.add(holder);
  for (const nodes of [addedNodes, removedNodes]) {
    for (const each of nodes) if (dom.nodeType(each) === dom.ELEMENT) dirty.caused.add(each as Element);
  }
}

/** The element in which a node stands; for a shadow root its host. */
function elementOf(node: Node): Element | null {
  const type = dom.nodeType(node);
  if (type === dom.ELEMENT) return node as Element;
  if (type === 11) return (node as ShadowRoot).host ?? null;
  const parent = type === 9 ? null : dom.parentNode(node);
  return parent ? elementOf(parent) : null;
}

function target(event: Event): Element | null {
  const inner = event.composedPath()[0];
  return inner && 'nodeType' in inner && dom.nodeType(inner as Node) === dom.ELEMENT ? (inner as Element) : null;
}
