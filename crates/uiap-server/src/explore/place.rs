//! One page in a context of its own: led to addresses, acted on with real input, looked at when it has come to rest.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::broadcast;
use tracing::{Instrument as _, debug_span};
use uiap_cdp::protocol::input::{DispatchMouseEvent, MouseEventType};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{BrowserContext, CallErrorKind, ContextOptions};
use uiap_discovery::bridged::named;
use uiap_discovery::ground::{Acted, AppDocument, Deed, Evidence, GroundError, Looked, Place, Traffic};
use uiap_discovery::record::{Incident, IncidentKind, RequestRecord};
use uiap_discovery::safety::address;
use uiap_model::capability::{ExecutionMode, UIRole};
use uiap_model::json::Positive;
use uiap_model::names::{ActionHandle, ElementInstanceId};
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::surface::{Command, DispatchError, DispatchErrorKind, Press, Rest, Surface as _};
use uiap_web::bridge::{Bridge, BridgeGrants};
use uiap_web::dialog::{Answer, DialogPolicy};
use uiap_web::emulation::{Emulation, Screen};
use uiap_web::guard::{Acts, Ended, Guard, GuardOptions, SeenRequest, WriteKind, leads, pattern};
use uiap_web::signal::derive::Deriver;
use uiap_web::signal::{Report, Watch, WatchOptions};
use uiap_web::storage::StorageState;
use uiap_web::surface::WebSurface;
use uiap_web::{CaptureOptions, OpenOptions, Page, PageError, PageErrorKind};

use super::guests::Attended;
use super::incident::{self, Popups};
use super::published::Shown;
use super::storage::Remembered;
use super::{Inner, evidence, signal};

/// Elements of a page that are looked at.
const MOST_ELEMENTS: u64 = 20_000;
/// Letters of a document of the app that are read.
const MOST_TEXT: usize = 16_000_000;
/// How long a search may wait for another letter before it takes what was written.
const NEXT_LETTER: Duration = Duration::from_millis(700);
/// How long any other field may.
const NEXT_WORD: Duration = Duration::from_millis(300);

/// One page in a context of its own. Dropping it closes it.
pub struct WebPlace {
    ground: Arc<Inner>,
    profile: String,
    context: BrowserContext,
    pub(super) page: Page,
    watch: Watch,
    guard: Guard,
    _attended: Attended,
    /// Looks into frames of other origins that may be looked into.
    bridge: Option<Bridge>,
    pub(super) surface: WebSurface,
    /// The page as it was looked at last.
    pub(super) last: Option<Arc<PageGraph>>,
    /// What was wrong then with the graph that the app publishes.
    pub(super) fault: Option<String>,
    signals: broadcast::Receiver<Report>,
    popups: Popups,
    /// Requests before this were told of.
    told: Instant,
    /// What the context remembered when nobody had done anything yet.
    fresh: Remembered,
    /// Whether something was done since the last address.
    acted: bool,
}

impl std::fmt::Debug for WebPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebPlace({})", self.profile)
    }
}

fn broken(error: impl std::fmt::Display) -> GroundError {
    GroundError::lost(IncidentKind::Crash, error.to_string())
}

/// A page that does not hold what it says beside the network.
fn deaf() -> GroundError {
    GroundError::lost(
        IncidentKind::NotReproducible,
        "the page could not be guarded, so nothing was done in it",
    )
}

/// What could not be asked of a page. One that is too busy to answer did not crash, and is of no use either.
fn unasked(error: &PageError) -> GroundError {
    let PageErrorKind::Call(call) = error.kind() else { return broken(error) };
    match call.kind() {
        CallErrorKind::TimedOut(limit) => {
            let detail = format!("the page did not answer within {} s", limit.as_secs());
            GroundError::lost(IncidentKind::NeverSettled, detail)
        }
        _ => broken(error),
    }
}

impl WebPlace {
    /// Boxed, because a place that has to begin anew opens another one.
    pub(super) fn open(ground: Arc<Inner>, profile: &str) -> BoxFuture<'_, Result<Self, GroundError>> {
        Box::pin(Self::opened(ground, profile))
    }

    async fn opened(ground: Arc<Inner>, profile: &str) -> Result<Self, GroundError> {
        let options = &ground.options;
        let access = options.access.get(profile).cloned().unwrap_or_default();
        let browser = &ground.browser;
        let context = browser.new_context(ContextOptions::default()).await.map_err(broken)?;
        let session = context.new_page("about:blank").await.map_err(broken)?;
        let dialogs =
            DialogPolicy { alert: Answer::Dismiss, beforeunload: Answer::Accept, ..DialogPolicy::default() };
        let watching = WatchOptions { dialogs, ..WatchOptions::default() };
        let watch = Watch::start(browser, &session, watching).await.map_err(broken)?;
        let popups = Popups::prevent(browser, &session).await.map_err(broken)?;
        let (width, height) = options.viewport;
        let screen = Screen { width, height, scale: 1.0, mobile: false, touch: false };
        let emulation = Emulation {
            locale: options.locale.clone(),
            screen: Some(screen),
            reduced_motion: Some(true),
            ..Emulation::default()
        };
        emulation.apply(browser, &session).await.map_err(broken)?;
        let page = Page::attach_with(session.clone(), OpenOptions { load_timeout: options.load })
            .await
            .map_err(broken)?;
        if let Some(state) = &access.storage {
            uiap_web::storage::load(browser, &page, state).await.map_err(broken)?;
        }
        let guarding = GuardOptions {
            origins: ground.origins.clone(),
            supplies: ground.supplies.clone(),
            frames: options.bridges.clone(),
            credentials: access.credentials.clone(),
            acts: Some(Acts { judge: address::acts, verbs: address::VERBS }),
        };
        let guard = Guard::stand(&page, guarding).await.map_err(broken)?;
        let attended = ground.guests.attend(&context, &guard);
        let bridge = if options.bridges.is_empty() {
            None
        } else {
            let grants = BridgeGrants::new(&options.bridges).map_err(broken)?;
            Some(Bridge::new(browser, &page, grants))
        };
        let surface = WebSurface::watched(&page, watch.clone()).await.map_err(broken)?;
        let signals = watch.signals();
        let mut place = Self {
            profile: profile.to_owned(),
            context,
            page,
            watch,
            guard,
            _attended: attended,
            bridge,
            surface,
            last: None,
            fault: None,
            signals,
            popups,
            told: Instant::now(),
            fresh: Remembered::default(),
            acted: false,
            ground: Arc::clone(&ground),
        };
        // The first address may set what holds for the whole visit.
        place.go(ground.base.url()).await?;
        if let Some(script) = &access.login {
            uiap_discovery::login::perform(script, &ground.base, &mut place).await?;
        }
        place.guard.hold(options.hold_writes);
        place.fresh = Remembered::of(&ground.browser, &place.page).await.map_err(broken)?;
        Ok(place)
    }

    /// The text at a path of the app; none when there is none. It is read as the page itself would.
    pub(super) async fn read_own(&self, path: &str) -> Result<Option<String>, GroundError> {
        let path = serde_json::Value::from(path);
        let expression = format!(
            "fetch({path}).then((answer) => (answer.ok ? answer.text() : null)).then((text) => text?.slice(0, {MOST_TEXT}) ?? null, () => null)"
        );
        let ask = Evaluate {
            expression: &expression,
            await_promise: true,
            return_by_value: true,
            silent: true,
            ..Evaluate::default()
        };
        let answer = self.page.session().call(ask).await.map_err(broken)?;
        Ok(answer.result.value_as().unwrap_or_default())
    }

    /// Waits until the page rests and says what it shows.
    async fn look(&mut self) -> Result<Looked, GroundError> {
        let rest = self.settle().await?;
        let shown = self.shown().await?;
        Ok(self.tell(&rest, shown))
    }

    async fn settle(&self) -> Result<Rest, GroundError> {
        let settled = self.surface.settle(self.ground.options.settle);
        settled.instrument(debug_span!("explore.settle")).await.map_err(broken)
    }

    /// What is told of a page that was looked at.
    fn tell(&mut self, rest: &Rest, shown: Shown) -> Looked {
        let url = shown.graph.route.url.to_string();
        let mut incidents = Vec::new();
        if !rest.quiet {
            let detail = format!("the page did not come to rest: {}", rest.unrest.join(", "));
            incidents.push(Incident {
                kind: IncidentKind::NeverSettled,
                state_id: None,
                url: Some(url.clone()),
                detail,
            });
        }
        incidents.extend(incident::of_signals(&mut self.signals, &url));
        incidents.extend(self.popups.take().into_iter().map(|popup| incident::popup(&popup, &url)));
        incidents.extend(self.guard.take_challenges().iter().map(|asked| incident::challenge(asked, &url)));
        incidents.extend(incident::blocked(self.watch.network(), self.told, &url, &self.ground.origins));
        let target = self.page.session().target_id();
        let own = &self.ground.origins;
        incidents.extend(incident::frames(self.watch.network(), self.told, &url, own, target));
        self.told = Instant::now();
        let (mut self_writes, mut late) = (Vec::new(), Vec::new());
        for request in self.guard.take_idle() {
            if request.external {
                incidents.push(incident::external(&request, &url));
            } else if request.held {
                late.push(self.request(&request));
            } else if request.writes {
                self_writes.push(traffic(&request, &url));
                incidents.push(incident::self_write(&request, &url));
            }
        }
        Looked { graph: self.keep(shown), incidents, self_writes, held: self.guard.is_spoiled(), late }
    }

    /// What the page shows now, whether it rests or not.
    async fn glance(&mut self) -> Result<Looked, GroundError> {
        let shown = self.shown().await?;
        Ok(self.glanced(shown))
    }

    fn glanced(&mut self, shown: Shown) -> Looked {
        let held = self.guard.is_spoiled();
        let (incidents, self_writes, late) = (Vec::new(), Vec::new(), Vec::new());
        Looked { graph: self.keep(shown), incidents, self_writes, held, late }
    }

    /// Whatever was done in the page that is left must not show in the next, nor be sent by it.
    async fn forget(&mut self) -> Result<(), GroundError> {
        let now = Remembered::of(&self.ground.browser, &self.page).await.map_err(broken)?;
        if self.guard.has_kept() {
            return self.begin_anew().await;
        }
        if now.stores_like(&self.fresh) {
            return Ok(());
        }
        let restored = self.fresh.restore(&now, &self.ground.browser, &self.page).await.map_err(broken)?;
        if restored { Ok(()) } else { self.begin_anew().await }
    }

    async fn begin_anew(&mut self) -> Result<(), GroundError> {
        let profile = self.profile.clone();
        let opened = Self::open(Arc::clone(&self.ground), &profile).await?;
        let old = std::mem::replace(self, opened);
        old.close().await;
        Ok(())
    }

    fn keep(&mut self, shown: Shown) -> Arc<PageGraph> {
        let graph = Arc::new(shown.graph);
        self.last = Some(Arc::clone(&graph));
        self.fault = shown.fault;
        graph
    }

    /// What the page shows, in the structure that the app publishes of it where it does.
    async fn shown(&self) -> Result<Shown, GroundError> {
        let snapshot = SnapshotOptions {
            max_elements: Some(Positive(MOST_ELEMENTS)),
            include_bbox: Some(true),
            ..SnapshotOptions::default()
        };
        let options = CaptureOptions { snapshot: Some(snapshot.clone()), viewport_only: false };
        let looking = debug_span!("explore.look");
        let seen = match &self.bridge {
            Some(bridge) => bridge.snapshot(&snapshot).instrument(looking).await.map(named),
            None => self.page.capture(&options).instrument(looking).await.map(|captured| captured.graph),
        };
        let seen = seen.map_err(|error| unasked(&error))?;
        Ok(Shown::of(seen, &self.surface, &self.ground, &snapshot).await)
    }

    async fn dispatch(&self, deed: &Deed, target: Option<&ElementInstanceId>) -> Result<(), DispatchError> {
        let missing = || DispatchError::unsent(DispatchErrorKind::Gone, "there is nothing to do it to");
        let target = || target.cloned().ok_or_else(missing);
        let (mode, command) = match deed {
            Deed::Activate | Deed::Follow | Deed::Toggle | Deed::Open => {
                (ExecutionMode::ExternalDriver, Command::Click(Press::on(target()?)))
            }
            Deed::Go { url } => (ExecutionMode::ExternalDriver, Command::Navigate(url.clone())),
            Deed::Choose { value } => (
                ExecutionMode::SemanticUi,
                Command::Select { target: target()?, values: vec![value.clone()] },
            ),
            Deed::EnterText { text } => {
                let target = target()?;
                let typing = Command::Type { target, text: text.clone(), replace: true, by_keys: false };
                (ExecutionMode::ExternalDriver, typing)
            }
            Deed::Invoke { action_id, args } => {
                let handle = ActionHandle::parse("explore").ok_or_else(missing)?;
                let (action_id, args) = (action_id.clone(), args.clone());
                (ExecutionMode::AppAction, Command::Invoke { action_id, args, handle })
            }
        };
        self.surface.dispatch(mode, &command, None).await.map(drop)
    }

    /// What the page that is shown is known to write by itself.
    fn known(&self, idle: &BTreeSet<Traffic>) -> BTreeSet<WriteKind> {
        let page = self.last.as_ref().map(|graph| pattern(&graph.route.url)).unwrap_or_default();
        idle.iter().filter(|traffic| traffic.page == page).map(kind).collect()
    }

    /// Whether something is looked for by what is written there.
    fn searches(&self, target: Option<&ElementInstanceId>) -> bool {
        let mut elements = self.last.iter().flat_map(|graph| graph.elements());
        let found = elements.find(|(.., element)| Some(&element.instance_id) == target);
        found.is_some_and(|(.., element)| matches!(element.role, UIRole::Searchbox | UIRole::Combobox))
    }

    fn request(&self, seen: &SeenRequest) -> RequestRecord {
        let path = seen.url.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix(self.ground.base.origin()).unwrap_or(path);
        RequestRecord {
            method: seen.method.as_str().into(),
            path: path.to_owned(),
            writes: seen.writes,
            held: seen.held,
        }
    }
}

/// A page of a context of its own, without a guard: whoever logs in writes.
pub(super) async fn by_hand<F: Future<Output = ()>>(
    ground: &Inner,
    person: impl FnOnce(Page) -> F,
) -> Result<StorageState, GroundError> {
    let browser = &ground.browser;
    let context = browser.new_context(ContextOptions::default()).await.map_err(broken)?;
    let session = context.new_page("about:blank").await.map_err(broken)?;
    let options = OpenOptions { load_timeout: ground.options.load };
    let page = Page::attach_with(session, options).await.map_err(broken)?;
    page.navigate(ground.base.url()).await.map_err(broken)?;
    person(page.clone()).await;
    let state = uiap_web::storage::save(browser, &page).await.map_err(broken)?;
    context.dispose().await.map_err(broken)?;
    Ok(state)
}

fn traffic(request: &SeenRequest, page: &str) -> Traffic {
    let (method, path) = (request.method.as_str().into(), pattern(&request.url));
    Traffic { method, path, page: pattern(page), gist: request.gist.clone() }
}

fn kind(traffic: &Traffic) -> WriteKind {
    let Traffic { method, path, gist, .. } = traffic.clone();
    WriteKind { method: method.into(), path, gist }
}

/// A command that did not reach its target says so; a page that went away is another matter.
fn refused(error: &DispatchError) -> GroundError {
    match error.kind {
        DispatchErrorKind::Lost => broken(&error.reason),
        _ => GroundError::new(IncidentKind::NotReproducible, error.reason.clone()),
    }
}

impl Place for WebPlace {
    async fn renew(&mut self) -> Result<bool, GroundError> {
        let now = Remembered::of(&self.ground.browser, &self.page).await.map_err(broken)?;
        if now.is_like(&self.fresh) && !self.guard.has_kept() {
            return Ok(false);
        }
        let restored = !self.guard.has_kept()
            && self.fresh.restore(&now, &self.ground.browser, &self.page).await.map_err(broken)?;
        if !restored {
            self.begin_anew().await?;
        }
        Ok(true)
    }

    async fn go(&mut self, url: &str) -> Result<Looked, GroundError> {
        if std::mem::take(&mut self.acted) {
            self.forget().await?;
        }
        let mut late = None;
        match self.page.navigate(url).instrument(debug_span!("explore.load")).await {
            Ok(()) => {}
            Err(error) => match error.kind() {
                PageErrorKind::Navigation { reason, .. } => {
                    let kind = incident::of_navigation(reason, &mut self.signals).await;
                    return Err(GroundError::new(kind, error.to_string()));
                }
                // What is there can be looked at.
                PageErrorKind::NotLoaded(_) => late = Some(error.to_string()),
                _ => return Err(broken(error)),
            },
        }
        let mut looked = self.look().await?;
        let at = Some(looked.graph.route.url.to_string());
        if let Some(detail) = late {
            looked.incidents.push(Incident {
                kind: IncidentKind::NeverSettled,
                state_id: None,
                url: at,
                detail,
            });
        } else if let Some(status) =
            incident::document_status(self.watch.network(), self.page.session().target_id())
                .filter(|status| *status >= 500)
        {
            let detail = format!("the server answered with {status}");
            looked.incidents.push(Incident {
                kind: IncidentKind::ServerError,
                state_id: None,
                url: at,
                detail,
            });
        }
        Ok(looked)
    }

    async fn act(
        &mut self,
        deed: &Deed,
        target: Option<&ElementInstanceId>,
        idle: &BTreeSet<Traffic>,
    ) -> Result<Acted, GroundError> {
        let known = self.known(idle);
        self.acted = true;
        let before = self.last.clone();
        let beginning = self.guard.begin(known).instrument(debug_span!("explore.begin"));
        if !beginning.await.map_err(|error| unasked(&error))? {
            return Err(deaf());
        }
        let mut requests = self.watch.network().events();
        let dispatched = self.dispatch(deed, target).instrument(debug_span!("explore.press")).await;
        if matches!(deed, Deed::EnterText { .. }) {
            // Whoever searches while one types waits a moment for the next letter; a request says that it is over.
            let patience = if self.searches(target) { NEXT_LETTER } else { NEXT_WORD };
            let asked = tokio::time::timeout(patience, requests.recv());
            drop(asked.instrument(debug_span!("explore.next_letter")).await);
        }
        let rest = self.settle().await;
        // Both are asked at once: what happens after the page came to rest belongs to nobody's action.
        let (shown, Ended { caused, said }) = tokio::join!(self.shown(), self.guard.end());
        if self.page.session().is_crashed() {
            return Err(broken("the page crashed"));
        }
        dispatched.map_err(|error| refused(&error))?;
        let mut looked = self.tell(&rest?, shown?);
        let lasting = said.into_iter().filter(|(text, _)| signal::is_lasting(text));
        let mut signals: Vec<_> = lasting.map(signal::said).collect();
        if let Some(before) = before {
            let navigated = before.route.path != looked.graph.route.path;
            let told = Deriver::beginning_with(&before).compare(&before, &looked.graph, navigated);
            signals.extend(told.iter().filter_map(|each| signal::success(&each.body, &looked.graph)));
        }
        // What a page shows that waits for an answer says nothing about success.
        if caused.iter().any(|request| request.held && request.writes) {
            signals.clear();
        }
        let signals = signal::distinct(signals);
        let url = looked.graph.route.url.to_string();
        let outside = caused.iter().filter(|request| request.external);
        looked.incidents.extend(outside.map(|request| incident::external(request, &url)));
        let inside =
            caused.iter().filter(|request| !request.external && (request.writes || request.is_document));
        let requests = inside.map(|request| self.request(request)).collect();
        Ok(Acted { looked, signals, requests })
    }

    async fn leads(&mut self, target: &ElementInstanceId) -> Result<Option<String>, GroundError> {
        let leads = leads(&self.page, std::slice::from_ref(target)).await.map_err(|error| unasked(&error))?;
        Ok(leads.into_iter().next().and_then(|lead| lead.href.or(lead.form_action)))
    }

    async fn back(&mut self) -> Result<Looked, GroundError> {
        let travelled =
            self.surface.dispatch(ExecutionMode::ExternalDriver, &Command::Travel(-1), None).await;
        travelled.map_err(|error| refused(&error))?;
        self.look().await
    }

    async fn rest(&mut self) -> Result<Looked, GroundError> {
        self.look().await
    }

    async fn undo(
        &mut self,
        deed: Option<(&Deed, &ElementInstanceId)>,
        idle: &BTreeSet<Traffic>,
    ) -> Result<Looked, GroundError> {
        let Some((deed, target)) = deed else {
            // What opens under the pointer stays open as long as the pointer is there.
            let away = DispatchMouseEvent {
                kind: MouseEventType::Moved,
                x: 0.0,
                y: 0.0,
                ..DispatchMouseEvent::default()
            };
            self.page.session().call(away).await.map_err(broken)?;
            let escape = Command::Keys { target: None, chord: "Escape".to_owned() };
            let pressed = self.surface.dispatch(ExecutionMode::ExternalDriver, &escape, None).await;
            pressed.map_err(|error| refused(&error))?;
            return self.glance().await;
        };
        let known = self.known(idle);
        if !self.guard.begin(known).await.map_err(broken)? {
            return Err(deaf());
        }
        let pressed = self.dispatch(deed, Some(target)).await;
        let (shown, Ended { caused, .. }) = tokio::join!(self.shown(), self.guard.end());
        pressed.map_err(|error| refused(&error))?;
        let mut looked = self.glanced(shown?);
        let held = caused.iter().filter(|request| request.held && request.writes && !request.external);
        looked.late = held.map(|request| self.request(request)).collect();
        Ok(looked)
    }

    async fn seal(&mut self) -> Result<(), GroundError> {
        let heard = self.guard.seal().await.map_err(broken)?;
        heard.then_some(()).ok_or_else(deaf)
    }

    async fn documents(&mut self) -> Vec<AppDocument> {
        evidence::documents(self).await
    }

    async fn read(&mut self, address: &str) -> Result<Option<String>, GroundError> {
        self.read_own(address).await
    }

    async fn evidence(&mut self) -> Result<Evidence, GroundError> {
        evidence::take(self, &self.ground.options).await
    }

    async fn close(self) {
        if let Err(error) = self.context.dispose().await {
            tracing::debug!(%error, "a context went with its browser");
        }
    }
}
