//! A page of Chromium as the runtime's surface.

mod app;
mod manner;
mod observer;
mod provider;
mod send;
mod webmcp;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use uiap_cdp::{Browser, CallError};
use uiap_model::capability::{ActionDescriptor, ExecutionMode};
use uiap_model::names::{ActionHandle, ElementInstanceId};
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::surface::{
    Command, DispatchError, Done, Found, Hint, Reach, Reading, Rest, Surface, SurfaceError,
};

pub use self::app::Registry;
pub use self::observer::WebObserver;
pub use self::provider::Published;
use crate::error::{Loss, PageError, PageErrorKind};
use crate::input::{HitTest, Input, InputError};
use crate::observe::{Early, ObserveOptions};
use crate::page::Page;
use crate::quiet;
use crate::signal::{Watch, WatchOptions};

/// The ways to act on a page, the surest first. Input through the browser comes before the page's own methods: what listens for
/// a press does not notice a `click()`.
const MODES: [ExecutionMode; 4] = [
    ExecutionMode::AppAction,
    ExecutionMode::ExternalDriver,
    ExecutionMode::SemanticUi,
    ExecutionMode::InputSynthesis,
];

/// A page that can be acted on. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebSurface {
    page: Page,
    input: Input,
    watch: Watch,
    observing: ObserveOptions,
    /// The observation by which targets are found.
    observer: Arc<Mutex<Option<Early>>>,
}

impl WebSurface {
    /// Takes the controls of a page and watches what the browser reports of it.
    pub async fn new(browser: &Browser, page: &Page, options: WatchOptions) -> Result<Self, CallError> {
        let watch = Watch::start(browser, page.session(), options).await?;
        Self::watched(page, watch).await
    }

    /// The same for a page that is watched already.
    pub async fn watched(page: &Page, watch: Watch) -> Result<Self, CallError> {
        let input = Input::new(page).await?;
        Ok(Self {
            page: page.clone(),
            input,
            watch,
            observing: ObserveOptions::default(),
            observer: Arc::default(),
        })
    }

    /// The page.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// What the browser reports of it.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// What the app registers: actions, places, and what is wrong with them.
    pub async fn registry(&self) -> Result<Registry, SurfaceError> {
        app::registry(&self.page).await.map_err(|error| lost(&error))
    }

    /// The graph that the app publishes of its page, where it does.
    pub async fn published(&self, options: &SnapshotOptions) -> Result<Published, SurfaceError> {
        provider::ask(&self.page, options).await.map_err(|error| lost(&error))
    }
}

/// A target and what it was found to be, for the page to compare.
struct Meant {
    input: Input,
    found: Option<(ElementInstanceId, serde_json::Value)>,
}

impl Meant {
    fn new(surface: &WebSurface, found: Option<Found<'_>>) -> Self {
        let observer = surface.observer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(observer) = observer else { return Self { input: surface.input.clone(), found: None } };
        let found =
            found.map(|found| (found.target.instance_id.clone(), crate::input::found(observer.id(), found)));
        let input = surface.input.observed_by(observer);
        let input = found.iter().fold(input, |input, found| input.meant_for(found.clone()));
        Self { input, found }
    }

    fn found(&self, id: &ElementInstanceId) -> Option<&serde_json::Value> {
        self.found.as_ref().filter(|found| found.0 == *id).map(|found| &found.1)
    }
}

impl Surface for WebSurface {
    type Observer = WebObserver;

    async fn observe(&self) -> Result<WebObserver, SurfaceError> {
        let observation = self.page.observe(self.observing.clone());
        *self.observer.lock().unwrap_or_else(PoisonError::into_inner) = Some(observation.early().clone());
        Ok(WebObserver::new(observation, self.watch.clone()))
    }

    fn modes(&self) -> &[ExecutionMode] {
        &MODES
    }

    fn preference(&self) -> Option<&[ExecutionMode]> {
        Some(&MODES)
    }

    fn can(&self, mode: ExecutionMode, command: &Command) -> bool {
        send::can(mode, command)
    }

    async fn dispatch(
        &self,
        mode: ExecutionMode,
        command: &Command,
        found: Option<Found<'_>>,
    ) -> Result<Done, DispatchError> {
        let meant = Meant::new(self, found);
        // One place of many callers: without the box each of them gets a copy of all of it.
        let done = Box::pin(send::send(self, &meant, mode, command)).await?;
        let observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Done { settled: observer.is_some_and(|early| early.is_answered()), ..done })
    }

    fn checks(&self) -> bool {
        true
    }

    async fn is_heard(&self) -> Result<bool, SurfaceError> {
        self.input.is_heard().await.map_err(|error| SurfaceError::Fault(error.to_string()))
    }

    async fn reach(&self, target: &ElementInstanceId) -> Result<Reach, SurfaceError> {
        match self.input.hit_test(target).await {
            Ok(found) => Ok(reached(&found)),
            Err(InputError::Page(error)) if matches!(error.kind(), PageErrorKind::Gone(_)) => Ok(Reach::Gone),
            Err(InputError::Page(error)) => Err(lost(&error)),
            Err(error) => Err(SurfaceError::Fault(error.to_string())),
        }
    }

    async fn read(&self, target: &ElementInstanceId) -> Result<Reading, SurfaceError> {
        manner::read(&self.page, target).await.map_err(|error| lost(&error))
    }

    async fn holds(&self, target: &ElementInstanceId, text: &str) -> Result<bool, SurfaceError> {
        manner::holds(&self.page, target, text).await.map_err(|error| lost(&error))
    }

    async fn locate(&self, hint: &Hint) -> Result<Option<ElementInstanceId>, SurfaceError> {
        let asked = match hint {
            Hint::Css(css) => serde_json::json!({ "css": css }),
            Hint::XPath(xpath) => serde_json::json!({ "xpath": xpath }),
        };
        let found = self.page.ask_once("which", asked).await.map_err(|error| lost(&error))?;
        Ok(ElementInstanceId::parse(&found))
    }

    async fn app_actions(&self) -> Result<Vec<ActionDescriptor>, SurfaceError> {
        let Registry { actions, faults, .. } = self.registry().await?;
        for fault in faults {
            tracing::debug!(fault, "the app describes an action wrongly");
        }
        Ok(actions)
    }

    fn pending(&self) -> Vec<String> {
        let open = self.watch.network().in_flight();
        open.into_iter().map(|each| format!("{:?} {}", each.id.request, each.url)).collect()
    }

    async fn settle(&self, limit: Duration) -> Result<Rest, SurfaceError> {
        let found = quiet::wait_quiet(&self.page, self.watch.network(), limit).await;
        let found = found.map_err(|error| lost(&error))?;
        Ok(Rest { quiet: found.quiet, unrest: found.unrest.iter().map(ToString::to_string).collect() })
    }

    fn acting(&self, action: Option<ActionHandle>) {
        self.watch.acting().set(action);
    }
}

fn reached(found: &HitTest) -> Reach {
    match found {
        HitTest::Clear { .. } => Reach::Clear,
        HitTest::Covered { by, .. } => Reach::Covered(by.as_ref().map(ToString::to_string)),
        HitTest::Outside { .. } => Reach::Outside,
        HitTest::Hidden => Reach::Hidden,
        HitTest::Moving => Reach::Moving,
        HitTest::Gone => Reach::Gone,
    }
}

/// A page that cannot be asked.
pub(crate) fn lost(error: &PageError) -> SurfaceError {
    match error.loss() {
        Some(Loss::Renderer) => return SurfaceError::Crashed,
        Some(loss) => return SurfaceError::Closed(loss.to_string()),
        None => {}
    }
    match error.kind() {
        PageErrorKind::Gone(_) | PageErrorKind::Changed(_) | PageErrorKind::Outdated => SurfaceError::Gone,
        PageErrorKind::NotLoaded(_) | PageErrorKind::Dialog(_) => {
            SurfaceError::Unresponsive(error.to_string())
        }
        PageErrorKind::Call(call) => match call.kind() {
            uiap_cdp::CallErrorKind::TimedOut(limit) => {
                SurfaceError::Unresponsive(format!("it said nothing for {} s", limit.as_secs()))
            }
            _ => SurfaceError::Fault(error.to_string()),
        },
        _ => SurfaceError::Fault(error.to_string()),
    }
}
