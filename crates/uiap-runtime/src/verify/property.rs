//! What is different about one element, property by property: what was, and what is.

use serde_json::{Map, Value, json};
use uiap_model::web::ElementNode;

/// Pointers and layout change these; no action is verified by them.
const PASSING: [&str; 4] = ["focused", "focusable", "hovered", "obscured"];
/// What people wrote is told by the signals that were asked for, and nowhere else.
const WRITTEN: [&str; 3] = ["textValue", "placeholder", "description"];

/// Old and new value of every property that differs; what the element holds as text is left out.
pub(super) fn differences(before: &ElementNode, after: &ElementNode) -> Map<String, Value> {
    let (old, new) = (properties(before), properties(after));
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let told = names.filter(|name| old.get(*name) != new.get(*name)).map(|name| {
        let change = json!({ "before": old.get(name), "after": new.get(name) });
        (name.clone(), change)
    });
    told.collect()
}

fn properties(element: &ElementNode) -> Map<String, Value> {
    let mut all = match json!(*element.state) {
        Value::Object(state) => state,
        _ => Map::new(),
    };
    all.retain(|name, _| !PASSING.contains(&name.as_str()) && !WRITTEN.contains(&name.as_str()));
    if let Some(name) = &element.name {
        all.insert("name".to_owned(), json!(name));
    }
    all
}
