//! A generated corpus of bad messages: every message of the registry, broken in every way that we know of. Each gets the right
//! error, none has an effect, and the session lives.

use serde_json::{Map, Value, json};
use uiap_model::core::MessageKind;
use uiap_model::core::registry::{MESSAGES, MessageSpec};
use uiap_model::shape::Shape;
use uiap_server::protocol::pace::Rate;
use uiap_server::protocol::{HouseOptions, Keyring, Outcome, Sender};

use crate::peer::{Peer, World, code, knock, open, world_with};

fn world() -> World {
    let rate = Rate { burst: 1.0e9, per_second: 1.0e9 };
    world_with(HouseOptions { rate, ..HouseOptions::default() }, Keyring::default())
}

/// Sends bytes; the error that they get, where they get an answer.
async fn refused(peer: &Peer, bytes: &[u8]) -> Option<Value> {
    match peer.session.receive(bytes, &Sender::Link(peer.link)).await {
        Outcome::Reply(reply) => {
            let answer: Value = serde_json::from_str(&reply.sealed.text).unwrap();
            assert_eq!((&answer["kind"], &answer["type"]), (&json!("error"), &json!("error")), "{answer}");
            Some(answer)
        }
        Outcome::Silence | Outcome::Dropped(_) => None,
    }
}

async fn lives(peer: &mut Peer, after: &str) {
    let answer = peer.ask("uiap.policy.get", json!({ "ifRevisionNot": "off" })).await;
    assert_eq!(answer["type"], "uiap.policy.document", "after {after}: {answer}");
}

fn kind(spec: &MessageSpec) -> &'static str {
    match spec.kinds.first() {
        Some(MessageKind::Request) => "request",
        Some(MessageKind::Response) => "response",
        Some(MessageKind::Event) => "event",
        _ => "error",
    }
}

/// Values that can never have this form.
fn wrong(shape: Shape) -> Vec<Value> {
    match shape {
        Shape::Bool => vec![json!(7), json!("true"), json!([]), json!({}), json!(null)],
        Shape::Text(_) | Shape::Words(_) => vec![json!(7), json!(true), json!([]), json!({}), json!(null)],
        Shape::Number(_) => vec![json!("7"), json!(true), json!([]), json!({}), json!(null)],
        Shape::List(_) => vec![json!({}), json!("x"), json!(7), json!(null)],
        Shape::Map { .. } | Shape::Object | Shape::Record(_) | Shape::Tagged(_) => {
            vec![json!([]), json!("x"), json!(7), json!(null)]
        }
        Shape::Any | Shape::Null | Shape::Literals(_) | Shape::OneOf(_) | Shape::Nullable(_) => Vec::new(),
    }
}

/// Requirement: CORE-P-04
/// Requirement: CORE-R9-01
#[tokio::test]
async fn every_member_of_every_payload_is_looked_at_before_anything_happens() {
    let world = world();
    let mut peer = open(&world);
    let (mut asked, mut silent) = (0, 0);
    for spec in MESSAGES {
        let Shape::Record(record) = (spec.payload)() else { continue };
        for field in record.members().0 {
            let mut payloads: Vec<Value> =
                wrong((field.shape)()).into_iter().map(|value| json!({ field.name: value })).collect();
            if field.required {
                payloads.push(json!({}));
            }
            for payload in payloads {
                let mut message = peer.write(kind(spec), spec.name, &payload);
                if matches!(kind(spec), "response" | "error") {
                    message["correlationId"] = "srv_1".into();
                }
                let answer = refused(&peer, message.to_string().as_bytes()).await;
                match (kind(spec), answer) {
                    ("request", Some(answer)) => {
                        assert_eq!(code(&answer), "invalid_payload", "{message}");
                        assert_eq!(answer["correlationId"], message["id"]);
                        assert!(
                            answer["payload"]["pointer"].as_str().unwrap().starts_with("/payload"),
                            "{answer}"
                        );
                        asked += 1;
                    }
                    ("request", None) => panic!("{message} was not answered"),
                    (_, None) => silent += 1,
                    (_, Some(answer)) => panic!("{message} was answered: {answer}"),
                }
            }
        }
        lives(&mut peer, spec.name).await;
    }
    assert!(asked > 250 && silent > 400, "{asked} requests, {silent} others");
    assert!(peer.overheard().await.is_empty(), "nothing of it had an effect");
    assert_eq!(world.house.count(), 1);
}

/// Requirement: CORE-ENV-01
/// Requirement: CORE-P-03
#[tokio::test]
async fn every_member_of_the_envelope_of_every_message_is_looked_at_first() {
    let world = world();
    let mut peer = open(&world);
    let mut count = 0;
    for spec in MESSAGES {
        let whole = peer.write("request", spec.name, &json!({}));
        for member in ["uiap", "kind", "type", "id", "ts", "source", "payload"] {
            let mut broken: Vec<Value> = [json!(null), json!(7), json!(true), json!([]), json!("")]
                .into_iter()
                .map(|value| {
                    let mut broken = whole.clone();
                    broken[member] = value;
                    broken
                })
                .collect();
            let mut bare = whole.clone();
            bare.as_object_mut().unwrap().remove(member);
            broken.push(bare);
            for message in broken {
                let answer = refused(&peer, message.to_string().as_bytes()).await;
                let answer = answer.unwrap_or_else(|| panic!("{message} was not answered"));
                assert_eq!(code(&answer), "invalid_envelope", "{message}");
                count += 1;
            }
        }
        lives(&mut peer, spec.name).await;
    }
    assert_eq!(count, MESSAGES.len() * 7 * 6);
}

/// Text that is no JSON, or JSON that means two things, made out of a good message.
fn mangled(good: &str) -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: String| text.into_bytes();
    let cut = good.len() / 2;
    let mut invalid = good.as_bytes().to_vec();
    invalid[cut] = 0xff;
    let mut overlong = good.as_bytes().to_vec();
    overlong.splice(cut..cut, [0xc0, 0xaf]);
    let deep = format!("{}{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    vec![
        ("cut", text(good[..cut].to_owned())),
        ("cut at the last byte", text(good[..good.len() - 1].to_owned())),
        ("twice", text(format!("{good}{good}"))),
        ("followed by text", text(format!("{good} x"))),
        ("comma at the end", text(format!("{},}}", &good[..good.len() - 1]))),
        ("comment", text(good.replacen('{', "{/* */", 1))),
        ("single quotes", text(good.replace('"', "'"))),
        ("member twice", text(good.replacen('{', "{\"id\":\"other\",", 1))),
        ("member twice, escaped", text(good.replacen('{', "{\"\\u0069d\":\"other\",", 1))),
        ("bytes that are no text", invalid),
        ("overlong form", overlong),
        (
            "lone surrogate",
            text(good.replacen("\"payload\":{", "\"payload\":{\"a\":\"\\ud800\",", 1).replace(",}", "}")),
        ),
        (
            "line break in a string",
            text(good.replacen("\"payload\":{", "\"payload\":{\"a\":\"\n\",", 1).replace(",}", "}")),
        ),
        (
            "not a number",
            text(good.replacen("\"payload\":{", "\"payload\":{\"a\":NaN,", 1).replace(",}", "}")),
        ),
        (
            "too large a number",
            text(good.replacen("\"payload\":{", "\"payload\":{\"a\":1e999,", 1).replace(",}", "}")),
        ),
        (
            "deep",
            text(
                good.replacen("\"payload\":{", &format!("\"payload\":{{\"a\":{deep},"), 1).replace(",}", "}"),
            ),
        ),
        ("byte order mark inside", text(good.replacen(':', "\u{feff}:", 1))),
        ("nothing but a zero", vec![0]),
    ]
}

/// Requirement: CORE-P-02
/// Requirement: CORE-R9-02
#[tokio::test]
async fn text_that_is_no_json_or_means_two_things_is_refused_for_every_message() {
    let world = world();
    let mut peer = open(&world);
    let mut count = 0;
    for spec in MESSAGES {
        let good = peer.write("request", spec.name, &json!({})).to_string();
        for (fault, bytes) in mangled(&good) {
            let answer = refused(&peer, &bytes).await;
            let answer = answer.unwrap_or_else(|| panic!("{}: {fault} was not answered", spec.name));
            assert_eq!(code(&answer), "invalid_json", "{}: {fault}: {answer}", spec.name);
            assert!(answer.get("correlationId").is_none(), "nobody knows whose it is: {answer}");
            count += 1;
        }
        lives(&mut peer, spec.name).await;
    }
    assert!(count >= 18 * MESSAGES.len(), "{count}");
}

/// Requirement: CORE-R11-01
#[tokio::test]
async fn what_is_too_large_is_refused_unread_and_what_just_fits_is_read() {
    let world = world();
    let mut peer = open(&world);
    let limit = usize::try_from(peer.session.agreement().limits.max_message_bytes).unwrap();
    for spec in MESSAGES {
        let empty = peer.write(kind(spec), spec.name, &json!({ "x": "" })).to_string().len();
        let mut message = peer.write(kind(spec), spec.name, &json!({ "x": "y".repeat(limit - empty + 1) }));
        let mut text = message.to_string();
        if text.len() == limit {
            text.push(' ');
        }
        assert!(text.len() > limit, "{} of {limit}", text.len());
        let answer = refused(&peer, text.as_bytes()).await.unwrap();
        assert_eq!(code(&answer), "payload_too_large", "{}", spec.name);
        message["payload"]["x"] = "y".into();
        assert_ne!(
            refused_or_not(&peer, &message).await.as_deref(),
            Some("payload_too_large"),
            "{} fits",
            spec.name
        );
    }
}

async fn refused_or_not(peer: &Peer, message: &Value) -> Option<String> {
    // Only messages that end nothing are tried here.
    if message["type"] == "session.terminate" {
        return None;
    }
    let answer = peer.raw(&message.to_string()).await?;
    answer["payload"]["code"].as_str().map(str::to_owned)
}

/// Requirement: CORE-R8-02
/// Requirement: CORE-R1-02
#[tokio::test]
async fn messages_under_a_wrong_kind_session_version_or_id_are_refused() {
    let world = world();
    let mut peer = open(&world);
    let other = open(&world).id();
    for spec in MESSAGES {
        let request = kind(spec) == "request";
        let message = peer.write("request", spec.name, &json!({}));
        if !request {
            let answer = refused(&peer, message.to_string().as_bytes()).await.unwrap();
            assert_eq!(code(&answer), "unsupported_message_type", "a request `{}`", spec.name);
        }
        let known = peer.write("request", "capabilities.get", &json!({}));
        for (member, value, expected) in [
            ("sessionId", json!(other), "session_not_found"),
            ("sessionId", json!("sess_unknown"), "session_not_found"),
            ("uiap", json!("0.2"), "unsupported_version"),
            ("uiap", json!("9.9"), "unsupported_version"),
            ("target", json!({ "role": "app", "id": "elsewhere" }), "not_found"),
            ("type", json!(format!("{}.more", spec.name)), "unsupported_message_type"),
        ] {
            let mut broken = known.clone();
            broken[member] = value;
            let answer = refused(&peer, broken.to_string().as_bytes()).await.unwrap();
            assert_eq!(code(&answer), expected, "{broken}");
        }
        let mut homeless = known.clone();
        homeless.as_object_mut().unwrap().remove("sessionId");
        assert_eq!(code(&refused(&peer, homeless.to_string().as_bytes()).await.unwrap()), "session_required");
        // Nothing of it used the id up: the same id is still free for a good message.
        assert_eq!(peer.raw(&known.to_string()).await.unwrap()["type"], "capabilities.list");
        let mut again = known.clone();
        again["payload"] = json!({ "ifRevisionNot": "x" });
        assert_eq!(
            code(&refused(&peer, again.to_string().as_bytes()).await.unwrap()),
            "duplicate_message_id"
        );
    }
    lives(&mut peer, "all").await;
}

/// Requirement: CORE-R1-02
#[tokio::test]
async fn a_handshake_that_is_broken_in_any_member_opens_nothing() {
    let world = world();
    let good = crate::peer::offer();
    let Shape::Record(record) = (MESSAGES[0].payload)() else { panic!("a record") };
    assert_eq!(MESSAGES[0].name, "session.initialize");
    let mut count = 0;
    for field in record.members().0 {
        for value in wrong((field.shape)()) {
            let mut broken = good.clone();
            broken[field.name] = value;
            let answer = knock(&world.house, &broken).err().unwrap_or_else(|| panic!("{broken} was let in"));
            assert_eq!(code(&answer), "invalid_payload", "{broken}");
            count += 1;
        }
        if field.required {
            let mut bare: Map<String, Value> = good.as_object().unwrap().clone();
            bare.remove(field.name);
            assert_eq!(
                code(&knock(&world.house, &bare.into()).err().unwrap()),
                "invalid_payload",
                "{}",
                field.name
            );
        }
    }
    for nothing in
        [json!({ "supportedVersions": [] }), json!({ "supportedProfiles": [] }), json!({ "peer": {} })]
    {
        let mut broken = good.clone();
        broken.as_object_mut().unwrap().extend(nothing.as_object().unwrap().clone());
        assert!(knock(&world.house, &broken).is_err(), "{nothing}");
    }
    assert!(count > 20, "{count}");
    assert_eq!(world.house.count(), 0);
}
