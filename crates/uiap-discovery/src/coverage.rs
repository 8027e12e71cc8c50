//! How much was covered: numbers that equal the catalogues.

use uiap_model::discovery::Confidence;
use uiap_model::discovery::package::DiscoveryPackage;
use uiap_model::discovery::review::{ConfidenceSummary, CoverageReport};
use uiap_model::json::Count;

/// What the catalogues do not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    /// Seeds, accepted or not.
    pub seeds: usize,
    /// Seeds that led to a state.
    pub visited: usize,
    /// Frames and shadow roots that cannot be looked into.
    pub opaque: usize,
    /// Actions that led to no state of their own.
    pub unresolved: usize,
}

/// Counts a package.
pub fn count(package: &DiscoveryPackage, beyond: Beyond) -> CoverageReport {
    let number = |count: usize| Count(count as u64);
    let workflows = package.workflow_candidates.as_ref().map_or(0, |catalog| catalog.workflows.len());
    CoverageReport {
        seeds_total: number(beyond.seeds),
        seeds_visited: number(beyond.visited),
        routes_discovered: number(package.route_catalog.routes.len()),
        scopes_discovered: number(package.scope_catalog.scopes.len()),
        elements_discovered: number(package.element_catalog.elements.len()),
        actions_discovered: number(package.action_catalog.actions.len()),
        workflow_candidates_discovered: number(workflows),
        opaque_regions: number(beyond.opaque),
        unresolved_transitions: number(beyond.unresolved),
        review_items: number(package.review_queue.items.len()),
        confidence_summary: Some(summary(package)),
    }
}

/// How sure the entries of all catalogues are.
fn summary(package: &DiscoveryPackage) -> ConfidenceSummary {
    let routes = package.route_catalog.routes.iter().map(|each| each.confidence);
    let scopes = package.scope_catalog.scopes.iter().map(|each| each.confidence);
    let elements = package.element_catalog.elements.iter().map(|each| each.confidence);
    let actions = package.action_catalog.actions.iter().map(|each| each.confidence);
    let workflows =
        package.workflow_candidates.iter().flat_map(|catalog| &catalog.workflows).map(|each| each.confidence);
    let mut counts = [0; 3];
    for confidence in routes.chain(scopes).chain(elements).chain(actions).chain(workflows) {
        let [high, medium, low] = &mut counts;
        *match confidence {
            Confidence::High => high,
            Confidence::Medium => medium,
            Confidence::Low => low,
        } += 1;
    }
    let [high, medium, low] = counts.map(Count);
    ConfidenceSummary { high, medium, low }
}
