//! Pages that agents look at and act on: one browser, a context of its own for each session.

mod act;
mod confirm;
mod page;
mod telling;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Mutex, OnceCell};
use uiap_cdp::{Browser, CallError, LaunchError, LaunchOptions};
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::ActionDescriptor;
use uiap_policy::Policies;
use uiap_runtime::action::Refused;
use uiap_runtime::journal::{Journal, JournalError};
use uiap_runtime::order::OrderError;
use uiap_runtime::surface::SurfaceError;
use uiap_runtime::text::{Found, Query};
use uiap_web::PageError;
use uiap_web::screenshot::{Screenshot, ScreenshotError};

pub use self::act::{Deed, Pointing};
pub use self::confirm::{Confirm, Nobody};
use self::page::Session;

/// Sessions at most.
const MOST: usize = 50;

/// How browsers are started, and what may be done in them.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The browser; found when it is not given.
    pub executable: Option<PathBuf>,
    /// What may be done; risk levels alone when it is left out.
    pub policies: Option<Arc<Policies>>,
    /// The only directory that files are uploaded from.
    pub uploads: Option<PathBuf>,
    /// Where it is written down what was sent; in memory when it is left out.
    pub journal: Option<PathBuf>,
}

/// Why a session could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No browser.
    #[error("no browser: {0}; `uiap doctor` tells more")]
    Launch(#[from] LaunchError),
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
    /// Nobody knows this handle.
    #[error("there is no session `{0}`; open a page first")]
    Unknown(String),
    /// Which one is meant?
    #[error("there are several sessions: say which one ({0})")]
    Several(String),
    /// The limit.
    #[error("there are {MOST} sessions already; close one")]
    TooMany,
    /// The page cannot be acted on.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
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
    /// Nothing to tell.
    #[error("no action was asked for yet")]
    NoTrace,
    /// A scope that cannot be.
    #[error("`{0}` cannot be the id of a scope")]
    Scope(String),
}

/// All sessions of one process.
#[derive(Debug, Clone, Default)]
pub struct Sessions {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    options: SessionOptions,
    browser: OnceCell<Browser>,
    open: Mutex<BTreeMap<String, Arc<Mutex<Session>>>>,
    journal: OnceCell<Arc<Journal>>,
    last: std::sync::atomic::AtomicU64,
}

/// What a snapshot shall show.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Tokens at most; 4,000 when left out.
    pub budget: Option<usize>,
    /// Everything, whatever it costs.
    pub full: bool,
    /// Only this scope.
    pub scope: Option<String>,
    /// Only what changed since the last look of this kind.
    pub changes: bool,
}

impl Sessions {
    /// None open yet; the browser starts with the first call or with [`warm`](Self::warm).
    pub fn new(options: SessionOptions) -> Self {
        Self { inner: Arc::new(Inner { options, ..Inner::default() }) }
    }

    /// Starts the browser ahead of the first page.
    pub async fn warm(&self) -> Result<(), SessionError> {
        self.browser().await.map(drop)
    }

    async fn browser(&self) -> Result<&Browser, SessionError> {
        let options = || LaunchOptions {
            executable: self.inner.options.executable.clone(),
            ..LaunchOptions::default()
        };
        Ok(self.inner.browser.get_or_try_init(|| Browser::launch(options())).await?)
    }

    /// Opens an address in a session, or in a new one; gives the handle and the page as text.
    pub async fn open(&self, url: &str, handle: Option<&str>) -> Result<(String, String), SessionError> {
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(SessionError::Address(url.to_owned()));
        }
        let (handle, session) = match self.find(handle).await {
            Ok(found) => found,
            Err(SessionError::Unknown(_)) if handle.is_none() => self.create().await?,
            Err(error) => return Err(error),
        };
        let mut session = session.lock().await;
        session.go(url).await?;
        let text = session.look(&Look::default()).await?;
        Ok((handle, text))
    }

    async fn create(&self) -> Result<(String, Arc<Mutex<Session>>), SessionError> {
        if self.inner.open.lock().await.len() >= MOST {
            return Err(SessionError::TooMany);
        }
        let number = self.inner.last.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        let handle = format!("s{number}");
        let journal = self.inner.journal.get_or_try_init(|| async { self.open_journal() }).await?;
        let session =
            Session::new(self.browser().await?, &handle, &self.inner.options, Arc::clone(journal)).await?;
        let session = Arc::new(Mutex::new(session));
        self.inner.open.lock().await.insert(handle.clone(), Arc::clone(&session));
        Ok((handle, session))
    }

    fn open_journal(&self) -> Result<Arc<Journal>, SessionError> {
        let journal = match &self.inner.options.journal {
            Some(path) => Journal::open(path)?,
            None => Journal::in_memory()?,
        };
        journal.recover()?;
        Ok(Arc::new(journal))
    }

    /// The session of a handle; without one, the only session there is.
    async fn find(&self, handle: Option<&str>) -> Result<(String, Arc<Mutex<Session>>), SessionError> {
        let open = self.inner.open.lock().await;
        let found = match handle {
            Some(handle) => open.get_key_value(handle),
            None if open.len() > 1 => {
                return Err(SessionError::Several(open.keys().cloned().collect::<Vec<_>>().join(", ")));
            }
            None => open.first_key_value(),
        };
        let unknown = || SessionError::Unknown(handle.unwrap_or("default").to_owned());
        found.map(|(handle, session)| (handle.clone(), Arc::clone(session))).ok_or_else(unknown)
    }

    /// The page of a session as text.
    pub async fn look(&self, handle: Option<&str>, look: &Look) -> Result<String, SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.look(look).await
    }

    /// Elements of a session's page.
    pub async fn seek(&self, handle: Option<&str>, query: &Query) -> Result<Found, SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.seek(query).await
    }

    /// Does something in a session's page and tells what came of it. Whoever has to agree is asked by `confirm`.
    pub async fn act(
        &self,
        handle: Option<&str>,
        deed: Deed,
        confirm: &impl Confirm,
    ) -> Result<(ActionStatus, String), SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.act(deed, confirm).await
    }

    /// Waits until something is seen, from the last look on.
    pub async fn wait(
        &self,
        handle: Option<&str>,
        expect: &[String],
        timeout_ms: Option<u64>,
    ) -> Result<(bool, String), SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.wait(expect, timeout_ms).await
    }

    /// What the app itself offers to do.
    pub async fn actions(&self, handle: Option<&str>) -> Result<Vec<ActionDescriptor>, SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.actions().await
    }

    /// What happened to the last action, step by step.
    pub async fn trace(&self, handle: Option<&str>) -> Result<String, SessionError> {
        let (_, session) = self.find(handle).await?;
        let session = session.lock().await;
        session.trace()
    }

    /// A picture of a session's page.
    pub async fn picture(
        &self,
        handle: Option<&str>,
        full: bool,
        marks: bool,
    ) -> Result<Screenshot, SessionError> {
        let (_, session) = self.find(handle).await?;
        let mut session = session.lock().await;
        session.picture(full, marks).await
    }

    /// Closes a session with everything in it.
    pub async fn close(&self, handle: Option<&str>) -> Result<String, SessionError> {
        let (handle, session) = self.find(handle).await?;
        self.inner.open.lock().await.remove(&handle);
        let context = session.lock().await.context.take();
        if let Some(context) = context {
            context.dispose().await?;
        }
        Ok(handle)
    }

    /// Ends the browser.
    pub async fn end(&self) {
        self.inner.open.lock().await.clear();
        if let Some(browser) = self.inner.browser.get() {
            browser.close().await;
        }
    }
}
