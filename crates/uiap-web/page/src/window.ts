// Who is in the window, and whom a click reaches. Anything may move these without a mutation of its own: an inserted row, a
// scroll, a rule of a style sheet. So everything is looked at again but the items of lists beyond the window, which are found
// by search, not by asking each.

import * as dom from './builtins';
import { type Entry, type Register, Rank } from './entry';
import type { View } from './view';
import { isInside } from './visibility';

// From that many children on, those in the window are searched for.
const LONG = 48;
// Items may stand beside one another, or overlap a little.
const MARGIN = 200;

/**
 * Calls for every candidate that may be in the window or is not an item of a list beyond it. Returns custom elements that got
 * a shadow root since they were visited, which nothing tells.
 */
export function nearWindow(top: Entry, view: View, register: Register, visit: (entry: Entry) => void): Entry[] {
  const stack: Entry[] = [top];
  const hosts: Entry[] = [];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    if (entry.closed || isBeyond(entry, view)) continue;
    const shadow = entry.custom ? dom.shadowRoot(entry.element) : null;
    if (shadow && !view.roots.has(shadow)) hosts.push(entry);
    if (entry.rank !== Rank.Never) visit(entry);
    if (entry.size > LONG && !dom.shadowRoot(entry.element)) shownChildren(entry, view, register, stack);
    else for (let child = entry.last; child; child = child.prev) stack.push(child);
  }
  return hosts;
}

/** Whether it is an item that lies outside of the window as a whole. */
function isBeyond(entry: Entry, view: View): boolean {
  if (!entry.item) return false;
  const box = dom.box(entry.element);
  return box.width > 0 && box.height > 0 && !isInside(box, view.look.window(entry.element));
}

function shownChildren(entry: Entry, view: View, register: Register, stack: Entry[]): void {
  const children = dom.children(entry.element);
  const { height } = view.look.window(entry.element);
  const push = (child: Element | undefined): void => {
    const known = child && register.get(child);
    if (known?.parent === entry) stack.push(known);
  };
  if (!isDownward(children)) {
    for (const child of children) push(child);
    return;
  }
  for (let index = firstBelow(children, -MARGIN); index < children.length; index++) {
    const child = children[index];
    if (!child || dom.box(child).y > height + MARGIN) break;
    push(child);
  }
}

const SAMPLES = 16;

/** Whether children follow one another down the page, as far as some of them tell. */
function isDownward(children: HTMLCollection): boolean {
  let before = -Infinity;
  for (let sample = 0; sample <= SAMPLES; sample++) {
    const child = children[Math.floor(((children.length - 1) * sample) / SAMPLES)];
    const box = child && dom.box(child);
    if (!box || (box.width === 0 && box.height === 0) || box.y < before) return false;
    before = box.y;
  }
  return true;
}

/** The first child that ends below a line. */
export function firstBelow(children: HTMLCollection, line: number): number {
  let low = 0;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const child = children[middle];
    const box = child && dom.box(child);
    if (box && box.y + box.height <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
