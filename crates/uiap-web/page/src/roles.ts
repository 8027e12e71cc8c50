// The accessible role: explicit ARIA where valid, else what HTML means by itself.
// Specs: WAI-ARIA 1.2 §8.1 (role attribute), §9.1 (author errors), §7.1 (presentational conflicts); HTML-AAM 1.0 §3.5.

import * as dom from './builtins';
import { collapse, words } from './text';
import { closest, parentElement, references } from './tree';

// WAI-ARIA 1.2 and 1.3 drafts, abstract roles left out.
const KNOWN = new Set(
  ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment ' +
    'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell ' +
    'group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox ' +
    'menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup ' +
    'rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript ' +
    'suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem')
    .split(' '),
);

// ARIA 1.2 §6.5 global attributes that stop an element from being presentational.
const GLOBAL_ATTRIBUTES =
  ('aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto aria-grabbed ' +
    'aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription')
    .split(' ');

const NATIVE: ReadonlyMap<string, string> = new Map(Object.entries({
  address: 'group', article: 'article', aside: 'complementary', b: 'generic', blockquote: 'blockquote', button: 'button',
  caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term',
  dialog: 'dialog', div: 'generic', dl: 'list', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', html: 'document',
  i: 'generic', ins: 'insertion', li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter',
  nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  s: 'deletion', search: 'search', span: 'generic', strong: 'strong', sub: 'subscript', sup: 'superscript', summary: 'button',
  table: 'table', tbody: 'rowgroup', td: 'cell', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time',
  tr: 'row', ul: 'list', video: 'video', audio: 'audio', canvas: 'canvas',
}));

const INPUTS: ReadonlyMap<string, string> = new Map(Object.entries({
  button: 'button', checkbox: 'checkbox', color: 'textbox', email: 'textbox', file: 'button', image: 'button', number: 'spinbutton',
  radio: 'radio', range: 'slider', reset: 'button', search: 'searchbox', submit: 'button', tel: 'textbox', text: 'textbox', url: 'textbox',
}));

// Sections in which a header or footer belongs to the section and not to the page.
const SECTIONING = new Set(['article', 'aside', 'main', 'nav', 'section']);
const SECTIONING_ROLES = new Set(['article', 'complementary', 'main', 'navigation', 'region']);

// ARIA 1.2: roles that mean nothing without a name.
const NEEDS_NAME = new Set(['form', 'region']);

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['directory', 'list'], ['img', 'image'], ['presentation', 'none'],
]);

/** Roles that take their name from what they contain. ARIA 1.2 §5.2.8.5. */
export const NAME_FROM_CONTENT = new Set(
  ('button cell checkbox columnheader comment gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row ' +
    'rowheader switch tab tooltip treeitem').split(' '),
);

export function isFocusable(element: Element): boolean {
  if (dom.hasAttribute(element, 'tabindex')) return !Number.isNaN(parseInt(dom.attribute(element, 'tabindex') ?? '', 10));
  switch (dom.htmlTag(element)) {
    case 'a':
    case 'area':
      return dom.hasAttribute(element, 'href');
    case 'button':
    case 'select':
    case 'textarea':
      return !isDisabled(element);
    case 'input':
      return !isDisabled(element) && dom.inputType(element as HTMLInputElement) !== 'hidden';
    case 'iframe':
      return true;
    case 'audio':
    case 'video':
      return dom.hasAttribute(element, 'controls');
    case 'summary':
      return isSummary(element);
    default: {
      const editable = dom.attribute(element, 'contenteditable');
      return editable !== null && editable !== 'false';
    }
  }
}

const DISABLES = ':disabled';
const CAN_DISABLE = new Set(['button', 'fieldset', 'input', 'optgroup', 'option', 'select', 'textarea']);
export const isDisabled = (element: Element): boolean =>
  CAN_DISABLE.has(dom.htmlTag(element)) && dom.matches(element, DISABLES);

/** The summary that works: the first one of its details. */
export function isSummary(element: Element): boolean {
  const parent = dom.parentNode(element);
  if (!parent || dom.nodeType(parent) !== dom.ELEMENT || dom.htmlTag(parent as Element) !== 'details') return false;
  for (let child = dom.firstElement(parent as Element); child; child = dom.nextElement(child)) {
    if (dom.htmlTag(child) === 'summary') return child === element;
  }
  return false;
}

/** Whether an author gave it a name that stands without looking at its content. */
export function hasAuthorName(element: Element): boolean {
  if (collapse(dom.attribute(element, 'aria-label') ?? '') !== '') return true;
  if (references(element, words(dom.attribute(element, 'aria-labelledby'))).length > 0) return true;
  return collapse(dom.attribute(element, 'title') ?? '') !== '';
}

/** The first valid token of `role`, in small letters; `none` survives only where nothing forbids it. */
export function explicitRole(element: Element): string | null {
  const attribute = dom.attribute(element, 'role');
  if (!attribute) return null;
  for (const token of words(attribute)) {
    const role = token.toLowerCase();
    if (!KNOWN.has(role)) continue;
    if (NEEDS_NAME.has(role) && !hasAuthorName(element)) continue;
    const plain = SYNONYMS.get(role) ?? role;
    if (plain === 'none' && keepsMeaning(element)) return null;
    return plain;
  }
  return null;
}

const keepsMeaning = (element: Element): boolean =>
  isFocusable(element) || GLOBAL_ATTRIBUTES.some((name) => dom.hasAttribute(element, name));

// Roles are asked for again and again while one look at the page lasts.
const remembered = new Map<Element, string>();
let partsMayBeNone = true;

/** Begins a look: nothing is remembered. Without presentational lists and tables their parts need no look around. */
export function beginRoles(presentational: boolean): void {
  remembered.clear();
  partsMayBeNone = presentational;
}

/** Tags that make their parts presentational when they are. */
export const PRESENTATIONAL = new Set(['table', 'ul', 'ol', 'menu']);

/** The role by explicit ARIA, then by HTML; `generic` for what means nothing. */
export function accessibleRole(element: Element): string {
  let role = remembered.get(element);
  if (role === undefined) {
    role = explicitRole(element) ?? (partsMayBeNone ? inheritedNone(element) : null) ?? nativeRole(element);
    remembered.set(element, role);
  }
  return role;
}

// ARIA 1.2 §5.2.7: parts of a list or table that was made presentational mean nothing either.
const PARTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['li', ['ul', 'ol', 'menu']], ['tr', ['table']], ['td', ['table']], ['th', ['table']],
  ['thead', ['table']], ['tbody', ['table']], ['tfoot', ['table']], ['caption', ['table']],
]);

function inheritedNone(element: Element): string | null {
  const owners = PARTS.get(dom.htmlTag(element));
  if (!owners || keepsMeaning(element)) return null;
  const parent = parentElement(element);
  const owner = parent && (owners.includes(dom.htmlTag(parent)) ? parent
    : dom.htmlTag(element) === 'li' ? null : closest(parent, (each) => dom.htmlTag(each) === 'table'));
  return owner && explicitRole(owner) === 'none' ? 'none' : null;
}

export function nativeRole(element: Element): string {
  if (!dom.isHtml(element)) return svgRole(element);
  const tag = dom.localName(element);
  switch (tag) {
    case 'a':
    case 'area':
      return dom.hasAttribute(element, 'href') ? 'link' : 'generic';
    case 'input':
      return inputRole(element as HTMLInputElement);
    case 'select':
      return isListSelect(element as HTMLSelectElement) ? 'listbox' : 'combobox';
    case 'img':
      return dom.attribute(element, 'alt') === '' && !keepsMeaning(element) ? 'none' : 'image';
    case 'section':
      return hasAuthorName(element) ? 'region' : 'generic';
    case 'form':
      return 'form';
    case 'header':
      return isPageLevel(element) ? 'banner' : 'sectionheader';
    case 'footer':
      return isPageLevel(element) ? 'contentinfo' : 'sectionfooter';
    case 'summary':
      return isSummary(element) ? 'button' : 'generic';
    case 'th':
      return dom.attribute(element, 'scope') === 'row' || dom.attribute(element, 'scope') === 'rowgroup' ? 'rowheader' : 'columnheader';
    default:
      return NATIVE.get(tag) ?? 'generic';
  }
}

const svgRole = (element: Element): string => {
  switch (dom.localName(element)) {
    case 'svg':
      return 'image';
    case 'a':
      return dom.hasAttribute(element, 'href') || dom.hasAttribute(element, 'xlink:href') ? 'link' : 'generic';
    case 'math':
      return 'math';
    default:
      return 'generic';
  }
};

function inputRole(input: HTMLInputElement): string {
  const type = dom.inputType(input);
  const list = dom.hasAttribute(input, 'list');
  if (list && ['email', 'search', 'tel', 'text', 'url'].includes(type)) return 'combobox';
  return INPUTS.get(type) ?? 'textbox';
}

export const isListSelect = (select: HTMLSelectElement): boolean =>
  dom.hasAttribute(select, 'multiple') || dom.selectSize(select) > 1;

function isPageLevel(element: Element): boolean {
  const parent = parentElement(element);
  return !parent || !closest(parent, (each) =>
    SECTIONING.has(dom.htmlTag(each)) || SECTIONING_ROLES.has(explicitRole(each) ?? ''));
}
