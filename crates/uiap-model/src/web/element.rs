//! One element of the page.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{
    RiskDescriptor, SuccessSignal, UIAffordance, UIRole, UIState, UIStateKey, UIStatePatch,
};
use crate::json::{JsonObject, Shared};
use crate::names::{ActionId, ElementInstanceId, StableId};
use crate::policy::DataClass;
use crate::web::graph::{BoundaryAccess, DOMRectLike, SemanticSource};

/// What the web adds to an element's state.
#[wire(patch = WebElementStatePatch)]
pub struct WebElementState {
    pub attached: bool,
    /// Not moving; taken as true when absent.
    pub stable: Option<bool>,
    pub in_viewport: Option<bool>,
    /// Whether a click at its centre reaches it.
    pub receives_events: Option<bool>,
}

/// A shadow root's mode.
#[wire]
pub enum ShadowMode {
    Open,
    Closed,
}

/// The shadow root of an element.
#[wire]
pub struct Shadow {
    pub mode: ShadowMode,
    pub access: BoundaryAccess,
}

/// One choice of a control.
#[wire]
pub struct ElementOption {
    pub value: CompactString,
    pub label: CompactString,
    pub selected: Option<bool>,
    pub disabled: Option<bool>,
}

/// An element: what it is, what it is called, what it offers, how it stands. A page may hold a hundred thousand of them: what
/// most have in common is shared, what few have is boxed.
#[wire(patch = ElementPatch)]
pub struct ElementNode {
    #[wire(identity)]
    pub instance_id: ElementInstanceId,
    pub stable_id: Option<StableId>,
    pub role: UIRole,
    pub name: Option<CompactString>,
    pub description: Option<CompactString>,
    pub meaning: Option<CompactString>,
    pub affordances: Shared<Vec<UIAffordance>>,
    #[wire(merge)]
    pub state: Shared<UIState>,
    #[wire(merge)]
    pub web: WebElementState,
    pub supported_actions: Option<Vec<ActionId>>,
    pub default_action: Option<ActionId>,
    pub risk: Option<Box<RiskDescriptor>>,
    pub data_classes: Option<Vec<DataClass>>,
    pub success: Option<Vec<SuccessSignal>>,
    pub options: Option<Vec<ElementOption>>,
    pub parent_instance_id: Option<ElementInstanceId>,
    pub shadow: Option<Shadow>,
    pub bbox: Option<Box<DOMRectLike>>,
    pub source: SemanticSource,
    /// Members withheld by policy.
    pub redacted: Option<Vec<UIStateKey>>,
    pub metadata: Option<Box<JsonObject>>,
}
