//! What must hold in a package beyond its form: ids are single, references lead somewhere, claims rest on what they must rest on.

use std::collections::{BTreeMap, BTreeSet};

use uiap_model::discovery::review::ReviewItemKind;
use uiap_model::discovery::{Confidence, DiscoveryPackage, EvidenceRef, EvidenceSource};

/// Something that is wrong with a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flaw {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// What.
    pub message: String,
}

/// Every flaw of a package, in the order of its parts; empty when it is sound.
pub fn audit(package: &DiscoveryPackage) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let mut auditor = Auditor { package, flaws: &mut flaws };
    auditor.run();
    auditor.single_ids();
    auditor.references();
    auditor.nesting();
    auditor.claims();
    auditor.boundaries();
    flaws.extend(
        package
            .check()
            .into_iter()
            .map(|problem| Flaw { pointer: problem.pointer, message: problem.message }),
    );
    flaws
}

struct Auditor<'a> {
    package: &'a DiscoveryPackage,
    flaws: &'a mut Vec<Flaw>,
}

impl<'a> Auditor<'a> {
    fn flaw(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.flaws.push(Flaw { pointer: pointer.into(), message: message.into() });
    }

    fn run(&mut self) {
        let (run, environment) = (&self.package.run, &self.package.environment);
        if run.environment_id != environment.environment_id {
            let told = format!(
                "`{}` is not the environment `{}` of this package",
                run.environment_id, environment.environment_id
            );
            self.flaw("/run/environmentId", told);
        }
        if run.finished_at.as_ref().is_some_and(|finished| finished.as_str() < run.started_at.as_str()) {
            self.flaw("/run/finishedAt", "the run ends before it begins");
        }
        let profiles = environment.principal_profiles.iter().flatten().map(|profile| profile.id.as_str());
        self.single("/environment/principalProfiles", "id", profiles);
        let (visited, total) = (self.package.coverage.seeds_visited, self.package.coverage.seeds_total);
        if visited > total {
            self.flaw("/coverage/seedsVisited", format!("{} of {} seeds were visited", visited.0, total.0));
        }
    }

    fn single<'b>(&mut self, list: &str, member: &str, ids: impl Iterator<Item = &'b str>) {
        let mut seen = BTreeSet::new();
        for (at, id) in ids.enumerate() {
            if !seen.insert(id.to_owned()) {
                self.flaw(format!("{list}/{at}/{member}"), format!("`{id}` is there twice"));
            }
        }
    }

    fn single_ids(&mut self) {
        let package = self.package;
        self.single(
            "/routeCatalog/routes",
            "routeId",
            package.route_catalog.routes.iter().map(|each| each.route_id.as_str()),
        );
        self.single(
            "/scopeCatalog/scopes",
            "scopeId",
            package.scope_catalog.scopes.iter().map(|each| each.scope_id.as_str()),
        );
        let keys = package.element_catalog.elements.iter().map(|each| each.semantic_key.as_str());
        self.single("/elementCatalog/elements", "semanticKey", keys);
        self.single(
            "/actionCatalog/actions",
            "id",
            package.action_catalog.actions.iter().map(|each| each.id.as_str()),
        );
        let graph = &package.transition_graph;
        self.single(
            "/transitionGraph/states",
            "stateId",
            graph.states.iter().map(|each| each.state_id.as_str()),
        );
        self.single(
            "/transitionGraph/edges",
            "transitionId",
            graph.edges.iter().map(|each| each.transition_id.as_str()),
        );
        let workflows = package.workflow_candidates.iter().flat_map(|catalog| &catalog.workflows);
        self.single("/workflowCandidates/workflows", "id", workflows.map(|each| each.id.as_str()));
        self.single(
            "/reviewQueue/items",
            "id",
            package.review_queue.items.iter().map(|each| each.id.as_str()),
        );
    }

    fn known<'b>(
        &mut self,
        known: &BTreeSet<&str>,
        what: &str,
        place: &str,
        ids: impl Iterator<Item = &'b str>,
    ) {
        for id in ids.filter(|id| !known.contains(id)) {
            self.flaw(place, format!("{what} `{id}` is not in the package"));
        }
    }

    fn references(&mut self) {
        let package = self.package;
        let routes: BTreeSet<&str> =
            package.route_catalog.routes.iter().map(|each| each.route_id.as_str()).collect();
        let scopes: BTreeSet<&str> =
            package.scope_catalog.scopes.iter().map(|each| each.scope_id.as_str()).collect();
        for (at, each) in package.element_catalog.elements.iter().enumerate() {
            let place = format!("/elementCatalog/elements/{at}");
            self.known(
                &routes,
                "route",
                &format!("{place}/routes"),
                each.routes.iter().flatten().map(|id| &**id),
            );
            let inside = each.scopes.iter().flatten().map(uiap_model::names::ScopeId::as_str);
            self.known(&scopes, "scope", &format!("{place}/scopes"), inside);
        }
        for (at, each) in package.scope_catalog.scopes.iter().enumerate() {
            let place = format!("/scopeCatalog/scopes/{at}");
            self.known(
                &routes,
                "route",
                &format!("{place}/routeIds"),
                each.route_ids.iter().flatten().map(|id| &**id),
            );
            let parent = each.parent_scope_id.iter().map(uiap_model::names::ScopeId::as_str);
            self.known(&scopes, "scope", &format!("{place}/parentScopeId"), parent);
        }
        for (at, each) in package.action_catalog.actions.iter().enumerate() {
            let place = format!("/actionCatalog/actions/{at}");
            self.known(
                &routes,
                "route",
                &format!("{place}/routes"),
                each.routes.iter().flatten().map(|id| &**id),
            );
            let inside = each.scopes.iter().flatten().map(uiap_model::names::ScopeId::as_str);
            self.known(&scopes, "scope", &format!("{place}/scopes"), inside);
        }
        for (at, each) in package.transition_graph.states.iter().enumerate() {
            let place = format!("/transitionGraph/states/{at}/routeId");
            self.known(&routes, "route", &place, each.route_id.iter().map(|id| &**id));
        }
    }

    /// No scope lies in itself.
    fn nesting(&mut self) {
        let parents: BTreeMap<&str, Option<&str>> = self
            .package
            .scope_catalog
            .scopes
            .iter()
            .map(|each| {
                (
                    each.scope_id.as_str(),
                    each.parent_scope_id.as_ref().map(uiap_model::names::ScopeId::as_str),
                )
            })
            .collect();
        for (at, scope) in self.package.scope_catalog.scopes.iter().enumerate() {
            let mut seen = BTreeSet::from([scope.scope_id.as_str()]);
            let mut here = parents.get(scope.scope_id.as_str()).copied().flatten();
            while let Some(parent) = here {
                if !seen.insert(parent) {
                    self.flaw(
                        format!("/scopeCatalog/scopes/{at}/parentScopeId"),
                        format!("`{}` lies in itself", scope.scope_id),
                    );
                    break;
                }
                here = parents.get(parent).copied().flatten();
            }
        }
    }

    /// Claims name evidence that is there, and are no surer than it allows.
    fn claims(&mut self) {
        let package = self.package;
        let index: Option<BTreeSet<&str>> = package
            .evidence_index
            .as_ref()
            .map(|index| index.entries.iter().map(|entry| entry.ref_id.as_str()).collect());
        let mut claims: Vec<(String, &'a [EvidenceRef], Confidence)> = Vec::new();
        let mut add = |list: &str, entries: Vec<(&'a [EvidenceRef], Confidence)>| {
            let placed = entries
                .into_iter()
                .enumerate()
                .map(|(at, (refs, sure))| (format!("{list}/{at}"), refs, sure));
            claims.extend(placed);
        };
        add(
            "/routeCatalog/routes",
            package.route_catalog.routes.iter().map(|each| (&*each.discovered_by, each.confidence)).collect(),
        );
        add(
            "/scopeCatalog/scopes",
            package.scope_catalog.scopes.iter().map(|each| (&*each.discovered_by, each.confidence)).collect(),
        );
        add(
            "/elementCatalog/elements",
            package
                .element_catalog
                .elements
                .iter()
                .map(|each| (&*each.discovered_by, each.confidence))
                .collect(),
        );
        add(
            "/actionCatalog/actions",
            package
                .action_catalog
                .actions
                .iter()
                .map(|each| (&*each.discovered_by, each.confidence))
                .collect(),
        );
        add(
            "/transitionGraph/edges",
            package
                .transition_graph
                .edges
                .iter()
                .map(|each| (&*each.discovered_by, each.confidence))
                .collect(),
        );
        for (place, refs, sure) in claims {
            self.claim(&place, refs, sure, index.as_ref());
        }
        for (at, element) in package.element_catalog.elements.iter().enumerate() {
            let only_seen =
                element.discovered_by.iter().all(|each| each.source == EvidenceSource::Screenshot);
            if only_seen && !element.discovered_by.is_empty() {
                self.flaw(
                    format!("/elementCatalog/elements/{at}/discoveredBy"),
                    "a picture alone says nothing about meaning",
                );
            }
        }
    }

    fn claim(&mut self, place: &str, refs: &[EvidenceRef], sure: Confidence, index: Option<&BTreeSet<&str>>) {
        if refs.is_empty() {
            self.flaw(format!("{place}/discoveredBy"), "nothing is said about where this comes from");
        }
        for dangling in
            refs.iter().filter(|each| index.is_some_and(|index| !index.contains(each.ref_id.as_str())))
        {
            self.flaw(
                format!("{place}/discoveredBy"),
                format!("evidence `{}` is not in the index", dangling.ref_id),
            );
        }
        let strong = refs.iter().any(|each| {
            matches!(
                each.source,
                EvidenceSource::Annotation
                    | EvidenceSource::AppRegistry
                    | EvidenceSource::Transition
                    | EvidenceSource::ManualReview
            )
        });
        if sure == Confidence::High && !strong {
            self.flaw(
                format!("{place}/confidence"),
                "`high` needs an annotation, a registration or a repeated transition",
            );
        }
    }

    /// Regions that cannot be looked into are told.
    fn boundaries(&mut self) {
        let told =
            self.package.review_queue.items.iter().filter(|item| {
                matches!(item.kind, ReviewItemKind::OpaqueFrame | ReviewItemKind::ClosedShadow)
            });
        let (counted, told) = (self.package.coverage.opaque_regions.0, told.count() as u64);
        if counted > 0 && told == 0 {
            self.flaw(
                "/coverage/opaqueRegions",
                format!("{counted} opaque regions, and no review item tells of one"),
            );
        }
    }
}
