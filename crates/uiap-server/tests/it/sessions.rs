//! How a session lives: heartbeats, silence, resuming, limits, the end.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::core::{SessionLimits, SessionState};
use uiap_model::json::Positive;
use uiap_server::protocol::{Farewell, HouseOptions, Keyring, Patience};

use crate::fake::{graph, toast};
use crate::peer::{Peer, World, code, knock, offer, open, world, world_with};

fn impatient() -> World {
    let links = Patience { heartbeat: Some(Duration::from_millis(100)), ..Patience::default() };
    world_with(HouseOptions { links, ..HouseOptions::default() }, Keyring::default())
}

async fn pass(milliseconds: u64) {
    // Step by step, so that every timer in between is served when it is due.
    for _ in 0..milliseconds {
        tokio::time::advance(Duration::from_millis(1)).await;
        tokio::task::yield_now().await;
    }
}

fn resuming(peer: &Peer, token: Option<&str>) -> Value {
    let mut payload = offer();
    let right = peer.initialized["payload"]["resumeToken"].as_str().unwrap();
    payload["resume"] = json!({ "sessionId": peer.id(), "resumeToken": token.unwrap_or(right) });
    payload
}

/// Requirement: CORE-R1-02
#[tokio::test]
async fn before_a_session_nothing_else_is_legal() {
    let world = world();
    for (kind, name, payload) in [
        ("request", "capabilities.get", json!({})),
        ("event", "session.heartbeat", json!({ "seq": 1 })),
        ("request", "action.request", json!({ "actionId": "ui.activate" })),
    ] {
        let text = crate::peer::message(kind, name, "a", Some("sess_none"), &payload).to_string();
        let holder = uiap_server::protocol::Holder::Posts;
        let visitor = uiap_server::protocol::Visitor { credential: None, holder };
        let arrival = world.house.welcome(text.as_bytes(), visitor);
        let uiap_server::protocol::Arrival::Early(reply) = arrival else { panic!("{name}: {arrival:?}") };
        assert_eq!(reply.sealed.fault.as_ref().unwrap().code, "session_required");
    }
    assert_eq!(world.house.count(), 0);
}

/// Requirement: CORE-R10-01
/// Requirement: CORE-MSG-09
#[tokio::test(start_paused = true)]
async fn silence_for_three_intervals_suspends_a_session() {
    let world = impatient();
    let mut peer = open(&world);
    assert_eq!(peer.initialized["payload"]["heartbeatMs"], 100);
    pass(250).await;
    assert_eq!(peer.session.state(), SessionState::Active);
    let beat = peer.write("event", "session.heartbeat", &json!({ "seq": 1 })).to_string();
    assert_eq!(peer.raw(&beat).await, None);
    pass(250).await;
    assert_eq!(peer.session.state(), SessionState::Active, "one heartbeat starts the count anew");
    pass(80).await;
    assert_eq!(peer.session.state(), SessionState::Suspended);
    assert_eq!(*peer.farewell.borrow(), Some(Farewell::HeartbeatLost));
    let beats: Vec<u64> =
        peer.overheard().await.iter().map(|beat| beat["payload"]["seq"].as_u64().unwrap()).collect();
    assert_eq!(beats, [1], "a reader that takes nothing is sent no second one");
}

/// Requirement: CORE-MSG-09
#[tokio::test(start_paused = true)]
async fn heartbeats_of_ours_rise_by_one_and_bad_ones_of_theirs_do_not_count() {
    let world = impatient();
    let mut peer = open(&world);
    for seq in 1..=2 {
        let beat = peer.told().await;
        assert_eq!((&beat["type"], &beat["payload"]["seq"]), (&json!("session.heartbeat"), &json!(seq)));
        assert!(beat.get("correlationId").is_none());
        let bad = peer.write("event", "session.heartbeat", &json!({})).to_string();
        assert_eq!(peer.raw(&bad).await, None);
    }
    pass(110).await;
    assert_eq!(peer.session.state(), SessionState::Suspended);
}

/// Requirement: CORE-MSG-05
#[tokio::test(start_paused = true)]
async fn without_heartbeats_silence_is_borne() {
    let links = Patience { heartbeat: None, ..Patience::default() };
    let world = world_with(HouseOptions { links, ..HouseOptions::default() }, Keyring::default());
    let mut peer = open(&world);
    assert_eq!(peer.initialized["payload"]["heartbeatMs"], 0);
    tokio::time::advance(Duration::from_mins(1)).await;
    assert!(peer.overheard().await.is_empty());
    assert_eq!(peer.session.state(), SessionState::Active);
}

/// Requirement: CORE-R10-02
#[tokio::test(start_paused = true)]
async fn a_lost_session_can_be_resumed_for_a_minute() {
    let world = world();
    let peer = open(&world);
    peer.session.lost(peer.link);
    assert_eq!(peer.session.state(), SessionState::Suspended);
    pass(1).await;
    tokio::time::advance(Duration::from_secs(58)).await;
    let wrong = knock(&world.house, &resuming(&peer, Some("not-the-token"))).err().unwrap();
    assert_eq!(code(&wrong), "unauthenticated");
    assert_eq!(peer.session.state(), SessionState::Suspended, "a wrong token changes nothing");
    let resumed = knock(&world.house, &resuming(&peer, None)).unwrap();
    assert_eq!(resumed.initialized["payload"]["resumed"], true);
    assert_eq!(resumed.id(), peer.id());
    assert_eq!(resumed.session.state(), SessionState::Active);
    resumed.session.lost(resumed.link);
    pass(1).await;
    tokio::time::advance(Duration::from_secs(61)).await;
    pass(2).await;
    assert_eq!(code(&knock(&world.house, &resuming(&peer, None)).err().unwrap()), "session_not_found");
    assert_eq!(world.house.count(), 0);
    assert_eq!(world.stages.closed.load(std::sync::atomic::Ordering::SeqCst), 1, "its page went with it");
}

/// Requirement: CORE-R12-02
#[tokio::test]
async fn only_a_resume_moves_a_session_and_the_old_link_is_let_go() {
    let world = world();
    let mut first = open(&world);
    let mut second = knock(&world.house, &resuming(&first, None)).unwrap();
    assert_eq!(*first.farewell.borrow(), Some(Farewell::Superseded));
    assert_eq!(code(&first.ask("capabilities.get", json!({})).await), "session_not_found");
    assert_eq!(second.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    first.session.lost(first.link);
    assert_eq!(second.session.state(), SessionState::Active, "the end of the old link is nobody's loss");
}

/// Requirement: CORE-R10-03
#[tokio::test]
async fn a_resumed_subscription_begins_anew_with_a_snapshot() {
    let world = world();
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({})).await;
    let page = world.stages.page(0).await;
    peer.session.lost(peer.link);
    page.show(graph(2, 3));
    let mut resumed = knock(&world.house, &resuming(&peer, None)).unwrap();
    let mut told = resumed.told().await;
    while told["type"] != "web.state.snapshot" {
        told = resumed.told().await;
    }
    assert_eq!(told["payload"]["snapshot"]["revision"], "rev_2");
}

#[tokio::test]
async fn signals_of_the_time_without_a_link_are_told_after_the_resume() {
    let world = world();
    let mut peer = open(&world);
    peer.ask("web.state.observe", json!({ "deltas": false })).await;
    peer.session.lost(peer.link);
    drop(peer.reader);
    world.stages.page(0).await.signal(toast("saved"));
    let link = peer.session;
    let house = peer.house;
    let mut payload = offer();
    payload["resume"] =
        json!({ "sessionId": link.id().as_str(), "resumeToken": peer.initialized["payload"]["resumeToken"] });
    let mut resumed = knock(&house, &payload).unwrap();
    assert_eq!(resumed.told().await["payload"]["signal"]["text"], "saved");
}

/// Requirement: CORE-MSG-06
/// Requirement: CORE-MSG-08
#[tokio::test]
async fn both_sides_can_end_a_session() {
    let world = world();
    let mut peer = open(&world);
    let answer = peer.ask("session.terminate", json!({ "reason": "completed" })).await;
    assert_eq!((&answer["kind"], &answer["type"]), (&json!("response"), &json!("session.terminated")));
    assert_eq!(peer.told().await["type"], "End");
    assert_eq!(peer.session.state(), SessionState::Closed);
    assert_eq!(code(&peer.ask("capabilities.get", json!({})).await), "session_not_active");
    let mut other = open(&world);
    world.house.shut_down(Duration::from_secs(5)).await;
    let event = other.told().await;
    assert_eq!((&event["kind"], &event["payload"]["reason"]), (&json!("event"), &json!("shutdown")));
    assert!(event.get("correlationId").is_none());
    assert_eq!(other.told().await["type"], "End");
    assert_eq!(code(&knock(&world.house, &offer()).err().unwrap()), "unavailable");
    assert_eq!(world.house.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_asks_for_nothing_is_ended() {
    let links = Patience { heartbeat: None, idle: Duration::from_mins(10), ..Patience::default() };
    let world = world_with(HouseOptions { links, ..HouseOptions::default() }, Keyring::default());
    let mut peer = open(&world);
    pass(1).await;
    tokio::time::advance(Duration::from_secs(601)).await;
    assert_eq!(peer.told().await["payload"]["reason"], "idle_timeout");
    pass(2).await;
    assert_eq!(world.house.count(), 0);
}

fn limits(in_flight: u64, timeout: u64) -> HouseOptions {
    let limits = SessionLimits {
        max_message_bytes: Some(Positive(200_000)),
        max_in_flight: Some(Positive(in_flight)),
        request_timeout_ms: Some(Positive(timeout)),
    };
    HouseOptions { limits: Some(limits), ..HouseOptions::default() }
}

/// Requirement: CORE-R11-01
/// Requirement: CORE-R11-02
/// Requirement: CORE-ERR-05
#[tokio::test(start_paused = true)]
async fn open_requests_are_bounded_and_time_runs_out() {
    let world = world_with(limits(4, 30_000), Keyring::default());
    world.stages.hold();
    let mut payload = offer();
    payload["limits"] = json!({ "maxInFlight": 3 });
    let mut peer = knock(&world.house, &payload).unwrap();
    assert_eq!(peer.initialized["payload"]["limits"]["maxInFlight"], 3);
    let slow: Vec<String> =
        (0..3).map(|_| peer.write("request", "web.state.get", &json!({})).to_string()).collect();
    let fourth = peer.write("request", "capabilities.get", &json!({})).to_string();
    let peer = Arc::new(peer);
    let mut running = tokio::task::JoinSet::new();
    for text in slow {
        let peer = Arc::clone(&peer);
        running.spawn(async move { peer.raw(&text).await.unwrap() });
    }
    pass(2).await;
    let refused = peer.raw(&fourth).await.unwrap();
    assert_eq!((code(&refused), &refused["payload"]["retryable"]), ("rate_limited", &json!(true)));
    assert!(refused["payload"]["retryAfterMs"].as_u64().unwrap() > 0);
    tokio::time::advance(Duration::from_secs(30)).await;
    while let Some(done) = running.join_next().await {
        assert_eq!(code(&done.unwrap()), "timeout");
    }
    let again = peer.raw(&fourth).await.unwrap();
    assert_eq!(again["type"], "capabilities.list", "what was refused may be sent again");
    let large = json!({ "uiap": "x".repeat(200_000) }).to_string();
    assert_eq!(code(&peer.raw(&large).await.unwrap()), "payload_too_large");
}

#[tokio::test]
async fn a_flood_of_requests_is_told_to_wait() {
    let rate = uiap_server::protocol::pace::Rate { burst: 5.0, per_second: 1.0 };
    let world = world_with(HouseOptions { rate, ..HouseOptions::default() }, Keyring::default());
    let mut peer = open(&world);
    for _ in 0..5 {
        assert_eq!(peer.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    }
    let refused = peer.ask("capabilities.get", json!({})).await;
    assert_eq!(code(&refused), "rate_limited");
    assert!(refused["payload"]["retryAfterMs"].as_u64().unwrap() > 500);
}

#[tokio::test]
async fn an_answer_is_never_larger_than_was_agreed() {
    let world = world();
    let mut payload = offer();
    payload["limits"] = json!({ "maxMessageBytes": 1_500 });
    let mut peer = knock(&world.house, &payload).unwrap();
    let answer = peer.ask("capabilities.get", json!({})).await;
    assert_eq!(code(&answer), "payload_too_large");
    assert!(answer.to_string().len() <= 1_500);
}
