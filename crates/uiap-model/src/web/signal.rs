//! What the page tells by itself: route changes, toasts, dialogs, validation and more.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, JsonObject, Nullable};
use crate::names::{ActionHandle, DocumentId, RevisionId, ScopeId, StableId, Timestamp};
use crate::web::graph::{FocusState, RouteState, ValidationIssue};

/// How serious a toast is.
#[wire]
pub enum ToastSeverity {
    Info,
    Success,
    Warning,
    Error,
}

/// What every signal may say.
#[wire(base)]
#[derive(Default)]
pub struct WebSignalBase {
    pub signal_id: Option<CompactString>,
    pub ts: Option<Timestamp>,
    pub document_id: Option<DocumentId>,
    pub revision: Option<RevisionId>,
    pub action_handle: Option<ActionHandle>,
}

/// What a signal says.
#[wire(tag = "kind", case = "dotted")]
pub enum WebSignalBody {
    RouteChanged { from: Option<RouteState>, to: RouteState },
    ToastShown { text: CompactString, severity: Option<ToastSeverity> },
    StatusChanged { text: CompactString, scope_id: Option<ScopeId> },
    DialogOpened { scope_id: ScopeId, stable_id: Option<StableId> },
    DialogClosed { scope_id: ScopeId, stable_id: Option<StableId> },
    ValidationChanged { scope_id: Option<ScopeId>, issues: Vec<ValidationIssue> },
    FocusChanged { focus: Nullable<FocusState> },
    BusyChanged { scope_id: Option<ScopeId>, busy: bool },
    CollectionChanged { scope_id: ScopeId, count: Count },
    EntityCreated { entity_type: CompactString, entity_id: Option<CompactString>, data: Option<JsonObject> },
    EntityUpdated { entity_type: CompactString, entity_id: Option<CompactString>, data: Option<JsonObject> },
    EntityDeleted { entity_type: CompactString, entity_id: Option<CompactString>, data: Option<JsonObject> },
    NetworkResponse { url: CompactString, status: Count },
    UserActivation { is_active: bool },
    Custom { name: CompactString, payload: Option<JsonObject> },
}

/// The discriminators of [`WebSignalBody`].
#[wire(case = "dotted")]
pub enum WebSignalKind {
    RouteChanged,
    ToastShown,
    StatusChanged,
    DialogOpened,
    DialogClosed,
    ValidationChanged,
    FocusChanged,
    BusyChanged,
    CollectionChanged,
    EntityCreated,
    EntityUpdated,
    EntityDeleted,
    NetworkResponse,
    UserActivation,
    Custom,
}

/// A signal.
#[wire]
pub struct WebSignal {
    #[wire(flatten)]
    pub base: WebSignalBase,
    #[wire(flatten)]
    pub body: WebSignalBody,
}

/// Payload of the event `web.signal`.
#[wire]
pub struct WebSignalPayload {
    pub signal: WebSignal,
}
