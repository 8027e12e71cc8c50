// What changed, as operations of the protocol.

import type { Op } from './contract';
import { each, type Entry, type Told } from './entry';
import type { Model } from './model';
import type { Scope } from './scopes';
import { expand, isSame, patchOf, type Shown } from './shape';
import type { Update } from './update';
import type { Page } from './walk';

/** Turns what changed into operations, in an order in which each finds what it needs. */
export class Operations {
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
