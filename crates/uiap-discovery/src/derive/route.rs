//! Places of the app. Spec: discovery-mapper §15.1.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::capability::SuccessSignal;
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::catalog::{DiscoveredRoute, RouteCatalog};
use uiap_model::names::ScopeId;

use super::evidence::{Book, Support};
use super::name::{route_id, unique};
use super::survey::{StateBrief, Survey};
use super::transition::Edge;
use super::{filled, metadata};
use crate::template::{self, Learned, Sample};

const MOST_TITLES: usize = 3;
const MOST_EXAMPLES: usize = 5;

/// A place and the states that show it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    pub(crate) id: CompactString,
    pub(crate) declared: bool,
    pub(crate) patterns: BTreeSet<String>,
    pub(crate) states: BTreeSet<CompactString>,
    /// Whether its address names one thing, and nothing tells of which kind.
    pub(crate) unstable: bool,
}

/// All places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    pub(crate) all: Vec<Route>,
    by_place: BTreeMap<String, BTreeSet<usize>>,
    by_state: BTreeMap<CompactString, usize>,
    learned: Vec<Learned>,
    /// States of one kind at several addresses: the one that stands for them.
    merged: BTreeMap<CompactString, CompactString>,
}

impl Routes {
    pub(crate) fn of(survey: &Survey) -> Self {
        let briefs: Vec<&StateBrief> = survey.states.values().filter(|state| is_page(&state.url)).collect();
        // A declared route is better evidence for one kind of page than its structure.
        let kind = |state: &StateBrief| state.declared.clone().unwrap_or_else(|| state.structure.clone());
        let kinds: Vec<(CompactString, &StateBrief)> = briefs
            .iter()
            .filter(|state| state.modals.is_empty())
            .map(|state| (kind(state), *state))
            .collect();
        let samples: Vec<Sample<'_>> = kinds
            .iter()
            .flat_map(|(kind, state)| state.paths.iter().map(move |path| Sample { path, structure: kind }))
            .collect();
        let mut routes = Self { learned: template::learn(&samples), ..Self::default() };
        let mut groups: BTreeMap<(bool, String), Route> = BTreeMap::new();
        for state in &briefs {
            let patterns: BTreeSet<String> = state.paths.iter().map(|path| routes.pattern(path)).collect();
            let name = if let Some(id) = &state.declared {
                (true, id.to_string())
            } else {
                // One place, whether it is asked for with the ending of its page or without.
                let first = patterns.iter().next().map(|pattern| template::bare(pattern));
                (false, first.unwrap_or_default() + &view_of(&state.place))
            };
            let route = groups.entry(name).or_default();
            route.declared = state.declared.is_some();
            route.patterns.extend(patterns);
            route.states.insert(state.id.clone());
        }
        let mut taken = BTreeSet::new();
        // Declared ids come first and keep their names.
        for ((declared, name), mut route) in groups.into_iter().rev() {
            let id = if declared { name.clone() } else { route_id(&name) };
            route.id = CompactString::from(unique(&id, &mut taken));
            let random =
                |state: &&StateBrief| route.states.contains(&state.id) && has_random_fragment(&state.url);
            let one_thing = route.patterns.iter().all(|pattern| names_one_thing(pattern));
            route.unstable = !declared && (one_thing || briefs.iter().any(random));
            routes.all.push(route);
        }
        routes.all.sort_by(|a, b| a.id.cmp(&b.id));
        routes.index(survey);
        routes.merge(survey);
        routes
    }

    fn index(&mut self, survey: &Survey) {
        for (at, route) in self.all.iter().enumerate() {
            for state in &route.states {
                self.by_state.insert(state.clone(), at);
                if let Some(brief) = survey.states.get(state) {
                    self.by_place.entry(brief.place.clone()).or_default().insert(at);
                }
            }
        }
    }

    /// States of one structure whose addresses fit one learned pattern are one kind of state.
    fn merge(&mut self, survey: &Survey) {
        let mut kinds: BTreeMap<(usize, &str, &[CompactString]), BTreeSet<&CompactString>> = BTreeMap::new();
        for (at, route) in self.all.iter().enumerate() {
            let learned = route.patterns.iter().any(|pattern| pattern.contains("/:"));
            for state in route.states.iter().filter(|_| learned && !route.declared) {
                if let Some(brief) = survey.states.get(state) {
                    kinds.entry((at, &brief.structure, &brief.modals)).or_default().insert(state);
                }
            }
        }
        for members in kinds.into_values().filter(|members| members.len() > 1) {
            if let Some(first) = members.first() {
                for other in members.iter().skip(1) {
                    self.merged.insert((*other).clone(), (*first).clone());
                }
            }
        }
    }

    /// The pattern of a path, or the path itself.
    pub(crate) fn pattern(&self, path: &str) -> String {
        let exact = self.learned.iter().find(|learned| learned.paths.contains(path));
        exact.map_or_else(|| template::without_ids(path), |learned| learned.pattern.clone())
    }

    /// The pattern that a path fits, also one that was not seen itself.
    pub(crate) fn fitting(&self, path: &str) -> Option<&str> {
        let patterns = || self.all.iter().flat_map(|route| &route.patterns);
        let exact = patterns().find(|pattern| *pattern == path);
        exact
            .or_else(|| patterns().find(|pattern| uiap_model::web::predicate::route_matches(pattern, path)))
            .map(String::as_str)
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The state that stands for a state.
    pub(crate) fn standing_for<'a>(&'a self, state: &'a CompactString) -> &'a CompactString {
        self.merged.get(state).unwrap_or(state)
    }

    pub(crate) fn merged(&self) -> &BTreeMap<CompactString, CompactString> {
        &self.merged
    }

    pub(crate) fn id(&self, place: &str) -> Option<&str> {
        self.at(place).next()
    }

    pub(crate) fn of_state(&self, state: &str) -> Option<&Route> {
        self.by_state.get(state).and_then(|at| self.all.get(*at))
    }

    /// The ids of several places, in order.
    pub(crate) fn ids(&self, places: &BTreeSet<String>) -> Vec<CompactString> {
        let ids: BTreeSet<&str> = places.iter().flat_map(|place| self.at(place)).collect();
        ids.into_iter().map(CompactString::from).collect()
    }

    fn at(&self, place: &str) -> impl Iterator<Item = &str> {
        self.by_place
            .get(place)
            .into_iter()
            .flatten()
            .filter_map(|at| self.all.get(*at))
            .map(|route| route.id.as_str())
    }
}

fn is_page(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

/// What a query chooses, as part of the name of a route.
fn view_of(place: &str) -> String {
    place.find('?').and_then(|at| place.get(at..)).unwrap_or_default().to_owned()
}

fn names_one_thing(pattern: &str) -> bool {
    template::segments(pattern).any(|part| !part.starts_with(':') && template::looks_like_value(part))
}

/// `#k3j4h5` names nothing that lasts.
fn has_random_fragment(url: &str) -> bool {
    url.split_once('#').is_some_and(|(_, fragment)| {
        !fragment.trim_start_matches('!').starts_with('/')
            && fragment.len() >= 4
            && template::looks_like_value(fragment)
    })
}

pub(crate) fn catalog(
    survey: &Survey,
    routes: &Routes,
    edges: &[Edge],
    kept: &BTreeSet<CompactString>,
    book: &mut Book,
) -> RouteCatalog {
    let entries = routes.all.iter().map(|route| entry(survey, route, routes, edges, kept, book)).collect();
    RouteCatalog { routes: entries }
}

fn entry(
    survey: &Survey,
    route: &Route,
    routes: &Routes,
    edges: &[Edge],
    kept: &BTreeSet<CompactString>,
    book: &mut Book,
) -> DiscoveredRoute {
    let states: Vec<&StateBrief> = route.states.iter().filter_map(|id| survey.states.get(id)).collect();
    let inside = |state: &str| routes.of_state(state).is_some_and(|other| other.id == route.id);
    let entering: Vec<&Edge> = edges.iter().filter(|edge| inside(&edge.to) && !inside(&edge.from)).collect();
    let leaving = edges.iter().filter(|edge| inside(&edge.from) && !inside(&edge.to));
    let exits: BTreeMap<String, SuccessSignal> = leaving
        .flat_map(|edge| &edge.signals)
        .filter(|signal| matches!(signal, SuccessSignal::RouteChanged { .. }))
        .map(|signal| (serde_json::to_string(signal).unwrap_or_default(), signal.clone()))
        .collect();
    let source = if route.declared { EvidenceSource::Annotation } else { EvidenceSource::Dom };
    let mut discovered_by: Vec<_> = states.iter().take(3).map(|state| book.seen(source, &state.id)).collect();
    discovered_by.extend(
        entering.iter().take(3).map(|edge| book.happened(EvidenceSource::Transition, &edge.id, &edge.from)),
    );
    let titles: BTreeSet<&str> =
        states.iter().map(|state| state.title.as_str()).filter(|title| !title.is_empty()).collect();
    let scopes: BTreeSet<&CompactString> =
        states.iter().flat_map(|state| &state.scopes).filter(|id| kept.contains(*id)).collect();
    let profiles: BTreeSet<&str> =
        states.iter().flat_map(|state| &state.profiles).map(CompactString::as_str).collect();
    let examples: BTreeSet<&str> =
        states.iter().flat_map(|state| &state.examples).map(String::as_str).collect();
    let actions: BTreeSet<&str> = entering.iter().map(|edge| edge.action_id.as_str()).collect();
    let support = Support {
        declared: route.declared,
        repeated: entering.iter().any(|edge| edge.is_repeated()),
        worked: entering.iter().any(|edge| edge.agreed > 0),
        indicators: usize::from(!route.unstable) + usize::from(!titles.is_empty()),
    };
    DiscoveredRoute {
        route_id: route.id.clone(),
        urls: filled(route.patterns.iter().map(CompactString::from).collect()),
        titles: filled(titles.into_iter().take(MOST_TITLES).map(CompactString::from).collect()),
        scopes: filled(scopes.into_iter().filter_map(|id| ScopeId::parse(id)).collect()),
        discovered_by,
        confidence: support.confidence(),
        entry_actions: filled(actions.into_iter().map(CompactString::from).collect()),
        exit_signals: filled(exits.into_values().collect()),
        metadata: metadata([
            ("declared", route.declared.into()),
            ("states", route.states.len().into()),
            ("profiles", profiles.into_iter().collect::<Vec<_>>().into()),
            ("examples", examples.into_iter().take(MOST_EXAMPLES).collect::<Vec<_>>().into()),
            ("unstable", route.unstable.into()),
        ]),
    }
}
