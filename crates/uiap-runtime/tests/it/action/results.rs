//! What a result carries, whatever the end.

use serde_json::{Value, json};
use uiap_model::action::result::{
    ActionProgressPayload, ActionResultPayload, ResolvedTarget, RuntimeErrorCode as Code,
    RuntimeErrorDescriptor,
};
use uiap_model::action::verification::VerificationOutcome;
use uiap_model::parse::decode;
use uiap_model::shape::{Strictness, Wire};

use super::{activate, one_button};
use crate::graph::with;

fn rejected<T: Wire + std::fmt::Debug>(value: &Value) -> String {
    format!("{:?}", decode::<T>(value, Strictness::Wire).unwrap_err())
}

fn without(mut value: Value, member: &str) -> Value {
    value.as_object_mut().unwrap().shift_remove(member);
    value
}

/// Requirement: ACT-5.8-01
/// Requirement: ACT-16-07
/// Requirement: ACT-6.4-02
#[tokio::test(start_paused = true)]
async fn every_end_has_a_complete_result() {
    let session = one_button().await;
    let good = json!(*session.act(activate("b")).await.result);
    let bad = json!(*session.act(activate("dead")).await.result);
    let running = session.request(activate("b")).await.unwrap();
    session.runtime.cancel(&running.accepted.action_handle, None).unwrap();
    let given_up = json!(*session.end(running, tokio::time::Instant::now()).await.result);
    for (result, status) in [(&good, "succeeded"), (&bad, "failed"), (&given_up, "cancelled")] {
        assert_eq!(result["status"], status);
        assert!(result["verification"]["observed"].is_array(), "{result}");
        decode::<ActionResultPayload>(result, Strictness::Wire).unwrap();
    }
    assert!(good.get("error").is_none());
    assert_eq!(good["stateRevision"], "rev_2");
    for result in [&bad, &given_up] {
        assert!(result["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(result["error"]["code"].is_string());
    }
    for member in ["verification", "actionId", "actionHandle", "status"] {
        assert!(rejected::<ActionResultPayload>(&without(good.clone(), member)).contains(member));
    }
}

/// Requirement: ACT-5.8-02
/// Requirement: ACT-5.8-03
/// Requirement: ACT-5.2-01
/// Requirement: ACT-5.2-02
/// Requirement: ACT-6.1-02
/// Requirement: ACT-6.3-01
/// Requirement: ACT-6.4-01
/// Requirement: ACT-6.4-02
#[tokio::test(start_paused = true)]
async fn words_that_the_protocol_does_not_know_are_refused_with_those_it_knows() {
    let session = one_button().await;
    let came = session.act(activate("b")).await;
    let good = json!(*came.result);
    for wrong in ["success", "timeout", "partial"] {
        let told = rejected::<ActionResultPayload>(&with(good.clone(), json!({ "status": wrong })));
        assert!(["succeeded", "failed", "cancelled"].iter().all(|word| told.contains(word)), "{told}");
    }
    for wrong in [json!("partial"), json!(true)] {
        let told = rejected::<ActionResultPayload>(&with(good.clone(), json!({ "sideEffectState": wrong })));
        assert!(told.contains("sideEffectState"), "{told}");
    }
    let told = rejected::<ActionResultPayload>(&with(good.clone(), json!({ "sideEffectState": "partial" })));
    assert!(["none", "applied", "unknown"].iter().all(|word| told.contains(word)), "{told}");
    let progress = came.progress().pop().unwrap();
    for wrong in ["succeeded", "received", "EXECUTING"] {
        let told = rejected::<ActionProgressPayload>(&with(progress.clone(), json!({ "stage": wrong })));
        let stages = ["resolving_target", "awaiting_confirmation", "waiting_for_user", "recovering"];
        assert!(stages.iter().all(|stage| told.contains(stage)), "{told}");
    }
    assert!(rejected::<ActionProgressPayload>(&without(progress, "stage")).contains("stage"));
    let target = good["resolvedTarget"].clone();
    for wrong in ["css", "xpath", "scope"] {
        let told = rejected::<ResolvedTarget>(&with(target.clone(), json!({ "by": wrong })));
        let all = ["stableId", "instanceId", "semantic", "annotation", "runtimeHint"];
        assert!(all.iter().all(|word| told.contains(word)), "{told}");
    }
    for member in ["by", "instanceId", "documentId", "role"] {
        assert!(rejected::<ResolvedTarget>(&without(target.clone(), member)).contains(member));
    }
    let outcome = without(good["verification"].clone(), "observed");
    assert!(rejected::<VerificationOutcome>(&outcome).contains("observed"));
    let told = rejected::<RuntimeErrorDescriptor>(&json!({ "code": "not_found", "message": "x" }));
    assert!(Code::ALL.iter().all(|code| told.contains(code.as_str())), "{told}");
    assert_eq!(Code::ALL.len(), 18);
    assert!(rejected::<RuntimeErrorDescriptor>(&json!({ "code": "timeout" })).contains("message"));
}

/// Requirement: ACT-6.1-01
#[tokio::test(start_paused = true)]
async fn a_resolved_target_describes_what_was_acted_on() {
    let session = one_button().await;
    session
        .page
        .set("b", json!({ "stableId": "new", "bbox": { "x": 1, "y": 2, "width": 30, "height": 40 } }));
    let came = session.act(activate("b")).await;
    came.succeeded();
    let told = json!(came.result.resolved_target);
    assert_eq!(
        told,
        json!({
            "by": "instanceId", "instanceId": "b", "stableId": "new", "documentId": "doc_root", "scopeId": "main",
            "role": "button", "name": "New", "bbox": { "x": 1, "y": 2, "width": 30, "height": 40 }
        })
    );
    for progress in came.progress().iter().filter(|told| told.get("resolvedTarget").is_some()) {
        assert_eq!(progress["resolvedTarget"]["instanceId"], "b");
    }
}
