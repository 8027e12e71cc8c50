//! Messages that carry the page.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, Positive};
use crate::names::{ActionHandle, DocumentId, RevisionId, ScopeId, Timestamp};
use crate::web::delta::WebDeltaOp;
use crate::web::graph::PageGraph;
use crate::web::signal::WebSignalKind;

/// What a snapshot shall hold.
#[wire]
#[derive(Default)]
pub struct SnapshotOptions {
    pub documents: Option<Vec<DocumentId>>,
    pub scopes: Option<Vec<ScopeId>>,
    pub include_hidden: Option<bool>,
    #[wire(name = "includeBBox")]
    pub include_bbox: Option<bool>,
    pub include_options: Option<bool>,
    /// 500 when left out.
    pub max_elements: Option<Positive>,
}

/// Payload of the request `web.state.get`.
#[wire]
pub struct WebStateGetPayload {
    pub options: Option<SnapshotOptions>,
    pub if_revision_not: Option<RevisionId>,
}

/// Payload of `web.state.snapshot`: a response or an event.
#[wire]
pub struct WebStateSnapshotPayload {
    pub snapshot: Option<PageGraph>,
    pub not_modified: Option<bool>,
    pub subscription_id: Option<CompactString>,
}

/// All signals or none.
#[wire]
pub enum SignalChoice {
    All,
    None,
}

/// The signals that a subscriber wants.
#[wire(untagged)]
pub enum SignalFilter {
    Choice(SignalChoice),
    Kinds(Vec<WebSignalKind>),
}

/// Payload of the request `web.state.observe`.
#[wire]
pub struct WebStateObservePayload {
    pub options: Option<SnapshotOptions>,
    pub deltas: Option<bool>,
    pub signals: Option<SignalFilter>,
    pub min_interval_ms: Option<Count>,
    pub initial_snapshot: Option<bool>,
}

/// Payload of the response `web.state.observing`.
#[wire]
pub struct WebStateObservingPayload {
    pub subscription_id: CompactString,
    pub revision: RevisionId,
}

/// Payload of the request `web.state.unobserve`.
#[wire]
pub struct WebStateUnobservePayload {
    pub subscription_id: CompactString,
}

/// Payload of the response `web.state.unobserved`.
#[wire]
pub struct WebStateUnobservedPayload {
    pub subscription_id: CompactString,
}

/// Who changed the page.
#[wire]
pub enum ChangedBy {
    User,
    Agent,
    App,
    Unknown,
}

/// Why the page changed.
#[wire]
pub struct DeltaCause {
    pub by: ChangedBy,
    pub action_handle: Option<ActionHandle>,
}

/// Payload of the event `web.state.delta`.
#[wire]
pub struct WebStateDeltaPayload {
    pub subscription_id: Option<CompactString>,
    pub base_revision: RevisionId,
    pub revision: RevisionId,
    pub seq: Count,
    pub ts: Timestamp,
    pub ops: Vec<WebDeltaOp>,
    pub cause: Option<DeltaCause>,
}
