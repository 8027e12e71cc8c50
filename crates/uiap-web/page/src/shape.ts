// What elements have in common is written down once: a page of ninety thousand elements has some dozen shapes.

import type { ElementOut, Issue, State } from './contract';

/** Everything of an element but its identity, its place, its texts and what few elements have. */
export interface Body {
  readonly role: string;
  readonly affordances: readonly string[];
  readonly state: State;
  readonly web: ElementOut['web'];
  readonly source: string;
  readonly shadow?: ElementOut['shadow'];
}

export interface Shape {
  readonly index: number;
  readonly body: Body;
  readonly json: string;
}

/** What was published of an element. */
export class Shown {
  stableId: string | undefined = undefined;
  issue: Issue | null = null;
  submits = false;
  success: string | null = null;
  /** Something of it was cut off. */
  cut = false;

  constructor(
    readonly id: string,
    readonly shape: Shape,
    readonly name: string,
    readonly parent: string,
    /** Members beyond the shape, as JSON of a patch; empty for most. */
    readonly extra: string,
    readonly inViewport: boolean,
  ) {}
}

export class Shapes {
  readonly all: Shape[] = [];
  readonly #byKey = new Map<string, Shape>();

  /** The shape of that key, made when it is asked for the first time. */
  of(key: string, make: () => Body): Shape {
    let shape = this.#byKey.get(key);
    if (!shape) {
      const body = make();
      // Any id makes it readable as an element; the one that counts travels with each.
      shape = this.#byJson(JSON.stringify({ instanceId: 'e0', ...body }), body);
      this.#byKey.set(key, shape);
    }
    return shape;
  }

  // Two keys may stand for the same shape.
  #byJson(json: string, body: Body): Shape {
    const known = this.#byKey.get(json);
    if (known) return known;
    const shape = { index: this.all.length, body, json };
    this.all.push(shape);
    this.#byKey.set(json, shape);
    return shape;
  }
}

/** The whole element, as one object. */
export function expand(shown: Shown): ElementOut {
  const { shape, id, name, parent, extra } = shown;
  const out: ElementOut = { instanceId: id, ...shape.body, state: { ...shape.body.state }, web: { ...shape.body.web } } as ElementOut;
  if (name) out.name = name;
  if (parent) out.parentInstanceId = parent;
  if (!extra) return out;
  const { state, ...more } = JSON.parse(extra) as Partial<ElementOut>;
  return { ...out, ...more, state: { ...out.state, ...state } };
}

export const isSame = (a: Shown, b: Shown): boolean =>
  a.shape === b.shape && a.name === b.name && a.parent === b.parent && a.extra === b.extra && a.id === b.id;

/** The members that differ: `null` for those that went, `state` and `web` by their own members. */
export function patchOf(before: Shown, after: Shown): Record<string, unknown> {
  const old = expand(before) as unknown as Record<string, unknown>;
  const now = expand(after) as unknown as Record<string, unknown>;
  const patch = difference(old, now, ['state', 'web', 'instanceId']);
  for (const part of ['state', 'web']) {
    const inner = difference(old[part] as Record<string, unknown>, now[part] as Record<string, unknown>, []);
    if (Object.keys(inner).length > 0) patch[part] = inner;
  }
  return patch;
}

function difference(old: Record<string, unknown>, now: Record<string, unknown>, except: readonly string[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(now)) {
    if (!except.includes(key) && JSON.stringify(old[key]) !== JSON.stringify(now[key])) patch[key] = now[key];
  }
  for (const key of Object.keys(old)) if (!(key in now) && !except.includes(key)) patch[key] = null;
  return patch;
}
