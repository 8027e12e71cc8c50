// The page while it is observed: what changed is looked at again, with whatever depends on it, and told as operations.

import * as dom from './builtins';
import { headOf, publishAll } from './capture';
import type { Op, Options } from './contract';
import { encode } from './encode';
import { type Entry, Flag, Item, Register } from './entry';
import type { Identity } from './identity';
import { fieldMark, isField } from './field';
import { Model } from './model';
import { Operations } from './operations';
import { describeScope, type Scope } from './scopes';
import type { Lexicon } from './semantics';
import type { Shown } from './shape';
import { tidy } from './text';
import { parentElement } from './tree';
import { Update } from './update';
import { focusedIn, View } from './view';
import { receivesEvents, type Sight } from './visibility';
import { isInteractive, type Page } from './walk';
import { type Dirty, isClean, Watch } from './watch';
import { nearWindow } from './window';

/** What an observer is answered. */
export interface Answer {
  /** A whole graph, with the reason; empty when there is a delta. */
  readonly fresh: string;
  /** The text of a graph. */
  readonly graph: string;
  readonly ops: Op[];
  readonly success: Record<string, string | null>;
  /** Ids of what an input did. */
  readonly caused: readonly string[];
}

// Milliseconds that a look at the window may cost to be done every time, and after which it is done otherwise.
const CHEAP = 1.5;
const LATER = 250;

// More operations than this are dearer than a graph.
const MOST_OPS = 3_000;

/** What an element was found to be. */
export interface Found {
  readonly role: string;
  readonly name: string | null;
  readonly stableId: string | null;
  readonly scopeId: string | null;
}

const UNCHANGED: Answer = { fresh: '', graph: '', ops: [], success: {}, caused: [] };

export class Live {
  #view: View;
  #model: Model;
  #register = new Register();
  readonly #watch: Watch;
  /** What the observer knows: heads of documents and scopes as text, by id. */
  #pages = new Map<string, string>();
  #scopes = new Map<string, Map<string, string>>();
  #head = { route: '', focus: '', modals: '', rest: '' };
  #count = 0;
  #top: Scope | undefined;
  #inWindow = new Set<Entry>();
  #focused: Element | null = null;
  #hovered = new Set<Entry>();
  #mayHit = true;
  #hitCost = 0;
  /** When the window was last looked at as a whole. */
  #lookedAt = -Infinity;
  #isOwed = false;
  #owed: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly document: Document,
    private readonly lexicon: Lexicon,
    private readonly identity: Identity,
    private readonly options: Options,
    mostEvents: number,
    wake: () => void,
    handling: (isBegun: boolean) => void,
  ) {
    const id = (element: Element): string | null => (identity.isKnown(element) ? identity.element(element) : null);
    this.#watch = new Watch((each) => identity.document(each), id, mostEvents, wake, handling);
    this.#view = new View(lexicon, identity, options, this.#register);
    this.#model = new Model(this.#view, document);
  }

  get watch(): Watch {
    return this.#watch;
  }

  /** The whole graph, from the beginning. */
  fresh(reason: string): Answer {
    this.#watch.take();
    this.#register = new Register();
    this.#view = new View(this.lexicon, this.identity, this.options, this.#register);
    this.#model = new Model(this.#view, this.document);
    this.#model.build();
    publishAll(this.#model, this.options.maxElements);
    return this.#whole(reason);
  }

  #whole(reason: string): Answer {
    const model = this.#model;
    const pages = model.shownPages();
    const scopes = new Map(pages.map((page) => [page, model.shownScopes(page)]));
    const head = this.#headOf(new Set([...scopes.values()].flat()));
    this.#remember(pages, scopes);
    this.#watchRoots();
    return { fresh: reason, graph: encode(model, head, pages, (page) => scopes.get(page) ?? [], { documents: null, scopes: null }, true), ops: [], success: {}, caused: [] };
  }

  /** Where the window stands is no part of an observed graph: no operation could tell that it moved. */
  #headOf(scopes: ReadonlySet<Scope>): ReturnType<typeof headOf> {
    const head = headOf(this.#model, scopes);
    delete head.viewport.scrollX;
    delete head.viewport.scrollY;
    return head;
  }

  #remember(pages: readonly Page[], scopes: ReadonlyMap<Page, readonly Scope[]>): void {
    const model = this.#model;
    this.#pages = new Map(pages.map((page) => [page.id, JSON.stringify(model.pageOut(page, true))]));
    this.#scopes = new Map(pages.map((page) => [page.id, new Map((scopes.get(page) ?? []).map((scope) => [scope.id, JSON.stringify(model.scopeOut(scope))]))]));
    this.#count = 0;
    this.#inWindow.clear();
    this.#hovered.clear();
    model.candidates((entry) => {
      if (!entry.shown || !entry.home) return;
      this.#count++;
      entry.told = { shown: entry.shown, pageId: entry.scope.page.id, scopeId: entry.home.id };
      if (entry.shown.inViewport) this.#inWindow.add(entry);
      if (entry.flags & Flag.Hovered) this.#hovered.add(entry);
      if (isField(entry.element)) entry.field = fieldMark(entry.element);
    });
    for (const page of model.pages) for (const scope of page.scopes) scope.toldId = scope.id;
    this.#top = model.modals.at(-1);
    this.#focused = this.#view.focused;
    this.#head = this.#heads(pages, scopes);
  }

  #heads(pages: readonly Page[], scopes: ReadonlyMap<Page, readonly Scope[]>): { route: string; focus: string; modals: string; rest: string } {
    const model = this.#model;
    const all = new Set([...scopes.values()].flat());
    const { width, height } = this.#view.look.windowOf(this.document);
    return {
      route: JSON.stringify(model.route()),
      focus: JSON.stringify(model.focus(pages, all)),
      modals: JSON.stringify(model.modals.filter((modal) => all.has(modal)).map((modal) => modal.id)),
      rest: JSON.stringify([width, height, model.locale(), model.truncated]),
    };
  }

  #watchRoots(): void {
    for (const root of this.#view.roots) {
      if (dom.isDocument(root) ? dom.defaultView(root) : dom.isConnected(root)) this.#watch.add(root);
      else this.#view.roots.delete(root);
    }
    this.#watch.keep(this.#view.roots);
  }

  /**
   * What changed since the last answer. Whom a click reaches is asked point by point, which in a long list costs as much as the
   * list is long: unless everything is to be told, that is done a little later.
   */
  update(full: boolean): Answer {
    this.#mayHit = full || this.#hitCost < CHEAP || this.#isOwed;
    this.#isOwed = false;
    // Once in a while the window is looked at though nothing seems to have changed.
    const dirty = this.#watch.take();
    if (!full && performance.now() - this.#lookedAt <= LATER && this.#isAsItWas(dirty)) return UNCHANGED;
    const root = this.#model.pages[0]?.root;
    if (dirty.all || !root || this.#hasOpened() || dom.documentElement(this.document) !== root.element) return this.fresh('most');
    const update = new Update(this.#model, this.#view, this.#register, dirty);
    this.#view.begin(this.document);
    update.rewalk();
    this.#refresh(update);
    return this.#tell(update);
  }

  /** Whether nothing can have changed since the last look: nothing was marked, nothing moves, nobody wrote into a field. */
  #isAsItWas(dirty: Dirty): boolean {
    if (!isClean(dirty) || this.#hasOpened() || this.#view.areSheetsStale) return false;
    for (const { document } of this.#model.pages) if (document && dom.animations(document).length > 0) return false;
    for (const entry of this.#inWindow) if (isRewritten(entry)) return false;
    return focusedIn(this.document) === this.#focused && JSON.stringify(this.#model.route()) === this.#head.route;
  }

  /** Whether the page is what the observer was last told. */
  get isAsTold(): boolean {
    return this.#isAsItWas(this.#watch.peek());
  }

  /** Whether a document shows by now that was not drawn at all when it was walked: no mutation tells of its first frame. */
  #hasOpened(): boolean {
    return this.#model.pages.some(({ document, root }) => {
      const body = document && dom.bodyOf(document);
      return [root, body && this.#register.get(body)].some((entry) => entry?.closed && dom.checkVisibility(entry.element));
    });
  }

  /** Publishes again whatever changed or may have. */
  #refresh(update: Update): void {
    const model = this.#model;
    const { view } = model;
    if (this.#view.relations.hasOwners) {
      view.relate();
      for (const element of view.referrers) update.text(element);
    }
    for (const page of model.pages) page.title = page.document ? tidy(dom.titleOf(page.document)) : '';
    for (const scope of update.scopes()) describeScope(scope, view);
    model.nameScopes();
    update.renamed();
    const top = model.modals.at(-1);
    if (top?.element !== this.#top?.element) model.candidates((entry) => update.again(entry));
    this.#top = top;
    if (view.focused !== this.#focused) {
      for (const element of [this.#focused, view.focused]) if (element) update.again(this.#register.get(element));
      this.#focused = view.focused;
    }
    this.#hover(update);
    update.publish();
    this.#lookAtWindow(update);
    update.publish();
    update.markDuplicates();
  }

  /** Over whom the pointer came, and from whom it went. */
  #hover(update: Update): void {
    const { pointer } = this.#watch;
    const now = new Set<Entry>();
    const over = pointer && dom.isConnected(pointer) && dom.matches(pointer, ':hover') ? pointer : null;
    for (let at: Element | null = over; at; at = parentElement(at)) {
      const entry = this.#register.get(at);
      if (entry) now.add(entry);
    }
    if (!pointer) return;
    for (const entry of this.#hovered) if (!now.has(entry)) update.hover(entry, false);
    for (const entry of now) update.hover(entry, true);
    this.#hovered = now;
  }

  #isReached(entry: Entry, sight: Sight): boolean | undefined {
    if (!this.#mayHit) return entry.shown?.shape.body.web.receivesEvents;
    return receivesEvents(entry.element, sight, this.#view.look);
  }

  /** Who came into the window or left it, who became covered, and what a script wrote into fields. */
  #lookAtWindow(update: Update): void {
    const { look } = this.#view;
    const start = performance.now();
    const now = new Set<Entry>();
    for (const page of this.#model.pages) {
      if (!page.root || (page.host && !page.host.shown)) continue;
      const hosts = nearWindow(page.root, this.#view, this.#register, (entry) => {
        const sight = (entry.sight = this.#model.sight(entry));
        const { shown } = entry;
        if (sight?.inViewport) now.add(entry);
        if (!shown || !sight) {
          if (shown || (sight && !entry.blank)) update.again(entry);
          return;
        }
        if (shown.inViewport !== sight.inViewport || entry.boundary || isRewritten(entry)) {
          update.again(entry);
          return;
        }
        const { web } = shown.shape.body;
        const interactive = isInteractive(shown.shape.body.role) || entry.meaning?.source === 'heuristic';
        const moving = look.isAnimated(entry.element);
        if (moving !== (web.stable === false)) update.again(entry);
        else if (interactive && sight.inViewport && this.#isReached(entry, sight) !== web.receivesEvents) update.again(entry);
      });
      for (const host of hosts) this.#watch.mark(host.element);
    }
    for (const entry of this.#inWindow) {
      if (now.has(entry) || this.#register.get(entry.element) !== entry) continue;
      update.again(entry);
      // One that the search missed is not lost by that.
      if (this.#model.sight(entry)?.inViewport) now.add(entry);
    }
    this.#inWindow = now;
    if (!this.#mayHit) {
      clearTimeout(this.#owed);
      this.#owed = setTimeout(() => {
        this.#isOwed = true;
        this.#watch.owe();
      }, LATER);
      return;
    }
    this.#lookedAt = performance.now();
    this.#hitCost = this.#lookedAt - start;
  }

  /** Whether an element still is, at this moment, what somebody found it to be, in the row or item in which it was found. */
  isStill(element: Element, found: Found): boolean {
    const entry = this.#register.get(element);
    if (!entry) return false;
    this.#view.begin(this.document);
    const now = this.#again(entry);
    if (!now || now.shape.body.role !== found.role || (now.name || null) !== found.name) return false;
    if ((now.stableId ?? null) !== found.stableId || (entry.home?.id ?? null) !== found.scopeId) return false;
    for (let at = entry.parent; at; at = at.parent) {
      if (at.item === Item.Counted && at.shown) return this.#again(at)?.name === at.shown.name;
    }
    return true;
  }

  #again(entry: Entry): Shown | null {
    const sight = this.#model.sight(entry);
    return sight && this.#model.show(entry, sight);
  }

  #tell(update: Update): Answer {
    const model = this.#model;
    const pages = model.shownPages();
    const scopes = new Map(pages.map((page) => [page, model.shownScopes(page)]));
    const head = this.#heads(pages, scopes);
    if (head.rest !== this.#head.rest || !inDocumentOrder(pages)) return { ...this.#whole('inexpressible'), caused: update.caused() };
    const ops = new Operations(model, this.#pages, this.#scopes);
    ops.documents(pages, scopes);
    ops.elements(update);
    if (head.route !== this.#head.route) ops.all.push({ op: 'route.set', route: JSON.parse(head.route) as unknown });
    if (head.modals !== this.#head.modals) ops.all.push({ op: 'modalStack.set', modalStack: JSON.parse(head.modals) as unknown });
    if (head.focus !== this.#head.focus) ops.all.push({ op: 'focus.set', focus: JSON.parse(head.focus) as unknown });
    this.#count += ops.added;
    const most = ops.touched * 2 > this.#count;
    if (most || ops.all.length > MOST_OPS) return { ...this.#whole('most'), caused: update.caused() };
    this.#head = head;
    this.#watchRoots();
    return { fresh: '', graph: '', ops: ops.all, success: ops.success, caused: update.caused() };
  }

  stop(): void {
    clearTimeout(this.#owed);
    this.#watch.stop();
  }
}

/** Whether a script wrote into a field since it was published. */
const isRewritten = (entry: Entry): boolean => isField(entry.element) && fieldMark(entry.element) !== entry.field;

/** Documents are told in the order of their frames; a new one can only come last. */
function inDocumentOrder(pages: readonly Page[]): boolean {
  const expected: Page[] = [];
  const visit = (page: Page): void => {
    expected.push(page);
    const inner = pages.filter((each) => each.parent === page && each.host);
    inner.sort((a, b) => (a.host && b.host && 4 & dom.position(a.host.element, b.host.element) ? -1 : 1));
    for (const each of inner) visit(each);
  };
  const [root] = pages;
  if (root) visit(root);
  return expected.every((page, index) => page === pages[index]);
}
