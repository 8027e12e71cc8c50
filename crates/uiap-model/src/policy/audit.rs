//! What is written down.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::action::SideEffectState;
use crate::capability::{RiskLevel, UIRole};
use crate::json::{Count, JsonObject};
use crate::names::{ActionHandle, ActionId, ScopeId, SessionId, StableId, Timestamp};
use crate::policy::vocabulary::{AuditLevel, PolicyEffect, PolicyPrincipal};

/// Where audit records go.
#[wire]
pub enum AuditSink {
    Event,
    App,
    Both,
}

/// How much is written down, and from which risk on.
#[wire]
pub struct AuditPolicy {
    pub level: AuditLevel,
    pub min_risk: Option<RiskLevel>,
    pub include_args: Option<bool>,
    pub sink: Option<AuditSink>,
}

/// What an audit record tells of.
#[wire(case = "snake")]
pub enum AuditEvent {
    Decision,
    Confirmation,
    Execution,
    Handoff,
    Redaction,
    PolicyChange,
}

/// How it ended.
#[wire]
pub enum AuditOutcome {
    Succeeded,
    Failed,
    Cancelled,
    Granted,
    Denied,
    Expired,
}

/// What was acted on.
#[wire]
pub struct AuditTarget {
    pub stable_id: Option<StableId>,
    pub role: Option<UIRole>,
    pub scope_id: Option<ScopeId>,
}

/// One entry of the chain.
#[wire]
pub struct AuditRecord {
    pub audit_id: CompactString,
    pub ts: Timestamp,
    pub session_id: SessionId,
    pub event: AuditEvent,
    pub principal: PolicyPrincipal,
    pub decision_id: Option<CompactString>,
    pub action_id: Option<ActionId>,
    pub action_handle: Option<ActionHandle>,
    pub workflow_instance_id: Option<CompactString>,
    pub target: Option<AuditTarget>,
    pub effect: Option<PolicyEffect>,
    pub matched_rules: Option<Vec<CompactString>>,
    pub outcome: Option<AuditOutcome>,
    pub side_effect_state: Option<SideEffectState>,
    pub args_digest: Option<CompactString>,
    /// At level `full` only, after redaction.
    pub args: Option<JsonObject>,
    pub policy_revision: Option<CompactString>,
    pub seq: Count,
    pub prev_digest: Option<CompactString>,
}
