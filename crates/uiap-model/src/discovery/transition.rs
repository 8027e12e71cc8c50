//! States and the ways between them.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{SuccessSignal, TargetRef};
use crate::discovery::environment::DiscoverySeed;
use crate::discovery::evidence::{Confidence, EvidenceRef};
use crate::json::JsonObject;
use crate::names::{ActionId, ScopeId, Timestamp};
use crate::policy::SideEffectClass;
use crate::web::graph::PageGraph;

/// All states and transitions.
#[wire]
pub struct TransitionGraph {
    pub states: Vec<DiscoveryStateNode>,
    pub edges: Vec<DiscoveryTransition>,
}

/// A state of the app.
#[wire]
pub struct DiscoveryStateNode {
    pub state_id: CompactString,
    pub fingerprint: CompactString,
    pub route_id: Option<CompactString>,
    pub scope_ids: Option<Vec<ScopeId>>,
    pub modal_stack: Option<Vec<CompactString>>,
    pub page_graph_ref: Option<CompactString>,
    pub screenshot_ref: Option<CompactString>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub metadata: Option<JsonObject>,
}

/// A way from one state to another.
#[wire]
pub struct DiscoveryTransition {
    pub transition_id: CompactString,
    pub from_state_id: CompactString,
    pub to_state_id: CompactString,
    pub via_action_id: ActionId,
    pub target: Option<TargetRef>,
    pub args: Option<JsonObject>,
    pub side_effect_class: Option<SideEffectClass>,
    pub observed_signals: Option<Vec<SuccessSignal>>,
    pub confidence: Confidence,
    pub discovered_by: Vec<EvidenceRef>,
    pub metadata: Option<JsonObject>,
}

/// A state as it was captured.
#[wire]
pub struct DiscoveryStateSnapshot {
    pub state_id: CompactString,
    pub page_graph: PageGraph,
    pub screenshot_ref: Option<CompactString>,
    pub evidence: Vec<EvidenceRef>,
    pub fingerprint: CompactString,
    pub discovered_at: Timestamp,
    pub entry_seed: Option<DiscoverySeed>,
}

/// What a fingerprint takes in.
#[wire]
pub struct StateFingerprintPolicy {
    pub include_text_values: Option<bool>,
    pub include_collections: Option<bool>,
    pub ignore_transient_toasts: Option<bool>,
    pub ignore_spinners: Option<bool>,
}
