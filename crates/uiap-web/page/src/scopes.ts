// Areas of a page: what opens one, and how it is called.

import type { Annotations } from './annotations';
import * as dom from './builtins';
import { hasAuthorName } from './roles';
import { accessibleRole } from './roles';
import type { Context } from './walk';

export class ScopeDraft {
  id = '';
  name = '';
  readonly items = { count: 0, headers: 0, role: '' };

  constructor(
    readonly element: Element | null,
    public kind: string,
    readonly role: string | null,
    readonly parent: ScopeDraft | null,
    readonly context: Context | null,
  ) {}

  /** Counts what a collection holds; a row counts for the table even from within a nested area. */
  countItem(role: string, header: boolean): void {
    this.items.role ||= role;
    if (header) this.items.headers++;
    else this.items.count++;
  }
}

const BY_ROLE: ReadonlyMap<string, string> = new Map([
  ['dialog', 'dialog'], ['drawer', 'drawer'], ['menu', 'menu'], ['popover', 'popover'], ['tabpanel', 'tabpanel'], ['toolbar', 'toolbar'],
  ['form', 'form'], ['table', 'table'], ['grid', 'table'], ['list', 'list'], ['tree', 'list'],
]);

// Inside of these a list is only how links and commands are laid out.
const SWALLOWS_LISTS = new Set(['navigation', 'menu', 'toolbar']);

export const isListScope = (scope: ScopeDraft): boolean => scope.kind === 'list';

/** The kind of scope that an element opens, or null. */
export function scopeKind(element: Element, role: string | null, around: ScopeDraft, annotations: Annotations): string | null {
  const declared = annotations.has(element) ? annotations.scope(element) : null;
  const own = ownKind(element, role, around);
  if (declared) return declared.kind ?? own ?? 'custom';
  return own;
}

function ownKind(element: Element, role: string | null, around: ScopeDraft): string | null {
  if (dom.hasAttribute(element, 'popover')) return role === 'menu' ? 'menu' : role === 'dialog' ? 'dialog' : 'popover';
  if (role === null) return null;
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
      return 'region';
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
