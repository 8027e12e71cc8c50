//! What was seen of one element in all states together. Adding is the same in any order.

use std::collections::BTreeSet;

use compact_str::CompactString;
use uiap_model::capability::{RiskDescriptor, SuccessSignal, UIRole, UIStateKey};
use uiap_model::discovery::EvidenceSource;
use uiap_model::web::graph::{DocumentKind, SemanticSource};
use uiap_model::web::{DocumentNode, ElementNode, ScopeNode};

use crate::derive::evidence::Sightings;
use crate::derive::name::{is_lasting, scope_id};
use crate::record::fact;
use crate::safety::{Area, Sign, gravity, told};
use crate::structure;

/// Names and addresses that are kept of one element.
const MOST: usize = 5;
/// Options that are kept of one field.
const MOST_OPTIONS: usize = 20;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) role: Option<CompactString>,
    pub(crate) names: BTreeSet<String>,
    pub(crate) meanings: BTreeSet<CompactString>,
    pub(crate) affordances: BTreeSet<CompactString>,
    pub(crate) state_keys: BTreeSet<CompactString>,
    pub(crate) places: BTreeSet<String>,
    pub(crate) scopes: BTreeSet<CompactString>,
    pub(crate) actions: BTreeSet<CompactString>,
    pub(crate) hrefs: BTreeSet<String>,
    pub(crate) options: BTreeSet<String>,
    pub(crate) data_classes: BTreeSet<CompactString>,
    pub(crate) risk: Option<RiskDescriptor>,
    pub(crate) sign: Option<Sign>,
    pub(crate) success: Vec<SuccessSignal>,
    pub(crate) seen: Sightings,
    pub(crate) ever_enabled: bool,
    pub(crate) ever_editable: bool,
    pub(crate) required: bool,
    pub(crate) sensitive: bool,
    pub(crate) leads_out: bool,
    pub(crate) repeats: bool,
    pub(crate) only_pixels: bool,
    pub(crate) heuristic: bool,
    pub(crate) duplicate_id: bool,
    pub(crate) twins: u32,
    /// The documents of frames that it was found in, by address.
    pub(crate) documents: BTreeSet<String>,
    /// Whether it was seen, not only told of by the app.
    pub(crate) ever_seen: bool,
}

impl Found {
    pub(crate) fn add(
        &mut self,
        scope: &ScopeNode,
        element: &ElementNode,
        place: &str,
        state: &str,
        item: bool,
        sign: Sign,
    ) {
        self.what(element, item);
        self.places.insert(place.to_owned());
        self.scopes.insert(scope_id(scope.id.as_str()).into());
        self.evidence(element, state);
        let state = &*element.state;
        self.ever_enabled |= state.enabled != Some(false);
        self.ever_editable |= state.editable != Some(false) && state.readonly != Some(true);
        self.required |= state.required == Some(true);
        self.sensitive |= state.sensitive == Some(true);
        self.leads_out |= sign.area == Area::External
            || told(element, fact::HREF).is_some_and(|href| href.starts_with("javascript:"));
        let graver = |mine: &Sign| {
            gravity(&sign.class) > gravity(&mine.class)
                || (gravity(&sign.class) == gravity(&mine.class) && sign.because < mine.because)
        };
        if self.sign.as_ref().is_none_or(graver) {
            self.sign = Some(sign);
        }
        if let Some(risk) = &element.risk {
            let stricter = self.risk.as_ref().is_none_or(|mine| risk.level > mine.level);
            if stricter {
                self.risk = Some((**risk).clone());
            }
        }
        for signal in element.success.iter().flatten() {
            if !self.success.contains(signal) {
                self.success.push(signal.clone());
            }
        }
        self.success.sort_by_cached_key(|signal| serde_json::to_string(signal).unwrap_or_default());
    }

    /// Notes the document that it stands in, if that is not the page itself.
    pub(crate) fn stands_in(&mut self, document: &DocumentNode) {
        if document.kind == DocumentKind::Root {
            return;
        }
        let url = document.url.as_deref().unwrap_or_default();
        keep(&mut self.documents, url.split(['?', '#']).next().unwrap_or_default().to_owned(), MOST);
    }

    fn what(&mut self, element: &ElementNode, item: bool) {
        let role = CompactString::from(element.role.as_str());
        if self.role.as_ref().is_none_or(|mine| role < *mine) {
            self.role = Some(role);
        }
        if let Some(name) = element.name.as_deref().filter(|name| !name.is_empty()) {
            keep(&mut self.names, name.to_owned(), MOST);
        }
        self.meanings.extend(element.meaning.clone());
        self.affordances.extend(element.affordances.iter().map(|each| CompactString::from(each.as_str())));
        // Where the pointer and the focus of whoever explores stood is no trait of what they stood on.
        let keys = element.state.keys();
        let keys = keys.iter().filter(|key| !matches!(key, UIStateKey::Hovered | UIStateKey::Focused));
        self.state_keys.extend(keys.map(|key| CompactString::from(key.as_str())));
        let actions = element.supported_actions.iter().flatten().chain(&element.default_action);
        self.actions.extend(actions.map(|id| CompactString::from(id.as_str())));
        if let Some(href) = told(element, fact::HREF) {
            keep(&mut self.hrefs, crate::template::path_of(href), MOST);
        }
        for option in element.options.iter().flatten() {
            keep(&mut self.options, option.label.to_string(), MOST_OPTIONS);
        }
        self.data_classes
            .extend(element.data_classes.iter().flatten().map(|class| CompactString::from(class.as_str())));
        self.repeats |= item;
        self.only_pixels |= element.role == UIRole::Canvas;
        self.ever_seen |= structure::said(element.metadata.as_deref()) != Some(structure::UNSEEN);
        self.heuristic |= matches!(element.source, SemanticSource::Heuristic | SemanticSource::Vision);
        self.duplicate_id |=
            element.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("duplicateStableId"));
    }

    fn evidence(&mut self, element: &ElementNode, state: &str) {
        let origin = structure::said(element.metadata.as_deref());
        if matches!(origin, Some(structure::PROVIDER | structure::UNSEEN)) {
            self.seen.add(EvidenceSource::AppRegistry, state);
            if origin == Some(structure::PROVIDER) {
                self.seen.add(EvidenceSource::Dom, state);
            }
            if element.source == SemanticSource::Annotation {
                self.seen.add(EvidenceSource::Annotation, state);
            }
            return;
        }
        let declares = element.stable_id.as_ref().is_some_and(|id| is_lasting(id.as_str()))
            || element.meaning.is_some()
            || element.risk.is_some()
            || element.default_action.is_some()
            || element.source == SemanticSource::Annotation;
        if declares {
            self.seen.add(EvidenceSource::Annotation, state);
        }
        let source = match element.source {
            SemanticSource::Annotation => return,
            SemanticSource::Registry => EvidenceSource::AppRegistry,
            SemanticSource::Native => EvidenceSource::Dom,
            SemanticSource::Aria => EvidenceSource::Accessibility,
            SemanticSource::Text => EvidenceSource::VisibleText,
            SemanticSource::Heuristic => EvidenceSource::Inferred,
            SemanticSource::Vision => EvidenceSource::Vision,
        };
        self.seen.add(source, state);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for name in &other.names {
            keep(&mut self.names, name.clone(), MOST);
        }
        for href in &other.hrefs {
            keep(&mut self.hrefs, href.clone(), MOST);
        }
        for option in &other.options {
            keep(&mut self.options, option.clone(), MOST_OPTIONS);
        }
        self.meanings.extend(other.meanings.iter().cloned());
        self.affordances.extend(other.affordances.iter().cloned());
        self.state_keys.extend(other.state_keys.iter().cloned());
        self.places.extend(other.places.iter().cloned());
        self.scopes.extend(other.scopes.iter().cloned());
        self.actions.extend(other.actions.iter().cloned());
        self.data_classes.extend(other.data_classes.iter().cloned());
        self.seen.merge(&other.seen);
        self.ever_enabled |= other.ever_enabled;
        self.ever_editable |= other.ever_editable;
        self.required |= other.required;
        self.sensitive |= other.sensitive;
        self.leads_out |= other.leads_out;
        self.repeats |= other.repeats;
        self.heuristic |= other.heuristic;
        self.only_pixels |= other.only_pixels;
        self.duplicate_id |= other.duplicate_id;
        self.twins = self.twins.max(other.twins);
        self.ever_seen |= other.ever_seen;
        for document in &other.documents {
            keep(&mut self.documents, document.clone(), MOST);
        }
    }
}

/// Keeps the first few, whatever the order of adding.
fn keep(set: &mut BTreeSet<String>, value: String, most: usize) {
    set.insert(value);
    if set.len() > most {
        set.pop_last();
    }
}
