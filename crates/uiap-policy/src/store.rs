//! The policy in force: replaced as a whole by a valid one, kept when the new one is not.

use std::sync::Arc;

use serde_json::Value;
use uiap_model::authoring::{BuildContext, ScopedPolicyDocument};
use uiap_model::policy::message::{PolicyChangedPayload, PolicyDocumentPayload, PolicyGetPayload};
use uiap_model::problem::{Code, Problem};

use crate::policies::{Policies, Refusal};

/// No policy was read yet.
pub const NOTHING_READ: Code = Code("UIAP-P004");

/// Holds the policy in force.
#[derive(Clone, Debug)]
pub struct PolicyStore {
    current: Arc<Policies>,
    /// Whether a valid policy was ever in force.
    open: bool,
}

impl Default for PolicyStore {
    /// Until a policy is read nothing is allowed.
    fn default() -> Self {
        let refusal = Refusal::unreadable(Problem::error(NOTHING_READ, "", "no policy was read yet"));
        Self { current: Arc::new(Policies::closed(&refusal)), open: false }
    }
}

impl PolicyStore {
    /// Starts with a policy that is known to be good.
    pub fn new(policies: Policies) -> Self {
        Self { current: Arc::new(policies), open: true }
    }

    /// The policy in force.
    pub fn current(&self) -> &Arc<Policies> {
        &self.current
    }

    /// Puts documents into force, or says what is wrong with them and changes nothing. Where no valid policy was in
    /// force before, everything stays denied, from now on for this reason.
    pub fn activate(
        &mut self,
        sources: Vec<ScopedPolicyDocument>,
        context: &BuildContext,
    ) -> Result<PolicyChangedPayload, Refusal> {
        self.replace(Policies::compile(sources, context))
    }

    /// The same for documents that were not decoded yet.
    pub fn activate_values(
        &mut self,
        values: &[Value],
        context: &BuildContext,
    ) -> Result<PolicyChangedPayload, Refusal> {
        self.replace(Policies::from_values(values, context))
    }

    /// The same for text that could not be read at all: always a refusal.
    pub fn refuse(&mut self, refusal: Refusal) -> Refusal {
        if !self.open {
            self.current = Arc::new(Policies::closed(&refusal));
        }
        refusal
    }

    /// Answers `uiap.policy.get`.
    pub fn document(&self, request: &PolicyGetPayload) -> PolicyDocumentPayload {
        let known = request.if_revision_not.as_deref() == Some(self.current.revision());
        PolicyDocumentPayload {
            revision: self.current.revision().into(),
            not_modified: known.then_some(true),
            policies: if known { Vec::new() } else { self.current.sources().to_vec() },
        }
    }

    fn replace(&mut self, compiled: Result<Policies, Refusal>) -> Result<PolicyChangedPayload, Refusal> {
        match compiled {
            Ok(policies) => {
                *self = Self::new(policies);
                Ok(PolicyChangedPayload { revision: self.current.revision().into() })
            }
            Err(refusal) => Err(self.refuse(refusal)),
        }
    }
}
