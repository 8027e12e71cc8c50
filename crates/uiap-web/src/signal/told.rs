//! What the application tells of itself: read strictly, and believed only about its own things.

use serde_json::Value;
use uiap_model::names::DocumentId;
use uiap_model::web::signal::{WebSignal, WebSignalBase, WebSignalBody};

use super::derive::Derived;

/// Names of custom signals that only the browser may use.
pub(crate) const RESERVED: &str = "browser.";
/// Longest signal of an application, as text.
const MAX_LENGTH: usize = 64 * 1024;
/// The kinds that a signal can have.
const KINDS: &str = "route.changed, toast.shown, status.changed, dialog.opened, dialog.closed, validation.changed, focus.changed, \
     busy.changed, collection.changed, entity.created, entity.updated, entity.deleted, network.response, user.activation, custom";

/// Why a signal of the application was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToldError {
    /// It has no kind that there is.
    #[error("`{0}` is not a kind of signal; the kinds are {KINDS}")]
    UnknownKind(String),
    /// It breaks the rules of its kind.
    #[error("the signal `{kind}` breaks its rules: {reason}")]
    Malformed {
        /// Its kind.
        kind: String,
        /// What is wrong.
        reason: String,
    },
    /// It claims what only the browser knows.
    #[error("`{0}` is reported by the browser; an application cannot tell it")]
    Reserved(String),
    /// It is longer than anybody needs.
    #[error("the signal has {0} bytes; at most {MAX_LENGTH} are taken")]
    TooLong(usize),
}

/// Reads the `detail` of a `uiap:signal` event. Which action it belongs to, and when it came, is not the page's to say.
pub fn read(document_id: &DocumentId, detail: &Value) -> Result<Derived, ToldError> {
    let text = detail.to_string();
    if text.len() > MAX_LENGTH {
        return Err(ToldError::TooLong(text.len()));
    }
    let kind = detail.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !KINDS.split(", ").any(|each| each == kind) {
        return Err(ToldError::UnknownKind(kind));
    }
    let signal: WebSignal = serde_json::from_str(&text)
        .map_err(|error| ToldError::Malformed { kind, reason: error.to_string() })?;
    let WebSignal { base: WebSignalBase { .. }, body } = signal;
    match &body {
        WebSignalBody::NetworkResponse { .. } => Err(ToldError::Reserved("network.response".to_owned())),
        WebSignalBody::UserActivation { .. } => Err(ToldError::Reserved("user.activation".to_owned())),
        WebSignalBody::Custom { name, .. } if name.starts_with(RESERVED) => {
            Err(ToldError::Reserved(name.to_string()))
        }
        _ => Ok(Derived { document_id: Some(document_id.clone()), body }),
    }
}
