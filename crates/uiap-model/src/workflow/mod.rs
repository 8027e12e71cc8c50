//! Workflow Extension: tasks of several steps. Spec: workflow-extension (07).

pub mod check;
pub mod condition;
pub mod definition;
pub mod instance;
pub mod message;
pub mod step;
pub mod text;

pub use condition::WorkflowCondition;
pub use definition::{
    InteractionMode, WorkflowCategory, WorkflowDefinition, WorkflowParameter, WorkflowStartMode,
};
pub use instance::{WorkflowError, WorkflowInstance, WorkflowStatus};
pub use step::{RecoveryRule, StepBase, StepBody, WorkflowStep, WorkflowValue};
pub use text::LocalizedText;
