//! Pages of real browsers as stages: looked at and acted on through the runtime.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use uiap_model::action::{ActionRequestPayload, RuntimeErrorCode};
use uiap_model::capability::ActionDescriptor;
use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::names::{ActionHandle, ErrorCode};
use uiap_model::policy::message::HandoffCompletedPayload;
use uiap_model::problem::Problem;
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{PageGraph, WebSignal};
use uiap_policy::Policies;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{AnswerError, Refused, Running, Runtime, RuntimeOptions, UnknownAction};
use uiap_runtime::journal::Journal;
use uiap_runtime::scene::{Event, Mark, Scene};
use uiap_runtime::surface::{Surface, SurfaceError};
use uiap_runtime::trace::story;
use uiap_web::screenshot::{self, Format, Shot};
use uiap_web::surface::WebSurface;
use uiap_web::{Page, PageError};

use crate::address::Reach;
use crate::audit::AuditBook;
use crate::browsers::{BrowserError, Browsers, Tab};
use crate::downloads::{DownloadOptions, Jail};
use crate::protocol::actions::{Actions, Verdict};
use crate::protocol::stage::{Picture, Sight, Sights, Stage, StageError, Stages, Wish};

/// How long a page may take to come to rest before it is shown.
const SETTLE: Duration = Duration::from_secs(1);

/// The most pixels of a picture for the person who watches.
const MOST_PIXELS: f64 = 1.5e6;

/// Pages of browsers.
#[derive(Clone)]
pub struct Pages {
    browsers: Browsers,
    reach: Arc<Reach>,
    journal: Arc<Journal>,
    /// Actions that the app declares.
    declared: Vec<ActionDescriptor>,
    /// Ids and paths.
    routes: Vec<(String, String)>,
    audit: Option<Arc<AuditBook>>,
    downloads: Arc<DownloadOptions>,
}

impl Pages {
    /// Pages within a reach; what is sent to them is written into the journal first.
    pub fn new(
        browsers: Browsers,
        reach: Reach,
        journal: Arc<Journal>,
        declared: Vec<ActionDescriptor>,
    ) -> Self {
        Self {
            browsers,
            reach: Arc::new(reach),
            journal,
            declared,
            routes: Vec::new(),
            audit: None,
            downloads: Arc::default(),
        }
    }

    /// The same with routes that can be gone to by their ids.
    #[must_use]
    pub fn with_routes(mut self, routes: Vec<(String, String)>) -> Self {
        self.routes = routes;
        self
    }

    /// The same with everything that is decided and done written into a chain.
    #[must_use]
    pub fn with_audit(self, audit: Option<Arc<AuditBook>>) -> Self {
        Self { audit, ..self }
    }

    /// The same with another place for downloads.
    #[must_use]
    pub fn with_downloads(self, downloads: DownloadOptions) -> Self {
        Self { downloads: Arc::new(downloads), ..self }
    }

    async fn begin(&self, wish: &Wish) -> Result<Live, StageError> {
        let tab = self.browsers.tab().await.map_err(|error| unopened(&error))?;
        let jail = Jail::open(&self.downloads, &wish.session_id, &tab).await;
        let (jail, files) = jail.map_err(|error| StageError::Failed(error.to_string()))?;
        if let Some(url) = &wish.url {
            self.check(url)?;
            tab.page.navigate(url).await.map_err(|error| failed(&error))?;
        }
        let surface = WebSurface::watched(&tab.page, tab.watch.clone())
            .await
            .map_err(|error| StageError::Gone(error.to_string()))?;
        // An app that draws itself shows nothing at first; one that never rests is shown as it is then.
        if let Err(error) = surface.settle(SETTLE).await {
            tracing::debug!(%error, "a page did not come to rest");
        }
        let reach = Arc::clone(&self.reach);
        let options = RuntimeOptions {
            next_action: Arc::clone(&wish.next_action),
            policies: Arc::clone(&wish.policies),
            actions: self.declared.clone(),
            routes: self.routes.clone(),
            may_visit: Arc::new(move |url| reach.check(url).map(drop).map_err(|refusal| refusal.to_string())),
            salt: wish.salt,
            secrets: Arc::clone(&wish.secrets),
            audit: self.audit.as_ref().map(AuditBook::sink),
            ..RuntimeOptions::new(wish.session_id.clone(), Arc::clone(&self.journal))
        };
        let runtime = Runtime::start(surface, options, &wish.party).await.map_err(|error| gone(&error))?;
        let audit = self.audit.clone();
        Ok(Live {
            page: tab.page.clone(),
            runtime,
            audit,
            tab: Mutex::new(Some((tab, jail))),
            files: Mutex::new(Some(files)),
        })
    }
}

impl Stages for Pages {
    fn check(&self, url: &str) -> Result<(), StageError> {
        self.reach.check(url).map(drop).map_err(|refusal| StageError::Refused(refusal.to_string()))
    }

    fn open<'a>(&'a self, wish: &'a Wish) -> BoxFuture<'a, Result<Arc<dyn Stage>, StageError>> {
        Box::pin(async move {
            let stage: Arc<dyn Stage> = Arc::new(self.begin(wish).await?);
            Ok(stage)
        })
    }
}

fn unopened(error: &BrowserError) -> StageError {
    match error {
        BrowserError::Full(most) => StageError::Full(*most),
        other => StageError::Failed(other.to_string()),
    }
}

fn failed(error: &PageError) -> StageError {
    StageError::Failed(error.to_string())
}

fn gone(error: &SurfaceError) -> StageError {
    match error {
        SurfaceError::Closed(_) | SurfaceError::Crashed => StageError::Gone(error.to_string()),
        other => StageError::Failed(other.to_string()),
    }
}

/// One page of a browser.
struct Live {
    page: Page,
    runtime: Runtime<WebSurface>,
    audit: Option<Arc<AuditBook>>,
    tab: Mutex<Option<(Tab, Jail)>>,
    /// What becomes of downloads; for whoever watches first.
    files: Mutex<Option<mpsc::UnboundedReceiver<WebSignal>>>,
}

impl Stage for Live {
    fn capture<'a>(&'a self, options: &'a SnapshotOptions) -> BoxFuture<'a, Result<PageGraph, StageError>> {
        Box::pin(async move { self.page.snapshot(options).await.map_err(|error| failed(&error)) })
    }

    fn look(&self) -> BoxFuture<'_, Result<Option<u64>, StageError>> {
        Box::pin(async move {
            let graph = self.runtime.scene().look().await.map_err(|error| gone(&error))?;
            Ok(Some(graph.seq.0))
        })
    }

    fn watch(&self) -> BoxFuture<'_, Result<Box<dyn Sights>, StageError>> {
        Box::pin(async move {
            let scene = self.runtime.scene().clone();
            let mark = scene.mark();
            let waiting = VecDeque::from([Ok(Sight::Graph(scene.graph()))]);
            let files = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
            let sights: Box<dyn Sights> = Box::new(LiveSights { scene, mark, waiting, files });
            Ok(sights)
        })
    }

    fn actions(&self) -> Option<Arc<dyn Actions>> {
        Some(Arc::new(Hands { runtime: self.runtime.clone(), audit: self.audit.clone() }))
    }

    fn picture(&self) -> BoxFuture<'_, Result<Picture, StageError>> {
        Box::pin(async move {
            let shot = Shot { format: Format::Jpeg(72), max_pixels: MOST_PIXELS, ..Shot::default() };
            let taken = screenshot::take(&self.page, &shot).await;
            let taken = taken.map_err(|error| StageError::Failed(error.to_string()))?;
            let media_type = match taken.format {
                Format::Png => "image/png",
                Format::Jpeg(_) => "image/jpeg",
                Format::Webp(_) => "image/webp",
            };
            Ok(Picture { media_type, bytes: taken.bytes })
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.runtime.set_active(false);
            let tab = self.tab.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((tab, jail)) = tab {
                tab.close().await;
                drop(jail);
            }
        })
    }
}

struct LiveSights {
    scene: Scene,
    mark: Mark,
    waiting: VecDeque<Result<Sight, StageError>>,
    files: Option<mpsc::UnboundedReceiver<WebSignal>>,
}

impl LiveSights {
    /// Everything since the last time, once: read when nothing was added between two looks at the clock.
    fn read(&mut self) {
        loop {
            let before = self.scene.mark();
            let entries = self.scene.since(self.mark);
            if self.scene.mark() != before {
                continue;
            }
            self.mark = before;
            for entry in entries {
                match entry.event {
                    Event::Signal(heard) => {
                        self.waiting.push_back(Ok(Sight::Signal(Box::new(heard.signal.clone()))));
                    }
                    Event::Revision(seen) => {
                        self.waiting.push_back(Ok(Sight::Graph(Arc::clone(&seen.graph))));
                    }
                    Event::Lost(error @ (SurfaceError::Closed(_) | SurfaceError::Crashed)) => {
                        self.waiting.push_back(Err(gone(&error)));
                    }
                    Event::Lost(error) => tracing::debug!(%error, "a page could not be looked at"),
                }
            }
            return;
        }
    }
}

impl Sights for LiveSights {
    fn next(&mut self) -> BoxFuture<'_, Result<Sight, StageError>> {
        Box::pin(async move {
            loop {
                if let Some(sight) = self.waiting.pop_front() {
                    return sight;
                }
                let file = async {
                    match &mut self.files {
                        Some(files) => files.recv().await,
                        None => None,
                    }
                };
                tokio::select! {
                    changed = self.scene.changed(self.mark) => {
                        changed.map_err(|error| gone(&error))?;
                        self.read();
                    }
                    Some(signal) = file => return Ok(Sight::Signal(Box::new(signal))),
                }
            }
        })
    }
}

/// Acts on one page.
struct Hands {
    runtime: Runtime<WebSurface>,
    audit: Option<Arc<AuditBook>>,
}

impl Actions for Hands {
    fn offered(&self) -> BoxFuture<'_, Vec<ActionDescriptor>> {
        Box::pin(async move {
            self.runtime.surface().app_actions().await.unwrap_or_else(|error| {
                tracing::debug!(%error, "a page does not tell what it offers");
                Vec::new()
            })
        })
    }

    fn request<'a>(
        &'a self,
        by: &'a Party,
        request: ActionRequestPayload,
        as_seen: Option<Arc<PageGraph>>,
    ) -> BoxFuture<'a, Result<Running, ErrorPayload>> {
        Box::pin(async move {
            if let Some(audit) = &self.audit {
                audit.check()?;
            }
            self.runtime.request(by, request, as_seen).await.map_err(refused)
        })
    }

    fn cancel(&self, handle: &ActionHandle, reason: Option<&str>) -> Result<(), ErrorPayload> {
        self.runtime.cancel(handle, reason).map_err(|error| {
            let code = match error {
                UnknownAction::Unknown(_) => CoreErrorCode::NotFound,
                UnknownAction::Over(_) => CoreErrorCode::Conflict,
            };
            ErrorPayload::new(code, error.to_string())
        })
    }

    fn answer(&self, handle: &ActionHandle, verdict: Verdict, by: &Party) -> Result<(), ErrorPayload> {
        let outcome = match verdict {
            Verdict::Grant => self.runtime.grant(by, true, handle),
            Verdict::Deny(reason) => self.runtime.deny(by, true, handle, reason.as_deref()),
        };
        outcome.map_err(|error| unanswered(&error))
    }

    fn answer_within(&self, handle: &ActionHandle) -> Option<Duration> {
        self.runtime.answer_within(handle)
    }

    fn handed_back(
        &self,
        handle: &ActionHandle,
        message: &HandoffCompletedPayload,
    ) -> Result<(), ErrorPayload> {
        self.runtime.handed_back(handle, message).map_err(|error| unanswered(&error))
    }

    fn story(&self, handle: &ActionHandle) -> Option<String> {
        self.runtime.trace(handle).ok().map(|lines| story(&lines))
    }

    fn set_policies(&self, policies: Arc<Policies>) {
        self.runtime.set_policies(policies);
    }
}

fn unanswered(error: &AnswerError) -> ErrorPayload {
    let code = match error {
        AnswerError::Unknown(_) => CoreErrorCode::NotFound,
        AnswerError::NotWaiting(_) => CoreErrorCode::Conflict,
        AnswerError::Refused(_) => CoreErrorCode::Forbidden,
    };
    ErrorPayload::new(code, error.to_string())
}

/// A refusal before acceptance is an error of Core: bad arguments are a bad payload, the rest keeps its own word.
fn refused(refused: Refused) -> ErrorPayload {
    let mut error = match refused.code {
        RuntimeErrorCode::InvalidArgs if !refused.problems.is_empty() => {
            let placed: Vec<Problem> =
                refused.problems.into_iter().map(|problem| problem.under("/payload")).collect();
            ErrorPayload::from_problems(CoreErrorCode::InvalidPayload, &placed)
        }
        RuntimeErrorCode::InvalidArgs => ErrorPayload::new(CoreErrorCode::InvalidPayload, &refused.message),
        RuntimeErrorCode::InternalRuntimeError => {
            ErrorPayload::new(CoreErrorCode::InternalError, &refused.message)
        }
        code => {
            let mut error = ErrorPayload::new(CoreErrorCode::Conflict, &refused.message);
            error.code = ErrorCode::parse(code.as_str()).unwrap_or(error.code);
            error
        }
    };
    if refused.detail.is_some() {
        error.detail = refused.detail;
    }
    error
}
