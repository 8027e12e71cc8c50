//! Redaction: nothing delicate leaves the process. A [`Redactor`] covers what a principal may not see by data class,
//! grants and rules, remembers the values it covered, and scrubs them from every other text.
//!
//! Redact the graph first and make deltas from redacted graphs: then no delta can hold what its graph withholds.

mod element;
mod encoded;
mod form;
mod graph;
mod message;
mod plan;
mod secret;
mod tree;
mod url;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use uiap_model::names::ActionId;
use uiap_model::policy::{PolicyPrincipal, PolicyRequest};

use crate::grant::Grants;
use crate::policies::Policies;

pub use message::displayable;
pub use secret::Secrets;

/// Stands where something was taken out.
pub const REDACTED: &str = "[redacted]";

/// What the redactors of one session know together: a value that one of them covers is covered by all.
pub type SharedSecrets = Arc<RwLock<Secrets>>;

/// For whom something is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The principal, with its grants.
    Principal,
    /// The audit: credentials and secrets are never written down, whatever was granted.
    Audit,
}

/// Covers what one principal may not see.
#[derive(Clone, Debug)]
pub struct Redactor {
    policies: Arc<Policies>,
    grants: Grants,
    audience: Audience,
    reveals_secrets: bool,
    salt: [u8; 32],
    secrets: SharedSecrets,
    /// The question that rules about redaction are asked: reading.
    question: Option<PolicyRequest>,
}

impl Redactor {
    /// `salt` keeps hashes of one session from being compared with those of another; take it from the system's
    /// random source.
    pub fn new(
        policies: Arc<Policies>,
        principal: &PolicyPrincipal,
        audience: Audience,
        salt: [u8; 32],
    ) -> Self {
        let question = ActionId::parse("ui.read").map(|action_id| PolicyRequest {
            principal: principal.clone(),
            action_id,
            target: None,
            args: None,
            risk: None,
            side_effect: None,
            data_classes: None,
            route_id: None,
            scope_id: None,
            execution_mode: None,
            workflow_id: None,
            interaction_mode: None,
            revision: None,
        });
        Self {
            policies,
            grants: Grants::held(principal.grants.iter().flatten()),
            audience,
            reveals_secrets: false,
            salt,
            secrets: SharedSecrets::default(),
            question,
        }
    }

    /// Lets `read.secret` open credentials and secrets to the principal. Without this call nobody sees them, and what
    /// is typed hidden on the screen stays hidden even so.
    #[must_use]
    pub fn revealing_secrets(mut self) -> Self {
        self.reveals_secrets = self.audience == Audience::Principal;
        self
    }

    /// The same for the audit, where credentials and secrets never show.
    #[must_use]
    pub fn for_audit(&self) -> Self {
        Self { audience: Audience::Audit, reveals_secrets: false, ..self.clone() }
    }

    /// The same under another policy: what was learned stays learned.
    #[must_use]
    pub fn under(&self, policies: Arc<Policies>) -> Self {
        Self { policies, ..self.clone() }
    }

    /// The same, sharing what it knows and learns with others.
    #[must_use]
    pub fn knowing(self, secrets: SharedSecrets) -> Self {
        Self { secrets, ..self }
    }

    /// What is known, to be shared with others.
    pub fn shared(&self) -> SharedSecrets {
        Arc::clone(&self.secrets)
    }

    /// The values that were covered so far.
    pub fn secrets(&self) -> RwLockReadGuard<'_, Secrets> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a value that must not appear anywhere, such as one out of a vault.
    pub fn learn(&self, value: &str) {
        self.secrets.write().unwrap_or_else(PoisonError::into_inner).learn(value);
    }

    /// Takes every covered value out of a text: for logs, traces, errors and text forms of pages.
    pub fn text(&self, text: &str) -> String {
        let scrubbed = self.secrets().scrub(text);
        let shown = scrubbed.as_deref().unwrap_or(text);
        url::within(shown).unwrap_or_else(|| shown.to_owned())
    }
}
