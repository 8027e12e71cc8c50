//! What must be seen for an action to count as done: what the requester wants, else what the action declares, else what the target
//! declares, else the least that makes sense.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uiap_model::action::verification::{VerificationPolicy, VerificationSpec};
use uiap_model::capability::{ActionDescriptor, ActionKind, Idempotency, SuccessSignal};
use uiap_model::policy::decision::{AnyOrAll, PolicyObligation};
use uiap_model::web::ElementNode;

/// How long signals are waited for when nobody says it.
const USUAL: Duration = Duration::from_secs(5);

/// How many of the signals must be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Combine {
    /// None: nothing is verified.
    None,
    /// One.
    Any,
    /// Every one.
    All,
    /// There are none: the least that makes sense for the action.
    #[default]
    Least,
}

impl Combine {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Any => "any",
            Self::All => "all",
            Self::Least => "least",
        }
    }
}

/// What must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As it is told.
    pub policy: VerificationPolicy,
    /// As it is meant.
    pub combine: Combine,
    /// The signals.
    pub signals: Vec<SuccessSignal>,
    /// What a policy wants seen in any case.
    pub obliged: Vec<(AnyOrAll, Vec<SuccessSignal>)>,
    /// For how long it is waited for.
    pub timeout: Duration,
    /// Whether the page must have another revision.
    pub require_revision_advance: bool,
    /// Whether something must be seen that was not so before: the action is not one that may find its work done.
    pub news: bool,
}

impl Expectation {
    /// Finds out what must be seen.
    pub fn new(
        spec: Option<&VerificationSpec>,
        descriptor: &ActionDescriptor,
        element: Option<&ElementNode>,
        obligations: &[PolicyObligation],
    ) -> Self {
        let asked = spec.and_then(|spec| spec.policy).unwrap_or(VerificationPolicy::CapabilityDefault);
        let wanted = spec.and_then(|spec| spec.signals.clone()).filter(|signals| !signals.is_empty());
        // Signals without a word about them all have to be seen.
        let policy = match (asked, &wanted, spec.and_then(|spec| spec.policy)) {
            (VerificationPolicy::CapabilityDefault, Some(_), None) => VerificationPolicy::All,
            (policy, ..) => policy,
        };
        let (combine, signals) = match policy {
            VerificationPolicy::None => (Combine::None, Vec::new()),
            VerificationPolicy::Any => (Combine::Any, wanted.unwrap_or_default()),
            VerificationPolicy::All => (Combine::All, wanted.unwrap_or_default()),
            VerificationPolicy::CapabilityDefault => declared(descriptor, element),
        };
        let obliged = obligations.iter().filter_map(|obligation| match obligation {
            PolicyObligation::Verify { policy, signals } => {
                Some((*policy, signals.clone().unwrap_or_default()))
            }
            _ => None,
        });
        let obliged: Vec<_> = obliged.collect();
        // A policy that wants proof is not satisfied with none.
        let combine = if combine == Combine::None && !obliged.is_empty() { Combine::Least } else { combine };
        Self {
            policy,
            combine,
            signals,
            obliged,
            timeout: spec
                .and_then(|spec| spec.timeout_ms)
                .map_or(USUAL, |time| Duration::from_millis(time.0)),
            require_revision_advance: spec.and_then(|spec| spec.require_revision_advance) == Some(true),
            news: descriptor.idempotency != Some(Idempotency::Idempotent),
        }
    }

    pub(super) fn timeout_ms(&self) -> u64 {
        u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Whether a list of which one or all must be seen is empty, which can never pass.
    pub fn is_impossible(&self) -> bool {
        matches!(self.combine, Combine::Any | Combine::All) && self.signals.is_empty()
    }
}

/// What action or target declare: all of it for actions of the app, one of it for the protocol's own.
fn declared(descriptor: &ActionDescriptor, element: Option<&ElementNode>) -> (Combine, Vec<SuccessSignal>) {
    let own = descriptor.success.clone().filter(|signals| !signals.is_empty());
    let of_target =
        || element.and_then(|element| element.success.clone()).filter(|signals| !signals.is_empty());
    let combine = match descriptor.kind {
        ActionKind::Domain => Combine::All,
        ActionKind::Primitive => Combine::Any,
    };
    own.or_else(of_target).map_or((Combine::Least, Vec::new()), |signals| (combine, signals))
}
