// How an element stands, in the words of the protocol. A key that is absent is unknown, not false.

import * as dom from './builtins';
import type { Issue, OptionOut, State } from './contract';
import { fieldValue, type Names, selectedLabels } from './name';
import { isFocusable, isListSelect } from './roles';
import { collapse, cut, tidy } from './text';

const EDITABLE = new Set(['textbox', 'textarea', 'searchbox', 'spinbutton', 'datepicker', 'timepicker']);
const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitem', 'option', 'treeitem']);
const RANGED = new Set(['slider', 'spinbutton', 'progress']);
const SPEAKING = new Set(['status', 'alert', 'toast']);
const CURRENT = new Set(['page', 'step', 'location', 'date', 'time']);
const POPUPS = new Set(['menu', 'listbox', 'dialog', 'grid', 'tree']);
const VALIDATED = new Set(['input', 'select', 'textarea']);
const MOST_OPTIONS = 200;

export interface Circumstances {
  readonly role: string;
  readonly visible: boolean;
  readonly enabled: boolean;
  readonly focused: boolean;
  readonly hovered: boolean;
  readonly blocked: boolean;
  readonly sensitive: boolean;
  readonly maxText: number;
}

export function stateOf(element: Element, at: Circumstances, names: Names): State {
  const state: State = { visible: at.visible, enabled: at.enabled };
  const tag = dom.htmlTag(element);
  const focusable = isFocusable(element);
  if (focusable) state['focusable'] = at.enabled;
  if (at.focused) state['focused'] = true;
  if (at.hovered) state['hovered'] = true;
  if (at.blocked) state['blocked'] = true;
  if (at.sensitive) state['sensitive'] = true;
  fromAria(element, state);
  fromNative(element, tag, at.role, state);
  if (EDITABLE.has(at.role)) editing(element, tag, at, state);
  if (CHECKABLE.has(at.role)) checking(element, tag, state);
  if (RANGED.has(at.role)) range(element, tag, at, state);
  if (!at.sensitive) {
    const text = textValue(element, tag, at, names);
    if (text !== null) state['textValue'] = text;
  }
  const placeholder = dom.attribute(element, 'placeholder') ?? dom.attribute(element, 'aria-placeholder');
  if (placeholder) state['placeholder'] = tidy(placeholder);
  return state;
}

const FLAGS: readonly (readonly [string, string])[] = [
  ['aria-required', 'required'], ['aria-readonly', 'readonly'], ['aria-expanded', 'expanded'], ['aria-selected', 'selected'],
  ['aria-pressed', 'pressed'], ['aria-modal', 'modal'], ['aria-multiline', 'multiline'], ['aria-grabbed', 'dragged'],
];

export function fromAria(element: Element, state: State): void {
  if (!dom.hasAttributes(element)) return;
  for (const [attribute, key] of FLAGS) {
    const value = dom.attribute(element, attribute);
    if (value === 'true' || value === 'false') state[key] = value === 'true';
  }
  if (dom.attribute(element, 'aria-busy') === 'true') {
    state['busy'] = true;
    state['loading'] = true;
  }
  const current = dom.attribute(element, 'aria-current');
  if (current && current !== 'false') state['current'] = CURRENT.has(current) ? current : 'location';
  const invalid = dom.attribute(element, 'aria-invalid');
  if (invalid !== null) state['invalid'] = invalid === 'grammar' || invalid === 'spelling' ? invalid : !['', 'false'].includes(invalid);
  const popup = dom.attribute(element, 'aria-haspopup');
  if (popup && popup !== 'false') state['hasPopup'] = POPUPS.has(popup) ? popup : 'menu';
  const orientation = dom.attribute(element, 'aria-orientation');
  if (orientation === 'horizontal' || orientation === 'vertical') state['orientation'] = orientation;
}

function fromNative(element: Element, tag: string, role: string, state: State): void {
  if (VALIDATED.has(tag)) {
    if (dom.hasAttribute(element, 'required')) state['required'] = true;
    if (state['invalid'] === undefined && dom.matches(element, ':user-invalid')) state['invalid'] = true;
  }
  if (tag === 'summary') {
    const details = dom.parentNode(element);
    const open = details !== null && dom.hasAttribute(details as Element, 'open');
    state['expanded'] = open;
  }
  if (role === 'slider' && state['orientation'] === undefined) state['orientation'] = 'horizontal';
  if (role === 'textarea') state['multiline'] = true;
  if (tag === 'select' && !isListSelect(element as HTMLSelectElement)) state['hasPopup'] = 'listbox';
  if (tag === 'input' && dom.hasAttribute(element, 'list')) state['hasPopup'] = 'listbox';
  if (tag === 'progress' && !dom.hasAttribute(element, 'value')) state['loading'] = true;
}

function editing(element: Element, tag: string, at: Circumstances, state: State): void {
  const readonly = state['readonly'] === true || ((tag === 'input' || tag === 'textarea') && dom.matches(element, ':read-only') && at.enabled);
  state['readonly'] = readonly;
  state['editable'] = at.enabled && !readonly;
}

function checking(element: Element, tag: string, state: State): void {
  const type = tag === 'input' ? dom.inputType(element as HTMLInputElement) : '';
  if (type === 'checkbox' || type === 'radio') {
    const input = element as HTMLInputElement;
    state['checked'] = type === 'checkbox' && dom.inputIndeterminate(input) ? 'mixed' : dom.inputChecked(input);
    return;
  }
  const checked = dom.attribute(element, 'aria-checked');
  if (checked === 'mixed') state['checked'] = 'mixed';
  else if (checked === 'true' || checked === 'false') state['checked'] = checked === 'true';
}

function range(element: Element, tag: string, at: Circumstances, state: State): void {
  const put = (key: string, value: number): void => {
    if (Number.isFinite(value)) state[key] = value;
  };
  const read = (name: string): number => parseFloat(dom.attribute(element, name) ?? '');
  if (tag === 'progress') {
    if (dom.hasAttribute(element, 'value')) put('numericValue', dom.progressValue(element as HTMLProgressElement));
    put('min', 0);
    put('max', dom.progressMax(element as HTMLProgressElement));
  } else if (tag === 'meter') {
    put('numericValue', dom.meterValue(element as HTMLMeterElement));
    put('min', dom.meterMin(element as HTMLMeterElement));
    put('max', dom.meterMax(element as HTMLMeterElement));
  } else if (tag === 'input') {
    const slider = dom.inputType(element as HTMLInputElement) === 'range';
    if (!at.sensitive) put('numericValue', dom.inputNumber(element as HTMLInputElement));
    put('min', slider && !dom.hasAttribute(element, 'min') ? 0 : read('min'));
    put('max', slider && !dom.hasAttribute(element, 'max') ? 100 : read('max'));
    put('step', slider && !dom.hasAttribute(element, 'step') ? 1 : read('step'));
  } else {
    if (!at.sensitive) put('numericValue', read('aria-valuenow'));
    put('min', read('aria-valuemin'));
    put('max', read('aria-valuemax'));
  }
}

function textValue(element: Element, tag: string, at: Circumstances, names: Names): string | null {
  if (tag === 'select') return cut(selectedLabels(element as HTMLSelectElement).map(collapse).join(', '), at.maxText);
  if (tag === 'input') {
    const type = dom.inputType(element as HTMLInputElement);
    if (type === 'file') return files(element as HTMLInputElement, at.maxText);
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(type)) return null;
  }
  const value = fieldValue(element);
  if (value !== null) return cut(value, at.maxText);
  if (SPEAKING.has(at.role) || EDITABLE.has(at.role) || at.role === 'combobox') return names.content(element, at.maxText);
  const spoken = dom.attribute(element, 'aria-valuetext');
  return spoken === null ? null : tidy(spoken, at.maxText);
}

// The names only: where a file lies on the user's machine is nobody's business.
function files(input: HTMLInputElement, limit: number): string {
  const list = dom.inputFiles(input);
  return list ? cut(Array.from(list, (file) => file.name).join(', '), limit) : '';
}

export function optionsOf(element: Element, names: Names, sensitive: boolean): { options: OptionOut[]; cut: boolean } | null {
  if (dom.htmlTag(element) === 'select') return nativeOptions(element as HTMLSelectElement, sensitive);
  const all = dom.queryAll(element, '[role=option]');
  if (all.length === 0) return null;
  const options: OptionOut[] = [];
  for (const each of all) {
    if (options.length === MOST_OPTIONS) return { options, cut: true };
    const label = names.name(each);
    const option: OptionOut = { value: tidy(dom.attribute(each, 'data-value') ?? label), label };
    if (!sensitive && dom.attribute(each, 'aria-selected') === 'true') option.selected = true;
    if (dom.attribute(each, 'aria-disabled') === 'true') option.disabled = true;
    options.push(option);
  }
  return { options, cut: false };
}

function nativeOptions(select: HTMLSelectElement, sensitive: boolean): { options: OptionOut[]; cut: boolean } {
  const options: OptionOut[] = [];
  for (const each of dom.selectOptions(select)) {
    if (options.length === MOST_OPTIONS) return { options, cut: true };
    const option: OptionOut = { value: cut(dom.optionValue(each), 1_024), label: tidy(dom.optionLabel(each)) };
    if (!sensitive && dom.optionSelected(each)) option.selected = true;
    if (dom.matches(each, ':disabled')) option.disabled = true;
    options.push(option);
  }
  return { options, cut: false };
}

/** What is wrong with the value, as the page or the browser says it. */
export function issueOf(element: Element, instanceId: string, sensitive: boolean, names: Names): Issue {
  const said = names.referenced(element, 'aria-errormessage');
  // The browser quotes the value in its own message.
  const native = sensitive ? '' : tidy(dom.validationMessage(element));
  const described = said || native ? '' : names.referenced(element, 'aria-describedby');
  return { instanceId, message: said || native || described || 'the value is not valid' };
}
