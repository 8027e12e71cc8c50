//! What is seen of a page, in one order: signals first, then the revision that shows what they tell.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::json;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};
use uiap_runtime::surface::{Observer, Seen, Sight, SurfaceError, Touched};

use super::lost;
use crate::observe::{FreshReason, Observation, Revision};
use crate::signal::browser::{LOST, custom};
use crate::signal::{Merger, Observed, Report, Watch};

/// Observes one page for the runtime.
#[derive(Debug)]
pub struct WebObserver {
    observation: Observation,
    reports: broadcast::Receiver<Report>,
    merger: Merger,
    /// Kept, so that the browser's reports go on.
    watch: Watch,
    silent: bool,
}

impl WebObserver {
    pub(super) fn new(observation: Observation, watch: Watch) -> Self {
        let reports = watch.signals();
        Self { observation, reports, merger: Merger::default(), watch, silent: false }
    }

    fn report(&mut self, report: Report) -> Sight {
        self.attribute();
        Sight::Signal(self.merger.report(report))
    }

    fn lost(&mut self, count: u64) -> Sight {
        self.report(custom(LOST, json!({ "count": count })).into())
    }

    fn attribute(&mut self) {
        self.merger.acting(self.watch.acting().get());
    }

    /// What the browser reported until now.
    fn reported(&mut self) -> Vec<Sight> {
        let mut sights = Vec::new();
        loop {
            match self.reports.try_recv() {
                Ok(report) => sights.push(self.report(report)),
                Err(TryRecvError::Lagged(count)) => sights.push(self.lost(count)),
                Err(TryRecvError::Empty) => return sights,
                Err(TryRecvError::Closed) => {
                    self.silent = true;
                    return sights;
                }
            }
        }
    }

    async fn glance(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        let mut sights = self.next_answer().await?;
        if self.observation.is_behind() {
            sights.extend(self.next_answer().await?);
        }
        Ok(sights)
    }

    async fn next_answer(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        let revision = self.observation.glance().await.map_err(|error| lost(&error))?;
        let mut sights = self.reported();
        let Some(revision) = revision else { return Ok(sights) };
        self.attribute();
        let Some(graph) = self.observation.graph() else { return Ok(sights) };
        for observed in self.merger.revision(revision, graph) {
            sights.push(match observed {
                Observed::Signal(heard) => Sight::Signal(heard),
                Observed::Revision(revision) => Sight::Revision(seen(revision, graph)),
            });
        }
        Ok(sights)
    }
}

impl Observer for WebObserver {
    async fn next(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        if self.silent {
            self.observation.called().await.map_err(|error| lost(&error))?;
            return Ok(Vec::new());
        }
        tokio::select! {
            biased;
            report = self.reports.recv() => match report {
                Ok(report) => Ok(vec![self.report(report)]),
                Err(RecvError::Lagged(count)) => Ok(vec![self.lost(count)]),
                Err(RecvError::Closed) => {
                    self.silent = true;
                    Ok(Vec::new())
                }
            },
            called = self.observation.called() => {
                called.map_err(|error| lost(&error))?;
                Ok(Vec::new())
            }
        }
    }

    async fn look(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        self.glance().await
    }
}

fn seen(revision: Revision, graph: &PageGraph) -> Seen {
    let graph = Arc::new(graph.clone());
    match revision {
        Revision::Change(change) => {
            let elements = change.elements.into_iter().map(|each| Touched {
                document_id: each.document_id,
                before: each.before,
                after: each.after,
            });
            let scopes = change.scopes.into_iter().map(|each| Touched {
                document_id: each.document_id,
                before: each.before,
                after: each.after,
            });
            Seen {
                elements: elements.collect(),
                scopes: scopes.collect(),
                graph,
                is_fresh: false,
                caused: change.caused,
            }
        }
        Revision::Snapshot(fresh) => match (&fresh.before, fresh.reason) {
            (
                Some(before),
                FreshReason::MostChanged | FreshReason::Inexpressible | FreshReason::OutOfStep,
            ) => {
                let (elements, scopes) = compare(before, &graph);
                Seen { elements, scopes, graph, is_fresh: false, caused: fresh.caused }
            }
            _ => Seen {
                elements: Vec::new(),
                scopes: Vec::new(),
                graph,
                is_fresh: true,
                caused: HashSet::new(),
            },
        },
    }
}

type Compared = (Vec<Touched<Arc<ElementNode>>>, Vec<Touched<ScopeNode>>);

/// What is different between two graphs of the same document, in document order; what is gone comes last.
fn compare(before: &PageGraph, after: &PageGraph) -> Compared {
    let old: HashMap<&ElementInstanceId, &Arc<ElementNode>> =
        nodes(before).map(|(_, node)| (&node.instance_id, node)).collect();
    let new: HashSet<&ElementInstanceId> = nodes(after).map(|(_, node)| &node.instance_id).collect();
    let mut elements = Vec::new();
    for (document_id, node) in nodes(after) {
        let earlier = old.get(&node.instance_id).map(|node| Arc::clone(node));
        if earlier.as_ref() != Some(node) {
            elements.push(Touched {
                document_id: document_id.clone(),
                before: earlier,
                after: Some(Arc::clone(node)),
            });
        }
    }
    for (document_id, node) in nodes(before).filter(|(_, node)| !new.contains(&node.instance_id)) {
        elements.push(Touched {
            document_id: document_id.clone(),
            before: Some(Arc::clone(node)),
            after: None,
        });
    }
    let head = |scope: &ScopeNode| ScopeNode { elements: Vec::new(), ..scope.clone() };
    let mut scopes = Vec::new();
    for (document, scope) in after.scopes() {
        let (earlier, now) = (before.scope(&scope.id).map(head), head(scope));
        if earlier.as_ref() != Some(&now) {
            scopes.push(Touched {
                document_id: document.document_id.clone(),
                before: earlier,
                after: Some(now),
            });
        }
    }
    for (document, scope) in before.scopes().filter(|(_, scope)| after.scope(&scope.id).is_none()) {
        scopes.push(Touched {
            document_id: document.document_id.clone(),
            before: Some(head(scope)),
            after: None,
        });
    }
    (elements, scopes)
}

fn nodes(graph: &PageGraph) -> impl Iterator<Item = (&DocumentId, &Arc<ElementNode>)> {
    graph.documents.iter().flat_map(|document| {
        let scopes = document.scopes.iter();
        scopes.flat_map(|scope| &scope.elements).map(|node| (&document.document_id, node))
    })
}
