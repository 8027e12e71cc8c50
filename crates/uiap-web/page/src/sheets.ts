// What the style sheets of a page could do at all. Reading a computed style costs more than the rest of a visit together,
// so the rules are read once and only the elements that they could mean are asked for their styles.

import * as dom from './builtins';

/** What a rule may do that changes what is published. */
export const enum Effect {
  Before,
  After,
  Transform,
  Clip,
  Pointer,
}

const EFFECTS = 5;
// Beyond that asking each element is cheaper than matching a list of selectors against all.
const MOST_SELECTORS = 80;
const MOST_RULES = 50_000;

const EVERY: ReadonlySet<string> = new Set('*');

interface Findings {
  readonly rules: number;
  /** Tags that a rule may hide whatever attributes they have; `*` for all. */
  readonly hides: ReadonlySet<string>;
  /** Selectors by effect; null when they cannot be told. */
  readonly selectors: readonly (readonly string[] | null)[];
}

/** What an inline style must mention to have the effect. */
const INLINE: readonly (string | null)[] = [null, null, 'text-transform', 'clip', 'cursor'];

const known = new WeakMap<CSSStyleSheet, Findings>();

/** The elements of some roots that an effect could mean. */
export class Sheets {
  /** Who is meant, by effect; null where that cannot be told beforehand. */
  readonly #bearers: (Set<Element> | null)[] = [];
  readonly #hides = new Set<string>();
  readonly #inline = new Set<Element>();
  /** Rules that each root had when it was read. */
  readonly #rules = new Map<dom.Root, number>();
  /** Selector lists by effect, for each root. */
  readonly #lists = new Map<dom.Root, (string | null)[]>();

  /** Matching each element when it is asked for pays for few elements; matching a root as a whole pays for many. */
  constructor(roots: Iterable<dom.Root>, private readonly oneByOne: boolean) {
    for (let effect = 0; effect < EFFECTS; effect++) this.#bearers.push(new Set());
    for (const root of roots) this.add(root);
  }

  /** Also counts what stands in this root. */
  add(root: dom.Root): void {
    const lists: (string | null)[] = [];
    this.#lists.set(root, lists);
    this.#rules.set(root, countRules(root));
    const { effects, hides } = findings(root);
    for (const tag of hides) this.#hides.add(tag);
    effects.forEach((selectors, effect) => {
      if (!selectors) this.#bearers[effect] = null;
      lists.push(selectors && selectors.length > 0 ? selectors.join(',') : null);
      if (!this.oneByOne) this.#match(effect, root, lists[effect] ?? null);
    });
  }

  /** Looks again at a part that changed: what could be meant before still counts, what can be now is added. */
  rescan(part: Element): void {
    const lists = this.#lists.get(dom.rootNode(part) as dom.Root);
    lists?.forEach((list, effect) => {
      if (!list || this.oneByOne) return;
      this.#match(effect, part, list);
      if (matches(part, list)) this.#bearers[effect]?.add(part);
    });
  }

  /** Whether rules came or went without a mutation. */
  get areStale(): boolean {
    for (const [root, rules] of this.#rules) if (countRules(root) !== rules) return true;
    return false;
  }

  /** Whether a rule may hide an element of that tag that has no attributes. */
  mayHide(tag: string): boolean {
    return this.#hides.size > 0 && (this.#hides.has('*') || this.#hides.has(tag));
  }

  /** Notes an inline style whose effect is inherited. */
  noteInline(element: Element): void {
    if (!dom.attribute(element, 'style')?.includes('text-transform')) return;
    this.#inline.add(element);
    this.#bearers[Effect.Transform]?.add(element);
  }

  /** The same roots, read again. */
  renewed(): Sheets {
    const fresh = new Sheets(this.#rules.keys(), this.oneByOne);
    for (const element of this.#inline) if (dom.isConnected(element)) fresh.noteInline(element);
    return fresh;
  }

  /** Whether the effect could mean the element. */
  mayHave(element: Element, effect: Effect): boolean {
    const bearers = this.#bearers[effect];
    if (!bearers || bearers.has(element)) return true;
    const inline = INLINE[effect];
    if (inline && dom.attribute(element, 'style')?.includes(inline)) return true;
    if (!this.oneByOne) return false;
    const list = this.#lists.get(dom.rootNode(element) as dom.Root)?.[effect];
    return list ? matches(element, list) : false;
  }

  /** Whether the effect, which is inherited, could mean anything at all. */
  isUsed(effect: Effect): boolean {
    const bearers = this.#bearers[effect];
    if (!bearers || bearers.size > 0) return true;
    if (!this.oneByOne) return false;
    for (const lists of this.#lists.values()) if (lists[effect]) return true;
    return false;
  }

  #match(effect: number, root: dom.Root | Element, list: string | null): void {
    const bearers = this.#bearers[effect];
    if (!bearers || !list) return;
    try {
      for (const element of dom.queryAll(root, list)) bearers.add(element);
    } catch {
      this.#bearers[effect] = null;
    }
  }
}

function matches(element: Element, list: string): boolean {
  try {
    return dom.matches(element, list);
  } catch {
    return true;
  }
}

function countRules(root: dom.Root): number {
  let count = 0;
  for (const list of [dom.sheets(root), dom.adopted(root)]) {
    for (const sheet of list) {
      count++;
      try {
        count += sheet.cssRules.length;
      } catch {
        // A sheet of another origin does not show its rules.
      }
    }
  }
  return count;
}

function findings(root: dom.Root): { effects: (string[] | null)[]; hides: ReadonlySet<string> } {
  const all: (string[] | null)[] = Array.from({ length: EFFECTS }, () => []);
  const hidden = new Set<string>();
  for (const list of [dom.sheets(root), dom.adopted(root)]) {
    for (const sheet of list) {
      const { selectors, hides } = read(sheet);
      for (const tag of hides) hidden.add(tag);
      for (let effect = 0; effect < EFFECTS; effect++) {
        const own = selectors[effect] ?? null;
        const sum = all[effect];
        if (!own || !sum || own.length + sum.length > MOST_SELECTORS) all[effect] = null;
        else sum.push(...own);
      }
    }
  }
  return { effects: all, hides: hidden };
}

function read(sheet: CSSStyleSheet): Findings {
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    // A sheet of another origin does not show its rules.
    return { rules: 0, selectors: [], hides: EVERY };
  }
  const before = known.get(sheet);
  if (before && before.rules === rules.length) return before;
  const selectors: (string[] | null)[] = Array.from({ length: EFFECTS }, () => []);
  const hides = new Set<string>();
  collect(rules, selectors, hides, { left: MOST_RULES });
  const found = { rules: rules.length, selectors, hides };
  known.set(sheet, found);
  return found;
}

function collect(rules: CSSRuleList, selectors: (string[] | null)[], hides: Set<string>, budget: { left: number }): void {
  for (const rule of rules) {
    if (budget.left-- <= 0) {
      selectors.fill(null);
      hides.add('*');
      return;
    }
    if ('selectorText' in rule && 'style' in rule) styleRule(rule as CSSStyleRule, selectors, hides);
    const imported = 'styleSheet' in rule ? (rule as CSSImportRule).styleSheet : null;
    if (imported) {
      const inner = read(imported);
      merge(selectors, inner.selectors);
      for (const tag of inner.hides) hides.add(tag);
    } else if ('cssRules' in rule && !('selectorText' in rule)) collect((rule as CSSGroupingRule).cssRules, selectors, hides, budget);
  }
}

function merge(selectors: (string[] | null)[], more: readonly (readonly string[] | null)[]): void {
  for (let effect = 0; effect < EFFECTS; effect++) {
    const own = more[effect];
    const sum = selectors[effect];
    if (!own || !sum) selectors[effect] = null;
    else sum.push(...own);
  }
}

function styleRule(rule: CSSStyleRule, selectors: (string[] | null)[], hides: Set<string>): void {
  // Nested rules speak relative to this one: whatever they set can be anywhere.
  if (rule.cssRules.length > 0) {
    selectors.fill(null);
    hides.add('*');
  }
  const { selectorText, style } = rule;
  if (mayHide(style)) for (const tag of plainSubjects(selectorText)) hides.add(tag);
  // That hides what is in the element, whatever it is.
  if (style.getPropertyValue('content-visibility') !== '') hides.add('*');
  const note = (effect: Effect, selector: string): void => {
    selectors[effect]?.push(selector);
  };
  const content = style.getPropertyValue('content');
  // An empty content may still count.
  const counts = content === '""' && style.cssText.includes('counter-');
  if (content && content !== 'none' && content !== 'normal' && (content !== '""' || counts)) {
    const base = selectorText.replace(/::?(?:before|after)/g, '').replace(/(^|,)\s*(?=,|$)/g, '$1*').replace(/([\s>+~])(?=,|$)/g, '$1*');
    if (/:before/.test(selectorText)) note(Effect.Before, base);
    if (/:after/.test(selectorText)) note(Effect.After, base);
  }
  const transform = style.getPropertyValue('text-transform');
  if (transform && transform !== 'none') note(Effect.Transform, selectorText);
  if (style.getPropertyValue('clip') || style.getPropertyValue('clip-path')) note(Effect.Clip, selectorText);
  if (/pointer|var/.test(style.getPropertyValue('cursor'))) note(Effect.Pointer, selectorText);
}

function mayHide(style: CSSStyleDeclaration): boolean {
  const of = (name: string): string => style.getPropertyValue(name);
  const differs = (name: string, shows: string): boolean => of(name) !== '' && of(name) !== shows;
  return /none|var/.test(of('display')) || differs('visibility', 'visible') || differs('opacity', '1') || of('all') !== '';
}

/** The tags that a list of selectors may mean without a class, an id or another attribute; `*` where it does not name one. */
export function plainSubjects(list: string): string[] {
  // Whatever stands in brackets after a pseudo-class only narrows what is meant, or stands for anything.
  let plain = list;
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/\([^()]*\)/g, '');
  }
  return plain.split(',').flatMap((selector) => {
    const subject = selector.trim().split(/[\s>+~]+/).at(-1) ?? '';
    if (/[.#[]/.test(subject)) return [];
    return [/^[a-z][a-z0-9-]*/i.exec(subject)?.[0].toLowerCase() ?? '*'];
  });
}
