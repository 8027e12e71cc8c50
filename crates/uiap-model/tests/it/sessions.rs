//! Messages of a session and the states it goes through.

use serde_json::{Value, json};
use uiap_model::core::binding::ReconnectPolicy;
use uiap_model::core::{SessionInitializedPayload, SessionState, TerminateReason};
use uiap_model::names::BindingId;
use uiap_model::parse;

use crate::envelope::message;
use crate::support::{accepted, changed, refused, refused_listing};

fn initialize() -> Value {
    message(
        "request",
        "session.initialize",
        &json!({
            "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "a" }, "supportedProfiles": ["web@0.1"]
        }),
    )
}

/// Requirement: CORE-MSG-01
#[test]
fn initialize_needs_versions_peer_and_profiles() {
    accepted("Envelope", &initialize());
    for member in ["supportedVersions", "peer", "supportedProfiles"] {
        refused("Envelope", &changed(initialize(), &format!("/payload/{member}"), Value::Null), "/payload");
    }
    refused(
        "Envelope",
        &changed(initialize(), "/payload/supportedVersions", json!([])),
        "/payload/supportedVersions",
    );
    refused(
        "Envelope",
        &changed(initialize(), "/payload/supportedVersions", json!("0.1")),
        "/payload/supportedVersions",
    );
    refused(
        "Envelope",
        &changed(initialize(), "/payload/supportedVersions", json!(["0.1.0"])),
        "/payload/supportedVersions/0",
    );
}

/// Requirement: CORE-MSG-02
#[test]
fn an_extension_offer_needs_versions() {
    let offer = |value: Value| changed(initialize(), "/payload/extensions", json!([value]));
    accepted(
        "Envelope",
        &offer(json!({ "id": "uiap.policy", "versions": ["0.1"], "required": true, "config": {} })),
    );
    refused("Envelope", &offer(json!({ "id": "uiap.policy" })), "/payload/extensions/0");
    refused(
        "Envelope",
        &offer(json!({ "id": "uiap.policy", "versions": [] })),
        "/payload/extensions/0/versions",
    );
    refused(
        "Envelope",
        &offer(json!({ "id": "uiap.policy", "versions": ["0.1"], "required": "yes" })),
        "/payload/extensions/0/required",
    );
}

/// Requirement: CORE-MSG-03
#[test]
fn auth_needs_a_scheme_and_resume_both_of_its_members() {
    let with = |member: &str, value: Value| changed(initialize(), &format!("/payload/{member}"), value);
    accepted("Envelope", &with("auth", json!({ "scheme": "bearer", "token": "t" })));
    refused("Envelope", &with("auth", json!({ "token": "t" })), "/payload/auth");
    accepted("Envelope", &with("resume", json!({ "sessionId": "s", "resumeToken": "t" })));
    refused("Envelope", &with("resume", json!({ "sessionId": "s" })), "/payload/resume");
    refused("Envelope", &with("resume", json!({ "resumeToken": "t" })), "/payload/resume");
}

/// Requirement: CORE-MSG-05
#[test]
fn a_heartbeat_interval_is_never_negative() {
    let answer = |heartbeat: Value| {
        let value = json!({ "sessionId": "s", "selectedVersion": "0.1", "peer": { "role": "bridge", "id": "b" },
            "selectedProfiles": ["web@0.1"], "heartbeatMs": heartbeat });
        parse::<SessionInitializedPayload>(value.to_string().as_bytes())
    };
    assert_eq!(answer(json!(0)).unwrap().heartbeat_ms.unwrap().0, 0);
    assert_eq!(answer(json!(15000)).unwrap().heartbeat_ms.unwrap().0, 15000);
    assert_eq!(answer(json!(-1)).unwrap_err()[0].pointer, "/heartbeatMs");
}

/// Requirement: CORE-MSG-06
/// Requirement: CORE-MSG-07
/// Requirement: CORE-MSG-08
#[test]
fn a_session_ends_for_one_of_seven_reasons() {
    assert_eq!(TerminateReason::NAMES.len(), 7);
    for kind in [
        ("request", "session.terminate"),
        ("response", "session.terminated"),
        ("event", "session.terminated"),
    ] {
        for reason in TerminateReason::NAMES {
            accepted("Envelope", &message(kind.0, kind.1, &json!({ "reason": reason, "note": "n" })));
        }
        refused("Envelope", &message(kind.0, kind.1, &json!({})), "/payload");
        for bad in ["done", "timeout"] {
            let value = message(kind.0, kind.1, &json!({ "reason": bad }));
            refused_listing("Envelope", &value, "/payload/reason", TerminateReason::NAMES);
        }
    }
}

/// Requirement: CORE-MSG-09
#[test]
fn a_heartbeat_is_numbered() {
    accepted("Envelope", &message("event", "session.heartbeat", &json!({ "seq": 7 })));
    refused("Envelope", &message("event", "session.heartbeat", &json!({})), "/payload");
    refused("Envelope", &message("event", "session.heartbeat", &json!({ "seq": "7" })), "/payload/seq");
}

/// Requirement: CORE-MSG-12
#[test]
fn changed_capabilities_carry_their_revision() {
    accepted(
        "Envelope",
        &message("event", "capabilities.changed", &json!({ "revision": "cap_2", "reason": "r" })),
    );
    refused("Envelope", &message("event", "capabilities.changed", &json!({})), "/payload");
}

/// Requirement: CORE-ST-01
#[test]
fn a_session_has_six_states() {
    assert_eq!(SessionState::NAMES, ["new", "initializing", "active", "suspended", "terminating", "closed"]);
    for bad in ["open", "ACTIVE"] {
        assert_eq!(SessionState::parse(bad), None);
        let problems = parse::<SessionState>(json!(bad).to_string().as_bytes()).unwrap_err();
        assert_eq!(problems[0].allowed, SessionState::NAMES);
    }
}

/// Requirement: CORE-ST-02
#[test]
fn nothing_leaves_closed_and_no_state_is_skipped() {
    use SessionState::{Active, Closed, Initializing, New, Suspended, Terminating};
    let legal = [
        (New, Initializing),
        (Initializing, Active),
        (Active, Suspended),
        (Suspended, Active),
        (Active, Terminating),
        (Suspended, Terminating),
        (New, Closed),
        (Initializing, Closed),
        (Active, Closed),
        (Suspended, Closed),
        (Terminating, Closed),
    ];
    for from in SessionState::ALL {
        for to in SessionState::ALL {
            assert_eq!(from.may_become(*to), legal.contains(&(*from, *to)), "{from} to {to}");
        }
    }
}

/// Requirement: CORE-T-10
#[test]
fn a_reconnect_policy_waits_longer_each_time_and_a_binding_names_its_version() {
    let full =
        json!({ "maxAttempts": 5, "initialDelayMs": 500, "maxDelayMs": 15000, "factor": 2, "jitter": true });
    accepted("ReconnectPolicy", &full);
    for (pointer, bad) in [("/initialDelayMs", json!(-1)), ("/factor", json!(0.5)), ("/jitter", json!("yes"))]
    {
        refused("ReconnectPolicy", &changed(full.clone(), pointer, bad), pointer);
    }
    assert!(parse::<ReconnectPolicy>(full.to_string().as_bytes()).is_ok());
    assert!(BindingId::parse("http@0.1").is_some());
    for bad in ["http", "http@", "@0.1", "http@1", "HTTP@0.1"] {
        assert!(BindingId::parse(bad).is_none(), "{bad}");
    }
}
