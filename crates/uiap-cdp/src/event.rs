//! Events: what a browser or session tells its subscribers.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::connection::message;
use crate::error::{CallError, DisconnectReason};
use crate::protocol::ProtocolEvent;
use crate::protocol::target::{SessionId, TargetId, TargetInfo};
use crate::session::Session;
use crate::subscription::{Queued, Subscription};

/// One event of the protocol. Cheap to clone; its parameters are decoded only on request.
#[derive(Clone)]
pub struct Event {
    inner: Arc<Inner>,
}

struct Inner {
    session: Option<SessionId>,
    method: Box<str>,
    message: Vec<u8>,
    params: Range<usize>,
}

impl Event {
    pub(crate) fn new(
        session: Option<SessionId>,
        method: Box<str>,
        message: Vec<u8>,
        params: Range<usize>,
    ) -> Self {
        Self { inner: Arc::new(Inner { session, method, message, params }) }
    }

    /// An event that no browser sent, for those who test what they make of one. `params` is JSON.
    pub fn made_up(method: &str, params: &str) -> Self {
        Self::new(None, method.into(), params.as_bytes().to_vec(), 0..params.len())
    }

    /// The name on the wire, such as `Page.frameNavigated`.
    pub fn method(&self) -> &str {
        &self.inner.method
    }

    /// The session that it came from; none for the browser itself.
    pub fn session(&self) -> Option<&SessionId> {
        self.inner.session.as_ref()
    }

    /// Whether this is such an event.
    pub fn is<E: ProtocolEvent>(&self) -> bool {
        self.method() == E::NAME
    }

    /// The parameters when this is such an event and has its shape. Another shape is logged.
    pub fn read<E: ProtocolEvent>(&self) -> Option<E> {
        if !self.is::<E>() {
            return None;
        }
        self.decode()
            .inspect_err(|error| tracing::warn!(method = self.method(), %error, "unexpected shape"))
            .ok()
    }

    /// The parameters in any shape.
    pub fn decode<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        message::decode(self.params_text())
    }

    fn params_text(&self) -> &[u8] {
        match self.inner.message.get(self.inner.params.clone()) {
            None | Some([]) => b"{}",
            Some(params) => params,
        }
    }

    fn weight(&self) -> usize {
        self.inner.message.len()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), String::from_utf8_lossy(self.params_text()))
    }
}

/// What a subscriber of one session receives, in order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SessionEvent {
    /// An event of the protocol.
    Event(Event),
    /// This many events were dropped here because the subscriber was slow. Ask for the state anew.
    Lagged(u64),
    /// The renderer crashed. The session lives on and can navigate.
    Crashed,
    /// The session ended; nothing follows.
    Detached(DetachReason),
}

/// Why a session ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DetachReason {
    /// The browser ended it: the page was closed, the frame or worker went away, or somebody asked for it.
    Target,
    /// The session through which it was attached ended.
    Parent,
    /// The connection ended.
    Disconnected(DisconnectReason),
}

/// What a subscriber of the browser receives, in order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum BrowserEvent {
    /// A session is ready to be used.
    Attached(Session),
    /// A session ended.
    Detached {
        /// The session.
        session_id: SessionId,
        /// What it looked at.
        target_id: TargetId,
        /// Why.
        reason: DetachReason,
    },
    /// A target came into being.
    TargetCreated(TargetInfo),
    /// A target has another title or address.
    TargetChanged(TargetInfo),
    /// A target is gone.
    TargetDestroyed(TargetId),
    /// A renderer crashed.
    TargetCrashed {
        /// The target.
        target_id: TargetId,
        /// The browser's word for it, such as `crashed` or `killed`.
        status: String,
        /// The exit code or signal.
        error_code: i64,
    },
    /// A call of the preparation of a new session failed.
    PreparationFailed {
        /// The session.
        session: Session,
        /// The failure.
        error: Arc<CallError>,
    },
    /// A call timed out and a simple question after it too: the browser hangs, or with a session, its page does.
    Unresponsive(Option<SessionId>),
    /// Another event of the browser itself, such as the progress of a download.
    Event(Event),
    /// This many events were dropped here because the subscriber was slow. Ask for the state anew.
    Lagged(u64),
    /// The connection ended; nothing follows.
    Disconnected(DisconnectReason),
}

/// The events of one session.
pub type SessionEvents = Subscription<SessionEvent>;
/// The events of the browser.
pub type BrowserEvents = Subscription<BrowserEvent>;

impl Queued for SessionEvent {
    fn lagged(count: u64) -> Self {
        Self::Lagged(count)
    }

    fn weight(&self) -> usize {
        if let Self::Event(event) = self { event.weight() } else { 0 }
    }
}

impl Queued for BrowserEvent {
    fn lagged(count: u64) -> Self {
        Self::Lagged(count)
    }

    fn weight(&self) -> usize {
        if let Self::Event(event) = self { event.weight() } else { 0 }
    }
}
