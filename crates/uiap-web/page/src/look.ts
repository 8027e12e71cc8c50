// What the layout says: computed styles and rendering, remembered for the length of one look at the page.

import * as dom from './builtins';
import type { Sheets } from './sheets';
import { Effect } from './sheets';
import { closest, parentElement } from './tree';

const RENDERED: CheckVisibilityOptions = { visibilityProperty: true };
const SEEN: CheckVisibilityOptions = { visibilityProperty: true, opacityProperty: true };

// What the browser itself shows wherever it stands.
const SHOWN = new Set('tr td th tbody thead tfoot div span p li ul ol b i em strong small code a button h1 h2 h3 h4 h5 h6 section label'.split(' '));

const NOTHING: ReadonlySet<Element> = new Set();

export interface Window2D {
  readonly width: number;
  readonly height: number;
  readonly scrollX: number;
  readonly scrollY: number;
}

const NO_WINDOW: Window2D = { width: 0, height: 0, scrollX: 0, scrollY: 0 };

export class Look {
  readonly #styles = new Map<Element, CSSStyleDeclaration>();
  readonly #rendered = new Map<Element, boolean>();
  readonly #seen = new Set<Element>();
  readonly #displays = new Map<Element, string>();
  readonly #animations = new Map<Document, Set<Element>>();
  readonly #windows = new Map<Document, Window2D>();
  #asWritten: boolean | undefined;

  constructor(readonly sheets: Sheets) {}

  /** Whether some text may be shown in other letters than it is written in. */
  get mayTransform(): boolean {
    return this.sheets.isUsed(Effect.Transform);
  }

  /** Whether every text shows as it is written, with nothing before or after it. */
  get isAsWritten(): boolean {
    return (this.#asWritten ??= !this.mayTransform && !this.sheets.isUsed(Effect.Before) && !this.sheets.isUsed(Effect.After));
  }

  style(element: Element): CSSStyleDeclaration {
    let style = this.#styles.get(element);
    if (!style) {
      style = dom.computedStyle(element);
      this.#styles.set(element, style);
    }
    return style;
  }

  /** The style of generated content, or null where no style sheet gives it any. */
  pseudo(element: Element, which: '::before' | '::after' | '::marker'): CSSStyleDeclaration | null {
    const effect = which === '::before' ? Effect.Before : Effect.After;
    if (which !== '::marker' && !this.sheets.mayHave(element, effect) && dom.localName(element) !== 'q') return null;
    return dom.computedStyle(element, which);
  }

  display(element: Element): string {
    let display = this.#displays.get(element);
    if (display === undefined) {
      display = this.style(element).display;
      this.#displays.set(element, display);
    }
    return display;
  }

  /** Whether it has a box that is not hidden by itself or an ancestor. Opacity does not count. */
  isRendered(element: Element): boolean {
    if (this.#seen.has(element)) return true;
    let rendered = this.#rendered.get(element);
    if (rendered === undefined) {
      rendered = dom.checkVisibility(element, RENDERED) || this.#rendersWithoutBox(element, RENDERED);
      this.#rendered.set(element, rendered);
    }
    return rendered;
  }

  /** Whether a person can see it, as far as styles say. What is just fading in counts. */
  isSeen(element: Element): boolean {
    if (this.#seen.has(element)) return true;
    const seen = dom.checkVisibility(element, SEEN) || this.#rendersWithoutBox(element, SEEN) ||
      (this.#animated(element).size > 0 && this.isRendered(element) && this.#fades(element));
    if (seen) this.#seen.add(element);
    return seen;
  }

  /** Whether an element without attributes in one that is seen is seen too, because nothing could hide it. */
  inherits(element: Element, tag: string, parent: Element): boolean {
    if (!SHOWN.has(tag) || this.sheets.mayHide(tag) || !this.#seen.has(parent) || this.#animated(element).size > 0) return false;
    if (dom.localName(parent) === 'details' || (dom.hasAttributes(parent) && dom.attribute(parent, 'style')?.includes('content-visibility'))) return false;
    this.#seen.add(element);
    return true;
  }

  /** Whether nothing inside of it can show: not rendered at all, for another reason than `visibility`. */
  isClosed(element: Element): boolean {
    return !dom.checkVisibility(element) && this.display(element) !== 'contents' && !isOptionLike(element);
  }

  /** Whether an animation moves or changes it or something around it. */
  isAnimated(element: Element): boolean {
    const animated = this.#animated(element);
    return animated.size > 0 && closest(element, (each) => animated.has(each)) !== null;
  }

  /** Size and position of the window in which the element is shown. */
  window(element: Element): Window2D {
    const document = dom.ownerDocument(element);
    return document ? this.windowOf(document) : NO_WINDOW;
  }

  windowOf(document: Document): Window2D {
    let known = this.#windows.get(document);
    if (!known) {
      const view = dom.defaultView(document);
      known = view ? { width: view.innerWidth, height: view.innerHeight, scrollX: view.scrollX, scrollY: view.scrollY } : NO_WINDOW;
      this.#windows.set(document, known);
    }
    return known;
  }

  #fades(element: Element): boolean {
    const animated = this.#animated(element);
    return closest(element, (each) => this.style(each).opacity === '0' && !animated.has(each)) === null;
  }

  #animated(element: Element): ReadonlySet<Element> {
    const document = dom.ownerDocument(element);
    if (!document) return NOTHING;
    let targets = this.#animations.get(document);
    if (!targets) {
      targets = new Set();
      for (const { playState, effect } of dom.animations(document)) {
        const target = playState === 'running' ? (effect as KeyframeEffect | null)?.target : null;
        if (target) targets.add(target);
      }
      this.#animations.set(document, targets);
    }
    return targets;
  }

  // `display: contents` and options of a closed select have no box of their own, yet they show.
  #rendersWithoutBox(element: Element, options: CheckVisibilityOptions): boolean {
    const borrowed = isOptionLike(element);
    if (!borrowed && (this.display(element) !== 'contents' || this.style(element).visibility !== 'visible')) return false;
    if (borrowed && this.display(element) === 'none') return false;
    const parent = parentElement(element);
    if (!parent) return false;
    return options === RENDERED ? this.isRendered(parent) : this.isSeen(parent);
  }
}

const isOptionLike = (element: Element): boolean => {
  const tag = dom.htmlTag(element);
  return tag === 'option' || tag === 'optgroup';
};
