//! Why a session could not do what it was asked for, in words that a model or a person can act on.

use uiap_cdp::CallError;
use uiap_runtime::action::{Refused, WaitError};
use uiap_runtime::journal::JournalError;
use uiap_runtime::order::OrderError;
use uiap_runtime::surface::SurfaceError;
use uiap_web::PageError;
use uiap_web::screenshot::ScreenshotError;

use crate::address::Refusal;
use crate::browsers::BrowserError;

/// Why a session could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No browser.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The browser or the page refused.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The picture.
    #[error(transparent)]
    Screenshot(#[from] ScreenshotError),
    /// Not an address of the web.
    #[error("`{0}` is not an http or https address")]
    Address(String),
    /// An address that must not be opened.
    #[error("{refusal}{}", way_out(.refusal))]
    Refusal {
        /// Why not.
        refusal: Refusal,
    },
    /// Nobody knows this handle.
    #[error("there is no session `{0}`; open a page first")]
    Unknown(String),
    /// There is none at all.
    #[error("no session is open; open a page first")]
    NoneOpen,
    /// Which one is meant?
    #[error("there are several sessions: say which one ({0})")]
    Several(String),
    /// Handles are secrets here.
    #[error("say which session is meant: `open` gave its handle")]
    Unnamed,
    /// A name that cannot be one.
    #[error("`{0}` cannot be the name of a session: use letters, digits, `-` and `_`")]
    Name(String),
    /// The limit.
    #[error("there are {0} sessions already; close one")]
    TooMany(usize),
    /// The browser went away.
    #[error(
        "the browser crashed: the page and what it stored are gone; the session goes on empty, open the address again"
    )]
    Lost,
    /// A tab that is not there.
    #[error("there is no tab `{0}`; `tabs` lists them")]
    Tab(String),
    /// A link that leads nowhere.
    #[error("there is nothing at `{0}`")]
    Nothing(String),
    /// An answer that belongs to nothing.
    #[error("nothing waits for this answer any more, or something else was asked for; ask again")]
    Stale,
    /// The page cannot be acted on.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// Nobody can tell whether it came.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] crate::secret::NoRandomness),
    /// What was sent cannot be written down.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The order is not understood.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The action was not taken in.
    #[error("{0}")]
    Refused(Refused),
    /// A ref that nobody gave.
    #[error("there is no ref `{0}`; look at the page for its refs")]
    Ref(String),
    /// A ref of a look that is not remembered any more.
    #[error("the ref `{0}` was shown too long ago to be sure what it is; look at the page again")]
    OldRef(String),
    /// Nothing to tell.
    #[error("no action was asked for yet")]
    NoTrace,
    /// A scope that cannot be.
    #[error("`{0}` cannot be the id of a scope")]
    Scope(String),
}

/// Who keeps an address from being opened, and how to allow it: that is for the person who started the program.
fn way_out(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NotPublic(origin) => {
            format!(" (whoever started uiap can add `--allow-origin {origin} --allow-origin public`)")
        }
        Refusal::NotListed(origin) => {
            format!(" (whoever started uiap can add `--allow-origin {origin}`)")
        }
        _ => String::new(),
    }
}
