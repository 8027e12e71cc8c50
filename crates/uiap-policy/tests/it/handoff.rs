//! A person takes over.

use serde_json::{Value, json};
use uiap_model::parse::decode;
use uiap_model::policy::document::HandoffPolicy;
use uiap_model::policy::message::{HandoffCompletedPayload, HandoffRequestPayload};
use uiap_model::shape::Strictness;
use uiap_policy::handoff::{HandoffStep, HandoffWait};

use crate::support::{policies, refusal};

fn request(members: Value) -> HandoffRequestPayload {
    let mut value = json!({ "handoffId": "h1", "reason": "captcha" });
    crate::support::merge(&mut value, members);
    serde_json::from_value(value).unwrap()
}

fn completed(id: &str, outcome: &str) -> HandoffCompletedPayload {
    serde_json::from_value(json!({ "handoffId": id, "outcome": outcome })).unwrap()
}

fn wait(policy: Value) -> HandoffWait {
    let policy: HandoffPolicy = serde_json::from_value(policy).unwrap();
    HandoffWait::open(&request(json!({})), Some(&policy), 1_000)
}

/// Requirement: POL-HO-01
#[test]
fn a_handoff_needs_a_reason() {
    let full = json!({ "handoffId": "h", "reason": "r", "actionHandle": "a", "workflowInstanceId": "w", "actionId": "x.y", "instructions": "do it", "resumeOn": [], "timeoutMs": 5 });
    assert!(decode::<HandoffRequestPayload>(&full, Strictness::Wire).is_ok());
    assert!(decode::<HandoffRequestPayload>(&json!({ "handoffId": "h" }), Strictness::Wire).is_err());
}

/// Requirement: POL-HO-02
#[test]
fn each_outcome_ends_the_wait_in_its_way() {
    assert_eq!(wait(json!({})).completed(&completed("h1", "done")), HandoffStep::Verify);
    assert_eq!(wait(json!({})).completed(&completed("h1", "declined")), HandoffStep::Cancel);
    assert_eq!(wait(json!({})).completed(&completed("h1", "timeout")), HandoffStep::Cancel);
    assert_eq!(wait(json!({})).signalled(), HandoffStep::Verify);
    let mut waiting = wait(json!({}));
    assert_eq!(waiting.completed(&completed("h2", "done")), HandoffStep::Ignore);
    assert_eq!(waiting.completed(&completed("h1", "done")), HandoffStep::Verify);
    assert_eq!(waiting.completed(&completed("h1", "done")), HandoffStep::Ignore, "one end only");
}

/// Requirement: POL-HO-03
#[test]
fn time_runs_out_as_the_policy_says() {
    let mut cancelling = wait(json!({ "to": "user", "timeoutMs": 500, "onTimeout": "cancel" }));
    assert_eq!((cancelling.tick(1_499), cancelling.tick(1_500)), (HandoffStep::Wait, HandoffStep::Cancel));
    let mut patient = wait(json!({ "to": "support", "timeoutMs": 500, "onTimeout": "wait" }));
    assert_eq!(patient.tick(9_999), HandoffStep::Wait);
    assert_eq!(patient.completed(&completed("h1", "done")), HandoffStep::Verify);
    assert_eq!(
        policies(json!({ "handoff": { "to": "support" } })).handoff().unwrap().to.unwrap().as_str(),
        "support"
    );
    assert_eq!(refusal(json!({ "handoff": { "onTimeout": "retry" } })).0, "/handoff/onTimeout");
}
