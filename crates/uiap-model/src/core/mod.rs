//! Core: the envelope, sessions, errors, negotiation. Spec: core (01).

pub mod binding;
pub mod capabilities;
pub mod envelope;
pub mod error;
pub mod limits;
pub mod negotiation;
pub mod registry;
pub mod session;

pub use capabilities::{CapabilitiesChangedPayload, CapabilitiesGetPayload, CapabilitiesListPayload};
pub use envelope::{Envelope, MessageKind, PeerInfo, PeerRef, PeerRole};
pub use error::{CoreErrorCode, ErrorPayload};
pub use limits::{Limits, SessionLimits};
pub use session::{
    Auth, ExtensionOffer, ExtensionSelection, Resume, SessionHeartbeatPayload, SessionInitializePayload,
    SessionInitializedPayload, SessionState, SessionTerminatePayload, SessionTerminatedPayload,
    TerminateReason,
};
