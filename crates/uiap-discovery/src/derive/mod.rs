//! From what a run saw and did to what it claims: catalogues in which every entry names its evidence and how sure it is.
//!
//! Everything is collected into sets and sorted by what it is, never by when it was seen: two runs that saw the same say the same.

pub(crate) mod action;
pub(crate) mod element;
pub(crate) mod evidence;
pub(crate) mod item;
pub(crate) mod meaning;
pub(crate) mod name;
pub(crate) mod route;
pub(crate) mod scope;
pub(crate) mod signal;
pub(crate) mod survey;
pub(crate) mod transition;
pub(crate) mod workflow;

use serde_json::{Map, Value};
use uiap_model::json::JsonObject;

/// Metadata out of members that have something to say.
pub(crate) fn metadata<const N: usize>(members: [(&str, Value); N]) -> Option<JsonObject> {
    let empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let kept: Map<String, Value> = members
        .into_iter()
        .filter(|(_, value)| !empty(value))
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    (!kept.is_empty()).then_some(JsonObject(kept))
}

/// A list, or nothing when it is empty.
pub(crate) fn filled<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}
