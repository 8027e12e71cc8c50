//! Capability Model: what an app can show, let observe and carry out. Spec: capability-model (02).

pub mod action;
pub mod check;
pub mod document;
pub mod lint;
pub mod risk;
pub mod semantics;
pub mod signal;
pub mod state;
pub mod target;
pub mod usage;
pub mod vocabulary;

pub use action::{ActionArgDescriptor, ActionDescriptor, ActionKind, ArgType, Idempotency, TargetKind};
pub use document::{CapabilityDocument, ModelVersion};
pub use risk::{RiskDescriptor, RiskLevel, RiskTag};
pub use signal::{CountOp, SignalKind, SignalValue, SuccessSignal};
pub use state::{Checked, Current, HasPopup, Invalid, Orientation, UIState, UIStatePatch};
pub use target::TargetRef;
pub use vocabulary::{ExecutionMode, PrimitiveActionType, UIAffordance, UIRole, UIStateKey};
