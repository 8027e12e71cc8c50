//! Why a page could not be opened or captured.

use std::fmt;
use std::time::Duration;

use uiap_cdp::{CallError, CallErrorKind};

use crate::destination;

/// Something that could not be had from a page.
#[derive(Debug)]
pub struct PageError {
    kind: Box<PageErrorKind>,
}

/// What went wrong with a page.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageErrorKind {
    /// A call to the browser failed.
    Call(CallError),
    /// The browser did not go there.
    Navigation {
        /// Where to.
        url: String,
        /// The browser's words, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// What was given is no address.
    NoAddress {
        /// What was given.
        url: String,
        /// The browser's refusal.
        source: CallError,
    },
    /// The document did not finish loading in time.
    NotLoaded(Duration),
    /// A dialog of the page, such as an alert, holds everything up.
    Dialog(String),
    /// The page navigated away during the capture, and again during the second attempt.
    NavigatedAway,
    /// The in-page script failed: a fault of this crate.
    Script(String),
    /// The in-page script answered nothing: its document was opened anew meanwhile.
    Silent,
    /// The in-page script answered in an unexpected form: a fault of this crate.
    Decode(serde_json::Error),
    /// The session of the page ended.
    Closed,
    /// The renderer of the page crashed while it loaded.
    Crashed,
    /// No such element is in the page any more.
    Gone(String),
    /// The element is not any more what it was found to be.
    Changed(String),
    /// The page is not any more what the observer was told.
    Outdated,
    /// A frame that greeted did not do what it was asked for; the text says why.
    Frame(String),
    /// The element was published by its own frame: no pointer and no key is sent there.
    Published(String),
}

/// A page that cannot be asked any more, and what was lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Loss {
    #[error("its window was closed")]
    Window,
    #[error("it crashed")]
    Renderer,
    #[error("the browser ended: {0}")]
    Browser(String),
}

impl PageError {
    /// What was lost, if the page is gone for good.
    pub(crate) fn loss(&self) -> Option<Loss> {
        match &*self.kind {
            PageErrorKind::Closed => Some(Loss::Window),
            PageErrorKind::Crashed => Some(Loss::Renderer),
            PageErrorKind::Call(error) => match error.kind() {
                CallErrorKind::Detached => Some(Loss::Window),
                CallErrorKind::Crashed => Some(Loss::Renderer),
                CallErrorKind::Disconnected(reason) => Some(Loss::Browser(reason.to_string())),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn new(kind: PageErrorKind) -> Self {
        Self { kind: Box::new(kind) }
    }

    /// What went wrong.
    pub fn kind(&self) -> &PageErrorKind {
        &self.kind
    }

    /// A refused navigation: what was given may be no address at all.
    pub(crate) fn of_navigation(url: &str, error: CallError) -> Self {
        match error.kind() {
            CallErrorKind::Refused { message, .. } if message.contains("invalid URL") => {
                Self::new(PageErrorKind::NoAddress { url: url.to_owned(), source: error })
            }
            _ => error.into(),
        }
    }

    /// Whether the document that was asked is no more: after a navigation its worlds and objects are unknown.
    pub(crate) fn is_document_gone(&self) -> bool {
        const SIGNS: [&str; 5] = [
            "Cannot find context",
            "Could not find object",
            "Execution context was destroyed",
            "Inspected target navigated",
            "No frame",
        ];
        match &*self.kind {
            PageErrorKind::Call(error) => match error.kind() {
                CallErrorKind::Refused { message, .. } => SIGNS.iter().any(|sign| message.contains(sign)),
                _ => false,
            },
            _ => false,
        }
    }
}

impl From<CallError> for PageError {
    fn from(error: CallError) -> Self {
        Self::new(PageErrorKind::Call(error))
    }
}

impl From<serde_json::Error> for PageError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(PageErrorKind::Decode(error))
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            PageErrorKind::Call(error) => match (self.loss(), error.kind()) {
                (Some(loss), _) => write!(f, "the page is gone: {loss}"),
                (None, CallErrorKind::TimedOut(limit)) => {
                    write!(f, "the page said nothing for {} s", limit.as_secs())
                }
                (None, _) => error.fmt(f),
            },
            PageErrorKind::Navigation { url, reason } => {
                write!(f, "cannot reach `{url}`: {}", destination::explain(url, reason))
            }
            PageErrorKind::NoAddress { url, .. } => {
                write!(f, "`{url}` is no address: {}", destination::suggest(url))
            }
            PageErrorKind::NotLoaded(limit) => write!(f, "the page did not finish loading within {limit:?}"),
            PageErrorKind::Dialog(message) => write!(f, "a dialog of the page is open: `{message}`"),
            PageErrorKind::NavigatedAway => {
                f.write_str("the page navigated away twice while it was captured")
            }
            PageErrorKind::Script(text) => write!(f, "the in-page script failed: {text}"),
            PageErrorKind::Decode(error) => {
                write!(f, "the in-page script answered in an unexpected form: {error}")
            }
            PageErrorKind::Closed => f.write_str("the page was closed"),
            PageErrorKind::Crashed => f.write_str("the renderer of the page crashed"),
            PageErrorKind::Silent => f.write_str("the in-page script answered nothing"),
            PageErrorKind::Outdated => f.write_str("the page changed after it was looked at"),
            PageErrorKind::Frame(why) => write!(f, "a frame that greeted cannot be used: {why}"),
            PageErrorKind::Published(id) => {
                write!(f, "the element `{id}` was published by its frame: ask the frame for an action on it")
            }
            PageErrorKind::Changed(id) => {
                write!(f, "the element `{id}` is not any more what it was found to be")
            }
            PageErrorKind::Gone(id) => write!(f, "the element `{id}` is not in the page"),
        }
    }
}

impl std::error::Error for PageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            PageErrorKind::Call(error) | PageErrorKind::NoAddress { source: error, .. } => Some(error),
            PageErrorKind::Decode(error) => Some(error),
            _ => None,
        }
    }
}
