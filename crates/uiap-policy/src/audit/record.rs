//! Making records: how much is told depends on the level, and arguments are covered before they are written.

use compact_str::CompactString;
use uiap_model::action::SideEffectState;
use uiap_model::digest::{CanonicalError, canonical, digest, sha256};
use uiap_model::json::{Count, JsonObject};
use uiap_model::names::{ActionHandle, ActionId, SessionId, Timestamp};
use uiap_model::policy::audit::{AuditEvent, AuditOutcome, AuditTarget};
use uiap_model::policy::{
    AuditLevel, AuditRecord, PolicyDecision, PolicyEffect, PolicyPrincipal, PolicyRequest,
};

use super::chain::Head;
use crate::obligation::audit_level;
use crate::policies::Policies;
use crate::redact::Redactor;
use crate::situation::Situation;

/// What happened, before it has a place in the chain.
#[derive(Clone, Debug)]
pub struct AuditDraft {
    event: AuditEvent,
    principal: PolicyPrincipal,
    level: AuditLevel,
    decision_id: Option<CompactString>,
    action_id: Option<ActionId>,
    effect: Option<PolicyEffect>,
    matched_rules: Option<Vec<CompactString>>,
    policy_revision: Option<CompactString>,
    args: Option<JsonObject>,
    args_digest: Option<CompactString>,
    /// The running action.
    pub action_handle: Option<ActionHandle>,
    /// The running workflow.
    pub workflow_instance_id: Option<CompactString>,
    /// What was acted on.
    pub target: Option<AuditTarget>,
    /// How it ended.
    pub outcome: Option<AuditOutcome>,
    /// Whether the app was changed.
    pub side_effect_state: Option<SideEffectState>,
}

impl AuditDraft {
    /// Something that no decision belongs to, such as a change of the policy.
    pub fn new(event: AuditEvent, principal: &PolicyPrincipal, level: AuditLevel) -> Self {
        Self {
            event,
            principal: principal.clone(),
            level,
            decision_id: None,
            action_id: None,
            effect: None,
            matched_rules: None,
            policy_revision: None,
            args: None,
            args_digest: None,
            action_handle: None,
            workflow_instance_id: None,
            target: None,
            outcome: None,
            side_effect_state: None,
        }
    }

    /// Something that belongs to a decision, written down at the decision's level.
    pub fn of_decision(event: AuditEvent, request: &PolicyRequest, decision: &PolicyDecision) -> Self {
        let mut draft = Self::new(event, &request.principal, audit_level(decision));
        draft.decision_id = Some(decision.decision_id.clone());
        draft.action_id = Some(request.action_id.clone());
        draft.effect = Some(decision.effect);
        draft.matched_rules = Some(decision.matched_rules.clone());
        draft.policy_revision.clone_from(&decision.policy_revision);
        draft
    }

    /// Adds arguments: themselves at level `full` unless a policy says no, else their digest. Both are made after
    /// covering, since the digest of a short secret can be guessed.
    pub fn args(
        mut self,
        args: &JsonObject,
        redactor: &Redactor,
        situation: &Situation<'_>,
        policies: &Policies,
    ) -> Result<Self, CanonicalError> {
        let shown = redactor.for_audit().object(args, situation, &[]);
        self.args_digest = Some(digest(&shown)?.as_str().into());
        let refused = policies.audit().any(|policy| policy.include_args == Some(false));
        if self.level == AuditLevel::Full && !refused {
            self.args = Some(shown);
        }
        Ok(self)
    }
}

/// A record with its place in the chain.
#[derive(Clone, Debug)]
pub struct SealedRecord {
    /// The record.
    pub record: AuditRecord,
    /// Its canonical form: one line, without its end.
    pub line: Vec<u8>,
}

/// The chain of one session.
#[derive(Clone, Debug)]
pub struct AuditTrail {
    session_id: SessionId,
    head: Option<Head>,
}

impl AuditTrail {
    /// An empty chain.
    pub fn new(session_id: SessionId) -> Self {
        Self { session_id, head: None }
    }

    /// Goes on where another one stopped.
    pub fn resume(session_id: SessionId, head: Head) -> Self {
        Self { session_id, head: Some(head) }
    }

    /// The last record's number and digest: keep it elsewhere, and a chain that was cut short is found out.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Gives a draft its place in the chain; `None` when its level is `none`.
    pub fn append(
        &mut self,
        draft: AuditDraft,
        ts: Timestamp,
    ) -> Result<Option<AuditRecord>, CanonicalError> {
        Ok(self.seal(draft, ts)?.map(|sealed| sealed.record))
    }

    /// The same, with the form that the next record's digest is made of.
    pub fn seal(&mut self, draft: AuditDraft, ts: Timestamp) -> Result<Option<SealedRecord>, CanonicalError> {
        if draft.level == AuditLevel::None {
            return Ok(None);
        }
        let seq = self.head.as_ref().map_or(1, |head| head.seq + 1);
        let record = AuditRecord {
            audit_id: compact_str::format_compact!("a-{seq}"),
            ts,
            session_id: self.session_id.clone(),
            event: draft.event,
            principal: draft.principal,
            decision_id: draft.decision_id,
            action_id: draft.action_id,
            action_handle: draft.action_handle,
            workflow_instance_id: draft.workflow_instance_id,
            target: draft.target,
            effect: draft.effect,
            matched_rules: draft.matched_rules,
            outcome: draft.outcome,
            side_effect_state: draft.side_effect_state,
            args_digest: draft.args_digest,
            args: draft.args,
            policy_revision: draft.policy_revision,
            seq: Count(seq),
            prev_digest: self.head.as_ref().map(|head| head.digest.as_str().into()),
        };
        let line = canonical(&record)?;
        self.head = Some(Head { seq, digest: sha256(&line) });
        Ok(Some(SealedRecord { record, line }))
    }
}
