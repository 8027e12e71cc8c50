//! Where sessions of all clients come from: one pool of browsers behind one gate, one journal, and room for so many.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use uiap_policy::Policies;
use uiap_runtime::journal::Journal;

use super::SessionError;
use crate::address::Reach;
use crate::browsers::{BrowserOptions, Browsers, Tab};

/// How browsers are started, and what may be done in them.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The browser; found when it is not given.
    pub executable: Option<PathBuf>,
    /// What pages may reach; every public address when nothing else is said.
    pub reach: Reach,
    /// Whether a session that begins on this machine may reach it.
    pub local: bool,
    /// What may be done; risk levels alone when it is left out.
    pub policies: Option<Arc<Policies>>,
    /// The only directory that files are uploaded from.
    pub uploads: Option<PathBuf>,
    /// Where it is written down what was sent; in memory when it is left out.
    pub journal: Option<PathBuf>,
    /// Sessions that nobody used for so long are closed.
    pub idle: Duration,
    /// Sessions at most, of all clients together.
    pub most_sessions: usize,
    /// Pages of one session at most.
    pub most_tabs: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            executable: None,
            reach: Reach::public(),
            local: false,
            policies: None,
            uploads: None,
            journal: None,
            idle: Duration::from_mins(15),
            most_sessions: 50,
            most_tabs: 12,
        }
    }
}

/// One pool for the sessions of many clients. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    options: SessionOptions,
    browsers: std::sync::OnceLock<Browsers>,
    journal: OnceCell<Arc<Journal>>,
    taken: Arc<AtomicUsize>,
    /// Held while the first page is prepared: whoever comes meanwhile takes that one and makes no other.
    preparing: tokio::sync::Mutex<()>,
}

/// Room for one session; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat(Arc<AtomicUsize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Pool {
    /// Nothing runs yet; the browser starts with the first session or with [`warm`](Self::warm).
    pub fn new(options: SessionOptions) -> Self {
        Self { inner: Arc::new(Inner { options, ..Inner::default() }) }
    }

    /// How it was set up.
    pub fn options(&self) -> &SessionOptions {
        &self.inner.options
    }

    /// Prepares a page ahead of the first session.
    pub async fn warm(&self) -> Result<(), SessionError> {
        let _preparing = self.inner.preparing.lock().await;
        Ok(self.browsers().warm().await?)
    }

    /// The processes that were started here.
    pub fn process_ids(&self) -> Vec<u32> {
        self.inner.browsers.get().map(Browsers::process_ids).unwrap_or_default()
    }

    /// How many sessions there are.
    pub fn taken(&self) -> usize {
        self.inner.taken.load(Ordering::Acquire)
    }

    fn browsers(&self) -> &Browsers {
        self.inner.browsers.get_or_init(|| {
            let options = BrowserOptions {
                executable: self.inner.options.executable.clone(),
                ..BrowserOptions::default()
            };
            Browsers::new(options, self.inner.options.reach.clone())
        })
    }

    /// A page in a context of its own, with the usual reach or another one.
    pub(super) async fn tab(&self, reach: Option<Reach>) -> Result<Tab, SessionError> {
        drop(self.inner.preparing.lock().await);
        let browsers = self.browsers();
        Ok(match reach {
            Some(reach) => browsers.tab_within(reach).await?,
            None => browsers.tab().await?,
        })
    }

    pub(super) fn seat(&self) -> Result<Seat, SessionError> {
        let most = self.inner.options.most_sessions;
        let room = |taken: usize| (taken < most).then_some(taken + 1);
        let taken = &self.inner.taken;
        taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, room)
            .map(|_| Seat(Arc::clone(taken)))
            .map_err(|_| SessionError::TooMany(most))
    }

    pub(super) async fn journal(&self) -> Result<&Arc<Journal>, SessionError> {
        let open = || async {
            let journal = match &self.inner.options.journal {
                Some(path) => Journal::open(path)?,
                None => Journal::in_memory()?,
            };
            journal.recover()?;
            Ok::<_, SessionError>(Arc::new(journal))
        };
        self.inner.journal.get_or_try_init(open).await
    }

    /// Ends every browser.
    pub async fn end(&self) {
        if let Some(browsers) = self.inner.browsers.get() {
            browsers.close().await;
        }
    }
}
