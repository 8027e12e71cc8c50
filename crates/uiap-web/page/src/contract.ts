// What passes between this script and its host. The vocabularies come from the host, so that there is one table of roles.

export interface Vocabulary {
  /** ARIA role → role of the protocol. */
  readonly aria: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  /** Role of the protocol → affordances. */
  readonly affordances: Readonly<Record<string, readonly string[]>>;
  readonly roles: readonly string[];
  readonly scopeKinds: readonly string[];
  readonly dataClasses: readonly string[];
  readonly riskLevels: readonly string[];
  readonly riskTags: readonly string[];
  /** The first number for an instance id: ids never come back within a session, whatever is navigated to. */
  readonly firstId: number;
}

export interface Options {
  readonly documents?: readonly string[];
  readonly scopes?: readonly string[];
  readonly includeHidden: boolean;
  readonly includeBBox: boolean;
  readonly includeOptions: boolean;
  readonly maxElements: number;
  readonly maxText: number;
  readonly maxNodes: number;
  /** Long collections are not walked beyond what the window shows of them. */
  readonly viewportOnly: boolean;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type State = Record<string, boolean | string | number>;

export interface ElementOut {
  instanceId: string;
  stableId?: string;
  role: string;
  name?: string;
  description?: string;
  meaning?: string;
  affordances: readonly string[];
  state: State;
  web: { attached: boolean; stable?: boolean; inViewport?: boolean; receivesEvents?: boolean };
  supportedActions?: string[];
  defaultAction?: string;
  risk?: { level: string; tags?: string[] };
  dataClasses?: string[];
  options?: OptionOut[];
  parentInstanceId?: string;
  shadow?: { mode: 'open' | 'closed'; access: 'open' | 'opaque' };
  bbox?: Rect;
  source: string;
  redacted?: string[];
  metadata?: Record<string, unknown>;
}

export interface OptionOut {
  value: string;
  label: string;
  selected?: boolean;
  disabled?: boolean;
}

export interface Issue {
  instanceId: string;
  stableId?: string;
  message: string;
}

export interface ScopeOut {
  id: string;
  kind: string;
  name?: string;
  stableId?: string;
  role?: string;
  parentScopeId?: string;
  state?: State;
  collection?: { total?: number; loaded?: number; itemRole?: string; entityType?: string };
  submitTarget?: string;
  issues?: Issue[];
  /** Travel beside it. */
  elements: [];
  metadata?: Record<string, unknown>;
}

export interface PageOut {
  documentId: string;
  kind: 'root' | 'frame';
  url?: string;
  origin?: string;
  title?: string;
  parentDocumentId?: string;
  hostInstanceId?: string;
  access: 'open' | 'opaque';
  opaqueReason?: 'cross_origin' | 'sandboxed';
  /** Travel beside it. */
  scopes: [];
}

export interface FocusOut {
  documentId: string;
  instanceId?: string;
  scopeId?: string;
}

/** Everything of a graph but its documents. */
export interface HeadOut {
  route: Record<string, unknown>;
  viewport: { width: number; height: number; scrollX?: number; scrollY?: number };
  locale?: string;
  modalStack: string[];
  focus: FocusOut;
  truncated: boolean;
  omitted?: { elements: number; children: number };
  /** JSON text of `data-uiap-success`, by instance id: the host knows the vocabulary of signals. */
  success: Record<string, string>;
  warnings: string[];
  nextId: number;
}

/** Something that happened in the page. */
export interface PageEventOut {
  at: number;
  documentId: string;
  kind: 'activation' | 'lapsed' | 'signal' | 'focus' | 'invalid' | 'route';
  by?: 'pointer' | 'key';
  /** JSON text. */
  detail?: string;
  id?: string | null;
  url?: string;
  how?: string;
}

/** One change of a graph, in the words of the protocol. */
export type Op = Record<string, unknown> & { op: string };
