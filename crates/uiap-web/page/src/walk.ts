// One pass over the flat tree of a document: which elements could be published, and in which scope each stands.
// Iterative, because a page may nest deeper than any call stack.

import type { Annotations } from './annotations';
import * as dom from './builtins';
import type { Vocabulary } from './contract';
import { openDocument } from './identity';
import type { Look } from './look';
import { isAriaHidden } from './relations';
import { accessibleRole, isDisabled } from './roles';
import { isListScope, scopeKind, ScopeDraft } from './scopes';
import { isEditingHost, meaningOf, type Meaning } from './semantics';

/** How soon an element falls out when the budget is short: the lower, the later. */
export const enum Rank {
  Signal,
  Interactive,
  Structure,
  Detail,
}

export interface Context {
  readonly scope: ScopeDraft;
  readonly parent: Candidate | null;
  readonly ariaHidden: boolean;
  readonly inert: boolean;
  readonly disabled: boolean;
  /** Inside of a control: what is in there is its content, unless it can be operated itself. */
  readonly inControl: boolean;
  readonly pointer: boolean;
}

export type Boundary = 'frame' | 'closed_shadow' | 'pixel_surface';

export interface Candidate {
  readonly element: Element;
  readonly meaning: Meaning;
  readonly rank: Rank;
  readonly context: Context;
  readonly boundary: Boundary | null;
  readonly order: number;
  instanceId?: string;
}

export interface FrameFound {
  readonly host: Candidate;
  readonly document: Document | null;
}

export interface Found {
  readonly candidates: Candidate[];
  readonly scopes: ScopeDraft[];
  readonly frames: FrameFound[];
  nodes: number;
  cut: boolean;
}

const SIGNALS = new Set(['alert', 'status', 'toast', 'progress', 'spinner']);
const INTERACTIVE = new Set(['button', 'link', 'textbox', 'textarea', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio',
  'switch', 'slider', 'spinbutton', 'datepicker', 'timepicker', 'fileinput', 'tab', 'menuitem', 'treeitem']);
const STRUCTURE = new Set(['row', 'listitem', 'group', 'tablist', 'grid']);
const DETAILS = new Set(['cell', 'image', 'video', 'audio', 'canvas']);
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'datalist', 'svg', 'math', 'object', 'link', 'meta', 'title', 'br']);
// Reading a computed style costs more than the rest of a visit together.
const POINTER_CHECKS = 4_000;

export const isInteractive = (role: string): boolean => INTERACTIVE.has(role);

interface Level {
  next: Element | null;
  list: readonly Node[] | null;
  index: number;
  readonly context: Context;
}

export class Walk {
  #pointerChecks = POINTER_CHECKS;
  readonly found: Found = { candidates: [], scopes: [], frames: [], nodes: 0, cut: false };

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly annotations: Annotations,
    private readonly look: Look,
    private readonly maxNodes: number,
  ) {}

  run(root: Element, page: ScopeDraft): Found {
    this.found.scopes.push(page);
    const start: Context = {
      scope: page, parent: null, ariaHidden: false, inert: false, disabled: false, inControl: false, pointer: false,
    };
    const stack: Level[] = [{ next: null, list: [root], index: 0, context: start }];
    for (let level = stack.at(-1); level; level = stack.at(-1)) {
      const element = advance(level);
      if (!element) {
        stack.pop();
        continue;
      }
      if (this.found.nodes++ >= this.maxNodes) {
        this.found.cut = true;
        break;
      }
      const inner = this.#visit(element, level.context);
      if (inner) stack.push(enter(element, inner));
    }
    return this.found;
  }

  /** Notes the element and says in which context its children stand; null where they do not count. */
  #visit(element: Element, outer: Context): Context | null {
    const tag = dom.localName(element);
    if (SKIPPED.has(tag) && !(tag === 'svg' && dom.hasAttribute(element, 'role'))) return null;
    let context = dom.hasAttributes(element) ? this.#inherit(element, outer) : outer;
    if (!context) return null;
    const meaning = this.#meaning(element);
    const kind = scopeKind(element, meaning?.role ?? null, context.scope, this.annotations);
    if (kind) context = this.#open(element, kind, meaning, context);
    const candidate = this.#candidate(element, tag, meaning, context, kind !== null);
    if (candidate) context = this.#below(candidate, context);
    return tag === 'iframe' || tag === 'canvas' || tag === 'select' || tag === 'textarea' ? null : context;
  }

  #inherit(element: Element, outer: Context): Context | null {
    if (this.annotations.isIgnored(element)) return null;
    const ariaHidden = outer.ariaHidden || isAriaHidden(element);
    const inert = outer.inert || dom.hasAttribute(element, 'inert');
    const disabled = outer.disabled || dom.attribute(element, 'aria-disabled') === 'true';
    if (ariaHidden === outer.ariaHidden && inert === outer.inert && disabled === outer.disabled) return outer;
    return { ...outer, ariaHidden, inert, disabled };
  }

  #meaning(element: Element): Meaning | null {
    const annotated = this.annotations.has(element) ? this.annotations.role(element) : null;
    return annotated ? { role: annotated, source: 'annotation' } : meaningOf(element, this.vocabulary);
  }

  #open(element: Element, kind: string, meaning: Meaning | null, context: Context): Context {
    const scope = new ScopeDraft(element, kind, meaning?.role ?? null, context.scope, context);
    this.found.scopes.push(scope);
    return { ...context, scope };
  }

  #candidate(element: Element, tag: string, meaning: Meaning | null, context: Context, isScope: boolean): Candidate | null {
    const boundary = boundaryOf(element, tag);
    const annotated = this.annotations.has(element) && this.annotations.publishes(element) && !isScope;
    const rank = boundary ? Rank.Signal : annotated ? Rank.Interactive : this.#rank(element, tag, meaning, context);
    let shown = meaning ?? (annotated ? { role: 'custom', source: 'annotation' as const } : null);
    if (rank === null || (isScope && !boundary)) {
      if (isScope || !this.#isClickable(element, tag, context)) return null;
      shown = { role: 'custom', source: 'heuristic' };
    }
    const candidate: Candidate = {
      element, rank: rank ?? Rank.Interactive, context, boundary, order: this.found.candidates.length,
      meaning: shown ?? { role: 'custom', source: 'native' },
    };
    this.found.candidates.push(candidate);
    if (boundary === 'frame') this.found.frames.push({ host: candidate, document: openDocument(element) });
    return candidate;
  }

  #rank(element: Element, tag: string, meaning: Meaning | null, context: Context): Rank | null {
    if (!meaning) return null;
    const { role } = meaning;
    if (SIGNALS.has(role)) return Rank.Signal;
    if (INTERACTIVE.has(role)) return role === 'option' && tag === 'option' ? null : Rank.Interactive;
    if (context.inControl) return null;
    if (role === 'row') context.scope.countItem(role, isHeaderRow(element));
    if (role === 'listitem' && isListScope(context.scope)) context.scope.countItem(role, false);
    if (role === 'listitem' && !isListScope(context.scope)) return null;
    if (STRUCTURE.has(role)) return role === 'group' && !isNamedGroup(element, tag) ? null : Rank.Structure;
    return DETAILS.has(role) ? Rank.Detail : null;
  }

  // A click target that says nothing of itself: the pointer, a handler in the markup or a place in the tab order betray it.
  #isClickable(element: Element, tag: string, context: Context): boolean {
    if (context.inControl || tag === 'label' || tag === 'body' || tag === 'html' || isDisabled(element)) return false;
    if (dom.hasAttributes(element)) {
      if (dom.hasAttribute(element, 'onclick')) return true;
      const tabindex = dom.attribute(element, 'tabindex');
      if (tabindex !== null && parseInt(tabindex, 10) >= 0) return true;
    }
    if (context.pointer || this.#pointerChecks <= 0) return false;
    this.#pointerChecks--;
    return this.look.style(element).cursor === 'pointer';
  }

  #below(candidate: Candidate, context: Context): Context {
    const { role, source } = candidate.meaning;
    const control = INTERACTIVE.has(role) && role !== 'listbox' && role !== 'treeitem' && role !== 'option';
    return {
      ...context, parent: candidate,
      inControl: context.inControl || control || isEditingHost(candidate.element),
      pointer: context.pointer || source === 'heuristic',
    };
  }

  /** Whether clickable elements may have been missed. */
  get pointerChecksRanOut(): boolean {
    return this.#pointerChecks <= 0;
  }
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

function enter(element: Element, context: Context): Level {
  const shadow = dom.shadowRoot(element);
  if (shadow) return { next: dom.firstElementOfRoot(shadow), list: null, index: 0, context };
  if (dom.localName(element) === 'slot' && dom.isHtml(element)) {
    const list = dom.assignedNodes(element as HTMLSlotElement);
    if (list.length > 0) return { next: null, list, index: 0, context };
  }
  return { next: dom.firstElement(element), list: null, index: 0, context };
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

function isHeaderRow(row: Element): boolean {
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
