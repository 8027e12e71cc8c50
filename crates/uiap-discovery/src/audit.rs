//! What must hold in a package beyond its form: ids are single, references lead somewhere, claims rest on what they must rest on.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::discovery::review::ReviewItemKind;
use uiap_model::discovery::{Confidence, DiscoveryPackage, EvidenceRef, EvidenceSource};
use uiap_model::names::ScopeId;

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
    let mut auditor = Auditor { package, entries: entries(package), flaws: &mut flaws };
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

const ROUTES: &str = "/routeCatalog/routes";
const SCOPES: &str = "/scopeCatalog/scopes";

/// An entry of some list, with what an audit asks of all of them.
struct Entry<'a> {
    list: &'static str,
    at: usize,
    /// The member that holds its id.
    member: &'static str,
    id: &'a str,
    /// The member that names routes, and which.
    routes: (&'static str, Vec<&'a str>),
    /// The member that names scopes, and which.
    scopes: (&'static str, Vec<&'a str>),
    /// What it rests on, and how sure it is.
    claim: Option<(&'a [EvidenceRef], Confidence)>,
}

impl<'a> Entry<'a> {
    fn new(list: &'static str, at: usize, member: &'static str, id: &'a str) -> Self {
        Self {
            list,
            at,
            member,
            id,
            routes: ("routes", Vec::new()),
            scopes: ("scopes", Vec::new()),
            claim: None,
        }
    }

    fn by(mut self, refs: &'a [EvidenceRef], sure: Confidence) -> Self {
        self.claim = Some((refs, sure));
        self
    }

    fn on(mut self, member: &'static str, routes: impl Iterator<Item = &'a CompactString>) -> Self {
        self.routes = (member, routes.map(CompactString::as_str).collect());
        self
    }

    fn inside(mut self, member: &'static str, scopes: impl Iterator<Item = &'a ScopeId>) -> Self {
        self.scopes = (member, scopes.map(ScopeId::as_str).collect());
        self
    }
}

/// Everything in a package that has an id, list by list.
fn entries(package: &DiscoveryPackage) -> Vec<Entry<'_>> {
    let mut all = Vec::new();
    for (at, each) in package.route_catalog.routes.iter().enumerate() {
        let entry = Entry::new(ROUTES, at, "routeId", &each.route_id);
        all.push(entry.by(&each.discovered_by, each.confidence));
    }
    for (at, each) in package.scope_catalog.scopes.iter().enumerate() {
        let entry = Entry::new(SCOPES, at, "scopeId", each.scope_id.as_str());
        let entry = entry.on("routeIds", each.route_ids.iter().flatten());
        let entry = entry.inside("parentScopeId", each.parent_scope_id.iter());
        all.push(entry.by(&each.discovered_by, each.confidence));
    }
    for (at, each) in package.element_catalog.elements.iter().enumerate() {
        let entry = Entry::new("/elementCatalog/elements", at, "semanticKey", &each.semantic_key);
        let entry = entry.on("routes", each.routes.iter().flatten());
        let entry = entry.inside("scopes", each.scopes.iter().flatten());
        all.push(entry.by(&each.discovered_by, each.confidence));
    }
    for (at, each) in package.action_catalog.actions.iter().enumerate() {
        let entry = Entry::new("/actionCatalog/actions", at, "id", each.id.as_str());
        let entry = entry.on("routes", each.routes.iter().flatten());
        let entry = entry.inside("scopes", each.scopes.iter().flatten());
        all.push(entry.by(&each.discovered_by, each.confidence));
    }
    for (at, each) in package.transition_graph.states.iter().enumerate() {
        let entry = Entry::new("/transitionGraph/states", at, "stateId", &each.state_id);
        all.push(entry.on("routeId", each.route_id.iter()));
    }
    for (at, each) in package.transition_graph.edges.iter().enumerate() {
        let entry = Entry::new("/transitionGraph/edges", at, "transitionId", &each.transition_id);
        all.push(entry.by(&each.discovered_by, each.confidence));
    }
    let workflows = package.workflow_candidates.iter().flat_map(|catalog| &catalog.workflows);
    for (at, each) in workflows.enumerate() {
        all.push(Entry::new("/workflowCandidates/workflows", at, "id", each.id.as_str()));
    }
    for (at, each) in package.review_queue.items.iter().enumerate() {
        all.push(Entry::new("/reviewQueue/items", at, "id", &each.id));
    }
    all
}

struct Auditor<'a> {
    package: &'a DiscoveryPackage,
    entries: Vec<Entry<'a>>,
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
        let mut lists: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for entry in &self.entries {
            lists.entry((entry.list, entry.member)).or_default().push(entry.id);
        }
        for ((list, member), ids) in lists {
            self.single(list, member, ids.into_iter());
        }
    }

    fn references(&mut self) {
        let of = |list: &str| -> BTreeSet<&'a str> {
            self.entries.iter().filter(|entry| entry.list == list).map(|entry| entry.id).collect()
        };
        let (routes, scopes) = (of(ROUTES), of(SCOPES));
        for entry in std::mem::take(&mut self.entries) {
            for (what, known, (member, ids)) in
                [("route", &routes, &entry.routes), ("scope", &scopes, &entry.scopes)]
            {
                for id in ids.iter().filter(|id| !known.contains(*id)) {
                    let place = format!("{}/{}/{member}", entry.list, entry.at);
                    self.flaw(place, format!("{what} `{id}` is not in the package"));
                }
            }
            self.entries.push(entry);
        }
    }

    /// No scope lies in itself.
    fn nesting(&mut self) {
        let parents: BTreeMap<&str, Option<&str>> = self
            .package
            .scope_catalog
            .scopes
            .iter()
            .map(|each| (each.scope_id.as_str(), each.parent_scope_id.as_ref().map(ScopeId::as_str)))
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
        for entry in std::mem::take(&mut self.entries) {
            if let Some((refs, sure)) = entry.claim {
                self.claim(&format!("{}/{}", entry.list, entry.at), refs, sure, index.as_ref());
            }
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
