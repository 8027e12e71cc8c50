//! The whole description of what an app can do.

use uiap_model_derive::wire;

use crate::capability::action::ActionDescriptor;
use crate::capability::risk::{RiskLevel, RiskTag};
use crate::capability::signal::SignalKind;
use crate::capability::vocabulary::{UIAffordance, UIRole, UIStateKey};
use crate::json::JsonObject;
use crate::names::ProfileId;

/// The version of the models, as a string.
#[wire]
pub enum ModelVersion {
    #[wire(name = "0.1")]
    V01,
}

/// What an app can do; only what it really supports.
#[wire]
pub struct CapabilityDocument {
    pub model_version: ModelVersion,
    pub profile: ProfileId,
    pub roles: Vec<UIRole>,
    pub state_keys: Vec<UIStateKey>,
    pub affordances: Vec<UIAffordance>,
    pub actions: Vec<ActionDescriptor>,
    pub risk_levels: Vec<RiskLevel>,
    pub risk_tags: Option<Vec<RiskTag>>,
    /// Kinds of success signal that the document uses.
    pub success_signal_kinds: Vec<SignalKind>,
    pub metadata: Option<JsonObject>,
}
