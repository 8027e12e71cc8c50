// The whole page at once: walk every document, choose what the budget allows, put each element into its scope.

import * as dom from './builtins';
import type { CaptureOut, DocumentOut, Options, ScopeOut, State, Vocabulary } from './contract';
import { type Published, publish, isSubmit } from './element';
import type { Identity } from './identity';
import { ScopeDraft, slug } from './scopes';
import { fromAria } from './state';
import { tidy } from './text';
import { View } from './view';
import { type Sight, sightOf } from './visibility';
import { type Candidate, type Found, type FrameFound, Rank, Walk } from './walk';

interface DocumentDraft {
  readonly id: string;
  readonly document: Document | null;
  readonly parent: DocumentDraft | null;
  readonly host: Candidate | null;
  readonly found: Found | null;
}

interface Accepted {
  readonly candidate: Candidate;
  readonly sight: Sight;
  readonly blocked: boolean;
}

const RANKS = [Rank.Signal, Rank.Interactive, Rank.Structure, Rank.Detail];

export function capture(document: Document, vocabulary: Vocabulary, identity: Identity, options: Options): CaptureOut {
  identity.sweep();
  const view = new View(document, vocabulary, identity, options);
  return new Capture(view).run(document);
}

class Capture {
  readonly #drafts: DocumentDraft[] = [];
  readonly #success: Record<string, string> = {};
  readonly #taken = new Set<string>();
  #truncated = false;
  #pointerChecksRanOut = false;

  constructor(private readonly view: View) {}

  run(document: Document): CaptureOut {
    this.#walk(document, null, null);
    this.#truncated ||= this.view.cut;
    const modals = this.#modals();
    const accepted = this.#choose(modals.at(-1) ?? null);
    const documents = this.#publish(accepted);
    const { annotations, identity } = this.view;
    const warnings = annotations.warnings;
    if (this.#pointerChecksRanOut) warnings.push('the page is too large to look for every clickable element without semantics');
    const published = new Set(documents.flatMap((each) => each.scopes.map((scope) => scope.id)));
    const focus = this.#focus(document, published);
    const language = dom.documentElement(document);
    const locale = language && dom.attribute(language, 'lang');
    return {
      route: this.#route(document),
      viewport: viewport(document),
      ...(locale ? { locale: tidy(locale) } : {}),
      documents,
      modalStack: modals.map((modal) => modal.id).filter((id) => published.has(id)),
      focus,
      truncated: this.#truncated,
      success: this.#success,
      warnings,
      nextId: identity.next,
    };
  }

  #walk(document: Document, host: Candidate | null, parent: DocumentDraft | null): void {
    const { vocabulary, annotations, look, options, identity } = this.view;
    const page = new ScopeDraft(dom.documentElement(document), parent ? 'frame' : 'page', null, null, null);
    const walk = new Walk(vocabulary, annotations, look, options.maxNodes);
    const root = dom.documentElement(document);
    const found = root ? walk.run(root, page) : walk.found;
    this.#truncated ||= found.cut;
    this.#pointerChecksRanOut ||= walk.pointerChecksRanOut;
    const draft: DocumentDraft = { id: identity.document(document), document, parent, host, found };
    this.#drafts.push(draft);
    for (const frame of found.frames) this.#enter(frame, draft);
  }

  #enter({ host, document }: FrameFound, parent: DocumentDraft): void {
    if (document) this.#walk(document, host, parent);
    else this.#drafts.push({ id: this.view.identity.opaqueDocument(host.element), document: null, parent, host, found: null });
  }

  /** Names every scope, and returns the open modals from bottom to top. */
  #modals(): ScopeDraft[] {
    const modals: ScopeDraft[] = [];
    for (const draft of this.#drafts) {
      for (const scope of draft.found?.scopes ?? []) {
        this.#name(scope, draft);
        if (scope.element && isModal(scope) && this.#isKept(scope)) modals.push(scope);
        else if (scope.element && scope.kind === 'dialog') this.view.identity.forgetModal(scope.element);
      }
    }
    const { identity } = this.view;
    const order = new Map(modals.map((modal) => [modal, modal.element ? identity.modal(modal.element) : 0]));
    return modals.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  }

  #name(scope: ScopeDraft, draft: DocumentDraft): void {
    const { element } = scope;
    const { annotations, names, identity } = this.view;
    if (!element) return;
    const page = scope.kind === 'page' || scope.kind === 'frame';
    scope.name = page ? tidy(draft.document ? dom.titleOf(draft.document) : '') : annotations.get(element, 'name') || names.name(element);
    if (scope.kind === 'dialog' && this.#isDrawer(element)) scope.kind = 'drawer';
    const declared = page ? null : annotations.scope(element);
    const base = page ? `~${scope.kind}` : `~${scope.kind}${scope.name ? `:${slug(scope.name)}` : ''}`;
    scope.id = declared && !this.#taken.has(declared.id) ? declared.id : identity.scope(element, base, this.#taken);
    if (declared && scope.id !== declared.id) annotations.warn(`scope id \`${declared.id}\` is used twice`);
    this.#taken.add(scope.id);
  }

  // A dialog along one edge, as high as the window and not as wide.
  #isDrawer(element: Element): boolean {
    const { look, annotations } = this.view;
    if (annotations.get(element, 'scope-kind') !== null || !look.isRendered(element) || look.style(element).position !== 'fixed') return false;
    const view = dom.defaultView(dom.ownerDocument(element) ?? document);
    const { left, right, top, bottom, width } = dom.box(element);
    if (!view || width > view.innerWidth * 0.6 || top > 1 || bottom < view.innerHeight - 1) return false;
    return (left <= 1) !== (right >= view.innerWidth - 1);
  }

  #isKept(scope: ScopeDraft): boolean {
    if (!scope.element || scope.kind === 'page' || scope.kind === 'frame' || this.view.options.includeHidden) return true;
    return this.view.look.isRendered(scope.element) && !scope.context?.ariaHidden;
  }

  #choose(top: ScopeDraft | null): Accepted[] {
    const accepted: Accepted[] = [];
    const hiddenHosts = new Set<Candidate>();
    const { maxElements } = this.view.options;
    for (const rank of RANKS) {
      for (const draft of this.#drafts) {
        if (draft.host && hiddenHosts.has(draft.host)) continue;
        for (const candidate of draft.found?.candidates ?? []) {
          if (candidate.rank !== rank) continue;
          if (accepted.length >= maxElements && this.#truncated) return accepted;
          const each = this.#accept(candidate, top);
          if (!each) {
            if (candidate.boundary === 'frame') hiddenHosts.add(candidate);
          } else if (accepted.length >= maxElements) this.#truncated = true;
          else accepted.push(each);
        }
      }
    }
    return accepted;
  }

  #accept(candidate: Candidate, top: ScopeDraft | null): Accepted | null {
    const { element, context } = candidate;
    const { options, look, relations, identity } = this.view;
    const outside = top !== null && !isWithin(context.scope, top);
    const inert = context.inert || (outside && top.element !== null && dom.matches(top.element, ':modal') && sameDocument(element, top.element));
    if (!options.includeHidden) {
      if (context.ariaHidden) return null;
      if (inert && !identity.isKnown(element)) return null;
    }
    const sight = sightOf(element, look, relations);
    if (!sight.visible && !options.includeHidden) return null;
    return { candidate, sight, blocked: inert || outside };
  }

  #publish(accepted: readonly Accepted[]): DocumentOut[] {
    const byCandidate = new Map<Candidate, Published>();
    for (const { candidate, sight, blocked } of accepted) {
      const published = publish(candidate, sight, blocked, this.view);
      if (!published) continue;
      byCandidate.set(candidate, published);
      candidate.instanceId = published.out.instanceId;
      this.#truncated ||= published.cut;
      if (published.success !== null) this.#success[published.out.instanceId] = published.success;
    }
    const documents: DocumentOut[] = [];
    const shown = new Set<DocumentDraft>();
    for (const draft of this.#drafts) {
      const visible = !draft.host || (byCandidate.has(draft.host) && draft.parent !== null && shown.has(draft.parent));
      if (!visible) continue;
      shown.add(draft);
      documents.push(this.#document(draft, byCandidate));
    }
    return documents;
  }

  #document(draft: DocumentDraft, published: ReadonlyMap<Candidate, Published>): DocumentOut {
    const common = {
      documentId: draft.id,
      kind: draft.host ? ('frame' as const) : ('root' as const),
      ...(draft.parent ? { parentDocumentId: draft.parent.id } : {}),
      ...(draft.host?.instanceId ? { hostInstanceId: draft.host.instanceId } : {}),
    };
    const { documents: wanted } = this.view.options;
    if (!draft.document || !draft.found) {
      const sandboxed = draft.host !== null && isSandboxed(draft.host.element);
      const origin = draft.host ? frameOrigin(draft.host.element) : null;
      return { ...common, ...(origin ? { origin } : {}), access: 'opaque', opaqueReason: sandboxed ? 'sandboxed' : 'cross_origin', scopes: [] };
    }
    const url = withoutUser(dom.urlOf(draft.document));
    const origin = originOf(url);
    const title = tidy(dom.titleOf(draft.document));
    return {
      ...common,
      url,
      ...(origin ? { origin } : {}),
      ...(title ? { title } : {}),
      access: 'open',
      scopes: wanted && !wanted.includes(draft.id) ? [] : this.#scopes(draft.found, published),
    };
  }

  #scopes(found: Found, published: ReadonlyMap<Candidate, Published>): ScopeOut[] {
    const kept = new Set(found.scopes.filter((scope) => this.#isKept(scope)));
    const home = (scope: ScopeDraft): ScopeDraft => {
      let at = scope;
      while (!kept.has(at) && at.parent) at = at.parent;
      return at;
    };
    const outs = new Map<ScopeDraft, ScopeOut>();
    for (const scope of found.scopes) if (kept.has(scope)) outs.set(scope, this.#scope(scope, home));
    this.#fill(found, published, outs, home);
    const wanted = this.view.options.scopes;
    return wanted ? selected(found.scopes, outs, new Set(wanted)) : withoutEmpty(found.scopes, outs);
  }

  #fill(found: Found, published: ReadonlyMap<Candidate, Published>, outs: ReadonlyMap<ScopeDraft, ScopeOut>, home: (scope: ScopeDraft) => ScopeDraft): void {
    const stable = new Map<string, Published[]>();
    for (const candidate of found.candidates) {
      const each = published.get(candidate);
      const scope = each && outs.get(home(candidate.context.scope));
      if (!each || !scope) continue;
      const parent = publishedParent(candidate);
      if (parent) each.out.parentInstanceId = parent;
      scope.elements.push(each.out);
      if (each.issue) this.#report(candidate, each, outs, home);
      if (isSubmit(candidate.element)) this.#submits(candidate, each, outs);
      const id = each.out.stableId;
      if (id) stable.set(id, [...(stable.get(id) ?? []), each]);
    }
    for (const bearers of stable.values()) {
      if (bearers.length > 1) for (const { out } of bearers) out.metadata = { ...out.metadata, duplicateStableId: true };
    }
  }

  /** An issue belongs to the form, else to the scope of the field. */
  #report(candidate: Candidate, { issue }: Published, outs: ReadonlyMap<ScopeDraft, ScopeOut>, home: (scope: ScopeDraft) => ScopeDraft): void {
    const form = formOf(candidate.context.scope);
    const scope = outs.get(form ?? home(candidate.context.scope)) ?? outs.get(home(candidate.context.scope));
    if (scope && issue) (scope.issues ??= []).push(issue);
  }

  #submits(candidate: Candidate, { out }: Published, outs: ReadonlyMap<ScopeDraft, ScopeOut>): void {
    const form = formOf(candidate.context.scope);
    const scope = form && outs.get(form);
    if (scope) scope.submitTarget ??= out.instanceId;
  }

  #scope(scope: ScopeDraft, home: (scope: ScopeDraft) => ScopeDraft): ScopeOut {
    const out: ScopeOut = { id: scope.id, kind: scope.kind, elements: [] };
    if (scope.name) out.name = tidy(scope.name);
    if (scope.parent) out.parentScopeId = home(scope.parent).id;
    const page = scope.kind === 'page' || scope.kind === 'frame';
    if (scope.role && !page) out.role = scope.kind === 'drawer' ? 'drawer' : scope.role;
    if (!scope.element || page) return out;
    const stableId = this.view.annotations.stableId(scope.element);
    if (stableId) out.stableId = stableId;
    const state = this.#scopeState(scope, scope.element);
    if (Object.keys(state).length > 0) out.state = state;
    const collection = this.#collection(scope, scope.element);
    if (collection) out.collection = collection;
    return out;
  }

  #scopeState(scope: ScopeDraft, element: Element): State {
    const state: State = {};
    fromAria(element, state);
    if (!this.view.look.isRendered(element) || scope.context?.ariaHidden) state['visible'] = false;
    if (scope.kind === 'dialog' || scope.kind === 'drawer' || scope.kind === 'popover') {
      state['open'] = this.view.look.isRendered(element);
      if (scope.kind !== 'popover') state['modal'] = isModal(scope);
    }
    return state;
  }

  #collection(scope: ScopeDraft, element: Element): ScopeOut['collection'] {
    if (scope.kind !== 'table' && scope.kind !== 'list') return undefined;
    const { count, headers, role } = scope.items;
    const rows = Number(dom.attribute(element, 'aria-rowcount') ?? NaN);
    const total = rows > 0 ? Math.max(rows - headers, count) : setSize(element);
    const entity = dom.queryAll(element, '[data-uiap-entity]')[0];
    const entityType = (entity && this.view.annotations.entity(entity)?.type) ?? undefined;
    return {
      ...(total !== null ? { total } : {}),
      loaded: count,
      ...(role ? { itemRole: role } : {}),
      ...(entityType ? { entityType } : {}),
    };
  }

  #route(document: Document): Record<string, unknown> {
    const url = withoutUser(dom.urlOf(document));
    const title = tidy(dom.titleOf(document));
    const bearer = dom.queryAll(document, '[data-uiap-route]')[0];
    const routeId = bearer && this.view.annotations.get(bearer, 'route');
    let path: string | undefined;
    try {
      path = new URL(url).pathname;
    } catch {
      path = undefined;
    }
    return { ...(routeId ? { routeId } : {}), url, ...(path ? { path } : {}), ...(title ? { title } : {}) };
  }

  #focus(document: Document, scopes: ReadonlySet<string>): NonNullable<CaptureOut['focus']> {
    const { focused, identity } = this.view;
    for (const draft of this.#drafts) {
      for (const candidate of draft.found?.candidates ?? []) {
        if (candidate.element !== focused || !candidate.instanceId) continue;
        const scope = candidate.context.scope.id;
        return { documentId: draft.id, instanceId: candidate.instanceId, ...(scopes.has(scope) ? { scopeId: scope } : {}) };
      }
    }
    const owner = focused && dom.ownerDocument(focused);
    return { documentId: identity.document(owner && this.#drafts.some((draft) => draft.document === owner) ? owner : document) };
  }
}

const isModal = (scope: ScopeDraft): boolean =>
  scope.element !== null && (scope.kind === 'dialog' || scope.kind === 'drawer') &&
  (dom.attribute(scope.element, 'aria-modal') === 'true' || dom.matches(scope.element, ':modal'));

function isWithin(scope: ScopeDraft, outer: ScopeDraft): boolean {
  for (let at: ScopeDraft | null = scope; at; at = at.parent) if (at === outer) return true;
  return false;
}

const sameDocument = (a: Element, b: Element): boolean => dom.ownerDocument(a) === dom.ownerDocument(b);

function formOf(scope: ScopeDraft): ScopeDraft | null {
  for (let at: ScopeDraft | null = scope; at; at = at.parent) if (at.kind === 'form') return at;
  return null;
}

function publishedParent(candidate: Candidate): string | undefined {
  for (let at = candidate.context.parent; at; at = at.context.parent) if (at.instanceId) return at.instanceId;
  return undefined;
}

function setSize(list: Element): number | null {
  const item = dom.queryAll(list, '[aria-setsize]')[0];
  const size = item ? Number(dom.attribute(item, 'aria-setsize')) : NaN;
  return Number.isInteger(size) && size >= 0 ? size : null;
}

const EMPTY_IS_NOTHING = new Set(['region', 'navigation', 'toolbar', 'list', 'popover', 'custom']);

/** Areas that hold nothing say nothing, unless somebody declared them. */
function withoutEmpty(scopes: readonly ScopeDraft[], outs: ReadonlyMap<ScopeDraft, ScopeOut>): ScopeOut[] {
  const needed = new Set<string>();
  const kept: ScopeOut[] = [];
  for (const scope of scopes.toReversed()) {
    const out = outs.get(scope);
    if (!out) continue;
    const empty = out.elements.length === 0 && !needed.has(out.id) && out.id.startsWith('~') && EMPTY_IS_NOTHING.has(out.kind);
    if (empty) continue;
    if (out.parentScopeId) needed.add(out.parentScopeId);
    kept.push(out);
  }
  return kept.reverse();
}

/** The wanted scopes with all inside of them; their ancestors stay, empty, so that parents can be followed. */
function selected(scopes: readonly ScopeDraft[], outs: ReadonlyMap<ScopeDraft, ScopeOut>, wanted: ReadonlySet<string>): ScopeOut[] {
  const inside = new Set<ScopeDraft>();
  const needed = new Set<ScopeDraft>();
  for (const scope of scopes) {
    if (wanted.has(scope.id) || (scope.parent && inside.has(scope.parent))) inside.add(scope);
  }
  for (const scope of inside) for (let at: ScopeDraft | null = scope; at; at = at.parent) needed.add(at);
  const kept: ScopeOut[] = [];
  for (const scope of scopes) {
    const out = outs.get(scope);
    if (!out || !needed.has(scope)) continue;
    kept.push(inside.has(scope) ? out : { ...out, elements: [] });
  }
  return kept;
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

function viewport(document: Document): CaptureOut['viewport'] {
  const view = dom.defaultView(document);
  return { width: view?.innerWidth ?? 0, height: view?.innerHeight ?? 0, scrollX: view?.scrollX ?? 0, scrollY: view?.scrollY ?? 0 };
}
