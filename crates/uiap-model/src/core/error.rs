//! Errors as they travel.

use uiap_model_derive::wire;

use crate::json::{Count, JsonObject};
use crate::names::{ErrorCode, ErrorMessage, JsonPointer};
use crate::problem::Problem;

/// The codes that Core defines; extensions add their own.
#[wire(case = "snake")]
pub enum CoreErrorCode {
    InvalidJson,
    InvalidEnvelope,
    InvalidPayload,
    UnsupportedVersion,
    UnsupportedMessageType,
    UnsupportedProfile,
    UnsupportedExtension,
    ExtensionRequired,
    SessionRequired,
    SessionNotFound,
    SessionNotActive,
    SessionConflict,
    DuplicateMessageId,
    UnknownCorrelation,
    Unauthenticated,
    Forbidden,
    RateLimited,
    PayloadTooLarge,
    NotFound,
    Conflict,
    Timeout,
    Unavailable,
    InternalError,
}

impl CoreErrorCode {
    /// Whether sending the same again can help.
    pub fn retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::Unavailable | Self::Timeout)
    }
}

impl From<CoreErrorCode> for ErrorCode {
    fn from(code: CoreErrorCode) -> Self {
        Self::literal(code.as_str())
    }
}

/// Payload of `error`.
#[wire]
pub struct ErrorPayload {
    /// Why, for machines.
    pub code: ErrorCode,
    /// Why, for people.
    pub message: ErrorMessage,
    /// Whether sending again can help.
    pub retryable: Option<bool>,
    /// From when it can help.
    pub retry_after_ms: Option<Count>,
    /// The member that is wrong, in the refused envelope.
    pub pointer: Option<JsonPointer>,
    pub detail: Option<JsonObject>,
}

impl ErrorPayload {
    /// An error of Core.
    pub fn new(code: CoreErrorCode, message: impl AsRef<str>) -> Self {
        Self {
            code: code.into(),
            message: ErrorMessage::parse(message.as_ref())
                .unwrap_or_else(|| ErrorMessage::literal("refused")),
            retryable: code.retryable().then_some(true),
            retry_after_ms: None,
            pointer: None,
            detail: None,
        }
    }

    /// The first fault of a refused message, with all others in `detail.problems`.
    pub fn from_problems(code: CoreErrorCode, problems: &[Problem]) -> Self {
        let mut errors = problems.iter().filter(|problem| problem.is_error());
        let Some(first) = errors.next() else { return Self::new(code, "refused") };
        let mut message = first.message.clone();
        if let Some(help) = &first.help {
            message = format!("{message}; {help}");
        }
        let mut out = Self::new(code, message);
        out.pointer = JsonPointer::parse(&first.pointer);
        let mut detail = serde_json::Map::new();
        if !first.allowed.is_empty() {
            detail.insert("allowed".into(), first.allowed.clone().into());
        }
        let more: Vec<serde_json::Value> = errors
            .take(20)
            .map(|problem| serde_json::json!({ "pointer": problem.pointer, "message": problem.message }))
            .collect();
        if !more.is_empty() {
            detail.insert("problems".into(), more.into());
        }
        if !detail.is_empty() {
            out.detail = Some(JsonObject(detail));
        }
        out
    }

    /// Adds when to try again.
    #[must_use]
    pub fn retry_after(mut self, milliseconds: u64) -> Self {
        self.retryable = Some(true);
        self.retry_after_ms = Some(Count(milliseconds));
        self
    }

    /// Adds facts.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.detail.get_or_insert_default().0.insert(key.to_owned(), value.into());
        self
    }
}
