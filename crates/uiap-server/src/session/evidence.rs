//! What else an agent should know of how an action ended: whom it could have meant, what there was to choose from, what speaks
//! against a success, what became of an earlier one.

use serde_json::Value;
use uiap_model::action::result::ActionResultPayload;
use uiap_model::web::PageGraph;
use uiap_runtime::action::SURFACE_LOST;
use uiap_runtime::text::{Refs, harmless, quoted};

/// Candidates, options and contradictions that are told one by one.
const MOST: usize = 10;

/// A line for each, none where there is nothing to tell.
pub(super) fn told(result: &ActionResultPayload, graph: &PageGraph, refs: &mut Refs) -> String {
    let detail = result.error.as_ref().and_then(|error| error.detail.as_ref());
    let detail = |member: &str| detail.and_then(|detail| detail.0.get(member));
    let beside = |member: &str| result.metadata.as_ref().and_then(|beside| beside.0.get(member));
    let mut text = String::new();
    for candidate in list(detail("candidates")) {
        text.push_str(&self::candidate(candidate, graph, refs));
    }
    let options: Vec<String> = list(detail("options")).filter_map(|each| word(each, 60)).collect();
    if !options.is_empty() {
        text.push_str(&format!("there is: {}\n", options.join(", ")));
    }
    for surprise in list(detail("contradicting").or_else(|| beside("contradicting"))) {
        let (kind, said) = (member(surprise, "kind"), member(surprise, "text"));
        text.push_str(&format!("against it: {} {}\n", harmless(kind, 40), quoted(said, 120)));
    }
    for url in list(beside("unanswered")).filter_map(|each| each.as_str()).take(3) {
        text.push_str(&format!("not answered yet: {}\n", harmless(url, 120)));
    }
    for notice in list(beside("notices")) {
        let (action, said) = (member(notice, "actionId"), member(notice, "text"));
        text.push_str(&format!(
            "since then, of the earlier {}: {}\n",
            harmless(action, 60),
            harmless(said, 120)
        ));
    }
    if detail("cause").and_then(Value::as_str) == Some(SURFACE_LOST) {
        text.push_str("the page is gone; open its address again\n");
    }
    text
}

/// One that was meant, maybe, by the ref under which it can be meant for certain.
fn candidate(candidate: &Value, graph: &PageGraph, refs: &mut Refs) -> String {
    let id = member(candidate, "instanceId");
    let place = graph.elements().find(|(.., element)| element.instance_id == id);
    let Some((document, scope, element)) = place else { return String::new() };
    let name = refs.give(graph, &document.document_id, &element.instance_id);
    let called = quoted(element.name.as_deref().unwrap_or_default(), 60);
    format!("- {} {called} in {} [ref={name}]\n", element.role, harmless(scope.id.as_str(), 60))
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten().take(MOST)
}

fn member<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn word(value: &Value, most: usize) -> Option<String> {
    value.as_str().map(|text| quoted(text, most))
}
