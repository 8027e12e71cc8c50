// What the layout says: computed styles and rendering, remembered for the length of one capture.

import * as dom from './builtins';
import { closest, parentElement } from './tree';

const RENDERED: CheckVisibilityOptions = { visibilityProperty: true };
const SEEN: CheckVisibilityOptions = { visibilityProperty: true, opacityProperty: true };

const NOTHING: ReadonlySet<Element> = new Set();

export class Look {
  readonly #styles = new Map<Element, CSSStyleDeclaration>();
  readonly #rendered = new Map<Element, boolean>();
  readonly #displays = new Map<Element, string>();
  readonly #animations = new Map<Document, Set<Element>>();

  style(element: Element): CSSStyleDeclaration {
    let style = this.#styles.get(element);
    if (!style) {
      style = this.#view(element).getComputedStyle(element);
      this.#styles.set(element, style);
    }
    return style;
  }

  pseudo(element: Element, which: '::before' | '::after' | '::marker'): CSSStyleDeclaration {
    return this.#view(element).getComputedStyle(element, which);
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
    let rendered = this.#rendered.get(element);
    if (rendered === undefined) {
      rendered = dom.checkVisibility(element, RENDERED) || this.#rendersWithoutBox(element, RENDERED);
      this.#rendered.set(element, rendered);
    }
    return rendered;
  }

  /** Whether a person can see it, as far as styles say. What is just fading in counts. */
  isSeen(element: Element): boolean {
    if (dom.checkVisibility(element, SEEN) || this.#rendersWithoutBox(element, SEEN)) return true;
    return this.#animated(element).size > 0 && this.isRendered(element) && this.#fades(element);
  }

  /** Whether an animation moves or changes it or something around it. */
  isAnimated(element: Element): boolean {
    const animated = this.#animated(element);
    return animated.size > 0 && closest(element, (each) => animated.has(each)) !== null;
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
    const tag = dom.htmlTag(element);
    const borrowed = tag === 'option' || tag === 'optgroup';
    if (!borrowed && (this.display(element) !== 'contents' || this.style(element).visibility !== 'visible')) return false;
    if (borrowed && this.display(element) === 'none') return false;
    const parent = parentElement(element);
    if (!parent) return false;
    return options === RENDERED
      ? this.isRendered(parent)
      : dom.checkVisibility(parent, options) || this.#rendersWithoutBox(parent, options);
  }

  #view(element: Element): Window & typeof globalThis {
    const document = dom.ownerDocument(element);
    return (document && dom.defaultView(document)) ?? window;
  }
}
