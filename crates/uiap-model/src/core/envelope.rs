//! The form that every message has.

use std::collections::BTreeMap;

use compact_str::CompactString;
use serde_json::Value;
use uiap_model_derive::wire;

use crate::json::JsonObject;
use crate::names::{ExtensionId, MessageId, MessageType, PeerId, SessionId, Timestamp};
use crate::problem::Problem;
use crate::shape::inspect::MISSING;
use crate::version::Version;

/// What a message does.
#[wire]
pub enum MessageKind {
    /// Wants exactly one answer.
    Request,
    /// Answers a request.
    Response,
    /// Tells something; is not answered.
    Event,
    /// Answers a request that failed.
    Error,
}

/// The part that a peer plays.
#[wire]
pub enum PeerRole {
    /// The application.
    App,
    /// The one who acts in it.
    Agent,
    /// The one between them.
    Bridge,
    /// One who only looks on.
    Observer,
}

/// A peer as it signs its messages. It is a claim and gives no rights.
#[wire]
pub struct PeerRef {
    pub role: PeerRole,
    pub id: PeerId,
    /// Members that this version does not know; kept for whoever does.
    #[wire(unknown)]
    pub unknown: JsonObject,
}

/// A peer as it introduces itself.
#[wire]
pub struct PeerInfo {
    pub role: PeerRole,
    pub id: PeerId,
    pub name: Option<CompactString>,
    pub version: Option<CompactString>,
    pub locale: Option<CompactString>,
}

/// A message. The payload stays as it came, so that a bridge hands on what it does not know.
#[wire]
pub struct Envelope {
    /// Version of the protocol.
    pub uiap: Version,
    /// What the message does.
    pub kind: MessageKind,
    /// What it means.
    #[wire(name = "type")]
    pub message_type: MessageType,
    /// Unique within the session.
    pub id: MessageId,
    /// The request that this answers; needed on a response or an error.
    pub correlation_id: Option<MessageId>,
    /// Needed except on `session.initialize` and an error that answers it.
    pub session_id: Option<SessionId>,
    /// When it was sent.
    pub ts: Timestamp,
    /// Who sent it.
    pub source: PeerRef,
    /// The peer that is meant, where a bridge serves several.
    pub target: Option<PeerRef>,
    /// Always an object.
    pub payload: JsonObject,
    /// Data of extensions that do not own the message.
    pub ext: Option<BTreeMap<ExtensionId, JsonObject>>,
    /// Members that this version does not know; kept for whoever does.
    #[wire(unknown)]
    pub unknown: JsonObject,
}

impl Envelope {
    /// What the fields must say together: answers name their request, everything but the first message its session.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let answers = matches!(self.kind, MessageKind::Response | MessageKind::Error);
        if answers && self.correlation_id.is_none() && !self.may_lack_correlation() {
            problems.push(
                Problem::error(MISSING, "", "`correlationId` is missing")
                    .help(format!("a message of kind `{}` names the request that it answers", self.kind)),
            );
        }
        if self.session_id.is_none() && self.needs_session() {
            problems.push(
                Problem::error(MISSING, "", "`sessionId` is missing")
                    .help("only `session.initialize` and an error that answers it go without"),
            );
        }
        problems
    }

    /// Only the first message of a session goes without its id; an error cannot be told apart from one that answers it.
    fn needs_session(&self) -> bool {
        let first = self.kind == MessageKind::Request && self.message_type == "session.initialize";
        !first && self.kind != MessageKind::Error
    }

    /// Who answers text that is no JSON has no id to point to.
    fn may_lack_correlation(&self) -> bool {
        self.kind == MessageKind::Error
            && self.payload.0.get("code").and_then(Value::as_str) == Some("invalid_json")
    }
}
