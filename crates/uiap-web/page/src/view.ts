// One look at the page: what is remembered while it lasts, and the indexes that outlive it while the page is observed.

import { Annotations } from './annotations';
import { landmarksOf } from './budget';
import * as dom from './builtins';
import type { Options } from './contract';
import type { Register } from './entry';
import type { Identity } from './identity';
import { Look } from './look';
import { Names } from './name';
import { Relations } from './relations';
import { beginRoles, PRESENTATIONAL } from './roles';
import { Secrets } from './secrets';
import type { Lexicon } from './semantics';
import { Sheets } from './sheets';

/** Attributes that name other elements by their ids. */
export const REFERENCES = ['aria-labelledby', 'aria-describedby', 'aria-errormessage', 'aria-owns', 'aria-details'];

// Under a budget that many elements are asked whether a click reaches them; of the others it is not known.
const HIT_TESTS = 16;
const LEAST_HIT_TESTS = 4;
const HIT_TESTED_ITEMS = 16_000;

/** What the attributes of an element say. */
export const enum Noted {
  Plain,
  /** Nothing that is told of it. */
  Bare,
  Annotated,
}

const MEANINGLESS = new Set(['class', 'id', 'href', 'target', 'rel', 'type', 'style']);

export class View {
  readonly roots = new Set<dom.Root>();
  readonly relations = new Relations();
  readonly secrets: Secrets;
  readonly annotations: Annotations;
  #sheets: Sheets;
  #presentational = false;
  look: Look;
  names: Names;
  focused: Element | null = null;
  /** Elements that name others by their ids, while the page is observed. */
  readonly referrers = new Set<Element>();
  #hitTests = 0;
  /** Elements that are visited whatever the budget is. */
  landmarks: readonly Element[] = [];

  constructor(
    readonly lexicon: Lexicon,
    readonly identity: Identity,
    readonly options: Options,
    /** Where entries are found again, for a page that is observed. */
    readonly register: Register | null = null,
  ) {
    this.#sheets = new Sheets([], options.viewportOnly);
    this.secrets = new Secrets(new Set(lexicon.vocabulary.dataClasses));
    this.annotations = new Annotations(lexicon.vocabulary);
    this.look = new Look(this.#sheets);
    this.names = new Names(this.look, this.relations, this.secrets);
  }

  /** Whether style rules were changed behind everybody's back. */
  get areSheetsStale(): boolean {
    return this.#sheets.areStale;
  }

  /** Begins a look: nothing of the layout is remembered. */
  begin(document: Document): void {
    if (this.#sheets.areStale) this.#sheets = this.#sheets.renewed();
    this.look = new Look(this.#sheets);
    this.names = new Names(this.look, this.relations, this.secrets);
    beginRoles(this.#presentational);
    this.focused = focusedIn(document);
    this.#hitTests = this.options.viewportOnly ? HIT_TESTS : Infinity;
    this.landmarks = this.options.viewportOnly ? landmarksOf(document, this.focused, this) : [];
  }

  /** Reads what a root says as a whole, before anything in it is visited. */
  enter(root: dom.Root): void {
    if (this.roots.has(root)) return;
    this.roots.add(root);
    this.#sheets.add(root);
    this.scan(root);
  }

  /** A list is that long. To ask for a point costs as much as the list is long, so fewer are asked for. */
  leaveOut(count: number): void {
    this.#hitTests = Math.min(this.#hitTests, Math.max(LEAST_HIT_TESTS, Math.floor(HIT_TESTED_ITEMS / count)));
  }

  /** Whether one more point may be asked for. */
  mayHitTest(): boolean {
    return this.#hitTests-- > 0;
  }

  /** Notes what the attributes of an element mean for others, and tells what they mean for itself. */
  note(element: Element, tag: string): Noted {
    const names = dom.attributeNames(element);
    if (names.includes('aria-owns')) this.relations.noteOwner();
    if (names.includes('style')) this.#sheets.noteInline(element);
    if (this.register && REFERENCES.some((name) => names.includes(name))) this.referrers.add(element);
    if (!this.#presentational && PRESENTATIONAL.has(tag) && names.includes('role')) {
      this.#presentational = true;
      beginRoles(true);
    }
    if (this.annotations.note(element, names)) return Noted.Annotated;
    return names.every((name) => MEANINGLESS.has(name)) ? Noted.Bare : Noted.Plain;
  }

  /** Works out who owns whom, after everybody was visited. */
  relate(): void {
    if (this.relations.hasOwners) this.relations.own(this.roots, this.look);
  }

  /** Reads the indexes of a part of the page that is new or changed. */
  scan(part: dom.Root | Element): void {
    if (dom.nodeType(part) === dom.ELEMENT) this.#sheets.rescan(part as Element);
    this.relations.scan(part);
    if (this.options.viewportOnly) this.secrets.assume();
    else this.secrets.scan(part);
  }
}

/** The element that has the keyboard, through frames and shadow roots; null when it is the page itself. */
export function focusedIn(document: Document): Element | null {
  let root: dom.Root = document;
  for (;;) {
    const active: Element | null = dom.activeIn(root);
    if (!active || dom.htmlTag(active) === 'body' || dom.htmlTag(active) === 'html') return null;
    const shadow = dom.shadowRoot(active);
    const inner: dom.Root | null = shadow && dom.activeIn(shadow) ? shadow : dom.htmlTag(active) === 'iframe' ? dom.frameDocument(active as HTMLIFrameElement) : null;
    if (!inner || !dom.activeIn(inner)) return active;
    const below = dom.activeIn(inner);
    if (below && dom.htmlTag(below) === 'body') return active;
    root = inner;
  }
}
