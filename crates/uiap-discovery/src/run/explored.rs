//! What a run knows when it stops exploring, and the package that is made of it. States are read one by one: a run may have more
//! of them than fit into memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compact_str::CompactString;
use uiap_model::discovery::{
    DiscoveryEnvironment, DiscoveryPackage, DiscoveryRunStatus, DiscoveryRunSummary,
};

use super::RunError;
use super::event::{Listener, RunEvent};
use super::node::Node;
use crate::package::{Maker, Rest};
use crate::record::{DecisionRecord, Incident, RunRecord, StateRecord};
use crate::store::{Store, StoreError};

/// What a run found.
pub struct Explored {
    pub(super) store: Arc<Mutex<Store>>,
    pub(super) nodes: Vec<Node>,
    pub(super) summary: DiscoveryRunSummary,
    pub(super) environment: DiscoveryEnvironment,
    pub(super) listener: Listener,
    /// What the budget left undone was still decided about. Not kept: a run that is gone on with may do it.
    pub(super) open: Vec<DecisionRecord>,
    /// The budget that ended it.
    pub(super) reached_budget: Option<Incident>,
}

impl std::fmt::Debug for Explored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Explored({} states)", self.nodes.len())
    }
}

impl Explored {
    /// Who, when, how it ended.
    pub fn summary(&self) -> &DiscoveryRunSummary {
        &self.summary
    }

    /// How many states were found.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// What was weighed, in order.
    pub fn decisions(&self) -> Result<Vec<DecisionRecord>, RunError> {
        let mut decisions = self.store().decisions()?;
        decisions.extend(self.open.iter().cloned());
        Ok(decisions)
    }

    /// What a person should know.
    pub fn incidents(&self) -> Result<Vec<Incident>, RunError> {
        let mut incidents = self.store().incidents()?;
        incidents.extend(self.reached_budget.clone());
        Ok(incidents)
    }

    /// Everything at once.
    pub fn record(&self) -> Result<RunRecord, RunError> {
        let states: Result<Vec<_>, _> =
            (0..self.nodes.len()).filter_map(|at| self.state(at).transpose()).collect();
        let (decisions, incidents) = (self.decisions()?, self.incidents()?);
        let store = self.store();
        Ok(RunRecord {
            summary: self.summary.clone(),
            environment: self.environment.clone(),
            seeds: store.seeds()?,
            states: states?,
            transitions: store.crossings()?.into_iter().map(|crossing| crossing.record).collect(),
            decisions,
            incidents,
            documents: store.fact("documents")?.unwrap_or_default(),
        })
    }

    /// Extracts, synthesises and reviews: the phases that follow exploring. `each` is shown every state on the way.
    pub fn package(&self, mut each: impl FnMut(&StateRecord)) -> Result<DiscoveryPackage, RunError> {
        let mut maker = Maker::new(&self.environment);
        for at in 0..self.nodes.len() {
            if let Some(state) = self.state(at)? {
                each(&state);
                maker.state(&state);
            }
        }
        let ended = matches!(self.summary.status, DiscoveryRunStatus::Failed | DiscoveryRunStatus::Cancelled);
        let mut summary = self.summary.clone();
        if !ended {
            summary.status = DiscoveryRunStatus::Completed;
            (self.listener)(RunEvent::Status(DiscoveryRunStatus::Synthesizing));
        }
        let (decisions, incidents) = (self.decisions()?, self.incidents()?);
        let store = self.store();
        let seeds = store.seeds()?;
        let documents: Vec<CompactString> = store.fact("documents")?.unwrap_or_default();
        let transitions: Vec<_> = store.crossings()?.into_iter().map(|crossing| crossing.record).collect();
        drop(store);
        if !ended {
            (self.listener)(RunEvent::Status(DiscoveryRunStatus::Reviewing));
        }
        let package = maker.finish(Rest {
            summary: &summary,
            environment: &self.environment,
            seeds: &seeds,
            transitions: &transitions,
            decisions: &decisions,
            incidents: &incidents,
            documents: &documents,
        });
        if !ended {
            (self.listener)(RunEvent::Status(DiscoveryRunStatus::Completed));
        }
        Ok(package)
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, at: usize) -> Result<Option<StateRecord>, StoreError> {
        let Some(node) = self.nodes.get(at) else { return Ok(None) };
        let Some((graph, details)) = self.store().state(at)? else { return Ok(None) };
        Ok(Some(StateRecord {
            state_id: node.state_id.clone(),
            fingerprint: node.fingerprint.clone(),
            url: node.url.clone(),
            other_urls: node.other_urls.clone(),
            title: node.title.clone(),
            graph,
            accessibility: details.accessibility,
            screenshot: node.screenshot.clone(),
            app_actions: details.actions,
            seed: node.seed.clone(),
            depth: node.depth(),
            profiles: node.via.keys().cloned().collect(),
            visits: node.visits,
        }))
    }
}
