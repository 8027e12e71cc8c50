//! What an app says of itself: annotations, a registry, documents. It is read first, and what is wrong in it is told and not used.

use std::sync::{Arc, Mutex};

use axum::routing::get;
use serde_json::{Value, json};
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::run::RunEvent;

use super::harness::{Setup, assert_told};
use super::served::{explored, home, serve};

fn seeds(record: &RunRecord) -> Vec<(Value, bool)> {
    let declared = record.seeds.iter().filter(|seed| seed.origin == "annotation");
    declared
        .map(|seed| {
            (serde_json::to_value(&seed.seed).unwrap(), seed.rejected.is_none() && seed.state_id.is_some())
        })
        .collect()
}

/// Requirement: DISC-9.2-02
#[tokio::test(flavor = "multi_thread")]
async fn annotations_of_the_first_page_are_seeds_and_wrong_ones_are_told() {
    let body = "<main data-uiap-route=start data-uiap-role=knob>\
                <button type=button aria-expanded=false data-uiap-action=tools.open>Tools</button>\
                <button type=button aria-expanded=false data-uiap-action='open it!'>Others</button></main>";
    let (record, _) = explored(home(body)).await;
    assert_eq!(
        seeds(&record),
        [
            (json!({"kind": "route", "routeId": "start"}), true),
            (json!({"kind": "action", "actionId": "tools.open"}), true),
            (json!({"kind": "action", "actionId": "open it!"}), false),
        ]
    );
    assert_told(&record, &[IncidentKind::Malformed]);
    let told: Vec<_> = record.incidents.iter().map(|incident| incident.detail.as_str()).collect();
    assert!(told.iter().any(|detail| detail.contains("`knob`")), "{told:?}");
    let package = uiap_discovery::package::derive(&record);
    let items: Vec<_> = package.review_queue.items.iter().map(|item| item.description.as_str()).collect();
    assert!(items.iter().any(|text| text.contains("`open it!` is no name of an action")), "{items:?}");
    let (record, _) = explored(home("<main data-uiap-route='start page'>Hello</main>")).await;
    assert_eq!(seeds(&record), [(json!({"kind": "route", "routeId": "start page"}), false)]);
}

const REGISTRY: &str = "<script>globalThis.__uiapRegistry = { version: '0.1', routes: [], invoke() {}, actions: [\
     { id: 'list.refresh', kind: 'domain', targetKinds: ['route'], executionModes: ['appAction'], args: [], idempotency: 'idempotent', risk: { level: 'safe' } },\
     { id: 17 }] }</script>\
     <main data-uiap-route=start><button type=button aria-expanded=false data-uiap-id=more.details>More details</button></main>";

fn policy() -> Value {
    json!({ "modelVersion": "0.1", "defaults": { "onUnknownAction": "deny" } })
}

/// Requirement: DISC-11.1-02
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_the_app_says_of_itself_is_read_before_anything_is_done() {
    let workflow = json!([{ "id": "w", "steps": "none" }]);
    let capabilities = videoland::CAPABILITIES;
    let routes = home(REGISTRY)
        .route("/.well-known/uiap/capabilities.json", get(move || async move { capabilities }))
        .route("/.well-known/uiap/policy.json", get(|| async { policy().to_string() }))
        .route("/.well-known/uiap/workflows.json", get(move || async move { workflow.to_string() }));
    let (address, _) = serve(routes).await;
    let order: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let noted = Arc::clone(&order);
    let mut setup = Setup::of(&format!("{address}/"));
    setup.on_event = Some(Arc::new(move |event: &RunEvent| match event {
        RunEvent::AppRead(_) => noted.lock().unwrap().push("read"),
        RunEvent::StateFound { .. } => noted.lock().unwrap().push("state"),
        RunEvent::Acted { .. } => noted.lock().unwrap().push("acted"),
        _ => {}
    }));
    let record = setup.run().await.record;
    assert_eq!(order.lock().unwrap().first(), Some(&"read"), "nothing comes before");
    assert!(order.lock().unwrap().contains(&"acted"), "what is wrong does not end the run");
    assert_eq!(record.documents, ["capabilities", "policy"]);
    assert_told(&record, &[IncidentKind::Malformed]);
    let told: Vec<_> = record.incidents.iter().map(|incident| incident.detail.as_str()).collect();
    for wrong in ["`workflows`", "registered action 1"] {
        assert!(told.iter().any(|detail| detail.contains(wrong)), "{wrong}: {told:?}");
    }
    let package = serde_json::to_value(uiap_discovery::package::derive(&record)).unwrap();
    let entries = package["evidenceIndex"]["entries"].as_array().unwrap();
    let evidence: Vec<&str> = entries.iter().filter_map(|entry| entry["refId"].as_str()).collect();
    for declared in [
        "app_registry:document:capabilities",
        "app_registry:document:policy",
        "app_registry:list.refresh",
        "annotation:st_",
    ] {
        assert!(evidence.iter().any(|each| each.starts_with(declared)), "{declared}: {evidence:?}");
    }
}
