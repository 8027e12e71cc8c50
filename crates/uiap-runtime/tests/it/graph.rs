//! Page graphs for the tests.

use serde_json::{Value, json};
use uiap_model::web::PageGraph;

pub(crate) fn element(id: &str, role: &str, name: &str) -> Value {
    let affordances = match role {
        "row" | "cell" | "label" | "listitem" | "toast" | "status" => json!(["read"]),
        _ => json!(["read", "focus", "activate"]),
    };
    json!({
        "instanceId": id, "role": role, "name": name, "affordances": affordances,
        "state": { "visible": true, "enabled": true }, "web": { "attached": true, "inViewport": true }, "source": "native"
    })
}

/// The element with more members; objects are merged.
pub(crate) fn with(mut element: Value, more: Value) -> Value {
    let Value::Object(more) = more else { return element };
    for (key, value) in more {
        match (element.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
            (_, value) => element[key] = value,
        }
    }
    element
}

pub(crate) fn below(parent: &str, child: Value) -> Value {
    with(child, json!({ "parentInstanceId": parent }))
}

pub(crate) fn scope(id: &str, kind: &str, name: &str, elements: Vec<Value>) -> Value {
    json!({ "id": id, "kind": kind, "name": name, "elements": elements })
}

pub(crate) fn graph(scopes: Vec<Value>) -> PageGraph {
    graph_with(scopes, json!({}))
}

pub(crate) fn graph_with(scopes: Vec<Value>, more: Value) -> PageGraph {
    let graph = json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "rev_1", "seq": 1, "ts": "2026-03-26T14:00:00.000Z",
        "route": { "url": "http://127.0.0.1/videos", "path": "/videos", "title": "Videos" },
        "rootDocumentId": "doc_root",
        "documents": [{ "documentId": "doc_root", "kind": "root", "access": "open", "scopes": scopes }]
    });
    serde_json::from_value(with(graph, more)).unwrap()
}
