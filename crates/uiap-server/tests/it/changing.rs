//! What changes while a session runs: what the page offers, and what the policy says. Each change is told once.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::capability::ActionDescriptor;
use uiap_model::problem::Problem;
use uiap_policy::{NOTHING_READ, Policies, PolicyStore, Refusal};
use uiap_server::protocol::{Contract, House, HouseOptions, Keyring};

use crate::fake::{FakeStages, graph};
use crate::peer::{Peer, World, knock, offer, open, world};

fn action(id: &str) -> ActionDescriptor {
    serde_json::from_value(json!({
        "id": id, "kind": "domain", "description": "does something", "targetKinds": [],
        "executionModes": ["appAction"], "risk": { "level": "safe" }, "idempotency": "idempotent",
    }))
    .unwrap_or_else(|error| panic!("{error}"))
}

/// The next event of a type; everything else is passed over.
async fn told(peer: &mut Peer, name: &str) -> Value {
    loop {
        let told = peer.told().await;
        if told["type"] == name {
            return told;
        }
    }
}

/// Requirement: CORE-MSG-12
#[tokio::test]
async fn what_a_page_offers_later_is_told_once_under_the_revision_of_the_list() {
    let world = world();
    *world.stages.offers.lock().unwrap() = Some(Vec::new());
    let mut peer = open(&world);
    let page = world.stages.page(0).await;
    let first = peer.ask("capabilities.get", json!({})).await["payload"]["revision"].clone();
    assert_eq!(first, peer.initialized["payload"]["capabilitiesRevision"]);
    page.show(graph(2, 2));
    assert!(peer.overheard().await.is_empty(), "a page that offers nothing new is no news");

    *world.stages.offers.lock().unwrap() = Some(vec![action("video.create")]);
    page.show(graph(3, 2));
    let changed = told(&mut peer, "capabilities.changed").await;
    assert_eq!(changed["kind"], "event");
    let list = peer.ask("capabilities.get", json!({})).await;
    assert_eq!(changed["payload"]["revision"], list["payload"]["revision"]);
    assert_ne!(changed["payload"]["revision"], first);
    let ids = list["payload"]["documents"][0]["actions"].as_array().unwrap();
    assert!(ids.iter().any(|action| action["id"] == "video.create"));

    page.show(graph(4, 2));
    // Longer than the pause between two looks: silence then means that there was nothing to say.
    let quiet =
        tokio::time::timeout(Duration::from_millis(600), told(&mut peer, "capabilities.changed")).await;
    assert!(quiet.is_err(), "the same offer is told once: {quiet:?}");

    *world.stages.offers.lock().unwrap() = Some(Vec::new());
    page.show(graph(5, 2));
    assert_eq!(told(&mut peer, "capabilities.changed").await["payload"]["revision"], first, "and taken back");
}

fn policy(id: &str, effect: &str) -> Result<Policies, Refusal> {
    let document = json!({
        "modelVersion": "0.1", "id": id, "defaults": { "onUnknownAction": "deny" },
        "grants": [{ "sideEffect": "unknown", "requires": ["act"] }],
        "rules": [{ "id": "all", "match": { "actions": ["video.create"] }, "effect": effect }],
    });
    Policies::from_values(&[document], &uiap_model::authoring::BuildContext::default())
}

async fn effect(peer: &mut Peer) -> String {
    let principal = peer.initialized["payload"]["metadata"]["principal"].clone();
    let question = json!({ "request": { "principal": principal, "actionId": "video.create" } });
    let answer = peer.ask("uiap.policy.evaluate", question).await;
    answer["payload"]["decision"]["effect"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// A world whose app declares an action.
fn declared() -> World {
    let stages = Arc::new(FakeStages::default());
    let contract = Contract::of_pages(vec![action("video.create")]).unwrap();
    let policy = PolicyStore::new(Policies::off());
    let pages = Arc::<FakeStages>::clone(&stages);
    let house = House::new(HouseOptions::default(), contract, policy, Keyring::default(), pages).unwrap();
    World { house, stages }
}

/// Requirement: POL-MSG-06
#[tokio::test]
async fn another_policy_holds_at_once_and_everybody_who_agreed_to_hear_of_it_is_told() {
    let world = declared();
    let mut peer = open(&world);
    let mut former = offer();
    former["extensions"] = json!([{ "id": "uicp.policy", "versions": ["0.1"] }]);
    let mut former = knock(&world.house, &former).unwrap();
    let mut plain = offer();
    plain.as_object_mut().unwrap().remove("extensions");
    let mut plain = knock(&world.house, &plain).unwrap();
    peer.ask("web.state.observe", json!({})).await;
    let before = peer.ask("web.state.get", json!({})).await["payload"]["snapshot"]["revision"].clone();

    world.house.replace_policy(policy("one", "confirm")).unwrap();
    let changed = told(&mut peer, "uiap.policy.changed").await;
    let document = peer.ask("uiap.policy.get", json!({})).await;
    assert_eq!(changed["payload"]["revision"], document["payload"]["revision"]);
    assert_eq!(effect(&mut peer).await, "confirm");
    let after = peer.ask("web.state.get", json!({})).await["payload"]["snapshot"]["revision"].clone();
    assert_ne!(before, after, "a page that is covered in another way is another revision");
    assert_eq!(told(&mut former, "uicp.policy.changed").await["payload"], changed["payload"]);
    assert!(
        plain.overheard().await.iter().all(|told| told["type"] != "uiap.policy.changed"),
        "who did not agree to the extension hears nothing"
    );

    peer.overheard().await;
    world.house.replace_policy(policy("one", "confirm")).unwrap();
    let told_again = peer.overheard().await;
    assert!(told_again.iter().all(|told| told["type"] != "uiap.policy.changed"), "{told_again:?}");
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_any_more_denies_everything_until_it_can() {
    let world = declared();
    let mut peer = open(&world);
    world.house.replace_policy(policy("one", "allow")).unwrap();
    assert_eq!(effect(&mut peer).await, "allow");
    let broken = Refusal::unreadable(Problem::error(NOTHING_READ, "", "the file ends too early"));
    let refused = world.house.replace_policy(Err(broken)).unwrap_err();
    assert!(refused.to_string().contains("ends too early"), "{refused}");
    assert_eq!(effect(&mut peer).await, "deny");
    assert_eq!(told(&mut peer, "uiap.policy.changed").await["kind"], "event");
    let late = open(&world);
    assert!(late.session.state() == uiap_model::core::SessionState::Active, "sessions live on");
    world.house.replace_policy(policy("two", "allow")).unwrap();
    assert_eq!(effect(&mut peer).await, "allow");
}
