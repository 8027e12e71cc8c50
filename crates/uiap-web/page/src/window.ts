// Who is in the window, and whom a click reaches. Anything may move these without a mutation of its own: an inserted row, a
// scroll, a rule of a style sheet. So everything is looked at again but the items of lists beyond the window, which are found
// by search, not by asking each.

import * as dom from './builtins';
import { type Entry, type Register, Rank } from './entry';
import type { View } from './view';
import { isInside } from './visibility';

// From that many children on, those in the window are searched for.
const LONG = 48;
// From that many on the search begins where it ended the last time.
const VERY_LONG = 1_000;
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
  const near = nearAnchor(entry, view) ?? nearBySearch(entry, view, register);
  if (near) {
    entry.anchor = near[near.length >> 1] ?? null;
    stack.push(...near.reverse());
  } else for (let child = entry.last; child; child = child.prev) stack.push(child);
}

/**
 * The children beside the one that was near the window before, as far as they are; null when it is so no more. After a
 * mutation the browser counts the children of a node from the first one on: to go by index costs as much as the list is long.
 */
function nearAnchor(entry: Entry, view: View): Entry[] | null {
  const { anchor } = entry;
  if (anchor?.parent !== entry || entry.size < VERY_LONG) return null;
  const { height } = view.look.window(entry.element);
  if (placeOf(anchor, height) !== Place.Near) return null;
  const near: Entry[] = [];
  for (let at = anchor.prev; at && placeOf(at, height) !== Place.Above; at = at.prev) near.push(at);
  near.reverse().push(anchor);
  for (let at = anchor.next; at && placeOf(at, height) !== Place.Below; at = at.next) near.push(at);
  return near;
}

const enum Place {
  Above,
  Near,
  Below,
  /** It takes no room, so it tells nothing. */
  Nowhere,
}

function placeOf({ element }: Entry, height: number): Place {
  const { y, width, height: own } = dom.box(element);
  if (width === 0 && own === 0) return Place.Nowhere;
  if (y + own <= -MARGIN) return Place.Above;
  return y > height + MARGIN ? Place.Below : Place.Near;
}

/** The children near the window, found by search; null where they do not follow one another down the page. */
function nearBySearch(entry: Entry, view: View, register: Register): Entry[] | null {
  const children = dom.children(entry.element);
  const { height } = view.look.window(entry.element);
  if (!isDownward(children)) return null;
  const near: Entry[] = [];
  for (let index = firstBelow(children, -MARGIN); index < children.length; index++) {
    const child = children[index];
    if (!child || dom.box(child).y > height + MARGIN) break;
    const known = register.get(child);
    if (known?.parent === entry) near.push(known);
  }
  return near;
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
