//! How success is recognised: predicates over what can be observed.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::state::UIState;
use crate::capability::target::TargetRef;
use crate::json::{Count, JsonObject, Number};
use crate::names::ScopeId;

/// How a count is compared.
#[wire]
pub enum CountOp {
    Eq,
    Gte,
    Lte,
}

impl CountOp {
    /// Whether `actual` stands in the relation to `wanted`.
    pub fn holds(self, actual: u64, wanted: u64) -> bool {
        match self {
            Self::Eq => actual == wanted,
            Self::Gte => actual >= wanted,
            Self::Lte => actual <= wanted,
        }
    }
}

/// A value to compare with.
#[wire(untagged)]
pub enum SignalValue {
    Bool(bool),
    Number(Number),
    Text(CompactString),
}

/// Something that can be observed after an action.
#[wire(tag = "kind", case = "dotted")]
pub enum SuccessSignal {
    ElementAppeared { target: TargetRef },
    ElementDisappeared { target: TargetRef },
    ElementState { target: TargetRef, state: UIState },
    ValueEquals { target: TargetRef, value: SignalValue },
    RouteChanged { pattern: Option<CompactString>, exact: Option<CompactString> },
    DialogOpened { target: Option<TargetRef> },
    DialogClosed { target: Option<TargetRef> },
    ToastContains { text: CompactString },
    StatusContains { text: CompactString },
    ValidationNone { scope: Option<ScopeId> },
    CollectionCount { target: TargetRef, op: CountOp, value: Count },
    EntityCreated { entity_type: CompactString, id_path: Option<CompactString> },
    EntityUpdated { entity_type: CompactString, id_path: Option<CompactString> },
    EntityDeleted { entity_type: CompactString, id_path: Option<CompactString> },
    NetworkResponse { url_pattern: Option<CompactString>, status: Option<Count> },
    Custom { name: CompactString, payload: Option<JsonObject> },
}

/// The discriminators of [`SuccessSignal`], and what a document may declare beside them.
#[wire(open, case = "dotted")]
pub enum SignalKind {
    ElementAppeared,
    ElementDisappeared,
    ElementState,
    ValueEquals,
    RouteChanged,
    DialogOpened,
    DialogClosed,
    ToastContains,
    StatusContains,
    ValidationNone,
    CollectionCount,
    EntityCreated,
    EntityUpdated,
    EntityDeleted,
    NetworkResponse,
    Custom,
}

impl SuccessSignal {
    /// The target it speaks of.
    pub fn target(&self) -> Option<&TargetRef> {
        match self {
            Self::ElementAppeared { target }
            | Self::ElementDisappeared { target }
            | Self::ElementState { target, .. }
            | Self::ValueEquals { target, .. }
            | Self::CollectionCount { target, .. } => Some(target),
            Self::DialogOpened { target } | Self::DialogClosed { target } => target.as_ref(),
            _ => None,
        }
    }
}
