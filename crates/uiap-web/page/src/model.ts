// The page as a whole: its documents, their scopes, and what of each element is published.

import * as dom from './builtins';
import type { FocusOut, PageOut, ScopeOut, State } from './contract';
import { publish } from './element';
import { each, type Entry, Flag, Rank } from './entry';
import { isPassage } from './passage';
import { describeScope, modalsOf, nameScopes, type Scope } from './scopes';
import { Shapes, type Shown } from './shape';
import { fromAria } from './state';
import { tidy } from './text';
import type { View } from './view';
import { type Sight, sightOf } from './visibility';
import { type FrameFound, Page, Walk } from './walk';

export class Model {
  readonly pages: Page[] = [];
  readonly shapes = new Shapes();
  modals: Scope[] = [];
  truncated = false;
  /** What was left out: elements that would have been published, and children that were not even looked at. */
  readonly omitted = { elements: 0, children: 0 };
  #pointerChecksRanOut = false;

  constructor(readonly view: View, readonly document: Document) {}

  /** Walks every document and gives every scope its name. */
  build(): void {
    this.view.begin(this.document);
    this.walkPage(this.document, null, null);
    this.view.relate();
    for (const page of this.pages) for (const scope of page.scopes) describeScope(scope, this.view);
    this.nameScopes();
  }

  walkPage(document: Document, host: Entry | null, parent: Page | null): void {
    const { view } = this;
    view.enter(document);
    const page = new Page(view.identity.document(document), document, parent, host);
    this.pages.push(page);
    const root = dom.documentElement(document);
    if (root) page.root = page.scope.entry = this.walk(root, null, page.scope, null);
  }

  /** Walks a part of a page and enters the frames in it. */
  walk(element: Element, parent: Entry | null, scope: Scope, after: Entry | null): Entry | null {
    const walk = new Walk(this.view);
    const entry = walk.run(element, parent, scope, after);
    const { page } = scope;
    page.scopes.push(...walk.scopes);
    this.truncated ||= walk.cut;
    this.#pointerChecksRanOut ||= walk.pointerChecksRanOut;
    for (const { entry: holder, elements, all } of walk.samples) this.#leaveOut(holder, all - elements.length);
    for (const frame of walk.frames) this.#enterFrame(frame, page);
    return entry;
  }

  // Where the children that were looked at are items of a collection, the others are too.
  #leaveOut(holder: Entry, count: number): void {
    holder.omitted = count;
    this.truncated = true;
    this.omitted.children += count;
    this.view.leaveOut(count);
    const sampled = holder.last;
    if (sampled?.item && sampled.meaning) sampled.scope.items.counted += count;
  }

  #enterFrame({ host, document }: FrameFound, parent: Page): void {
    if (document) this.walkPage(document, host, parent);
    else this.pages.push(new Page(this.view.identity.opaqueDocument(host.element), null, parent, host));
  }

  nameScopes(): void {
    const all = this.pages.flatMap((page) => page.scopes);
    nameScopes(all, this.view);
    this.modals = modalsOf(all, this.view);
  }

  /** How it is seen, or null when it is not to be published. */
  sight(entry: Entry): Sight | null {
    const { options, look, relations, identity } = this.view;
    if (!options.includeHidden) {
      if (entry.flags & Flag.AriaHidden) return null;
      if (this.isInert(entry) && !identity.isKnown(entry.element)) return null;
    }
    const sight = (options.includeBBox ? null : this.#sightByRow(entry)) ?? sightOf(entry.element, look, relations);
    return sight.visible || options.includeHidden ? sight : null;
  }

  // What stands in a row beyond the window is beyond the window: its box need not be asked for, unless something says how it is
  // drawn. It has text, or it is not published.
  #sightByRow(entry: Entry): Sight | null {
    let row = entry.parent;
    for (let step = 0; row && row.meaning?.role !== 'row' && step < 3; step++) row = row.parent;
    if (!row?.sight || row.sight.inViewport || row.meaning?.role !== 'row') return null;
    const { element } = entry;
    if (!UNDRAWN.has(entry.meaning?.role ?? '') || dom.hasAttribute(element, 'class') || dom.hasAttribute(element, 'style')) return null;
    if (!this.view.look.isSeen(element)) return null;
    return { visible: true, box: row.sight.box, inViewport: false, shown: element };
  }

  /** Whether it lies under the topmost modal. */
  #isOutside(entry: Entry): boolean {
    const top = this.modals.at(-1);
    return top !== undefined && !(entry.opens ?? entry.scope).isWithin(top);
  }

  isInert(entry: Entry): boolean {
    if (entry.flags & Flag.Inert) return true;
    const top = this.modals.at(-1)?.element;
    return top !== undefined && top !== null && this.#isOutside(entry) && dom.matches(top, ':modal') &&
      dom.ownerDocument(entry.element) === dom.ownerDocument(top);
  }

  /** What is published of an element that is seen. */
  show(entry: Entry, sight: Sight): Shown | null {
    const stableId = this.view.annotations.any ? this.view.annotations.get(entry.element, 'id') : null;
    const bearers = stableId ? entry.scope.page.stable.get(stableId) : undefined;
    const duplicate = bearers !== undefined && bearers.size > (bearers.has(entry) ? 1 : 0);
    return publish(entry, { sight, duplicate, blocked: this.isInert(entry) || this.#isOutside(entry), parent: parentOf(entry) }, this.view, this.shapes);
  }

  /** Notes what an element is published as, and what that means for others; returns the bearers of its stable id. */
  settle(entry: Entry, shown: Shown | null): void {
    const { shown: before } = entry;
    if (before) this.#release(entry, before);
    entry.shown = shown;
    entry.home = shown ? (entry.opens ?? entry.scope).home : null;
    if (!shown || !entry.home) return;
    entry.home.count++;
    const form = entry.scope.form;
    if (shown.issue) (form?.kept ? form : entry.home).issues.add(entry);
    if (shown.submits && form) form.submits.add(entry);
    if (shown.stableId) {
      const { stable } = entry.scope.page;
      const bearers = stable.get(shown.stableId);
      if (bearers) bearers.add(entry);
      else stable.set(shown.stableId, new Set([entry]));
    }
  }

  #release(entry: Entry, before: Shown): void {
    if (entry.home) entry.home.count--;
    entry.home?.issues.delete(entry);
    const form = entry.scope.form;
    form?.issues.delete(entry);
    form?.submits.delete(entry);
    if (before.stableId) entry.scope.page.stable.get(before.stableId)?.delete(entry);
  }

  /** The documents that are published: those whose frame is. */
  shownPages(): Page[] {
    const shown = new Set<Page>();
    for (const page of this.pages) {
      if (!page.host || (page.host.shown && page.parent && shown.has(page.parent))) shown.add(page);
    }
    return [...shown];
  }

  /** The scopes of a document that are published: areas that hold nothing say nothing, unless somebody declared them. */
  shownScopes(page: Page): Scope[] {
    if (!page.document) return [];
    const needed = new Set<Scope>();
    const shown: Scope[] = [];
    for (const scope of depthFirst(page.scopes)) {
      if (!scope.kept) continue;
      const empty = scope.count === 0 && !needed.has(scope) && scope.id.startsWith('~') && EMPTY_IS_NOTHING.has(scope.kind);
      if (empty) continue;
      if (scope.parent) needed.add(scope.parent.home);
      shown.push(scope);
    }
    return shown.reverse();
  }

  /** While the page is observed its address and title are told by the route alone: no operation changes them in a document. */
  pageOut(page: Page, observed: boolean): PageOut {
    const common = {
      documentId: page.id,
      kind: page.host ? ('frame' as const) : ('root' as const),
      ...(page.parent ? { parentDocumentId: page.parent.id } : {}),
      ...(page.host?.shown ? { hostInstanceId: page.host.shown.id } : {}),
    };
    if (!page.document) {
      const sandboxed = page.host !== null && isSandboxed(page.host.element);
      const origin = page.host ? frameOrigin(page.host.element) : null;
      return { ...common, ...(origin ? { origin } : {}), access: 'opaque', opaqueReason: sandboxed ? 'sandboxed' : 'cross_origin', scopes: [] };
    }
    const url = withoutUser(dom.urlOf(page.document));
    const origin = originOf(url);
    if (observed && !page.host) return { ...common, ...(origin ? { origin } : {}), access: 'open', scopes: [] };
    return { ...common, url, ...(origin ? { origin } : {}), ...(page.title ? { title: page.title } : {}), access: 'open', scopes: [] };
  }

  scopeOut(scope: Scope): ScopeOut {
    const out: ScopeOut = { id: scope.id, kind: scope.kind, elements: [] };
    if (scope.name) out.name = tidy(scope.name);
    if (scope.parent) out.parentScopeId = scope.parent.home.id;
    const issues = inOrder(scope.issues);
    const submit = inOrder(scope.submits)[0]?.shown;
    if (submit) out.submitTarget = submit.id;
    if (issues.length > 0) out.issues = issues.flatMap((entry) => entry.shown?.issue ?? []);
    if (!scope.element || scope.isPage) return out;
    if (scope.role) out.role = scope.kind === 'drawer' ? 'drawer' : scope.role;
    const stableId = this.view.annotations.stableId(scope.element);
    if (stableId) out.stableId = stableId;
    const state = this.#scopeState(scope, scope.element);
    if (Object.keys(state).length > 0) out.state = state;
    const collection = this.#collection(scope, scope.element);
    if (collection) out.collection = collection;
    return out;
  }

  #scopeState(scope: Scope, element: Element): State {
    const state: State = {};
    fromAria(element, state);
    const rendered = this.view.look.isRendered(element);
    if (!rendered || (scope.entry?.flags ?? 0) & Flag.AriaHidden) state['visible'] = false;
    if (scope.kind === 'dialog' || scope.kind === 'drawer' || scope.kind === 'popover') {
      state['open'] = rendered;
      if (scope.kind !== 'popover') state['modal'] = scope.isModal;
    }
    return state;
  }

  #collection(scope: Scope, element: Element): ScopeOut['collection'] {
    if (scope.kind !== 'table' && scope.kind !== 'list') return undefined;
    const { counted, headers, role } = scope.items;
    const rows = Number(dom.attribute(element, 'aria-rowcount') ?? NaN);
    const total = rows > 0 ? Math.max(rows - headers, counted) : setSize(scope);
    const entity = this.view.annotations.any ? dom.queryFirst(element, '[data-uiap-entity]') : null;
    const entityType = (entity && this.view.annotations.entity(entity)?.type) ?? undefined;
    return {
      ...(total !== null ? { total } : {}),
      loaded: counted,
      ...(role ? { itemRole: role } : {}),
      ...(entityType ? { entityType } : {}),
    };
  }

  route(): Record<string, unknown> {
    const url = withoutUser(dom.urlOf(this.document));
    const title = tidy(dom.titleOf(this.document));
    const routeId = this.view.annotations.route(this.document);
    let path: string | undefined;
    try {
      path = new URL(url).pathname;
    } catch {
      path = undefined;
    }
    return { ...(routeId ? { routeId } : {}), url, ...(path ? { path } : {}), ...(title ? { title } : {}) };
  }

  focus(shown: readonly Page[], scopes: ReadonlySet<Scope>): FocusOut {
    const { focused, identity } = this.view;
    const entry = focused ? this.#find(focused) : undefined;
    if (entry?.shown) {
      const scope = entry.opens ?? entry.scope;
      return { documentId: entry.scope.page.id, instanceId: entry.shown.id, ...(scopes.has(scope) ? { scopeId: scope.id } : {}) };
    }
    const owner = focused && dom.ownerDocument(focused);
    const page = shown.find((each) => each.document === owner);
    return { documentId: page ? page.id : identity.document(this.document) };
  }

  #find(element: Element): Entry | undefined {
    const { register } = this.view;
    if (register) return register.get(element);
    let found: Entry | undefined;
    this.candidates((entry) => {
      if (entry.element === element) found = entry;
    });
    return found;
  }

  locale(): string | null {
    const root = dom.documentElement(this.document);
    const locale = root && dom.attribute(root, 'lang');
    return locale ? tidy(locale) : null;
  }

  warnings(): string[] {
    const { warnings } = this.view.annotations;
    return this.#pointerChecksRanOut ? [...warnings, 'the page is too large to look for every clickable element without semantics'] : warnings;
  }

  /** Everything that could be published, in document order. */
  candidates(visit: (entry: Entry) => void): void {
    for (const page of this.pages) {
      if (page.root) each(page.root, (entry) => {
        if (entry.rank !== Rank.Never) visit(entry);
      });
    }
  }
}

function parentOf(entry: Entry): string {
  // A passage is around what is set inline in it, not around the blocks that stand between its lines.
  let { inline } = entry;
  for (let at = entry.parent; at; at = at.parent) {
    if (at.shown && (inline || !isPassage(at))) return at.shown.id;
    inline &&= at.inline;
  }
  return '';
}

// Roles of elements that show by their text.
const UNDRAWN = new Set(['cell', 'link', 'button']);

const EMPTY_IS_NOTHING = new Set(['region', 'navigation', 'toolbar', 'list', 'popover', 'custom']);

/** Scopes with every scope after those inside of it. */
function depthFirst(scopes: readonly Scope[]): Scope[] {
  const depth = (scope: Scope): number => {
    let count = 0;
    for (let at = scope.parent; at; at = at.parent) count++;
    return count;
  };
  const depths = new Map(scopes.map((scope) => [scope, depth(scope)]));
  const inDocumentOrder = scopes.every((scope, index) => {
    const before = scopes[index - 1];
    return !scope.parent || !before || (depths.get(scope) ?? 0) <= (depths.get(before) ?? 0) + 1;
  });
  const reversed = scopes.toReversed();
  return inDocumentOrder ? reversed : reversed.sort((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0));
}

const inOrder = (entries: ReadonlySet<Entry>): Entry[] =>
  entries.size < 2 ? [...entries] : [...entries].sort((a, b) => (4 & dom.position(a.element, b.element) ? -1 : 1));

function setSize(scope: Scope): number | null {
  let item: Entry | null = null;
  if (scope.items.counted > 0 && scope.entry) {
    for (let at: Entry | null = scope.entry.first; at && !item; at = at.item ? null : (at.first ?? at.next)) if (at.item) item = at;
  }
  const size = item ? Number(dom.attribute(item.element, 'aria-setsize') ?? NaN) : NaN;
  return Number.isInteger(size) && size >= 0 ? size : null;
}

function isSandboxed(frame: Element): boolean {
  const sandbox = dom.attribute(frame, 'sandbox');
  return sandbox !== null && !sandbox.toLowerCase().split(/\s+/).includes('allow-same-origin');
}

function frameOrigin(frame: Element): string | null {
  const source = dom.attribute(frame, 'src');
  if (source === null || isSandboxed(frame)) return null;
  try {
    return originOf(new URL(source, dom.ownerDocument(frame)?.baseURI).href);
  } catch {
    return null;
  }
}

function originOf(url: string): string | null {
  try {
    const { origin } = new URL(url);
    return origin === 'null' ? null : origin;
  } catch {
    return null;
  }
}

/** Name and password have no place in a graph. */
const withoutUser = (url: string): string => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, '$1').toWellFormed();
