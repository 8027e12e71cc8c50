//! Asking for an action.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::action::verification::VerificationSpec;
use crate::capability::{ExecutionMode, UIRole};
use crate::json::{JsonObject, Positive};
use crate::names::{ActionHandle, ActionId, DocumentId, ElementInstanceId, ScopeId, StableId, TargetText};
use crate::problem::{Code, Problem};

/// An action asked for on a guess.
pub const AMBIGUITY_ASKED: Code = Code("UIAP-M031");

/// A target of a request: what the contract knows, and instances of the present revision.
#[wire(tag = "by")]
pub enum RequestTarget {
    /// By the id that the app gave it.
    StableId { value: StableId },
    /// The default or submit target of an area.
    Scope { value: ScopeId },
    /// A place in the app, for `nav.navigate`.
    Route { value: TargetText },
    /// By what it is and what it is called.
    Semantic { role: UIRole, name: Option<CompactString>, scope: Option<ScopeId> },
    /// In the app's own words.
    Custom { value: CompactString },
    /// By its instance, as long as the revision it was read from.
    InstanceId { value: ElementInstanceId },
}

/// A target and what the requester expects to find there.
#[wire]
pub struct ActionTarget {
    pub r#ref: Option<RequestTarget>,
    pub expected_role: Option<UIRole>,
    pub expected_name: Option<CompactString>,
    pub expected_scope_id: Option<ScopeId>,
    pub expected_document_id: Option<DocumentId>,
    /// Never granted; `true` is refused.
    pub allow_ambiguous: Option<bool>,
}

/// How a target is shown.
#[wire]
pub enum Highlight {
    None,
    Outline,
    Spotlight,
}

/// How fast an action is shown.
#[wire]
pub enum Pace {
    Instant,
    Humanized,
}

/// What a person shall see; never changes an outcome.
#[wire]
pub struct PresentationHints {
    pub ghost_cursor: Option<bool>,
    pub highlight: Option<Highlight>,
    pub narration: Option<CompactString>,
    pub pace: Option<Pace>,
}

/// Payload of the request `action.request`.
#[wire]
pub struct ActionRequestPayload {
    pub action_id: ActionId,
    pub target: Option<ActionTarget>,
    pub args: Option<JsonObject>,
    pub preferred_execution_modes: Option<Vec<ExecutionMode>>,
    pub verification: Option<VerificationSpec>,
    pub presentation: Option<PresentationHints>,
    pub timeout_ms: Option<Positive>,
    pub idempotency_key: Option<CompactString>,
    pub metadata: Option<JsonObject>,
}

impl ActionRequestPayload {
    /// What the shape cannot say: ambiguity is never allowed.
    pub fn check(&self) -> Vec<Problem> {
        let asked = self.target.as_ref().and_then(|target| target.allow_ambiguous) == Some(true);
        let problem = asked.then(|| {
            Problem::error(AMBIGUITY_ASKED, "/target/allowAmbiguous", "ambiguous targets are never allowed")
                .help("leave the member out and name the target more precisely")
        });
        problem.into_iter().collect()
    }
}

/// The only status of [`ActionAcceptedPayload`].
#[wire]
pub enum Accepted {
    Accepted,
}

/// Payload of the response `action.accepted`.
#[wire]
pub struct ActionAcceptedPayload {
    pub action_handle: ActionHandle,
    pub action_id: ActionId,
    pub status: Accepted,
}

/// Payload of the request `action.cancel`.
#[wire]
pub struct ActionCancelPayload {
    pub action_handle: ActionHandle,
    pub reason: Option<CompactString>,
}

/// The only status of [`ActionCancelledPayload`].
#[wire]
pub enum Cancelled {
    Cancelled,
}

/// Payload of the response `action.cancelled`.
#[wire]
pub struct ActionCancelledPayload {
    pub action_handle: ActionHandle,
    pub status: Cancelled,
    pub reason: Option<CompactString>,
}
