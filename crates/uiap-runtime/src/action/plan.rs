//! What an action says of itself before it is done: what it is done to, what for, and what it should change. The protocol lets a
//! requester leave all of it to defaults; a strict session does not.

use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::verification::VerificationPolicy;
use uiap_model::capability::{ActionDescriptor, SuccessSignal, UIState};

use super::primitive;
use super::take_in::names_target;

/// A part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What it is done to.
    Target,
    /// What for.
    Intent,
    /// What it should change.
    ExpectedChange,
}

impl Part {
    /// Where a request says it.
    pub fn member(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Intent => "metadata.intent",
            Self::ExpectedChange => "verification.signals",
        }
    }
}

/// What a request leaves out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan is incomplete, it lacks {}", self.members().join(", "))]
pub struct IncompletePlan {
    missing: Vec<Part>,
}

impl IncompletePlan {
    /// The parts.
    pub fn missing(&self) -> &[Part] {
        &self.missing
    }

    /// The members of a request that would say them.
    pub fn members(&self) -> Vec<&'static str> {
        self.missing.iter().map(|part| part.member()).collect()
    }
}

/// What an action is for, where its request says so.
pub fn intent(request: &ActionRequestPayload) -> Option<&str> {
    let said = request.metadata.as_ref()?.0.get("intent")?.as_str()?.trim();
    (!said.is_empty()).then_some(said)
}

/// What an action should change, where its request says so in a way that is verified.
pub fn expected_change(request: &ActionRequestPayload) -> &[SuccessSignal] {
    let Some(spec) = &request.verification else { return &[] };
    match spec.policy {
        None | Some(VerificationPolicy::Any | VerificationPolicy::All) => {
            spec.signals.as_deref().unwrap_or_default()
        }
        // These two do not look at the signals of a request.
        Some(VerificationPolicy::None | VerificationPolicy::CapabilityDefault) => &[],
    }
}

/// A state without any property is so in every page.
fn says_change(signals: &[SuccessSignal]) -> bool {
    let says_nothing = |signal: &SuccessSignal| matches!(signal, SuccessSignal::ElementState { state, .. } if *state == UIState::default());
    !signals.is_empty() && !signals.iter().any(says_nothing)
}

/// Whether a request says all of it.
pub fn check_plan(
    request: &ActionRequestPayload,
    descriptor: &ActionDescriptor,
) -> Result<(), IncompletePlan> {
    let parts = [
        (Part::Target, names_target(request) || !primitive::needs_target(descriptor)),
        (Part::Intent, intent(request).is_some()),
        (Part::ExpectedChange, says_change(expected_change(request))),
    ];
    let missing: Vec<Part> = parts.into_iter().filter(|(_, said)| !said).map(|(part, _)| part).collect();
    if missing.is_empty() { Ok(()) } else { Err(IncompletePlan { missing }) }
}
