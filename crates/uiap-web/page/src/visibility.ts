// What a person can see and reach: rendering, size, clipping, viewport, and what lies on top.

import * as dom from './builtins';
import type { Rect } from './contract';
import type { Look, Window2D } from './look';
import type { Relations } from './relations';
import { Effect } from './sheets';
import { closest, parentElement } from './tree';

export interface Sight {
  readonly visible: boolean;
  readonly box: Box;
  readonly inViewport: boolean;
  /** What stands for it on the screen: the element itself, or the label of a control that is drawn by its label. */
  readonly shown: Element;
}

type Box = Rect;

const NOTHING: Box = { x: 0, y: 0, width: 0, height: 0 };
const DRAWN_BY_LABEL = new Set(['checkbox', 'radio', 'file']);
const CHILDREN_TRIED = 8;

export function sightOf(element: Element, look: Look, relations: Relations): Sight {
  const own = sightOfBox(element, element, look);
  if (own.visible || dom.htmlTag(element) !== 'input' || !DRAWN_BY_LABEL.has(dom.inputType(element as HTMLInputElement))) return own;
  if (look.display(element) === 'none' && dom.inputType(element as HTMLInputElement) !== 'file') return own;
  for (const label of relations.labels(element)) {
    const drawn = sightOfBox(label, label, look);
    if (drawn.visible) return drawn;
  }
  return own;
}

function sightOfBox(element: Element, shown: Element, look: Look): Sight {
  if (!look.isSeen(element)) return { visible: false, box: dom.box(element), inViewport: false, shown };
  const box = extent(element);
  const window = look.window(element);
  if (box.width <= 0 || box.height <= 0 || isClipped(element, box, look) || isOutOfReach(element, box, window)) {
    return { visible: false, box, inViewport: false, shown };
  }
  return { visible: true, box, inViewport: isInside(box, window), shown };
}

/** Whether a box shows in the window. */
export const isInside = (box: Box, window: Window2D): boolean =>
  box.x < window.width && box.y < window.height && box.x + box.width > 0 && box.y + box.height > 0;

/** Its box, or that of a child where it has none itself: a link around a floated picture, `display: contents`. */
function extent(element: Element): Box {
  const own = dom.box(element);
  if (own.width > 0 && own.height > 0) return own;
  let tried = 0;
  for (let child = dom.firstElement(element); child && tried < CHILDREN_TRIED; child = dom.nextElement(child), tried++) {
    const inner = dom.box(child);
    if (inner.width > 0 && inner.height > 0) return inner;
  }
  return own.width === 0 && own.height === 0 && dom.htmlTag(element) === 'area' ? areaBox(element) : own;
}

function areaBox(area: Element): Box {
  const map = closest(area, (each) => dom.htmlTag(each) === 'map');
  const name = map && dom.attribute(map, 'name');
  if (!name) return NOTHING;
  for (const image of dom.queryAll(dom.rootNode(area) as dom.Root, 'img[usemap]')) {
    if (dom.attribute(image, 'usemap') === `#${name}`) return dom.box(image);
  }
  return NOTHING;
}

// The usual ways to hide from sight and not from screen readers.
function isClipped(element: Element, box: Box, look: Look): boolean {
  if (box.width <= 1 && box.height <= 1 && look.style(element).overflow !== 'visible') return true;
  if (!look.sheets.mayHave(element, Effect.Clip)) return false;
  const style = look.style(element);
  if (style.clip !== 'auto' && /^rect\((?:0px|1px)(?:,? (?:0px|1px)){3}\)$/.test(style.clip)) return true;
  return /^inset\((?:50%|100%)/.test(style.clipPath);
}

/** Whether it lies left of or above the start of the page, where nobody can scroll to. What was scrolled away within the page comes back. */
function isOutOfReach(element: Element, box: Box, view: Window2D): boolean {
  let right = box.x + box.width + view.scrollX;
  let bottom = box.y + box.height + view.scrollY;
  if (right > 0 && bottom > 0) return false;
  for (let at = parentElement(element); at && parentElement(at); at = parentElement(at)) {
    right += at.scrollLeft;
    bottom += at.scrollTop;
  }
  return right <= 0 || bottom <= 0;
}

/** Whether a click in its middle reaches it. */
export function receivesEvents(element: Element, sight: Sight, look: Look): boolean {
  const document = dom.ownerDocument(element);
  if (!document) return false;
  return points(sight.shown, sight.box, look.window(element)).some(([x, y]) => {
    const hit = deepest(document, x, y);
    return hit !== null && (belongs(hit, sight.shown) || belongs(hit, element));
  });
}

const belongs = (hit: Element, element: Element): boolean =>
  dom.contains(element, hit) || (dom.rootNode(hit) !== dom.rootNode(element) && closest(hit, (each) => each === element) !== null);

function deepest(document: Document, x: number, y: number): Element | null {
  let hit = dom.atPoint(document, x, y);
  for (let shadow = hit && dom.shadowRoot(hit); hit && shadow; shadow = dom.shadowRoot(hit)) {
    const inner: Element | null = dom.atPoint(shadow, x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** Its middle within the viewport; for text that wraps also the middle of the first line. */
function points(element: Element, box: Box, window: Window2D): [number, number][] {
  const { width, height } = window;
  const middle = (left: number, top: number, right: number, bottom: number): [number, number] => [
    (Math.max(left, 0) + Math.min(right, width)) / 2,
    (Math.max(top, 0) + Math.min(bottom, height)) / 2,
  ];
  const all = [middle(box.x, box.y, box.x + box.width, box.y + box.height)];
  const lines = dom.boxes(element);
  const first = lines.length > 1 ? lines[0] : undefined;
  if (first) all.push(middle(first.left, first.top, first.right, first.bottom));
  return all;
}

const round = (value: number): number => Math.round(value * 100) / 100;
/** A box as it is published. */
export const rect = (box: Box): Rect => ({ x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) });
