//! Small builders, and the one place that calls the validators.

use serde_json::{Value, json};
use uiap_model::Problem;
use uiap_model::document;
use uiap_model::problem::Severity;
use uiap_model::web::PageGraph;

/// A capability document that is right and gives no warning.
pub(crate) fn capability_document() -> Value {
    json!({
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "roles": ["button", "textbox", "toast"],
        "stateKeys": ["visible", "enabled", "textValue"],
        "affordances": ["read", "activate", "edit"],
        "actions": [
            {
                "id": "ui.activate",
                "kind": "primitive",
                "targetKinds": ["element"],
                "requiredAffordances": ["activate"],
                "executionModes": ["appAction", "semanticUi"],
                "risk": { "level": "safe" },
                "success": [{ "kind": "route.changed" }]
            },
            {
                "id": "video.create",
                "kind": "domain",
                "targetKinds": ["scope"],
                "executionModes": ["appAction"],
                "args": [{ "name": "title", "type": "string", "required": true }],
                "idempotency": "non_idempotent",
                "risk": { "level": "confirm", "tags": ["external_effect"] },
                "success": [
                    { "kind": "route.changed", "pattern": "/videos/:id" },
                    { "kind": "toast.contains", "text": "created" }
                ]
            }
        ],
        "riskLevels": ["safe", "confirm"],
        "riskTags": ["external_effect"],
        "successSignalKinds": ["route.changed", "toast.contains"]
    })
}

/// The document with one place changed; `Value::Null` removes it.
pub(crate) fn changed(mut base: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = base.pointer_mut(parent).expect("the parent exists");
    match parent {
        Value::Object(map) if value.is_null() => {
            map.remove(key).expect("the member exists");
        }
        Value::Object(map) => {
            map.insert(key.to_owned(), value);
        }
        Value::Array(items) if key == "-" => items.push(value),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        _ => panic!("{pointer} has no parent"),
    }
    base
}

/// Everything that is wrong with a document of that kind.
pub(crate) fn problems(kind: &str, value: &Value) -> Vec<Problem> {
    document::validate(value, document::kind(kind).expect("a known kind"))
}

pub(crate) fn accepted(kind: &str, value: &Value) {
    let errors: Vec<_> = problems(kind, value).into_iter().filter(Problem::is_error).collect();
    assert!(errors.is_empty(), "{kind} {value}: {errors:#?}");
}

/// Refused at that place; returns what was said.
pub(crate) fn refused(kind: &str, value: &Value, pointer: &str) -> Problem {
    let problems = problems(kind, value);
    let at = problems.iter().find(|problem| problem.is_error() && problem.pointer == pointer);
    at.cloned().unwrap_or_else(|| panic!("{kind} {value} was not refused at `{pointer}`: {problems:#?}"))
}

/// Refused with every allowed value listed.
pub(crate) fn refused_listing(kind: &str, value: &Value, pointer: &str, allowed: &[&str]) {
    let problem = refused(kind, value, pointer);
    for each in allowed {
        let listed = problem.allowed.iter().any(|value| value.trim_matches('"') == *each);
        assert!(listed, "`{each}` is not listed by {problem:#?}");
    }
}

pub(crate) fn warnings(kind: &str, value: &Value) -> Vec<Problem> {
    accepted(kind, value);
    problems(kind, value).into_iter().filter(|problem| problem.severity == Severity::Warning).collect()
}

/// Accepted with a warning at that place.
pub(crate) fn warned(kind: &str, value: &Value, pointer: &str) -> Problem {
    let warnings = warnings(kind, value);
    let at = warnings.iter().find(|problem| problem.pointer == pointer);
    at.cloned().unwrap_or_else(|| panic!("no warning at `{pointer}`: {warnings:#?}"))
}

/// A page with one document and one scope.
pub(crate) fn page(elements: &Value) -> PageGraph {
    let value = json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "r1", "seq": 1, "ts": "2026-03-26T14:00:00Z",
        "route": { "url": "https://app.example.com/videos/new", "path": "/videos/new" },
        "rootDocumentId": "d1",
        "documents": [{
            "documentId": "d1", "kind": "root", "access": "open",
            "scopes": [{ "id": "main", "kind": "page", "elements": elements }]
        }]
    });
    graph(&value)
}

pub(crate) fn graph(value: &Value) -> PageGraph {
    uiap_model::parse(value.to_string().as_bytes()).expect("a page graph")
}

/// An element with a role, more members on top.
pub(crate) fn element(id: &str, role: &str, more: &Value) -> Value {
    let mut base = json!({
        "instanceId": id, "role": role, "affordances": [], "state": {}, "web": { "attached": true },
        "source": "native"
    });
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}
