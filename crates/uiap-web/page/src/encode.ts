// How a graph travels: shapes once, then five values for each element. Written as text by hand, because one string crosses
// the border much faster than ten thousand members.

import type { HeadOut } from './contract';
import { each, type Entry } from './entry';
import type { Model } from './model';
import type { Scope } from './scopes';
import type { Page } from './walk';

export interface Selection {
  readonly documents: ReadonlySet<string> | null;
  readonly scopes: ReadonlySet<string> | null;
}

/** The whole graph, and the head that goes with it. */
export function encode(model: Model, head: HeadOut, pages: readonly Page[], scopesOf: (page: Page) => readonly Scope[], selection: Selection, observed: boolean): string {
  const parts: string[] = [JSON.stringify(head).slice(0, -1), ',"shapes":['];
  parts.push(model.shapes.all.map((shape) => shape.json).join(','), '],"documents":[');
  parts.push(pages.map((page) => encodePage(model, page, scopesOf(page), selection, observed)).join(','), ']}');
  return parts.join('');
}

function encodePage(model: Model, page: Page, scopes: readonly Scope[], selection: Selection, observed: boolean): string {
  const head = `{"head":${JSON.stringify(model.pageOut(page, observed))}`;
  if (selection.documents && !selection.documents.has(page.id)) return `${head},"scopes":[]}`;
  const rows = new Map<Scope, string[]>(scopes.map((scope) => [scope, []]));
  if (page.root) each(page.root, (entry) => {
    if (entry.shown && entry.home) rows.get(entry.home)?.push(row(entry));
  });
  const chosen = selection.scopes ? selected(scopes, selection.scopes) : null;
  const outs: string[] = [];
  for (const scope of scopes) {
    const inside = chosen?.get(scope) ?? (chosen ? null : true);
    if (inside === null) continue;
    outs.push(`{"head":${JSON.stringify(model.scopeOut(scope))},"elements":[${inside ? (rows.get(scope) ?? []).join(',') : ''}]}`);
  }
  return `${head},"scopes":[${outs.join(',')}]}`;
}

function row({ shown }: Entry): string {
  if (!shown) return '';
  return `${shown.id.slice(1)},${shown.shape.index},${shown.parent.slice(1) || 0},${shown.name ? JSON.stringify(shown.name) : 0},${shown.extra || 0}`;
}

/** The wanted scopes with all inside of them; their ancestors stay, empty, so that parents can be followed. */
function selected(scopes: readonly Scope[], wanted: ReadonlySet<string>): Map<Scope, boolean> {
  const chosen = new Map<Scope, boolean>();
  const isInside = (scope: Scope): boolean => {
    for (let at: Scope | null = scope; at; at = at.parent) if (wanted.has(at.id)) return true;
    return false;
  };
  for (const scope of scopes) if (isInside(scope)) chosen.set(scope, true);
  for (const scope of [...chosen.keys()]) {
    for (let at = scope.parent; at; at = at.parent) if (!chosen.has(at)) chosen.set(at, false);
  }
  return chosen;
}
