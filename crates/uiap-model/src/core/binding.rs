//! Settings of the bindings. Spec: http-rest-binding (11).

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, Number, Positive};
use crate::problem::{Code, Problem};

/// A factor below 1 would make reconnects ever faster.
pub const SHRINKING_FACTOR: Code = Code("UIAP-M020");

/// When a lost link is tried again.
#[wire]
pub struct ReconnectPolicy {
    pub max_attempts: Option<Count>,
    pub initial_delay_ms: Option<Count>,
    pub max_delay_ms: Option<Count>,
    pub factor: Option<Number>,
    pub jitter: Option<bool>,
}

impl ReconnectPolicy {
    /// What the shape cannot say.
    pub fn check(&self) -> Vec<Problem> {
        match self.factor {
            Some(factor) if factor.0 < 1.0 => {
                vec![Problem::error(
                    SHRINKING_FACTOR,
                    "/factor",
                    format!("expected a factor of at least 1, found {}", factor.0),
                )]
            }
            _ => Vec::new(),
        }
    }
}

/// Events over HTTP come as Server-Sent Events.
#[wire]
pub enum EventDelivery {
    Sse,
}

/// Settings of `http@0.1`.
#[wire]
pub struct HTTPBindingConfig {
    pub base_url: CompactString,
    pub session_path: Option<CompactString>,
    pub message_path_template: Option<CompactString>,
    pub event_stream_path_template: Option<CompactString>,
    pub event_delivery: Option<EventDelivery>,
    pub reconnect: Option<ReconnectPolicy>,
}

/// The WebSocket subprotocol.
#[wire]
pub enum Subprotocol {
    #[wire(name = "uiap.v0.1")]
    V01,
}

/// Settings of `ws@0.1`.
#[wire]
pub struct WSBindingConfig {
    pub url: CompactString,
    pub subprotocol: Option<Subprotocol>,
    pub ping_ms: Option<Positive>,
    pub reconnect: Option<ReconnectPolicy>,
    pub max_message_bytes: Option<Positive>,
}
