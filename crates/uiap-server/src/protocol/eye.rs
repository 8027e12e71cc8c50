//! The eye of a session: one line of revisions of one page, covered by the policy before anybody sees them.
//!
//! A page that dies is reported and opened again where it was; a page that cannot be opened is tried again when it is asked for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uiap_model::capability::ActionDescriptor;
use uiap_model::core::ErrorPayload;
use uiap_model::json::{Count, JsonObject};
use uiap_model::names::{ActionHandle, RevisionId};
use uiap_model::web::message::{ChangedBy, DeltaCause, SnapshotOptions};
use uiap_model::web::signal::{WebSignalBase, WebSignalBody};
use uiap_model::web::{PageGraph, WebSignal};
use uiap_policy::{Policies, Redactor};

use super::actions::Actions;
use super::request::unsupported;
use super::stage::{Picture, Sight, Stage, StageError, Stages, Wish};

/// Sights that wait for one slow subscription.
const QUEUE: usize = 256;
/// Pages that may die within [`WINDOW`] before the eye gives up until it is asked again.
const MOST_DEATHS: usize = 3;
const WINDOW: Duration = Duration::from_mins(1);
/// Attempts to get a capture and a revision that belong together.
const ATTEMPTS: usize = 3;

/// What a subscription is woken by.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Signal(Arc<Told>),
    Graph(Arc<Showing>),
}

/// A page as it is, and as it may be shown.
#[derive(Debug)]
pub(crate) struct Showing {
    pub(crate) graph: PageGraph,
    pub(crate) cause: DeltaCause,
    raw: Arc<PageGraph>,
    generation: u64,
}

/// A signal on its way. It names no subscription, so of several that want it only one sends it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) signal: WebSignal,
    sent: AtomicBool,
}

impl Told {
    pub(crate) fn new(signal: WebSignal) -> Self {
        Self { signal, sent: AtomicBool::new(false) }
    }

    /// Whether it is the asker's to send.
    pub(crate) fn claim(&self) -> bool {
        !self.sent.swap(true, Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub(crate) struct View {
    showing: Option<Arc<Showing>>,
    fault: Option<StageError>,
}

/// The eye.
pub(crate) struct Eye {
    stages: Arc<dyn Stages>,
    place: Mutex<Place>,
    view: watch::Sender<View>,
    news: broadcast::Sender<News>,
    redactor: Mutex<Redactor>,
    seen: Mutex<Option<Arc<PageGraph>>>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

struct Place {
    wish: Wish,
    stage: Option<Arc<dyn Stage>>,
    open: bool,
    /// How often the page was opened anew; keeps revisions unique.
    generation: u64,
    seq: u64,
    /// Who changes the page at present.
    author: Author,
}

/// Who changes the page.
#[derive(Default)]
struct Author {
    /// The action that runs, and the revision that it ended with.
    action: Option<(ActionHandle, Option<RevisionId>)>,
    /// Whether a person pressed something a moment ago.
    user: bool,
}

impl Author {
    fn cause(&self) -> DeltaCause {
        match &self.action {
            Some((handle, _)) => DeltaCause { by: ChangedBy::Agent, action_handle: Some(handle.clone()) },
            None if self.user => DeltaCause { by: ChangedBy::User, action_handle: None },
            None => DeltaCause { by: ChangedBy::App, action_handle: None },
        }
    }
}

impl Eye {
    pub(crate) fn new(
        stages: Arc<dyn Stages>,
        wish: Wish,
        redactor: Redactor,
        tasks: TaskTracker,
        cancel: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            stages,
            place: Mutex::new(Place {
                wish,
                stage: None,
                open: false,
                generation: 0,
                seq: 0,
                author: Author::default(),
            }),
            view: watch::Sender::default(),
            news: broadcast::Sender::new(QUEUE),
            redactor: Mutex::new(redactor),
            seen: Mutex::default(),
            tasks,
            cancel,
        })
    }

    /// Opens the page, unless it is open or being opened.
    pub(crate) fn open(self: &Arc<Self>) {
        let mut place = lock(&self.place);
        if place.open || self.cancel.is_cancelled() {
            return;
        }
        place.open = true;
        drop(place);
        self.view.send_modify(|view| view.fault = None);
        let eye = Arc::clone(self);
        self.tasks.spawn(async move {
            tokio::select! {
                () = eye.cancel.cancelled() => {}
                fault = eye.perform() => {
                    lock(&eye.place).open = false;
                    eye.view.send_modify(|view| *view = View { showing: None, fault: Some(fault) });
                }
            }
            eye.close().await;
        });
    }

    /// The page at its present revision, as it may be shown.
    pub(crate) async fn showing(self: &Arc<Self>) -> Result<Arc<Showing>, StageError> {
        self.open();
        self.wait(|view| view.showing.is_some()).await
    }

    /// The same, with everything that happened until this call.
    pub(crate) async fn fresh(self: &Arc<Self>) -> Result<Arc<Showing>, StageError> {
        let known = self.showing().await?;
        let stage = lock(&self.place).stage.clone();
        let Some(stage) = stage else { return Ok(known) };
        // A page that dies at this moment is seen to by whoever watches it.
        let Ok(Some(number)) = stage.look().await else { return self.showing().await };
        let caught_up =
            |showing: &Arc<Showing>| showing.raw.seq.0 >= number || showing.generation != known.generation;
        self.wait(|view| view.showing.as_ref().is_some_and(caught_up)).await
    }

    async fn wait(&self, ready: impl Fn(&View) -> bool) -> Result<Arc<Showing>, StageError> {
        let mut view = self.view.subscribe();
        let seen = tokio::select! {
            () = self.cancel.cancelled() => None,
            seen = view.wait_for(|view| ready(view) || view.fault.is_some()) => seen.ok(),
        };
        let ended = || StageError::Failed("the session has ended".to_owned());
        let seen = seen.ok_or_else(ended)?;
        match (&seen.showing, &seen.fault) {
            (Some(showing), _) => Ok(Arc::clone(showing)),
            (None, fault) => Err(fault.clone().unwrap_or_else(ended)),
        }
    }

    /// The present graph, when there is one already.
    pub(crate) fn glance(&self) -> Option<Arc<Showing>> {
        self.view.borrow().showing.clone()
    }

    /// The peer has this page before it now.
    pub(crate) fn show(&self, showing: &Showing) {
        *lock(&self.seen) = Some(Arc::clone(&showing.raw));
    }

    /// The page that the peer saw last.
    pub(crate) fn seen(&self) -> Option<Arc<PageGraph>> {
        lock(&self.seen).clone()
    }

    /// What happens from now on.
    pub(crate) fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// The page with what is not observed, under the revision that is observed.
    pub(crate) async fn capture(
        self: &Arc<Self>,
        options: &SnapshotOptions,
    ) -> Result<PageGraph, StageError> {
        let mut before = self.fresh().await?;
        let stage = lock(&self.place).stage.clone();
        let stage = stage.ok_or_else(|| StageError::Failed("the page is being opened".to_owned()))?;
        let mut captured = stage.capture(options).await?;
        for _ in 1..ATTEMPTS {
            let after = self.fresh().await?;
            if after.graph.revision == before.graph.revision {
                break;
            }
            before = after;
            captured = stage.capture(options).await?;
        }
        let mut shown = lock(&self.redactor).graph(&captured);
        shown.revision = before.graph.revision.clone();
        shown.seq = before.graph.seq;
        Ok(shown)
    }

    /// Who carries actions out on the page.
    pub(crate) async fn actions(self: &Arc<Self>) -> Result<Arc<dyn Actions>, ErrorPayload> {
        self.showing().await.map_err(|error| error.payload())?;
        let stage = lock(&self.place).stage.clone();
        // A page that died shows what it showed last until another one is there.
        let opening = || StageError::Failed("the page is being opened again".to_owned()).payload();
        let stage = stage.ok_or_else(opening)?;
        stage.actions().ok_or_else(|| unsupported("action.request"))
    }

    /// A picture of the page, as a person may see it.
    pub(crate) async fn picture(&self) -> Result<Picture, StageError> {
        let stage = lock(&self.place).stage.clone();
        let stage = stage.ok_or_else(|| StageError::Failed("there is no page at present".to_owned()))?;
        stage.picture().await
    }

    /// Why there is no page, when there is none.
    pub(crate) fn fault(&self) -> Option<StageError> {
        self.view.borrow().fault.clone()
    }

    /// Woken with every revision.
    pub(crate) fn watch_view(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    /// Another policy holds from now on: for what is done, for what is shown, and for the page as it stands.
    pub(crate) fn set_policies(&self, policies: &Arc<Policies>) {
        let stage = {
            let mut place = lock(&self.place);
            place.wish.policies = Arc::clone(policies);
            // The same page covered in another way is another revision.
            place.generation += 1;
            place.stage.clone()
        };
        {
            let mut redactor = lock(&self.redactor);
            *redactor = redactor.under(Arc::clone(policies));
        }
        if let Some(actions) = stage.and_then(|stage| stage.actions()) {
            actions.set_policies(Arc::clone(policies));
        }
        if let Some(showing) = self.glance() {
            self.publish(Arc::clone(&showing.raw));
        }
    }

    /// Who carries actions out on the page that is there now.
    pub(crate) fn present_actions(&self) -> Option<Arc<dyn Actions>> {
        lock(&self.place).stage.as_ref().and_then(|stage| stage.actions())
    }

    /// The actions that the page itself offers; none while it is not there.
    pub(crate) async fn offered(&self) -> Vec<ActionDescriptor> {
        match self.present_actions() {
            Some(actions) => actions.offered().await,
            None => Vec::new(),
        }
    }

    /// Covers what the session's principal may not see, and knows what was covered so far.
    pub(crate) fn redactor(&self) -> MutexGuard<'_, Redactor> {
        lock(&self.redactor)
    }

    /// Shows the page until it cannot be shown any more.
    async fn perform(&self) -> StageError {
        let mut deaths: Vec<Instant> = Vec::new();
        loop {
            let fault = match self.play().await {
                Ok(never) => match never {},
                Err(fault) => fault,
            };
            let now = Instant::now();
            deaths.retain(|at| now.duration_since(*at) < WINDOW);
            deaths.push(now);
            let StageError::Gone(reason) = &fault else { return fault };
            self.report_death(reason);
            if deaths.len() >= MOST_DEATHS {
                return fault;
            }
            let mut place = lock(&self.place);
            place.stage = None;
            place.generation += 1;
        }
    }

    async fn play(&self) -> Result<std::convert::Infallible, StageError> {
        let wish = lock(&self.place).wish.clone();
        let stage = self.stages.open(&wish).await?;
        lock(&self.place).stage = Some(Arc::clone(&stage));
        let mut sights = stage.watch().await?;
        loop {
            match sights.next().await? {
                Sight::Graph(graph) => self.publish(graph),
                Sight::Signal(signal) => self.tell(&signal),
            }
        }
    }

    fn publish(&self, graph: Arc<PageGraph>) {
        let mut shown = lock(&self.redactor).graph(&graph);
        let (generation, cause) = {
            let mut place = lock(&self.place);
            if graph.route.url.starts_with("http") {
                place.wish.url = Some(graph.route.url.clone());
            }
            place.seq = graph.seq.0.max(place.seq + 1);
            shown.seq = Count(place.seq);
            let unique = format!("{}.{}", place.generation, graph.revision);
            if place.generation > 0
                && let Some(revision) = RevisionId::parse(&unique)
            {
                shown.revision = revision;
            }
            let cause = place.author.cause();
            if matches!(&place.author.action, Some((_, Some(last))) if *last == graph.revision) {
                place.author.action = None;
            }
            (place.generation, cause)
        };
        let showing = Arc::new(Showing { graph: shown, cause, raw: graph, generation });
        self.view.send_modify(|view| *view = View { showing: Some(Arc::clone(&showing)), fault: None });
        self.say(News::Graph(showing));
    }

    /// An action changes the page from now on.
    pub(crate) fn acting(&self, handle: &ActionHandle) {
        lock(&self.place).author.action = Some((handle.clone(), None));
    }

    /// It is over; what it did shows up to this revision.
    pub(crate) fn acted(&self, handle: &ActionHandle, last: Option<&RevisionId>) {
        let shown = self.glance().map(|showing| showing.raw.revision.clone());
        let mut place = lock(&self.place);
        if matches!(&place.author.action, Some((running, _)) if running == handle) {
            let waiting = last.filter(|last| shown.as_ref() != Some(*last));
            place.author.action = waiting.map(|last| (handle.clone(), Some(last.clone())));
        }
    }

    fn tell(&self, signal: &WebSignal) {
        if let WebSignalBody::UserActivation { is_active } = &signal.body {
            lock(&self.place).author.user = *is_active;
        }
        let shown = lock(&self.redactor).signal(signal, &[]);
        self.say(News::Signal(Arc::new(Told::new(shown))));
    }

    fn report_death(&self, reason: &str) {
        tracing::warn!(reason, "a page died and is opened again");
        let mut payload = serde_json::Map::new();
        payload.insert("reason".to_owned(), json!(reason));
        let body = WebSignalBody::Custom { name: "page.lost".into(), payload: Some(JsonObject(payload)) };
        self.tell(&WebSignal { base: WebSignalBase::default(), body });
    }

    fn say(&self, news: News) {
        // Without a subscription there is nobody to tell.
        drop(self.news.send(news));
    }

    async fn close(&self) {
        let stage = lock(&self.place).stage.take();
        if let Some(stage) = stage {
            stage.close().await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
