//! One order for everything: what the page and the browser tell comes before the revision that shows it, and once only.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::json;
use uiap_model::json::Nullable;
use uiap_model::names::{ActionHandle, DocumentId, ElementInstanceId, RevisionId, ScopeId};
use uiap_model::web::signal::{WebSignal, WebSignalBase, WebSignalBody};
use uiap_model::web::{FocusState, PageGraph, RouteState};
use uiap_runtime::clock;
use uiap_runtime::surface::Heard;

use super::browser::{LOST, SIGNAL_REFUSED, SUPPRESSED, custom};
use super::derive::{Derived, Deriver, collapse};
use super::told;
use super::watch::Report;

use crate::observe::{PageEvent, PageEventKind, Revision};

/// How long what the application told and what the graph shows are taken for the same thing.
const SAME_NEWS: Duration = Duration::from_secs(2);
/// Signals of the application that are taken per revision.
const MAX_TOLD: usize = 100;
/// A status that changed this often within [`AMBIENT_WINDOW`], and only in its digits, is a clock or a counter.
const AMBIENT: usize = 4;
const AMBIENT_WINDOW: Duration = Duration::from_secs(10);
/// Statuses whose past is remembered.
const MAX_STATUSES: usize = 100;
/// Refusals that are told apart.
const MAX_REFUSALS: usize = 20;

/// One step of what an observer gets.
#[derive(Debug, Clone)]
pub enum Observed {
    /// A signal.
    Signal(Heard),
    /// A revision; every signal of its changes came before.
    Revision(Revision),
}

/// Puts revisions and reports of the browser into one order.
#[derive(Debug, Default)]
pub struct Merger {
    deriver: Deriver,
    route: Option<RouteState>,
    revision: Option<RevisionId>,
    next_id: u64,
    recent: VecDeque<Recent>,
    active: bool,
    acting: Option<ActionHandle>,
    refused: BTreeSet<String>,
    flooded: bool,
    statuses: HashMap<String, VecDeque<Instant>>,
}

/// What makes two signals of different sources the same news.
#[derive(Debug, Clone, PartialEq)]
enum News {
    Route(String),
    Toast(String),
    Status(String),
    Dialog { opened: bool, names: [Option<String>; 2] },
    Validation { scope: Option<String>, issues: usize },
}

/// Who tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The application's own signals.
    App,
    /// Events of the page.
    Page,
    /// The graph.
    Graph,
}

#[derive(Debug)]
struct Recent {
    news: News,
    by: Vec<Source>,
    at: Instant,
}

impl News {
    fn of(body: &WebSignalBody) -> Option<Self> {
        Some(match body {
            WebSignalBody::RouteChanged { to, .. } => Self::Route(to.url.to_string()),
            WebSignalBody::ToastShown { text, .. } => Self::Toast(collapse(text)),
            WebSignalBody::StatusChanged { text, .. } => Self::Status(collapse(text)),
            WebSignalBody::DialogOpened { scope_id, stable_id } => Self::Dialog {
                opened: true,
                names: [Some(scope_id.to_string()), stable_id.as_ref().map(ToString::to_string)],
            },
            WebSignalBody::DialogClosed { scope_id, stable_id } => Self::Dialog {
                opened: false,
                names: [Some(scope_id.to_string()), stable_id.as_ref().map(ToString::to_string)],
            },
            WebSignalBody::ValidationChanged { scope_id, issues } => {
                Self::Validation { scope: scope_id.as_ref().map(ToString::to_string), issues: issues.len() }
            }
            _ => return None,
        })
    }

    /// A toast is shown with its buttons and icons around the text that was told.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Toast(a), Self::Toast(b)) => {
                !a.is_empty() && !b.is_empty() && (a.contains(b.as_str()) || b.contains(a.as_str()))
            }
            (Self::Dialog { opened, names }, Self::Dialog { opened: other, names: others }) => {
                opened == other
                    && names.iter().flatten().any(|name| others.iter().flatten().any(|each| each == name))
            }
            _ => self == other,
        }
    }
}

impl Merger {
    /// From now on signals belong to this action, or to none.
    pub fn acting(&mut self, action: Option<ActionHandle>) {
        self.acting = action;
    }

    /// A report of the browser.
    pub fn report(&mut self, report: Report) -> Heard {
        let mut signal = self.stamp(Derived { document_id: None, body: report.body });
        let caused = report.cause.is_some();
        // An answer may come when the action that asked for it is over and another is under way.
        signal.base.action_handle = report.cause.or(signal.base.action_handle);
        Heard { signal, caused, place: report.place }
    }

    /// A revision: its signals, and then itself. `graph` is the page after it.
    pub fn revision(&mut self, revision: Revision, graph: &PageGraph) -> Vec<Observed> {
        let now = Instant::now();
        self.recent.retain(|each| now.duration_since(each.at) < SAME_NEWS);
        let (events, lost) = match &revision {
            Revision::Snapshot(fresh) => (fresh.events.as_slice(), fresh.events_lost),
            Revision::Change(change) => (change.events.as_slice(), change.events_lost),
        };
        self.revision = Some(graph.revision.clone());
        let mut signals = Vec::new();
        if lost > 0 {
            signals.push(Derived { document_id: None, body: custom(LOST, json!({ "count": lost })) });
        }
        signals.extend(self.happened(graph, events, now));
        self.route = Some(graph.route.clone());
        let derived = self.deriver.take(&revision, graph);
        for each in derived {
            if self.is_ambient(&each.body, now) {
                continue;
            }
            if self.is_news(&each.body, Source::Graph, now)
                && !signals.iter().any(|told| is_repeated(told, &each))
            {
                signals.push(each);
            }
        }
        let mut observed: Vec<_> =
            signals.into_iter().map(|each| Observed::Signal(self.stamp(each).into())).collect();
        observed.push(Observed::Revision(revision));
        observed
    }

    /// What happened in the page since the revision before, in its order.
    fn happened(&mut self, graph: &PageGraph, events: &[PageEvent], now: Instant) -> Vec<Derived> {
        let mut signals = Vec::new();
        let mut place = self.route.take();
        let mut told = 0;
        for event in events {
            let document_id = &event.document_id;
            match &event.kind {
                PageEventKind::Activation(_) => signals.extend(self.activation(document_id, true)),
                PageEventKind::ActivationLapsed => signals.extend(self.activation(document_id, false)),
                PageEventKind::Signal(detail) => {
                    told += 1;
                    signals.extend(self.told(document_id, detail, told, now));
                }
                PageEventKind::Focus(id) => signals.push(focus(graph, document_id, id.as_ref())),
                // Frames have addresses of their own; the route is the page's.
                PageEventKind::Route { url, .. } if *document_id == graph.root_document_id => {
                    let to = route(graph, url);
                    if place.as_ref().is_some_and(|place| place.url != to.url) {
                        let body = WebSignalBody::RouteChanged { from: place.replace(to.clone()), to };
                        if self.is_news(&body, Source::Page, now) {
                            signals.push(Derived { document_id: Some(document_id.clone()), body });
                        }
                    }
                }
                _ => {}
            }
        }
        if told <= MAX_TOLD {
            self.flooded = false;
        }
        signals
    }

    fn activation(&mut self, document_id: &DocumentId, is_active: bool) -> Option<Derived> {
        let changed = std::mem::replace(&mut self.active, is_active) != is_active;
        let body = WebSignalBody::UserActivation { is_active };
        changed.then(|| Derived { document_id: Some(document_id.clone()), body })
    }

    fn told(
        &mut self,
        document_id: &DocumentId,
        detail: &serde_json::Value,
        count: usize,
        now: Instant,
    ) -> Option<Derived> {
        let notice = |body| Some(Derived { document_id: Some(document_id.clone()), body });
        if count > MAX_TOLD {
            let first = !std::mem::replace(&mut self.flooded, true);
            return if first { notice(custom(SUPPRESSED, json!({ "what": "signal" }))) } else { None };
        }
        match told::read(document_id, detail) {
            Ok(signal) => self.is_news(&signal.body, Source::App, now).then_some(signal),
            Err(error) => {
                let reason = error.to_string();
                tracing::debug!(%reason, "refused a signal of the application");
                let new = self.refused.len() < MAX_REFUSALS && self.refused.insert(reason.clone());
                if new { notice(custom(SIGNAL_REFUSED, json!({ "reason": reason }))) } else { None }
            }
        }
    }

    /// Whether nobody told it yet. The same thing told by the application and shown by the graph is one piece of news; told
    /// twice by the application, or shown twice, it is two.
    fn is_news(&mut self, body: &WebSignalBody, source: Source, now: Instant) -> bool {
        let Some(news) = News::of(body) else { return true };
        let known =
            self.recent.iter_mut().find(|each| !each.by.contains(&source) && each.news.is_same(&news));
        if let Some(known) = known {
            known.by.push(source);
            return false;
        }
        self.recent.push_back(Recent { news, by: vec![source], at: now });
        true
    }

    /// Whether it is one of those that change all the time and mean nothing.
    fn is_ambient(&mut self, body: &WebSignalBody, now: Instant) -> bool {
        let WebSignalBody::StatusChanged { text, .. } = body else { return false };
        let shape: String =
            collapse(text).chars().map(|each| if each.is_ascii_digit() { '0' } else { each }).collect();
        if self.statuses.len() >= MAX_STATUSES && !self.statuses.contains_key(&shape) {
            self.statuses.retain(|_, times| {
                times.back().is_some_and(|last| now.duration_since(*last) < AMBIENT_WINDOW)
            });
        }
        if self.statuses.len() >= MAX_STATUSES {
            return false;
        }
        let times = self.statuses.entry(shape).or_default();
        times.retain(|at| now.duration_since(*at) < AMBIENT_WINDOW);
        times.push_back(now);
        if times.len() > AMBIENT {
            times.pop_front();
            return true;
        }
        false
    }

    fn stamp(&mut self, signal: Derived) -> WebSignal {
        self.next_id += 1;
        let base = WebSignalBase {
            signal_id: Some(format!("sig_{}", self.next_id).into()),
            ts: clock::now(),
            document_id: signal.document_id,
            revision: self.revision.clone(),
            action_handle: self.acting.clone(),
        };
        WebSignal { base, body: signal.body }
    }
}

/// Whether the graph only repeats an event of the page that was told already.
fn is_repeated(told: &Derived, derived: &Derived) -> bool {
    match (&told.body, &derived.body) {
        (WebSignalBody::FocusChanged { focus: a }, WebSignalBody::FocusChanged { focus: b }) => {
            let holder =
                |focus: &Nullable<FocusState>| focus.0.as_ref().and_then(|focus| focus.instance_id.clone());
            holder(a) == holder(b)
        }
        _ => false,
    }
}

fn focus(graph: &PageGraph, document_id: &DocumentId, id: Option<&ElementInstanceId>) -> Derived {
    let focus = id.map(|id| FocusState {
        document_id: document_id.clone(),
        instance_id: Some(id.clone()),
        scope_id: home(graph, document_id, id),
    });
    Derived {
        document_id: Some(document_id.clone()),
        body: WebSignalBody::FocusChanged { focus: Nullable(focus) },
    }
}

fn home(graph: &PageGraph, document_id: &DocumentId, id: &ElementInstanceId) -> Option<ScopeId> {
    let mut places = graph.elements().filter(|(document, ..)| document.document_id == *document_id);
    places.find(|(_, _, each)| each.instance_id == *id).map(|(_, scope, _)| scope.id.clone())
}

/// The route of an address: in full when it is where the page is now.
fn route(graph: &PageGraph, url: &str) -> RouteState {
    if graph.route.url == url {
        return graph.route.clone();
    }
    let path = url.split_once("://").and_then(|(_, rest)| rest.find('/').and_then(|at| rest.get(at..)));
    let path = path.map(|path| path.split(['?', '#']).next().unwrap_or_default().into());
    RouteState { route_id: None, url: url.into(), path, title: None, params: None }
}
