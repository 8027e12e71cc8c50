//! Web Profile: the page as a graph of meaning, its changes and its signals. Spec: web-profile (03).

pub mod check;
pub mod delta;
pub mod diff;
pub mod element;
pub mod evidence;
pub mod graph;
pub mod interaction;
pub mod message;
pub mod predicate;
pub mod signal;

pub use delta::{DeltaError, WebDeltaOp, apply};
pub use diff::{Difference, diff};
pub use element::{ElementNode, ElementPatch, WebElementState, WebElementStatePatch};
pub use graph::{DocumentNode, FocusState, PageGraph, RouteState, ScopeKind, ScopeNode, ValidationIssue};
pub use message::WebStateDeltaPayload;
pub use signal::{WebSignal, WebSignalBody, WebSignalPayload};
