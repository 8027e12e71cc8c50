//! Deltas: applied as a whole or not at all, and the smallest that do the job.

use proptest::prelude::*;
use serde_json::json;
use uiap_model::parse;
use uiap_model::web::delta::WebDeltaOp;
use uiap_model::web::diff::{Difference, diff};
use uiap_model::web::{DeltaError, PageGraph, WebStateDeltaPayload, apply};

use crate::support::{element, graph, page};

fn delta(base: &str, ops: &serde_json::Value) -> WebStateDeltaPayload {
    let value =
        json!({ "baseRevision": base, "revision": "r2", "seq": 2, "ts": "2026-03-26T14:00:01Z", "ops": ops });
    parse(value.to_string().as_bytes()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn two() -> PageGraph {
    page(&json!([
        element("a", "button", &json!({ "name": "A" })),
        element("b", "textbox", &json!({ "state": { "textValue": "x", "enabled": true } }))
    ]))
}

fn order(graph: &PageGraph) -> Vec<&str> {
    graph.elements().map(|(.., element)| element.instance_id.as_str()).collect()
}

#[test]
fn another_base_revision_is_refused() {
    let error = apply(&two(), &delta("r0", &json!([]))).unwrap_err();
    assert!(matches!(error, DeltaError::WrongBase { .. }));
    let after = apply(&two(), &delta("r1", &json!([]))).unwrap();
    assert_eq!((after.revision.as_str(), after.seq.0, after.ts.as_str()), ("r2", 2, "2026-03-26T14:00:01Z"));
}

#[test]
fn one_unknown_id_makes_the_whole_delta_invalid() {
    let before = two();
    for bad in [
        json!({ "op": "element.remove", "documentId": "d1", "instanceId": "zz" }),
        json!({ "op": "element.patch", "documentId": "d1", "instanceId": "zz", "patch": {} }),
        json!({ "op": "element.remove", "documentId": "d9", "instanceId": "a" }),
        json!({ "op": "scope.remove", "documentId": "d1", "scopeId": "zz" }),
        json!({ "op": "document.remove", "documentId": "zz" }),
        json!({ "op": "element.upsert", "documentId": "d1", "scopeId": "zz", "element": element("n", "button", &json!({})) }),
        json!({ "op": "element.upsert", "documentId": "d1", "scopeId": "main", "after": "zz", "element": element("n", "button", &json!({})) }),
    ] {
        let ops = json!([{ "op": "element.remove", "documentId": "d1", "instanceId": "a" }, bad]);
        let error = apply(&before, &delta("r1", &ops)).unwrap_err();
        assert!(matches!(error, DeltaError::UnknownId { index: 1, .. }), "{error}");
    }
    assert_eq!(before, two());
}

#[test]
fn null_removes_and_state_and_web_merge() {
    let patch = json!([{ "op": "element.patch", "documentId": "d1", "instanceId": "b", "patch": {
        "name": "Title", "state": { "textValue": null, "focused": true, "x.acme.zoom": 2 }, "web": { "inViewport": true } } }]);
    let after = apply(&two(), &delta("r1", &patch)).unwrap();
    let changed = serde_json::to_value(&after.documents[0].scopes[0].elements[1]).unwrap();
    assert_eq!(changed["name"], "Title");
    assert_eq!(changed["state"], json!({ "enabled": true, "focused": true, "x.acme.zoom": 2 }));
    assert_eq!(changed["web"], json!({ "attached": true, "inViewport": true }));
    let cleared =
        json!({ "op": "element.patch", "documentId": "d1", "instanceId": "b", "patch": { "role": null } });
    let value = json!({ "baseRevision": "r1", "revision": "r2", "seq": 2, "ts": "2026-03-26T14:00:01Z", "ops": [cleared] });
    assert!(parse::<WebStateDeltaPayload>(value.to_string().as_bytes()).is_err());
}

#[test]
fn an_element_comes_first_last_after_another_or_stays() {
    let put = |id: &str, after: serde_json::Value| {
        let mut op = json!({ "op": "element.upsert", "documentId": "d1", "scopeId": "main", "element": element(id, "link", &json!({})) });
        if after != json!("-") {
            op["after"] = after;
        }
        let after = apply(&two(), &delta("r1", &json!([op]))).unwrap();
        order(&after).join("")
    };
    assert_eq!(put("n", json!("-")), "abn");
    assert_eq!(put("n", json!(null)), "nab");
    assert_eq!(put("n", json!("a")), "anb");
    assert_eq!(put("a", json!("-")), "ab");
    assert_eq!(put("a", json!("b")), "ba");
}

#[test]
fn a_scope_keeps_its_elements_unless_it_brings_new_ones() {
    let rename =
        json!([{ "op": "scope.upsert", "documentId": "d1", "scope": { "id": "main", "kind": "region" } }]);
    let after = apply(&two(), &delta("r1", &rename)).unwrap();
    assert_eq!(order(&after), ["a", "b"]);
    let refill = json!([{ "op": "scope.upsert", "documentId": "d1", "scope": { "id": "main", "kind": "region", "elements": [] } }]);
    assert!(order(&apply(&two(), &delta("r1", &refill)).unwrap()).is_empty());
    let steal = json!([{ "op": "scope.upsert", "documentId": "d1", "scope": { "id": "new", "kind": "form", "elements": [element("a", "button", &json!({}))] } }]);
    let after = apply(&two(), &delta("r1", &steal)).unwrap();
    assert_eq!(order(&after), ["b", "a"]);
}

#[test]
fn what_no_operation_can_say_needs_a_snapshot() {
    let mut other = two();
    other.locale = Some("de".into());
    assert!(matches!(diff(&two(), &other), Difference::Snapshot(_)));
}

/// A graph of some scopes; ids are drawn from small pools so that two graphs have much in common.
fn any_graph() -> impl Strategy<Value = PageGraph> {
    let element = (0u8..24, 0u8..4, any::<bool>(), prop::option::of(0u8..3));
    let scope = (0u8..5, prop::collection::vec(element, 0..10), 0u8..2);
    (prop::collection::vec(scope, 0..5), 0u8..3, any::<bool>(), prop::option::of(0u8..3)).prop_map(|(scopes, route, frame, focus)| {
        let mut used = std::collections::HashSet::new();
        let mut scope_ids = std::collections::HashSet::new();
        let scopes: Vec<_> = scopes
            .into_iter()
            .filter(|(id, ..)| scope_ids.insert(*id))
            .map(|(id, elements, kind)| {
                let elements: Vec<_> = elements
                    .into_iter()
                    .filter(|(id, ..)| used.insert(*id))
                    .map(|(id, name, enabled, text)| {
                        let mut state = json!({ "enabled": enabled });
                        if let Some(text) = text {
                            state["textValue"] = json!(format!("t{text}"));
                        }
                        element_named(id, name, &state)
                    })
                    .collect();
                json!({ "id": format!("s{id}"), "kind": if kind == 0 { "form" } else { "list" }, "elements": elements })
            })
            .collect();
        let mut documents = vec![json!({ "documentId": "d1", "kind": "root", "access": "open", "scopes": scopes })];
        if frame {
            documents.push(json!({ "documentId": "d2", "kind": "frame", "access": "opaque", "opaqueReason": "cross_origin", "scopes": [] }));
        }
        let mut value = json!({
            "modelVersion": "0.1", "profile": "web@0.1", "revision": "r1", "seq": 1, "ts": "2026-03-26T14:00:00Z",
            "route": { "url": format!("https://a.example/{route}") }, "rootDocumentId": "d1", "modalStack": [], "documents": documents
        });
        if let Some(focus) = focus {
            value["focus"] = json!({ "documentId": "d1", "instanceId": format!("e{focus}") });
        }
        graph(&value)
    })
}

fn element_named(id: u8, name: u8, state: &serde_json::Value) -> serde_json::Value {
    element(&format!("e{id}"), "button", &json!({ "name": format!("n{name}"), "state": state }))
}

/// The number of operations that nobody can do without, counted in another way than the differ counts.
fn least(old: &PageGraph, new: &PageGraph) -> usize {
    let home = |graph: &PageGraph| -> std::collections::HashMap<String, String> {
        graph
            .elements()
            .map(|(_, scope, element)| (element.instance_id.to_string(), scope.id.to_string()))
            .collect()
    };
    let (before, after) = (home(old), home(new));
    let old_scopes: Vec<_> = old.documents[0].scopes.iter().map(|scope| scope.id.to_string()).collect();
    let mut position = 0;
    let kept: Vec<_> = new.documents[0]
        .scopes
        .iter()
        .map_while(|scope| {
            let at = old_scopes[position..].iter().position(|id| *id == scope.id.to_string())?;
            position += at + 1;
            Some(scope.id.to_string())
        })
        .collect();
    let fresh = new.documents[0].scopes.len() - kept.len();
    let gone_scopes = old_scopes.iter().filter(|id| !kept.contains(id)).count();
    let mut count = fresh + gone_scopes;
    count += before.iter().filter(|(id, scope)| kept.contains(scope) && !after.contains_key(*id)).count();
    for scope in new.documents[0].scopes.iter().filter(|scope| kept.contains(&scope.id.to_string())) {
        let old_scope = old.documents[0].scopes.iter().find(|each| each.id == scope.id).unwrap();
        count += usize::from(old_scope.kind != scope.kind);
        let stayed: Vec<&str> = scope
            .elements
            .iter()
            .map(|each| each.instance_id.as_str())
            .filter(|id| before.get(*id) == Some(&scope.id.to_string()))
            .collect();
        let places: Vec<usize> = stayed
            .iter()
            .map(|id| old_scope.elements.iter().position(|each| each.instance_id == *id).unwrap())
            .collect();
        // Longest rising subsequence, the slow and obvious way.
        let mut best = vec![1usize; places.len()];
        for right in 0..places.len() {
            for left in 0..right {
                if places[left] < places[right] {
                    best[right] = best[right].max(best[left] + 1);
                }
            }
        }
        let run = best.iter().copied().max().unwrap_or(0);
        count += scope.elements.len() - run;
    }
    count
        + usize::from(old.route != new.route)
        + usize::from(old.focus != new.focus)
        + usize::from(old.documents.len() != new.documents.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn snapshot_plus_delta_is_the_other_snapshot(old in any_graph(), new in any_graph()) {
        let Difference::Delta(ops) = diff(&old, &new) else { panic!("no snapshot is needed") };
        let mut delta = delta("r1", &json!([]));
        delta.ops = ops.clone();
        // The delta survives the wire.
        let text = serde_json::to_vec(&delta).unwrap();
        let read: WebStateDeltaPayload = parse(&text).unwrap();
        prop_assert_eq!(&read, &delta);
        let mut after = apply(&old, &read).unwrap();
        (after.revision, after.seq, after.ts) = (new.revision.clone(), new.seq, new.ts.clone());
        prop_assert_eq!(&after, &new);
        let patches = ops.iter().filter(|op| matches!(op, WebDeltaOp::ElementPatch { .. })).count();
        prop_assert_eq!(ops.len() - patches, least(&old, &new));
        let unchanged = matches!(diff(&new, &new), Difference::Delta(ops) if ops.is_empty());
        prop_assert!(unchanged);
    }
}
