//! One thing out of what the app says of it and what is seen of it. Names, roles, meanings are the app's; state, place and instance are
//! what is seen; of two risks the stricter counts, and what was seen under another name is remembered for whoever judges.

use serde_json::Value;
use uiap_model::json::JsonObject;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::element::WebElementState;
use uiap_model::web::graph::SemanticSource;
use uiap_model::web::{ElementNode, ScopeNode};

use super::{DOM, PROVIDER, UNSEEN, binds, note};
use crate::record::fact;

fn noted(metadata: Option<&JsonObject>, structure: &str) -> JsonObject {
    let mut metadata = metadata.cloned().unwrap_or_else(|| JsonObject(serde_json::Map::new()));
    note(&mut metadata, structure);
    metadata
}

/// An area that the app speaks of, without its elements.
pub(super) fn scope(told: &ScopeNode, seen: Option<&ScopeNode>) -> ScopeNode {
    ScopeNode {
        id: told.id.clone(),
        // What decides over what may be done inside is what is seen.
        kind: seen.filter(|seen| binds(seen)).map_or(told.kind, |seen| seen.kind),
        name: told.name.clone().or_else(|| seen?.name.clone()),
        stable_id: told.stable_id.clone().or_else(|| seen?.stable_id.clone()),
        role: told.role.clone().or_else(|| seen?.role.clone()),
        parent_scope_id: told.parent_scope_id.clone(),
        state: seen.and_then(|seen| seen.state.clone()),
        access: seen.and_then(|seen| seen.access),
        opaque_reason: seen.and_then(|seen| seen.opaque_reason),
        collection: told.collection.clone().or_else(|| seen?.collection.clone()),
        submit_target: seen.and_then(|seen| seen.submit_target.clone()),
        issues: seen.and_then(|seen| seen.issues.clone()),
        elements: Vec::new(),
        metadata: Some(noted(seen.and_then(|seen| seen.metadata.as_ref()), PROVIDER)),
    }
}

/// An area that is seen and that the app does not speak of, without its elements.
pub(super) fn unspoken_scope(seen: &ScopeNode) -> ScopeNode {
    let metadata = Some(noted(seen.metadata.as_ref(), DOM));
    ScopeNode { elements: Vec::new(), metadata, ..seen.clone() }
}

/// An element that is seen and that the app does not speak of.
pub(super) fn unspoken(seen: &ElementNode) -> ElementNode {
    ElementNode { metadata: Some(Box::new(noted(seen.metadata.as_deref(), DOM))), ..seen.clone() }
}

/// An element that the app speaks of and nobody sees. It is not there for anybody who acts.
pub(super) fn unseen(told: &ElementNode, number: usize) -> ElementNode {
    let mut element = told.clone();
    // The app's own number may change with every look, or be that of something else.
    if let Some(id) = ElementInstanceId::parse(&format!("published.{number}")) {
        element.instance_id = id;
    }
    element.state.text_value = None;
    element.web = WebElementState { attached: false, stable: None, in_viewport: None, receives_events: None };
    element.parent_instance_id = None;
    element.shadow = None;
    element.bbox = None;
    element.redacted = None;
    element.source = SemanticSource::Registry;
    element.metadata = Some(Box::new(noted(None, UNSEEN)));
    element
}

/// An element that the app speaks of and that is seen.
pub(super) fn element(told: &ElementNode, seen: &ElementNode) -> ElementNode {
    let mut metadata = noted(seen.metadata.as_deref(), PROVIDER);
    let name = told.name.clone().or_else(|| seen.name.clone());
    let seen_name = seen.name.as_deref().filter(|seen| name.as_deref() != Some(seen));
    let seen_role = (seen.role != told.role).then(|| seen.role.as_str());
    for (fact, word) in [(fact::SEEN_NAME, seen_name), (fact::SEEN_ROLE, seen_role)] {
        metadata.0.extend(word.map(|word| (fact.to_owned(), Value::from(word))));
    }
    let mut affordances = (*told.affordances).clone();
    affordances.extend(seen.affordances.iter().filter(|each| !told.affordances.contains(each)).cloned());
    let mut classes = told.data_classes.clone().unwrap_or_default();
    for class in seen.data_classes.iter().flatten() {
        if !classes.contains(class) {
            classes.push(class.clone());
        }
    }
    let risk = match (&told.risk, &seen.risk) {
        (Some(told), Some(seen)) if told.level < seen.level => Some(seen.clone()),
        (told, seen) => told.clone().or_else(|| seen.clone()),
    };
    let source = match seen.source {
        SemanticSource::Annotation => SemanticSource::Annotation,
        _ => SemanticSource::Registry,
    };
    ElementNode {
        stable_id: told.stable_id.clone().or_else(|| seen.stable_id.clone()),
        role: told.role.clone(),
        name,
        description: told.description.clone().or_else(|| seen.description.clone()),
        meaning: told.meaning.clone().or_else(|| seen.meaning.clone()),
        affordances: affordances.into(),
        supported_actions: told.supported_actions.clone().or_else(|| seen.supported_actions.clone()),
        default_action: told.default_action.clone().or_else(|| seen.default_action.clone()),
        risk,
        data_classes: (!classes.is_empty()).then_some(classes),
        success: told.success.clone().or_else(|| seen.success.clone()),
        options: seen.options.clone().or_else(|| told.options.clone()),
        source,
        metadata: Some(Box::new(metadata)),
        ..seen.clone()
    }
}
