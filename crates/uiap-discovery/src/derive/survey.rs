//! Collects what the states of a run hold, one state after the other, so that no more than one graph is needed at a time.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::{CompactString, format_compact};
use uiap_model::capability::ActionDescriptor;
use uiap_model::discovery::{DiscoveryEnvironment, EvidenceSource};
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason};
use uiap_model::web::{DocumentNode, PageGraph};

use super::element::{ElementKey, Found};
use super::evidence::{SPACE, Sightings};
use super::item::Labels;
use super::name::{is_lasting, scope_id};
use super::scope::FoundScope;
use crate::fingerprint;
use crate::record::{StateRecord, fact};
use crate::safety::{Stance, Subject, classify};
use crate::structure;
use crate::template;

/// A state without its graph.
#[derive(Clone, Debug)]
pub(crate) struct StateBrief {
    pub(crate) id: CompactString,
    pub(crate) fingerprint: CompactString,
    pub(crate) structure: CompactString,
    /// The place, told by this state alone.
    pub(crate) place: String,
    pub(crate) declared: Option<CompactString>,
    pub(crate) paths: BTreeSet<String>,
    /// Addresses at which it was seen, so that they can be opened again.
    pub(crate) examples: BTreeSet<String>,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) scopes: BTreeSet<CompactString>,
    pub(crate) modals: Vec<CompactString>,
    pub(crate) screenshot: Option<String>,
    pub(crate) has_accessibility: bool,
    pub(crate) depth: u32,
    pub(crate) seeded: bool,
    pub(crate) profiles: BTreeSet<CompactString>,
    pub(crate) truncated: bool,
    /// Whether something was held back from the page when it was seen.
    pub(crate) held: bool,
    /// Whether the app's own page graph was used: see [`structure`](crate::structure).
    pub(crate) published: bool,
    /// Where it would tell of success.
    pub(crate) signals: Vec<serde_json::Value>,
}

/// A region that cannot be looked into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opaque {
    pub(crate) seen: Sightings,
    pub(crate) places: BTreeSet<String>,
    pub(crate) origin: Option<String>,
    pub(crate) name: String,
    pub(crate) scope: Option<CompactString>,
}

/// Everything that was found, by what it is.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) stance: Stance,
    pub(crate) states: BTreeMap<CompactString, StateBrief>,
    pub(crate) scopes: BTreeMap<CompactString, FoundScope>,
    pub(crate) elements: BTreeMap<ElementKey, Found>,
    pub(crate) opaque: BTreeMap<(&'static str, String), Opaque>,
    pub(crate) actions:
        BTreeMap<CompactString, (ActionDescriptor, BTreeSet<CompactString>, BTreeSet<String>)>,
}

impl Survey {
    pub(crate) fn new(environment: &DiscoveryEnvironment) -> Self {
        Self {
            stance: Stance::of(environment),
            states: BTreeMap::new(),
            scopes: BTreeMap::new(),
            elements: BTreeMap::new(),
            opaque: BTreeMap::new(),
            actions: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, state: &StateRecord) {
        let graph = &*state.graph;
        let place = template::route_key(&graph.route);
        self.brief(state, &place);
        for action in &state.app_actions {
            let (_, states, places) = self
                .actions
                .entry(CompactString::from(action.id.as_str()))
                .or_insert_with(|| (action.clone(), BTreeSet::new(), BTreeSet::new()));
            states.insert(state.state_id.clone());
            places.insert(place.clone());
        }
        for (document, scope) in graph.scopes() {
            let id = CompactString::from(scope_id(scope.id.as_str()));
            let found = self.scopes.entry(id).or_insert_with(|| FoundScope::new(scope));
            found.add(state, scope, &place, &seen_at(&state.state_id, document));
        }
        self.elements(state, &place);
        self.boundaries(graph, &state.state_id, &place);
    }

    fn brief(&mut self, state: &StateRecord, place: &str) {
        let graph = &*state.graph;
        let print = fingerprint::of(graph, &fingerprint::default_policy());
        let urls = std::iter::once(&state.url).chain(&state.other_urls);
        let brief = StateBrief {
            id: state.state_id.clone(),
            fingerprint: state.fingerprint.clone(),
            structure: print.structure,
            place: place.to_owned(),
            declared: graph.route.route_id.clone(),
            paths: urls.clone().map(|url| template::path_of(url)).collect(),
            examples: urls.map(|url| template::example_of(url)).collect(),
            url: state.url.clone(),
            title: state.title.clone(),
            scopes: graph
                .scopes()
                .map(|(_, scope)| CompactString::from(scope_id(scope.id.as_str())))
                .collect(),
            modals: graph
                .modal_stack
                .iter()
                .flatten()
                .map(|id| CompactString::from(scope_id(id.as_str())))
                .collect(),
            screenshot: state.screenshot.clone(),
            has_accessibility: state.accessibility.is_some(),
            depth: state.depth,
            seeded: state.seed.is_some(),
            profiles: state.profiles.clone(),
            truncated: graph.truncated == Some(true),
            held: graph.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key(fact::HELD)),
            published: structure::of(graph) == structure::PROVIDER,
            signals: super::signal::candidates(graph),
        };
        self.states.insert(state.state_id.clone(), brief);
    }

    fn elements(&mut self, state: &StateRecord, place: &str) {
        let graph = &*state.graph;
        let labels = Labels::of(graph);
        let known: BTreeSet<(&str, &str)> = state
            .accessibility
            .iter()
            .flatten()
            .map(|fact| (fact.role.as_str(), fact.name.as_str()))
            .collect();
        let mut ordinals: BTreeMap<ElementKey, u32> = BTreeMap::new();
        for (document, scope, element) in graph.elements() {
            if !super::element::matters(element) {
                continue;
            }
            let item = labels.is_item(element);
            let mut key = ElementKey::of(scope, element, place, &labels.label(element));
            if !item {
                let ordinal = ordinals.entry(key.clone()).or_insert(0);
                key = key.numbered(*ordinal);
                *ordinal += 1;
            }
            let subject = Subject {
                graph,
                scope: Some(scope),
                element: Some(element),
                action_id: super::element::main_action(element),
                actions: &state.app_actions,
            };
            let sign = classify(&subject, self.stance.origin());
            let found = self.elements.entry(key).or_default();
            found.add(scope, element, place, &seen_at(&state.state_id, document), item, sign);
            found.stands_in(document);
            let name = element.name.as_deref().unwrap_or_default();
            if !name.is_empty() && known.iter().any(|(_, known)| *known == name) {
                found.seen.add(EvidenceSource::Accessibility, &state.state_id);
            }
        }
        for (key, count) in ordinals.into_iter().filter(|(_, count)| *count > 1) {
            for ordinal in 0..count {
                if let Some(found) = self.elements.get_mut(&key.clone().numbered(ordinal)) {
                    found.twins = found.twins.max(count);
                }
            }
        }
    }

    fn boundaries(&mut self, graph: &PageGraph, state: &str, place: &str) {
        for document in graph.documents.iter().filter(|document| document.access == BoundaryAccess::Opaque) {
            let host = document.host_instance_id.as_ref();
            let host = host.and_then(|id| graph.elements().find(|(.., element)| element.instance_id == *id));
            let name = host.and_then(|(.., element)| element.name.as_deref()).unwrap_or_default();
            let origin = document.origin.as_deref().unwrap_or_default();
            let found = self.opaque.entry(("frame", format!("{origin} {name}"))).or_default();
            found.note(state, place, name, host.map(|(_, scope, _)| scope.id.as_str()));
            found.origin = Some(origin.to_owned()).filter(|origin| !origin.is_empty());
        }
        for (_, scope, element) in graph.elements() {
            let reason =
                element.metadata.as_ref().and_then(|metadata| metadata.0.get("opaqueReason")?.as_str());
            let closed =
                element.shadow.as_ref().is_some_and(|shadow| shadow.access == BoundaryAccess::Opaque);
            let kind = match reason.and_then(OpaqueReason::parse) {
                Some(OpaqueReason::PixelSurface) => "pixels",
                Some(OpaqueReason::CrossOrigin | OpaqueReason::Sandboxed) => continue,
                _ if closed || reason.is_some() => "shadow",
                _ => continue,
            };
            let name = element.name.as_deref().unwrap_or_default();
            let tag = format!("{place} {} {name}", scope_id(scope.id.as_str()));
            self.opaque.entry((kind, tag)).or_default().note(state, place, name, Some(scope.id.as_str()));
        }
    }

    /// The element that an aim means, by the words that outlive the page.
    pub(crate) fn find(&self, place: &str, aim: &crate::record::Aim) -> Option<&ElementKey> {
        if let Some(id) = aim.stable_id.as_ref().filter(|id| is_lasting(id.as_str())) {
            let key = ElementKey::stable(id.as_str());
            return self.elements.get_key_value(&key).map(|(key, _)| key);
        }
        let scope = aim.scope_id.as_ref().map_or("", |id| scope_id(id.as_str()));
        let labels = super::element::possible_labels(&aim.name);
        labels.into_iter().find_map(|label| {
            let key = ElementKey::named(place, scope, &aim.role, &label).numbered(aim.ordinal);
            let first = ElementKey::named(place, scope, &aim.role, &label);
            self.elements
                .get_key_value(&key)
                .or_else(|| self.elements.get_key_value(&first))
                .map(|(key, _)| key)
        })
    }
}

/// Where something was seen: what is behind a bridge has evidence of its own.
fn seen_at(state: &CompactString, document: &DocumentNode) -> CompactString {
    match document.access {
        BoundaryAccess::Bridged => format_compact!("{state}{SPACE}{}", document.document_id),
        _ => state.clone(),
    }
}

impl Opaque {
    fn note(&mut self, state: &str, place: &str, name: &str, scope: Option<&str>) {
        self.seen.add(EvidenceSource::Dom, state);
        self.places.insert(place.to_owned());
        name.clone_into(&mut self.name);
        self.scope = scope.map(|id| CompactString::from(scope_id(id)));
    }
}
