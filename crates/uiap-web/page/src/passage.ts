// Plain text of a page. A block is one passage: its own words and those of what is set inline in it. Text that an element says
// already, by its name or its value, is no passage.

import * as dom from './builtins';
import { type Entry, Flag, Length, Rank } from './entry';
import { generatedText } from './generated';
import type { Meaning } from './semantics';
import { NAME_LIMIT, tidy, window } from './text';
import { assignedTo } from './tree';
import type { View } from './view';

const PASSAGE: Meaning = { role: 'label', source: 'text' };

/** Longer passages are cut. */
const LIMIT = 1_000;

const INLINE = new Set(('a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rp rt ruby s samp slot small span ' +
  'strike strong sub sup time tt u var wbr').split(' '));

// What stands directly in these is not shown, or names what is around it.
const WORDLESS = new Set('html table thead tbody tfoot tr colgroup ul ol menu dl legend caption optgroup hr frameset'.split(' '));

const WORD = /[\p{L}\p{N}\p{So}]/u;

// Roles that say nothing of what is in them.
const MUTE = new Set(['group', 'tablist', 'grid', 'listbox', 'image', 'video', 'audio', 'canvas', 'progress', 'spinner']);
const SPEAKING = new Set(['status', 'alert', 'toast', 'textarea', 'textbox']);
const CONTROLS = new Set(['button', 'link', 'tab', 'menuitem', 'option', 'treeitem', 'checkbox', 'radio', 'switch', 'combobox']);

// Nodes of one block that are looked at, and how deep words are looked for in what is set inline.
const MOST_NODES = 1_000;
const DEEPEST = 12;

export const isInline = (tag: string): boolean => INLINE.has(tag);

export const isPassage = (entry: Entry): boolean => entry.meaning === PASSAGE;

/** Takes an element that is nothing else for a passage, where it may have words of its own. Never the other way round. */
export function judge(entry: Entry, tag: string, view: View): void {
  if (entry.rank !== Rank.Never || entry.closed || entry.boundary || INLINE.has(tag) || WORDLESS.has(tag)) return;
  if (!mayHaveWords(entry.element, { left: MOST_NODES }, 0)) return;
  const sayer = entry.flags & Flag.Said ? sayerOf(entry) : null;
  if (sayer && !isLong(sayer, view)) return;
  entry.meaning = PASSAGE;
  entry.rank = headingLevel(entry.element) ? Rank.Structure : Rank.Detail;
}

/** Whether what is in the element is told by it. */
export function says({ element, meaning, rank, boundary }: Entry): boolean {
  if (rank === Rank.Never || !meaning || meaning === PASSAGE || boundary || MUTE.has(meaning.role)) return false;
  return CONTROLS.has(meaning.role) || SPEAKING.has(meaning.role) || !dom.hasAttributes(element) || !isNamed(element);
}

const isNamed = (element: Element): boolean =>
  dom.hasAttribute(element, 'aria-label') || dom.hasAttribute(element, 'aria-labelledby') || dom.hasAttribute(element, 'data-uiap-name');

function sayerOf(entry: Entry): Entry | null {
  for (let at = entry.parent; at; at = at.parent) if (says(at)) return at;
  return null;
}

/** Whether an element has more to say than its name or value can hold, so that its blocks speak for themselves. */
function isLong(sayer: Entry, view: View): boolean {
  if (sayer.length === Length.Unknown) sayer.length = measure(sayer, view);
  return sayer.length === Length.Long;
}

/** Whether an element whose length was asked for has another one now. */
export const changedLength = (entry: Entry, view: View): boolean => entry.length !== Length.Unknown && measure(entry, view) !== entry.length;

function measure({ element, meaning }: Entry, view: View): Length {
  const limit = SPEAKING.has(meaning?.role ?? '') ? view.options.maxText : NAME_LIMIT;
  let length = 0;
  let left = MOST_NODES;
  let at: Node | null = element;
  while (at && left-- > 0) {
    if (dom.nodeType(at) === dom.TEXT) {
      const words = window(dom.nodeValue(at) ?? '').trim().length;
      if (words > 0) length += words + 1;
      if (length > limit + 1) return Length.Long;
    }
    const first: Node | null = dom.firstChild(at);
    if (first) {
      at = first;
      continue;
    }
    while (at && at !== element && !dom.nextSibling(at)) at = dom.parentNode(at);
    at = at && at !== element ? dom.nextSibling(at) : null;
  }
  return Length.Short;
}

/** The level of a heading; 0 for anything else. */
export function headingLevel(element: Element): number {
  const tag = dom.htmlTag(element);
  const role = dom.attribute(element, 'role');
  if (role !== null ? role !== 'heading' : !/^h[1-6]$/.test(tag)) return 0;
  const level = parseInt(dom.attribute(element, 'aria-level') ?? '', 10);
  return level > 0 ? level : /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

/** Calls for the nodes that an element shows, as long as it is answered with true. */
function children(element: Element, visit: (node: Node) => boolean): void {
  const assigned = assignedTo(element);
  if (assigned) {
    assigned.every(visit);
    return;
  }
  for (let node = dom.firstChild(dom.shadowRoot(element) ?? element); node; node = dom.nextSibling(node)) if (!visit(node)) return;
}

function mayHaveWords(element: Element, budget: { left: number }, depth: number): boolean {
  let found = false;
  children(element, (node) => {
    const type = dom.nodeType(node);
    if (type === dom.TEXT) found = WORD.test(window(dom.nodeValue(node) ?? ''));
    else if (type === dom.ELEMENT && depth < DEEPEST && INLINE.has(dom.localName(node as Element))) found = mayHaveWords(node as Element, budget, depth + 1);
    return !found && budget.left-- > 0;
  });
  return found;
}

interface Text {
  text: string;
  /** Whether there are words beyond those of links. */
  own: boolean;
  left: number;
}

/** What a passage says; empty when it has no words of its own. */
export function passageOf(entry: Entry, view: View): string {
  const { element } = entry;
  if (dom.htmlTag(element) === 'label' && dom.labelControl(element as HTMLLabelElement)) return '';
  if (view.secrets.isSecret(element)) return '';
  const out: Text = { text: '', own: false, left: MOST_NODES };
  gather(entry, view, out, 0);
  return out.own ? tidy(out.text, LIMIT) : '';
}

function gather(entry: Entry, view: View, out: Text, depth: number): void {
  const { element } = entry;
  const say = (text: string): void => {
    out.text += text;
    out.own ||= WORD.test(text);
  };
  say(generatedText(element, '::before', view.look));
  let at = entry.first;
  children(element, (node) => {
    const type = dom.nodeType(node);
    if (type === dom.TEXT) say(view.names.shown(node, element));
    else if (type === dom.ELEMENT) {
      // Entries stand in the order of their elements.
      const known = view.register ? view.register.get(node as Element) : at?.element === node ? at : undefined;
      const child = known?.parent === entry ? known : null;
      if (child) at = child.next;
      inner(node as Element, child, view, out, depth);
    }
    return out.left-- > 0 && out.text.length <= 4 * LIMIT;
  });
  say(generatedText(element, '::after', view.look));
}

function inner(element: Element, entry: Entry | null, view: View, out: Text, depth: number): void {
  if (!entry || !INLINE.has(dom.localName(element))) {
    out.text += ' ';
    return;
  }
  if (entry.closed || entry.flags & Flag.AriaHidden || (!view.options.includeHidden && !view.look.isSeen(element))) return;
  if (entry.rank === Rank.Never && !entry.opens) {
    if (depth < DEEPEST && !view.secrets.isSecret(element)) gather(entry, view, out, depth + 1);
  } else if (entry.meaning?.role === 'link') out.text += view.names.name(element);
  else out.text += ' ';
}
