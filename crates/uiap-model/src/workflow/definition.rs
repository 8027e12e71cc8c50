//! A workflow as it is written.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{ArgType, SuccessSignal, TargetRef};
use crate::json::{JsonObject, JsonValue, Number, Positive};
use crate::policy::{DataClass, PolicyGrant};
use crate::workflow::condition::WorkflowCondition;
use crate::workflow::step::{RecoveryRule, WorkflowStep};
use crate::workflow::text::LocalizedText;

/// What a workflow is for.
#[wire]
pub enum WorkflowCategory {
    Onboarding,
    Setup,
    Task,
    Support,
    Recovery,
    Training,
    Custom,
}

/// How a workflow begins.
#[wire]
pub enum WorkflowStartMode {
    Manual,
    Suggested,
    Automatic,
}

/// Who does what: in `guide` the person acts, in `assist` the person confirms, in `auto` the agent acts.
#[wire]
pub enum InteractionMode {
    Guide,
    Assist,
    Auto,
}

/// Whom a workflow is for.
#[wire]
pub struct WorkflowAudience {
    pub roles: Option<Vec<CompactString>>,
    pub grants: Option<Vec<PolicyGrant>>,
}

/// How long a workflow may run.
#[wire]
pub struct WorkflowLimits {
    pub max_steps: Option<Positive>,
    pub max_duration_ms: Option<Positive>,
}

/// Where a parameter may come from.
#[wire]
pub enum ParameterSource {
    User,
    Context,
    Page,
    Agent,
}

/// Something a workflow needs to know.
#[wire]
pub struct WorkflowParameter {
    pub name: CompactString,
    #[wire(name = "type")]
    pub parameter_type: ArgType,
    pub required: Option<bool>,
    pub title: Option<LocalizedText>,
    pub description: Option<LocalizedText>,
    #[wire(name = "enum")]
    pub values: Option<Vec<CompactString>>,
    pub default: Option<JsonValue>,
    pub pattern: Option<CompactString>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    pub max_length: Option<Positive>,
    pub data_classes: Option<Vec<DataClass>>,
    pub sources: Option<Vec<ParameterSource>>,
    pub from: Option<TargetRef>,
}

/// A task of several steps.
#[wire]
pub struct WorkflowDefinition {
    pub id: CompactString,
    pub version: CompactString,
    pub title: LocalizedText,
    pub description: Option<LocalizedText>,
    pub category: WorkflowCategory,
    pub start_mode: WorkflowStartMode,
    #[wire(min = 1)]
    pub interaction_modes: Vec<InteractionMode>,
    pub audience: Option<WorkflowAudience>,
    /// Where it is offered.
    pub routes: Option<Vec<CompactString>>,
    pub entry_conditions: Option<Vec<WorkflowCondition>>,
    pub parameters: Option<Vec<WorkflowParameter>>,
    pub initial_step_id: CompactString,
    pub steps: Vec<WorkflowStep>,
    /// Checked when it completes with success.
    pub success: Option<Vec<SuccessSignal>>,
    pub recovery: Option<Vec<RecoveryRule>>,
    pub limits: Option<WorkflowLimits>,
    pub metadata: Option<JsonObject>,
}
