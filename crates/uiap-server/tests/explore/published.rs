//! Apps that publish a page graph of their own: it is the structure of their states, tied to what is really there; one that is wrong is
//! told and not used.

use std::collections::BTreeSet;

use axum::routing::get;
use serde_json::{Value, json};
use uiap_discovery::audit::audit;
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::structure;

use super::harness::assert_told;
use super::served::{explored, home, page};

/// A page with an unnamed area, and an app that knows more about it than is seen.
fn app(publishes: bool) -> &'static str {
    let element = |id: &str, stable: &str, role: &str, name: &str| {
        json!({
            "instanceId": id, "stableId": stable, "role": role, "name": name, "affordances": ["read", "focus", "activate"],
            "state": {"visible": true, "enabled": true}, "web": {"attached": true}, "source": "registry",
        })
    };
    let mut graph = json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "r1", "seq": 1, "ts": "2026-03-27T10:00:00.000Z",
        "route": {"url": "/", "routeId": "orders"}, "rootDocumentId": "root",
        "documents": [{"documentId": "root", "kind": "root", "access": "open", "scopes": [
            {"id": "orders", "kind": "region", "name": "Orders", "elements": [
                element("a", "orders.filter", "button", "Filter the orders"),
                element("b", "orders.archive", "button", "Show the archive"),
                element("c", "orders.owner", "button", "Written by anna@example.org"),
            ]},
        ]}],
    });
    graph["documents"][0]["scopes"][0]["elements"][0]["meaning"] = json!("order.filter");
    let registry = format!(
        "<script>let looks = 0; globalThis.__uiapRegistry = {{ actions: [], routes: [], invoke() {{}}, getSnapshot: async () => {{\
         const graph = {graph}; graph.seq = ++looks; graph.revision = 'r' + looks; return graph; }} }}</script>"
    );
    let registry = if publishes { registry.as_str() } else { "" };
    let body = format!(
        "{registry}<div><button type=button aria-expanded=false data-uiap-id=orders.filter \
         onclick=\"this.ariaExpanded = true; panel.hidden = false\">Filter</button>\
         <button type=button aria-expanded=false onclick=\"notes.hidden = false\">Notes</button></div>\
         <div id=panel role=menu aria-label=Filters hidden><button type=button>By date</button></div>\
         <div id=notes role=dialog aria-label=Notes hidden><button type=button>Close</button></div>"
    );
    Box::leak(body.into_boxed_str())
}

fn element<'a>(package: &'a Value, name: &str) -> &'a Value {
    let mut all = package["elementCatalog"]["elements"].as_array().unwrap().iter();
    all.find(|element| element["names"][0] == name).unwrap()
}

fn sources(entry: &Value) -> BTreeSet<&str> {
    entry["discoveredBy"].as_array().unwrap().iter().filter_map(|each| each["source"].as_str()).collect()
}

fn pressed(record: &RunRecord) -> Vec<&str> {
    record.transitions.iter().filter_map(|each| Some(each.aim.as_ref()?.name.as_str())).collect()
}

/// Requirement: DISC-11.2-04
#[tokio::test(flavor = "multi_thread")]
async fn the_graph_that_an_app_publishes_is_the_structure_of_its_states() {
    let (record, _) = explored(home(app(true))).await;
    assert_eq!(record.incidents, [], "nothing is wrong with it");
    let first = &record.states[0];
    assert_eq!(structure::of(&first.graph), structure::PROVIDER);
    let evidence = serde_json::to_value(first.snapshot()).unwrap()["evidence"].clone();
    assert_eq!(evidence[0]["source"], "app_registry");
    assert_eq!(evidence[0]["note"], "structure: provider");
    let derived = uiap_discovery::package::derive(&record);
    assert_eq!(audit(&derived), []);
    let package = serde_json::to_value(&derived).unwrap();
    let state = &package["transitionGraph"]["states"][0];
    assert_eq!(state["metadata"]["structure"], "provider");
    assert!(sources(state).contains("app_registry"));
    let filter = element(&package, "Filter the orders");
    assert_eq!(filter["scopes"], json!(["orders"]));
    assert_eq!(filter["meanings"], json!(["order.filter"]));
    assert_eq!(filter["confidence"], "high");
    let archive = element(&package, "Show the archive");
    assert_eq!((&archive["confidence"], &archive["metadata"]["unseen"]), (&json!("low"), &json!(true)));
    assert_eq!(sources(archive), ["app_registry"].into());
    assert!(!sources(element(&package, "Notes")).contains("app_registry"), "found in the DOM only");
    let pressed = pressed(&record);
    assert!(pressed.contains(&"Filter the orders") && pressed.contains(&"Notes"), "{pressed:?}");
    assert!(!pressed.contains(&"Show the archive"), "{pressed:?}");
    assert!(record.states.len() > 2, "what was tied can be pressed, and opens something");
    let text = serde_json::to_string(&record).unwrap();
    assert!(!text.contains("anna@example.org") && text.contains("Written by [address]"));
    let (again, _) = explored(home(app(true))).await;
    let ids = |record: &RunRecord| -> Vec<String> {
        record.states.iter().map(|state| state.state_id.to_string()).collect()
    };
    assert_eq!(ids(&record), ids(&again), "the app's own numbers do not count");
}

/// Requirement: DISC-11.2-04
#[tokio::test(flavor = "multi_thread")]
async fn without_a_published_graph_one_is_built_from_the_dom_and_says_so() {
    let (record, _) = explored(home(app(false))).await;
    let first = &record.states[0];
    assert_eq!(first.graph.metadata.as_ref().unwrap().0[structure::STRUCTURE], structure::DOM);
    let evidence = serde_json::to_value(first.snapshot()).unwrap()["evidence"].clone();
    assert_eq!((&evidence[0]["source"], &evidence[0]["note"]), (&json!("dom"), &json!("structure: dom")));
    let package = serde_json::to_value(uiap_discovery::package::derive(&record)).unwrap();
    assert_eq!(package["transitionGraph"]["states"][0]["metadata"]["structure"], "dom");
    assert!(element(&package, "Filter")["stableId"] == "orders.filter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_graph_that_cannot_be_used_is_told_and_the_dom_is_read() {
    let ways: [(&str, &str, &str); 5] = [
        ("/throws", "() => { throw new Error('no graph today') }", "no graph today"),
        ("/wrong", "() => ({ modelVersion: '0.1' })", "is wrong at"),
        ("/large", "() => 'x'.repeat(9 << 20)", "letters"),
        ("/silent", "() => new Promise(() => {})", "did not come in time"),
        ("/busy", "() => { for (;;); }", "did not come in time"),
    ];
    let links: String =
        ways.iter().map(|(path, ..)| format!("<a href={path}>{}</a> ", path.replace('/', "Go "))).collect();
    let mut routes = home(Box::leak(format!("<nav>{links}</nav>").into_boxed_str()));
    for (path, function, _) in ways {
        let body = format!(
            "<script>globalThis.__uiapRegistry = {{ getSnapshot: {function} }}</script><button type=button>Of {path}</button>"
        );
        let body: &'static str = Box::leak(body.into_boxed_str());
        routes = routes.route(path, get(move || async move { page(path, body) }));
    }
    let (record, _) = explored(routes).await;
    assert_told(&record, &[IncidentKind::Malformed]);
    for (path, _, told) in ways {
        let state = record.states.iter().find(|state| state.title == path);
        assert_eq!(state.map(|state| structure::of(&state.graph)), Some(structure::DOM), "{path}");
        let mut faults = record.incidents.iter().filter(|each| each.kind == IncidentKind::Malformed);
        let found = faults.any(|each| {
            each.url.as_deref().is_some_and(|url| url.ends_with(path)) && each.detail.contains(told)
        });
        assert!(found, "{path}: {:?}", record.incidents);
    }
}
