//! One page of a browser, observed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use uiap_cdp::protocol::dom::{BackendNodeId, DescribeNode};
use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_cdp::protocol::page::{
    Enable, RemoveScriptToEvaluateOnNewDocument, ScriptIdentifier, SetLifecycleEventsEnabled,
};
use uiap_cdp::protocol::runtime::RemoteObjectId;
use uiap_cdp::{Browser, Session};
use uiap_model::names::{ActionId, ElementInstanceId, RevisionId};
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::clock;

use crate::capability::KnownActions;
use crate::capture::{self, CaptureOptions, Captured, Request, Stamp};
use crate::error::{PageError, PageErrorKind};
use crate::observe::{Observation, ObserveOptions};
use crate::transfer::Sent;
use crate::world::{Kept, World};
use crate::{loading, world};

/// How a page is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// How long a document may take to load.
    pub load_timeout: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { load_timeout: Duration::from_secs(30) }
    }
}

/// A page that is observed. Cheap to clone; dropping it closes nothing.
#[derive(Debug, Clone)]
pub struct Page {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    session: Session,
    options: OpenOptions,
    world: Mutex<Option<World>>,
    /// Ids never come back, whatever document they were given in.
    next_id: AtomicU64,
    seq: AtomicU64,
    observations: AtomicU64,
    actions: RwLock<KnownActions>,
    /// By which frames that greet are welcomed.
    greeter: Mutex<Option<ScriptIdentifier>>,
}

/// What assistive technology is told of an element.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Accessible {
    /// The ARIA role.
    pub role: String,
    /// The accessible name.
    pub name: String,
    /// The accessible description.
    pub description: String,
}

impl Page {
    /// Opens a new page and waits until it has loaded.
    pub async fn open(browser: &Browser, url: &str, options: OpenOptions) -> Result<Self, PageError> {
        let session = browser.new_page("about:blank").await?;
        let page = Self::prepare(session, options).await?;
        page.navigate(url).await?;
        Ok(page)
    }

    /// Observes a page that is open already.
    pub async fn attach(session: Session) -> Result<Self, PageError> {
        Self::attach_with(session, OpenOptions::default()).await
    }

    /// Observes a page that is open already, with options.
    pub fn attach_with(
        session: Session,
        options: OpenOptions,
    ) -> BoxFuture<'static, Result<Self, PageError>> {
        Box::pin(async move {
            let page = Self::prepare(session, options).await?;
            loading::settle(&page.inner.session, page.inner.options.load_timeout).await?;
            Ok(page)
        })
    }

    async fn prepare(session: Session, options: OpenOptions) -> Result<Self, PageError> {
        session.call(Enable {}).await?;
        session.call(SetLifecycleEventsEnabled { enabled: true }).await?;
        // A page behind another one gets the events of focus only so.
        session.call(SetFocusEmulationEnabled { enabled: true }).await?;
        world::install(&session).await?;
        let inner = Inner {
            session,
            options,
            world: Mutex::new(None),
            next_id: AtomicU64::new(1),
            seq: AtomicU64::new(0),
            observations: AtomicU64::new(0),
            actions: RwLock::default(),
            greeter: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The session behind it.
    pub fn session(&self) -> &Session {
        &self.inner.session
    }

    /// Tells which actions the app has. From now on an element that names others by its annotations is published without them, and
    /// the graph warns of it; before, all are taken as they are named.
    pub fn know_actions(&self, actions: impl IntoIterator<Item = ActionId>) {
        let mut known = self.inner.actions.write().unwrap_or_else(PoisonError::into_inner);
        *known = KnownActions::new(actions);
    }

    pub(crate) fn known_actions(&self) -> KnownActions {
        self.inner.actions.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes to another address and waits until it has loaded.
    pub fn navigate<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), PageError>> {
        Box::pin(async move {
            let gone = loading::navigate(&self.inner.session, url, self.inner.options.load_timeout).await;
            // Whoever asked the document before would only hear that it is gone.
            self.forget_world().await;
            gone
        })
    }

    /// What the page shows now. A navigation in the middle is waited for, once.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
        Ok(self.request(Request::new(Some(options), false)).await?.graph)
    }

    /// What the page shows now, by more options, and what it cost.
    pub async fn capture(&self, options: &CaptureOptions) -> Result<Captured, PageError> {
        self.request(Request::new(options.snapshot.as_ref(), options.viewport_only)).await
    }

    async fn request(&self, request: Request<'_>) -> Result<Captured, PageError> {
        let answer = self.ask_text("capture", serde_json::to_value(request)?).await?;
        let missing = |what: &str| PageError::new(PageErrorKind::Script(what.to_owned()));
        let (took, text) = answer.split_once('\n').ok_or_else(|| missing("it told no time"))?;
        let in_page = took.parse().ok().and_then(|ms: f64| Duration::try_from_secs_f64(ms / 1_000.0).ok());
        let sent: Sent<'_> = serde_json::from_str(text)?;
        self.inner.next_id.fetch_max(sent.next_id, Ordering::Relaxed);
        let mut graph = capture::graph(sent, self.stamp()?)?.ok_or_else(|| missing("it saw no document"))?;
        self.known_actions().check_graph(&mut graph);
        Ok(Captured { graph, in_page: in_page.unwrap_or_default(), bytes: text.len() })
    }

    /// The next revision, now.
    pub(crate) fn stamp(&self) -> Result<Stamp, PageError> {
        let missing = |what: &str| PageError::new(PageErrorKind::Script(what.to_owned()));
        let seq = self.inner.seq.fetch_add(1, Ordering::Relaxed) + 1;
        let revision = RevisionId::parse(&format!("rev_{seq}")).ok_or_else(|| missing("no revision"))?;
        let ts = clock::now().ok_or_else(|| missing("the clock stands before 1970"))?;
        Ok(Stamp { revision, seq, ts })
    }

    /// Role, name and description of the elements of the main document that a CSS selector matches.
    pub async fn accessible(&self, selector: &str) -> Result<Vec<Accessible>, PageError> {
        self.ask("accessible", selector.into()).await
    }

    /// The browser's number of an element that a snapshot named.
    pub async fn backend_node(&self, id: &ElementInstanceId) -> Result<BackendNodeId, PageError> {
        let describe = DescribeNode { object_id: Some(self.element(id).await?), ..DescribeNode::default() };
        Ok(self.inner.session.call(describe).await?.node.backend_node_id)
    }

    /// A handle to an element that a snapshot named, in the world of the script.
    pub(crate) async fn element(&self, id: &ElementInstanceId) -> Result<RemoteObjectId, PageError> {
        let handle = self.world().await?.handle(&self.inner.session, "find", id.as_str().into()).await?;
        handle.ok_or_else(|| PageError::new(PageErrorKind::Gone(id.to_string())))
    }

    /// Calls a function on an element that a snapshot named, if it still is what it was found to be.
    pub(crate) async fn on(
        &self,
        id: &ElementInstanceId,
        found: Option<&Value>,
        function: &Kept,
        value: Value,
    ) -> Result<String, PageError> {
        let member = |name: &str| found.and_then(|found| found.get(name)).cloned().unwrap_or_default();
        let target = json!({ "id": id, "by": member("by"), "found": member("found"), "unchanged": member("unchanged") });
        let answer = self.world().await?.on(&self.inner.session, target, function, value).await?;
        match answer.as_str() {
            "uiap:gone" => Err(PageError::new(PageErrorKind::Gone(id.to_string()))),
            "uiap:changed" => Err(PageError::new(PageErrorKind::Changed(id.to_string()))),
            "uiap:outdated" => Err(PageError::new(PageErrorKind::Outdated)),
            _ => Ok(answer),
        }
    }

    /// Calls a function in the present document, on no element.
    pub(crate) async fn beside(&self, function: &Kept, value: Value) -> Result<String, PageError> {
        self.world().await?.on(&self.inner.session, Value::Null, function, value).await
    }

    async fn ask<T: DeserializeOwned>(&self, function: &str, argument: Value) -> Result<T, PageError> {
        Ok(serde_json::from_str(&self.ask_text(function, argument).await?)?)
    }

    async fn ask_text(&self, function: &str, argument: Value) -> Result<String, PageError> {
        let session = &self.inner.session;
        let first = match self.world().await {
            Ok(world) => world.ask(session, function, argument.clone()).await,
            Err(error) => Err(error),
        };
        match first {
            Err(error) if error.is_document_gone() => {
                tracing::debug!(%error, "the page navigated, asking again");
            }
            other => return other,
        }
        self.forget_world().await;
        loading::settle(session, self.inner.options.load_timeout).await?;
        let again = self.world().await?.ask(session, function, argument).await;
        match again {
            Err(error) if error.is_document_gone() => Err(PageError::new(PageErrorKind::NavigatedAway)),
            other => other,
        }
    }

    pub(crate) fn world(&self) -> BoxFuture<'_, Result<World, PageError>> {
        Box::pin(async move {
            let mut slot = self.inner.world.lock().await;
            if let Some(world) = &*slot {
                return Ok(world.clone());
            }
            let world =
                World::create(&self.inner.session, self.inner.next_id.load(Ordering::Relaxed)).await?;
            *slot = Some(world.clone());
            Ok(world)
        })
    }

    /// Has frames that greet welcomed by this script, in the place of the one before.
    pub(crate) async fn greet(&self, source: &str) -> Result<(), PageError> {
        let mut slot = self.inner.greeter.lock().await;
        let former = slot.replace(world::add(&self.inner.session, source).await?);
        if let Some(identifier) = former {
            self.inner.session.call(RemoveScriptToEvaluateOnNewDocument { identifier }).await?;
        }
        Ok(())
    }

    /// Observes the page from now on.
    pub fn observe(&self, options: ObserveOptions) -> Observation {
        let number = self.inner.observations.fetch_add(1, Ordering::Relaxed) + 1;
        Observation::new(self.clone(), format!("o{number}"), options)
    }

    /// Asks the present document, whatever becomes of it.
    pub(crate) async fn ask_once(&self, function: &str, argument: Value) -> Result<String, PageError> {
        self.world().await?.ask(&self.inner.session, function, argument).await
    }

    /// Waits until the present document has loaded.
    pub(crate) async fn settle(&self) -> Result<(), PageError> {
        loading::settle(&self.inner.session, self.inner.options.load_timeout).await
    }

    /// Ids up to this one are given away.
    pub(crate) fn note_id(&self, next: u64) {
        self.inner.next_id.fetch_max(next, Ordering::Relaxed);
    }

    pub(crate) async fn forget_world(&self) {
        *self.inner.world.lock().await = None;
    }
}
