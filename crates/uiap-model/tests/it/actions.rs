//! Requests and results of actions.

use serde_json::json;
use uiap_model::action::{ActionResultPayload, SideEffectState};
use uiap_model::core::limits::Limits;
use uiap_model::core::registry::{self, Reading};
use uiap_model::parse;

use crate::envelope::message;
use crate::support::{accepted, refused};

/// Requirement: CORE-C12-01
#[test]
fn ambiguity_cannot_be_asked_for() {
    let request = |value: &serde_json::Value| json!({ "actionId": "ui.activate", "target": value });
    accepted("ActionRequest", &request(&json!({ "allowAmbiguous": false })));
    accepted("ActionRequest", &request(&json!({})));
    refused("ActionRequest", &request(&json!({ "allowAmbiguous": true })), "/target/allowAmbiguous");
    let envelope = message("request", "action.request", &request(&json!({ "allowAmbiguous": true })));
    let Reading::Refused { error, .. } = registry::read(envelope.to_string().as_bytes(), Limits::default())
    else {
        panic!()
    };
    assert_eq!(
        (error.code.as_str(), error.pointer.unwrap().as_str()),
        ("invalid_payload", "/payload/target/allowAmbiguous")
    );
}

/// Requirement: CORE-C16-01
#[test]
fn a_result_without_a_side_effect_state_is_taken_as_unknown() {
    let mut result = json!({ "actionHandle": "act_1", "actionId": "ui.activate", "status": "failed",
        "verification": { "passed": false, "policy": "none", "observed": [] } });
    let read =
        |value: &serde_json::Value| parse::<ActionResultPayload>(value.to_string().as_bytes()).unwrap();
    assert_eq!(read(&result).side_effect(), SideEffectState::Unknown);
    assert_eq!(read(&result).check().len(), 1);
    for state in ["none", "applied", "unknown"] {
        result["sideEffectState"] = json!(state);
        assert_eq!(read(&result).side_effect().as_str(), state);
        assert!(read(&result).check().is_empty());
    }
    result["sideEffectState"] = json!("maybe");
    refused("ActionResult", &result, "/sideEffectState");
}

/// Requirement: CORE-C10-01
#[test]
fn a_confirmation_is_asked_by_request_and_answered_by_response_or_event() {
    let ask = json!({ "actionHandle": "act_1", "actionId": "team.invite", "risk": { "level": "confirm" } });
    accepted("Envelope", &message("request", "action.confirmation.request", &ask));
    for (kind, name) in [
        ("response", "action.confirmation.grant"),
        ("event", "action.confirmation.grant"),
        ("response", "action.confirmation.deny"),
        ("event", "action.confirmation.deny"),
    ] {
        let value = message(kind, name, &json!({ "actionHandle": "act_1" }));
        let read = registry::read(value.to_string().as_bytes(), Limits::default());
        assert!(matches!(read, Reading::Accepted(_)), "{kind} {name}");
    }
    assert!(registry::answers("action.confirmation.request", "action.confirmation.deny"));
}
