// One pass over the flat tree of a document: which elements could be published, and in which scope each stands.
// Iterative, because a page may nest deeper than any call stack.

import { type Sample, sampleOf } from './budget';
import * as dom from './builtins';
import { type Boundary, Entry, Flag, Item, Rank } from './entry';
import { openDocument } from './identity';
import { isInline, isPassage, judge, says } from './passage';
import { isAriaHidden } from './relations';
import { accessibleRole, isDisabled } from './roles';
import { Scope, scopeKind } from './scopes';
import { ANNOTATED, CLICKABLE, CONTAINER, isEditingHost, type Meaning } from './semantics';
import { Effect } from './sheets';
import { tidy } from './text';
import { Noted, type View } from './view';

/** A document of the page; one that cannot be looked into has no document. */
export class Page {
  root: Entry | null = null;
  scopes: Scope[] = [];
  title: string;
  readonly scope: Scope;
  /** Published elements by the stable id that they bear. */
  readonly stable = new Map<string, Set<Entry>>();

  constructor(readonly id: string, readonly document: Document | null, readonly parent: Page | null, readonly host: Entry | null) {
    this.title = document ? tidy(dom.titleOf(document)) : '';
    this.scope = new Scope(this, document && dom.documentElement(document), parent ? 'frame' : 'page', null, null);
    this.scopes.push(this.scope);
  }
}

export interface FrameFound {
  readonly host: Entry;
  readonly document: Document | null;
}

const SIGNALS = new Set(['alert', 'status', 'toast', 'progress', 'spinner']);
const INTERACTIVE = new Set(['button', 'link', 'textbox', 'textarea', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio',
  'switch', 'slider', 'spinbutton', 'datepicker', 'timepicker', 'fileinput', 'tab', 'menuitem', 'treeitem']);
const STRUCTURE = new Set(['row', 'listitem', 'group', 'tablist', 'grid']);
const DETAILS = new Set(['cell', 'image', 'video', 'audio', 'canvas']);
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'datalist', 'svg', 'math', 'object', 'link', 'meta', 'title', 'br']);
/** What is inside of them is no part of the tree. */
export const LEAVES = new Set(['iframe', 'canvas', 'select', 'textarea', 'input', 'img', 'hr', 'video', 'audio']);
// Where the style sheets cannot be read, that many elements are asked for the shape of the pointer over them.
const POINTER_CHECKS = 4_000;

export const isInteractive = (role: string): boolean => INTERACTIVE.has(role);

interface Level {
  next: Element | null;
  list: ArrayLike<Node> | null;
  index: number;
  readonly entry: Entry;
}

export class Walk {
  #pointerChecks = POINTER_CHECKS;
  readonly frames: FrameFound[] = [];
  readonly scopes: Scope[] = [];
  /** Elements that were passed over for the budget, each with the entry that holds them. */
  readonly samples: Sample[] = [];
  nodes = 0;
  cut = false;

  constructor(private readonly view: View) {}

  /** Visits everything in an element and puts it into the tree, after a sibling or first. */
  run(element: Element, parent: Entry | null, scope: Scope, after: Entry | null): Entry | null {
    const top = this.#visit(element, parent, scope, parent ? parent.below : null);
    if (!top) return null;
    if (parent) parent.insert(top, after);
    if (top.closed || LEAVES.has(dom.localName(element))) return top;
    const stack: Level[] = [this.#enter(top)];
    for (let level = stack.at(-1); level; level = stack.at(-1)) {
      const child = advance(level);
      if (!child) {
        stack.pop();
        continue;
      }
      const holder = level.entry;
      const entry = this.#visit(child, holder, holder.opens ?? holder.scope, holder.below);
      if (!entry) continue;
      holder.append(entry);
      if (this.nodes++ >= this.view.options.maxNodes) {
        this.cut = true;
        break;
      }
      if (!entry.closed && !LEAVES.has(dom.localName(child))) stack.push(this.#enter(entry));
    }
    return top;
  }

  #enter(entry: Entry): Level {
    const { element } = entry;
    const shadow = dom.shadowRoot(element);
    if (shadow) {
      this.view.enter(shadow);
      return { next: dom.firstElementOfRoot(shadow), list: null, index: 0, entry };
    }
    if (dom.localName(element) === 'slot' && dom.isHtml(element)) {
      const list = dom.assignedNodes(element as HTMLSlotElement);
      if (list.length > 0) return { next: null, list, index: 0, entry };
    }
    const sample = this.view.options.viewportOnly && !isPassage(entry) ? sampleOf(entry, this.view) : null;
    if (!sample) return { next: dom.firstElement(element), list: null, index: 0, entry };
    this.samples.push(sample);
    return { next: null, list: sample.elements, index: 0, entry };
  }

  /** The entry of an element; null where neither it nor anything in it counts. */
  #visit(element: Element, parent: Entry | null, scope: Scope, inherited: number | null): Entry | null {
    const { view } = this;
    const tag = dom.localName(element);
    if (SKIPPED.has(tag) && !(tag === 'svg' && dom.hasAttribute(element, 'role'))) return null;
    const plain = !dom.hasAttributes(element);
    const noted = plain ? Noted.Bare : view.note(element, tag);
    const annotated = noted === Noted.Annotated;
    if (annotated && view.annotations.isIgnored(element)) return null;
    const entry = new Entry(element, parent, scope);
    view.register?.add(entry);
    entry.flags = this.#flags(element, plain, inherited);
    entry.below = entry.flags;
    entry.bare = noted === Noted.Bare;
    const shown = view.options.includeHidden || (plain && parent !== null && view.look.inherits(element, tag, parent.element));
    if (!shown && !view.look.isSeen(element) && view.look.isClosed(element)) {
      entry.closed = true;
      view.identity.forgetModal(element);
      return entry;
    }
    this.#describe(entry, tag, plain, annotated);
    return entry;
  }

  #flags(element: Element, plain: boolean, inherited: number | null): number {
    const outer = inherited ?? Flag.Hovered;
    let flags = outer & ~Flag.Hovered;
    if (outer & Flag.Hovered && dom.matches(element, ':hover')) flags |= Flag.Hovered;
    if (plain) return flags;
    if (isAriaHidden(element)) flags |= Flag.AriaHidden;
    if (dom.hasAttribute(element, 'inert')) flags |= Flag.Inert;
    if (dom.attribute(element, 'aria-disabled') === 'true') flags |= Flag.Disabled;
    return flags;
  }

  #describe(entry: Entry, tag: string, plain: boolean, annotated: boolean): void {
    const { element } = entry;
    const { annotations, lexicon } = this.view;
    const declared = annotated ? annotations.role(element) : null;
    const meaning: Meaning | null = declared ? { role: declared, source: 'annotation' } : lexicon.meaning(element, tag, plain);
    const kind = scopeKind(element, plain, meaning?.role ?? null, entry.scope, annotations);
    if (kind) this.#open(entry, kind, meaning);
    entry.meaning = meaning;
    this.#rank(entry, tag, plain, annotated && annotations.publishes(element));
    if (entry.rank !== Rank.Never) handDown(entry);
  }

  #open(entry: Entry, kind: string, meaning: Meaning | null): void {
    const scope = new Scope(entry.scope.page, entry.element, kind, meaning?.role ?? null, entry.scope);
    scope.entry = entry;
    entry.opens = scope;
    this.scopes.push(scope);
  }

  #rank(entry: Entry, tag: string, plain: boolean, annotated: boolean): void {
    const { element } = entry;
    entry.custom = tag.includes('-');
    entry.inline = isInline(tag);
    entry.boundary = boundaryOf(element, tag);
    const isScope = entry.opens !== null;
    if (entry.boundary) entry.rank = Rank.Signal;
    else if (annotated && !isScope) entry.rank = Rank.Interactive;
    else if (!isScope && entry.meaning) entry.rank = this.#rankOf(entry, tag, entry.meaning);
    if (annotated && !isScope) entry.meaning ??= ANNOTATED;
    if (entry.rank === Rank.Never && !isScope && this.#isClickable(entry, tag, plain)) {
      entry.rank = Rank.Interactive;
      entry.meaning = CLICKABLE;
    }
    judge(entry, tag, this.view);
    if (entry.rank === Rank.Never) return;
    entry.meaning ??= CONTAINER;
    if (entry.boundary === 'frame') this.frames.push({ host: entry, document: openDocument(element) });
  }

  #rankOf(entry: Entry, tag: string, { role }: Meaning): Rank {
    const { element, scope } = entry;
    if (SIGNALS.has(role)) return Rank.Signal;
    if (INTERACTIVE.has(role)) return role === 'option' && tag === 'option' ? Rank.Never : Rank.Interactive;
    if (entry.flags & Flag.InControl) return Rank.Never;
    if (role === 'row') entry.item = isHeaderRow(element) ? Item.Header : Item.Counted;
    if (role === 'listitem') {
      if (scope.kind !== 'list') return Rank.Never;
      entry.item = Item.Counted;
    }
    if (entry.item !== Item.None) scope.countItem(role, entry.item, 1);
    if (STRUCTURE.has(role)) return role === 'group' && !isNamedGroup(element, tag) ? Rank.Never : Rank.Structure;
    return DETAILS.has(role) ? Rank.Detail : Rank.Never;
  }

  // A click target that says nothing of itself: the pointer, a handler in the markup or a place in the tab order betray it.
  #isClickable(entry: Entry, tag: string, plain: boolean): boolean {
    const { element, flags } = entry;
    if (flags & Flag.InControl || tag === 'label' || tag === 'body' || tag === 'html' || isDisabled(element)) return false;
    if (!plain) {
      if (dom.hasAttribute(element, 'onclick')) return true;
      const tabindex = dom.attribute(element, 'tabindex');
      if (tabindex !== null && parseInt(tabindex, 10) >= 0) return true;
    }
    const { look } = this.view;
    if (flags & Flag.Pointer || this.#pointerChecks <= 0 || !look.sheets.mayHave(element, Effect.Pointer)) return false;
    this.#pointerChecks--;
    return look.style(element).cursor === 'pointer';
  }

  /** Whether clickable elements may have been missed. */
  get pointerChecksRanOut(): boolean {
    return this.#pointerChecks <= 0;
  }
}

function handDown(entry: Entry): void {
  const { role, source } = entry.meaning ?? CONTAINER;
  const control = INTERACTIVE.has(role) && role !== 'listbox' && role !== 'treeitem' && role !== 'option';
  if (control || isEditingHost(entry.element)) entry.below |= Flag.InControl;
  if (source === 'heuristic') entry.below |= Flag.Pointer;
  if (says(entry)) entry.below |= Flag.Said;
}

function advance(level: Level): Element | null {
  if (level.list) {
    while (level.index < level.list.length) {
      const node = level.list[level.index++];
      if (node && dom.nodeType(node) === dom.ELEMENT) return node as Element;
    }
    return null;
  }
  const element = level.next;
  if (element) level.next = dom.nextElement(element);
  return element;
}

function boundaryOf(element: Element, tag: string): Boundary | null {
  if (tag === 'iframe') return 'frame';
  if (tag === 'canvas') return 'pixel_surface';
  return tag.includes('-') && dom.isHtml(element) && isClosedHost(element) ? 'closed_shadow' : null;
}

// A defined custom element without an open root and without content that still takes up room can only draw itself in a closed one.
function isClosedHost(element: Element): boolean {
  if (dom.shadowRoot(element) || dom.firstElement(element) || !dom.matches(element, ':defined')) return false;
  const { width, height } = dom.box(element);
  if (width <= 0 || height <= 0) return false;
  for (let child = dom.firstChild(element); child; child = dom.nextSibling(child)) {
    if ((dom.nodeValue(child) ?? '').trim() !== '') return false;
  }
  return true;
}

export function isHeaderRow(row: Element): boolean {
  const first = dom.firstElement(row);
  if (!first) return false;
  for (let cell: Element | null = first; cell; cell = dom.nextElement(cell)) {
    if (accessibleRole(cell) !== 'columnheader') return false;
  }
  return true;
}

const isNamedGroup = (element: Element, tag: string): boolean =>
  dom.hasAttribute(element, 'aria-label') || dom.hasAttribute(element, 'aria-labelledby') ||
  (tag === 'fieldset' && dom.htmlTag(dom.firstElement(element) ?? element) === 'legend');
