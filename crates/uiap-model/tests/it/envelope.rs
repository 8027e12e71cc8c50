//! The envelope: strict in its mandatory members, tolerant of what it does not know.

use serde_json::{Value, json};
use uiap_model::core::envelope::Envelope;
use uiap_model::core::limits::Limits;
use uiap_model::core::registry::{self, MESSAGES, Reading, answers};
use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::parse;

use crate::support::{accepted, changed, refused, refused_listing};

pub(crate) fn message(kind: &str, message_type: &str, payload: &Value) -> Value {
    let mut out = json!({
        "uiap": "0.1", "kind": kind, "type": message_type, "id": "m1", "sessionId": "s1",
        "ts": "2026-03-26T13:12:09.123Z", "source": { "role": "agent", "id": "a1" }, "payload": payload
    });
    if kind == "response" || kind == "error" {
        out["correlationId"] = json!("m0");
    }
    out
}

fn get() -> Value {
    message("request", "capabilities.get", &json!({}))
}

fn read(value: &Value) -> Reading {
    registry::read(value.to_string().as_bytes(), Limits::default())
}

/// The error of a refused message and whether it is sent.
fn refusal(value: &Value) -> (ErrorPayload, bool) {
    match read(value) {
        Reading::Refused { error, answer, .. } => (*error, answer),
        other => panic!("{value} was not refused: {other:?}"),
    }
}

fn refusal_code(value: &Value) -> String {
    refusal(value).0.code.to_string()
}

/// Requirement: CORE-P-02
#[test]
fn a_message_is_one_json_object_in_utf_8() {
    for bad in [json!([]), json!("text"), Value::Null] {
        assert_eq!(refusal_code(&bad), "invalid_envelope");
    }
    for bad in [&b"{\"uiap\":"[..], b"{\"uiap\": \"\xff\"}", b""] {
        let Reading::Refused { error, .. } = registry::read(bad, Limits::default()) else { panic!() };
        assert_eq!(error.code, "invalid_json");
    }
    let named = changed(get(), "/source/id", json!("Größe"));
    let Reading::Accepted(envelope) = read(&named) else { panic!() };
    assert_eq!(envelope.source.id, "Größe");
}

/// Requirement: CORE-P-03
/// Requirement: CORE-P-04
/// Requirement: CORE-ENV-01
#[test]
fn each_mandatory_member_is_asked_for_by_name() {
    for kind in ["request", "response", "event", "error"] {
        accepted("Envelope", &message(kind, "x.acme.ping", &json!({})));
    }
    assert_eq!(refusal_code(&json!({ "actionId": "ui.activate" })), "invalid_envelope");
    for member in ["uiap", "kind", "type", "id", "ts", "source", "payload"] {
        let (error, _) = refusal(&changed(get(), &format!("/{member}"), Value::Null));
        assert_eq!(error.code, "invalid_envelope");
        assert!(error.message.as_str().contains(member), "{error:?}");
        let (error, _) = refusal(&changed(get(), &format!("/{member}"), json!(7)));
        assert_eq!(error.pointer.unwrap(), format!("/{member}").as_str());
    }
}

/// Requirement: CORE-P-05
/// Requirement: CORE-R8-01
#[test]
fn unknown_members_are_ignored_and_handed_on_unchanged() {
    let mut strange = message(
        "request",
        "action.request",
        &json!({
            "actionId": "ui.activate", "xNote": 1, "target": { "expectedRole": "button", "deep": { "er": [1, 2] } }
        }),
    );
    strange["xNote"] = json!({ "a": null });
    strange["source"]["xNote"] = json!("kept");
    let Reading::Accepted(envelope) = read(&strange) else { panic!() };
    assert_eq!(serde_json::to_value(&envelope).unwrap(), strange);
}

/// Requirement: CORE-T-01
#[test]
fn a_version_is_major_dot_minor() {
    for good in ["0.1", "1.12", "0.10"] {
        accepted("Envelope", &changed(get(), "/uiap", json!(good)));
    }
    for bad in
        [json!("0.1.0"), json!("v0.1"), json!("0"), json!(""), json!(0.1), json!("0.01"), json!("-0.1")]
    {
        let (error, _) = refusal(&changed(get(), "/uiap", bad));
        assert_eq!((error.code.as_str(), error.pointer.unwrap().as_str()), ("invalid_envelope", "/uiap"));
    }
}

/// Requirement: CORE-T-02
#[test]
fn a_timestamp_is_an_instant_in_utc() {
    for good in ["2026-03-26T13:12:09.123Z", "2024-02-29T00:00:00Z", "2026-12-31T23:59:60Z"] {
        accepted("Envelope", &changed(get(), "/ts", json!(good)));
    }
    for bad in [
        json!("2026-03-26T13:12:09"),
        json!("2026-03-26T13:12:09+02:00"),
        json!(1_774_530_729),
        json!("yesterday"),
        json!("2026-02-30T00:00:00Z"),
        json!("2026-03-26 13:12:09Z"),
        json!("2026-03-26T24:00:00Z"),
    ] {
        let (error, _) = refusal(&changed(get(), "/ts", bad));
        assert_eq!(error.pointer.unwrap(), "/ts");
    }
}

/// Requirement: CORE-T-03
/// Requirement: CORE-T-04
#[test]
fn message_and_session_ids_have_1_to_128_characters() {
    for pointer in ["/id", "/sessionId"] {
        for good in ["x".to_owned(), "ä".repeat(128)] {
            accepted("Envelope", &changed(get(), pointer, json!(good)));
        }
        for bad in [json!(""), json!("x".repeat(129)), json!(7)] {
            let (error, _) = refusal(&changed(get(), pointer, bad));
            assert_eq!((error.code.as_str(), error.pointer.unwrap().as_str()), ("invalid_envelope", pointer));
        }
    }
}

/// Requirement: CORE-T-05
#[test]
fn message_types_and_extension_ids_are_dotted_names() {
    for good in ["capabilities.get", "x.acme.ping"] {
        accepted("Envelope", &changed(get(), "/type", json!(good)));
    }
    for bad in ["Session.Initialize", "session..x", ".a", "", "a."] {
        let (error, _) = refusal(&changed(get(), "/type", json!(bad)));
        assert_eq!(error.pointer.unwrap(), "/type");
    }
    let offer = |id: &str| {
        message(
            "request",
            "session.initialize",
            &json!({
                "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "a" }, "supportedProfiles": ["web@0.1"],
                "extensions": [{ "id": id, "versions": ["0.1"] }]
            }),
        )
    };
    for good in ["uiap.policy", "x.vendor.foo"] {
        accepted("Envelope", &offer(good));
    }
    for bad in ["Uiap.Policy", "uiap..x", ".a", "", "x.foo"] {
        let (error, _) = refusal(&offer(bad));
        assert_eq!(
            (error.code.as_str(), error.pointer.unwrap().as_str()),
            ("invalid_payload", "/payload/extensions/0/id")
        );
    }
}

/// Requirement: CORE-T-07
#[test]
fn there_are_four_kinds_of_message() {
    for bad in ["notify", "Request"] {
        refused_listing(
            "Envelope",
            &changed(get(), "/kind", json!(bad)),
            "/kind",
            &["request", "response", "event", "error"],
        );
        let (error, _) = refusal(&changed(get(), "/kind", json!(bad)));
        assert_eq!(error.detail.unwrap().0["allowed"], json!(["request", "response", "event", "error"]));
    }
}

/// Requirement: CORE-T-08
#[test]
fn there_are_four_roles_of_peers() {
    let four = ["app", "agent", "bridge", "observer"];
    for good in four {
        accepted("Envelope", &changed(get(), "/source/role", json!(good)));
    }
    for bad in ["user", "server", ""] {
        refused_listing("Envelope", &changed(get(), "/source/role", json!(bad)), "/source/role", &four);
    }
}

/// Requirement: CORE-T-09
#[test]
fn a_peer_has_a_role_and_an_id_and_may_introduce_itself() {
    let hello = |peer: Value| {
        message(
            "request",
            "session.initialize",
            &json!({
                "supportedVersions": ["0.1"], "peer": peer, "supportedProfiles": ["web@0.1"]
            }),
        )
    };
    accepted("Envelope", &hello(json!({ "role": "agent", "id": "a1" })));
    accepted(
        "Envelope",
        &hello(json!({ "role": "agent", "id": "a1", "name": "A", "version": "1", "locale": "de" })),
    );
    refused("Envelope", &hello(json!({ "role": "agent" })), "/payload/peer");
    refused("Envelope", &hello(json!({ "role": "agent", "id": "" })), "/payload/peer/id");
    refused(
        "Envelope",
        &hello(json!({ "role": "agent", "id": "a1", "version": 1 })),
        "/payload/peer/version",
    );
}

/// Requirement: CORE-ENV-02
#[test]
fn an_answer_names_its_request() {
    for kind in ["response", "error"] {
        let mut bare = message(kind, "x.acme.done", &json!({ "code": "x.acme.busy", "message": "m" }));
        bare.as_object_mut().unwrap().remove("correlationId");
        assert!(refused("Envelope", &bare, "").message.contains("correlationId"));
        let (error, answered) = refusal(&bare);
        assert_eq!((error.code.as_str(), answered), ("invalid_envelope", false));
    }
    // Who could not read the message cannot name it.
    let mut unreadable = message("error", "error", &json!({ "code": "invalid_json", "message": "m" }));
    unreadable.as_object_mut().unwrap().remove("correlationId");
    accepted("Envelope", &unreadable);
}

/// Requirement: CORE-ENV-03
#[test]
fn a_correlation_on_an_event_is_ignored() {
    let mut event = message("event", "session.heartbeat", &json!({ "seq": 1 }));
    event["correlationId"] = json!("m0");
    assert!(matches!(read(&event), Reading::Accepted(_)));
}

/// Requirement: CORE-ENV-04
#[test]
fn everything_but_the_first_message_names_its_session() {
    let mut bare = get();
    bare.as_object_mut().unwrap().remove("sessionId");
    assert_eq!(refusal_code(&bare), "session_required");
    let mut first = message(
        "request",
        "session.initialize",
        &json!({
            "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "a" }, "supportedProfiles": []
        }),
    );
    first.as_object_mut().unwrap().remove("sessionId");
    assert!(matches!(read(&first), Reading::Accepted(_)));
}

/// Requirement: CORE-ENV-05
#[test]
fn the_payload_is_an_object() {
    for bad in [json!([]), json!("x")] {
        let (error, _) = refusal(&changed(get(), "/payload", bad));
        assert_eq!(error.pointer.unwrap(), "/payload");
    }
    let null = {
        let mut null = get();
        null["payload"] = Value::Null;
        null
    };
    assert_eq!(refusal(&null).0.pointer.unwrap(), "/payload");
}

/// Requirement: CORE-ENV-07
#[test]
fn ext_maps_extension_ids_to_objects() {
    accepted("Envelope", &changed(get(), "/ext", json!({ "uiap.policy": { "a": 1 }, "x.acme.foo": {} })));
    refused("Envelope", &changed(get(), "/ext", json!([])), "/ext");
    refused("Envelope", &changed(get(), "/ext", json!({ "uiap.policy": 1 })), "/ext/uiap.policy");
    refused("Envelope", &changed(get(), "/ext", json!({ "Policy": {} })), "/ext/Policy");
}

/// Requirement: CORE-ERR-01
#[test]
fn an_error_has_a_code_and_a_message() {
    accepted(
        "Envelope",
        &message(
            "error",
            "error",
            &json!({ "code": "timeout", "message": "late", "retryable": true,
        "retryAfterMs": 10, "pointer": "/payload", "detail": {} }),
        ),
    );
    for (payload, at) in [
        (json!({ "message": "m" }), "/payload"),
        (json!({ "code": "", "message": "m" }), "/payload/code"),
        (json!({ "code": "c", "message": "" }), "/payload/message"),
        (json!({ "code": "c", "message": "m", "pointer": "a.b" }), "/payload/pointer"),
    ] {
        refused("Envelope", &message("error", "error", &payload), at);
    }
}

/// Requirement: CORE-ERR-02
#[test]
fn core_defines_23_error_codes() {
    assert_eq!(CoreErrorCode::NAMES.len(), 23);
    for name in
        ["invalid_json", "extension_required", "unknown_correlation", "payload_too_large", "internal_error"]
    {
        assert!(CoreErrorCode::parse(name).is_some(), "{name}");
    }
}

/// Requirement: CORE-ERR-03
#[test]
fn codes_of_extensions_are_kept() {
    let value = json!({ "code": "x.acme.busy", "message": "later", "detail": { "until": 3 } });
    let payload: ErrorPayload = parse(value.to_string().as_bytes()).unwrap();
    assert_eq!(payload.code, "x.acme.busy");
    assert_eq!(serde_json::to_value(&payload).unwrap(), value);
    assert_eq!(CoreErrorCode::parse(payload.code.as_str()), None);
}

/// Requirement: CORE-ERR-04
#[test]
fn the_pointer_names_the_offending_member() {
    let offer = message(
        "request",
        "session.initialize",
        &json!({
            "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "a" }, "supportedProfiles": ["web@0.1"],
            "extensions": [{ "id": "uiap.policy", "versions": ["0.1"] }, { "id": "x.acme.foo", "versions": "0.1" }]
        }),
    );
    let (error, _) = refusal(&offer);
    let pointer = error.pointer.unwrap();
    assert_eq!(pointer, "/payload/extensions/1/versions");
    assert!(offer.pointer(pointer.as_str()).is_some());
}

/// Requirement: CORE-ERR-05
#[test]
fn an_error_tells_whether_trying_again_can_help() {
    for code in CoreErrorCode::ALL {
        let error = ErrorPayload::new(*code, "m");
        let helps = matches!(code.as_str(), "rate_limited" | "unavailable" | "timeout");
        assert_eq!(error.retryable == Some(true), helps, "{code}");
    }
    let later = ErrorPayload::new(CoreErrorCode::RateLimited, "m").retry_after(250);
    assert_eq!((later.retryable, later.retry_after_ms.unwrap().0), (Some(true), 250));
}

/// Requirement: CORE-R8-02
/// Requirement: CORE-C5-01
#[test]
fn unknown_requests_are_refused_and_unknown_events_ignored() {
    for strange in ["x.acme.do", "state.snapshot", "state.delta", "action.started", "action.succeeded"] {
        assert_eq!(refusal_code(&message("request", strange, &json!({}))), "unsupported_message_type");
        assert!(matches!(read(&message("event", strange, &json!({}))), Reading::Ignored(_)));
    }
    for known in ["web.state.snapshot", "web.state.delta", "action.progress", "action.result"] {
        assert!(registry::find(known).is_some());
    }
}

/// Requirement: CORE-R9-01
#[test]
fn an_error_is_never_answered() {
    for payload in [json!({}), json!({ "code": "x.nobody.knows", "message": "m" }), json!({ "code": 1 })] {
        match read(&message("error", "error", &payload)) {
            Reading::Refused { answer, .. } => assert!(!answer),
            Reading::Accepted(_) | Reading::Ignored(_) => {}
        }
    }
    let (_, answered) = refusal(&changed(message("error", "error", &json!({})), "/ts", json!("x")));
    assert!(!answered);
}

/// Requirement: CORE-R9-02
#[test]
fn unreadable_text_is_answered_without_correlation() {
    let Reading::Refused { error, correlation, answer } = registry::read(b"{\"uiap\":", Limits::default())
    else {
        panic!()
    };
    assert_eq!((error.code.as_str(), correlation, answer), ("invalid_json", None, true));
    assert_eq!(error.detail.unwrap().0["line"], 1);
}

/// Requirement: CORE-R11-01
#[test]
fn without_agreed_limits_the_defaults_hold() {
    let limits = Limits::default();
    assert_eq!(
        (limits.request_timeout_ms, limits.max_message_bytes, limits.max_in_flight),
        (30_000, 1_048_576, 32)
    );
    let big = changed(get(), "/payload/pad", json!("x".repeat(1_048_576)));
    assert_eq!(refusal_code(&big), "payload_too_large");
}

/// Requirement: CORE-REG-01
#[test]
fn each_request_is_answered_by_its_own_response() {
    for (request, answer) in [
        ("session.initialize", "session.initialized"),
        ("session.terminate", "session.terminated"),
        ("capabilities.get", "capabilities.list"),
        ("web.state.get", "web.state.snapshot"),
        ("web.state.observe", "web.state.observing"),
        ("web.state.unobserve", "web.state.unobserved"),
        ("action.request", "action.accepted"),
        ("action.cancel", "action.cancelled"),
        ("uiap.policy.get", "uiap.policy.document"),
        ("uiap.policy.evaluate", "uiap.policy.decision"),
        ("uiap.workflow.list", "uiap.workflow.catalog"),
        ("uiap.workflow.status.get", "uiap.workflow.status"),
        ("uiap.discovery.plan", "uiap.discovery.planned"),
        ("uiap.discovery.package.get", "uiap.discovery.package"),
    ] {
        assert!(answers(request, answer), "{request}");
        assert!(!answers(request, "action.progress") && !answers(request, request), "{request}");
    }
    for spec in MESSAGES {
        let asks = spec.kinds.contains(&uiap_model::core::MessageKind::Request);
        assert_eq!(asks, !spec.answers.is_empty(), "{}", spec.name);
        for answer in spec.answers {
            assert!(registry::find(answer).is_some(), "{answer}");
        }
    }
}

/// Requirement: CORE-P-06
#[test]
fn core_messages_speak_of_no_selector_pixel_or_driver() {
    for name in
        ["session.initialize", "session.initialized", "session.terminate", "session.heartbeat", "error"]
    {
        let spec = registry::find(name).unwrap();
        let schema = uiap_model::shape::schema::document(
            name,
            name,
            (spec.payload)(),
            uiap_model::shape::Strictness::Wire,
        );
        let text = schema.to_string().to_lowercase();
        for word in ["selector", "xpath", "css", "\"x\"", "\"y\"", "pixel", "driver"] {
            assert!(!text.contains(word), "{name} speaks of {word}");
        }
    }
}

/// Requirement: CORE-C2-01
#[test]
fn the_former_name_is_used_nowhere_but_for_the_alias() {
    for kind in uiap_model::document::KINDS {
        let schema =
            uiap_model::shape::schema::document(kind.name, kind.title, (kind.shape)(), kind.strictness);
        assert!(!schema.to_string().contains("Control Protocol"), "{}", kind.name);
    }
}

/// Requirement: CORE-R12-03
#[test]
fn tokens_do_not_show_up_in_debug_output() {
    let value = json!({ "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "a" }, "supportedProfiles": [],
        "auth": { "scheme": "bearer", "token": "t0ps3cret" }, "resume": { "sessionId": "s", "resumeToken": "t0ps3cret" } });
    let payload: uiap_model::core::SessionInitializePayload = parse(value.to_string().as_bytes()).unwrap();
    assert!(!format!("{payload:?}").contains("t0ps3cret"));
    assert_eq!(payload.auth.unwrap().token.unwrap().expose(), "t0ps3cret");
}

#[test]
fn every_message_of_the_registry_has_a_schema_and_a_shape() {
    let names: Vec<&str> = MESSAGES.iter().map(|spec| spec.name).collect();
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(names.len(), unique.len());
    let envelope: Result<Envelope, _> = parse(get().to_string().as_bytes());
    assert!(envelope.is_ok());
}
