// What the host holds: one object per document, reachable by nobody else.

import { capture } from './capture';
import type { Options, Vocabulary } from './contract';
import * as dom from './builtins';
import { Identity } from './identity';
import { accessibleRole } from './roles';
import { View } from './view';

const EVERYTHING: Options = {
  includeHidden: true, includeBBox: false, includeOptions: false, maxElements: Infinity, maxText: 2_000, maxNodes: Infinity,
};

export function create(vocabulary: Vocabulary) {
  const page = document;
  const identity = new Identity(vocabulary.firstId, page);
  return {
    /** The page as JSON text: one string crosses the border much faster than ten thousand members. */
    capture: (options: Options): string => JSON.stringify(capture(page, vocabulary, identity, options)),
    /** The attached element of an instance id. */
    find: (id: string): Element | null => identity.find(id),
    /** Accessible role, name and description of the matching elements of the main document. */
    accessible(selector: string): string {
      const view = new View(page, vocabulary, identity, EVERYTHING);
      const found = Array.from(dom.queryAll(page, selector), (element) => {
        const name = view.names.name(element);
        return { role: accessibleRole(element), name, description: view.names.description(element, name) };
      });
      return JSON.stringify(found);
    },
  };
}
