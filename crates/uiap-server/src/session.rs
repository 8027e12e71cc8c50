//! Pages that agents look at: one browser, a context of its own for each session.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use uiap_cdp::{Browser, BrowserContext, CallError, ContextOptions, LaunchError, LaunchOptions};
use uiap_model::json::Positive;
use uiap_model::names::ScopeId;
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::text::{self, Found, Query, Refs, TextOptions};
use uiap_web::quiet::wait_quiet;
use uiap_web::screenshot::{Mark, Screenshot, ScreenshotError, Shot, Subject, take};
use uiap_web::signal::{Watch, WatchOptions};
use uiap_web::{CaptureOptions, Observation, ObserveOptions, OpenOptions, Page, PageError, Revision};

/// Sessions at most.
const MOST: usize = 50;
/// Elements that are read for everything.
const FULL: u64 = 200_000;
/// A page that does not come to rest is shown as it is then.
const SETTLE: Duration = Duration::from_secs(1);
/// Tokens of a page, and of a change.
const BUDGET: usize = 4_000;

/// How browsers are started.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The browser; found when it is not given.
    pub executable: Option<PathBuf>,
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
        let session = Arc::new(Mutex::new(Session::new(self.browser().await?).await?));
        let number = self.inner.last.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        let handle = format!("s{number}");
        self.inner.open.lock().await.insert(handle.clone(), Arc::clone(&session));
        Ok((handle, session))
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

/// One page with what belongs to it.
#[derive(Debug)]
struct Session {
    context: Option<BrowserContext>,
    page: Page,
    watch: Watch,
    refs: Refs,
    observation: Option<Observation>,
}

impl Session {
    async fn new(browser: &Browser) -> Result<Self, SessionError> {
        let context = browser.new_context(ContextOptions::default()).await?;
        let tab = context.new_page("about:blank").await?;
        let watch = Watch::start(browser, &tab, WatchOptions::default()).await?;
        let page = Page::attach_with(tab, OpenOptions::default()).await?;
        Ok(Self { context: Some(context), page, watch, refs: Refs::new(), observation: None })
    }

    async fn go(&mut self, url: &str) -> Result<(), SessionError> {
        self.page.navigate(url).await?;
        wait_quiet(self.page.session(), self.watch.network(), SETTLE).await?;
        Ok(())
    }

    async fn look(&mut self, look: &Look) -> Result<String, SessionError> {
        if look.changes {
            return self.changes(look.budget.unwrap_or(BUDGET)).await;
        }
        let scope = match &look.scope {
            Some(text) => Some(ScopeId::parse(text).ok_or_else(|| SessionError::Scope(text.clone()))?),
            None => None,
        };
        let snapshot = SnapshotOptions {
            max_elements: look.full.then_some(Positive(FULL)),
            scopes: scope.clone().map(|scope| vec![scope]),
            ..SnapshotOptions::default()
        };
        let options = CaptureOptions { snapshot: Some(snapshot), viewport_only: !look.full };
        let captured = self.page.capture(&options).await?;
        let budget = (!look.full).then(|| look.budget.unwrap_or(BUDGET));
        Ok(text::page(&captured.graph, &mut self.refs, &TextOptions { budget, scope }).text)
    }

    /// What changed since the last time; the first time, the page.
    async fn changes(&mut self, budget: usize) -> Result<String, SessionError> {
        let observation =
            self.observation.get_or_insert_with(|| self.page.observe(ObserveOptions::default()));
        let revision = observation.sync().await?;
        let Some(graph) = observation.graph() else { return Ok(String::new()) };
        let told = match &revision {
            Some(Revision::Snapshot(_)) => {
                let options = TextOptions { budget: Some(budget), scope: None };
                return Ok(text::page(graph, &mut self.refs, &options).text);
            }
            Some(Revision::Change(change)) => text::Change {
                base: Some(&change.delta.base_revision),
                route: change.route_before.as_ref().map(|_| &graph.route),
                elements: change
                    .elements
                    .iter()
                    .map(|each| (&each.document_id, each.before.as_deref(), each.after.as_deref()))
                    .collect(),
                notes: Vec::new(),
            },
            None => text::Change::default(),
        };
        Ok(text::change(graph, &mut self.refs, &told, budget))
    }

    async fn seek(&mut self, query: &Query) -> Result<Found, SessionError> {
        let snapshot = SnapshotOptions { max_elements: Some(Positive(FULL)), ..SnapshotOptions::default() };
        let graph = self.page.snapshot(&snapshot).await?;
        Ok(text::find(&graph, &mut self.refs, query))
    }

    async fn picture(&mut self, full: bool, marks: bool) -> Result<Screenshot, SessionError> {
        let subject = if full { Subject::FullPage } else { Subject::Window };
        let mut shot = Shot { subject, ..Shot::default() };
        if marks {
            let graph = self.page.snapshot(&SnapshotOptions::default()).await?;
            text::page(&graph, &mut self.refs, &TextOptions { budget: None, scope: None });
            shot.marks = graph
                .elements()
                .filter_map(|(.., element)| {
                    let label = self.refs.get(&element.instance_id)?.to_owned();
                    Some(Mark { element: element.instance_id.clone(), label })
                })
                .collect();
        }
        Ok(take(&self.page, &shot).await?)
    }
}
