//! What the policy says holds, whatever the agent wishes.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_policy::Policies;
use uiap_runtime::action::ActionEvent;

use super::{activate, button};
use crate::graph::{graph, scope, with};
use crate::scripted::{Page, Session, agent, descriptor, target, user};

fn policies(rules: Value) -> Arc<Policies> {
    let document = json!({
        "modelVersion": "0.1", "id": "app", "defaults": { "onUnknownAction": "deny" }, "rules": rules
    });
    Arc::new(Policies::single(serde_json::from_value(document).unwrap()).unwrap())
}

async fn under(rules: Value) -> Session {
    let page = Page::new(graph(vec![scope(
        "main",
        "region",
        "Main",
        vec![button("b", "Save"), button("c", "Close")],
    )]));
    for id in ["b", "c"] {
        page.on("click", id, move |page| {
            page.effect(id);
            page.toast(&format!("{id} {}", page.effects(id)));
        });
    }
    let policies = policies(rules);
    Session::with(page, |options| {
        options.policies = policies;
        options.actions = vec![
            descriptor("video.wipe", json!({ "risk": { "level": "blocked" } })),
            descriptor("video.sync", json!({})),
        ];
    })
    .await
}

fn deny(actions: &[&str]) -> Value {
    json!([{ "id": "no", "match": { "actions": actions }, "effect": "deny", "reason": "not here" }])
}

/// Requirement: ACT-9.1-03
/// Requirement: POL-P-02
/// Requirement: POL-C7-01
#[tokio::test(start_paused = true)]
async fn what_the_policy_denies_does_not_run() {
    let session = under(deny(&["ui.activate"])).await;
    let came = session.act(activate("b")).await;
    came.failed(Code::PolicyDenied);
    assert_eq!(came.side_effect(), "none");
    assert!(came.message().contains("not here"), "{}", came.message());
    assert_eq!(came.detail("/matchedRules/0"), json!("app/no"));
    assert!(!came.stages().contains(&"executing".to_owned()));
    assert_eq!(session.page.effects("b"), 0);
    session.runtime.set_policies(policies(json!([])));
    session.act(activate("b")).await.succeeded();
}

/// Requirement: POL-RT-02
/// Requirement: ACT-9.1-03
#[tokio::test(start_paused = true)]
async fn what_is_denied_whatever_the_target_is_refused_before_it_is_accepted() {
    let session = under(deny(&["video.sync"])).await;
    for request in [
        json!({ "actionId": "video.sync" }),
        json!({ "actionId": "video.wipe" }),
        json!({ "actionId": "video.wipe", "target": target("b") }),
    ] {
        let refused = session.refusal(request).await;
        assert_eq!(refused.code, Code::PolicyDenied);
        let decision = json!(refused.detail.unwrap().0)["decision"].clone();
        assert_eq!(decision["effect"], "deny");
        assert!(decision["decisionId"].is_string());
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let denied =
        session.audit.lock().unwrap().iter().filter(|record| json!(record)["effect"] == "deny").count();
    assert_eq!(denied, 3);
}

/// Requirement: POL-RT-01
/// Requirement: POL-C7-01
#[tokio::test(start_paused = true)]
async fn the_policy_is_asked_again_after_a_confirmation() {
    let confirm = json!([{ "id": "ask", "match": { "actions": ["ui.activate"] }, "effect": "confirm" }]);
    for change in ["policy", "page"] {
        let session = under(confirm.clone()).await;
        let mut running = session.request(activate("b")).await.unwrap();
        session.asked(&mut running).await;
        if change == "policy" {
            session.runtime.set_policies(policies(deny(&["ui.activate"])));
        } else {
            session.page.set("b", json!({ "risk": { "level": "blocked" } }));
        }
        session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
        let came = session.end(running, Instant::now()).await;
        came.failed(Code::PolicyDenied);
        assert_eq!(session.page.sent(), Vec::<String>::new());
    }
}

/// Requirement: POL-RT-03
/// Requirement: ACT-5.3-02
#[tokio::test(start_paused = true)]
async fn a_policy_can_ask_a_person_about_what_the_app_calls_safe() {
    let rule = json!([{ "id": "ask", "match": { "actions": ["ui.activate"] }, "effect": "confirm",
        "obligations": [{ "type": "confirm", "text": "Really?", "expiresMs": 5_000 }] }]);
    let session = under(rule).await;
    let mut running = session.request(activate("b")).await.unwrap();
    let events = session.asked(&mut running).await;
    let Some(ActionEvent::Confirmation(question)) = events.last() else { panic!("{events:?}") };
    assert!(question.preview.as_ref().unwrap().summary.as_ref().unwrap().contains("Really?"));
    assert_eq!(session.page.effects("b"), 0);
    let start = Instant::now();
    let came = session.end(running, start).await;
    came.cancelled(Code::Cancelled);
    assert!((5_000..5_100).contains(&came.took.as_millis()), "{:?}", came.took);
    assert!(session.audit.lock().unwrap().iter().any(|record| json!(record)["outcome"] == "expired"));
}

/// Requirement: POL-RT-01
#[tokio::test(start_paused = true)]
async fn obligations_restrict_modes_demand_proof_and_tell_people() {
    let rule = json!([{ "id": "careful", "match": { "actions": ["ui.activate"] }, "effect": "allow", "obligations": [
        { "type": "restrictModes", "modes": ["externalDriver"] },
        { "type": "verify", "policy": "all", "signals": [{ "kind": "toast.contains", "text": "b" }] },
        { "type": "notify", "text": "This is recorded." }
    ] }]);
    let session = under(rule).await;
    let came = session.act(activate("b")).await;
    assert_eq!(came.succeeded().mode(), "externalDriver");
    assert!(came.observed().contains(&"toast.contains".to_owned()));
    assert!(came.progress().iter().any(|told| told["note"] == "This is recorded."), "{:?}", came.progress());
    // Proof is demanded even where the requester wants none.
    let none = json!({ "verification": { "policy": "none" } });
    let came = session.act(with(activate("c"), none)).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.missing(), ["toast.contains"]);
    // No mode is left.
    let came = session.act(with(activate("b"), json!({ "preferredExecutionModes": ["semanticUi"] }))).await;
    came.failed(Code::ExecutionModeUnavailable);
}

/// Requirement: POL-MSG-07
#[tokio::test(start_paused = true)]
async fn every_decision_and_end_is_written_down_in_order() {
    let session = under(json!([])).await;
    session.act(activate("b")).await.succeeded();
    let records: Vec<Value> = session.audit.lock().unwrap().iter().map(|record| json!(record)).collect();
    let told: Vec<(&str, &str)> = records
        .iter()
        .map(|record| (record["event"].as_str().unwrap(), record["outcome"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(told, [("decision", "-"), ("execution", "succeeded")]);
    assert_eq!(records[1]["sideEffectState"], "applied");
    assert_eq!(records[1]["principal"]["id"], json!(agent().principal.id));
}
