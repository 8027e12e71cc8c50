//! Browsers for many sessions: a context of its own for each, a page that waits warm for the next, and nothing left behind.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::task::TaskTracker;
use uiap_cdp::protocol::browser::BrowserContextId;
use uiap_cdp::protocol::target::{TargetId, TargetKind};
use uiap_cdp::{
    Browser, BrowserContext, BrowserEvent, BrowserEvents, CallError, ContextOptions, LaunchError,
    LaunchOptions, Session,
};
use uiap_web::signal::{Watch, WatchOptions};
use uiap_web::{OpenOptions, Page, PageError};

use crate::address::Reach;
use crate::gate::Gate;

/// How many, and which.
#[derive(Debug, Clone)]
pub struct BrowserOptions {
    /// The browser; found when it is not given.
    pub executable: Option<PathBuf>,
    /// Browsers at most.
    pub most: usize,
    /// Contexts that share one browser.
    pub shared: usize,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self { executable: None, most: 4, shared: 50 }
    }
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// No browser.
    #[error("no browser: {0}; `uiap doctor` tells more")]
    Launch(#[from] LaunchError),
    /// The browser refused.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The limit.
    #[error("there are {0} pages already")]
    Full(usize),
    /// The gate.
    #[error("the gate for pages cannot be opened: {0}")]
    Gate(std::io::Error),
    /// The end.
    #[error("the browsers were closed")]
    Closed,
}

/// A page in a context of its own. Dropping it closes both.
#[derive(Debug)]
pub struct Tab {
    /// The page.
    pub page: Page,
    /// What the browser reports of it; dialogs are answered.
    pub watch: Watch,
    context: BrowserContext,
    browser: Browser,
    /// Open as long as the page.
    gate: Gate,
    _seat: Seat,
}

impl Tab {
    /// Closes the page and forgets what it stored.
    pub async fn close(self) {
        if let Err(error) = self.context.dispose().await {
            tracing::debug!(%error, "a context went with its browser");
        }
    }

    /// Whether the browser is still there.
    pub fn is_alive(&self) -> bool {
        self.browser.disconnected().is_none()
    }

    /// Pages that come into being in this context from now on: popups, and what [`blank`](Self::blank) opens.
    pub fn arrivals(&self) -> Arrivals {
        Arrivals {
            events: self.browser.events(),
            browser: self.browser.clone(),
            context: self.context.id().clone(),
        }
    }

    /// Opens an empty page beside; it arrives like any other.
    pub async fn blank(&self) -> Result<TargetId, BrowserError> {
        Ok(self.context.new_page("about:blank").await?.target_id().clone())
    }
}

/// Pages that come into being in one context.
#[derive(Debug)]
pub struct Arrivals {
    events: BrowserEvents,
    browser: Browser,
    context: BrowserContextId,
}

impl Arrivals {
    /// The next one, watched already so that none of its dialogs stops it; none when the browser is gone.
    pub async fn next(&mut self) -> Option<(Session, Watch)> {
        loop {
            match self.events.next().await? {
                BrowserEvent::Attached(session) if self.is_mine(&session) => {
                    match Watch::start(&self.browser, &session, WatchOptions::default()).await {
                        Ok(watch) => return Some((session, watch)),
                        Err(error) => tracing::debug!(%error, "a page went as soon as it came"),
                    }
                }
                BrowserEvent::Disconnected(_) => return None,
                _ => {}
            }
        }
    }

    fn is_mine(&self, session: &Session) -> bool {
        let info = session.info();
        info.kind == TargetKind::Page && info.browser_context_id.as_ref() == Some(&self.context)
    }
}

/// All browsers of a server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Browsers {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: BrowserOptions,
    reach: Reach,
    pool: Mutex<Pool>,
    /// Launches happen one after the other, so that two sessions do not start two browsers for one seat each.
    launching: tokio::sync::Mutex<()>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Pool {
    running: Vec<Running>,
    spare: Option<Tab>,
    warming: bool,
    closed: bool,
}

#[derive(Debug)]
struct Running {
    browser: Browser,
    seats: Arc<()>,
}

/// A place in a browser; free again when it is dropped.
#[derive(Debug)]
struct Seat(#[expect(dead_code, reason = "counted, not read")] Arc<()>);

impl Browsers {
    /// None running yet. Every page goes through a gate with this reach, unless it is given another.
    pub fn new(options: BrowserOptions, reach: Reach) -> Self {
        let inner = Inner {
            options,
            reach,
            pool: Mutex::default(),
            launching: tokio::sync::Mutex::default(),
            tasks: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Prepares a page ahead of the first session.
    pub async fn warm(&self) -> Result<(), BrowserError> {
        let tab = self.make().await?;
        let mut pool = self.pool();
        if !pool.closed && pool.spare.is_none() {
            pool.spare = Some(tab);
        }
        Ok(())
    }

    /// A page that nobody used before: the spare one, or a new one. Another spare is made meanwhile.
    pub async fn tab(&self) -> Result<Tab, BrowserError> {
        let spare = self.pool().spare.take().filter(Tab::is_alive);
        let tab = match spare {
            Some(tab) => tab,
            None => self.make().await?,
        };
        self.prepare_spare();
        Ok(tab)
    }

    /// The same with another reach than the rest.
    pub async fn tab_within(&self, reach: Reach) -> Result<Tab, BrowserError> {
        let tab = self.tab().await?;
        tab.gate.allow(reach);
        Ok(tab)
    }

    fn prepare_spare(&self) {
        let mut pool = self.pool();
        if pool.closed || pool.warming || pool.spare.is_some() {
            return;
        }
        pool.warming = true;
        drop(pool);
        let browsers = self.clone();
        self.inner.tasks.spawn(async move {
            let made = browsers.make().await;
            let mut pool = browsers.pool();
            pool.warming = false;
            match made {
                Ok(tab) if !pool.closed => pool.spare = Some(tab),
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "there is no spare page"),
            }
        });
    }

    async fn make(&self) -> Result<Tab, BrowserError> {
        let (browser, seat) = self.seat().await?;
        let gate = Gate::open(self.inner.reach.clone()).await.map_err(BrowserError::Gate)?;
        let options = ContextOptions {
            proxy_server: Some(gate.proxy()),
            // Without this, requests to this very machine would not go through the gate.
            proxy_bypass_list: Some("<-loopback>".to_owned()),
            ..ContextOptions::default()
        };
        let context = browser.new_context(options).await?;
        let session = context.new_page("about:blank").await?;
        let watch = Watch::start(&browser, &session, WatchOptions::default()).await?;
        let page = Page::attach_with(session, OpenOptions::default()).await?;
        Ok(Tab { page, watch, context, browser, gate, _seat: seat })
    }

    /// The browser with most room; a new one when all are full and there may be more.
    async fn seat(&self) -> Result<(Browser, Seat), BrowserError> {
        let _one_at_a_time = self.inner.launching.lock().await;
        let (most, shared) = (self.inner.options.most, self.inner.options.shared);
        {
            let mut pool = self.pool();
            if pool.closed {
                return Err(BrowserError::Closed);
            }
            pool.running.retain(|running| running.browser.disconnected().is_none());
            let taken = |running: &Running| Arc::strong_count(&running.seats) - 1;
            if let Some(running) = pool.running.iter().min_by_key(|running| taken(running))
                && taken(running) < shared
            {
                return Ok((running.browser.clone(), Seat(Arc::clone(&running.seats))));
            }
            if pool.running.len() >= most {
                return Err(BrowserError::Full(most * shared));
            }
        }
        let options =
            LaunchOptions { executable: self.inner.options.executable.clone(), ..LaunchOptions::default() };
        let browser = Browser::launch(options).await?;
        let seats = Arc::new(());
        let seat = Seat(Arc::clone(&seats));
        self.pool().running.push(Running { browser: browser.clone(), seats });
        Ok((browser, seat))
    }

    /// The processes that were started here.
    pub fn process_ids(&self) -> Vec<u32> {
        self.pool().running.iter().filter_map(|running| running.browser.process_id()).collect()
    }

    /// Ends every browser.
    pub async fn close(&self) {
        let (running, spare) = {
            let mut pool = self.pool();
            pool.closed = true;
            (std::mem::take(&mut pool.running), pool.spare.take())
        };
        drop(spare);
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        for running in running {
            running.browser.close().await;
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.inner.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tab {
    /// Downloads go into this folder from now on, under names of the browser's choice.
    pub(crate) async fn keep_downloads(
        &self,
        folder: PathBuf,
    ) -> Result<(Browser, BrowserContextId, BrowserEvents), BrowserError> {
        let events = self.browser.events();
        self.context.set_downloads(&uiap_cdp::Downloads::Into(folder)).await?;
        Ok((self.browser.clone(), self.context.id().clone(), events))
    }
}
