//! What is wrong with a package that has the right form.

use serde_json::{Value, json};
use uiap_discovery::audit::audit;

use crate::graph::page;
use crate::record::run;

/// A sound package, as JSON.
fn sound() -> Value {
    let mut run = run();
    let a = run.state(
        page("https://app.example/a")
            .scope("~page", "f", "form", json!({"name": "Form"}))
            .scope("f", "g", "region", json!({"name": "Inside"}))
            .element("f", "textbox", "Title", json!({}))
            .element("g", "button", "Show", json!({})),
    );
    run.done(&a, "button", "Show", "g", Some(&a), json!([{"kind": "status.contains", "text": "x"}]));
    serde_json::to_value(run.package()).unwrap()
}

#[track_caller]
fn flawed(change: impl Fn(&mut Value), pointer: &str) {
    let mut value = sound();
    change(&mut value);
    let package = serde_json::from_value(value).unwrap();
    let flaws = audit(&package);
    assert!(flaws.iter().any(|flaw| flaw.pointer == pointer), "{pointer}: {flaws:#?}");
}

fn twice(value: &mut Value, list: &str) {
    let items = value.pointer_mut(list).unwrap().as_array_mut().unwrap();
    let first = items[0].clone();
    items.push(first);
}

#[test]
fn an_id_that_is_there_twice_is_found() {
    flawed(|value| twice(value, "/routeCatalog/routes"), "/routeCatalog/routes/1/routeId");
    flawed(|value| twice(value, "/scopeCatalog/scopes"), "/scopeCatalog/scopes/2/scopeId");
    flawed(|value| twice(value, "/transitionGraph/states"), "/transitionGraph/states/1/stateId");
    flawed(|value| twice(value, "/elementCatalog/elements"), "/elementCatalog/elements/2/semanticKey");
    flawed(
        |value| twice(value, "/reviewQueue/items"),
        &format!("/reviewQueue/items/{}/id", sound()["reviewQueue"]["items"].as_array().unwrap().len()),
    );
}

/// Requirement: DISC-6.1-03
/// Requirement: DISC-4-02
#[test]
fn a_reference_that_leads_nowhere_is_found() {
    flawed(
        |value| value["elementCatalog"]["elements"][0]["routes"] = json!(["nowhere"]),
        "/elementCatalog/elements/0/routes",
    );
    flawed(
        |value| value["elementCatalog"]["elements"][0]["scopes"] = json!(["nowhere"]),
        "/elementCatalog/elements/0/scopes",
    );
    flawed(
        |value| value["scopeCatalog"]["scopes"][0]["parentScopeId"] = json!("nowhere"),
        "/scopeCatalog/scopes/0/parentScopeId",
    );
    flawed(
        |value| value["transitionGraph"]["edges"][0]["toStateId"] = json!("nowhere"),
        "/transitionGraph/edges/0/toStateId",
    );
}

#[test]
fn a_scope_that_lies_in_itself_is_found() {
    flawed(
        |value| value["scopeCatalog"]["scopes"][0]["parentScopeId"] = json!("g"),
        "/scopeCatalog/scopes/0/parentScopeId",
    );
}

/// Requirement: DISC-7.2-01
/// Requirement: DISC-7.3-02
/// Requirement: DISC-11.2-08
#[test]
fn a_claim_without_support_is_found() {
    let evidence = |source: &str| json!([{"source": source, "refId": "missing:1"}]);
    flawed(
        |value| value["elementCatalog"]["elements"][0]["discoveredBy"] = evidence("dom"),
        "/elementCatalog/elements/0/discoveredBy",
    );
    flawed(
        |value| value["elementCatalog"]["elements"][0]["discoveredBy"] = json!([]),
        "/elementCatalog/elements/0/discoveredBy",
    );
    flawed(
        |value| value["elementCatalog"]["elements"][0]["confidence"] = json!("high"),
        "/elementCatalog/elements/0/confidence",
    );
    flawed(
        |value| {
            let state = value["transitionGraph"]["states"][0]["stateId"].clone();
            value["evidenceIndex"]["entries"]
                .as_array_mut()
                .unwrap()
                .push(json!({"refId": "shot", "source": "screenshot", "stateId": state}));
            value["elementCatalog"]["elements"][0]["discoveredBy"] =
                json!([{"source": "screenshot", "refId": "shot"}]);
        },
        "/elementCatalog/elements/0/discoveredBy",
    );
}

/// Requirement: DISC-6.9-02
/// Requirement: DISC-16-03
#[test]
fn numbers_that_do_not_agree_are_found() {
    flawed(|value| value["coverage"]["routesDiscovered"] = json!(9), "/coverage/routesDiscovered");
    flawed(|value| value["coverage"]["seedsVisited"] = json!(9), "/coverage/seedsVisited");
    flawed(|value| value["coverage"]["opaqueRegions"] = json!(2), "/coverage/opaqueRegions");
}

/// Requirement: DISC-8-03
#[test]
fn a_run_that_does_not_fit_its_environment_is_found() {
    flawed(|value| value["run"]["environmentId"] = json!("other"), "/run/environmentId");
    flawed(|value| value["run"]["finishedAt"] = json!("2020-01-01T00:00:00.000Z"), "/run/finishedAt");
    flawed(
        |value| value["environment"]["principalProfiles"] = json!([{"id": "a"}, {"id": "a"}]),
        "/environment/principalProfiles/1/id",
    );
}
