//! Why a call failed, said so that it can be acted upon: which method, on what, and whether it may have taken effect.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::target::SessionId;

/// A call that has no result.
#[derive(Debug)]
pub struct CallError {
    details: Box<Details>,
}

#[derive(Debug)]
struct Details {
    method: Box<str>,
    place: Option<Place>,
    sent: bool,
    kind: CallErrorKind,
}

/// Where a call was addressed to.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) session: SessionId,
    pub(crate) url: String,
}

/// What went wrong with a call.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The browser refused.
    Refused {
        /// The protocol's number, such as -32000.
        code: i64,
        /// The browser's words.
        message: String,
        /// More of the browser's words.
        data: Option<String>,
    },
    /// No answer in time. The page may be busy, or hold a dialog open.
    TimedOut(Duration),
    /// The session ended: its page was closed, its frame or worker went away.
    Detached,
    /// The renderer behind the session crashed.
    Crashed,
    /// The connection to the browser ended.
    Disconnected(DisconnectReason),
    /// The parameters are not JSON.
    Encode(serde_json::Error),
    /// The answer has another shape than expected.
    Decode(serde_json::Error),
    /// The answer was longer than the limit of the connection, in bytes.
    TooLarge(usize),
}

/// Why a connection ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// This side closed it.
    Closed,
    /// The browser closed it.
    EndOfStream,
    /// The browser process ended.
    Exited(Exit),
    /// Reading or writing failed.
    Io(Arc<str>),
    /// The peer sent something that is not the protocol.
    Malformed(Arc<str>),
    /// The runtime that drove the connection was shut down.
    Abandoned,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// It was ended by this signal.
    Signal(i32),
    /// It is gone; somebody else learned how.
    Unknown,
}

impl CallError {
    pub(crate) fn new(method: &str, place: Option<Place>, sent: bool, kind: CallErrorKind) -> Self {
        Self { details: Box::new(Details { method: method.into(), place, sent, kind }) }
    }

    /// What went wrong.
    pub fn kind(&self) -> &CallErrorKind {
        &self.details.kind
    }

    /// The method that was called.
    pub fn method(&self) -> &str {
        &self.details.method
    }

    /// The session that it was called on; none for the browser itself.
    pub fn session(&self) -> Option<&SessionId> {
        self.details.place.as_ref().map(|place| &place.session)
    }

    /// Whether the call had left for the browser. When not, it has had no effect and never will.
    pub fn was_sent(&self) -> bool {
        self.details.sent
    }

    /// Whether the whole connection is gone.
    pub fn is_disconnected(&self) -> bool {
        matches!(self.details.kind, CallErrorKind::Disconnected(_))
    }

    /// Whether the browser does not know the method, or not for this kind of target.
    pub fn is_unknown_method(&self) -> bool {
        matches!(self.details.kind, CallErrorKind::Refused { code: -32601, .. })
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { method, place, kind, .. } = &*self.details;
        write!(f, "`{method}`")?;
        if let Some(Place { session, url }) = place {
            write!(f, " on `{}` (session {session})", presentable(url))?;
        }
        match kind {
            CallErrorKind::Refused { code, message, data } => {
                write!(f, " was refused: {message} (code {code})")?;
                data.as_ref().map_or(Ok(()), |data| write!(f, ": {data}"))
            }
            CallErrorKind::TimedOut(limit) => write!(f, " had no answer within {limit:?}"),
            CallErrorKind::Detached => f.write_str(" failed: the session has ended"),
            CallErrorKind::Crashed => f.write_str(" failed: the renderer crashed"),
            CallErrorKind::Disconnected(reason) => write!(f, " failed: {reason}"),
            CallErrorKind::Encode(error) => write!(f, " has parameters that are not JSON: {error}"),
            CallErrorKind::Decode(error) => write!(f, " was answered in an unexpected shape: {error}"),
            CallErrorKind::TooLarge(limit) => write!(f, " has an answer of more than {limit} bytes"),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.details.kind {
            CallErrorKind::Encode(error) | CallErrorKind::Decode(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for DisconnectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the connection was closed"),
            Self::EndOfStream => f.write_str("the browser closed the connection"),
            Self::Exited(exit) => write!(f, "the browser {exit}"),
            Self::Io(error) => write!(f, "the connection to the browser broke: {error}"),
            Self::Malformed(what) => write!(f, "the peer does not speak the DevTools protocol: {what}"),
            Self::Abandoned => f.write_str("the runtime of the connection was shut down"),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => write!(f, "was killed by signal {signal}"),
            Self::Unknown => f.write_str("exited"),
        }
    }
}

/// A URL without what may be secret (user, query, fragment) and without the body of a `data:` URL.
fn presentable(url: &str) -> String {
    const LONGEST: usize = 120;
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or(url);
    if url.starts_with("data:") {
        return "data:…".to_owned();
    }
    let shown = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    };
    match shown.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", shown.get(..cut).unwrap_or_default()),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_method_place_and_code() {
        let place = Place { session: "S1".into(), url: "https://u:p@example.test/a?token=1#x".to_owned() };
        let kind = CallErrorKind::Refused { code: -32000, message: "Cannot navigate".to_owned(), data: None };
        let error = CallError::new("Page.navigate", Some(place), true, kind);
        assert_eq!(
            error.to_string(),
            "`Page.navigate` on `https://example.test/a` (session S1) was refused: Cannot navigate (code -32000)"
        );
    }

    #[test]
    fn secrets_and_bulk_stay_out_of_the_url() {
        assert_eq!(presentable("about:blank"), "about:blank");
        assert_eq!(presentable("data:text/html,secret"), "data:…");
        assert_eq!(presentable("http://a@b@host"), "http://host");
        assert_eq!(presentable(&format!("http://h/{}", "ü".repeat(200))).chars().count(), 121);
    }
}
