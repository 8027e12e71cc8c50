//! The result of a run.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::document::ModelVersion;
use crate::discovery::catalog::{
    ActionCatalog, ElementCatalog, RouteCatalog, ScopeCatalog, WorkflowCandidateCatalog,
};
use crate::discovery::environment::{DiscoveryEnvironment, DiscoverySeed};
use crate::discovery::evidence::EvidenceIndex;
use crate::discovery::review::{CoverageReport, ReviewQueue};
use crate::discovery::transition::TransitionGraph;
use crate::json::JsonObject;
use crate::names::Timestamp;
use crate::problem::{Code, Problem};

/// A coverage number that does not equal its catalogue.
pub const COVERAGE_MISMATCH: Code = Code("UIAP-M050");
/// A transition between states that the package does not have.
pub const UNKNOWN_STATE: Code = Code("UIAP-M051");

/// The module that the package belongs to.
#[wire]
pub enum DiscoverySpec {
    #[wire(name = "uiap.discovery")]
    Discovery,
}

/// Where a run stands.
#[wire]
pub enum DiscoveryRunStatus {
    Planning,
    Preparing,
    Seeding,
    Exploring,
    Extracting,
    Synthesizing,
    Reviewing,
    Completed,
    Failed,
    Cancelled,
    Paused,
}

/// A run in short.
#[wire]
pub struct DiscoveryRunSummary {
    pub run_id: CompactString,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub status: DiscoveryRunStatus,
    pub environment_id: CompactString,
    pub profile: Option<CompactString>,
    pub seeds: Option<Vec<DiscoverySeed>>,
    pub notes: Option<Vec<CompactString>>,
}

/// Everything that a run found.
#[wire]
pub struct DiscoveryPackage {
    pub model_version: ModelVersion,
    pub spec: DiscoverySpec,
    pub revision: Option<CompactString>,
    pub run: DiscoveryRunSummary,
    pub environment: DiscoveryEnvironment,
    pub route_catalog: RouteCatalog,
    pub scope_catalog: ScopeCatalog,
    pub element_catalog: ElementCatalog,
    pub action_catalog: ActionCatalog,
    pub transition_graph: TransitionGraph,
    pub workflow_candidates: Option<WorkflowCandidateCatalog>,
    pub review_queue: ReviewQueue,
    pub coverage: CoverageReport,
    pub evidence_index: Option<EvidenceIndex>,
    pub metadata: Option<JsonObject>,
}

impl DiscoveryPackage {
    /// What the shape cannot say: coverage equals the catalogues, transitions join known states.
    pub fn check(&self) -> Vec<Problem> {
        let workflows = self.workflow_candidates.as_ref().map_or(0, |catalog| catalog.workflows.len());
        let counts = [
            ("routesDiscovered", self.coverage.routes_discovered, self.route_catalog.routes.len()),
            ("scopesDiscovered", self.coverage.scopes_discovered, self.scope_catalog.scopes.len()),
            ("elementsDiscovered", self.coverage.elements_discovered, self.element_catalog.elements.len()),
            ("actionsDiscovered", self.coverage.actions_discovered, self.action_catalog.actions.len()),
            ("workflowCandidatesDiscovered", self.coverage.workflow_candidates_discovered, workflows),
            ("reviewItems", self.coverage.review_items, self.review_queue.items.len()),
        ];
        let mismatches = counts.into_iter().filter(|(_, said, found)| said.0 != *found as u64).map(
            |(name, said, found)| {
                Problem::error(
                    COVERAGE_MISMATCH,
                    format!("/coverage/{name}"),
                    format!("coverage says {}, the catalogue has {found}", said.0),
                )
            },
        );
        let known: std::collections::HashSet<&str> =
            self.transition_graph.states.iter().map(|state| state.state_id.as_str()).collect();
        let strays = self.transition_graph.edges.iter().enumerate().flat_map(|(index, edge)| {
            let ends = [("fromStateId", &edge.from_state_id), ("toStateId", &edge.to_state_id)];
            ends.into_iter().filter(|(_, id)| !known.contains(id.as_str())).map(move |(name, id)| {
                Problem::error(
                    UNKNOWN_STATE,
                    format!("/transitionGraph/edges/{index}/{name}"),
                    format!("state `{id}` is not in the package"),
                )
            })
        });
        mismatches.chain(strays).collect()
    }
}
