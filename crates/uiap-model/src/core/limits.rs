//! Limits of a session: what was asked, what holds.

use uiap_model_derive::wire;

use crate::json::Positive;

/// Limits as a peer states them.
#[wire]
pub struct SessionLimits {
    pub max_message_bytes: Option<Positive>,
    pub max_in_flight: Option<Positive>,
    pub request_timeout_ms: Option<Positive>,
}

/// Limits that hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message.
    pub max_message_bytes: u64,
    /// Requests without an answer.
    pub max_in_flight: u64,
    /// Time that a request may take.
    pub request_timeout_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_message_bytes: 1_048_576, max_in_flight: 32, request_timeout_ms: 30_000 }
    }
}

impl Limits {
    /// The smaller of both sides' limits; the default where neither says anything.
    pub fn agree(ours: Option<&SessionLimits>, theirs: Option<&SessionLimits>) -> Self {
        let default = Self::default();
        let pick = |read: fn(&SessionLimits) -> Option<Positive>, default: u64| {
            let stated = [ours, theirs].into_iter().flatten().filter_map(read);
            stated.map(|limit| limit.0).min().unwrap_or(default)
        };
        Self {
            max_message_bytes: pick(|limits| limits.max_message_bytes, default.max_message_bytes),
            max_in_flight: pick(|limits| limits.max_in_flight, default.max_in_flight),
            request_timeout_ms: pick(|limits| limits.request_timeout_ms, default.request_timeout_ms),
        }
    }

    /// As stated in `session.initialized`.
    pub fn stated(self) -> SessionLimits {
        SessionLimits {
            max_message_bytes: Some(Positive(self.max_message_bytes)),
            max_in_flight: Some(Positive(self.max_in_flight)),
            request_timeout_ms: Some(Positive(self.request_timeout_ms)),
        }
    }
}
