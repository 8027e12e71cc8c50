// The whole page at once: walk every document, choose what the budget allows, write it down.

import type { HeadOut, Options } from './contract';
import { encode } from './encode';
import { type Entry, Rank } from './entry';
import type { Identity } from './identity';
import { Model } from './model';
import { isPassage } from './passage';
import type { Lexicon } from './semantics';
import { View } from './view';
import type { Sight } from './visibility';

export function capture(document: Document, lexicon: Lexicon, identity: Identity, options: Options): string {
  const view = new View(lexicon, identity, options);
  const model = new Model(view, document);
  model.build();
  publishAll(model, options.maxElements);
  return write(model, options);
}

/** Publishes what the budget allows, in document order, so that whoever is inside finds the element around it. */
export function publishAll(model: Model, most: number): void {
  const candidates: Entry[] = [];
  model.candidates((entry) => candidates.push(entry));
  choose(model, candidates, most);
  for (const entry of candidates) {
    if (!entry.sight) continue;
    const shown = model.show(entry, entry.sight);
    model.settle(entry, shown);
    entry.blank = !shown;
    if (shown?.cut) model.truncated = true;
  }
  for (const page of model.pages) {
    for (const bearers of page.stable.values()) {
      if (bearers.size < 2) continue;
      for (const entry of bearers) if (entry.sight) entry.shown = model.show(entry, entry.sight);
    }
  }
}

/** Gives a sight to whatever is to be published. */
function choose(model: Model, candidates: readonly Entry[], most: number): void {
  let count = 0;
  const accept = (entry: Entry): void => {
    const { host } = entry.scope.page;
    entry.sight = host && !host.sight ? null : model.sight(entry);
    if (entry.sight) count++;
  };
  if (model.view.options.viewportOnly || candidates.length <= most) {
    for (const entry of candidates) accept(entry);
    if (count > most) rank(model, candidates, most);
    return;
  }
  // What does not fit is not looked at either.
  for (let rank = Rank.Signal; rank < Rank.Never; rank++) {
    for (const entry of candidates) {
      if (entry.rank !== rank) continue;
      if (count < most || !model.truncated) accept(entry);
      if (count <= most) continue;
      entry.sight = null;
      count--;
      model.truncated = true;
    }
  }
  if (model.truncated) model.omitted.elements = candidates.length - count;
}

/** First what is in the topmost modal, then what speaks, then headings and what else is in the window, then what can be operated, then the rest. */
function rank(model: Model, candidates: readonly Entry[], most: number): void {
  const top = model.modals.at(-1);
  const steps: ((entry: Entry, sight: Sight) => boolean)[] = [
    (entry) => top !== undefined && (entry.opens ?? entry.scope).isWithin(top),
    (entry) => entry.rank === Rank.Signal || entry.element === model.view.focused,
    (entry, sight) => sight.inViewport && entry.rank === Rank.Structure && isPassage(entry),
    (entry, sight) => sight.inViewport && entry.rank === Rank.Interactive,
    (_, sight) => sight.inViewport,
    (entry) => entry.rank === Rank.Interactive,
    () => true,
  ];
  const chosen = new Set<Entry>();
  for (const step of steps) {
    for (const entry of candidates) {
      if (chosen.size < most && entry.sight && !chosen.has(entry) && step(entry, entry.sight)) chosen.add(entry);
    }
  }
  for (const entry of candidates) {
    if (!entry.sight || chosen.has(entry)) continue;
    entry.sight = null;
    model.omitted.elements++;
  }
  model.truncated = true;
}

function write(model: Model, options: Options): string {
  const pages = model.shownPages();
  const scopes = new Map(pages.map((page) => [page, model.shownScopes(page)]));
  const head = headOf(model, new Set([...scopes.values()].flat()));
  return encode(model, head, pages, (page) => scopes.get(page) ?? [], {
    documents: options.documents ? new Set(options.documents) : null,
    scopes: options.scopes ? new Set(options.scopes) : null,
  }, false);
}

export function headOf(model: Model, scopes: ReadonlySet<import('./scopes').Scope>): HeadOut {
  const { view, document, omitted } = model;
  const locale = model.locale();
  const success: Record<string, string> = {};
  model.candidates(({ shown }) => {
    if (shown?.success) success[shown.id] = shown.success;
  });
  const { width, height, scrollX, scrollY } = view.look.windowOf(document);
  return {
    route: model.route(),
    viewport: { width, height, scrollX, scrollY },
    ...(locale ? { locale } : {}),
    modalStack: model.modals.filter((modal) => scopes.has(modal)).map((modal) => modal.id),
    focus: model.focus(model.shownPages(), scopes),
    truncated: model.truncated,
    ...(model.truncated ? { omitted } : {}),
    success,
    warnings: model.warnings(),
    nextId: view.identity.next,
  };
}
