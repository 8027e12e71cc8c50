//! Listens to the browser on behalf of one page, and tells what it reports as signals.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::browser::{DownloadId, DownloadProgress, DownloadWillBegin};
use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_cdp::protocol::page::{FrameAttached, FrameId, FrameNavigated, FrameTree, GetFrameTree};
use uiap_cdp::protocol::runtime::{self, BindingCalled, ConsoleApiCalled, ExceptionThrown};
use uiap_cdp::protocol::target::{TargetInfo, TargetKind};
use uiap_cdp::{Browser, BrowserEvent, CallError, Session, SessionEvent};
use uiap_model::names::ActionHandle;
use uiap_model::web::signal::WebSignalBody;

use super::{browser, permission};
use crate::acting::{Acting, Inputs};
use crate::dialog::{DialogPolicy, Dialogs};
use crate::network::{NetworkEvent, NetworkWatch};

/// Signals that wait for one slow listener.
const LISTENER_QUEUE: usize = 1_024;

/// What is watched, and how much of it is borne.
#[derive(Debug, Clone)]
pub struct WatchOptions {
    /// How JavaScript dialogs are answered.
    pub dialogs: DialogPolicy,
    /// Whether answers to the page's requests are told. Requests are counted in any case.
    pub responses: bool,
    /// Whether errors of the page's scripts are told.
    pub errors: bool,
    /// Whether it is told that the page asks for a permission.
    pub permissions: bool,
    /// Pages that the page may open within [`popup_window`](Self::popup_window); more are closed.
    pub most_popups: usize,
    /// The time over which they are counted.
    pub popup_window: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            dialogs: DialogPolicy::default(),
            responses: true,
            errors: true,
            permissions: true,
            most_popups: 5,
            popup_window: Duration::from_secs(10),
        }
    }
}

/// What the browser reports, and what is known of where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// In the words of signals.
    pub body: WebSignalBody,
    /// The action whose input made the page do it, where the browser tells exactly.
    pub cause: Option<ActionHandle>,
    /// The place in the page's scripts that asked for it, as `address:line`, where the signal itself does not tell.
    pub place: Option<String>,
}

impl From<WebSignalBody> for Report {
    fn from(body: WebSignalBody) -> Self {
        Self { body, cause: None, place: None }
    }
}

/// The browser's reports about one page. Dropping the last clone ends it.
#[derive(Debug, Clone)]
pub struct Watch {
    network: NetworkWatch,
    dialogs: Dialogs,
    signals: broadcast::Sender<Report>,
    _task: Arc<Task>,
}

#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Watch {
    /// Watches a page from now on; best before it goes to its first address.
    pub async fn start(
        browser: &Browser,
        session: &Session,
        options: WatchOptions,
    ) -> Result<Self, CallError> {
        let signals = broadcast::Sender::new(LISTENER_QUEUE);
        let of_session = session.events_of(&[
            ConsoleApiCalled::NAME,
            ExceptionThrown::NAME,
            FrameAttached::NAME,
            FrameNavigated::NAME,
            BindingCalled::NAME,
        ]);
        let of_browser = browser.events();
        // A page in the background draws no frames and so does not come to rest either.
        let awake = SetFocusEmulationEnabled { enabled: true };
        let (dialogs, network, tree, _) = tokio::try_join!(
            Dialogs::attend(session, options.dialogs.clone()),
            NetworkWatch::start(session),
            session.call(GetFrameTree {}),
            session.call(awake),
        )?;
        let (answers, reports) = (network.events(), dialogs.reports());
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if options.permissions {
            permission::install(session).await?;
        } else if options.errors {
            session.call(runtime::Enable {}).await?;
        }
        let mut frames = HashSet::new();
        collect(&tree.frame_tree, &mut frames);
        let pump = Pump {
            session: session.clone(),
            signals: signals.clone(),
            options,
            started_ms: started.as_secs_f64() * 1_000.0,
            frames,
            acting: network.acting().clone(),
            inputs: Inputs::default(),
            downloads: HashSet::new(),
            popups: VecDeque::new(),
            storm: false,
        };
        let task = tokio::spawn(pump.run(of_session, of_browser, answers, reports));
        Ok(Self { network, dialogs, signals, _task: Arc::new(Task(task)) })
    }

    /// The page's requests.
    pub fn network(&self) -> &NetworkWatch {
        &self.network
    }

    /// The page's JavaScript dialogs.
    pub fn dialogs(&self) -> &Dialogs {
        &self.dialogs
    }

    /// The action that is under way, for whoever begins one.
    pub(crate) fn acting(&self) -> &Acting {
        self.network.acting()
    }

    /// What the browser reports from now on. A listener that is too slow is told how much it missed.
    pub fn signals(&self) -> broadcast::Receiver<Report> {
        self.signals.subscribe()
    }
}

fn collect(tree: &FrameTree, frames: &mut HashSet<FrameId>) {
    frames.insert(tree.frame.id.clone());
    for child in &tree.child_frames {
        collect(child, frames);
    }
}

struct Pump {
    session: Session,
    signals: broadcast::Sender<Report>,
    options: WatchOptions,
    started_ms: f64,
    frames: HashSet<FrameId>,
    acting: Acting,
    inputs: Inputs,
    downloads: HashSet<DownloadId>,
    popups: VecDeque<Instant>,
    storm: bool,
}

impl Pump {
    async fn run(
        mut self,
        mut of_session: uiap_cdp::SessionEvents,
        mut of_browser: uiap_cdp::BrowserEvents,
        mut answers: broadcast::Receiver<NetworkEvent>,
        mut reports: broadcast::Receiver<crate::dialog::DialogReport>,
    ) {
        loop {
            tokio::select! {
                event = of_session.next() => match event {
                    Some(SessionEvent::Detached(_)) | None => return,
                    Some(event) => self.of_session(&event),
                },
                event = of_browser.next() => match event {
                    Some(BrowserEvent::Disconnected(_)) | None => return,
                    Some(event) => self.of_browser(event).await,
                },
                event = answers.recv() => match event {
                    Ok(event) if self.options.responses => self.answered(&event),
                    Ok(_) => {}
                    Err(RecvError::Lagged(count)) => self.lost(count),
                    Err(RecvError::Closed) => return,
                },
                report = reports.recv() => match report {
                    Ok(report) => self.tell(Some(browser::of_dialog(&report))),
                    Err(RecvError::Lagged(count)) => self.lost(count),
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }

    fn tell(&self, signal: Option<WebSignalBody>) {
        if let Some(signal) = signal {
            self.report(signal.into());
        }
    }

    fn report(&self, report: Report) {
        // Without a listener there is nobody to tell.
        drop(self.signals.send(report));
    }

    fn answered(&self, event: &NetworkEvent) {
        let Some(body) = browser::of_network(event) else { return };
        let exchange = event.exchange();
        self.report(Report { body, cause: exchange.cause.clone(), place: exchange.initiator.place.clone() });
    }

    /// What the page did just now.
    fn done(&self, signal: Option<WebSignalBody>) {
        if let Some(body) = signal {
            let cause = self.inputs.cause(self.session.id()).cloned();
            self.report(Report { body, cause, place: None });
        }
    }

    fn lost(&self, count: u64) {
        self.tell(Some(browser::custom(browser::LOST, json!({ "count": count }))));
    }

    fn of_session(&mut self, event: &SessionEvent) {
        let event = match event {
            SessionEvent::Event(event) => event,
            SessionEvent::Crashed => {
                self.inputs.end(self.session.id());
                return self.tell(Some(browser::custom(browser::CRASH, json!({}))));
            }
            SessionEvent::Lagged(count) => {
                self.inputs.end(self.session.id());
                return self.lost(*count);
            }
            _ => return,
        };
        self.inputs.take(self.session.id(), event, self.acting.get().as_ref());
        if let Some(attached) = event.read::<FrameAttached>() {
            self.frames.insert(attached.frame_id);
        } else if let Some(said) = event.read::<ConsoleApiCalled>() {
            // The browser repeats what was said before somebody listened.
            if self.options.errors && said.timestamp >= self.started_ms {
                self.done(browser::of_console(&said));
            }
        } else if let Some(thrown) = event.read::<ExceptionThrown>()
            && self.options.errors
            && thrown.timestamp >= self.started_ms
        {
            self.done(Some(browser::of_exception(&thrown)));
        } else if let Some(call) = event.read::<BindingCalled>() {
            self.tell(permission::of_call(&call));
        }
    }

    async fn of_browser(&mut self, event: BrowserEvent) {
        match event {
            // Not before it is attached to: a page that is closed while it comes into being leaves its opener waiting.
            BrowserEvent::Attached(session) if self.is_popup(&session.info()) => self.popup(&session).await,
            BrowserEvent::Event(event) => {
                if let Some(start) = event.read::<DownloadWillBegin>() {
                    if self.frames.contains(&start.frame_id) {
                        self.downloads.insert(start.guid.clone());
                        self.tell(Some(browser::of_download_start(&start)));
                    }
                } else if let Some(progress) = event.read::<DownloadProgress>()
                    && self.downloads.contains(&progress.guid)
                    && let Some(end) = browser::of_download_end(&progress)
                {
                    self.downloads.remove(&progress.guid);
                    self.tell(Some(end));
                }
            }
            BrowserEvent::Lagged(count) => self.lost(count),
            _ => {}
        }
    }

    fn is_popup(&self, info: &TargetInfo) -> bool {
        info.kind == TargetKind::Page && info.opener_id.as_ref() == Some(self.session.target_id())
    }

    async fn popup(&mut self, popup: &Session) {
        let (now, window) = (Instant::now(), self.options.popup_window);
        while self.popups.front().is_some_and(|at| now.duration_since(*at) > window) {
            self.popups.pop_front();
        }
        if self.popups.len() < self.options.most_popups {
            self.storm = false;
            self.popups.push_back(now);
            return self.tell(Some(browser::of_popup(&popup.info().url, popup.target_id().as_str())));
        }
        if !std::mem::replace(&mut self.storm, true) {
            self.tell(Some(browser::custom(browser::SUPPRESSED, json!({ "what": "popup" }))));
        }
        if let Err(error) = popup.close().await {
            tracing::debug!(%error, "a popup of a storm was gone before it was closed");
        }
    }
}
