//! Success signals: when they hold, when they do not, and how they are written.

use serde_json::{Value, json};
use uiap_model::capability::SuccessSignal;
use uiap_model::parse;
use uiap_model::web::evidence::{Observation, Sighting};
use uiap_model::web::{PageGraph, WebSignal};

use crate::support::{element, graph, page, refused, refused_listing};

fn signal(value: &Value) -> SuccessSignal {
    parse(value.to_string().as_bytes()).unwrap()
}

fn look(wanted: &Value, before: &PageGraph, after: &PageGraph, signals: &Value) -> Sighting {
    let signals: Vec<WebSignal> = parse(signals.to_string().as_bytes()).unwrap();
    let seen = Observation { before, after, signals: &signals, custom_sources: &["export.ready"] };
    seen.look(&signal(wanted))
}

fn observed(wanted: &Value, before: &PageGraph, after: &PageGraph, signals: &Value) -> bool {
    look(wanted, before, after, signals).observed()
}

fn empty() -> PageGraph {
    page(&json!([]))
}

fn title(state: &Value) -> PageGraph {
    page(&json!([element("e1", "textbox", &json!({ "stableId": "video.title", "state": state }))]))
}

const TITLE: fn() -> Value = || json!({ "by": "stableId", "value": "video.title" });

/// Requirement: CAP-9-02
#[test]
fn an_element_appeared_when_it_was_absent_before() {
    let wanted = json!({ "kind": "element.appeared", "target": TITLE() });
    let there = title(&json!({}));
    assert!(observed(&wanted, &empty(), &there, &json!([])));
    assert!(!observed(&wanted, &empty(), &empty(), &json!([])));
    assert!(!observed(&wanted, &there, &there, &json!([])));
    refused("SuccessSignal", &json!({ "kind": "element.appeared" }), "");
}

/// Requirement: CAP-9-03
#[test]
fn an_element_disappeared_when_it_was_there_and_is_gone() {
    let wanted = json!({ "kind": "element.disappeared", "target": TITLE() });
    let there = title(&json!({}));
    assert!(observed(&wanted, &there, &empty(), &json!([])));
    assert!(!observed(&wanted, &there, &there, &json!([])));
    assert!(!observed(&wanted, &empty(), &empty(), &json!([])));
    refused("SuccessSignal", &json!({ "kind": "element.disappeared" }), "");
}

/// Requirement: CAP-9-04
#[test]
fn a_state_holds_when_every_key_matches() {
    let wanted =
        json!({ "kind": "element.state", "target": TITLE(), "state": { "enabled": true, "invalid": false } });
    let both = title(&json!({ "enabled": true, "invalid": false, "visible": true }));
    assert!(observed(&wanted, &both, &both, &json!([])));
    for other in [json!({ "enabled": true }), json!({ "enabled": true, "invalid": true })] {
        assert!(!observed(&wanted, &both, &title(&other), &json!([])));
    }
    let unknown = json!({ "kind": "element.state", "target": TITLE(), "state": { "disabled": true } });
    refused("SuccessSignal", &unknown, "/state/disabled");
    refused("SuccessSignal", &json!({ "kind": "element.state", "target": TITLE() }), "");
}

/// Requirement: CAP-9-05
#[test]
fn a_value_equals_by_value_and_type() {
    let wanted = |value: Value| json!({ "kind": "value.equals", "target": TITLE(), "value": value });
    let text = title(&json!({ "textValue": " 42 " }));
    assert!(observed(&wanted(json!("42")), &text, &text, &json!([])));
    assert!(!observed(&wanted(json!(42)), &text, &text, &json!([])));
    assert!(!observed(&wanted(json!("43")), &text, &text, &json!([])));
    let slider = title(&json!({ "numericValue": 42 }));
    assert!(observed(&wanted(json!(42)), &slider, &slider, &json!([])));
    let on = title(&json!({ "checked": true }));
    assert!(observed(&wanted(json!(true)), &on, &on, &json!([])));
    let mixed = title(&json!({ "checked": "mixed" }));
    assert!(!observed(&wanted(json!(true)), &mixed, &mixed, &json!([])));
    assert!(!observed(&wanted(json!(false)), &mixed, &mixed, &json!([])));
    for bad in [json!({}), json!([])] {
        refused("SuccessSignal", &wanted(bad), "/value");
    }
    refused("SuccessSignal", &json!({ "kind": "value.equals", "target": TITLE() }), "");
}

fn at(path: &str) -> PageGraph {
    let mut graph = empty();
    graph.route =
        parse(json!({ "url": format!("https://a.example{path}"), "path": path }).to_string().as_bytes())
            .unwrap();
    graph
}

/// Requirement: CAP-9-06
#[test]
fn a_route_changed_when_it_differs_and_fits() {
    let (before, after) = (at("/videos/new"), at("/videos/17"));
    let wanted = json!({ "kind": "route.changed", "pattern": "/videos/:id" });
    assert!(observed(&wanted, &before, &after, &json!([])));
    assert!(observed(&json!({ "kind": "route.changed" }), &before, &after, &json!([])));
    assert!(observed(
        &json!({ "kind": "route.changed", "exact": "/videos/17" }),
        &before,
        &after,
        &json!([])
    ));
    assert!(!observed(&json!({ "kind": "route.changed", "exact": "/videos" }), &before, &after, &json!([])));
    assert!(!observed(&json!({ "kind": "route.changed" }), &after, &after, &json!([])));
    // A place that was only passed through counts when it was announced.
    let passed = json!([{ "kind": "route.changed", "to": { "url": "https://a.example/videos/3", "path": "/videos/3" } }]);
    assert!(observed(&wanted, &before, &before, &passed));
    refused("SuccessSignal", &json!({ "kind": "route.changed", "pattern": 1 }), "/pattern");
}

fn dialogs(stack: &[&str]) -> PageGraph {
    let scopes: Vec<Value> = stack
        .iter()
        .map(|id| json!({ "id": id, "kind": "dialog", "stableId": format!("{id}.stable"), "elements": [] }))
        .collect();
    graph(&json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "r", "seq": 1, "ts": "2026-03-26T14:00:00Z",
        "route": { "url": "https://a.example/" }, "rootDocumentId": "d", "modalStack": stack,
        "documents": [{ "documentId": "d", "kind": "root", "access": "open", "scopes": scopes }]
    }))
}

fn dialog(kind: &str, scope: Option<&str>) -> Value {
    match scope {
        Some(scope) => json!({ "kind": kind, "target": { "by": "scope", "value": scope } }),
        None => json!({ "kind": kind }),
    }
}

/// Requirement: CAP-9-07
#[test]
fn a_dialog_opened_when_it_came_on_the_stack() {
    let (before, after) = (dialogs(&[]), dialogs(&["a"]));
    assert!(observed(&dialog("dialog.opened", None), &before, &after, &json!([])));
    assert!(observed(&dialog("dialog.opened", Some("a")), &before, &after, &json!([])));
    assert!(!observed(&dialog("dialog.opened", Some("b")), &before, &after, &json!([])));
    let by_id = json!({ "kind": "dialog.opened", "target": { "by": "stableId", "value": "a.stable" } });
    assert!(observed(&by_id, &before, &after, &json!([])));
    let told = json!([{ "kind": "dialog.opened", "scopeId": "a" }]);
    assert!(observed(&dialog("dialog.opened", Some("a")), &before, &before, &told));
    assert!(!observed(&dialog("dialog.opened", None), &after, &after, &json!([])));
    refused("SuccessSignal", &json!({ "kind": "dialog.opened", "target": { "by": "scope" } }), "/target");
}

/// Requirement: CAP-9-08
#[test]
fn a_dialog_closed_when_it_was_open() {
    let (before, after) = (dialogs(&["a", "b"]), dialogs(&["b"]));
    assert!(observed(&dialog("dialog.closed", None), &before, &after, &json!([])));
    assert!(observed(&dialog("dialog.closed", Some("a")), &before, &after, &json!([])));
    assert!(!observed(&dialog("dialog.closed", Some("b")), &before, &after, &json!([])));
    assert!(!observed(&dialog("dialog.closed", Some("never")), &before, &after, &json!([])));
}

/// Requirement: CAP-9-09
#[test]
fn a_toast_counts_when_it_is_new() {
    let wanted = json!({ "kind": "toast.contains", "text": "ERSTELLT" });
    let shown = |id: &str| page(&json!([element(id, "toast", &json!({ "name": "Video erstellt" }))]));
    assert!(observed(&wanted, &empty(), &shown("t1"), &json!([])));
    assert!(observed(
        &wanted,
        &empty(),
        &empty(),
        &json!([{ "kind": "toast.shown", "text": "Video erstellt" }])
    ));
    assert!(!observed(&wanted, &shown("t1"), &shown("t1"), &json!([])));
    assert!(observed(&wanted, &shown("t1"), &shown("t2"), &json!([])));
    assert!(!observed(&wanted, &empty(), &empty(), &json!([{ "kind": "toast.shown", "text": "failed" }])));
    assert!(!observed(
        &wanted,
        &empty(),
        &empty(),
        &json!([{ "kind": "status.changed", "text": "Video erstellt" }])
    ));
    refused("SuccessSignal", &json!({ "kind": "toast.contains" }), "");
}

/// Requirement: CAP-9-10
#[test]
fn a_status_counts_by_its_text() {
    let wanted = json!({ "kind": "status.contains", "text": "saved" });
    let line = page(&json!([element("s", "status", &json!({ "name": "3 saved" }))]));
    assert!(observed(&wanted, &empty(), &line, &json!([])));
    assert!(observed(&wanted, &empty(), &empty(), &json!([{ "kind": "status.changed", "text": "3 saved" }])));
    assert!(!observed(&wanted, &empty(), &empty(), &json!([{ "kind": "toast.shown", "text": "3 saved" }])));
    refused("SuccessSignal", &json!({ "kind": "status.contains" }), "");
    refused("SuccessSignal", &json!({ "kind": "status.contains", "text": 3 }), "/text");
}

/// Requirement: CAP-9-11
#[test]
fn validation_is_clean_in_a_scope_or_everywhere() {
    let form = |first: Value, second: Value| {
        graph(&json!({
            "modelVersion": "0.1", "profile": "web@0.1", "revision": "r", "seq": 1, "ts": "2026-03-26T14:00:00Z",
            "route": { "url": "https://a.example/" }, "rootDocumentId": "d",
            "documents": [{ "documentId": "d", "kind": "root", "access": "open", "scopes": [
                { "id": "s", "kind": "form", "elements": [] },
                { "id": "inner", "kind": "region", "parentScopeId": "s", "elements": [element("e1", "textbox", &json!({ "state": first }))] },
                { "id": "other", "kind": "form", "elements": [element("e2", "textbox", &json!({ "state": second }))] }
            ] }]
        }))
    };
    let in_scope = json!({ "kind": "validation.none", "scope": "s" });
    let anywhere = json!({ "kind": "validation.none" });
    let outside = form(json!({}), json!({ "invalid": true }));
    assert!(observed(&in_scope, &outside, &outside, &json!([])));
    assert!(!observed(&anywhere, &outside, &outside, &json!([])));
    let nested = form(json!({ "invalid": "spelling" }), json!({}));
    assert!(!observed(&in_scope, &nested, &nested, &json!([])));
    let clean = form(json!({ "invalid": false }), json!({}));
    assert!(observed(&in_scope, &clean, &clean, &json!([])));
    assert!(observed(&anywhere, &clean, &clean, &json!([])));
    refused("SuccessSignal", &json!({ "kind": "validation.none", "scope": 1 }), "/scope");
}

/// Requirement: CAP-9-12
#[test]
fn a_count_is_compared_by_eq_gte_or_lte() {
    let list = |collection: Value| {
        graph(&json!({
            "modelVersion": "0.1", "profile": "web@0.1", "revision": "r", "seq": 1, "ts": "2026-03-26T14:00:00Z",
            "route": { "url": "https://a.example/" }, "rootDocumentId": "d",
            "documents": [{ "documentId": "d", "kind": "root", "access": "open", "scopes": [
                { "id": "videos", "kind": "list", "collection": collection, "elements": [
                    element("1", "listitem", &json!({})), element("2", "listitem", &json!({})),
                    element("3", "listitem", &json!({})), element("4", "button", &json!({}))
                ] }
            ] }]
        }))
    };
    let wanted = |op: &str, value: Value| json!({ "kind": "collection.count", "target": { "by": "scope", "value": "videos" }, "op": op, "value": value });
    let three = list(json!({}));
    for (op, value, holds) in [("eq", 3, true), ("gte", 2, true), ("lte", 4, true), ("eq", 4, false)] {
        assert_eq!(observed(&wanted(op, json!(value)), &three, &three, &json!([])), holds, "{op} {value}");
    }
    let many = list(json!({ "total": 200, "loaded": 3 }));
    assert!(observed(&wanted("eq", json!(200)), &many, &many, &json!([])));
    for bad in ["gt", "=="] {
        refused_listing("SuccessSignal", &wanted(bad, json!(1)), "/op", &["eq", "gte", "lte"]);
    }
    refused("SuccessSignal", &wanted("eq", json!("3")), "/value");
    refused("SuccessSignal", &json!({ "kind": "collection.count", "op": "eq", "value": 1 }), "");
}

fn entity(kind: &str) {
    let told =
        |kind: &str, of: &str| json!([{ "kind": kind, "entityType": of, "data": { "data": { "id": 17 } } }]);
    let wanted = json!({ "kind": kind, "entityType": "video", "idPath": "data.id" });
    let found = look(&wanted, &empty(), &empty(), &told(kind, "video"));
    assert_eq!(found, Sighting::Observed { entity_id: Some("17".into()) });
    assert!(!observed(&wanted, &empty(), &empty(), &told(kind, "user")));
    for other in
        ["entity.created", "entity.updated", "entity.deleted"].into_iter().filter(|each| *each != kind)
    {
        assert!(!observed(&wanted, &empty(), &empty(), &told(other, "video")));
    }
    refused("SuccessSignal", &json!({ "kind": kind }), "");
}

/// Requirement: CAP-9-13
#[test]
fn an_entity_was_created() {
    entity("entity.created");
}

/// Requirement: CAP-9-14
#[test]
fn an_entity_was_updated() {
    entity("entity.updated");
}

/// Requirement: CAP-9-15
#[test]
fn an_entity_was_deleted() {
    entity("entity.deleted");
}

/// Requirement: CAP-9-16
#[test]
fn a_response_arrived_that_fits() {
    let told =
        json!([{ "kind": "network.response", "url": "https://a.example/api/videos?x=1", "status": 201 }]);
    let wanted =
        |status: u64| json!({ "kind": "network.response", "urlPattern": "/api/videos*", "status": status });
    assert!(observed(&wanted(201), &empty(), &empty(), &told));
    assert!(!observed(&wanted(200), &empty(), &empty(), &told));
    assert!(observed(&json!({ "kind": "network.response" }), &empty(), &empty(), &told));
    assert!(!observed(&json!({ "kind": "network.response" }), &empty(), &empty(), &json!([])));
    let other = json!({ "kind": "network.response", "urlPattern": "/api/team*" });
    assert!(!observed(&other, &empty(), &empty(), &told));
    refused("SuccessSignal", &json!({ "kind": "network.response", "status": "201" }), "/status");
}

/// Requirement: CAP-9-17
#[test]
fn a_custom_signal_needs_a_source() {
    let told = json!([{ "kind": "custom", "name": "export.ready", "payload": { "rows": 3, "file": "a" } }]);
    let wanted = json!({ "kind": "custom", "name": "export.ready", "payload": { "rows": 3 } });
    assert!(observed(&wanted, &empty(), &empty(), &told));
    let other = json!({ "kind": "custom", "name": "export.ready", "payload": { "rows": 4 } });
    assert!(!observed(&other, &empty(), &empty(), &told));
    assert!(!observed(&wanted, &empty(), &empty(), &json!([])));
    let unknown = look(&json!({ "kind": "custom", "name": "nobody" }), &empty(), &empty(), &json!([]));
    let Sighting::Missing { reason } = unknown else { panic!("must not count as success") };
    assert!(reason.contains("registered"), "{reason}");
    refused("SuccessSignal", &json!({ "kind": "custom" }), "");
}
