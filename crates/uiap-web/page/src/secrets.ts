// What never leaves the page: the text of passwords, one-time codes, card data and whatever was declared secret.

import * as dom from './builtins';
import { words } from './text';
import { closest } from './tree';

const SECRET_CLASSES = new Set(['credential', 'secret']);
const SECRET_AUTOCOMPLETE = /^(?:one-time-code|current-password|new-password|cc-.+)$/;
const TEXT_TAGS = new Set(['input', 'textarea', 'select']);

export const DATA_CLASS = 'data-uiap-data-class';

/** Fields that were a password once stay secret, also when "show password" turns them into plain text. */
const once = new WeakSet<Element>();

export class Secrets {
  #anyDeclared = false;

  /** Whether something may be declared secret. */
  get anyDeclared(): boolean {
    return this.#anyDeclared;
  }

  constructor(private readonly known: ReadonlySet<string>) {}

  /** Without a look for declarations everybody is asked for one. */
  assume(): void {
    this.#anyDeclared = true;
  }

  /** Looks for declarations; without any nobody is asked for one. */
  scan(root: dom.Root | Element): void {
    this.#anyDeclared ||= dom.queryFirst(root, `[${DATA_CLASS}]`) !== null ||
      (dom.nodeType(root) === dom.ELEMENT && dom.hasAttribute(root as Element, DATA_CLASS));
  }

  /** Whether its text is secret, by itself or by an ancestor's declaration. */
  isSecret(element: Element): boolean {
    return isSecretField(element) || (this.#anyDeclared && closest(element, (each) => this.#isDeclared(each)) !== null);
  }

  /** The classes of what it holds, its own and those of everything around it. */
  classes(element: Element): string[] {
    if (!this.#anyDeclared) return [];
    const found = new Set<string>();
    closest(element, (each) => {
      for (const name of words(dom.attribute(each, DATA_CLASS))) found.add(this.known.has(name) || name.startsWith('x.') ? name : 'sensitive');
      return false;
    });
    return [...found];
  }

  // An unknown class is treated as the strictest one: a typing error must not publish a secret.
  #isDeclared(element: Element): boolean {
    const classes = words(dom.attribute(element, DATA_CLASS));
    return classes.some((name) => SECRET_CLASSES.has(name) || !(this.known.has(name) || name.startsWith('x.')));
  }
}

function isSecretField(element: Element): boolean {
  const tag = dom.htmlTag(element);
  if (!TEXT_TAGS.has(tag)) return false;
  if (once.has(element)) return true;
  const password = tag === 'input' && dom.inputType(element as HTMLInputElement) === 'password';
  const completes = words(dom.attribute(element, 'autocomplete')).some((token) => SECRET_AUTOCOMPLETE.test(token.toLowerCase()));
  if (password) once.add(element);
  return password || completes;
}
