// Accessible name and description. Spec: accname-1.2 §4.3; the letters in comments are its steps. HTML-AAM 1.0 §4.1.

import * as dom from './builtins';
import { generatedText, markerText } from './generated';
import type { Look } from './look';
import { isAriaHidden, type Relations } from './relations';
import { accessibleRole, explicitRole, isListSelect, NAME_FROM_CONTENT } from './roles';
import type { Secrets } from './secrets';
import { collapse, tidy, window, words } from './text';
import { assignedTo, references } from './tree';

/** The nodes that a computation met: each counts once. */
class Trail {
  readonly #met: Set<Node>;
  /** Those of them that something may refer to, in the order in which they were met. */
  readonly named: Node[];

  constructor(met: Iterable<Node> = [], named: readonly Node[] = []) {
    this.#met = new Set(met);
    this.named = [...named];
  }

  copy(): Trail {
    return new Trail(this.#met, this.named);
  }

  without(node: Node): Trail {
    const copy = this.copy();
    copy.#met.delete(node);
    return copy;
  }

  has(node: Node): boolean {
    return this.#met.has(node);
  }

  add(node: Node): void {
    this.#met.add(node);
    if (dom.nodeType(node) === dom.ELEMENT && dom.hasAttribute(node as Element, 'id')) this.named.push(node);
  }
}

/** A content, and what was met in it. */
interface Known {
  readonly text: string;
  readonly named: readonly Node[];
}

/** How the computation came to a node. */
class Visit {
  constructor(
    readonly visited: Trail,
    /** Following aria-labelledby or aria-describedby: such references are followed once. */
    readonly referenced: boolean,
    /** The node itself is the target of the reference. */
    readonly target: boolean,
    /** The referenced subtree is hidden as a whole, so hidden parts of it count. */
    readonly hidden: boolean,
    /** Inside of the content of another node. */
    readonly inContent: boolean,
    /** Inside of a native label. */
    readonly inLabel: boolean,
    /** The element itself does not show; parts of it may. */
    readonly unseen: boolean,
    readonly depth: number,
  ) {}

  static start(visited: Trail): Visit {
    return new Visit(visited, false, false, false, false, false, false, 0);
  }

  /** For the content of an element. */
  static inside(visited: Trail, unseen: boolean): Visit {
    return new Visit(visited, false, false, false, true, false, unseen, 0);
  }

  static reference(visited: Trail, hidden: boolean): Visit {
    return new Visit(visited, true, true, hidden, false, false, false, 0);
  }

  deeper(target: boolean = this.target): Visit {
    return new Visit(this.visited, this.referenced, target, this.hidden, this.inContent, this.inLabel, this.unseen, this.depth + 1);
  }

  /** For what stands inside of the present node. */
  content(): Visit {
    return new Visit(this.visited, this.referenced, false, this.hidden, true, this.inLabel, false, this.depth + 1);
  }

  concealed(): Visit {
    return new Visit(this.visited, this.referenced, this.target, this.hidden, this.inContent, this.inLabel, true, this.depth);
  }

  label(): Visit {
    return new Visit(this.visited.copy(), true, false, this.hidden, this.inContent, true, this.unseen, this.depth + 1);
  }

  heading(dialog: Element): Visit {
    return new Visit(new Trail([dialog]), this.referenced, true, this.hidden, this.inContent, this.inLabel, this.unseen, this.depth + 1);
  }
}

const NEVER = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'datalist']);
const LABELABLE = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
const PLACEHOLDERS = new Set(['textarea', 'input']);
const RANGES = new Set(['slider', 'spinbutton', 'scrollbar', 'progressbar', 'meter']);
const FROM_HEADING = new Set(['dialog', 'alertdialog', 'article']);
// Beyond this depth the plain text of a subtree stands for it.
const DEEPEST = 200;
// More text than any name shows.
const ENOUGH = 4_096;

// Their display is what their tag says, for whatever is laid out as a table.
const CELLS = new Set(['td', 'th', 'tr', 'tbody', 'thead']);
// Tags that mean nothing for a name when they have no attributes.
const PLAIN = new Set(['td', 'th', 'tr', 'tbody', 'thead', 'span', 'div', 'p', 'b', 'i', 'em', 'strong', 'small', 'code', 'section', 'ul', 'ol']);

export class Names {
  /** Contents that depend on nothing but their own subtree: what a row says is asked again by each of its cells. */
  readonly #contents = new Map<Element, Known>();
  /** Whether the present computation followed a reference, or left out what one had told already. */
  #referred = false;

  constructor(
    private readonly look: Look,
    private readonly relations: Relations,
    private readonly secrets: Secrets,
  ) {}

  name(element: Element): string {
    const tag = dom.localName(element);
    const leaf = CELLS.has(tag) && NAME_FROM_CONTENT.has(accessibleRole(element)) ? this.#leaf(element, tag) : null;
    return leaf !== null ? tidy(leaf) : tidy(this.#text(element, Visit.start(new Trail())));
  }

  /** All that it shows, as text; for regions that speak, such as a status. */
  content(element: Element, limit: number): string {
    if (this.secrets.isSecret(element)) return '';
    const unseen = !this.look.isRendered(element);
    return tidy(this.#content(element, Visit.inside(new Trail([element]), unseen)), limit);
  }

  description(element: Element, name: string): string {
    if (!dom.hasAttributes(element)) return '';
    const referenced = references(element, words(dom.attribute(element, 'aria-describedby')));
    if (referenced.length > 0) return tidy(this.#joined(referenced, new Trail([element])));
    const own = collapse(dom.attribute(element, 'aria-description') ?? '');
    if (own) return tidy(own);
    const title = collapse(dom.attribute(element, 'title') ?? '');
    return title && title !== name ? tidy(title) : '';
  }

  /** Text of what an attribute such as aria-errormessage names. */
  referenced(element: Element, attribute: string): string {
    return tidy(this.#joined(references(element, words(dom.attribute(element, attribute))), new Trail([element])));
  }

  #joined(targets: readonly Element[], visited: Trail): string {
    this.#referred = true;
    const texts: string[] = [];
    for (const target of targets) {
      const hidden = isAriaHidden(target) || !this.look.isRendered(target);
      const text = this.#text(target, Visit.reference(visited.copy(), hidden));
      if (text) texts.push(text);
    }
    return texts.join(' ');
  }

  #text(element: Element, visit: Visit): string {
    const tag = dom.localName(element);
    if (NEVER.has(tag) && (tag === 'style' || dom.isHtml(element))) return '';
    // 2A: hidden and not referenced
    const concealed = !visit.hidden && visit.inContent && (isAriaHidden(element) || !this.look.isRendered(element));
    if (concealed && !this.#mayShowInside(element)) return '';
    // Without an id nothing refers to it, so it is not met twice.
    const plain = PLAIN.has(tag) && !dom.hasAttributes(element);
    if (!plain && visit.visited.has(element)) {
      this.#referred = true;
      return '';
    }
    if (visit.depth > DEEPEST) return this.secrets.isSecret(element) ? '' : window(dom.textContent(element) ?? '').slice(0, ENOUGH);
    if (!plain) visit.visited.add(element);
    if (concealed) return this.#content(element, visit.concealed());
    // Nothing but its content can name such an element.
    if (plain && (visit.inContent || CELLS.has(tag))) return this.#plain(element, visit);
    return this.#author(element, visit) ?? this.#host(element, visit);
  }

  #plain(element: Element, visit: Visit): string {
    if (!visit.inContent && !NAME_FROM_CONTENT.has(accessibleRole(element))) return '';
    if (this.secrets.isSecret(element)) return '';
    const content = this.#content(element, visit);
    return visit.inContent || collapse(content) ? content : '';
  }

  // `visibility: visible` inside of `visibility: hidden` shows.
  #mayShowInside(element: Element): boolean {
    return !isAriaHidden(element) && this.look.style(element).visibility !== 'visible' && this.look.display(element) !== 'none';
  }

  /** What the author said by ARIA, or null. */
  #author(element: Element, visit: Visit): string | null {
    // Without attributes only a field still has something to say here.
    if (!dom.hasAttributes(element) && !isField(element)) return null;
    // 2B: aria-labelledby, followed once
    if (!visit.referenced) {
      const targets = references(element, words(dom.attribute(element, 'aria-labelledby')));
      if (targets.length > 0) {
        const text = this.#joined(targets, visit.visited.without(element));
        // What was referenced inside of a content counts once in it.
        if (visit.inContent) for (const target of targets) visit.visited.add(target);
        if (collapse(text)) return text;
      }
    }
    // 2C: a control inside of a label or a content says its value
    if (visit.inContent || visit.inLabel) {
      const value = this.#embedded(element, visit);
      if (value !== null) return value;
    }
    // 2D: aria-label
    const label = dom.attribute(element, 'aria-label') ?? '';
    return collapse(label) && dom.htmlTag(element) !== 'slot' ? label : null;
  }

  #embedded(element: Element, visit: Visit): string | null {
    const role = accessibleRole(element);
    const tag = dom.htmlTag(element);
    if (tag === 'input' && ['button', 'submit', 'reset', 'image', 'checkbox', 'radio'].includes(dom.inputType(element as HTMLInputElement))) return null;
    if (this.secrets.isSecret(element)) return '';
    if (tag === 'select') return selectedLabels(element as HTMLSelectElement).join(' ');
    if (RANGES.has(role) && role !== 'progressbar' && role !== 'meter') {
      return dom.attribute(element, 'aria-valuetext') ?? dom.attribute(element, 'aria-valuenow') ?? fieldValue(element) ?? '';
    }
    if (role === 'textbox' || role === 'searchbox') return fieldValue(element) ?? this.#content(element, visit);
    if (role === 'combobox') return fieldValue(element) ?? this.#content(element, visit);
    if (role === 'listbox') return this.#selected(element, visit);
    return null;
  }

  #selected(listbox: Element, visit: Visit): string {
    const options = [...dom.queryAll(listbox, '[role=option]'), ...this.relations.owned(listbox)];
    const chosen = options.filter((option) => dom.attribute(option, 'aria-selected') === 'true');
    return chosen.map((option) => this.#content(option, visit.deeper())).join(' ');
  }

  /** What the host language and the content say. */
  #host(element: Element, visit: Visit): string {
    const role = accessibleRole(element);
    // 2E: native means
    const native = role === 'none' && explicitRole(element) === 'none' ? null : this.#native(element, visit);
    if (native !== null && collapse(native)) return native;
    // 2F and 2H: name from content
    let blank = '';
    const fromContent = NAME_FROM_CONTENT.has(role) || visit.target || visit.inContent || visit.inLabel;
    if (fromContent && !this.secrets.isSecret(element) && !isField(element)) {
      const content = this.#content(element, visit);
      if (collapse(content)) return content;
      blank = content;
    }
    if (FROM_HEADING.has(role) && !visit.inContent) {
      const heading = this.#heading(element, visit);
      if (heading) return heading;
    }
    if (dom.htmlTag(element) === 'img' && dom.attribute(element, 'alt') === '') return '';
    // 2I: tooltip
    const title = dom.attribute(element, 'title') ?? '';
    if (collapse(title)) return title;
    // White space alone still keeps its neighbours apart.
    return this.#lastResort(element) || (visit.inContent ? blank : '');
  }

  #native(element: Element, visit: Visit): string | null {
    const tag = dom.htmlTag(element);
    if (!tag) return dom.localName(element) === 'svg' || visit.depth === 0 ? this.#svgTitle(element) : null;
    if (tag === 'input') {
      const own = buttonText(element as HTMLInputElement);
      if (own !== null && collapse(own)) return own;
    }
    if (LABELABLE.has(tag) && !visit.inContent) {
      const labels = this.#labels(element, visit);
      if (collapse(labels)) return labels;
    }
    switch (tag) {
      case 'img':
      case 'area':
        return dom.attribute(element, 'alt');
      case 'fieldset':
        return this.#firstChild(element, 'legend', visit);
      case 'figure':
        return visit.inContent ? null : this.#firstChild(element, 'figcaption', visit);
      case 'table':
        return visit.inContent ? null : (this.#firstChild(element, 'caption', visit) ?? dom.attribute(element, 'summary'));
      case 'optgroup':
      case 'option':
        return dom.attribute(element, 'label');
      case 'br':
        return visit.inContent ? ' ' : null;
      default:
        return null;
    }
  }

  #labels(element: Element, visit: Visit): string {
    const texts: string[] = [];
    for (const label of this.relations.labels(element)) {
      const text = this.#text(label, visit.label());
      if (collapse(text)) texts.push(text);
    }
    return texts.join(' ');
  }

  #firstChild(element: Element, tag: string, visit: Visit): string | null {
    for (let child = dom.firstElement(element); child; child = dom.nextElement(child)) {
      if (dom.htmlTag(child) === tag) return this.#text(child, visit.deeper(true));
    }
    return null;
  }

  #svgTitle(element: Element): string | null {
    for (let child = dom.firstElement(element); child; child = dom.nextElement(child)) {
      if (dom.localName(child) === 'title') return dom.textContent(child);
    }
    return null;
  }

  #heading(element: Element, visit: Visit): string {
    for (const each of dom.queryAll(element, 'h1,h2,h3,h4,h5,h6,[role=heading]')) {
      if (accessibleRole(each) !== 'heading' || !this.look.isRendered(each)) continue;
      return this.#text(each, visit.heading(element));
    }
    return '';
  }

  #lastResort(element: Element): string {
    const tag = dom.htmlTag(element);
    if (tag === 'input') {
      const type = dom.inputType(element as HTMLInputElement);
      if (type === 'submit' || type === 'image') return 'Submit';
      if (type === 'reset') return 'Reset';
    }
    const native = PLACEHOLDERS.has(tag) ? dom.attribute(element, 'placeholder') : null;
    return native ?? dom.attribute(element, 'aria-placeholder') ?? '';
  }

  /** The text inside, with what CSS adds and what is owned. */
  #content(element: Element, visit: Visit): string {
    const plain = !visit.hidden && !visit.referenced && !visit.inLabel && !visit.unseen && !visit.target;
    const known = plain ? this.#contents.get(element) : undefined;
    if (known !== undefined) {
      for (const node of known.named) visit.visited.add(node);
      return known.text;
    }
    const referred = this.#referred;
    const met = visit.visited.named.length;
    this.#referred = false;
    const text = this.#inside(element, visit);
    if (plain && !this.#referred && visit.depth < DEEPEST / 2) this.#contents.set(element, { text, named: visit.visited.named.slice(met) });
    this.#referred ||= referred;
    return text;
  }

  /** The text of an element that has nothing but text; null for any other. Most cells of a table are so. */
  #leaf(element: Element, tag: string): string | null {
    if (!PLAIN.has(tag) || dom.hasAttributes(element) || this.secrets.anyDeclared || !this.look.isAsWritten) return null;
    return this.#onlyText(element, tag);
  }

  /** Its text where no element is in it; null for any other. A text node that nobody asks for needs no object of its own. */
  #onlyText(element: Element, tag: string): string | null {
    if (dom.firstElement(element) || tag === 'slot' || (!CELLS.has(tag) && dom.shadowRoot(element))) return null;
    return window(dom.textContent(element) ?? '');
  }

  #inside(element: Element, visit: Visit): string {
    if (!visit.unseen && !visit.target && this.look.isAsWritten && this.relations.owned(element).length === 0) {
      const only = this.#onlyText(element, dom.localName(element));
      if (only !== null) return only;
    }
    const inner = visit.content();
    let text = dom.htmlTag(element) === 'li' && visit.target ? markerText(element, this.look) : '';
    text += generatedText(element, '::before', this.look);
    const assigned = assignedTo(element);
    let index = 0;
    let child = assigned ? (assigned[index++] ?? null) : dom.firstChild(dom.shadowRoot(element) ?? element);
    while (child && text.length <= ENOUGH) {
      const type = dom.nodeType(child);
      if (type === dom.TEXT) text += this.#textNode(child, element, visit);
      else if (type === dom.ELEMENT && !this.relations.owner(child as Element)) text += this.#child(child as Element, inner);
      child = assigned ? (assigned[index++] ?? null) : dom.nextSibling(child);
    }
    const owns = this.relations.owned(element);
    if (owns.length > 0) this.#referred = true;
    for (const owned of owns) text += ` ${this.#text(owned, inner)} `;
    return text + generatedText(element, '::after', this.look);
  }

  #textNode(node: Node, parent: Element, visit: Visit): string {
    if (visit.unseen && !visit.hidden && this.look.style(parent).visibility !== 'visible' && this.look.display(parent) !== 'contents') return '';
    return this.shown(node, parent);
  }

  /** A text node as it shows. It has no style: it shows as its parent does. */
  shown(node: Node, parent: Element): string {
    const text = window(dom.nodeValue(node) ?? '');
    return this.look.mayTransform ? transformed(text, this.look.style(parent).textTransform) : text;
  }

  #child(child: Element, visit: Visit): string {
    const tag = dom.localName(child);
    const text = (visit.hidden || this.look.isRendered(child) ? this.#leaf(child, tag) : null) ?? this.#text(child, visit);
    if (!text) return isBreak(child) ? ' ' : '';
    if (CELLS.has(tag)) return ` ${text} `;
    // Beside nothing it is kept apart from nothing.
    if (!dom.previousSibling(child) && !dom.nextSibling(child) && !dom.assignedSlot(child)) return text;
    const display = this.look.display(child);
    return display === 'inline' || display === 'contents' || display === 'none' ? text : ` ${text} `;
  }
}

function transformed(text: string, how: string): string {
  switch (how) {
    case 'uppercase':
      return text.toUpperCase();
    case 'lowercase':
      return text.toLowerCase();
    case 'capitalize':
      return text.replace(/(^|\s)(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
    default:
      return text;
  }
}

const isBreak = (element: Element): boolean => dom.htmlTag(element) === 'br';

const isField = (element: Element): boolean => {
  const tag = dom.htmlTag(element);
  return tag === 'input' || tag === 'textarea' || tag === 'select' || tag === 'iframe';
};

/** The value of a native text field; null for anything else. */
export function fieldValue(element: Element): string | null {
  switch (dom.htmlTag(element)) {
    case 'input':
      return dom.inputValue(element as HTMLInputElement);
    case 'textarea':
      return dom.textareaValue(element as HTMLTextAreaElement);
    default:
      return null;
  }
}

function buttonText(input: HTMLInputElement): string | null {
  switch (dom.inputType(input)) {
    case 'button':
    case 'submit':
    case 'reset':
      return dom.attribute(input, 'value');
    case 'image':
      return dom.attribute(input, 'alt') || dom.attribute(input, 'value');
    default:
      return null;
  }
}

export function selectedLabels(select: HTMLSelectElement): string[] {
  const labels: string[] = [];
  for (const option of dom.selectOptions(select)) {
    if (dom.optionSelected(option)) labels.push(dom.optionLabel(option));
    if (labels.length > 0 && !isListSelect(select)) break;
  }
  return labels;
}
