//! The steps of a workflow.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::action::{PresentationHints, VerificationSpec};
use crate::capability::{ExecutionMode, SuccessSignal, TargetRef};
use crate::json::{Count, JsonObject, JsonValue, Number, Positive};
use crate::names::ActionId;
use crate::policy::decision::AnyOrAll;
use crate::policy::document::HandoffTo;
use crate::workflow::condition::WorkflowCondition;
use crate::workflow::definition::InteractionMode;
use crate::workflow::text::LocalizedText;

/// A parameter's value.
#[wire]
pub struct ParamValue {
    pub param: CompactString,
}

/// What an earlier step returned.
#[wire]
pub struct ResultValue {
    pub result: CompactString,
    pub path: Option<CompactString>,
}

/// A value as it stands.
#[wire]
pub struct LiteralValue {
    pub literal: JsonValue,
}

/// A value of a step's argument.
#[wire(untagged)]
pub enum WorkflowValue {
    Param(ParamValue),
    Result(ResultValue),
    Literal(LiteralValue),
    Bool(bool),
    Number(Number),
    Text(CompactString),
    Null(Null),
}

/// `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Null;

impl crate::shape::Wire for Null {
    fn shape() -> crate::shape::Shape {
        crate::shape::Shape::Null
    }
}

/// What every step may say.
#[wire(base)]
pub struct StepBase {
    pub id: CompactString,
    pub title: Option<LocalizedText>,
    pub text: Option<LocalizedText>,
    /// False: go on with `next`.
    pub when: Option<WorkflowCondition>,
    pub modes: Option<Vec<InteractionMode>>,
    /// Needed except by `branch` and `complete`.
    pub next: Option<CompactString>,
    pub timeout_ms: Option<Positive>,
    pub recovery: Option<Vec<RecoveryRule>>,
    pub metadata: Option<JsonObject>,
}

/// One way out of a branch.
#[wire]
pub struct BranchCase {
    pub when: WorkflowCondition,
    pub next: CompactString,
}

/// How a workflow ends.
#[wire]
pub enum WorkflowOutcome {
    Success,
    Partial,
    Aborted,
}

/// What a step does.
#[wire(tag = "type")]
pub enum StepBody {
    Instruction {
        highlight: Option<TargetRef>,
        acknowledge: Option<bool>,
        advance_on: Option<Vec<SuccessSignal>>,
    },
    Collect {
        parameters: Vec<CompactString>,
        prefill: Option<BTreeMap<CompactString, WorkflowValue>>,
    },
    Action {
        action_id: ActionId,
        target: Option<TargetRef>,
        args: Option<BTreeMap<CompactString, WorkflowValue>>,
        verification: Option<VerificationSpec>,
        presentation: Option<PresentationHints>,
        preferred_execution_modes: Option<Vec<ExecutionMode>>,
    },
    Ensure {
        conditions: Option<Vec<WorkflowCondition>>,
        signals: Option<Vec<SuccessSignal>>,
        policy: Option<AnyOrAll>,
    },
    Branch {
        cases: Vec<BranchCase>,
        otherwise: CompactString,
    },
    Handoff {
        reason: CompactString,
        to: Option<HandoffTo>,
        resume_on: Option<Vec<SuccessSignal>>,
    },
    Complete {
        outcome: Option<WorkflowOutcome>,
    },
}

/// A step.
#[wire]
pub struct WorkflowStep {
    #[wire(flatten)]
    pub base: StepBase,
    #[wire(flatten)]
    pub body: StepBody,
}

/// What a step can fail with.
#[wire(case = "snake")]
pub enum RecoveryTrigger {
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
    InvalidArgs,
    PolicyDenied,
    Timeout,
    ConditionFailed,
    Any,
}

/// What to do about it.
#[wire]
pub enum RecoveryAction {
    Retry,
    Goto,
    Handoff,
    Skip,
    Pause,
    Fail,
}

/// A way out of trouble.
#[wire]
pub struct RecoveryRule {
    pub on: RecoveryTrigger,
    pub r#do: RecoveryAction,
    pub max_attempts: Option<Positive>,
    pub delay_ms: Option<Count>,
    pub goto: Option<CompactString>,
}
