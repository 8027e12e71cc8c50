//! How a session begins: negotiation, authentication, and what is left behind when it fails.

use serde_json::{Value, json};
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::peer::{code, knock, message, offer, open, world, world_with};

const TOKEN: &str = "canary-token-0123456789abcdef";

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut payload = offer();
    change(&mut payload);
    payload
}

/// Requirement: CORE-R1-01
/// Requirement: CORE-T-04
#[tokio::test]
async fn the_house_names_the_session_and_allows_one_on_a_link() {
    let world = world();
    let mut peer = open(&world);
    let answer = &peer.initialized;
    assert_eq!(answer["type"], "session.initialized");
    assert_eq!(answer["correlationId"], "init");
    assert_eq!(answer["sessionId"], answer["payload"]["sessionId"]);
    assert_eq!(answer["payload"]["selectedVersion"], "0.1");
    assert_eq!(answer["payload"]["selectedProfiles"], json!(["web@0.1"]));
    assert_eq!(answer["payload"]["limits"]["maxInFlight"], 32);
    assert!(answer["payload"]["capabilitiesRevision"].as_str().unwrap().starts_with("cap_"));
    let again = peer.ask("session.initialize", offer()).await;
    assert_eq!(code(&again), "session_conflict");
    let suggested = message("request", "session.initialize", "x", Some("mine"), &offer()).to_string();
    assert_eq!(code(&peer.raw(&suggested).await.unwrap()), "session_not_found");
}

/// Requirement: CORE-T-04
#[tokio::test]
async fn a_thousand_sessions_have_a_thousand_names() {
    let world =
        world_with(HouseOptions { most_sessions: 1_000, ..HouseOptions::default() }, Keyring::default());
    let peers: Vec<_> = (0..1_000).map(|_| open(&world)).collect();
    let names: std::collections::HashSet<_> = peers.iter().map(crate::peer::Peer::id).collect();
    assert_eq!(names.len(), 1_000);
    assert!(names.iter().all(|name| (1..=128).contains(&name.len())));
    assert_eq!(code(&knock(&world.house, &offer()).err().unwrap()), "unavailable", "the house is full");
}

/// Requirement: CORE-ST-03
/// Requirement: CORE-R12-01
#[tokio::test]
async fn a_handshake_that_fails_leaves_nothing_behind() {
    let world = world_with(HouseOptions::default(), Keyring::parse(TOKEN).unwrap());
    let authed = |change: &dyn Fn(&mut Value)| {
        with(|payload| {
            payload["auth"] = json!({ "scheme": "bearer", "token": TOKEN });
            change(payload);
        })
    };
    let cases = [
        (authed(&|payload| payload["supportedVersions"] = json!(["1.1"])), "unsupported_version"),
        (authed(&|payload| payload["supportedProfiles"] = json!(["x.tv@0.1"])), "unsupported_profile"),
        (
            authed(&|payload| {
                payload["extensions"] =
                    json!([{ "id": "x.acme.foo", "versions": ["0.1"], "required": true }]);
            }),
            "extension_required",
        ),
        (authed(&|payload| payload["metadata"] = json!({ "url": "http://forbidden.test/" })), "forbidden"),
        (authed(&|payload| payload["metadata"] = json!({ "url": 7 })), "invalid_payload"),
        (offer(), "unauthenticated"),
        (
            authed(&|payload| payload["auth"]["token"] = "wrong-token-0123456789abcdef".into()),
            "unauthenticated",
        ),
        (authed(&|payload| payload["auth"]["scheme"] = "basic".into()), "unauthenticated"),
        (authed(&|payload| payload["auth"] = json!({ "token": TOKEN })), "invalid_payload"),
    ];
    for (payload, expected) in cases {
        let refused = knock(&world.house, &payload).err().unwrap();
        assert_eq!(code(&refused), expected);
        assert_eq!(refused["correlationId"], "init");
        assert!(refused.get("sessionId").is_none());
        assert!(!refused.to_string().contains("canary"), "a token is told to nobody");
        assert_eq!(world.house.count(), 0);
    }
    assert!(knock(&world.house, &authed(&|_| {})).is_ok());
}

/// Requirement: CORE-R4-03
/// Requirement: CORE-P-07
/// Requirement: POL-P-01
#[tokio::test]
async fn an_extension_that_was_not_selected_does_not_exist() {
    let world = world();
    let mut plain = knock(&world.house, &with(|payload| payload["extensions"] = json!([]))).unwrap();
    let principal = plain.initialized["payload"]["metadata"]["principal"].clone();
    let question = json!({ "request": { "principal": principal, "actionId": "ui.activate" } });
    for (name, payload) in [
        ("uiap.policy.get", json!({})),
        ("uiap.policy.evaluate", question.clone()),
        ("uicp.policy.evaluate", question),
    ] {
        assert_eq!(code(&plain.ask(name, payload).await), "unsupported_message_type", "{name}");
    }
    assert_eq!(code(&plain.ask("uiap.workflow.list", json!({})).await), "unsupported_message_type");
    assert_eq!(plain.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    let event = plain.write("event", "uiap.policy.changed", &json!({ "revision": "x" })).to_string();
    assert_eq!(plain.raw(&event).await, None);
    let mut chosen = open(&world);
    assert_eq!(chosen.ask("uiap.policy.get", json!({})).await["type"], "uiap.policy.document");
}

/// Requirement: POL-C1-01
#[tokio::test]
async fn the_former_name_of_the_policy_extension_is_answered_in_kind() {
    let world = world();
    let old = with(|payload| payload["extensions"] = json!([{ "id": "uicp.policy", "versions": ["0.1"] }]));
    let mut peer = knock(&world.house, &old).unwrap();
    assert_eq!(peer.initialized["payload"]["extensions"], json!([{ "id": "uicp.policy", "version": "0.1" }]));
    assert_eq!(peer.ask("uicp.policy.get", json!({})).await["type"], "uicp.policy.document");
    for order in [["uiap.policy", "uicp.policy"], ["uicp.policy", "uiap.policy"]] {
        let both = order.map(|id| json!({ "id": id, "versions": ["0.1"] }));
        let mut peer = knock(&world.house, &with(|payload| payload["extensions"] = json!(both))).unwrap();
        let selected = json!([{ "id": "uiap.policy", "version": "0.1" }]);
        assert_eq!(peer.initialized["payload"]["extensions"], selected, "one of them, the present name");
        assert_eq!(peer.ask("uiap.policy.get", json!({})).await["type"], "uiap.policy.document");
    }
}

/// Requirement: WEB-P-01
#[tokio::test]
async fn without_the_profile_of_the_web_there_are_no_pages() {
    let world = world();
    assert_eq!(open(&world).initialized["payload"]["selectedProfiles"], json!(["web@0.1"]));
    for wrong in [json!(["web"]), json!(["web@1.0"]), json!([])] {
        let refused = knock(&world.house, &with(|payload| payload["supportedProfiles"] = wrong.clone()));
        let refused = refused.err().unwrap_or_else(|| panic!("{wrong} was taken"));
        assert_eq!(code(&refused), "unsupported_profile", "{wrong}");
    }
    let many = json!(["x.tv@0.1", "web@0.1", "web@1.0"]);
    let peer = knock(&world.house, &with(|payload| payload["supportedProfiles"] = many)).ok().unwrap();
    assert_eq!(peer.initialized["payload"]["selectedProfiles"], json!(["web@0.1"]));
}

/// Requirement: CORE-R2-03
#[tokio::test]
async fn every_later_envelope_carries_the_selected_version() {
    let world = world();
    let mut peer = open(&world);
    let mut wrong = peer.write("request", "capabilities.get", &json!({}));
    wrong["uiap"] = "0.2".into();
    let answer = peer.raw(&wrong.to_string()).await.unwrap();
    assert_eq!(
        (code(&answer), &answer["payload"]["detail"]["supported"]),
        ("unsupported_version", &json!(["0.1"]))
    );
    assert_eq!(peer.ask("capabilities.get", json!({})).await["uiap"], "0.1");
}

/// Requirement: CORE-R12-03
#[tokio::test]
async fn tokens_are_shown_by_no_answer_and_no_debug_text() {
    let world = world_with(HouseOptions::default(), Keyring::parse(TOKEN).unwrap());
    let payload = with(|payload| payload["auth"] = json!({ "scheme": "bearer", "token": TOKEN }));
    let mut peer = knock(&world.house, &payload).unwrap();
    let resume = peer.initialized["payload"]["resumeToken"].as_str().unwrap().to_owned();
    let listed = peer.ask("capabilities.get", json!({})).await.to_string();
    let debug = format!("{:?} {:?} {:?}", peer.session, world.house, world.house.keyring());
    for text in [peer.initialized.to_string().replace(&resume, ""), listed, debug] {
        assert!(!text.contains("canary") && !text.contains(&resume), "{text}");
    }
}
