// The script's own picture of the page: one entry for each element that was visited, linked as the flat tree is.

import type { Meaning } from './semantics';
import type { Scope } from './scopes';
import type { Shown } from './shape';
import type { Sight } from './visibility';

/** How soon an element falls out when the budget is short: the lower, the later. */
export const enum Rank {
  Signal,
  Interactive,
  Structure,
  Detail,
  /** Not to be published. */
  Never,
}

/** What an element hands down to everything inside of it. */
export const enum Flag {
  AriaHidden = 1,
  Inert = 2,
  Disabled = 4,
  /** Inside of a control: what is in there is its content, unless it can be operated itself. */
  InControl = 8,
  /** Inside of something clickable. */
  Pointer = 16,
  Hovered = 32,
  /** Inside of something that says what is in it. */
  Said = 64,
}

export type Boundary = 'frame' | 'closed_shadow' | 'pixel_surface';

/** An element as the observer knows it. */
export interface Told {
  readonly shown: Shown;
  readonly pageId: string;
  readonly scopeId: string;
}

/** What an element counts as in the collection around it. */
export const enum Item {
  None,
  Counted,
  Header,
}

/** Whether an element has more to say than its name can hold. */
export const enum Length {
  Unknown,
  Short,
  Long,
}

export class Entry {
  prev: Entry | null = null;
  next: Entry | null = null;
  first: Entry | null = null;
  last: Entry | null = null;
  /** Flags that hold for the element itself, and those that hold below it. */
  flags = 0;
  below = 0;
  opens: Scope | null = null;
  meaning: Meaning | null = null;
  rank: Rank = Rank.Never;
  boundary: Boundary | null = null;
  item: Item = Item.None;
  /** Nothing inside of it shows, so nothing inside was visited. */
  closed = false;
  /** Children that were left out for the budget. */
  omitted = 0;
  /** How it is seen, while the page is looked at. */
  sight: Sight | null = null;
  /** What was last published of it. */
  shown: Shown | null = null;
  /** The scope under which it was last published. */
  home: Scope | null = null;
  /** What the observer knows of it. */
  told: Told | null = null;
  /** Seen, and not published for want of a name. */
  blank = false;
  /** A custom element, which may get a shadow root at any time. */
  custom = false;
  /** A child that was near the window when it was last looked at. */
  anchor: Entry | null = null;
  /** No attribute says anything of it. */
  bare = false;
  /** Set in the line of the text around it. */
  inline = false;
  length: Length = Length.Unknown;
  /** What a field held when it was last published. */
  field: string | null = null;
  /** How many children it has. */
  size = 0;

  constructor(readonly element: Element, public parent: Entry | null, public scope: Scope) {}

  append(child: Entry): void {
    this.insert(child, this.last);
  }

  /** Puts a child after another one, or first. */
  insert(child: Entry, after: Entry | null): void {
    const next = after ? after.next : this.first;
    child.parent = this;
    child.prev = after;
    child.next = next;
    if (after) after.next = child;
    else this.first = child;
    if (next) next.prev = child;
    else this.last = child;
    this.size++;
  }

  /** Takes it out, with everything inside of it. */
  unlink(): void {
    if (this.prev) this.prev.next = this.next;
    else if (this.parent) this.parent.first = this.next;
    if (this.next) this.next.prev = this.prev;
    else if (this.parent) this.parent.last = this.prev;
    if (this.parent) this.parent.size--;
    this.prev = this.next = null;
  }
}

/** Finds the entry of an element. An isolated world has wrappers of its own: the page does not see what is put on them. */
export class Register {
  readonly #key = Symbol('entry');

  get(element: Element): Entry | undefined {
    return (element as unknown as Record<symbol, Entry | undefined>)[this.#key];
  }

  add(entry: Entry): void {
    (entry.element as unknown as Record<symbol, Entry | undefined>)[this.#key] = entry;
  }

  /** The element lets go of its entry, unless it has another one already. */
  remove(entry: Entry): void {
    if (this.get(entry.element) === entry) (entry.element as unknown as Record<symbol, Entry | undefined>)[this.#key] = undefined;
  }
}

/** It and everything inside of it, in document order. Iterative: a page may nest deeper than any call stack. */
export function* subtree(top: Entry): Generator<Entry> {
  let at: Entry | null = top;
  while (at) {
    yield at;
    if (at.first) {
      at = at.first;
      continue;
    }
    while (at && at !== top && !at.next) at = at.parent;
    at = at && at !== top ? at.next : null;
  }
}

/** Calls for it and everything inside, as `subtree`, for the loops where a generator costs too much. */
export function each(top: Entry, visit: (entry: Entry) => void): void {
  let at: Entry | null = top;
  while (at) {
    visit(at);
    if (at.first) {
      at = at.first;
      continue;
    }
    while (at && at !== top && !at.next) at = at.parent;
    at = at && at !== top ? at.next : null;
  }
}
