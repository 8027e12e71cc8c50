// What an app says about its own elements by `data-uiap-*`. A value that is wrong is a warning, never a failure.

import * as dom from './builtins';
import type { ElementOut, Vocabulary } from './contract';
import { DATA_CLASS } from './secrets';
import { tidy, words } from './text';

const PREFIX = 'data-uiap-';
const NAMES = ['id', 'scope', 'scope-kind', 'role', 'name', 'meaning', 'action', 'actions', 'risk', 'risk-tags', 'data-class',
  'success', 'route', 'entity', 'signal', 'ignore'];
const ROUTE = `${PREFIX}route`;
const PUBLISHES = ['id', 'role', 'action', 'actions', 'meaning', 'signal', 'entity'];
const MOST_WARNINGS = 50;

export class Annotations {
  readonly warnings: string[] = [];
  readonly #bearers = new Set<Element>();
  readonly #roles: ReadonlySet<string>;
  readonly #kinds: ReadonlySet<string>;
  readonly #classes: ReadonlySet<string>;
  readonly #tags: ReadonlySet<string>;

  constructor(private readonly vocabulary: Vocabulary) {
    this.#roles = new Set(vocabulary.roles);
    this.#kinds = new Set(vocabulary.scopeKinds);
    this.#classes = new Set(vocabulary.dataClasses);
    this.#tags = new Set(vocabulary.riskTags);
  }

  /** Notes whether an element says something of itself; whoever is asked about was noted before. */
  note(element: Element, names: readonly string[]): boolean {
    if (names.some((name) => name.startsWith(PREFIX)) && NAMES.some((name) => names.includes(PREFIX + name))) {
      this.#bearers.add(element);
      return true;
    }
    this.#bearers.delete(element);
    return false;
  }

  /** It is looked at no more, or will be noted again. */
  forget(element: Element): void {
    this.#bearers.delete(element);
  }

  /** Forgets whoever left the page. */
  sweep(): void {
    for (const element of this.#bearers) if (!dom.isConnected(element)) this.#bearers.delete(element);
  }

  get any(): boolean {
    return this.#bearers.size > 0;
  }

  has(element: Element): boolean {
    return this.#bearers.has(element);
  }

  get(element: Element, name: string): string | null {
    if (!this.#bearers.has(element)) return null;
    const value = dom.attribute(element, PREFIX + name);
    return value === null ? null : tidy(value, 4_096);
  }

  warn(message: string): void {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push(message);
  }

  isIgnored(element: Element): boolean {
    return this.#bearers.has(element) && dom.hasAttribute(element, `${PREFIX}ignore`);
  }

  /** Whether it is to be published, whatever it is. */
  publishes(element: Element): boolean {
    return this.#bearers.has(element) && PUBLISHES.some((name) => dom.hasAttribute(element, PREFIX + name));
  }

  role(element: Element): string | null {
    const role = this.get(element, 'role');
    if (role === null || this.#roles.has(role) || role.startsWith('x.')) return role;
    this.warn(`unknown role \`${role}\` in data-uiap-role`);
    return null;
  }

  stableId(element: Element): string | undefined {
    const id = this.get(element, 'id');
    if (id === '') this.warn('empty data-uiap-id');
    return id || undefined;
  }

  /** Id and kind of a scope; null where none is declared. */
  scope(element: Element): { id: string; kind: string | null } | null {
    const id = this.get(element, 'scope');
    const kind = this.get(element, 'scope-kind');
    if (!id) {
      if (kind !== null) this.warn(`data-uiap-scope-kind \`${kind}\` without data-uiap-scope`);
      return null;
    }
    if (id.startsWith('~')) this.warn(`scope id \`${id}\` begins with ~, which marks generated ids`);
    if (kind === null || this.#kinds.has(kind)) return { id, kind };
    this.warn(`unknown scope kind \`${kind}\``);
    return { id, kind: 'custom' };
  }

  /** The route that the page declares: by the first bearer of a root. */
  route(root: dom.Root): string | null {
    const bearer = this.any ? dom.queryFirst(root, `[${ROUTE}]`) : null;
    return bearer && this.get(bearer, 'route');
  }

  entity(element: Element): { type: string; id: string } | null {
    const text = this.get(element, 'entity');
    if (text === null) return null;
    const colon = text.indexOf(':');
    if (colon > 0) return { type: text.slice(0, colon), id: text.slice(colon + 1) };
    this.warn(`data-uiap-entity \`${text}\` is not of the form type:id`);
    return null;
  }

  /** Everything that is copied to the element as it stands. */
  describe(element: Element, out: Partial<ElementOut>): void {
    if (!this.#bearers.has(element)) return;
    const stableId = this.stableId(element);
    if (stableId) out.stableId = stableId;
    const meaning = this.get(element, 'meaning');
    if (meaning) out.meaning = meaning;
    const action = this.get(element, 'action');
    if (action) out.defaultAction = action;
    const actions = words(this.get(element, 'actions'));
    if (actions.length > 0) out.supportedActions = actions;
    this.#risk(element, out);
    this.#dataClasses(element, out);
    const entity = this.entity(element);
    if (entity) out.metadata = { ...out.metadata, entity };
    const signal = this.get(element, 'signal');
    if (signal === 'toast' || signal === 'status' || signal === 'validation') out.metadata = { ...out.metadata, signal };
    else if (signal !== null) this.warn(`unknown signal \`${signal}\` in data-uiap-signal`);
  }

  #risk(element: Element, out: Partial<ElementOut>): void {
    const named = this.get(element, 'risk');
    const tags = words(this.get(element, 'risk-tags')).filter((tag) => this.#known(this.#tags, tag, 'risk tag'));
    if (named === null && tags.length === 0) return;
    let level = named ?? 'confirm';
    if (!this.vocabulary.riskLevels.includes(level)) {
      this.warn(`unknown risk level \`${level}\`, taken as the strictest`);
      level = this.vocabulary.riskLevels.at(-1) ?? 'blocked';
    }
    out.risk = tags.length > 0 ? { level, tags } : { level };
  }

  #dataClasses(element: Element, out: Partial<ElementOut>): void {
    const classes = words(dom.attribute(element, DATA_CLASS));
    const known = classes.filter((name) => this.#known(this.#classes, name, 'data class'));
    if (known.length < classes.length && !known.includes('sensitive')) known.push('sensitive');
    if (known.length > 0) out.dataClasses = known;
  }

  #known(words: ReadonlySet<string>, word: string, what: string): boolean {
    if (words.has(word) || /^x\.[!-~]+$/.test(word)) return true;
    this.warn(`unknown ${what} \`${word}\``);
    return false;
  }
}
