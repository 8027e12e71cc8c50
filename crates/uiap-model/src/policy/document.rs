//! A policy as it is written.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::document::ModelVersion;
use crate::capability::{ActionKind, ExecutionMode, RiskLevel, RiskTag, UIRole};
use crate::json::{JsonObject, Positive};
use crate::names::{ScopeId, StableId};
use crate::policy::audit::AuditPolicy;
use crate::policy::decision::PolicyObligation;
use crate::policy::vocabulary::{
    DataClass, PolicyEffect, PolicyGrant, PrincipalType, RedactionMode, SideEffectClass,
};
use crate::problem::{Code, Problem};
use crate::workflow::{InteractionMode, LocalizedText};

/// Two rules of one name.
pub const SAME_RULE: Code = Code("UIAP-M040");

/// Rules about what may be done, shown and written down.
#[wire]
pub struct PolicyDocument {
    pub model_version: ModelVersion,
    pub id: Option<CompactString>,
    pub revision: Option<CompactString>,
    pub defaults: PolicyDefaults,
    /// Replaces the built-in table row by row.
    pub grants: Option<Vec<GrantRequirement>>,
    pub rules: Option<Vec<PolicyRule>>,
    pub redaction: Option<Vec<RedactionRule>>,
    pub audit: Option<AuditPolicy>,
    pub handoff: Option<HandoffPolicy>,
    pub metadata: Option<JsonObject>,
}

/// What holds where no rule says anything.
#[wire]
pub struct PolicyDefaults {
    /// For an action that nobody declared.
    pub on_unknown_action: PolicyEffect,
    /// For a declared action that no rule matches; by risk when left out.
    pub on_no_match: Option<PolicyEffect>,
    pub by_risk: Option<BTreeMap<RiskLevel, PolicyEffect>>,
    pub on_missing_grant: Option<OnMissingGrant>,
    pub on_error: Option<OnError>,
    pub redaction: Option<RedactionMode>,
}

/// What happens without a grant.
#[wire]
pub enum OnMissingGrant {
    Deny,
    Handoff,
    Confirm,
}

/// What happens when a policy cannot be evaluated.
#[wire]
pub enum OnError {
    Deny,
    Handoff,
}

/// Whether data is read or written.
#[wire]
pub enum Access {
    Read,
    Write,
}

/// The grants that an effect or a kind of data needs.
#[wire]
pub struct GrantRequirement {
    pub side_effect: Option<SideEffectClass>,
    pub data_class: Option<DataClass>,
    pub risk_tag: Option<RiskTag>,
    pub access: Option<Access>,
    pub requires: Vec<PolicyGrant>,
}

/// A rule.
#[wire]
pub struct PolicyRule {
    pub id: CompactString,
    pub description: Option<CompactString>,
    pub enabled: Option<bool>,
    /// `{}` matches everything.
    pub r#match: PolicyMatch,
    pub effect: PolicyEffect,
    /// May loosen defaults; never grants, `blocked` or platform limits.
    pub r#override: Option<bool>,
    pub obligations: Option<Vec<PolicyObligation>>,
    pub reason: Option<LocalizedText>,
}

/// Reading or acting.
#[wire]
pub enum PolicyPhase {
    Observe,
    Act,
}

/// The principals that a rule means.
#[wire]
pub struct PrincipalMatch {
    pub types: Option<Vec<PrincipalType>>,
    pub ids: Option<Vec<CompactString>>,
    pub roles: Option<Vec<CompactString>>,
    pub grants: Option<Vec<PolicyGrant>>,
}

/// When a rule applies: every member must match, a list by any of its entries.
#[wire]
#[derive(Default)]
pub struct PolicyMatch {
    /// Ids, or `prefix.*`.
    pub actions: Option<Vec<CompactString>>,
    pub action_kinds: Option<Vec<ActionKind>>,
    pub risk_levels: Option<Vec<RiskLevel>>,
    pub risk_tags: Option<Vec<RiskTag>>,
    pub side_effects: Option<Vec<SideEffectClass>>,
    pub data_classes: Option<Vec<DataClass>>,
    /// Route ids, or `prefix.*`.
    pub routes: Option<Vec<CompactString>>,
    pub scopes: Option<Vec<ScopeId>>,
    pub stable_ids: Option<Vec<StableId>>,
    pub roles: Option<Vec<UIRole>>,
    pub execution_modes: Option<Vec<ExecutionMode>>,
    pub principal: Option<PrincipalMatch>,
    pub workflow_ids: Option<Vec<CompactString>>,
    pub interaction_modes: Option<Vec<InteractionMode>>,
    pub phase: Option<Vec<PolicyPhase>>,
}

/// What is hidden.
#[wire]
pub struct RedactionRule {
    pub id: CompactString,
    pub r#match: PolicyMatch,
    pub mode: RedactionMode,
    pub paths: Option<Vec<CompactString>>,
    pub replacement: Option<CompactString>,
}

/// Who takes over.
#[wire]
pub enum HandoffTo {
    User,
    Support,
}

/// What happens when nobody takes over.
#[wire]
pub enum OnHandoffTimeout {
    Cancel,
    Wait,
}

/// How people take over.
#[wire]
pub struct HandoffPolicy {
    pub to: Option<HandoffTo>,
    pub timeout_ms: Option<Positive>,
    pub on_timeout: Option<OnHandoffTimeout>,
}

impl PolicyDocument {
    /// What the shape cannot say: rules and redactions have names of their own.
    pub fn check(&self) -> Vec<Problem> {
        let rules = self.rules.iter().flatten().map(|rule| rule.id.as_str());
        let redactions = self.redaction.iter().flatten().map(|rule| rule.id.as_str());
        crate::document::duplicates("/rules", "id", SAME_RULE, rules)
            .chain(crate::document::duplicates("/redaction", "id", SAME_RULE, redactions))
            .collect()
    }
}
