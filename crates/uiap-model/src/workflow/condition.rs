//! When a step applies.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{SuccessSignal, TargetRef, UIState};
use crate::json::{JsonObject, JsonValue, Number};
use crate::policy::PolicyGrant;

/// How a parameter is compared.
#[wire]
pub enum ParamOp {
    Set,
    Eq,
    Ne,
    Lt,
    Lte,
    Gt,
    Gte,
    In,
    Matches,
}

/// How a step ended.
#[wire]
pub enum StepStatus {
    Succeeded,
    Failed,
    Cancelled,
    Skipped,
}

/// The value of a feature flag.
#[wire(untagged)]
pub enum FlagValue {
    Bool(bool),
    Number(Number),
    Text(CompactString),
}

/// Something that holds or not.
#[wire(tag = "kind")]
pub enum WorkflowCondition {
    Route { route_id: Option<CompactString>, pattern: Option<CompactString> },
    Element { target: TargetRef, exists: Option<bool>, state: Option<UIState> },
    Signal { signal: SuccessSignal },
    Param { name: CompactString, op: ParamOp, value: Option<JsonValue> },
    Result { step: CompactString, status: StepStatus },
    Grant { grant: PolicyGrant },
    Role { role: CompactString },
    Flag { name: CompactString, equals: Option<FlagValue> },
    All { of: Vec<WorkflowCondition> },
    Any { of: Vec<WorkflowCondition> },
    Not { of: Box<WorkflowCondition> },
    Custom { name: CompactString, payload: Option<JsonObject> },
}
