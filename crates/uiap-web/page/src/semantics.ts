// From HTML and ARIA to the roles of the protocol, by the tables of the host.

import * as dom from './builtins';
import type { Vocabulary } from './contract';
import { accessibleRole, explicitRole, isListSelect, isSummary } from './roles';

export interface Meaning {
  readonly role: string;
  readonly source: 'annotation' | 'aria' | 'native' | 'text' | 'heuristic';
}

export const CLICKABLE: Meaning = { role: 'custom', source: 'heuristic' };
export const ANNOTATED: Meaning = { role: 'custom', source: 'annotation' };
export const CONTAINER: Meaning = { role: 'custom', source: 'native' };

const table = (rows: Readonly<Record<string, string>>, source: Meaning['source']): Map<string, Meaning> =>
  new Map(Object.entries(rows).map(([key, role]) => [key, { role, source }]));

// Tags whose meaning depends on more than the tag.
const OPEN = new Set(['a', 'area', 'input', 'select', 'summary']);
const PARTS = new Set(['li', 'tr', 'td', 'th', 'img']);

export class Lexicon {
  readonly #aria: Map<string, Meaning>;
  readonly #tags: Map<string, Meaning>;
  readonly #inputs: Map<string, Meaning>;
  readonly #textbox: Meaning = { role: 'textbox', source: 'native' };
  readonly #link: Meaning = { role: 'link', source: 'native' };
  readonly #combobox: Meaning = { role: 'combobox', source: 'native' };
  readonly #listbox: Meaning = { role: 'listbox', source: 'native' };
  readonly #textarea: Meaning = { role: 'textarea', source: 'native' };

  constructor(readonly vocabulary: Vocabulary) {
    this.#aria = table(vocabulary.aria, 'aria');
    this.#tags = table(vocabulary.tags, 'native');
    this.#inputs = table(vocabulary.inputs, 'native');
  }

  /** The meaning by ARIA, then by HTML; null for what means nothing by itself. */
  meaning(element: Element, tag: string, plain: boolean): Meaning | null {
    if (plain) return this.#plain(element, tag);
    const explicit = explicitRole(element);
    if (explicit === 'none' || (explicit === null && PARTS.has(tag) && accessibleRole(element) === 'none')) return null;
    const byAria = explicit && this.#aria.get(explicit === 'image' ? 'img' : explicit);
    return byAria || this.#native(element, tag);
  }

  #plain(element: Element, tag: string): Meaning | null {
    if (OPEN.has(tag)) return this.#native(element, tag);
    const meaning = this.#tags.get(tag) ?? null;
    if (meaning === null || !dom.isHtml(element)) return null;
    return PARTS.has(tag) && accessibleRole(element) === 'none' ? null : meaning;
  }

  #native(element: Element, tag: string): Meaning | null {
    if (!dom.isHtml(element)) return tag === 'a' && accessibleRole(element) === 'link' ? this.#link : null;
    switch (tag) {
      case 'a':
      case 'area':
        return dom.hasAttribute(element, 'href') ? this.#link : null;
      case 'input': {
        const type = dom.inputType(element as HTMLInputElement);
        return type === 'hidden' ? null : (this.#inputs.get(type) ?? this.#textbox);
      }
      case 'select':
        return isListSelect(element as HTMLSelectElement) ? this.#listbox : this.#combobox;
      case 'summary':
        return isSummary(element) ? (this.#tags.get(tag) ?? null) : null;
      default:
        return isEditingHost(element) ? this.#textarea : (this.#tags.get(tag) ?? null);
    }
  }
}

/** The element where editing begins; what is inside of it is its text. */
export function isEditingHost(element: Element): boolean {
  const editable = dom.attribute(element, 'contenteditable');
  return editable !== null && editable.toLowerCase() !== 'false' && dom.isHtml(element) && dom.isEditable(element as HTMLElement);
}
