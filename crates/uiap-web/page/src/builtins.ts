// Built-ins taken before anything else runs. A form or a document can shadow its own properties by the names of its
// controls (`<input name="parentNode">`), so no DOM member is ever read through the object itself.

type Getter<T, V> = (self: T) => V;
type Method<T, A extends unknown[], V> = (self: T, ...args: A) => V;

const call = Function.prototype.call;
const bind = call.bind(Function.prototype.bind) as (f: unknown, self: unknown) => unknown;

function getter<T, V>(prototype: object, name: string): Getter<T, V> {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  if (!property?.get) throw new Error(`no getter ${name}`);
  return bind(call, property.get) as Getter<T, V>;
}

function method<T, A extends unknown[], V>(prototype: object, name: string): Method<T, A, V> {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  if (typeof property?.value !== 'function') throw new Error(`no method ${name}`);
  return bind(call, property.value) as Method<T, A, V>;
}

export const ELEMENT = 1;
export const TEXT = 3;

// Node
export const nodeType: Getter<Node, number> = getter(Node.prototype, 'nodeType');
export const nodeValue: Getter<Node, string | null> = getter(Node.prototype, 'nodeValue');
export const parentNode: Getter<Node, Node | null> = getter(Node.prototype, 'parentNode');
export const firstChild: Getter<Node, Node | null> = getter(Node.prototype, 'firstChild');
export const nextSibling: Getter<Node, Node | null> = getter(Node.prototype, 'nextSibling');
export const previousSibling: Getter<Node, Node | null> = getter(Node.prototype, 'previousSibling');
export const textContent: Getter<Node, string | null> = getter(Node.prototype, 'textContent');
export const isConnected: Getter<Node, boolean> = getter(Node.prototype, 'isConnected');
export const ownerDocument: Getter<Node, Document | null> = getter(Node.prototype, 'ownerDocument');
export const contains: Method<Node, [Node | null], boolean> = method(Node.prototype, 'contains');
export const position: Method<Node, [Node], number> = method(Node.prototype, 'compareDocumentPosition');
export const rootNode: Method<Node, [], Node> = method(Node.prototype, 'getRootNode');

// Element
export const localName: Getter<Element, string> = getter(Element.prototype, 'localName');
export const shadowRoot: Getter<Element, ShadowRoot | null> = getter(Element.prototype, 'shadowRoot');
export const assignedSlot: Getter<Element, HTMLSlotElement | null> = getter(Element.prototype, 'assignedSlot');
export const firstElement: Getter<Element | ShadowRoot, Element | null> = getter(Element.prototype, 'firstElementChild');
export const firstElementOfRoot: Getter<ShadowRoot, Element | null> = getter(DocumentFragment.prototype, 'firstElementChild');
export const nextElement: Getter<Element, Element | null> = getter(Element.prototype, 'nextElementSibling');
export const previousElement: Getter<Element, Element | null> = getter(Element.prototype, 'previousElementSibling');
export const lastElement: Getter<Element, Element | null> = getter(Element.prototype, 'lastElementChild');
export const lastElementOfRoot: Getter<ShadowRoot, Element | null> = getter(DocumentFragment.prototype, 'lastElementChild');
export const childCount: Getter<Element, number> = getter(Element.prototype, 'childElementCount');
export const children: Getter<Element, HTMLCollection> = getter(Element.prototype, 'children');
export const attribute: Method<Element, [string], string | null> = method(Element.prototype, 'getAttribute');
export const hasAttribute: Method<Element, [string], boolean> = method(Element.prototype, 'hasAttribute');
export const hasAttributes: Method<Element, [], boolean> = method(Element.prototype, 'hasAttributes');
export const attributeNames: Method<Element, [], string[]> = method(Element.prototype, 'getAttributeNames');
export const matches: Method<Element, [string], boolean> = method(Element.prototype, 'matches');
export const box: Method<Element, [], DOMRect> = method(Element.prototype, 'getBoundingClientRect');
export const boxes: Method<Element, [], DOMRectList> = method(Element.prototype, 'getClientRects');
export const checkVisibility: Method<Element, [CheckVisibilityOptions?], boolean> = method(Element.prototype, 'checkVisibility');
export const assignedNodes: Method<HTMLSlotElement, [], Node[]> = method(HTMLSlotElement.prototype, 'assignedNodes');

// Roots
const inDocument: Method<Document, [string], NodeListOf<Element>> = method(Document.prototype, 'querySelectorAll');
const inFragment: Method<ShadowRoot, [string], NodeListOf<Element>> = method(DocumentFragment.prototype, 'querySelectorAll');
const inElement: Method<Element, [string], NodeListOf<Element>> = method(Element.prototype, 'querySelectorAll');
const taggedInDocument: Method<Document, [string], HTMLCollectionOf<Element>> = method(Document.prototype, 'getElementsByTagName');
const firstInDocument: Method<Document, [string], Element | null> = method(Document.prototype, 'querySelector');
const firstInFragment: Method<ShadowRoot, [string], Element | null> = method(DocumentFragment.prototype, 'querySelector');
const firstInElement: Method<Element, [string], Element | null> = method(Element.prototype, 'querySelector');
const sheetsOfDocument: Getter<Document, StyleSheetList> = getter(Document.prototype, 'styleSheets');
const sheetsOfShadow: Getter<ShadowRoot, StyleSheetList> = getter(ShadowRoot.prototype, 'styleSheets');
const adoptedByDocument: Getter<Document, CSSStyleSheet[]> = getter(Document.prototype, 'adoptedStyleSheets');
const adoptedByShadow: Getter<ShadowRoot, CSSStyleSheet[]> = getter(ShadowRoot.prototype, 'adoptedStyleSheets');
const idInDocument: Method<Document, [string], Element | null> = method(Document.prototype, 'getElementById');
const idInFragment: Method<ShadowRoot, [string], Element | null> = method(DocumentFragment.prototype, 'getElementById');
const pointInDocument: Method<Document, [number, number], Element | null> = method(Document.prototype, 'elementFromPoint');
const pointInShadow: Method<ShadowRoot, [number, number], Element | null> = method(ShadowRoot.prototype, 'elementFromPoint');
const activeInDocument: Getter<Document, Element | null> = getter(Document.prototype, 'activeElement');
const activeInShadow: Getter<ShadowRoot, Element | null> = getter(ShadowRoot.prototype, 'activeElement');
export const documentElement: Getter<Document, Element | null> = getter(Document.prototype, 'documentElement');
export const defaultView: Getter<Document, (Window & typeof globalThis) | null> = getter(Document.prototype, 'defaultView');
export const bodyOf: Getter<Document, HTMLElement | null> = getter(Document.prototype, 'body');
export const titleOf: Getter<Document, string> = getter(Document.prototype, 'title');
export const urlOf: Getter<Document, string> = getter(Document.prototype, 'URL');

export const animations: Method<Document, [], Animation[]> = method(Document.prototype, 'getAnimations');

export const computedStyle: (element: Element, pseudo?: string) => CSSStyleDeclaration = bind(getComputedStyle, window) as typeof getComputedStyle;

export type Root = Document | ShadowRoot;

export const isDocument = (root: Node): root is Document => nodeType(root) === 9;

export function queryAll(root: Root | Element, selector: string): NodeListOf<Element> {
  if (nodeType(root) === ELEMENT) return inElement(root as Element, selector);
  return isDocument(root) ? inDocument(root, selector) : inFragment(root as ShadowRoot, selector);
}

/** All elements of a tag; for a document the browser remembers them. */
export const tagged = (root: Root | Element, tag: string): ArrayLike<Element> & Iterable<Element> =>
  (isDocument(root) ? taggedInDocument(root, tag) : queryAll(root, tag));

export function queryFirst(root: Root | Element, selector: string): Element | null {
  if (nodeType(root) === ELEMENT) return firstInElement(root as Element, selector);
  return isDocument(root) ? firstInDocument(root, selector) : firstInFragment(root as ShadowRoot, selector);
}

export const sheets = (root: Root): Iterable<CSSStyleSheet> => (isDocument(root) ? sheetsOfDocument(root) : sheetsOfShadow(root));
export const adopted = (root: Root): Iterable<CSSStyleSheet> => (isDocument(root) ? adoptedByDocument(root) : adoptedByShadow(root));

export function byId(root: Node, id: string): Element | null {
  if (isDocument(root)) return idInDocument(root, id);
  return nodeType(root) === 11 ? idInFragment(root as ShadowRoot, id) : null;
}

export const atPoint = (root: Root, x: number, y: number): Element | null =>
  isDocument(root) ? pointInDocument(root, x, y) : pointInShadow(root, x, y);

export const activeIn = (root: Root): Element | null => (isDocument(root) ? activeInDocument(root) : activeInShadow(root));

// Controls
export const inputValue: Getter<HTMLInputElement, string> = getter(HTMLInputElement.prototype, 'value');
export const inputType: Getter<HTMLInputElement, string> = getter(HTMLInputElement.prototype, 'type');
export const inputChecked: Getter<HTMLInputElement, boolean> = getter(HTMLInputElement.prototype, 'checked');
export const inputIndeterminate: Getter<HTMLInputElement, boolean> = getter(HTMLInputElement.prototype, 'indeterminate');
export const inputNumber: Getter<HTMLInputElement, number> = getter(HTMLInputElement.prototype, 'valueAsNumber');
export const inputFiles: Getter<HTMLInputElement, FileList | null> = getter(HTMLInputElement.prototype, 'files');
export const textareaValue: Getter<HTMLTextAreaElement, string> = getter(HTMLTextAreaElement.prototype, 'value');
export const selectOptions: Getter<HTMLSelectElement, HTMLOptionsCollection> = getter(HTMLSelectElement.prototype, 'options');
export const selectSize: Getter<HTMLSelectElement, number> = getter(HTMLSelectElement.prototype, 'size');
export const optionValue: Getter<HTMLOptionElement, string> = getter(HTMLOptionElement.prototype, 'value');
export const optionLabel: Getter<HTMLOptionElement, string> = getter(HTMLOptionElement.prototype, 'label');
export const optionSelected: Getter<HTMLOptionElement, boolean> = getter(HTMLOptionElement.prototype, 'selected');
export const buttonForm: Getter<HTMLButtonElement, HTMLFormElement | null> = getter(HTMLButtonElement.prototype, 'form');
export const labelControl: Getter<HTMLLabelElement, HTMLElement | null> = getter(HTMLLabelElement.prototype, 'control');
export const frameDocument: Getter<HTMLIFrameElement, Document | null> = getter(HTMLIFrameElement.prototype, 'contentDocument');
export const isEditable: Getter<HTMLElement, boolean> = getter(HTMLElement.prototype, 'isContentEditable');
export const progressValue: Getter<HTMLProgressElement, number> = getter(HTMLProgressElement.prototype, 'value');
export const progressMax: Getter<HTMLProgressElement, number> = getter(HTMLProgressElement.prototype, 'max');
export const meterValue: Getter<HTMLMeterElement, number> = getter(HTMLMeterElement.prototype, 'value');
export const meterMin: Getter<HTMLMeterElement, number> = getter(HTMLMeterElement.prototype, 'min');
export const meterMax: Getter<HTMLMeterElement, number> = getter(HTMLMeterElement.prototype, 'max');

type Validated = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const messages = new Map<string, Getter<Validated, string>>([
  ['input', getter(HTMLInputElement.prototype, 'validationMessage')],
  ['select', getter(HTMLSelectElement.prototype, 'validationMessage')],
  ['textarea', getter(HTMLTextAreaElement.prototype, 'validationMessage')],
]);
export const validationMessage = (element: Element): string =>
  messages.get(localName(element))?.(element as Validated) ?? '';

// Tags in the HTML namespace only: an SVG `a` or `title` is another thing.
const namespace: Getter<Element, string | null> = getter(Element.prototype, 'namespaceURI');
const HTML = 'http://www.w3.org/1999/xhtml';
export const isHtml = (element: Element): boolean => namespace(element) === HTML;
export const htmlTag = (element: Element): string => (isHtml(element) ? localName(element) : '');
