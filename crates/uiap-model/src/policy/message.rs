//! Messages of the policy extension.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::ScopedPolicyDocument;
use crate::capability::SuccessSignal;
use crate::json::Positive;
use crate::names::{ActionHandle, ActionId};
use crate::policy::audit::AuditRecord;
use crate::policy::decision::{PolicyDecision, PolicyRequest};
use crate::workflow::LocalizedText;

/// Payload of the request `uiap.policy.get`.
#[wire]
pub struct PolicyGetPayload {
    pub if_revision_not: Option<CompactString>,
}

/// Payload of the response `uiap.policy.document`.
#[wire]
pub struct PolicyDocumentPayload {
    pub revision: CompactString,
    pub not_modified: Option<bool>,
    pub policies: Vec<ScopedPolicyDocument>,
}

/// Payload of the request `uiap.policy.evaluate`.
#[wire]
pub struct PolicyEvaluatePayload {
    pub request: PolicyRequest,
}

/// Payload of the response `uiap.policy.decision`.
#[wire]
pub struct PolicyDecisionPayload {
    pub decision: PolicyDecision,
}

/// Payload of the event `uiap.policy.changed`.
#[wire]
pub struct PolicyChangedPayload {
    pub revision: CompactString,
}

/// Payload of the event `uiap.policy.audit`.
#[wire]
pub struct PolicyAuditPayload {
    pub record: AuditRecord,
}

/// Payload of the event `uiap.policy.handoff.request`.
#[wire]
pub struct HandoffRequestPayload {
    pub handoff_id: CompactString,
    pub action_handle: Option<ActionHandle>,
    pub workflow_instance_id: Option<CompactString>,
    pub action_id: Option<ActionId>,
    pub reason: CompactString,
    pub instructions: Option<LocalizedText>,
    pub resume_on: Option<Vec<SuccessSignal>>,
    pub timeout_ms: Option<Positive>,
}

/// How a handoff ended.
#[wire]
pub enum HandoffOutcome {
    Done,
    Declined,
    Timeout,
}

/// Payload of the event `uiap.policy.handoff.completed`.
#[wire]
pub struct HandoffCompletedPayload {
    pub handoff_id: CompactString,
    pub outcome: HandoffOutcome,
    pub note: Option<CompactString>,
}
