// Text that CSS adds: `content` of ::before and ::after with its alternative, counters, markers of list items.
// Specs: css-content-3 §1.2 (alternative text), css-lists-3 §3 and §4.

import * as dom from './builtins';
import type { Look } from './look';

type Pseudo = '::before' | '::after';

const TOKEN = /"((?:[^"\\]|\\.)*)"|(counters?)\(([^)]*)\)|attr\(([^)]*)\)|(\/)|[^\s"/]+/g;
const COUNTER_REACH = 5_000;

export function generatedText(element: Element, which: Pseudo, look: Look): string {
  const style = look.pseudo(element, which);
  if (!style) return '';
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '' || style.display === 'none' || style.visibility !== 'visible') return '';
  const text = contentText(content, element, which, look);
  return style.display === 'inline' ? text : ` ${text} `;
}

function contentText(content: string, element: Element, which: Pseudo, look: Look): string {
  let text = '';
  let alternative = false;
  for (const [, quoted, counter, name, attribute, slash] of content.matchAll(TOKEN)) {
    if (slash) {
      text = '';
      alternative = true;
    } else if (quoted !== undefined) text += unescape(quoted);
    else if (counter) text += counterValue(name?.split(',')[0]?.trim() ?? '', element, which, look);
    else if (attribute) text += dom.attribute(element, attribute.trim()) ?? '';
  }
  // An alternative stands for a picture, which is not glued to the words beside it.
  return alternative ? ` ${text} ` : text;
}

const unescape = (text: string): string =>
  text.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, char: string | undefined) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : (char ?? ''));

/** Pairs of a counter property such as `cnt 5 other 1`. */
function setting(value: string | undefined, name: string): number | null {
  const parts = (value ?? '').split(' ');
  const at = parts.indexOf(name);
  return at < 0 ? null : Number(parts[at + 1] ?? 0);
}

/** The counter at a pseudo-element: everything before it in its scope is counted, within reach. */
function counterValue(name: string, element: Element, which: Pseudo, look: Look): string {
  let scope: Element = element;
  while (setting(look.style(scope).counterReset, name) === null) {
    const parent = dom.parentNode(scope);
    if (!parent || dom.nodeType(parent) !== dom.ELEMENT) break;
    scope = parent as Element;
  }
  const count = { value: 0 };
  const apply = (style: CSSStyleDeclaration): void => {
    count.value = setting(style.counterReset, name) ?? count.value;
    count.value += setting(style.counterIncrement, name) ?? 0;
    count.value = setting(style.counterSet, name) ?? count.value;
  };
  const applyPseudo = (each: Element, pseudo: Pseudo): void => {
    const style = look.pseudo(each, pseudo);
    if (style && style.content !== 'none' && style.content !== 'normal') apply(style);
  };
  apply(look.style(scope));
  if (scope !== element) applyPseudo(scope, '::before');
  let reach = COUNTER_REACH;
  for (const each of dom.queryAll(scope, '*')) {
    if (scope === element || reach-- === 0) break;
    if (each !== element && !(4 & dom.position(each, element))) break;
    apply(look.style(each));
    if (each === element) break;
    applyPseudo(each, '::before');
    if (!dom.contains(each, element)) applyPseudo(each, '::after');
  }
  applyPseudo(element, '::before');
  if (which === '::after') applyPseudo(element, '::after');
  return String(count.value);
}

const BULLETS: ReadonlyMap<string, string> = new Map([['disc', '\u2022 '], ['circle', '\u25E6 '], ['square', '\u25AA ']]);

/** The marker of a list item; empty for styles that are not counted here. */
export function markerText(item: Element, look: Look): string {
  if (look.display(item) !== 'list-item') return '';
  const content = look.pseudo(item, '::marker')?.content ?? 'normal';
  if (content !== 'normal' && content !== 'none' && content !== '') return contentText(content, item, '::before', look);
  const type = look.style(item).listStyleType;
  const bullet = BULLETS.get(type);
  if (bullet !== undefined) return bullet;
  return type === 'decimal' ? `${ordinal(item)}. ` : '';
}

function ordinal(item: Element): number {
  const list = dom.parentNode(item);
  const start = list && dom.nodeType(list) === dom.ELEMENT ? Number(dom.attribute(list as Element, 'start') ?? 1) : 1;
  let number = (Number.isNaN(start) ? 1 : start) - 1;
  for (let each = list && dom.firstElement(list as Element); each; each = dom.nextElement(each)) {
    if (dom.htmlTag(each) !== 'li') continue;
    const own = dom.attribute(each, 'value');
    number = own === null ? number + 1 : Number(own);
    if (each === item) break;
  }
  return number;
}
