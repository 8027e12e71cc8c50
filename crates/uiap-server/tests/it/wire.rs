//! Every malformed message gets the right error, and the session lives.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::peer::{code, message, offer, open, world};

/// Requirement: CORE-P-02
/// Requirement: CORE-R9-02
#[tokio::test]
async fn text_that_is_no_envelope_is_refused_and_the_session_lives() {
    let world = world();
    let mut peer = open(&world);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&str, &str); 9] = [
        ("{\"uiap\":", "invalid_json"),
        ("", "invalid_json"),
        ("nonsense", "invalid_json"),
        ("{} {}", "invalid_json"),
        (&deep, "invalid_json"),
        ("[]", "invalid_envelope"),
        ("null", "invalid_envelope"),
        ("\"text\"", "invalid_envelope"),
        ("{}", "invalid_envelope"),
    ];
    for (text, expected) in cases {
        let answer = peer.raw(text).await.unwrap();
        assert_eq!(code(&answer), expected, "{}", text.get(..20).unwrap_or(text));
        assert_eq!((&answer["kind"], &answer["type"]), (&json!("error"), &json!("error")));
        assert!(answer.get("correlationId").is_none());
    }
    assert_eq!(peer.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
}

/// Requirement: CORE-P-04
/// Requirement: CORE-ENV-01
#[tokio::test]
async fn a_generated_corpus_of_faults_is_refused_member_by_member() {
    let world = world();
    let mut peer = open(&world);
    let wrong = [json!(null), json!(7), json!([]), json!({}), json!(""), json!(true), json!("x".repeat(200))];
    let mut count = 0;
    for member in ["uiap", "kind", "type", "id", "ts", "source", "payload"] {
        let mut bare = peer.write("request", "web.state.get", &json!({}));
        bare.as_object_mut().unwrap().remove(member);
        let answer = peer.raw(&bare.to_string()).await.unwrap();
        assert_eq!(code(&answer), "invalid_envelope", "without {member}");
        assert!(answer["payload"]["message"].as_str().unwrap().contains(member), "{answer}");
        for value in &wrong {
            let fits = matches!((member, value), ("payload", Value::Object(_)));
            let mut faulty = peer.write("request", "capabilities.get", &json!({}));
            faulty[member] = value.clone();
            let Some(answer) = peer.raw(&faulty.to_string()).await else {
                panic!("{faulty} was not answered")
            };
            if fits {
                assert_eq!(answer["type"], "capabilities.list");
            } else if member == "type" && value.as_str().is_some_and(|text| text.len() == 200) {
                assert_eq!(code(&answer), "invalid_envelope");
            } else {
                assert_eq!(code(&answer), "invalid_envelope", "{member}: {value}");
                assert!(
                    answer["payload"]["pointer"].as_str().unwrap().starts_with(&format!("/{member}")),
                    "{answer}"
                );
            }
            count += 1;
        }
    }
    assert_eq!(count, 49);
    assert_eq!(peer.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
}

/// Requirement: WEB-MSG-01
/// Requirement: WEB-MSG-02
/// Requirement: WEB-MSG-04
/// Requirement: WEB-MSG-06
#[tokio::test]
async fn faults_in_payloads_are_refused_with_their_place_and_do_nothing() {
    let world = world();
    let mut peer = open(&world);
    let cases = [
        ("web.state.get", json!({ "options": [] }), "/payload/options"),
        ("web.state.get", json!({ "ifRevisionNot": 7 }), "/payload/ifRevisionNot"),
        ("web.state.get", json!({ "options": { "maxElements": 0 } }), "/payload/options/maxElements"),
        ("web.state.get", json!({ "options": { "maxElements": "many" } }), "/payload/options/maxElements"),
        ("web.state.observe", json!({ "minIntervalMs": -1 }), "/payload/minIntervalMs"),
        ("web.state.observe", json!({ "deltas": "yes" }), "/payload/deltas"),
        ("web.state.observe", json!({ "signals": "some" }), "/payload/signals"),
        ("web.state.observe", json!({ "signals": ["toast"] }), "/payload/signals"),
        ("web.state.unobserve", json!({}), "/payload"),
        ("session.terminate", json!({}), "/payload"),
        ("session.terminate", json!({ "reason": "done" }), "/payload/reason"),
        ("capabilities.get", json!({ "ifRevisionNot": 1 }), "/payload/ifRevisionNot"),
        ("uiap.policy.evaluate", json!({ "request": {} }), "/payload/request"),
    ];
    for (name, payload, place) in cases {
        let answer = peer.ask(name, payload.clone()).await;
        assert_eq!(code(&answer), "invalid_payload", "{name} {payload}");
        let pointer = answer["payload"]["pointer"].as_str().unwrap();
        assert!(pointer.starts_with(place), "{name} {payload}: {pointer}");
    }
    assert_eq!(peer.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    assert!(peer.overheard().await.is_empty());
}

/// Requirement: CORE-ENV-04
/// Requirement: CORE-R12-02
#[tokio::test]
async fn a_session_answers_to_its_own_name_and_its_own_link_only() {
    let world = world();
    let (mut one, mut two) = (open(&world), open(&world));
    let bare = message("request", "capabilities.get", "a", None, &json!({}));
    assert_eq!(code(&one.raw(&bare.to_string()).await.unwrap()), "session_required");
    for name in ["sess_never", &two.id()] {
        let other = message("request", "capabilities.get", "b", Some(name), &json!({}));
        assert_eq!(code(&one.raw(&other.to_string()).await.unwrap()), "session_not_found");
    }
    let stolen = two.write("request", "session.terminate", &json!({ "reason": "completed" }));
    two.link = one.link;
    assert_eq!(code(&two.raw(&stolen.to_string()).await.unwrap()), "session_not_found");
    assert_eq!(one.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    assert_eq!(world.house.count(), 2);
}

/// Requirement: CORE-ENV-06
#[tokio::test]
async fn a_target_that_is_not_here_is_not_found() {
    let world = world();
    let mut peer = open(&world);
    let mut request = peer.write("request", "capabilities.get", &json!({}));
    request["target"] = json!({ "role": "app", "id": "elsewhere" });
    assert_eq!(code(&peer.raw(&request.to_string()).await.unwrap()), "not_found");
    let mut request = peer.write("request", "capabilities.get", &json!({}));
    request["target"] = peer.initialized["source"].clone();
    assert_eq!(peer.raw(&request.to_string()).await.unwrap()["type"], "capabilities.list");
}

/// Requirement: CORE-R7-01
/// Requirement: CORE-R7-02
#[tokio::test]
async fn a_repeated_request_gets_the_stored_answer_and_another_content_is_refused() {
    let world = world();
    let mut peer = open(&world);
    let request = peer.write("request", "web.state.observe", &json!({}));
    let first = peer.raw(&request.to_string()).await.unwrap();
    let mut turned = serde_json::Map::new();
    for (key, value) in request.as_object().unwrap().iter().rev() {
        turned.insert(key.clone(), value.clone());
    }
    let spaced = serde_json::to_string_pretty(&Value::Object(turned)).unwrap();
    assert_eq!(peer.raw(&spaced).await.unwrap(), first, "order and white space do not count");
    let mut other = request.clone();
    other["payload"] = json!({ "deltas": false });
    assert_eq!(code(&peer.raw(&other.to_string()).await.unwrap()), "duplicate_message_id");
    assert_eq!(peer.raw(&request.to_string()).await.unwrap(), first);
    let ended = peer.ask("web.state.unobserve", first["payload"].clone()).await;
    assert_eq!(ended["type"], "web.state.unobserved");
    let next = peer.ask("web.state.observe", json!({})).await;
    assert_eq!(next["payload"]["subscriptionId"], "sub_2", "only one subscription was made before");
}

/// Requirement: CORE-R7-01
#[tokio::test]
async fn a_handshake_sent_twice_is_answered_once() {
    let world = world();
    let peer = open(&world);
    let mut again = message("request", "session.initialize", "init", None, &offer());
    assert_eq!(peer.raw(&again.to_string()).await.unwrap(), peer.initialized);
    assert_eq!(world.house.count(), 1);
    again["payload"]["supportedVersions"] = json!(["0.1", "0.2"]);
    assert_eq!(code(&peer.raw(&again.to_string()).await.unwrap()), "duplicate_message_id");
}

/// Requirement: CORE-R8-02
/// Requirement: CORE-C5-01
/// Requirement: CORE-R9-01
#[tokio::test]
async fn unknown_requests_are_refused_unknown_events_and_errors_are_not_answered() {
    let world = world();
    let mut peer = open(&world);
    for name in ["x.acme.do", "state.snapshot", "state.delta", "action.started", "action.succeeded"] {
        assert_eq!(code(&peer.ask(name, json!({})).await), "unsupported_message_type", "{name}");
        let event = peer.write("event", name, &json!({})).to_string();
        assert_eq!(peer.raw(&event).await, None);
    }
    for payload in
        [json!({ "code": "x.acme.busy", "message": "no" }), json!({ "message": "no code" }), json!({})]
    {
        let mut error = peer.write("error", "error", &payload);
        error["correlationId"] = "never".into();
        assert_eq!(peer.raw(&error.to_string()).await, None);
    }
    let heart = peer.write("event", "session.heartbeat", &json!({ "seq": "one" })).to_string();
    assert_eq!(peer.raw(&heart).await, None);
    assert_eq!(peer.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
}

/// Requirement: CORE-R6-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_mixed_requests_get_one_answer_each() {
    let world = world();
    let mut peer = open(&world);
    let kinds = ["capabilities.get", "x.acme.do", "web.state.unobserve", "uiap.policy.get", "web.state.get"];
    let texts: Vec<String> =
        (0..1_000).map(|at| peer.write("request", kinds[at % kinds.len()], &json!({})).to_string()).collect();
    let peer = Arc::new(peer);
    let mut running = tokio::task::JoinSet::new();
    for text in texts {
        let peer = Arc::clone(&peer);
        running.spawn(async move {
            let id = serde_json::from_str::<Value>(&text).unwrap()["id"].clone();
            (id, peer.raw(&text).await.unwrap())
        });
    }
    let mut answered = std::collections::HashSet::new();
    while let Some(done) = running.join_next().await {
        let (id, answer) = done.unwrap();
        assert_eq!(answer["correlationId"], id);
        assert!(answered.insert(id.to_string()));
    }
    assert_eq!(answered.len(), 1_000);
}

/// Requirement: CORE-REG-01
#[tokio::test]
async fn every_request_is_answered_by_the_type_that_belongs_to_it() {
    let world = world();
    let mut peer = open(&world);
    let observing = peer.ask("web.state.observe", json!({})).await;
    let principal = peer.initialized["payload"]["metadata"]["principal"].clone();
    let question = json!({ "request": { "principal": principal, "actionId": "ui.activate" } });
    let pairs = [
        ("capabilities.get", json!({})),
        ("web.state.get", json!({})),
        ("web.state.unobserve", observing["payload"].clone()),
        ("uiap.policy.get", json!({})),
        ("uiap.policy.evaluate", question),
        ("session.terminate", json!({ "reason": "completed" })),
    ];
    assert!(uiap_model::core::registry::answers("web.state.observe", observing["type"].as_str().unwrap()));
    for (name, payload) in pairs {
        let answer = peer.ask(name, payload).await;
        assert!(
            uiap_model::core::registry::answers(name, answer["type"].as_str().unwrap()),
            "{name}: {answer}"
        );
    }
}
