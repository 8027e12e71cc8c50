//! The seam between sessions and pages: sessions know of pages only what is said here.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use compact_str::CompactString;
use futures_util::future::BoxFuture;
use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::names::SessionId;
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{PageGraph, WebSignal};
use uiap_policy::confirmation::Party;
use uiap_policy::{Policies, SharedSecrets};

use super::actions::Actions;

/// What a session would like to look at, and in whose name.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The first address; an empty page when there is none.
    pub url: Option<CompactString>,
    /// The session.
    pub session_id: SessionId,
    /// The number of its next action; goes on when the page is replaced.
    pub next_action: Arc<AtomicU64>,
    /// Who looks and acts.
    pub party: Party,
    /// What they may do.
    pub policies: Arc<Policies>,
    /// From the system's random source.
    pub salt: [u8; 32],
    /// What must not be shown, known to everybody who shows something of this session.
    pub secrets: SharedSecrets,
}

/// Why there is no page, or no answer from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// The address is not allowed.
    #[error("{0}")]
    Refused(String),
    /// There are too many pages already.
    #[error("there are {0} pages already; try again when one is closed")]
    Full(usize),
    /// It does not work now.
    #[error("{0}")]
    Failed(String),
    /// The page or its browser died; another one can be had.
    #[error("the page is gone: {0}")]
    Gone(String),
}

impl StageError {
    /// As it is told to the peer.
    pub fn payload(&self) -> ErrorPayload {
        match self {
            Self::Refused(_) => ErrorPayload::new(CoreErrorCode::Forbidden, self.to_string()),
            Self::Full(_) | Self::Failed(_) | Self::Gone(_) => {
                ErrorPayload::new(CoreErrorCode::Unavailable, self.to_string()).retry_after(1_000)
            }
        }
    }
}

/// What is seen of a page.
#[derive(Clone, Debug)]
pub enum Sight {
    /// Something that the page told; it comes before the graph that shows it.
    Signal(Box<WebSignal>),
    /// The page at a new revision.
    Graph(Arc<PageGraph>),
}

/// A picture of a page.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its media type.
    pub media_type: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Pages of one kind.
pub trait Stages: Send + Sync + 'static {
    /// Whether a page would be opened there; costs nothing.
    fn check(&self, url: &str) -> Result<(), StageError>;
    /// Opens a page that shares nothing with other sessions.
    fn open<'a>(&'a self, wish: &'a Wish) -> BoxFuture<'a, Result<Arc<dyn Stage>, StageError>>;
}

/// One page.
pub trait Stage: Send + Sync + 'static {
    /// The page as it is now, with what a graph that is observed does not hold: hidden elements, places.
    fn capture<'a>(&'a self, options: &'a SnapshotOptions) -> BoxFuture<'a, Result<PageGraph, StageError>>;
    /// Looks now: the number of the graph that shows everything until this call. None where nobody looks by order.
    fn look(&self) -> BoxFuture<'_, Result<Option<u64>, StageError>> {
        Box::pin(async { Ok(None) })
    }
    /// What can be seen from now on, a graph first.
    fn watch(&self) -> BoxFuture<'_, Result<Box<dyn Sights>, StageError>>;
    /// Who carries actions out on it; none where it can only be looked at.
    fn actions(&self) -> Option<Arc<dyn Actions>> {
        None
    }
    /// The page as a picture, with what is secret covered; for the person who watches.
    fn picture(&self) -> BoxFuture<'_, Result<Picture, StageError>> {
        Box::pin(async { Err(StageError::Failed("there are no pictures of this page".to_owned())) })
    }
    /// Closes the page with everything that it stored.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// What happens on a page.
pub trait Sights: Send {
    /// The next sight, as soon as there is one.
    fn next(&mut self) -> BoxFuture<'_, Result<Sight, StageError>>;
}
