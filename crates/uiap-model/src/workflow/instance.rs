//! A workflow that runs.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, JsonObject};
use crate::names::{ActionHandle, Timestamp};
use crate::workflow::condition::StepStatus;
use crate::workflow::definition::InteractionMode;

/// Where a run stands.
#[wire(case = "snake")]
pub enum WorkflowStatus {
    Created,
    Running,
    WaitingForInput,
    WaitingForConfirmation,
    WaitingForUser,
    Paused,
    Recovering,
    Completed,
    Failed,
    Cancelled,
}

/// What a step left behind.
#[wire]
pub struct StepResult {
    pub status: StepStatus,
    pub return_value: Option<JsonObject>,
    pub action_handle: Option<ActionHandle>,
}

/// Why a run failed.
#[wire]
pub struct WorkflowError {
    pub code: CompactString,
    pub message: CompactString,
    pub step_id: Option<CompactString>,
    pub detail: Option<JsonObject>,
}

/// A run.
#[wire]
pub struct WorkflowInstance {
    pub instance_id: CompactString,
    pub workflow_id: CompactString,
    pub version: CompactString,
    pub status: WorkflowStatus,
    pub mode: InteractionMode,
    pub current_step_id: Option<CompactString>,
    pub step_count: Count,
    pub parameters: JsonObject,
    pub results: BTreeMap<CompactString, StepResult>,
    pub started_at: Timestamp,
    pub updated_at: Timestamp,
    pub error: Option<WorkflowError>,
}
