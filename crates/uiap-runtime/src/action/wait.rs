//! Waiting for something without doing anything: from an explicit point on, so that what came before the wait is seen too.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;
use uiap_model::capability::{SuccessSignal, UIRole, UIState};
use uiap_model::names::RevisionId;
use uiap_model::policy::decision::AnyOrAll;
use uiap_model::web::evidence::Observation;
use uiap_model::web::signal::WebSignal;
use uiap_model::web::{ElementNode, PageGraph};

use super::runtime::Runtime;
use crate::scene::{Entry, Event, Mark};
use crate::surface::{Seen, Surface, SurfaceError};
use crate::verify::{is_level, is_meaningful};

/// How long a state must stay to be one.
const HOLD: Duration = Duration::from_millis(150);
/// So many changes of mind are no accident.
const OSCILLATION: usize = 3;

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitEnd {
    /// What was waited for was seen.
    Seen,
    /// It comes and goes.
    Oscillating,
    /// The time is over, and the page never came to rest.
    NeverIdle,
    /// The time is over, and the page is quiet.
    Missing,
}

/// What is still going on in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Loading {
    /// What kind.
    pub kind: LoadingKind,
    /// Which element, scope or address.
    pub place: String,
}

/// How a page shows that it is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadingKind {
    /// It says that it is busy.
    Busy,
    /// It says that it is loading.
    Loading,
    /// It shows how far it is.
    Progress,
    /// It waits for an answer.
    Request,
}

/// What a wait gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waited {
    /// How it ended.
    pub end: WaitEnd,
    /// What was seen.
    pub observed: Vec<SuccessSignal>,
    /// What was not.
    pub missing: Vec<SuccessSignal>,
    /// Elements that changed since the point from which was looked.
    pub changed: usize,
    /// What was still going on.
    pub loading: Vec<Loading>,
    /// Why the page did not come to rest, in its own words.
    pub unrest: Vec<String>,
    /// The page that was looked at last.
    pub revision: RevisionId,
}

/// Why nobody can tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// What was seen then is not known any more.
    #[error("the point from which to look is too long ago; look again and wait from there")]
    Forgotten,
    /// The page is not there to be looked at.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
}

impl<S: Surface> Runtime<S> {
    /// Waits until signals are seen: one of them or all. Without any signal it waits until the page is another. `since` is the
    /// point from which on things count; now, where it is left out. Whoever saw another page last says so by `before`.
    pub async fn wait_for(
        &self,
        signals: &[SuccessSignal],
        policy: AnyOrAll,
        since: Option<Mark>,
        before: Option<Arc<PageGraph>>,
        timeout: Duration,
    ) -> Result<Waited, WaitError> {
        let scene = &self.core.scene;
        let mark = since.unwrap_or_else(|| scene.mark());
        let before = before.or_else(|| scene.graph_at(mark)).ok_or(WaitError::Forgotten)?;
        let end = Instant::now() + timeout;
        let (mut held_since, mut flips) = (None, 0);
        loop {
            let seen = scene.mark();
            let graph = scene.look().await?;
            let mut look = glance(signals, policy, &before, &graph, &scene.since(mark));
            let now = Instant::now();
            if look.end == WaitEnd::Seen {
                let since = *held_since.get_or_insert(now);
                // A state counts when it stays; what happened has happened.
                if now >= since + HOLD || now >= end || !look.observed.iter().any(is_level) {
                    look.loading = loading(&graph, self.core.surface.pending());
                    return Ok(look);
                }
            } else if held_since.take().is_some() {
                flips += 1;
            }
            if flips >= OSCILLATION || now >= end {
                return self.give_up(look, flips, &graph).await;
            }
            let wake = held_since.map_or(end, |since| (since + HOLD).min(end));
            // When nothing is told until then, one more look: what a script sets without an event is seen by a look only.
            if let Ok(changed) = tokio::time::timeout_at(wake, scene.changed(seen)).await {
                changed?;
            }
        }
    }

    async fn give_up(&self, look: Waited, flips: usize, graph: &PageGraph) -> Result<Waited, WaitError> {
        let rest = self.core.surface.settle(Duration::ZERO).await?;
        let end = match (flips >= OSCILLATION, rest.quiet) {
            (true, _) => WaitEnd::Oscillating,
            (false, false) => WaitEnd::NeverIdle,
            (false, true) => WaitEnd::Missing,
        };
        let loading = loading(graph, self.core.surface.pending());
        Ok(Waited { end, loading, unrest: rest.unrest, ..look })
    }
}

fn glance(
    signals: &[SuccessSignal],
    policy: AnyOrAll,
    before: &PageGraph,
    graph: &PageGraph,
    entries: &[Entry],
) -> Waited {
    let told: Vec<WebSignal> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Signal(heard) => Some(heard.signal.clone()),
            _ => None,
        })
        .collect();
    let observation = Observation { before, after: graph, signals: &told, custom_sources: &[] };
    let (observed, missing): (Vec<_>, Vec<_>) =
        signals.iter().cloned().partition(|signal| observation.look(signal).observed());
    let changed = changes(entries);
    let seen = match policy {
        _ if signals.is_empty() => changed > 0 || graph.route.url != before.route.url,
        AnyOrAll::Any => !observed.is_empty(),
        AnyOrAll::All => missing.is_empty(),
    };
    Waited {
        end: if seen { WaitEnd::Seen } else { WaitEnd::Missing },
        observed,
        missing,
        changed,
        loading: Vec::new(),
        unrest: Vec::new(),
        revision: graph.revision.clone(),
    }
}

/// How many elements changed.
fn changes(entries: &[Entry]) -> usize {
    let of = |entry: &Entry| match &entry.event {
        Event::Revision(seen) => changed_elements(seen),
        _ => 0,
    };
    entries.iter().map(of).sum()
}

/// Elements that went while others of the same content came were only made anew, and are no change.
fn changed_elements(seen: &Seen) -> usize {
    let (mut changed, mut gone, mut come) = (0, Vec::new(), Vec::new());
    for touched in &seen.elements {
        match (&touched.before, &touched.after) {
            (Some(before), Some(after)) => changed += usize::from(is_meaningful(before, after)),
            (Some(before), None) => gone.push(before),
            (None, Some(after)) => come.push(after),
            (None, None) => {}
        }
    }
    for new in come {
        match gone.iter().position(|old| !is_meaningful(&remade(old, new), new)) {
            Some(at) => drop(gone.swap_remove(at)),
            None => changed += 1,
        }
    }
    changed + gone.len()
}

/// An element under the ids of another.
fn remade(old: &ElementNode, new: &ElementNode) -> ElementNode {
    let mut old = old.clone();
    old.instance_id = new.instance_id.clone();
    old.parent_instance_id.clone_from(&new.parent_instance_id);
    old
}

/// What a page says of its own work.
fn loading(graph: &PageGraph, pending: Vec<String>) -> Vec<Loading> {
    let of_state = |state: &UIState| match (state.loading, state.busy) {
        (Some(true), _) => Some(LoadingKind::Loading),
        (_, Some(true)) => Some(LoadingKind::Busy),
        _ => None,
    };
    let scopes = graph.scopes().filter_map(|(_, scope)| {
        let kind = scope.state.as_ref().and_then(of_state)?;
        Some(Loading { kind, place: scope.id.to_string() })
    });
    let elements = graph.elements().filter_map(|(.., element)| {
        let shown = element.state.visible != Some(false);
        let progress = (element.role == UIRole::Progress && shown).then_some(LoadingKind::Progress);
        let kind = of_state(&element.state).or(progress)?;
        Some(Loading { kind, place: element.instance_id.to_string() })
    });
    let requests = pending.into_iter().map(|url| Loading { kind: LoadingKind::Request, place: bare(&url) });
    scopes.chain(elements).chain(requests).collect()
}

/// An address without what may be secret in it.
fn bare(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or(url).to_owned()
}
