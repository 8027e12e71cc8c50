// One element as it is published. Depends on nothing but the element and its circumstances, so that a change can be
// answered by computing this one again.

import * as dom from './builtins';
import type { ElementOut, State } from './contract';
import { each, type Entry, Flag } from './entry';
import { headingLevel, isPassage, passageOf } from './passage';
import { isDisabled, NAME_FROM_CONTENT } from './roles';
import type { Meaning } from './semantics';
import { type Body, type Shape, type Shapes, Shown } from './shape';
import { issueOf, optionsOf, stateOf } from './state';
import { cut, NAME_LIMIT } from './text';
import type { View } from './view';
import { receivesEvents, rect, type Sight } from './visibility';
import { isInteractive } from './walk';

/** What surrounds an element at the moment it is published. */
export interface Around {
  readonly sight: Sight;
  /** Under a modal, or inert. */
  readonly blocked: boolean;
  /** Instance id of the published element around it. */
  readonly parent: string;
  /** Another element of the document has the same stable id. */
  readonly duplicate: boolean;
}

/** Roles that ARIA does not name by their content, and people do. */
const OWN_TEXT = new Set(['custom', 'listitem', 'label']);

// A role that only the app declares is no role for the computation of names.
const isSaid = ({ role, source }: Meaning): boolean => OWN_TEXT.has(role) || (source === 'annotation' && NAME_FROM_CONTENT.has(role));

/** Roles that say nothing when they show nothing. */
const NEEDS_CONTENT = new Set(['row', 'listitem', 'cell', 'image', 'group']);

/** Roles that have nothing but the simplest state when they have no attributes. */
const SIMPLE = new Set(['row', 'cell', 'listitem', 'group', 'heading', 'label', 'text']);

export function publish(entry: Entry, around: Around, view: View, shapes: Shapes): Shown | null {
  const { element } = entry;
  const meaning = entry.meaning;
  if (!meaning) return null;
  if (isPassage(entry)) return publishPassage(entry, around, view, shapes);
  const { role } = meaning;
  const { names, annotations } = view;
  const name = annotations.get(element, 'name') || names.name(element) || (isSaid(meaning) ? names.content(element, NAME_LIMIT) : '');
  if (!name && NEEDS_CONTENT.has(role) && !annotations.publishes(element)) return null;
  if (entry.item || role === 'option' || role === 'treeitem') renewIfRecycled(entry, name, view);
  const id = view.identity.element(element);
  const short = cut(name, NAME_LIMIT);
  if (SIMPLE.has(role) && !dom.hasAttributes(element) && !entry.boundary && !view.options.includeBBox) {
    const shape = simpleShape(entry, around, view, shapes);
    if (shape) return new Shown(id, shape, short, around.parent, '', around.sight.inViewport);
  }
  if (entry.bare && !around.sight.inViewport && (role === 'link' || role === 'button') && !view.options.includeBBox) {
    const shown = publishControl(entry, around, view, shapes, id, short);
    if (shown) return shown;
  }
  return describe(entry, around, view, shapes, id, short);
}

// What tells the items of a collection apart. Lists that show a window of many items use their nodes again for others.
const KEYS = ['data-uiap-id', 'data-uiap-entity', 'aria-posinset', 'aria-rowindex', 'data-index', 'data-item-index', 'data-row-index', 'data-key', 'data-row-key', 'data-id', 'id'];

/** A node that shows another item under another key is another thing, and so is everything in it. */
function renewIfRecycled(entry: Entry, name: string, { identity }: View): void {
  const { element } = entry;
  if (!dom.hasAttributes(element)) return;
  const keyed = KEYS.find((each) => dom.hasAttribute(element, each));
  if (keyed === undefined) return;
  const key = `${keyed}=${dom.attribute(element, keyed)}`;
  const before = identity.item(element);
  if (before && before.key !== key && before.name !== name) each(entry, (inner) => identity.renew(inner.element));
  identity.markItem(element, { key, name });
}

/** A link or button beyond the window of which no attribute says anything: there is nothing to ask but whether it works. */
function publishControl(entry: Entry, { sight, blocked, parent }: Around, view: View, shapes: Shapes, id: string, name: string): Shown | null {
  const { element, meaning, flags } = entry;
  const tag = dom.htmlTag(element);
  if (!meaning || (tag !== 'a' && tag !== 'button') || view.focused === element || view.secrets.anyDeclared || view.look.isAnimated(element)) return null;
  const enabled = !(flags & Flag.Disabled) && !isDisabled(element);
  const visible = sight.visible && !(flags & Flag.AriaHidden);
  const submits = isSubmit(element);
  const key = `${meaning.role}${meaning.source}${enabled}${visible}${blocked}${submits}${flags & Flag.Hovered}`;
  const shape = shapes.of(key, () => {
    const state: State = { visible, enabled, focusable: enabled };
    if (flags & Flag.Hovered) state['hovered'] = true;
    if (blocked) state['blocked'] = true;
    return { role: meaning.role, affordances: affordances(entry, state, view), state, web: { attached: true, inViewport: false }, source: meaning.source };
  });
  const shown = new Shown(id, shape, name, parent, '', false);
  shown.submits = submits;
  return shown;
}

function publishPassage(entry: Entry, around: Around, view: View, shapes: Shapes): Shown | null {
  const text = passageOf(entry, view);
  const shape = text ? plainShape(entry, around, view, shapes) : null;
  if (!shape) return null;
  const level = headingLevel(entry.element);
  const dataClasses = view.secrets.classes(entry.element);
  const more: Partial<ElementOut> = {
    ...(dataClasses.length > 0 ? { dataClasses } : {}),
    ...(level ? { metadata: { heading: level } } : {}),
    ...(view.options.includeBBox ? { bbox: rect(around.sight.box) } : {}),
  };
  return new Shown(view.identity.element(entry.element), shape, text, around.parent, isEmpty(more) ? '' : JSON.stringify(more), around.sight.inViewport);
}

function simpleShape(entry: Entry, around: Around, view: View, shapes: Shapes): Shape | null {
  const { element } = entry;
  if (view.focused === element || dom.shadowRoot(element) || view.secrets.isSecret(element) || view.secrets.classes(element).length > 0) return null;
  return plainShape(entry, around, view, shapes);
}

function plainShape(entry: Entry, { sight, blocked }: Around, view: View, shapes: Shapes): Shape | null {
  const { element, meaning, flags } = entry;
  if (!meaning) return null;
  const visible = sight.visible && !(flags & Flag.AriaHidden);
  const moving = view.look.isAnimated(element);
  const bits = (visible ? 1 : 0) | (blocked ? 2 : 0) | (moving ? 4 : 0) | (sight.inViewport ? 8 : 0) | ((flags & (Flag.Disabled | Flag.Hovered)) << 4);
  const key = `${meaning.role}${meaning.source}${bits}${isSubmit(element)}`;
  return shapes.of(key, () => {
    const state: State = { visible, enabled: !(flags & Flag.Disabled) };
    if (flags & Flag.Hovered) state['hovered'] = true;
    if (blocked) state['blocked'] = true;
    return {
      role: meaning.role, affordances: affordances(entry, state, view), state,
      web: { attached: true, ...(moving ? { stable: false } : {}), inViewport: sight.inViewport }, source: meaning.source,
    };
  });
}

function describe(entry: Entry, around: Around, view: View, shapes: Shapes, id: string, name: string): Shown {
  const { element, flags } = entry;
  const { names, annotations } = view;
  const role = entry.meaning?.role ?? 'custom';
  const sensitive = view.secrets.isSecret(element);
  const state = stateOf(element, {
    role, sensitive, visible: around.sight.visible && !(flags & Flag.AriaHidden), enabled: !(flags & Flag.Disabled) && !isDisabled(element),
    blocked: around.blocked, focused: view.focused === element, hovered: (flags & Flag.Hovered) !== 0, maxText: view.options.maxText,
  }, names);
  const more: Partial<ElementOut> = {};
  const description = names.description(element, name);
  if (description) more.description = description;
  annotations.describe(element, more);
  const dataClasses = view.secrets.classes(element);
  if (dataClasses.length > 0) more.dataClasses = dataClasses;
  if (around.duplicate) more.metadata = { ...more.metadata, duplicateStableId: true };
  if (sensitive && hasText(element)) more.redacted = ['textValue'];
  const web = place(entry, around.sight, state, view);
  if (view.options.includeBBox || entry.boundary) more.bbox = rect(around.sight.box);
  if (entry.boundary && entry.boundary !== 'frame') more.metadata = { ...more.metadata, access: 'opaque', opaqueReason: entry.boundary };
  const cutOff = addOptions(entry, role, more, sensitive, view);
  const issue = state['invalid'] !== undefined && state['invalid'] !== false ? issueOf(element, id, sensitive, names) : null;
  if (issue && more.stableId) issue.stableId = more.stableId;
  const texts = withoutTexts(state);
  const body = bodyOf(entry, state, web, view);
  const shape = shapes.of(JSON.stringify(body), () => body);
  const extra = texts ? { ...more, state: texts } : more;
  const shown = new Shown(id, shape, name, around.parent, isEmpty(extra) ? '' : JSON.stringify(extra), around.sight.inViewport);
  shown.issue = issue;
  shown.cut = cutOff;
  shown.stableId = more.stableId;
  shown.submits = isSubmit(element);
  shown.success = annotations.get(element, 'success');
  return shown;
}

const isEmpty = (object: object): boolean => {
  for (const _ in object) return false;
  return true;
};

// Texts and numbers belong to one element; left in the shape they would make each a shape of its own.
const TEXTS = ['textValue', 'numericValue', 'placeholder'];

function withoutTexts(state: State): State | null {
  let texts: State | null = null;
  for (const key of TEXTS) {
    const value = state[key];
    if (value === undefined) continue;
    (texts ??= {})[key] = value;
    delete state[key];
  }
  return texts;
}

function bodyOf(entry: Entry, state: State, web: ElementOut['web'], view: View): Body {
  const { role, source } = entry.meaning ?? { role: 'custom', source: 'native' };
  const shadow: ElementOut['shadow'] = entry.boundary === 'closed_shadow' ? { mode: 'closed', access: 'opaque' }
    : dom.shadowRoot(entry.element) ? { mode: 'open', access: 'open' } : undefined;
  return { role, affordances: affordances(entry, state, view), state, web, source, ...(shadow ? { shadow } : {}) };
}

const hasText = (element: Element): boolean => {
  const tag = dom.htmlTag(element);
  return tag === 'input' || tag === 'textarea' || tag === 'select' || dom.firstChild(element) !== null;
};

function affordances(entry: Entry, state: State, view: View): readonly string[] {
  const { element, meaning } = entry;
  const role = meaning?.role ?? 'custom';
  const base = view.lexicon.vocabulary.affordances[role] ?? ['read'];
  const more: string[] = [];
  if (role === 'custom' && meaning?.source === 'heuristic') more.push('activate');
  if (state['focusable'] === true && !base.includes('focus')) more.push('focus');
  if (state['expanded'] === false) more.push('expand');
  if (state['expanded'] === true) more.push('collapse');
  if (state['hasPopup'] !== undefined && state['expanded'] === undefined) more.push('open');
  if (isSubmit(element)) more.push('submit');
  return more.length > 0 ? [...base, ...more] : base;
}

/** Whether activating it sends its form. */
export function isSubmit(element: Element): boolean {
  switch (dom.htmlTag(element)) {
    case 'button': {
      const type = (dom.attribute(element, 'type') ?? 'submit').toLowerCase();
      return type !== 'button' && type !== 'reset' && dom.buttonForm(element as HTMLButtonElement) !== null;
    }
    case 'input': {
      const type = dom.inputType(element as HTMLInputElement);
      return type === 'submit' || type === 'image';
    }
    default:
      return false;
  }
}

function place(entry: Entry, sight: Sight, state: State, view: View): ElementOut['web'] {
  const web: ElementOut['web'] = { attached: true };
  if (view.look.isAnimated(entry.element)) web.stable = false;
  web.inViewport = sight.inViewport;
  const interactive = isInteractive(entry.meaning?.role ?? '') || entry.meaning?.source === 'heuristic';
  if (interactive && sight.inViewport && view.mayHitTest()) {
    web.receivesEvents = receivesEvents(entry.element, sight, view.look);
    if (!web.receivesEvents) state['obscured'] = true;
  }
  return web;
}

function addOptions(entry: Entry, role: string, out: Partial<ElementOut>, sensitive: boolean, view: View): boolean {
  if (!view.options.includeOptions || (role !== 'combobox' && role !== 'listbox')) return false;
  const found = optionsOf(entry.element, view.names, sensitive);
  if (found) out.options = found.options;
  return found?.cut ?? false;
}
