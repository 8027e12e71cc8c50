//! Asking a person first.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::action::result::ResolvedTarget;
use crate::capability::RiskDescriptor;
use crate::json::JsonObject;
use crate::names::{ActionHandle, ActionId};

/// What would happen.
#[wire]
pub struct ConfirmationPreview {
    pub summary: Option<CompactString>,
    pub target: Option<ResolvedTarget>,
    pub args: Option<JsonObject>,
}

/// Payload of the request `action.confirmation.request`, sent by the executor.
#[wire]
pub struct ActionConfirmationRequestPayload {
    pub action_handle: ActionHandle,
    pub action_id: ActionId,
    pub risk: RiskDescriptor,
    pub preview: Option<ConfirmationPreview>,
}

/// Payload of `action.confirmation.grant`.
#[wire]
pub struct ActionConfirmationGrantPayload {
    pub action_handle: ActionHandle,
}

/// Payload of `action.confirmation.deny`.
#[wire]
pub struct ActionConfirmationDenyPayload {
    pub action_handle: ActionHandle,
    pub reason: Option<CompactString>,
}
