// One look at the page: everything that is remembered while it lasts, and nothing longer.

import { Annotations } from './annotations';
import * as dom from './builtins';
import type { Options, Vocabulary } from './contract';
import { type Identity, openRoots } from './identity';
import { Look } from './look';
import { Names } from './name';
import { Relations } from './relations';
import { Secrets } from './secrets';

export class View {
  readonly look = new Look();
  readonly relations: Relations;
  readonly secrets: Secrets;
  readonly annotations: Annotations;
  readonly names: Names;
  readonly cut: boolean;
  readonly hovered = new Set<Element>();
  readonly focused: Element | null;

  constructor(document: Document, readonly vocabulary: Vocabulary, readonly identity: Identity, readonly options: Options) {
    const { roots, cut } = openRoots(document, options.maxNodes);
    this.cut = cut;
    this.relations = new Relations(roots, this.look);
    this.secrets = new Secrets(roots, new Set(vocabulary.dataClasses));
    this.annotations = new Annotations(roots, vocabulary);
    this.names = new Names(this.look, this.relations, this.secrets);
    for (const root of roots) for (const element of dom.queryAll(root, ':hover')) this.hovered.add(element);
    this.focused = focusedIn(document);
  }
}

/** The element that has the keyboard, through frames and shadow roots; null when it is the page itself. */
function focusedIn(document: Document): Element | null {
  let root: dom.Root = document;
  for (;;) {
    const active: Element | null = dom.activeIn(root);
    if (!active || dom.htmlTag(active) === 'body' || dom.htmlTag(active) === 'html') return null;
    const shadow = dom.shadowRoot(active);
    const inner: dom.Root | null = shadow && dom.activeIn(shadow) ? shadow : dom.htmlTag(active) === 'iframe' ? dom.frameDocument(active as HTMLIFrameElement) : null;
    if (!inner || !dom.activeIn(inner)) return active;
    const below = dom.activeIn(inner);
    if (below && dom.htmlTag(below) === 'body') return active;
    root = inner;
  }
}
