//! What became of an action.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::action::verification::VerificationOutcome;
use crate::capability::{ExecutionMode, UIRole};
use crate::json::JsonObject;
use crate::names::{ActionHandle, ActionId, DocumentId, ElementInstanceId, RevisionId, ScopeId, StableId};
use crate::problem::Problem;
use crate::shape::inspect::MISSING;
use crate::web::graph::DOMRectLike;

/// How a target was found.
#[wire]
pub enum ResolvedBy {
    StableId,
    InstanceId,
    Semantic,
    Annotation,
    RuntimeHint,
}

/// A target that was found.
#[wire]
pub struct ResolvedTarget {
    pub by: ResolvedBy,
    pub instance_id: ElementInstanceId,
    pub stable_id: Option<StableId>,
    pub document_id: DocumentId,
    pub scope_id: Option<ScopeId>,
    pub role: UIRole,
    pub name: Option<CompactString>,
    pub bbox: Option<DOMRectLike>,
}

/// How far an action is.
#[wire(case = "snake")]
pub enum ActionStage {
    ResolvingTarget,
    CheckingPreconditions,
    AwaitingConfirmation,
    Executing,
    Verifying,
    WaitingForUser,
    Recovering,
}

/// Payload of the event `action.progress`.
#[wire]
pub struct ActionProgressPayload {
    pub action_handle: ActionHandle,
    pub stage: ActionStage,
    pub chosen_execution_mode: Option<ExecutionMode>,
    pub resolved_target: Option<ResolvedTarget>,
    pub note: Option<CompactString>,
    pub detail: Option<JsonObject>,
}

/// How an action ended.
#[wire]
pub enum ActionStatus {
    Succeeded,
    Failed,
    Cancelled,
}

/// Whether the app was changed.
#[wire]
pub enum SideEffectState {
    None,
    Applied,
    Unknown,
}

/// Why an action failed. `policy_denied`, `timeout` and `invalid_args` complete the published list, which has no
/// code for a refusal after acceptance.
#[wire(case = "snake")]
pub enum RuntimeErrorCode {
    ActionUnsupported,
    TargetRequired,
    TargetNotFound,
    TargetAmbiguous,
    StaleTarget,
    TargetNotInteractable,
    ConfirmationDenied,
    UserActivationRequired,
    CrossOriginUnavailable,
    ClosedShadowUnavailable,
    ExecutionModeUnavailable,
    VerificationFailed,
    UnsafeRetryRefused,
    Cancelled,
    InternalRuntimeError,
    PolicyDenied,
    Timeout,
    InvalidArgs,
}

/// An error of the runtime.
#[wire]
pub struct RuntimeErrorDescriptor {
    pub code: RuntimeErrorCode,
    pub message: CompactString,
    pub retryable: Option<bool>,
    pub detail: Option<JsonObject>,
}

/// Payload of the event `action.result`, sent exactly once.
#[wire]
pub struct ActionResultPayload {
    pub action_handle: ActionHandle,
    pub action_id: ActionId,
    pub status: ActionStatus,
    pub chosen_execution_mode: Option<ExecutionMode>,
    pub resolved_target: Option<ResolvedTarget>,
    pub verification: VerificationOutcome,
    /// Always sent; a peer that leaves it out is taken to say `unknown`.
    pub side_effect_state: Option<SideEffectState>,
    pub state_revision: Option<RevisionId>,
    pub return_value: Option<JsonObject>,
    pub error: Option<RuntimeErrorDescriptor>,
    pub metadata: Option<JsonObject>,
}

impl ActionResultPayload {
    /// The side effect as a careful controller reads it.
    pub fn side_effect(&self) -> SideEffectState {
        self.side_effect_state.unwrap_or(SideEffectState::Unknown)
    }

    /// What the shape leaves open for older peers, and we never do.
    pub fn check(&self) -> Vec<Problem> {
        let missing = self.side_effect_state.is_none().then(|| {
            Problem::warning(MISSING, "", "`sideEffectState` is missing")
                .help("every result tells `none`, `applied` or `unknown`; a reader takes it as `unknown`")
        });
        missing.into_iter().collect()
    }
}
