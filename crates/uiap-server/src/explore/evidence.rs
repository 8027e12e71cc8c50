//! What is kept of a state: the page with boxes and with where its controls lead, a masked picture, the browser's accessibility
//! tree, what the app itself offers.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tracing::{Instrument as _, debug_span};
use uiap_cdp::protocol::accessibility::{AxNode, AxValue, GetFullAxTree};
use uiap_discovery::ground::{AppDocument, Evidence, GroundError};
use uiap_discovery::privacy::covered;
use uiap_discovery::record::{AxFact, IncidentKind, fact};
use uiap_model::capability::{UIAffordance, UIRole, UIStateKey};
use uiap_model::json::JsonObject;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::{ElementNode, PageGraph};
use uiap_web::guard::{Lead, leads};
use uiap_web::screenshot::{self, Format, Shot};
use uiap_web::surface::Registry;

use super::GroundOptions;
use super::place::WebPlace;

/// Good enough to read; a report holds the pictures of hundreds of states.
const QUALITY: u32 = 60;

pub(super) async fn take(place: &WebPlace, options: &GroundOptions) -> Result<Evidence, GroundError> {
    let seen = place.last.as_deref();
    let mut graph =
        seen.ok_or_else(|| GroundError::new(IncidentKind::LostState, "nothing was looked at yet"))?.clone();
    let ids: Vec<ElementInstanceId> = graph
        .elements()
        .filter(|(.., element)| element.affordances.len() > 1)
        .map(|(.., element)| element.instance_id.clone())
        .collect();
    let private = if options.keeps_private { Vec::new() } else { private(&graph) };
    let broken = |error: &dyn std::fmt::Display| GroundError::new(IncidentKind::Crash, error.to_string());
    let (found, picture, accessibility, registry) = tokio::join!(
        leads(&place.page, &ids).instrument(debug_span!("explore.leads")),
        shot(place, options.pictures, private).instrument(debug_span!("explore.picture")),
        accessibility(place).instrument(debug_span!("explore.accessibility")),
        place.surface.registry(),
    );
    let found = found.map_err(|error| broken(&error))?;
    let mut leads: HashMap<&ElementInstanceId, Lead> = ids.iter().zip(found).collect();
    for element in
        graph.documents.iter_mut().flat_map(|each| &mut each.scopes).flat_map(|each| &mut each.elements)
    {
        if let Some(lead) = leads.remove(&element.instance_id) {
            enrich(Arc::make_mut(element), lead);
        }
    }
    cover(&mut graph);
    let Registry { actions, mut faults, routes } = registry.map_err(|error| broken(&error))?;
    faults.extend(place.fault.clone());
    let routes = routes.into_iter().map(|(id, pattern)| (id.into(), pattern)).collect();
    Ok(Evidence { graph: Some(Arc::new(graph)), picture, accessibility, actions, routes, faults })
}

/// Puts what is known of a control where the page graph has no place for it.
fn enrich(element: &mut ElementNode, lead: Lead) {
    let texts = [
        (fact::HREF, lead.href),
        (fact::FORM_ACTION, lead.form_action),
        (fact::FORM_METHOD, lead.form_method),
        (fact::TYPE, lead.kind),
        (fact::WINDOW, lead.window),
        (fact::OPENS, lead.opens),
        (fact::ICON, lead.icon),
    ];
    let flags = [(fact::SUBMITS, lead.submits), (fact::DOWNLOAD, lead.download)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, Value::String(text?))));
    let flags = flags.into_iter().filter(|(_, flag)| *flag).map(|(name, _)| (name, Value::Bool(true)));
    let facts: Vec<_> = texts.chain(flags).collect();
    if facts.is_empty() {
        return;
    }
    let metadata = element.metadata.get_or_insert_with(|| Box::new(JsonObject(serde_json::Map::new())));
    for (name, value) in facts {
        metadata.0.insert(name.to_owned(), value);
    }
}

/// What people wrote into fields is nobody's business here.
fn cover(graph: &mut PageGraph) {
    let scopes = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
    for element in scopes.flat_map(|scope| &mut scope.elements) {
        let is_field = element.affordances.contains(&UIAffordance::Edit)
            || matches!(element.role, UIRole::Textbox | UIRole::Textarea | UIRole::Searchbox);
        let holds = element.state.text_value.as_ref().is_some_and(|text| !text.is_empty());
        if is_field && holds {
            let element = Arc::make_mut(element);
            element.state.text_value = None;
            let redacted = element.redacted.get_or_insert_default();
            if !redacted.contains(&UIStateKey::TextValue) {
                redacted.push(UIStateKey::TextValue);
            }
        }
    }
}

/// What shows something private, and is covered in a picture.
fn private(graph: &PageGraph) -> Vec<ElementInstanceId> {
    let shows = |element: &ElementNode| {
        let options = element.options.iter().flatten().map(|option| &option.label);
        let texts = [&element.name, &element.description, &element.state.text_value];
        texts.into_iter().flatten().chain(options).any(|text| covered(text).is_some())
    };
    graph.elements().filter(|(.., each)| shows(each)).map(|(.., each)| each.instance_id.clone()).collect()
}

async fn shot(place: &WebPlace, wanted: bool, cover: Vec<ElementInstanceId>) -> Option<Vec<u8>> {
    if !wanted {
        return None;
    }
    match screenshot::take(&place.page, &Shot { cover, format: Format::Webp(QUALITY), ..Shot::default() })
        .await
    {
        Ok(picture) => Some(picture.bytes),
        Err(error) => {
            tracing::debug!(%error, "there is no picture of this state");
            None
        }
    }
}

/// Role and name of what can be operated, in Chromium's own words. The rest of its tree changes with every clock.
async fn accessibility(place: &WebPlace) -> Option<Vec<AxFact>> {
    let tree = place.page.session().call(GetFullAxTree { depth: None, frame_id: None }).await;
    let nodes =
        tree.inspect_err(|error| tracing::debug!(%error, "there is no accessibility tree")).ok()?.nodes;
    let mut facts: Vec<AxFact> = nodes.iter().filter(|node| is_operable(node)).filter_map(fact_of).collect();
    facts.sort();
    Some(facts)
}

fn is_operable(node: &AxNode) -> bool {
    let focusable = |name: &str| name == "focusable";
    !node.ignored
        && node.properties.iter().any(|property| {
            focusable(&property.name) && property.value.value.as_ref().and_then(Value::as_bool) == Some(true)
        })
}

fn fact_of(node: &AxNode) -> Option<AxFact> {
    let text = |value: &Option<AxValue>| {
        value.as_ref().and_then(|value| value.value.as_ref()).and_then(Value::as_str).map(str::to_owned)
    };
    let role = text(&node.role)?;
    (role != "RootWebArea").then(|| AxFact { role: role.into(), name: text(&node.name).unwrap_or_default() })
}

/// The documents of the app, where it publishes them. A page in their place is none.
pub(super) async fn documents(place: &WebPlace) -> Vec<AppDocument> {
    let mut found = Vec::new();
    for name in ["capabilities", "policy", "workflows"] {
        let text = place.read_own(&format!("/.well-known/uiap/{name}.json")).await.ok().flatten();
        found.extend(
            text.filter(|text| !text.trim_start().starts_with('<')).map(|text| AppDocument { name, text }),
        );
    }
    found
}
