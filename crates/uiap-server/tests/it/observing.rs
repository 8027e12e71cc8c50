//! Looking at a page: snapshots, deltas, signals, slow readers, dying pages, and what is never shown.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::web::{PageGraph, WebStateDeltaPayload, apply};
use uiap_server::protocol::outbox::Keep;
use uiap_server::protocol::stage::StageError;
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::fake::{graph, named_graph, secret_graph, toast};
use crate::peer::{Peer, code, open, world, world_with};

fn snapshot(message: &Value) -> PageGraph {
    serde_json::from_value(message["payload"]["snapshot"].clone())
        .unwrap_or_else(|error| panic!("{error}: {message}"))
}

/// Applies what an observer is told, as a consumer does, until the graph is at `revision`.
async fn follow(peer: &mut Peer, graph: &mut PageGraph, revision: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    while graph.revision != revision {
        let told = peer.told().await;
        kinds.push(told["type"].as_str().unwrap().to_owned());
        match told["type"].as_str() {
            Some("web.state.delta") => {
                let delta: WebStateDeltaPayload = serde_json::from_value(told["payload"].clone()).unwrap();
                *graph = apply(graph, &delta).unwrap();
            }
            Some("web.state.snapshot") => *graph = snapshot(&told),
            _ => {}
        }
    }
    kinds
}

/// Requirement: WEB-MSG-02
/// Requirement: WEB-MSG-03
#[tokio::test]
async fn a_page_is_shown_once_and_then_only_when_it_changed() {
    let world = world();
    let mut peer = open(&world);
    let shown = peer.ask("web.state.get", json!({})).await;
    assert_eq!((&shown["kind"], &shown["type"]), (&json!("response"), &json!("web.state.snapshot")));
    assert_eq!(shown["payload"]["snapshot"]["revision"], "rev_1");
    let same = peer.ask("web.state.get", json!({ "ifRevisionNot": "rev_1" })).await;
    assert_eq!(same["payload"], json!({ "notModified": true }));
    let older = peer.ask("web.state.get", json!({ "ifRevisionNot": "rev_0" })).await;
    assert_eq!(older["payload"]["snapshot"]["revision"], "rev_1");
}

/// Requirement: WEB-MSG-01
#[tokio::test]
async fn options_select_parts_of_a_page() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(graph(1, 600));
    let mut peer = open(&world);
    let mut ask =
        async |options: Value| snapshot(&peer.ask("web.state.get", json!({ "options": options })).await);
    let usual = ask(json!({})).await;
    assert_eq!((usual.elements().count(), usual.truncated), (500, Some(true)));
    let all = ask(json!({ "maxElements": 1_000 })).await;
    assert_eq!((all.elements().count(), all.truncated), (601, None));
    let side = ask(json!({ "scopes": ["side"] })).await;
    assert_eq!(side.scopes().map(|(_, scope)| scope.id.as_str()).collect::<Vec<_>>(), ["side"]);
    assert_eq!(ask(json!({ "scopes": ["nowhere"] })).await.elements().count(), 0);
    assert_eq!(ask(json!({ "documents": ["doc_other"] })).await.elements().count(), 0);
    let hidden = ask(json!({ "includeHidden": true })).await;
    assert_eq!(hidden.elements().count(), 8, "the page itself was asked");
    assert_eq!(hidden.revision, "rev_1", "under the revision that is observed");
}

/// Requirement: WEB-MSG-04
/// Requirement: WEB-CL-02
#[tokio::test]
async fn whoever_applies_every_delta_has_the_page() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(graph(1, 20));
    let mut peer = open(&world);
    let observing = peer.ask("web.state.observe", json!({ "initialSnapshot": true })).await;
    assert_eq!(observing["payload"]["revision"], "rev_1");
    let first = peer.told().await;
    assert_eq!(first["payload"]["subscriptionId"], observing["payload"]["subscriptionId"]);
    let mut mine = snapshot(&first);
    let page = world.stages.page(0).await;
    let mut kinds = Vec::new();
    for seq in 2..40 {
        let names: Vec<String> =
            (0..20).map(|at| format!("Button {}", if at == seq % 20 { seq * 100 } else { at })).collect();
        page.show(named_graph(seq, &names));
        kinds.extend(follow(&mut peer, &mut mine, &format!("rev_{seq}")).await);
        assert_eq!(
            serde_json::to_value(&mine).unwrap(),
            peer.ask("web.state.get", json!({})).await["payload"]["snapshot"]
        );
    }
    assert!(kinds.iter().all(|kind| kind == "web.state.delta"), "{kinds:?}");
    page.show(graph(40, 300));
    assert_eq!(
        follow(&mut peer, &mut mine, "rev_40").await,
        ["web.state.snapshot"],
        "most of the page is new"
    );
}

/// Requirement: WEB-MSG-06
#[tokio::test]
async fn after_unobserve_nothing_is_told() {
    let world = world();
    let mut peer = open(&world);
    let observing = peer.ask("web.state.observe", json!({})).await;
    let page = world.stages.page(0).await;
    page.show(graph(2, 3));
    assert_eq!(peer.told().await["payload"]["revision"], "rev_2");
    let ended = peer.ask("web.state.unobserve", observing["payload"].clone()).await;
    assert_eq!(ended["payload"]["subscriptionId"], observing["payload"]["subscriptionId"]);
    page.show(graph(3, 4));
    page.signal(toast("too late"));
    assert!(peer.overheard().await.is_empty());
    assert_eq!(code(&peer.ask("web.state.unobserve", observing["payload"].clone()).await), "not_found");
    assert_eq!(
        code(&peer.ask("web.state.unobserve", json!({ "subscriptionId": "sub_77" })).await),
        "not_found"
    );
}

/// Requirement: WEB-MSG-05
/// Requirement: WEB-MSG-09
#[tokio::test]
async fn signals_come_once_before_their_delta_and_by_choice() {
    let world = world();
    let mut peer = open(&world);
    for signals in [json!("all"), json!(["toast.shown"]), json!("none")] {
        peer.ask("web.state.observe", json!({ "signals": signals })).await;
    }
    let page = world.stages.page(0).await;
    page.signal(toast("saved"));
    page.signal(json!({ "kind": "busy.changed", "busy": true }));
    page.show(graph(2, 2));
    let told = peer.overheard().await;
    let texts: Vec<_> = told.iter().filter(|each| each["type"] == "web.signal").collect();
    assert_eq!(texts.len(), 2, "three subscriptions, each signal once: {told:?}");
    assert_eq!(texts[0]["payload"]["signal"]["text"], "saved");
    let first_state = told.iter().position(|each| each["type"] != "web.signal").unwrap();
    assert!(first_state >= 1, "a signal comes before what shows it");
    assert!(texts.iter().all(|each| each["payload"].as_object().unwrap().len() == 1));
}

#[tokio::test(start_paused = true)]
async fn changes_within_the_least_interval_are_one_delta() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(graph(1, 40));
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({ "minIntervalMs": 1_000, "signals": "none" })).await;
    let page = world.stages.page(0).await;
    for seq in 2..=9 {
        page.show(graph(seq, 40 + usize::try_from(seq).unwrap()));
    }
    let delta = peer.told().await;
    assert_eq!(delta["type"], "web.state.delta");
    assert_eq!(
        (&delta["payload"]["baseRevision"], &delta["payload"]["revision"]),
        (&json!("rev_1"), &json!("rev_9"))
    );
    assert!(peer.overheard().await.is_empty());
}

#[tokio::test]
async fn a_slow_reader_gets_a_fresh_snapshot_and_no_endless_queue() {
    let keep = Keep { waiting: 4, ..Keep::default() };
    let world = world_with(HouseOptions { keep, ..HouseOptions::default() }, Keyring::default());
    *world.stages.first.lock().unwrap() = Some(graph(1, 50));
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({ "signals": "none" })).await;
    let page = world.stages.page(0).await;
    for seq in 2..=500 {
        page.show(graph(seq, 50 + usize::try_from(seq % 7).unwrap()));
        tokio::task::yield_now().await;
    }
    while peer.ask("web.state.get", json!({})).await["payload"]["snapshot"]["revision"] != "rev_500" {}
    let mut told = Vec::new();
    loop {
        let each = peer.told().await;
        let last =
            each["payload"]["snapshot"]["revision"] == "rev_500" || each["payload"]["revision"] == "rev_500";
        told.push(each);
        if last {
            break;
        }
    }
    assert!(told.len() <= 8, "{} messages for 499 changes", told.len());
    assert_eq!(told.last().unwrap()["type"], "web.state.snapshot");
}

#[tokio::test]
async fn a_snapshot_is_never_larger_than_a_message_may_be() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(graph(1, 5_000));
    let mut payload = crate::peer::offer();
    payload["limits"] = json!({ "maxMessageBytes": 50_000 });
    let mut peer = crate::peer::knock(&world.house, &payload).unwrap();
    let answer = peer.ask("web.state.get", json!({ "options": { "maxElements": 100_000 } })).await;
    assert!(answer.to_string().len() <= 50_000);
    let shown = snapshot(&answer);
    assert_eq!(shown.truncated, Some(true));
    assert!(shown.elements().count() > 50);
}

#[tokio::test]
async fn what_is_secret_leaves_in_no_message() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(secret_graph(1, "canary-one-77"));
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({ "initialSnapshot": true })).await;
    let page = world.stages.page(0).await;
    let mut said = vec![peer.ask("web.state.get", json!({})).await.to_string()];
    page.show(secret_graph(2, "canary-two-88"));
    page.signal(toast("your key canary-two-88 was saved"));
    page.signal(json!({ "kind": "custom", "name": "x", "payload": { "note": "canary-one-77" } }));
    page.show(graph(3, 1));
    said.extend(peer.overheard().await.iter().map(Value::to_string));
    assert!(said.len() >= 4, "{said:?}");
    assert!(said.iter().any(|text| text.contains("el_pw")));
    for text in said {
        assert!(!text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn a_page_that_dies_is_reported_and_opened_again_where_it_was() {
    let world = world();
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({})).await;
    let page = world.stages.page(0).await;
    assert_eq!(page.wish.url, None);
    page.die();
    let lost = peer.told().await;
    assert_eq!(lost["payload"]["signal"]["name"], "page.lost");
    let again = world.stages.page(1).await;
    assert_eq!(again.wish.url.as_deref(), Some("http://app.test/videos"));
    let fresh = peer.told().await;
    let revision =
        fresh["payload"]["snapshot"]["revision"].as_str().or(fresh["payload"]["revision"].as_str());
    assert_eq!(revision, Some("1.rev_1"), "a revision never comes back: {fresh}");
    let shown = peer.ask("web.state.get", json!({})).await;
    assert_eq!(shown["payload"]["snapshot"]["revision"], "1.rev_1");
}

#[tokio::test]
async fn a_page_that_cannot_be_opened_is_tried_again_when_it_is_asked_for() {
    let world = world();
    *world.stages.fault.lock().unwrap() = Some(StageError::Failed("no browser".to_owned()));
    let mut peer = open(&world);
    let refused = peer.ask("web.state.get", json!({})).await;
    assert_eq!((code(&refused), &refused["payload"]["retryable"]), ("unavailable", &json!(true)));
    assert!(refused["payload"]["message"].as_str().unwrap().contains("no browser"));
    *world.stages.fault.lock().unwrap() = None;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while peer.ask("web.state.get", json!({})).await["type"] != "web.state.snapshot" {
        assert!(tokio::time::Instant::now() < deadline);
    }
}

#[tokio::test]
async fn a_policy_is_asked_in_the_name_of_the_peer_itself_only() {
    let world = world();
    let mut peer = open(&world);
    let principal = peer.initialized["payload"]["metadata"]["principal"].clone();
    let question =
        |principal: &Value| json!({ "request": { "principal": principal, "actionId": "ui.activate" } });
    let decided = peer.ask("uiap.policy.evaluate", question(&principal)).await;
    assert_eq!(decided["type"], "uiap.policy.decision");
    assert!(decided["payload"]["decision"]["effect"].is_string());
    let mut admin = principal.clone();
    admin["type"] = "user".into();
    admin["grants"] = json!(["admin"]);
    assert_eq!(code(&peer.ask("uiap.policy.evaluate", question(&admin)).await), "forbidden");
}

/// Requirement: WEB-MSG-08
#[tokio::test]
async fn a_delta_tells_a_person_from_the_app_itself() {
    let world = world();
    *world.stages.first.lock().unwrap() = Some(graph(1, 20));
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({ "signals": "none" })).await;
    let page = world.stages.page(0).await;
    page.show(graph(2, 21));
    assert_eq!(peer.told().await["payload"]["cause"], json!({ "by": "app" }));
    page.signal(json!({ "kind": "user.activation", "isActive": true }));
    page.show(graph(3, 22));
    assert_eq!(peer.told().await["payload"]["cause"], json!({ "by": "user" }));
    page.signal(json!({ "kind": "user.activation", "isActive": false }));
    page.show(graph(4, 23));
    assert_eq!(peer.told().await["payload"]["cause"], json!({ "by": "app" }));
    let refused = uiap_model::parse::parse::<WebStateDeltaPayload>(
        br#"{"baseRevision":"a","revision":"b","seq":1,"ts":"2026-03-26T14:00:00.000Z","ops":[],"cause":{"by":"script"}}"#,
    );
    assert_eq!(refused.unwrap_err().first().map(|problem| problem.pointer.as_str()), Some("/cause/by"));
}
