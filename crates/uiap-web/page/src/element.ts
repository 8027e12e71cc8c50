// One element as it is published. Depends on nothing but the element and its circumstances, so that a change can be
// answered by computing this one again.

import * as dom from './builtins';
import type { ElementOut, Issue } from './contract';
import { isDisabled } from './roles';
import { issueOf, optionsOf, stateOf } from './state';
import { cut, NAME_LIMIT } from './text';
import type { View } from './view';
import { receivesEvents, type Sight } from './visibility';
import { type Candidate, isInteractive } from './walk';

export interface Published {
  readonly out: ElementOut;
  readonly issue: Issue | null;
  readonly cut: boolean;
  readonly success: string | null;
}

/** Roles that ARIA does not name by their content, and people do. */
const OWN_TEXT = new Set(['custom', 'listitem', 'label']);

/** Roles that say nothing when they show nothing. */
const NEEDS_CONTENT = new Set(['row', 'listitem', 'cell', 'image', 'group']);

export function publish(candidate: Candidate, sight: Sight, blocked: boolean, view: View): Published | null {
  const { element, meaning, context } = candidate;
  const { role } = meaning;
  const { names, annotations, identity, options } = view;
  const sensitive = view.secrets.isSecret(element);
  const name = annotations.get(element, 'name') || names.name(element) || (OWN_TEXT.has(role) ? names.content(element, NAME_LIMIT) : '');
  if (!name && NEEDS_CONTENT.has(role) && !annotations.publishes(element)) return null;
  const enabled = !context.disabled && !isDisabled(element);
  const instanceId = identity.element(element);
  const visible = sight.visible && !context.ariaHidden;
  const state = stateOf(element, {
    role, visible, enabled, blocked, sensitive, focused: view.focused === element, hovered: view.hovered.has(element), maxText: options.maxText,
  }, names);
  const out: ElementOut = { instanceId, role, affordances: affordances(candidate, state, view), state, web: { attached: true }, source: meaning.source };
  if (name) out.name = cut(name, NAME_LIMIT);
  const description = names.description(element, name);
  if (description) out.description = description;
  annotations.describe(element, out);
  if (sensitive && hasText(element)) out.redacted = ['textValue'];
  place(candidate, sight, out, view);
  const shadow = dom.shadowRoot(element);
  if (shadow) out.shadow = { mode: 'open', access: 'open' };
  if (candidate.boundary) opaque(candidate, sight, out);
  const cutOff = addOptions(candidate, out, sensitive, view);
  const issue = state['invalid'] !== undefined && state['invalid'] !== false ? issueOf(element, instanceId, sensitive, names) : null;
  if (issue && out.stableId) issue.stableId = out.stableId;
  return { out, issue, cut: cutOff, success: annotations.get(element, 'success') };
}

const hasText = (element: Element): boolean => {
  const tag = dom.htmlTag(element);
  return tag === 'input' || tag === 'textarea' || tag === 'select' || dom.firstChild(element) !== null;
};

function affordances(candidate: Candidate, state: Record<string, unknown>, view: View): readonly string[] {
  const { element, meaning } = candidate;
  const base = view.vocabulary.affordances[meaning.role] ?? ['read'];
  const more: string[] = [];
  if (meaning.role === 'custom' && meaning.source === 'heuristic') more.push('activate');
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

function place(candidate: Candidate, sight: Sight, out: ElementOut, view: View): void {
  if (view.look.isAnimated(candidate.element)) out.web.stable = false;
  out.web.inViewport = sight.inViewport;
  const interactive = isInteractive(candidate.meaning.role) || candidate.meaning.source === 'heuristic';
  if (interactive && sight.inViewport) {
    const reached = receivesEvents(candidate.element, sight);
    out.web.receivesEvents = reached;
    if (!reached) out.state['obscured'] = true;
  }
  if (view.options.includeBBox || candidate.boundary) out.bbox = sight.box;
}

function opaque(candidate: Candidate, sight: Sight, out: ElementOut): void {
  if (candidate.boundary === 'closed_shadow') out.shadow = { mode: 'closed', access: 'opaque' };
  if (candidate.boundary === 'frame') return;
  out.bbox = sight.box;
  out.metadata = { ...out.metadata, access: 'opaque', opaqueReason: candidate.boundary };
}

function addOptions(candidate: Candidate, out: ElementOut, sensitive: boolean, view: View): boolean {
  const { role } = candidate.meaning;
  if (!view.options.includeOptions || (role !== 'combobox' && role !== 'listbox')) return false;
  const found = optionsOf(candidate.element, view.names, sensitive);
  if (found) out.options = found.options;
  return found?.cut ?? false;
}
