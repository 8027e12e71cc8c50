// The page while it is observed: what changed is looked at again, with whatever depends on it, and told as operations.

import * as dom from './builtins';
import { headOf, publishAll } from './capture';
import type { Op, Options } from './contract';
import { encode } from './encode';
import { each, type Entry, Flag, Rank, Register, type Told } from './entry';
import type { Identity } from './identity';
import { Model } from './model';
import { describeScope, type Scope } from './scopes';
import { expand, isSame, patchOf, type Shown } from './shape';
import type { Lexicon } from './semantics';
import { tidy } from './text';
import { closest, parentElement } from './tree';
import { View } from './view';
import { receivesEvents, type Sight } from './visibility';
import { isInteractive, type Page } from './walk';
import { type Dirty, Watch } from './watch';
import { nearWindow } from './window';

/** What an observer is answered. */
export interface Answer {
  /** A whole graph, with the reason; empty when there is a delta. */
  readonly fresh: string;
  /** The text of a graph. */
  readonly graph: string;
  readonly ops: Op[];
  readonly success: Record<string, string | null>;
}

/** What was told of an element that was walked again, and where it stood among those of the same walk. */
interface Former {
  readonly told: Told;
  /** Null when it was not walked again where it stood. */
  readonly part: Element | null;
  readonly order: number;
}

// A script may write into these without a trace.
const FIELDS = new Set(['input', 'textarea', 'select']);

// Milliseconds that a look at the window may cost to be done every time, and after which it is done otherwise.
const CHEAP = 1.5;
const LATER = 250;

// More operations than this are dearer than a graph.
const MOST_OPS = 3_000;

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
  #isOwed = false;
  #owed: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly document: Document,
    private readonly lexicon: Lexicon,
    private readonly identity: Identity,
    private readonly options: Options,
    mostEvents: number,
    wake: () => void,
  ) {
    const id = (element: Element): string | null => (identity.isKnown(element) ? identity.element(element) : null);
    this.#watch = new Watch((each) => identity.document(each), id, mostEvents, wake);
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
    return { fresh: reason, graph: encode(model, head, pages, (page) => scopes.get(page) ?? [], { documents: null, scopes: null }, true), ops: [], success: {} };
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
    const dirty = this.#watch.take();
    if (dirty.all || !this.#model.pages[0]?.root || dom.documentElement(this.document) !== this.#model.pages[0].root.element) return this.fresh('most');
    const update = new Update(this.#model, this.#view, this.#register, dirty);
    this.#view.begin(this.document, false);
    update.rewalk();
    this.#refresh(update);
    return this.#tell(update);
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
        const tag = dom.localName(entry.element);
        if (shown.inViewport !== sight.inViewport || FIELDS.has(tag) || entry.boundary) {
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
    for (const entry of this.#inWindow) if (!now.has(entry) && this.#register.get(entry.element) === entry) update.again(entry);
    this.#inWindow = now;
    if (!this.#mayHit) {
      clearTimeout(this.#owed);
      this.#owed = setTimeout(() => {
        this.#isOwed = true;
        this.#watch.owe();
      }, LATER);
      return;
    }
    this.#hitCost = performance.now() - start;
  }

  #tell(update: Update): Answer {
    const model = this.#model;
    const pages = model.shownPages();
    const scopes = new Map(pages.map((page) => [page, model.shownScopes(page)]));
    const head = this.#heads(pages, scopes);
    if (head.rest !== this.#head.rest || !inDocumentOrder(pages)) return this.#whole('inexpressible');
    const ops = new Operations(model, this.#pages, this.#scopes);
    ops.documents(pages, scopes);
    ops.elements(update);
    if (head.route !== this.#head.route) ops.all.push({ op: 'route.set', route: JSON.parse(head.route) as unknown });
    if (head.modals !== this.#head.modals) ops.all.push({ op: 'modalStack.set', modalStack: JSON.parse(head.modals) as unknown });
    if (head.focus !== this.#head.focus) ops.all.push({ op: 'focus.set', focus: JSON.parse(head.focus) as unknown });
    this.#count += ops.added;
    const most = ops.touched * 2 > this.#count;
    if (most || ops.all.length > MOST_OPS) return this.#whole('most');
    this.#head = head;
    this.#watchRoots();
    return { fresh: '', graph: '', ops: ops.all, success: ops.success };
  }

  stop(): void {
    clearTimeout(this.#owed);
    this.#watch.stop();
  }
}

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

/** The work of one update: which entries are walked and published again. */
class Update {
  readonly former = new Map<string, Former>();
  /** Entries that came into the tree, by the part that was walked. */
  readonly parts = new Map<Element, Entry>();
  readonly changed = new Set<Entry>();
  readonly #queue = new Set<Entry>();
  /** Elements whose text was found to have changed, with everything around them. */
  readonly #climbed = new Set<Element>();
  readonly #scopes = new Set<Scope>();
  #order = 0;

  constructor(readonly model: Model, readonly view: View, readonly register: Register, readonly dirty: Dirty) {}

  rewalk(): void {
    const { dirty } = this;
    // What moved is taken out first: its neighbours may have moved as well, and places are told by neighbours.
    for (const element of dirty.gone) {
      this.#detach(this.register.get(element), null);
      if (dirty.ids) this.#unlabel(element);
    }
    for (const element of dirty.neighbours) {
      const entry = dom.isConnected(element) ? this.register.get(element) : undefined;
      if (entry && entry.closed === (this.view.look.isSeen(element) || !this.view.look.isClosed(element))) dirty.parts.add(element);
    }
    for (const element of dirty.parts) {
      const parent = parentElement(element);
      if (!parent || !closest(parent, (around) => dirty.parts.has(around))) this.#walkPart(element);
    }
    for (const element of dirty.texts) this.text(element);
    for (const element of dirty.parts) this.text(element);
    if (dirty.ids) for (const element of this.view.referrers) this.text(element);
    if (dirty.relabelled) this.model.candidates((entry) => {
      if (LABELLED.has(dom.localName(entry.element))) this.text(entry.element);
    });
    for (const page of this.model.pages) if (page.scopes.some((scope) => scope.gone)) page.scopes = page.scopes.filter((scope) => !scope.gone);
    if (this.view.annotations.any && this.parts.size > 0) for (const page of this.model.pages) sortScopes(page);
  }

  #walkPart(element: Element): void {
    if (!dom.isConnected(element)) return;
    const part = this.#partOf(element);
    if (!part) return;
    const { element: top, parent } = part;
    if (this.parts.has(top)) return;
    const old = this.register.get(top);
    const stays = old?.parent === parent;
    const after = stays ? old.prev : null;
    this.#detach(old, stays ? top : null);
    this.view.scan(top);
    const pages = new Set(this.model.pages);
    const entry = this.model.walk(top, parent, parent.opens ?? parent.scope, stays ? after : this.#before(top, parent));
    if (!entry) return;
    this.parts.set(top, entry);
    each(entry, (inner) => this.again(inner));
    for (const page of this.model.pages) if (!pages.has(page)) this.#enterPage(page);
  }

  #enterPage(page: Page): void {
    if (page.root) each(page.root, (inner) => this.again(inner));
    for (const scope of page.scopes) this.#scopes.add(scope);
  }

  /** Labels that went leave their controls without them. */
  #unlabel(element: Element): void {
    for (const label of dom.queryAll(element, 'label[for]')) this.#unlabelOne(label);
    if (dom.localName(element) === 'label') this.#unlabelOne(element);
  }

  #unlabelOne(label: Element): void {
    const id = dom.attribute(label, 'for');
    for (const root of id ? this.view.roots : []) {
      const control = dom.byId(root, id ?? '');
      if (control) this.text(control);
    }
  }

  /** The part of the tree that has to be walked for an element, with the entry around it. */
  #partOf(element: Element): { element: Element; parent: Entry } | null {
    let top = element;
    for (let at: Element | null = parentElement(element); at; at = parentElement(at)) {
      const entry = this.register.get(at);
      if (entry && !dom.assignedSlot(top)) {
        if (entry.closed) return null;
        if (!LEAVES.has(dom.localName(at))) return { element: top, parent: entry };
        this.again(entry);
        return null;
      }
      top = at;
    }
    return null;
  }

  #before(element: Element, parent: Entry): Entry | null {
    for (let at = dom.previousElement(element); at; at = dom.previousElement(at)) {
      const entry = this.register.get(at);
      if (entry?.parent === parent) return entry;
    }
    return null;
  }

  /** Takes an entry and everything in it out of the tree and notes what was told of it. */
  #detach(top: Entry | undefined, part: Element | null): void {
    if (!top) return;
    if (top.parent) this.text(top.parent.element);
    each(top, (entry) => this.#drop(entry, part));
    top.unlink();
  }

  #drop(entry: Entry, part: Element | null): void {
    if (entry.told && !this.former.has(entry.told.shown.id)) this.former.set(entry.told.shown.id, { told: entry.told, part, order: this.#order++ });
    this.model.settle(entry, null);
    if (entry.item && entry.meaning) entry.scope.countItem(entry.meaning.role, entry.item, -1);
    if (entry.opens) entry.opens.gone = true;
    if (entry.boundary === 'frame') this.#dropPages(entry);
    this.register.remove(entry);
    this.#queue.delete(entry);
    this.changed.delete(entry);
  }

  #dropPages(host: Entry): void {
    const inner = this.model.pages.filter((page) => page.host === host);
    for (const page of inner) {
      this.model.pages.splice(this.model.pages.indexOf(page), 1);
      if (page.root) each(page.root, (entry) => {
        this.register.remove(entry);
        if (entry.boundary === 'frame') this.#dropPages(entry);
      });
    }
  }

  /** The text of an element changed: so may the names of everything around it, of what it labels and of what refers to it. */
  text(element: Element): void {
    const waiting = [element];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      for (let at: Element | null = next; at && !this.#climbed.has(at); at = parentElement(at)) {
        this.#climbed.add(at);
        this.#again(at, waiting);
      }
    }
  }

  #again(element: Element, others: Element[]): void {
    const entry = this.register.get(element);
    this.again(entry);
    // The root of a document stands in the frame that shows it.
    if (entry && !entry.parent && entry.scope.page.host) others.push(entry.scope.page.host.element);
    if (dom.localName(element) === 'label' && dom.htmlTag(element) === 'label') {
      const control = dom.labelControl(element as HTMLLabelElement);
      if (control) others.push(control);
    }
    const owner = this.view.relations.owner(element);
    if (owner) others.push(owner);
    if (this.view.referrers.size > 0 && dom.hasAttribute(element, 'id')) this.#refer(dom.attribute(element, 'id') ?? '', others);
  }

  #refer(id: string, others: Element[]): void {
    for (const element of this.view.referrers) {
      if (!dom.isConnected(element)) this.view.referrers.delete(element);
      else if (REFERENCES.some((name) => dom.attribute(element, name)?.includes(id))) others.push(element);
    }
  }

  again(entry: Entry | undefined): void {
    if (!entry) return;
    if (entry.rank !== Rank.Never) this.#queue.add(entry);
    this.#scopes.add(entry.opens ?? entry.scope);
    if (entry.opens) this.#scopes.add(entry.scope);
  }

  /** The scopes whose names may have changed. */
  scopes(): Iterable<Scope> {
    return [...this.#scopes].filter((scope) => !scope.gone);
  }

  /** The elements of a scope that is called otherwise now stand in another scope for the observer. */
  renamed(): void {
    for (const page of this.model.pages) {
      for (const scope of page.scopes) {
        if (scope.toldId !== scope.id && scope.toldId && scope.entry) each(scope.entry, (inner) => {
          if (inner.home === scope) this.changed.add(inner);
        });
        scope.toldId = scope.id;
      }
    }
  }

  hover(entry: Entry, over: boolean): void {
    if (((entry.flags & Flag.Hovered) !== 0) === over) return;
    entry.flags = over ? entry.flags | Flag.Hovered : entry.flags & ~Flag.Hovered;
    entry.below = over ? entry.below | Flag.Hovered : entry.below & ~Flag.Hovered;
    this.again(entry);
  }

  publish(): void {
    // Whoever is published again may change the parent of what is inside of it, and adds that to the end.
    for (const entry of this.#queue) {
      this.#queue.delete(entry);
      if (this.register.get(entry.element) === entry) this.#publish(entry);
    }
  }

  #publish(entry: Entry): void {
    const { model } = this;
    const host = entry.scope.page.host;
    entry.sight = host && !host.shown ? null : model.sight(entry);
    const before = entry.shown;
    const shown = entry.sight ? model.show(entry, entry.sight) : null;
    entry.blank = entry.sight !== null && !shown;
    const home = (entry.opens ?? entry.scope).home;
    if (!before && !shown) return;
    if (before && shown && isSame(before, shown) && entry.home === home && before.success === shown.success && before.issue?.message === shown.issue?.message) return;
    model.settle(entry, shown);
    this.changed.add(entry);
    if (before?.id !== shown?.id) {
      each(entry, (inner) => {
        if (inner !== entry) this.again(inner);
      });
      if (entry.boundary === 'frame') for (const page of model.pages) if (page.host === entry) this.#enterPage(page);
    }
  }

  /** Stable ids that stand twice now, or no more. */
  markDuplicates(): void {
    if (!this.view.annotations.any) return;
    for (const page of this.model.pages) {
      for (const bearers of page.stable.values()) for (const entry of bearers) {
        const marked = entry.shown?.extra.includes('"duplicateStableId":true') ?? false;
        if (marked !== bearers.size > 1) this.again(entry);
      }
    }
    this.publish();
  }
}

const REFERENCES = ['aria-labelledby', 'aria-describedby', 'aria-errormessage', 'aria-owns', 'aria-details'];
const LABELLED = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
const LEAVES = new Set(['iframe', 'canvas', 'select', 'textarea', 'input', 'img', 'hr', 'video', 'audio']);

/** Puts the scopes of a document into its order: which of two declarations of one id counts depends on it. */
function sortScopes(page: Page): void {
  const sorted = [page.scope];
  if (page.root) each(page.root, ({ opens }) => {
    if (opens) sorted.push(opens);
  });
  page.scopes = sorted;
}

/** Turns what changed into operations, in an order in which each finds what it needs. */
class Operations {
  readonly all: Op[] = [];
  readonly success: Record<string, string | null> = {};
  /** Elements that were added, without those that went. */
  added = 0;
  touched = 0;
  readonly #removedScopes = new Set<string>();
  readonly #freshPages = new Set<string>();

  constructor(
    private readonly model: Model,
    private readonly pages: Map<string, string>,
    private readonly scopes: Map<string, Map<string, string>>,
  ) {}

  documents(pages: readonly Page[], scopesOf: ReadonlyMap<Page, readonly Scope[]>): void {
    const present = new Set(pages.map((page) => page.id));
    for (const id of this.pages.keys()) {
      if (present.has(id)) continue;
      this.all.push({ op: 'document.remove', documentId: id });
      this.pages.delete(id);
      this.scopes.delete(id);
    }
    for (const page of pages) this.#document(page, scopesOf.get(page) ?? []);
  }

  #document(page: Page, scopes: readonly Scope[]): void {
    const head = JSON.stringify(this.model.pageOut(page, true));
    const before = this.pages.get(page.id);
    this.pages.set(page.id, head);
    if (before !== head) {
      // A document is replaced as a whole.
      this.#freshPages.add(page.id);
      this.all.push({ op: 'document.upsert', document: { ...(JSON.parse(head) as object), scopes: [] } });
      this.scopes.set(page.id, new Map());
    }
    const known = this.scopes.get(page.id) ?? new Map<string, string>();
    this.scopes.set(page.id, known);
    const present = new Set(scopes.map((scope) => scope.id));
    for (const id of known.keys()) {
      if (present.has(id)) continue;
      this.#removedScopes.add(`${page.id} ${id}`);
      known.delete(id);
      this.all.push({ op: 'scope.remove', documentId: page.id, scopeId: id });
    }
    for (const scope of scopes) {
      const whole = this.model.scopeOut(scope);
      const text = JSON.stringify(whole);
      const { elements: _, ...out } = whole;
      if (known.get(scope.id) === text) continue;
      known.set(scope.id, text);
      this.all.push({ op: 'scope.upsert', documentId: page.id, scope: out });
    }
    if (before !== undefined && before !== head && page.root) each(page.root, (entry) => {
      if (entry.shown) this.#forced.add(entry);
    });
  }

  readonly #forced = new Set<Entry>();

  /** Whether the observer has an element where it was told to be. */
  #stands(told: Told): boolean {
    return this.pages.has(told.pageId) && !this.#freshPages.has(told.pageId) && !this.#removedScopes.has(`${told.pageId} ${told.scopeId}`);
  }

  elements(update: Update): void {
    const upserts = new Set<Entry>();
    const patches: [Entry, Told][] = [];
    const alive = new Map<string, string>();
    const removals: Told[] = [];
    const unmoved = this.#unmoved(update);
    for (const entry of this.#forced) update.changed.add(entry);
    for (const entry of update.changed) {
      const { shown } = entry;
      const told = entry.told ?? (shown ? update.former.get(shown.id)?.told : undefined);
      if (!shown || !entry.home) {
        if (entry.told) removals.push(entry.told);
        entry.told = null;
        continue;
      }
      alive.set(shown.id, entry.scope.page.id);
      if (entry.told && entry.told.shown.id !== shown.id) removals.push(entry.told);
      const stays = told && told.shown.id === shown.id && this.#stands(told) && told.scopeId === entry.home.id && told.pageId === entry.scope.page.id;
      if (stays && (entry.told || unmoved.has(shown.id))) patches.push([entry, told]);
      else upserts.add(entry);
    }
    for (const { told } of update.former.values()) removals.push(told);
    this.#remove(removals, alive);
    for (const entry of upserts) this.#upsert(entry, upserts);
    for (const [entry, told] of patches) this.#patch(entry, told);
  }

  /** Elements of a part that was walked again which still stand in their order. */
  #unmoved(update: Update): Set<string> {
    const unmoved = new Set<string>();
    for (const [part, top] of update.parts) {
      const last = new Map<string, number>();
      each(top, ({ shown, home }) => {
        const former = shown && update.former.get(shown.id);
        if (!shown || !home || !former || former.part !== part || former.told.scopeId !== home.id) return;
        if (former.order < (last.get(home.id) ?? -1)) return;
        last.set(home.id, former.order);
        unmoved.add(shown.id);
      });
    }
    return unmoved;
  }

  #remove(removals: readonly Told[], alive: ReadonlyMap<string, string>): void {
    const removed: Op[] = [];
    for (const told of removals) {
      // Within a document an element moves; into another one it does not.
      if (alive.get(told.shown.id) === told.pageId) continue;
      this.added--;
      this.touched++;
      if (this.#stands(told)) removed.push({ op: 'element.remove', documentId: told.pageId, instanceId: told.shown.id });
    }
    this.all.unshift(...removed);
  }

  /** Puts an element after the one before it, which must be there already. */
  #upsert(entry: Entry, upserts: Set<Entry>): void {
    const chain: [Entry, Entry | null][] = [];
    for (let at: Entry | null = entry; at && upserts.has(at); ) {
      upserts.delete(at);
      const before: Entry | null = previous(at);
      chain.push([at, before]);
      at = before;
    }
    for (const [each, before] of chain.reverse()) {
      const { shown, home } = each;
      if (!shown || !home) continue;
      const pageId = each.scope.page.id;
      this.touched++;
      this.#succeed(shown, each.told?.shown ?? null);
      if (!each.told) this.added++;
      each.told = { shown, pageId, scopeId: home.id };
      this.all.push({ op: 'element.upsert', documentId: pageId, scopeId: home.id, element: expand(shown), after: before?.shown?.id ?? null });
    }
  }

  #patch(entry: Entry, told: Told): void {
    const { shown, home } = entry;
    if (!shown || !home) return;
    entry.told = { shown, pageId: told.pageId, scopeId: told.scopeId };
    const declared = this.#succeed(shown, told.shown);
    if (isSame(told.shown, shown) && !declared) return;
    this.touched++;
    this.all.push({ op: 'element.patch', documentId: told.pageId, instanceId: shown.id, patch: patchOf(told.shown, shown) });
  }

  #succeed(shown: Shown, before: Shown | null): boolean {
    if ((before?.success ?? null) === shown.success) return false;
    this.success[shown.id] = shown.success;
    return true;
  }
}

/** The published element that comes before it in its scope. */
function previous(entry: Entry): Entry | null {
  const { home } = entry;
  let at: Entry | null = entry;
  while (at) {
    let before: Entry | null = at.prev;
    // Within the entry before, whatever comes last.
    while (before) {
      const inner: Entry | null = lastIn(before, home);
      if (inner) return inner;
      before = before.prev;
    }
    at = at.parent;
    if (at?.shown && at.home === home) return at;
    if (at?.opens && at.opens.kept && at.opens === home) return null;
  }
  return null;
}

function lastIn(top: Entry, home: Scope | null): Entry | null {
  let at: Entry | null = top;
  let down = true;
  while (at) {
    // Nothing of the scope can be inside of another scope that is published.
    const foreign: boolean = at.opens !== null && at.opens.kept && at.opens !== home;
    if (down && at.last && !foreign) {
      at = at.last;
      continue;
    }
    if (!foreign && at.shown && at.home === home) return at;
    if (at === top) return null;
    down = at.prev !== null;
    at = at.prev ?? at.parent;
  }
  return null;
}
