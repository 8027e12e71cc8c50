//! Asking a person: a grant is bound to exactly what was shown, counts once, expires, and never comes from the asker.

use compact_str::CompactString;
use serde::Serialize;
use uiap_model::action::result::ResolvedTarget;
use uiap_model::capability::RiskDescriptor;
use uiap_model::capability::UIRole;
use uiap_model::digest::{CanonicalError, digest};
use uiap_model::json::JsonObject;
use uiap_model::names::{
    ActionHandle, ActionId, DocumentId, ElementInstanceId, ScopeId, SessionId, StableId,
};
use uiap_model::names::{Digest, RevisionId};
use uiap_model::policy::audit::AuditOutcome;
use uiap_model::policy::{PolicyDecision, PolicyObligation, PolicyPrincipal, PrincipalType};

/// How long a question stays open where nobody says so.
pub const USUAL_EXPIRY_MS: u64 = 120_000;

/// Who the target is, without what may move.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetIdentity {
    document_id: DocumentId,
    instance_id: ElementInstanceId,
    stable_id: Option<StableId>,
    scope_id: Option<ScopeId>,
    role: UIRole,
    name: Option<CompactString>,
    items: Vec<(UIRole, Option<CompactString>)>,
}

impl TargetIdentity {
    /// A target, and the rows and items that it belongs to: they tell equal buttons apart.
    pub fn new(target: &ResolvedTarget, items: Vec<(UIRole, Option<CompactString>)>) -> Self {
        Self {
            items,
            document_id: target.document_id.clone(),
            instance_id: target.instance_id.clone(),
            stable_id: target.stable_id.clone(),
            scope_id: target.scope_id.clone(),
            role: target.role.clone(),
            name: target.name.clone(),
        }
    }
}

/// Everything that a grant is bound to. Made when the question is asked and again before the action runs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationBinding {
    /// The session.
    pub session_id: SessionId,
    /// The action that waits.
    pub action_handle: ActionHandle,
    /// The decision that asks for it.
    pub decision_id: CompactString,
    /// What would be done.
    pub action_id: ActionId,
    /// To what.
    pub target: Option<TargetIdentity>,
    /// With what; only the digest is kept.
    pub args: Option<JsonObject>,
    /// How risky it is.
    pub risk: RiskDescriptor,
    /// Where.
    pub origin: Option<CompactString>,
    /// On which page.
    pub revision: RevisionId,
    /// Never used before; from the system's random source.
    pub nonce: CompactString,
}

impl ConfirmationBinding {
    /// One digest for all of it.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        digest(self)
    }
}

/// Who speaks, and over which connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Party {
    /// The authenticated principal.
    pub principal: PolicyPrincipal,
    /// The connection that it was authenticated on.
    pub connection: CompactString,
}

impl Party {
    fn is_same_as(&self, other: &Self) -> bool {
        self.connection == other.connection
            || (self.principal.principal_type == other.principal.principal_type
                && self.principal.id == other.principal.id)
    }
}

/// A grant or denial that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantRefusal {
    /// The asker cannot answer itself.
    #[error("the requester of an action cannot confirm it")]
    Requester,
    /// Neither a person nor authorised by the app.
    #[error("only a user or a confirmer that the app authorised can confirm an action")]
    NotAuthorised,
    /// The rule names another kind of principal.
    #[error("a principal of type `{0}` must confirm this action")]
    OtherType(PrincipalType),
    /// Too late.
    #[error("the confirmation has expired")]
    Expired,
    /// Answered before.
    #[error("the confirmation was answered before")]
    Answered,
}

impl GrantRefusal {
    /// How the audit names it, where it is an end.
    pub fn outcome(self) -> AuditOutcome {
        if self == Self::Expired { AuditOutcome::Expired } else { AuditOutcome::Denied }
    }
}

/// What is about to run differs from what was shown; it must be asked anew.
#[derive(Debug, thiserror::Error)]
pub enum Drift {
    /// Something that the grant is bound to is different now.
    #[error("target, arguments, origin or page changed since the confirmation was asked")]
    Changed,
    /// The grant is too old by now.
    #[error("the grant has expired")]
    Expired,
    /// What is about to run has no canonical form.
    #[error(transparent)]
    Form(#[from] CanonicalError),
}

/// A question that waits for a person. Times are in milliseconds of one monotonic clock.
#[derive(Clone, Debug)]
pub struct PendingConfirmation {
    digest: Digest,
    requester: Party,
    by: Vec<PrincipalType>,
    expires_at: u64,
    answered: bool,
}

/// A person's yes. It cannot be copied: redeeming it uses it up.
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    digest: Digest,
    expires_at: u64,
}

impl PendingConfirmation {
    /// Opens a question as the decision asks for it.
    pub fn open(
        binding: &ConfirmationBinding,
        decision: &PolicyDecision,
        requester: Party,
        now: u64,
    ) -> Result<Self, CanonicalError> {
        let mut by = Vec::new();
        let mut expiry = USUAL_EXPIRY_MS;
        for obligation in &decision.obligations {
            if let PolicyObligation::Confirm { by: who, expires_ms, .. } = obligation {
                by.extend(*who);
                expiry = expiry.min(expires_ms.map_or(USUAL_EXPIRY_MS, |time| time.0));
            }
        }
        let expires_at = now.saturating_add(expiry);
        Ok(Self { digest: binding.digest()?, requester, by, expires_at, answered: false })
    }

    /// Whether nobody can answer any more.
    pub fn is_expired(&self, now: u64) -> bool {
        now >= self.expires_at
    }

    /// Milliseconds in which it can still be answered.
    pub fn left(&self, now: u64) -> u64 {
        self.expires_at.saturating_sub(now)
    }

    /// A yes. `authorised` tells whether the app made this principal a confirmer.
    pub fn grant(&mut self, by: &Party, authorised: bool, now: u64) -> Result<Grant, GrantRefusal> {
        self.answer(by, authorised, now)?;
        Ok(Grant { digest: self.digest.clone(), expires_at: self.expires_at })
    }

    /// A no; it needs the same right as a yes.
    pub fn deny(&mut self, by: &Party, authorised: bool, now: u64) -> Result<(), GrantRefusal> {
        self.answer(by, authorised, now)
    }

    fn answer(&mut self, by: &Party, authorised: bool, now: u64) -> Result<(), GrantRefusal> {
        let kind = by.principal.principal_type;
        if by.is_same_as(&self.requester) {
            return Err(GrantRefusal::Requester);
        }
        if kind != PrincipalType::User && !authorised {
            return Err(GrantRefusal::NotAuthorised);
        }
        if let Some(wanted) = self.by.iter().find(|wanted| **wanted != kind) {
            return Err(GrantRefusal::OtherType(*wanted));
        }
        if self.answered {
            return Err(GrantRefusal::Answered);
        }
        if self.is_expired(now) {
            return Err(GrantRefusal::Expired);
        }
        self.answered = true;
        Ok(())
    }
}

impl Grant {
    /// Uses the grant up for what is about to run; refused when that is not what was shown.
    pub fn redeem(self, about_to_run: &ConfirmationBinding, now: u64) -> Result<(), Drift> {
        if now >= self.expires_at {
            return Err(Drift::Expired);
        }
        if about_to_run.digest()? == self.digest { Ok(()) } else { Err(Drift::Changed) }
    }
}
