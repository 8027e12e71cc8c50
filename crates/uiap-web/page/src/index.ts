// What the host holds: one object per document, reachable by nobody else.

import { capture } from './capture';
import type { Options, Vocabulary } from './contract';
import * as dom from './builtins';
import { Identity, openRoots } from './identity';
import { accessibleRole } from './roles';
import { type Answer, type Found, Live } from './live';
import { Lexicon } from './semantics';
import { View } from './view';

const EVERYTHING: Options = {
  includeHidden: true, includeBBox: false, includeOptions: false, maxElements: Infinity, maxText: 2_000, maxNodes: Infinity, viewportOnly: false,
};

// A page that is not drawn has no frames; it is told all the same. One that is drawn may take long over a frame.
const LATEST = 100;
const LATEST_DRAWN = 500;

function afterFrame(work: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    work();
  };
  requestAnimationFrame(() => setTimeout(once, 0));
  setTimeout(once, document.visibilityState === 'visible' ? LATEST_DRAWN : LATEST);
}

/** Takes the guard of the last gesture away and tells what it saw; the function is put there by the host. */
function endGesture(): string {
  const kept = (globalThis as unknown as Record<symbol, ((end: boolean) => string) | undefined>)[Symbol.for('uiap.finish')];
  return kept ? kept(true) : '';
}

// What the host is told when the task of an input begins and ends. No observer has such an id.
const INPUT_BEGINS = 'input+';
const INPUT_ENDS = 'input-';

/** Makes the object that the host holds; `call` tells the host that something happened for an observer. */
export function create(vocabulary: Vocabulary, call: (id: string) => void) {
  const page = document;
  const identity = new Identity(vocabulary.firstId, page);
  const lexicon = new Lexicon(vocabulary);
  const now = (): number => performance.now();
  const lives = new Map<string, Live>();
  const waking = new Set<string>();
  // The host is called once, after the next frame was drawn: then the layout is done, and looking at it costs nothing.
  const scheduleOf = (id: string) => (): void => {
    if (waking.has(id)) return;
    waking.add(id);
    afterFrame(() => call(id));
  };
  // Several observers notice the same input; the host is told once.
  let inputs = 0;
  const handling = (isBegun: boolean): void => {
    inputs += isBegun ? 1 : -1;
    if (isBegun && inputs === 1) call(INPUT_BEGINS);
    else if (!isBegun && inputs === 0) call(INPUT_ENDS);
  };
  const answer = (id: string, work: () => Answer): string => {
    const start = now();
    const { events, lost } = lives.get(id)?.watch.takeEvents() ?? { events: [], lost: 0 };
    const { fresh, graph, ops, success, caused } = work();
    waking.delete(id);
    const head = { took: now() - start, fresh, events, lost, ops, success, caused, nextId: identity.next };
    return `${JSON.stringify(head)}\n${graph}`;
  };
  return {
    /** The page as text, and how long it took to look at it. */
    capture(options: Options): string {
      const start = now();
      const text = capture(page, lexicon, identity, options);
      return `${(now() - start).toFixed(2)}\n${text}`;
    },
    /** Begins to observe; answers with the whole graph. One line of figures, one of events, then the graph. */
    observe({ id, mostEvents, options }: { id: string; mostEvents: number; options: Options }): string {
      lives.get(id)?.stop();
      const live = new Live(page, lexicon, identity, options, mostEvents, scheduleOf(id), handling);
      lives.set(id, live);
      return answer(id, () => live.fresh('first'));
    },
    /** What changed since the last answer to this observer. */
    update({ id, full }: { id: string; full: boolean }): string {
      const live = lives.get(id);
      return live ? answer(id, () => live.update(full)) : '';
    },
    /** The same as soon as an input of one of these kinds was handled: first, on a line of its own, what the guard of a gesture saw of it. */
    async after({ id, kinds }: { id: string; kinds: readonly string[] }): Promise<string> {
      const live = lives.get(id);
      if (!live) return '';
      await live.watch.handled(kinds);
      // What the app does right after it, or takes back, is done by then.
      await new Promise((go) => setTimeout(go, 0));
      const delivery = endGesture();
      return lives.get(id) === live ? `${delivery}\n${answer(id, () => live.update(false))}` : '';
    },
    /** Whoever waits for an input waits no longer. */
    hurry(): string {
      for (const live of lives.values()) live.watch.hurry();
      return '';
    },
    unobserve(id: string): string {
      lives.get(id)?.stop();
      lives.delete(id);
      return '';
    },
    /** The attached element of an instance id. */
    find: (id: string): Element | null => identity.find(id, page),
    findAll: (ids: readonly string[]): (Element | null)[] => identity.findAll(ids, page),
    /** The same, if it still is what an observer's reader found it to be; otherwise, as text, what became of it. */
    take({ id, by, found, unchanged }: { id: string; by: string | null; found: Found | null; unchanged: boolean | null }): Element | string {
      const element = identity.find(id, page);
      if (!element) return 'uiap:gone';
      const live = by === null ? undefined : lives.get(by);
      if (live && unchanged && !live.isAsTold) return 'uiap:outdated';
      return live && found && !live.isStill(element, found) ? 'uiap:changed' : element;
    },
    /** The id of the one published element that a selector means; nothing when it means none, several, or cannot be read. */
    which({ css, xpath }: { css?: string; xpath?: string }): string {
      let found: (Element | null)[] = [];
      try {
        if (css !== undefined) found = Array.from(dom.queryAll(page, css));
        else if (xpath !== undefined) {
          const hits = page.evaluate(xpath, page, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
          for (let at = 0; at < hits.snapshotLength && at < 2; at++) found.push(hits.snapshotItem(at) as Element | null);
        }
      } catch {
        return '';
      }
      const [element] = found;
      return found.length === 1 && element && identity.isKnown(element) ? identity.element(element) : '';
    },
    /** Accessible role, name and description of the matching elements of the main document. */
    accessible(selector: string): string {
      const view = new View(lexicon, identity, EVERYTHING);
      view.begin(page);
      for (const root of openRoots(page, Infinity)) {
        view.enter(root);
        for (const element of dom.queryAll(root, '*')) view.note(element, dom.localName(element));
      }
      view.relate();
      const found = Array.from(dom.queryAll(page, selector), (element) => {
        const name = view.names.name(element);
        return { role: accessibleRole(element), name, description: view.names.description(element, name) };
      });
      return JSON.stringify(found);
    },
  };
}
