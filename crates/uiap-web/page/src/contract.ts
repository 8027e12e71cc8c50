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
  elements: ElementOut[];
  metadata?: Record<string, unknown>;
}

export interface DocumentOut {
  documentId: string;
  kind: 'root' | 'frame';
  url?: string;
  origin?: string;
  title?: string;
  parentDocumentId?: string;
  hostInstanceId?: string;
  access: 'open' | 'opaque';
  opaqueReason?: 'cross_origin' | 'sandboxed';
  scopes: ScopeOut[];
}

export interface CaptureOut {
  route: Record<string, unknown>;
  viewport: { width: number; height: number; scrollX: number; scrollY: number };
  locale?: string;
  documents: DocumentOut[];
  modalStack: string[];
  focus?: { documentId: string; instanceId?: string; scopeId?: string };
  truncated: boolean;
  /** JSON text of `data-uiap-success`, by instance id: the host knows the vocabulary of signals. */
  success: Record<string, string>;
  warnings: string[];
  nextId: number;
}
