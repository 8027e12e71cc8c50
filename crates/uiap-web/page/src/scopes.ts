// Areas of a page: what opens one, how it is called, what it holds.

import type { Annotations } from './annotations';
import * as dom from './builtins';
import { Entry, Flag, Item } from './entry';
import { accessibleRole, hasAuthorName } from './roles';
import type { View } from './view';
import type { Page } from './walk';

export class Scope {
  id = '';
  name = '';
  /** Whether it is published, if it is not empty. */
  kept = true;
  /** The entry of the element that opens it; the root's entry for the scope of a document. */
  entry: Entry | null = null;
  readonly items = { counted: 0, headers: 0, role: '' };
  /** Published elements that stand in it. */
  count = 0;
  readonly issues = new Set<Entry>();
  readonly submits = new Set<Entry>();
  /** The id under which its elements were told. */
  toldId = '';
  /** It left the page. */
  gone = false;

  constructor(
    readonly page: Page,
    readonly element: Element | null,
    public kind: string,
    readonly role: string | null,
    readonly parent: Scope | null,
  ) {}

  /** The scope of a whole document. */
  get isPage(): boolean {
    return this.parent === null;
  }

  /** Counts what a collection holds; a row counts for the table even from within a nested area. */
  countItem(role: string, item: Item, by: 1 | -1): void {
    this.items.role ||= role;
    if (item === Item.Header) this.items.headers += by;
    else if (item === Item.Counted) this.items.counted += by;
    if (this.items.counted + this.items.headers === 0) this.items.role = '';
  }

  /** Whether it lies within another, or is it. */
  isWithin(outer: Scope): boolean {
    for (let at: Scope | null = this; at; at = at.parent) if (at === outer) return true;
    return false;
  }

  /** The nearest scope around an element that is published. */
  get home(): Scope {
    let at: Scope = this;
    while (!at.kept && at.parent) at = at.parent;
    return at;
  }

  /** The form around, or the scope itself when it is one. */
  get form(): Scope | null {
    for (let at: Scope | null = this; at; at = at.parent) if (at.kind === 'form') return at;
    return null;
  }

  get isModal(): boolean {
    return this.element !== null && (this.kind === 'dialog' || this.kind === 'drawer') &&
      (dom.attribute(this.element, 'aria-modal') === 'true' || dom.matches(this.element, ':modal'));
  }
}

const BY_ROLE: ReadonlyMap<string, string> = new Map([
  ['dialog', 'dialog'], ['drawer', 'drawer'], ['menu', 'menu'], ['popover', 'popover'], ['tabpanel', 'tabpanel'], ['toolbar', 'toolbar'],
  ['form', 'form'], ['table', 'table'], ['grid', 'table'], ['list', 'list'], ['tree', 'list'],
]);

// Inside of these a list is only how links and commands are laid out.
const SWALLOWS_LISTS = new Set(['navigation', 'menu', 'toolbar']);

/** The kind of scope that an element opens, or null. */
export function scopeKind(element: Element, plain: boolean, role: string | null, around: Scope, annotations: Annotations): string | null {
  if (plain) return role === null ? null : byRole(element, role, around);
  const declared = annotations.has(element) ? annotations.scope(element) : null;
  const own = ownKind(element, role, around);
  if (declared) return declared.kind ?? own ?? 'custom';
  return own;
}

function ownKind(element: Element, role: string | null, around: Scope): string | null {
  if (dom.hasAttribute(element, 'popover')) return role === 'menu' ? 'menu' : role === 'dialog' ? 'dialog' : 'popover';
  return role === null ? null : byRole(element, role, around);
}

function byRole(element: Element, role: string, around: Scope): string | null {
  if (role === 'region') return regionKind(element);
  const kind = BY_ROLE.get(role) ?? null;
  return kind === 'list' && SWALLOWS_LISTS.has(around.kind) ? null : kind;
}

function regionKind(element: Element): string | null {
  switch (accessibleRole(element)) {
    case 'navigation':
      return 'navigation';
    case 'banner':
    case 'contentinfo':
    case 'complementary':
    case 'main':
    case 'region':
    case 'search':
    case 'article':
      return 'region';
    default:
      return hasAuthorName(element) ? 'region' : null;
  }
}

/** The part of a generated id that comes from a name. */
export function slug(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 40).toWellFormed();
}

/** Gives a scope its name, its final kind and whether it shows. */
export function describeScope(scope: Scope, view: View): void {
  const { element } = scope;
  if (!element || scope.isPage) {
    scope.name = scope.page.title;
    return;
  }
  scope.name = view.annotations.get(element, 'name') || view.names.name(element);
  if (scope.kind === 'dialog' && isDrawer(element, view)) scope.kind = 'drawer';
  const ariaHidden = ((scope.entry?.flags ?? 0) & Flag.AriaHidden) !== 0;
  scope.kept = view.options.includeHidden || (view.look.isRendered(element) && !ariaHidden);
}

// A dialog along one edge, as high as the window and not as wide.
function isDrawer(element: Element, view: View): boolean {
  const { look, annotations } = view;
  if (annotations.get(element, 'scope-kind') !== null || !look.isRendered(element) || look.style(element).position !== 'fixed') return false;
  const window = look.window(element);
  const { left, right, top, bottom, width } = dom.box(element);
  if (width > window.width * 0.6 || top > 1 || bottom < window.height - 1) return false;
  return (left <= 1) !== (right >= window.width - 1);
}

/** Gives every scope its id: those that have one keep it, then the others get theirs in document order. */
export function nameScopes(scopes: readonly Scope[], view: View): void {
  const taken = new Set<string>();
  const waiting: [Scope, Element | Document][] = [];
  for (const scope of scopes) {
    const node = scope.element ?? scope.page.document;
    if (!node) continue;
    const declared = scope.isPage ? null : view.annotations.scope(node as Element);
    const known = declared ? declared.id : view.identity.scopeOf(node);
    if (known !== undefined && !taken.has(known)) {
      scope.id = known;
      taken.add(known);
    } else waiting.push([scope, node]);
    if (declared && known !== undefined && scope.id !== known) view.annotations.warn(`scope id \`${declared.id}\` is used twice`);
  }
  for (const [scope, node] of waiting) {
    const base = `~${scope.kind}${!scope.isPage && scope.name ? `:${slug(scope.name)}` : ''}`;
    scope.id = view.identity.scope(node, base, taken);
    taken.add(scope.id);
  }
}

/** The open modals from bottom to top. */
export function modalsOf(scopes: Iterable<Scope>, view: View): Scope[] {
  const modals: [Scope, number][] = [];
  for (const scope of scopes) {
    const { element } = scope;
    if (!element || (scope.kind !== 'dialog' && scope.kind !== 'drawer')) continue;
    if (scope.kept && scope.isModal) modals.push([scope, view.identity.modal(element)]);
    else view.identity.forgetModal(element);
  }
  return modals.sort((a, b) => a[1] - b[1]).map(([scope]) => scope);
}
