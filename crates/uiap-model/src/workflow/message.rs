//! Messages of the workflow extension.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::SuccessSignal;
use crate::json::{Count, JsonObject};
use crate::names::ActionHandle;
use crate::workflow::definition::{
    InteractionMode, WorkflowCategory, WorkflowDefinition, WorkflowParameter, WorkflowStartMode,
};
use crate::workflow::instance::{WorkflowError, WorkflowInstance, WorkflowStatus};
use crate::workflow::step::WorkflowOutcome;
use crate::workflow::text::LocalizedText;

/// A workflow as it is offered.
#[wire]
pub struct WorkflowSummary {
    pub id: CompactString,
    pub version: CompactString,
    pub title: LocalizedText,
    pub category: WorkflowCategory,
    pub start_mode: WorkflowStartMode,
    pub interaction_modes: Vec<InteractionMode>,
    pub available: bool,
    pub unavailable_reason: Option<CompactString>,
}

/// Payload of the request `uiap.workflow.list`.
#[wire]
pub struct WorkflowListPayload {
    pub category: Option<WorkflowCategory>,
    pub route_id: Option<CompactString>,
    pub only_available: Option<bool>,
}

/// Payload of the response `uiap.workflow.catalog`.
#[wire]
pub struct WorkflowCatalogPayload {
    pub workflows: Vec<WorkflowSummary>,
}

/// Payload of the request `uiap.workflow.get`.
#[wire]
pub struct WorkflowGetPayload {
    pub workflow_id: CompactString,
    pub version: Option<CompactString>,
}

/// Payload of the response `uiap.workflow.definition`.
#[wire]
pub struct WorkflowDefinitionPayload {
    pub definition: WorkflowDefinition,
}

/// Payload of the request `uiap.workflow.start`.
#[wire]
pub struct WorkflowStartPayload {
    pub workflow_id: CompactString,
    pub version: Option<CompactString>,
    pub mode: Option<InteractionMode>,
    pub parameters: Option<JsonObject>,
    pub idempotency_key: Option<CompactString>,
}

/// Payload of the response `uiap.workflow.started`.
#[wire]
pub struct WorkflowStartedPayload {
    pub instance_id: CompactString,
    pub status: WorkflowStatus,
    pub current_step_id: CompactString,
}

/// Payload of the event `uiap.workflow.progress`.
#[wire]
pub struct WorkflowProgressPayload {
    pub instance_id: CompactString,
    pub status: WorkflowStatus,
    pub current_step_id: Option<CompactString>,
    pub completed_steps: Option<Count>,
    pub text: Option<CompactString>,
    pub action_handle: Option<ActionHandle>,
    pub note: Option<CompactString>,
}

/// Payload of the event `uiap.workflow.input.request`.
#[wire]
pub struct WorkflowInputRequestPayload {
    pub instance_id: CompactString,
    pub step_id: CompactString,
    pub parameters: Vec<WorkflowParameter>,
    pub text: Option<CompactString>,
}

/// Payload of the request `uiap.workflow.input.provide`.
#[wire]
pub struct WorkflowInputProvidePayload {
    pub instance_id: CompactString,
    pub step_id: CompactString,
    pub values: JsonObject,
}

/// A value that was refused.
#[wire]
pub struct RejectedInput {
    pub name: CompactString,
    pub reason: CompactString,
}

/// Payload of the response `uiap.workflow.input.accepted`.
#[wire]
pub struct WorkflowInputAcceptedPayload {
    pub instance_id: CompactString,
    pub step_id: CompactString,
    pub rejected: Option<Vec<RejectedInput>>,
}

/// Payload of the requests `uiap.workflow.pause`, `.resume`, `.cancel`, `.acknowledge` and `.status.get`.
#[wire]
pub struct WorkflowControlPayload {
    pub instance_id: CompactString,
    pub reason: Option<CompactString>,
}

/// Payload of the responses `uiap.workflow.paused`, `.resumed`, `.cancelled` and `.acknowledged`.
#[wire]
pub struct WorkflowControlledPayload {
    pub instance_id: CompactString,
    pub status: WorkflowStatus,
}

/// Payload of the response `uiap.workflow.status`.
#[wire]
pub struct WorkflowStatusPayload {
    pub instance: WorkflowInstance,
}

/// How a run ended.
#[wire]
pub enum WorkflowEnd {
    Completed,
    Failed,
    Cancelled,
}

/// Payload of the event `uiap.workflow.result`.
#[wire]
pub struct WorkflowResultPayload {
    pub instance_id: CompactString,
    pub status: WorkflowEnd,
    pub outcome: Option<WorkflowOutcome>,
    pub observed: Option<Vec<SuccessSignal>>,
    pub error: Option<WorkflowError>,
}

/// Payload of the event `uiap.workflow.suggested`.
#[wire]
pub struct WorkflowSuggestedPayload {
    pub workflow_id: CompactString,
    pub reason: Option<CompactString>,
}
