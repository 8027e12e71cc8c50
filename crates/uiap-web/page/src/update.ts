// One update of a page that is observed: what is marked is walked and published again, with whatever depends on it.

import * as dom from './builtins';
import { each, type Entry, Flag, Rank, type Register, type Told } from './entry';
import { fieldMark, isField } from './field';
import type { Model } from './model';
import { changedLength, isPassage, judge } from './passage';
import type { Scope } from './scopes';
import { isSame } from './shape';
import { closest, parentElement } from './tree';
import { REFERENCES, type View } from './view';
import { LEAVES, type Page } from './walk';
import type { Dirty } from './watch';

const MOST_CAUSED = 200;
const LABELLED = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
const LABELLED_TAGS = [...LABELLED].join(',');

/** What was told of an element that was walked again, and where it stood among those of the same walk. */
export interface Former {
  readonly told: Told;
  /** Null when it was not walked again where it stood. */
  readonly part: Element | null;
  readonly order: number;
}

/** The work of one update: which entries are walked and published again. */
export class Update {
  readonly former = new Map<string, Former>();
  /** Entries that came into the tree, by the part that was walked. */
  readonly parts = new Map<Element, Entry>();
  readonly changed = new Set<Entry>();
  /** Ids of what went by the doing of an input. */
  readonly #lost = new Set<string>();
  readonly #queue = new Set<Entry>();
  /** Elements whose text was found to have changed, with everything around them. */
  readonly #climbed = new Set<Element>();
  readonly #scopes = new Set<Scope>();
  #order = 0;

  constructor(readonly model: Model, readonly view: View, readonly register: Register, readonly dirty: Dirty) {}

  rewalk(): void {
    const { dirty } = this;
    // What moved is taken out first: its neighbours may have moved as well, and places are told by neighbours.
    for (const element of dirty.gone) {
      this.#detach(this.register.get(element), null);
      if (dirty.ids) this.#unlabel(element);
    }
    for (const element of dirty.neighbours) {
      const entry = dom.isConnected(element) ? this.register.get(element) : undefined;
      if (entry && entry.closed === this.#isOpen(element)) dirty.parts.add(element);
    }
    this.#remeasure();
    for (const element of dirty.parts) {
      const parent = parentElement(element);
      if (!parent || !closest(parent, (around) => dirty.parts.has(around))) this.#walkPart(element);
    }
    for (const element of dirty.texts) this.#reread(element);
    for (const element of dirty.parts) this.#reread(element);
    if (dirty.ids) {
      for (const element of this.view.referrers) this.text(element);
      for (const label of this.view.relations.targeted()) this.again(this.register.get(label));
      this.#relabel();
    }
    if (dirty.relabelled) {
      const relabel = ({ element }: Entry): void => {
        if (LABELLED.has(dom.localName(element))) this.text(element);
      };
      this.model.candidates(relabel);
      // What opens a scope gives it its name, whether or not it is shown itself.
      for (const page of this.model.pages) for (const { entry } of page.scopes) if (entry) relabel(entry);
    }
    for (const page of this.model.pages) if (page.scopes.some((scope) => scope.gone)) page.scopes = page.scopes.filter((scope) => !scope.gone);
    if (this.view.annotations.any && this.parts.size > 0) for (const page of this.model.pages) sortScopes(page);
  }

  /** An element that says more than its name can hold, or no more, speaks by its blocks, or no more. */
  #remeasure(): void {
    const seen = new Set<Element>();
    for (const changed of [...this.dirty.texts, ...this.dirty.parts]) {
      for (let at: Element | null = changed; at && !seen.has(at); at = parentElement(at)) {
        seen.add(at);
        const entry = this.register.get(at);
        if (entry && changedLength(entry, this.view)) this.dirty.parts.add(at);
      }
    }
  }

  /** What an element says changed; it or the block around it may have got its first words. */
  #reread(element: Element): void {
    for (let at: Element | null = element; at; at = parentElement(at)) {
      const entry = this.register.get(at);
      if (entry) judge(entry, dom.localName(at), this.view);
      if (entry && !entry.inline && at !== element) break;
    }
    this.text(element);
  }

  #walkPart(element: Element): void {
    if (!dom.isConnected(element)) return;
    const part = this.#partOf(element);
    if (!part) return;
    const { element: top, parent } = part;
    if (this.parts.has(top)) return;
    const old = this.register.get(top);
    const stays = old?.parent === parent;
    const after = stays ? old.prev : null;
    this.#detach(old, stays ? top : null);
    this.view.scan(top);
    const pages = new Set(this.model.pages);
    const entry = this.model.walk(top, parent, parent.opens ?? parent.scope, stays ? after : this.#before(top, parent));
    if (!entry) return;
    this.parts.set(top, entry);
    each(entry, (inner) => this.again(inner));
    for (const page of this.model.pages) if (!pages.has(page)) this.#enterPage(page);
  }

  #enterPage(page: Page): void {
    if (page.root) each(page.root, (inner) => this.again(inner));
    for (const scope of page.scopes) this.#scopes.add(scope);
  }

  /** Of several elements with one id a label names the first: who that is depends on what came and went. */
  #relabel(): void {
    const { parts, gone } = this.dirty;
    const ids = new Set<string>();
    for (const element of [...parts, ...gone]) {
      ids.add(dom.attribute(element, 'id') ?? '');
      for (const inner of dom.queryAll(element, '[id]')) ids.add(dom.attribute(inner, 'id') ?? '');
    }
    for (const id of ids) if (this.view.relations.isTarget(id)) {
      const bearers = `[id="${id.replace(/["\\]/g, '\\$&')}"]`;
      for (const root of this.view.roots) for (const control of dom.queryAll(root, bearers)) this.text(control);
    }
  }

  /** Labels that went leave their controls without them. */
  #unlabel(element: Element): void {
    for (const label of dom.queryAll(element, 'label[for]')) this.#unlabelOne(label);
    if (dom.localName(element) === 'label') this.#unlabelOne(element);
  }

  #unlabelOne(label: Element): void {
    const id = dom.attribute(label, 'for');
    for (const root of id ? this.view.roots : []) {
      const control = dom.byId(root, id ?? '');
      if (control) this.text(control);
    }
  }

  /** The part of the tree that has to be walked for an element, with the entry around it. */
  #partOf(element: Element): { element: Element; parent: Entry } | null {
    let top = element;
    for (let at: Element | null = parentElement(element); at; at = parentElement(at)) {
      const entry = this.register.get(at);
      if (entry && !dom.assignedSlot(top)) {
        if (entry.closed) {
          if (!this.#isOpen(at)) return null;
          // Something inside of it shows by now, though nothing told so.
          top = at;
          continue;
        }
        if (!LEAVES.has(dom.localName(at))) return { element: top, parent: entry };
        this.again(entry);
        return null;
      }
      top = at;
    }
    return null;
  }

  /** Whether something inside of it may show. */
  #isOpen(element: Element): boolean {
    return this.view.look.isSeen(element) || !this.view.look.isClosed(element);
  }

  #before(element: Element, parent: Entry): Entry | null {
    for (let at = dom.previousElement(element); at; at = dom.previousElement(at)) {
      const entry = this.register.get(at);
      if (entry?.parent === parent) return entry;
    }
    return null;
  }

  /** Takes an entry and everything in it out of the tree and notes what was told of it. */
  #detach(top: Entry | undefined, part: Element | null): void {
    if (!top) return;
    if (top.parent) this.text(top.parent.element);
    if (this.dirty.caused.has(top.element)) each(top, ({ told }) => {
      if (told) this.#lost.add(told.shown.id);
    });
    each(top, (entry) => this.#drop(entry, part));
    top.unlink();
  }

  #drop(entry: Entry, part: Element | null): void {
    if (entry.told && !this.former.has(entry.told.shown.id)) this.former.set(entry.told.shown.id, { told: entry.told, part, order: this.#order++ });
    this.model.settle(entry, null);
    if (entry.item && entry.meaning) entry.scope.countItem(entry.meaning.role, entry.item, -1);
    if (entry.opens) entry.opens.gone = true;
    if (entry.boundary === 'frame') this.#dropPages(entry);
    this.register.remove(entry);
    this.view.annotations.forget(entry.element);
    this.#queue.delete(entry);
    this.changed.delete(entry);
  }

  #dropPages(host: Entry): void {
    const inner = this.model.pages.filter((page) => page.host === host);
    for (const page of inner) {
      this.model.pages.splice(this.model.pages.indexOf(page), 1);
      if (page.root) each(page.root, (entry) => {
        this.register.remove(entry);
        if (entry.boundary === 'frame') this.#dropPages(entry);
      });
    }
  }

  /** The text of an element changed: so may the names of everything around it, of what it labels and of what refers to it. */
  text(element: Element): void {
    const waiting = [element];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      for (let at: Element | null = next; at && !this.#climbed.has(at); at = parentElement(at)) {
        this.#climbed.add(at);
        this.#again(at, waiting);
      }
    }
  }

  #again(element: Element, others: Element[]): void {
    const entry = this.register.get(element);
    this.again(entry);
    // The root of a document stands in the frame that shows it.
    if (entry && !entry.parent && entry.scope.page.host) others.push(entry.scope.page.host.element);
    if (dom.localName(element) === 'label' && dom.htmlTag(element) === 'label') {
      const control = dom.labelControl(element as HTMLLabelElement);
      if (control) others.push(control);
      // What stands in a label may have been its control until something else came before it.
      if (!dom.hasAttribute(element, 'for')) others.push(...dom.queryAll(element, LABELLED_TAGS));
    }
    const owner = this.view.relations.owner(element);
    if (owner) others.push(owner);
    if (this.view.referrers.size > 0 && dom.hasAttribute(element, 'id')) this.#refer(dom.attribute(element, 'id') ?? '', others);
  }

  #refer(id: string, others: Element[]): void {
    for (const element of this.view.referrers) {
      if (!dom.isConnected(element)) this.view.referrers.delete(element);
      else if (REFERENCES.some((name) => dom.attribute(element, name)?.includes(id))) others.push(element);
    }
  }

  again(entry: Entry | undefined): void {
    if (!entry) return;
    if (entry.rank !== Rank.Never) this.#queue.add(entry);
    this.#scopes.add(entry.opens ?? entry.scope);
    if (entry.opens) this.#scopes.add(entry.scope);
  }

  /** The scopes whose names may have changed. */
  scopes(): Iterable<Scope> {
    return [...this.#scopes].filter((scope) => !scope.gone);
  }

  /** The elements of a scope that is called otherwise now stand in another scope for the observer. */
  renamed(): void {
    for (const page of this.model.pages) {
      for (const scope of page.scopes) {
        if (scope.toldId !== scope.id && scope.toldId && scope.entry) each(scope.entry, (inner) => {
          if (inner.home === scope) this.changed.add(inner);
        });
        scope.toldId = scope.id;
      }
    }
  }

  hover(entry: Entry, over: boolean): void {
    if (((entry.flags & Flag.Hovered) !== 0) === over) return;
    entry.flags = over ? entry.flags | Flag.Hovered : entry.flags & ~Flag.Hovered;
    entry.below = over ? entry.below | Flag.Hovered : entry.below & ~Flag.Hovered;
    this.again(entry);
  }

  /** Ids of what was added, changed or taken away by whoever listened to an input. */
  caused(): string[] {
    const { caused } = this.dirty;
    if (caused.size === 0) return [];
    const ids = [...this.#lost];
    for (const { element, shown } of this.changed) {
      if (shown && (caused.has(element) || this.#isInNew(element))) ids.push(shown.id);
    }
    return ids.slice(0, MOST_CAUSED);
  }

  /** Whether it came with a part that an input added. */
  #isInNew(element: Element): boolean {
    for (let at = parentElement(element); at; at = parentElement(at)) {
      if (this.parts.has(at)) return this.dirty.caused.has(at);
    }
    return false;
  }

  publish(): void {
    // Whoever is published again may change the parent of what is inside of it, and adds that to the end.
    for (const entry of this.#queue) {
      this.#queue.delete(entry);
      if (this.register.get(entry.element) === entry) this.#publish(entry);
    }
  }

  #publish(entry: Entry): void {
    const { model } = this;
    const host = entry.scope.page.host;
    entry.sight = host && !host.shown ? null : model.sight(entry);
    const before = entry.shown;
    const shown = entry.sight ? model.show(entry, entry.sight) : null;
    entry.blank = entry.sight !== null && !shown;
    if (isField(entry.element)) entry.field = fieldMark(entry.element);
    const home = (entry.opens ?? entry.scope).home;
    if (!before && !shown) return;
    if (before && shown && isSame(before, shown) && entry.home === home && before.success === shown.success && before.issue?.message === shown.issue?.message) return;
    model.settle(entry, shown);
    this.changed.add(entry);
    if (before?.id !== shown?.id) {
      eachBelow(entry, (inner) => this.again(inner));
      if (entry.boundary === 'frame') for (const page of model.pages) if (page.host === entry) this.#enterPage(page);
    }
  }

  /** Stable ids that stand twice now, or no more. */
  markDuplicates(): void {
    if (!this.view.annotations.any) return;
    for (const page of this.model.pages) {
      for (const bearers of page.stable.values()) for (const entry of bearers) {
        const marked = entry.shown?.extra.includes('"duplicateStableId":true') ?? false;
        if (marked !== bearers.size > 1) this.again(entry);
      }
    }
    this.publish();
  }
}


/** Calls for everything to which an element may be the parent. */
function eachBelow(entry: Entry, visit: (inner: Entry) => void): void {
  const isAround = isPassage(entry);
  for (let child = entry.first; child; child = child.next) {
    if (isAround && !child.inline) continue;
    each(child, visit);
  }
}

/** Puts the scopes of a document into its order: which of two declarations of one id counts depends on it. */
function sortScopes(page: Page): void {
  const sorted = [page.scope];
  if (page.root) each(page.root, ({ opens }) => {
    if (opens) sorted.push(opens);
  });
  page.scopes = sorted;
}
