//! The result of a run, derived from what it recorded; the same bytes for the same findings.

use std::collections::BTreeMap;

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::capability::ModelVersion;
use uiap_model::discovery::package::DiscoverySpec;
use uiap_model::discovery::review::{CoverageReport, ReviewQueue};
use uiap_model::discovery::transition::TransitionGraph;
use uiap_model::discovery::{DiscoveryEnvironment, DiscoveryPackage, DiscoveryRunSummary, EvidenceSource};
use uiap_model::json::Count;

use crate::coverage::{self, Beyond};
use crate::derive::action::{self, Context};
use crate::derive::evidence::Book;
use crate::derive::route::Routes;
use crate::derive::survey::Survey;
use crate::derive::{element, metadata, route, scope, transition, workflow};
use crate::record::{DecisionRecord, Incident, RunRecord, SeedRecord, StateRecord, TransitionRecord};
use crate::review::{self, Material};

/// Derives a package from a whole record.
pub fn derive(record: &RunRecord) -> DiscoveryPackage {
    let mut maker = Maker::new(&record.environment);
    for state in &record.states {
        maker.state(state);
    }
    maker.finish(Rest {
        summary: &record.summary,
        environment: &record.environment,
        seeds: &record.seeds,
        transitions: &record.transitions,
        decisions: &record.decisions,
        incidents: &record.incidents,
        documents: &record.documents,
    })
}

/// Takes in states one by one, so that no more than one graph has to be in memory.
#[derive(Debug)]
pub struct Maker(Survey);

/// What a record holds beside its states.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a> {
    /// Who, when, how it ended.
    pub summary: &'a DiscoveryRunSummary,
    /// Where, as whom, how far.
    pub environment: &'a DiscoveryEnvironment,
    /// Where it began.
    pub seeds: &'a [SeedRecord],
    /// What was done.
    pub transitions: &'a [TransitionRecord],
    /// What was weighed.
    pub decisions: &'a [DecisionRecord],
    /// What went wrong.
    pub incidents: &'a [Incident],
    /// What the app said of itself in documents.
    pub documents: &'a [CompactString],
}

impl Maker {
    /// Begins with nothing.
    pub fn new(environment: &DiscoveryEnvironment) -> Self {
        Self(Survey::new(environment))
    }

    /// Takes in a state, in any order.
    pub fn state(&mut self, state: &StateRecord) {
        self.0.add(state);
    }

    /// Derives everything.
    pub fn finish(self, rest: Rest<'_>) -> DiscoveryPackage {
        let survey = self.0;
        let mut book = Book::default();
        for name in rest.documents {
            book.told(EvidenceSource::AppRegistry, &format!("document:{name}"));
        }
        let routes = Routes::of(&survey);
        let edges = transition::edges(rest.transitions, &survey, &routes);
        let kept = scope::kept(&survey);
        let mut named = element::named(&survey, &routes);
        element::raise(&mut named, &edges);
        let context = Context { survey: &survey, named: &named, routes: &routes, edges: &edges, kept: &kept };
        let actions = action::actions(&context, &mut book);
        let workflows = workflow::workflows(&context, &mut book);
        let route_catalog = route::catalog(&survey, &routes, &edges, &kept, &mut book);
        let scope_catalog = scope::catalog(&survey, &routes, &kept, &mut book);
        let element_catalog = element::catalog(&named, &routes, &kept, &mut book);
        let transition_graph = transition::graph(&survey, &routes, &edges, &kept, &mut book);
        let material = Material {
            context: &context,
            actions: &actions.facts,
            workflows: &workflows.facts,
            seeds: rest.seeds,
            decisions: rest.decisions,
            incidents: rest.incidents,
        };
        let review_queue = review::queue(&material, &kept, &mut book);
        let beyond = Beyond {
            seeds: rest.seeds.len(),
            visited: rest.seeds.iter().filter(|seed| seed.state_id.is_some()).count(),
            opaque: survey.opaque.keys().filter(|(kind, _)| *kind != "pixels").count(),
            unresolved: edges.iter().filter(|edge| edge.unresolved).count(),
        };
        let mut package = DiscoveryPackage {
            model_version: ModelVersion::V01,
            spec: DiscoverySpec::Discovery,
            revision: None,
            run: rest.summary.clone(),
            environment: rest.environment.clone(),
            route_catalog,
            scope_catalog,
            element_catalog,
            action_catalog: actions.catalog,
            transition_graph,
            workflow_candidates: Some(workflows.catalog),
            review_queue,
            coverage: nothing(),
            evidence_index: Some(book.index()),
            metadata: metadata([
                ("generator", format!("uiap {}", env!("CARGO_PKG_VERSION")).into()),
                ("decisions", decisions(rest.decisions)),
                ("mergedStates", routes.merged().len().into()),
            ]),
        };
        package.coverage = coverage::count(&package, beyond);
        package.revision = Some(uiap_model::digest::sha256(&canonical(&package)).to_string().into());
        package
    }
}

fn nothing() -> CoverageReport {
    let none = Count(0);
    CoverageReport {
        seeds_total: none,
        seeds_visited: none,
        routes_discovered: none,
        scopes_discovered: none,
        elements_discovered: none,
        actions_discovered: none,
        workflow_candidates_discovered: none,
        opaque_regions: none,
        unresolved_transitions: none,
        review_items: none,
        confidence_summary: None,
    }
}

/// How often was decided what.
fn decisions(decisions: &[DecisionRecord]) -> Value {
    let mut counts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for decision in decisions {
        let reasons = counts.entry(decision.effect.to_string()).or_default();
        *reasons.entry(decision.reason.to_string()).or_insert(0) += 1;
    }
    serde_json::to_value(counts).unwrap_or_default()
}

/// A package in the form in which two runs are compared: canonical JSON without the run's id, its times, notes and revision.
pub fn canonical(package: &DiscoveryPackage) -> Vec<u8> {
    let mut value = serde_json::to_value(package).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("revision");
    }
    if let Some(run) = value.get_mut("run").and_then(Value::as_object_mut) {
        for member in ["runId", "startedAt", "finishedAt", "notes"] {
            run.shift_remove(member);
        }
    }
    let entries = value.pointer_mut("/evidenceIndex/entries").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.shift_remove("at");
    }
    serde_json_canonicalizer::to_vec(&value).unwrap_or_default()
}

/// An empty graph and queue, for a run that ended before it saw anything.
pub fn empty(summary: &DiscoveryRunSummary, environment: &DiscoveryEnvironment) -> DiscoveryPackage {
    let rest = Rest {
        summary,
        environment,
        seeds: &[],
        transitions: &[],
        decisions: &[],
        incidents: &[],
        documents: &[],
    };
    let package = Maker::new(environment).finish(rest);
    debug_assert!(package.transition_graph == TransitionGraph { states: Vec::new(), edges: Vec::new() });
    debug_assert!(package.review_queue == ReviewQueue { items: Vec::new() });
    package
}
