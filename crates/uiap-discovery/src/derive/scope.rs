//! Areas of the app. Spec: discovery-mapper §15.2.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::catalog::{DiscoveredScope, ScopeCatalog};
use uiap_model::names::{ScopeId, StableId};
use uiap_model::web::{ScopeKind, ScopeNode};

use super::evidence::{Book, Sightings, Support};
use super::name::{is_lasting, scope_id};
use super::route::Routes;
use super::survey::Survey;
use super::{filled, metadata};
use crate::record::StateRecord;
use crate::structure;

/// Names that are kept of one area.
const MOST_NAMES: usize = 5;

/// What was seen of an area.
#[derive(Clone, Debug)]
pub(crate) struct FoundScope {
    pub(crate) kind: ScopeKind,
    pub(crate) names: BTreeSet<CompactString>,
    pub(crate) stable_ids: BTreeSet<StableId>,
    pub(crate) parents: BTreeMap<CompactString, usize>,
    pub(crate) places: BTreeSet<String>,
    pub(crate) seen: Sightings,
    pub(crate) submits: bool,
    pub(crate) modal: bool,
    pub(crate) has_elements: bool,
    pub(crate) columns: bool,
}

impl FoundScope {
    pub(crate) fn new(scope: &ScopeNode) -> Self {
        Self {
            kind: scope.kind,
            names: BTreeSet::new(),
            stable_ids: BTreeSet::new(),
            parents: BTreeMap::new(),
            places: BTreeSet::new(),
            seen: Sightings::default(),
            submits: false,
            modal: false,
            has_elements: false,
            columns: false,
        }
    }

    pub(crate) fn add(&mut self, state: &StateRecord, scope: &ScopeNode, place: &str, seen_at: &str) {
        if let Some(name) = &scope.name {
            self.names.insert(name.clone());
        }
        while self.names.len() > MOST_NAMES {
            self.names.pop_last();
        }
        self.stable_ids.extend(scope.stable_id.clone());
        if let Some(parent) = &scope.parent_scope_id {
            *self.parents.entry(CompactString::from(scope_id(parent.as_str()))).or_insert(0) += 1;
        }
        self.places.insert(place.to_owned());
        let submit = scope
            .elements
            .iter()
            .any(|element| element.affordances.contains(&uiap_model::capability::UIAffordance::Submit));
        self.submits |= scope.submit_target.is_some() || submit;
        self.modal |= scope.state.as_ref().is_some_and(|state| state.modal == Some(true))
            || state.graph.modal_stack.iter().flatten().any(|id| *id == scope.id);
        self.has_elements |= !scope.elements.is_empty();
        self.columns |= scope.kind == ScopeKind::Table;
        let source = match structure::said(scope.metadata.as_ref()) {
            Some(structure::PROVIDER) => EvidenceSource::AppRegistry,
            _ if is_lasting(scope.id.as_str()) => EvidenceSource::Annotation,
            _ => EvidenceSource::Dom,
        };
        self.seen.add(source, seen_at);
    }

    /// Whether the app itself speaks of it.
    fn is_declared(&self) -> bool {
        self.seen.has(EvidenceSource::Annotation) || self.seen.has(EvidenceSource::AppRegistry)
    }

    /// Whether it is worth an entry: what has a context of its own, and regions that have a name or a control.
    fn is_candidate(&self) -> bool {
        match self.kind {
            ScopeKind::Page | ScopeKind::Frame => false,
            ScopeKind::Region | ScopeKind::Custom | ScopeKind::List | ScopeKind::Table => {
                self.has_elements || !self.names.is_empty() || self.is_declared()
            }
            _ => true,
        }
    }
}

/// The scopes that are worth an entry.
pub(crate) fn kept(survey: &Survey) -> BTreeSet<CompactString> {
    survey.scopes.iter().filter(|(_, scope)| scope.is_candidate()).map(|(id, _)| id.clone()).collect()
}

pub(crate) fn catalog(
    survey: &Survey,
    routes: &Routes,
    kept: &BTreeSet<CompactString>,
    book: &mut Book,
) -> ScopeCatalog {
    let scopes = survey
        .scopes
        .iter()
        .filter(|(id, _)| kept.contains(*id))
        .filter_map(|(id, scope)| {
            let indicators = 1 + usize::from(!scope.names.is_empty());
            let support = Support { declared: scope.is_declared(), indicators, ..Support::default() };
            Some(DiscoveredScope {
                scope_id: ScopeId::parse(id)?,
                kind: scope.kind,
                route_ids: filled(routes.ids(&scope.places)),
                parent_scope_id: parent(survey, id, kept),
                names: filled(scope.names.iter().cloned().collect()),
                stable_ids: filled(scope.stable_ids.iter().cloned().collect()),
                discovered_by: book.all(&scope.seen),
                confidence: support.confidence(),
                metadata: metadata([("modal", scope.modal.into()), ("submits", scope.submits.into())]),
            })
        })
        .collect();
    ScopeCatalog { scopes }
}

/// The nearest area around that has an entry; never one that lies inside.
fn parent(survey: &Survey, id: &str, kept: &BTreeSet<CompactString>) -> Option<ScopeId> {
    let mut seen = BTreeSet::from([id.to_owned()]);
    let mut at = id.to_owned();
    loop {
        let parents = &survey.scopes.get(at.as_str())?.parents;
        let most = parents.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))?.0.clone();
        if !seen.insert(most.to_string()) {
            return None;
        }
        if kept.contains(&most) {
            return if leads_to(survey, &most, id, kept) { None } else { ScopeId::parse(&most) };
        }
        at = most.to_string();
    }
}

/// Whether the areas around one lead to another: areas that are called the same in several places could form a circle.
fn leads_to(survey: &Survey, from: &str, to: &str, kept: &BTreeSet<CompactString>) -> bool {
    let mut at = CompactString::from(from);
    let mut seen = BTreeSet::new();
    while seen.insert(at.clone()) {
        let Some(scope) = survey.scopes.get(&at) else { return false };
        let most = scope.parents.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        match most {
            Some((parent, _)) if parent == to && kept.contains(parent) => return true,
            Some((parent, _)) => at = parent.clone(),
            None => return false,
        }
    }
    true
}
