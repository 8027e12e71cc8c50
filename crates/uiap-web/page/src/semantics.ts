// From HTML and ARIA to the roles of the protocol, by the tables of the host.

import * as dom from './builtins';
import type { Vocabulary } from './contract';
import { accessibleRole, explicitRole, isListSelect, isSummary } from './roles';

export interface Meaning {
  readonly role: string;
  readonly source: 'annotation' | 'aria' | 'native' | 'heuristic';
}

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The meaning by ARIA, then by HTML; null for what means nothing by itself. */
export function meaningOf(element: Element, vocabulary: Vocabulary): Meaning | null {
  const explicit = dom.hasAttribute(element, 'role') ? explicitRole(element) : null;
  if (explicit === 'none' || (explicit === null && isPart(element) && accessibleRole(element) === 'none')) return null;
  const byAria = explicit && own(vocabulary.aria, explicit === 'image' ? 'img' : explicit);
  if (byAria) return { role: byAria, source: 'aria' };
  const role = native(element, vocabulary);
  return role === undefined ? null : { role, source: 'native' };
}

const PARTS = new Set(['li', 'tr', 'td', 'th', 'img']);
const isPart = (element: Element): boolean => PARTS.has(dom.htmlTag(element));

function native(element: Element, vocabulary: Vocabulary): string | undefined {
  const tag = dom.localName(element);
  if (!dom.isHtml(element)) return tag === 'a' && accessibleRole(element) === 'link' ? 'link' : undefined;
  switch (tag) {
    case 'a':
    case 'area':
      return dom.hasAttribute(element, 'href') ? 'link' : undefined;
    case 'input': {
      const type = dom.inputType(element as HTMLInputElement);
      return type === 'hidden' ? undefined : (own(vocabulary.inputs, type) ?? 'textbox');
    }
    case 'select':
      return isListSelect(element as HTMLSelectElement) ? 'listbox' : 'combobox';
    case 'summary':
      return isSummary(element) ? own(vocabulary.tags, tag) : undefined;
    default:
      return isEditingHost(element) ? 'textarea' : own(vocabulary.tags, tag);
  }
}

/** The element where editing begins; what is inside of it is its text. */
export function isEditingHost(element: Element): boolean {
  const editable = dom.attribute(element, 'contenteditable');
  return editable !== null && editable.toLowerCase() !== 'false' && dom.isHtml(element) && dom.isEditable(element as HTMLElement);
}
