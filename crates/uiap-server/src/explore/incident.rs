//! What the browser reports that a person should know.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::network::ResourceType;
use uiap_cdp::protocol::page::AddScriptToEvaluateOnNewDocument;
use uiap_cdp::protocol::runtime::{AddBinding, BindingCalled};
use uiap_cdp::protocol::target::{TargetId, TargetKind};
use uiap_cdp::{Browser, BrowserEvent, BrowserEvents, CallError, Session, SessionEvent, SessionEvents};
use uiap_discovery::record::{Incident, IncidentKind};
use uiap_model::web::signal::WebSignalBody;
use uiap_web::guard::{Challenge, SeenRequest};
use uiap_web::network::{Exchange, NetworkWatch, Outcome};
use uiap_web::signal::Report;
use uiap_web::signal::browser::{BEFOREUNLOAD, CRASH, DIALOG, DOWNLOAD};

/// How long the browser may take to tell that an address leads to a file.
const FILE: Duration = Duration::from_millis(500);
/// The name under which a page tells that it would have opened a window.
const OPENED: &str = "uiapWindowOpened";

/// Keeps a page from opening windows, and closes those that it opens all the same.
#[derive(Debug)]
pub(super) struct Popups {
    seen: Arc<Mutex<Vec<String>>>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Popups {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Popups {
    pub(super) async fn prevent(browser: &Browser, session: &Session) -> Result<Self, CallError> {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = tokio::spawn(note_told(session.events_of(&[BindingCalled::NAME]), Arc::clone(&seen)));
        let closing =
            tokio::spawn(close_opened(browser.events(), session.target_id().clone(), Arc::clone(&seen)));
        let popups = Self { seen, tasks: [told, closing] };
        session.call(AddBinding { name: OPENED, execution_context_name: None }).await?;
        // Whoever opens a window gets none, as from a browser that blocks popups.
        let source = format!(
            "(() => {{ const tell = globalThis.{OPENED}; if (!tell) return; delete globalThis.{OPENED}; \
             window.open = function open(url) {{ tell(String(new URL(url || 'about:blank', document.baseURI))); return null; }}; }})()"
        );
        let install =
            AddScriptToEvaluateOnNewDocument { source: &source, world_name: None, run_immediately: true };
        session.call(install).await?;
        Ok(popups)
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn note_told(mut events: SessionEvents, seen: Arc<Mutex<Vec<String>>>) {
    while let Some(event) = events.next().await {
        let SessionEvent::Event(event) = event else { continue };
        if let Some(called) = event.read::<BindingCalled>().filter(|called| called.name == OPENED) {
            seen.lock().unwrap_or_else(PoisonError::into_inner).push(called.payload);
        }
    }
}

async fn close_opened(mut events: BrowserEvents, opener: TargetId, seen: Arc<Mutex<Vec<String>>>) {
    while let Some(event) = events.next().await {
        let BrowserEvent::Attached(popup) = event else { continue };
        let info = popup.info();
        if info.kind != TargetKind::Page || info.opener_id.as_ref() != Some(&opener) {
            continue;
        }
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(info.url);
        if let Err(error) = popup.close().await {
            tracing::debug!(%error, "a window was gone before it was closed");
        }
    }
}

fn incident(kind: IncidentKind, url: &str, detail: String) -> Incident {
    Incident { kind, state_id: None, url: Some(url.to_owned()), detail }
}

/// What was told since the last time.
pub(super) fn of_signals(signals: &mut broadcast::Receiver<Report>, url: &str) -> Vec<Incident> {
    let mut found = Vec::new();
    loop {
        match signals.try_recv() {
            Ok(Report { body: WebSignalBody::Custom { name, payload }, .. }) => {
                let word = |key: &str| {
                    let value = payload.as_ref().and_then(|payload| payload.0.get(key));
                    value.and_then(|value| value.as_str()).unwrap_or_default().to_owned()
                };
                let news = match name.as_str() {
                    DIALOG => (
                        IncidentKind::Dialog,
                        format!("{}: `{}` was {}", word("type"), word("text"), word("answer")),
                    ),
                    BEFOREUNLOAD => {
                        (IncidentKind::BeforeUnload, "the page asked before it was left".to_owned())
                    }
                    DOWNLOAD if word("state") == "started" => (
                        IncidentKind::Download,
                        format!("`{}` was offered and refused", word("suggestedName")),
                    ),
                    CRASH => (IncidentKind::Crash, "the page crashed".to_owned()),
                    _ => continue,
                };
                found.push(incident(news.0, url, news.1));
            }
            Ok(_) | Err(broadcast::error::TryRecvError::Lagged(_)) => {}
            Err(_) => return found,
        }
    }
}

pub(super) fn popup(address: &str, url: &str) -> Incident {
    let place = address.split(['?', '#']).next().unwrap_or_default();
    incident(IncidentKind::Popup, url, format!("a window for `{place}` was closed"))
}

pub(super) fn challenge(asked: &Challenge, url: &str) -> Incident {
    let done = if asked.answered { "was answered" } else { "got no answer" };
    incident(
        IncidentKind::BasicAuth,
        url,
        format!("`{}` asked for a name and a password (`{}`) and {done}", asked.origin, asked.realm),
    )
}

pub(super) fn external(request: &SeenRequest, url: &str) -> Incident {
    let origin = uiap_web::guard::origin(&request.url).unwrap_or_default();
    incident(IncidentKind::ExternalOrigin, url, format!("`{origin}` was not reached"))
}

/// Parts of the page that would have come from elsewhere, asked for since that moment.
pub(super) fn blocked(
    network: &NetworkWatch,
    since: Instant,
    url: &str,
    own: &BTreeSet<String>,
) -> Vec<Incident> {
    let past = network.past();
    let late = past.iter().filter(|each| each.started >= since);
    let failed = late
        .filter(|each| matches!(&each.outcome, Outcome::Failed(why) if why.contains("BLOCKED_BY_CLIENT")));
    let origins: BTreeSet<String> = failed.filter_map(|each| uiap_web::guard::origin(&each.url)).collect();
    let told = |origin| incident(IncidentKind::ExternalOrigin, url, format!("`{origin}` was not reached"));
    origins.into_iter().filter(|origin| !own.contains(origin)).map(told).collect()
}

pub(super) fn self_write(request: &SeenRequest, url: &str) -> Incident {
    let path = uiap_web::guard::pattern(&request.url);
    incident(IncidentKind::SelfWrite, url, format!("the page sends {} `{path}` by itself", request.method))
}

/// What it means that the browser did not go somewhere.
pub(super) async fn of_navigation(reason: &str, signals: &mut broadcast::Receiver<Report>) -> IncidentKind {
    let holds = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    if holds(&["ERR_CERT", "ERR_SSL", "ERR_BAD_SSL"]) {
        return IncidentKind::TlsError;
    }
    if holds(&["TOO_MANY_REDIRECTS"]) {
        return IncidentKind::RedirectLoop;
    }
    if holds(&["BLOCKED_BY_CLIENT"]) {
        return IncidentKind::ExternalOrigin;
    }
    if holds(&["ERR_ABORTED"]) && offers_file(signals).await {
        return IncidentKind::Download;
    }
    if holds(&["INVALID_AUTH", "UNEXPECTED_PROXY_AUTH"]) {
        IncidentKind::BasicAuth
    } else {
        IncidentKind::Unreachable
    }
}

/// Whether a download begins in the place of a document; the browser tells of it a moment later.
async fn offers_file(signals: &mut broadcast::Receiver<Report>) -> bool {
    let found = async {
        loop {
            match signals.recv().await {
                Ok(Report { body: WebSignalBody::Custom { name, .. }, .. }) if name == DOWNLOAD => {
                    return true;
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return false,
            }
        }
    };
    tokio::time::timeout(FILE, found).await.unwrap_or(false)
}

/// How the server answered when it was asked for the document of the page itself last.
pub(super) fn document_status(network: &NetworkWatch, page: &TargetId) -> Option<u16> {
    let past = network.past();
    let mut documents = past.iter().rev().filter(|each| is_document(each) && !is_of_frame(each, page));
    documents.find(|each| each.status.is_some())?.status
}

/// Frames of the app that did not load, asked for since that moment. What was kept from loading is told elsewhere.
pub(super) fn frames(
    network: &NetworkWatch,
    since: Instant,
    url: &str,
    own: &BTreeSet<String>,
    page: &TargetId,
) -> Vec<Incident> {
    let past = network.past();
    let late =
        past.iter().filter(|each| each.started >= since && is_document(each) && is_of_frame(each, page));
    let own =
        late.filter(|each| uiap_web::guard::origin(&each.url).is_some_and(|origin| own.contains(&origin)));
    let mut found = Vec::new();
    for each in own {
        let (kind, why) = match (&each.outcome, each.status) {
            (Outcome::Failed(why), _) if !why.contains("BLOCKED_BY_CLIENT") => {
                (IncidentKind::Unreachable, why.clone())
            }
            (_, Some(status @ 400..500)) => {
                (IncidentKind::Unreachable, format!("the server answered with {status}"))
            }
            (_, Some(status @ 500..)) => {
                (IncidentKind::ServerError, format!("the server answered with {status}"))
            }
            _ => continue,
        };
        let path = uiap_web::guard::pattern(&each.url);
        found.push(incident(kind, url, format!("the frame `{path}` did not load: {why}")));
    }
    found
}

fn is_document(exchange: &Exchange) -> bool {
    exchange.kind == ResourceType::Document
}

/// Whether a frame of the page asked; the browser calls the frame of the page itself by the name of its target.
fn is_of_frame(exchange: &Exchange, page: &TargetId) -> bool {
    exchange.frame.as_ref().is_some_and(|frame| frame.as_str() != page.as_str())
}
