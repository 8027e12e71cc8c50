//! Action Runtime: requests, progress, confirmation, results. Spec: action-runtime (04).

pub mod confirmation;
pub mod request;
pub mod result;
pub mod verification;

pub use confirmation::{
    ActionConfirmationDenyPayload, ActionConfirmationGrantPayload, ActionConfirmationRequestPayload,
};
pub use request::{
    ActionAcceptedPayload, ActionRequestPayload, ActionTarget, PresentationHints, RequestTarget,
};
pub use result::{ActionProgressPayload, ActionResultPayload, RuntimeErrorCode, SideEffectState};
pub use verification::{VerificationOutcome, VerificationPolicy, VerificationSpec};
