// Long collections under a budget: the first and last items, those in the window, the one that has the keyboard and whatever
// lies on top stand for all.
// What it costs follows the window, not the length of the list.

import * as dom from './builtins';
import type { Entry } from './entry';
import type { View } from './view';
import { firstBelow } from './window';

export interface Sample {
  readonly entry: Entry;
  readonly elements: Element[];
  readonly all: number;
}

// Shorter lists are walked as they are.
const LONG = 40;
const FIRST = 5;
const LAST = 3;
const MOST_IN_WINDOW = 60;
// In the middle dialogs are found, at the edges toasts and banners.
const POINTS = [[0.5, 0.5], [0.5, 0.04], [0.96, 0.04], [0.5, 0.96], [0.96, 0.96]] as const;

/** The children of an element that are looked at; null when all are. */
export function sampleOf(entry: Entry, view: View): Sample | null {
  const { element } = entry;
  const children = dom.children(element);
  const all = children.length;
  if (all <= LONG) return null;
  const window = view.look.window(element);
  const indexes = new Set<number>();
  for (let index = 0; index < FIRST; index++) indexes.add(index);
  for (let index = all - LAST; index < all; index++) indexes.add(index);
  const start = firstBelow(children, 0);
  for (let index = Math.max(0, start - 1); index < Math.min(all, start + MOST_IN_WINDOW); index++) {
    const child = children[index];
    if (!child || dom.box(child).y > window.height) break;
    indexes.add(index);
  }
  const elements: Element[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const child = children[index];
    if (child) elements.push(child);
  }
  for (const wanted of view.landmarks) {
    const holder = childWith(element, wanted);
    if (holder && !elements.includes(holder)) place(elements, holder);
  }
  return { entry, elements, all };
}

/** Puts an element where it belongs; to compare siblings costs as much as they are apart. */
function place(elements: Element[], element: Element): void {
  const at = elements.findIndex((each) => (4 & dom.position(element, each)) !== 0);
  elements.splice(at < 0 ? elements.length : at, 0, element);
}

/** What has the keyboard, and what lies on top at some points of the window: a dialog or a toast may stand anywhere in the tree. */
export function landmarksOf(document: Document, focused: Element | null, view: View): Element[] {
  const { width, height } = view.look.windowOf(document);
  const found = new Set<Element>(focused ? [focused] : []);
  for (const [x, y] of POINTS) {
    const hit = dom.atPoint(document, width * x, height * y);
    if (hit) found.add(hit);
  }
  return [...found];
}

function childWith(ancestor: Element, node: Element): Element | null {
  for (let at: Node | null = node; at; at = dom.parentNode(at)) if (dom.parentNode(at) === ancestor) return at as Element;
  return null;
}
