//! One request of a page and what became of it.

use std::time::{Duration, Instant};

use uiap_cdp::protocol::network::{Initiator, LoaderId, RequestId, ResourceType};
use uiap_cdp::protocol::page::FrameId;
use uiap_cdp::protocol::target::SessionId;
use uiap_model::names::ActionHandle;

/// A request that is open for longer than this is a long poll or a stream: it does not hold a page up any more.
const LONG_LIVED: Duration = Duration::from_secs(5);
/// How long the body of an answer that is read by a script may make no progress before nobody waits for it.
const SILENT_BODY: Duration = Duration::from_millis(300);

/// Where an exchange is told from: request ids are unique within a session only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExchangeId {
    /// The session that reported it.
    pub session: SessionId,
    /// The browser's id; a redirect keeps it.
    pub request: RequestId,
}

/// One request of a page.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Which one.
    pub id: ExchangeId,
    /// Its method, such as `GET`.
    pub method: String,
    /// Its address, without secrets.
    pub url: String,
    /// What it is for.
    pub kind: ResourceType,
    /// The frame that asked.
    pub frame: Option<FrameId>,
    /// The document load that it belongs to.
    pub loader: LoaderId,
    /// Who asked for it.
    pub initiator: RequestCause,
    /// The action whose input made the page ask, where the browser's order of events tells.
    pub cause: Option<ActionHandle>,
    /// Whether the page asked within a user's gesture. That says little: for seconds after an input the page's own timers do too.
    pub user_gesture: bool,
    /// When it was seen here.
    pub started: Instant,
    /// When its headers came.
    pub answered: Option<Instant>,
    /// When it was over.
    pub ended: Option<Instant>,
    /// The status, once there was an answer.
    pub status: Option<u16>,
    /// How it stands.
    pub outcome: Outcome,
    /// Whether the answer says that it goes on without an end.
    pub(crate) streams: bool,
    /// When a part of the body came last.
    pub(crate) last_part: Option<Instant>,
}

/// How a request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Still under way.
    Open,
    /// Answered in full.
    Finished,
    /// Sent on to another address, which is an exchange of its own.
    Redirected,
    /// Failed, with the browser's words, such as `net::ERR_CONNECTION_REFUSED`.
    Failed(String),
    /// Given up by the page.
    Cancelled,
}

/// Who asked for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCause {
    /// The browser's word, such as `parser` or `script`.
    pub kind: String,
    /// The place in the script or document that caused it, as `address:line`.
    pub place: Option<String>,
}

impl From<&Initiator> for RequestCause {
    fn from(initiator: &Initiator) -> Self {
        let frame = initiator.stack.as_ref().and_then(|stack| stack.call_frames.first());
        let place = match frame {
            Some(frame) => Some((super::address::redact(&frame.url), frame.line_number + 1)),
            None => initiator.url.as_ref().map(|url| {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a line number that the protocol sends as a float"
                )]
                (super::address::redact(url), initiator.line_number.map_or(0, |line| line as i64 + 1))
            }),
        };
        Self { kind: initiator.kind.clone(), place: place.map(|(url, line)| format!("{url}:{line}")) }
    }
}

impl Exchange {
    /// Whether it never holds a page up, because it is made to stay open or nobody waits for its answer.
    pub(crate) fn is_standing(&self) -> bool {
        use ResourceType::{CspViolationReport, EventSource, Media, Ping, Prefetch, TextTrack, WebSocket};
        let kind = matches!(
            self.kind,
            WebSocket | EventSource | Media | Ping | Prefetch | CspViolationReport | TextTrack
        );
        kind || self.streams || self.is_of_worker()
    }

    /// The script that a worker begins with belongs to no document, and nobody tells the page when it came.
    fn is_of_worker(&self) -> bool {
        self.kind == ResourceType::Script && self.loader.as_str().is_empty()
    }

    /// Until when it holds the page up, as far as can be told now.
    pub(crate) fn holds_until(&self) -> Option<Instant> {
        if self.is_standing() {
            return None;
        }
        match (self.answered, &self.kind) {
            // The application has its answer; the end of a body that nobody reads is never told.
            (Some(answered), ResourceType::Fetch) => Some(self.last_part.unwrap_or(answered) + SILENT_BODY),
            _ => Some(self.started + LONG_LIVED),
        }
    }

    /// Whether the application itself asked, rather than the browser for a part of the document.
    pub fn is_of_the_app(&self) -> bool {
        matches!(self.kind, ResourceType::Document | ResourceType::Xhr | ResourceType::Fetch)
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.outcome != Outcome::Open
    }
}
