// What a script may write into a field without a trace: no event, no mutation. Compared from look to look.

import * as dom from './builtins';
import { fieldValue } from './name';

const FIELDS = new Set(['input', 'textarea', 'select']);

export const isField = (element: Element): boolean => FIELDS.has(dom.htmlTag(element));

/** Everything of a field that is told and that no mutation tells. */
export function fieldMark(element: Element): string {
  const tag = dom.htmlTag(element);
  const wrong = dom.validationMessage(element);
  if (tag === 'select') {
    let chosen = '';
    let index = 0;
    for (const option of dom.selectOptions(element as HTMLSelectElement)) {
      if (dom.optionSelected(option)) chosen += `${index.toString()} `;
      index++;
    }
    return `${chosen}\n${wrong}`;
  }
  if (tag !== 'input') return `${fieldValue(element) ?? ''}\n${wrong}`;
  const input = element as HTMLInputElement;
  const ticked = dom.inputIndeterminate(input) ? 'mixed' : dom.inputChecked(input) ? 'on' : '';
  return `${ticked}\n${dom.inputValue(input)}\n${wrong}`;
}
