//! How a session begins, lives and ends.

use std::fmt;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::core::envelope::PeerInfo;
use crate::core::limits::SessionLimits;
use crate::json::{Count, JsonObject};
use crate::names::{ExtensionId, ProfileId, SessionId};
use crate::problem::{Code, Problem};
use crate::version::Version;

/// The same extension offered twice.
pub const OFFERED_TWICE: Code = Code("UIAP-M021");

/// An extension that a peer would like to use.
#[wire]
pub struct ExtensionOffer {
    pub id: ExtensionId,
    #[wire(min = 1)]
    pub versions: Vec<Version>,
    /// Without it no session; false when left out.
    pub required: Option<bool>,
    pub config: Option<JsonObject>,
}

/// An extension that is used.
#[wire]
pub struct ExtensionSelection {
    pub id: ExtensionId,
    pub version: Version,
    pub config: Option<JsonObject>,
}

/// A token that never shows up in a log.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself, for comparing only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("‹secret›")
    }
}

impl crate::shape::Wire for Secret {
    fn shape() -> crate::shape::Shape {
        String::shape()
    }
}

/// How a peer proves who it is.
#[wire]
pub struct Auth {
    pub scheme: CompactString,
    pub token: Option<Secret>,
    pub detail: Option<JsonObject>,
}

/// A session to go on with.
#[wire]
pub struct Resume {
    pub session_id: SessionId,
    pub resume_token: Secret,
}

/// Payload of the request `session.initialize`.
#[wire]
pub struct SessionInitializePayload {
    #[wire(min = 1)]
    pub supported_versions: Vec<Version>,
    pub peer: PeerInfo,
    pub supported_profiles: Vec<ProfileId>,
    pub extensions: Option<Vec<ExtensionOffer>>,
    pub auth: Option<Auth>,
    pub resume: Option<Resume>,
    pub limits: Option<SessionLimits>,
    pub metadata: Option<JsonObject>,
}

impl SessionInitializePayload {
    /// What the shape cannot say: each extension is offered once under one name.
    pub fn check(&self) -> Vec<Problem> {
        let offers = self.extensions.as_deref().unwrap_or_default();
        let mut problems = Vec::new();
        for (index, offer) in offers.iter().enumerate() {
            let first = offers.iter().position(|each| each.id == offer.id);
            if let Some(first) = first.filter(|first| *first < index) {
                problems.push(
                    Problem::error(
                        OFFERED_TWICE,
                        format!("/extensions/{index}/id"),
                        format!("extension `{}` is offered twice", offer.id),
                    )
                    .related(format!("/extensions/{first}/id"), "first offered here")
                    .help("list all versions in one offer"),
                );
            }
        }
        problems
    }
}

/// Payload of the response `session.initialized`.
#[wire]
pub struct SessionInitializedPayload {
    pub session_id: SessionId,
    pub selected_version: Version,
    pub peer: PeerInfo,
    pub selected_profiles: Vec<ProfileId>,
    pub extensions: Option<Vec<ExtensionSelection>>,
    pub resumed: Option<bool>,
    pub resume_token: Option<Secret>,
    /// 0 or absent: none.
    pub heartbeat_ms: Option<Count>,
    pub limits: Option<SessionLimits>,
    pub capabilities_revision: Option<CompactString>,
    pub metadata: Option<JsonObject>,
}

/// Why a session ends.
#[wire(case = "snake")]
pub enum TerminateReason {
    Completed,
    UserRequest,
    Shutdown,
    IdleTimeout,
    ProtocolError,
    AuthExpired,
    Superseded,
}

/// Payload of the request `session.terminate`.
#[wire]
pub struct SessionTerminatePayload {
    pub reason: TerminateReason,
    pub note: Option<CompactString>,
}

/// Payload of `session.terminated`: the response, or an event from the owner.
#[wire]
pub struct SessionTerminatedPayload {
    pub reason: TerminateReason,
    pub note: Option<CompactString>,
}

/// Payload of the event `session.heartbeat`.
#[wire]
pub struct SessionHeartbeatPayload {
    pub seq: Count,
}

/// Where a session stands.
#[wire]
pub enum SessionState {
    New,
    Initializing,
    Active,
    Suspended,
    Terminating,
    Closed,
}

impl SessionState {
    /// Whether a session may go from here to `next`.
    pub fn may_become(self, next: Self) -> bool {
        use SessionState::{Active, Closed, Initializing, New, Suspended, Terminating};
        matches!(
            (self, next),
            (New, Initializing)
                | (Initializing | Suspended, Active)
                | (Active, Suspended)
                | (Active | Suspended, Terminating)
                | (New | Initializing | Active | Suspended | Terminating, Closed)
        )
    }
}
