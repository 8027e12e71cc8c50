//! A question to the policy and its answer.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{ExecutionMode, RiskDescriptor, SuccessSignal, TargetRef};
use crate::json::{JsonObject, Positive};
use crate::names::{ActionId, RevisionId, ScopeId, Timestamp};
use crate::policy::vocabulary::{
    AuditLevel, DataClass, PolicyEffect, PolicyGrant, PolicyPrincipal, PolicyReason, PrincipalType,
    RedactionMode, SideEffectClass,
};
use crate::workflow::{InteractionMode, LocalizedText};

/// How many of the signals an obligation wants.
#[wire]
pub enum AnyOrAll {
    Any,
    All,
}

/// What comes with a decision.
#[wire(tag = "type")]
pub enum PolicyObligation {
    Confirm { by: Option<PrincipalType>, text: Option<LocalizedText>, expires_ms: Option<Positive> },
    Audit { level: AuditLevel },
    Redact { mode: RedactionMode, paths: Option<Vec<CompactString>> },
    RestrictModes { modes: Vec<ExecutionMode> },
    Verify { policy: AnyOrAll, signals: Option<Vec<SuccessSignal>> },
    Notify { text: LocalizedText },
    Handoff { reason: CompactString, instructions: Option<LocalizedText> },
}

/// A question.
#[wire]
pub struct PolicyRequest {
    pub principal: PolicyPrincipal,
    pub action_id: ActionId,
    pub target: Option<TargetRef>,
    pub args: Option<JsonObject>,
    pub risk: Option<RiskDescriptor>,
    pub side_effect: Option<SideEffectClass>,
    pub data_classes: Option<Vec<DataClass>>,
    pub route_id: Option<CompactString>,
    pub scope_id: Option<ScopeId>,
    pub execution_mode: Option<ExecutionMode>,
    pub workflow_id: Option<CompactString>,
    pub interaction_mode: Option<InteractionMode>,
    pub revision: Option<RevisionId>,
}

/// An answer.
#[wire]
pub struct PolicyDecision {
    pub decision_id: CompactString,
    pub effect: PolicyEffect,
    pub reasons: Vec<PolicyReason>,
    /// `<policyId>/<ruleId>`, sorted.
    pub matched_rules: Vec<CompactString>,
    pub missing_grants: Option<Vec<PolicyGrant>>,
    pub obligations: Vec<PolicyObligation>,
    pub message: Option<LocalizedText>,
    pub policy_revision: Option<CompactString>,
    /// Bound to the revision of the page when left out.
    pub expires_at: Option<Timestamp>,
}
