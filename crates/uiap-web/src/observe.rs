//! What an observer of a page is told: revisions of its graph, and what happened in the page, in the page's own order.

mod answer;
mod early;
mod stream;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_model::web::{ElementNode, PageGraph, RouteState, ScopeNode};

pub(crate) use self::early::{Early, Handled};
pub use self::stream::Observation;

/// How a page is observed.
#[derive(Debug, Clone)]
pub struct ObserveOptions {
    /// Least time between two revisions. Zero: as often as the page draws a frame.
    pub min_interval: Duration,
    /// Page events that are kept for a slow reader; the oldest fall out, and the revision says how many. Changes need no
    /// queue: what a slow reader missed is one delta when it comes back.
    pub capacity: usize,
    /// Elements beyond this are left out, and the graph is truncated.
    pub max_elements: u64,
}

impl Default for ObserveOptions {
    fn default() -> Self {
        Self { min_interval: Duration::ZERO, capacity: 1_000, max_elements: 200_000 }
    }
}

/// One step of an observation; the graph after it is [`Observation::graph`]. Revisions rise by one in `seq`; whoever applies
/// every step has the page's graph.
#[derive(Debug, Clone)]
pub enum Revision {
    /// A graph to begin with, or to begin anew with.
    Snapshot(Fresh),
    /// What changed since the revision before.
    Change(Change),
}

/// A graph that stands by itself.
#[derive(Debug, Clone)]
pub struct Fresh {
    /// Why it is not a change.
    pub reason: FreshReason,
    /// The graph of the revision before; none at the beginning.
    pub before: Option<PageGraph>,
    /// What happened since the revision before.
    pub events: Vec<PageEvent>,
    /// Page events that a slow reader lost.
    pub events_lost: u64,
    /// What was changed by whoever listened to an input, where a graph of the same document came before.
    pub caused: HashSet<ElementInstanceId>,
}

/// Why a whole graph was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FreshReason {
    /// The observation begins.
    First,
    /// Another document is shown.
    Navigated,
    /// More than half of the elements changed.
    MostChanged,
    /// Something changed that no operation can say, such as the size of the viewport.
    Inexpressible,
    /// A change spoke of something that the observer does not know: it was dropped, and the page asked anew.
    OutOfStep,
}

/// A delta with what it touched, as it was and as it is.
#[derive(Debug, Clone)]
pub struct Change {
    /// What is sent to whoever subscribed.
    pub delta: WebStateDeltaPayload,
    /// The elements that were added, changed, moved or removed.
    pub elements: Vec<TouchedElement>,
    /// The scopes that were added, changed or removed; their `elements` are left empty.
    pub scopes: Vec<TouchedScope>,
    /// Those of them that were changed by whoever listened to an input, in the same breath.
    pub caused: HashSet<ElementInstanceId>,
    /// The route before, when it changed.
    pub route_before: Option<RouteState>,
    /// What happened since the revision before, oldest first.
    pub events: Vec<PageEvent>,
    /// Page events that a slow reader lost.
    pub events_lost: u64,
}

/// An element before and after a change; one of both is always there.
#[derive(Debug, Clone)]
pub struct TouchedElement {
    /// Its document.
    pub document_id: DocumentId,
    /// As it was; none when it is new.
    pub before: Option<Arc<ElementNode>>,
    /// As it is; none when it is gone.
    pub after: Option<Arc<ElementNode>>,
}

/// A scope before and after a change, without its elements.
#[derive(Debug, Clone)]
pub struct TouchedScope {
    /// Its document.
    pub document_id: DocumentId,
    /// As it was; none when it is new.
    pub before: Option<ScopeNode>,
    /// As it is; none when it is gone.
    pub after: Option<ScopeNode>,
}

/// Something that happened in the page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEvent {
    /// Milliseconds since 1970, by the page's clock.
    pub at_ms: f64,
    /// The document in which it happened.
    pub document_id: DocumentId,
    /// What it was.
    pub kind: PageEventKind,
}

/// The sorts of events that the page tells of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PageEventKind {
    /// A trusted event that activates: somebody, or a driver, pressed a pointer or a key. Which key is never told.
    Activation(Activation),
    /// The activation has lapsed.
    ActivationLapsed,
    /// The app sent a `uiap:signal` event; this is its `detail`, whatever it holds.
    Signal(Value),
    /// The keyboard goes elsewhere; `None` when nothing has it.
    Focus(Option<ElementInstanceId>),
    /// A field was found invalid when its form was checked.
    Invalid(Option<ElementInstanceId>),
    /// The address changed within the document.
    Route {
        /// The new address.
        url: String,
        /// How.
        how: RouteChange,
    },
}

/// What activated the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Mouse, pen or touch.
    Pointer,
    /// A key.
    Key,
}

/// How an address changed without another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteChange {
    /// `pushState`, or a link to a fragment.
    Push,
    /// `replaceState`.
    Replace,
    /// Back or forward.
    Traverse,
    /// The same entry again.
    Reload,
}
