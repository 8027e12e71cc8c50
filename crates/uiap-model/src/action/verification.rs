//! How success is proved.

use uiap_model_derive::wire;

use crate::capability::SuccessSignal;
use crate::json::Positive;

/// Which signals must be seen.
#[wire]
pub enum VerificationPolicy {
    /// What the action or the target declares.
    #[wire(name = "capability-default")]
    CapabilityDefault,
    Any,
    All,
    None,
}

/// What the requester wants proved.
#[wire]
pub struct VerificationSpec {
    pub policy: Option<VerificationPolicy>,
    pub signals: Option<Vec<SuccessSignal>>,
    pub timeout_ms: Option<Positive>,
    pub require_revision_advance: Option<bool>,
}

/// What was proved.
#[wire]
pub struct VerificationOutcome {
    pub passed: bool,
    pub policy: VerificationPolicy,
    pub observed: Vec<SuccessSignal>,
    pub missing: Option<Vec<SuccessSignal>>,
    pub timeout_ms: Option<Positive>,
}
