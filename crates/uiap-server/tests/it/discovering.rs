//! Discovery over a session: planned, started, told of, cancelled, in a real browser.

use serde_json::json;
use uiap_server::address::Reach;
use uiap_server::explore::{GroundOptions, desk};
use uiap_server::protocol::{HouseOptions, Keyring};
use videoland::{Options, Videoland};

use crate::peer::{code, knock, offer, world, world_with};

/// Requirement: DISC-3-01
/// Requirement: DISC-3-02
/// Requirement: DISC-14-01
/// Requirement: DISC-SEC-01
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_chose_the_extension_plans_starts_and_cancels_a_run() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let reach = Reach::only([app.base_url().trim_end_matches('/')]).unwrap();
    let ground = GroundOptions { pictures: false, ..GroundOptions::default() };
    let options = HouseOptions { discovery: Some(desk(ground, reach, false)), ..HouseOptions::default() };
    let world = world_with(options, Keyring::default());
    let mut wish = offer();
    wish["extensions"] = json!([{ "id": "uiap.discovery", "versions": ["0.1"], "required": true }]);
    let mut peer = knock(&world.house, &wish).unwrap();
    let environment = |base: &str| json!({ "environment": { "environmentId": "e", "baseUrl": base, "safety": { "defaultMode": "safe_explore" } } });
    let foreign = peer.ask("uiap.discovery.plan", environment("http://127.0.0.1:9/")).await;
    assert_eq!(code(&foreign), "forbidden", "{foreign}");
    let planned =
        peer.ask("uiap.discovery.plan", environment(&format!("{}/team?quiet=1", app.base_url()))).await;
    assert_eq!(planned["type"], "uiap.discovery.planned", "{planned}");
    let run = json!({ "runId": planned["payload"]["runId"] });
    assert_eq!(code(&peer.ask("uiap.discovery.pause", run.clone()).await), "conflict");
    let started = peer.ask("uiap.discovery.start", run.clone()).await;
    assert_eq!(started["payload"]["status"], "preparing", "{started}");
    let mut explored = false;
    let result = loop {
        let told = peer.told().await;
        match told["type"].as_str() {
            Some("uiap.discovery.progress") if told["payload"]["status"] == "exploring" && !explored => {
                explored = true;
                let cancelled = peer.ask("uiap.discovery.cancel", run.clone()).await;
                assert_eq!(cancelled["payload"]["status"], "cancelled");
            }
            Some("uiap.discovery.result") => break told,
            _ => {}
        }
    };
    assert!(explored);
    assert_eq!(result["payload"]["status"], "cancelled");
    let package = peer.ask("uiap.discovery.package.get", run).await;
    assert_eq!(package["payload"]["package"], result["payload"]["package"]);
    assert_eq!(app.counts().caused(), 0);
}

/// Requirement: DISC-3-02
#[tokio::test]
async fn without_a_desk_the_extension_is_not_offered() {
    let world = world();
    let mut wish = offer();
    wish["extensions"] = json!([{ "id": "uiap.discovery", "versions": ["0.1"], "required": true }]);
    let refused = knock(&world.house, &wish).err().unwrap();
    assert_eq!(code(&refused), "extension_required", "{refused}");
}

/// Whoever asks does not grant.
///
/// Requirement: DISC-8-12
/// Requirement: DISC-8-15
#[tokio::test]
async fn what_writes_or_needs_a_login_is_refused_unless_the_owner_of_the_server_allows_it() {
    for (writes, expected) in [(false, "forbidden"), (true, "")] {
        let reach = Reach::only(["http://127.0.0.1:9"]).unwrap();
        let desk = desk(GroundOptions::default(), reach, writes);
        let options = HouseOptions { discovery: Some(desk), ..HouseOptions::default() };
        let world = world_with(options, Keyring::default());
        let mut wish = offer();
        wish["extensions"] = json!([{ "id": "uiap.discovery", "versions": ["0.1"], "required": true }]);
        let mut peer = knock(&world.house, &wish).unwrap();
        for (safety, word) in [
            (json!({ "defaultMode": "sandbox_write" }), "sandbox_write"),
            (json!({ "defaultMode": "safe_explore", "allowPaymentFlows": true }), "allowPaymentFlows"),
        ] {
            let environment =
                json!({ "environmentId": "e", "baseUrl": "http://127.0.0.1:9/", "safety": safety });
            let answer = peer.ask("uiap.discovery.plan", json!({ "environment": environment })).await;
            if expected.is_empty() {
                assert_eq!(answer["type"], "uiap.discovery.planned", "{answer}");
            } else {
                assert_eq!(code(&answer), expected, "{answer}");
                assert!(answer.to_string().contains(word), "{answer}");
            }
        }
        let environment =
            json!({ "environmentId": "e", "baseUrl": "http://127.0.0.1:9/", "authMode": "manual" });
        let answer = peer.ask("uiap.discovery.plan", json!({ "environment": environment })).await;
        assert_eq!(code(&answer), "forbidden", "{answer}");
    }
}
