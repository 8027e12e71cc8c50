//! What only a person can do is left to a person, said in words, and verified all the same.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::policy::message::HandoffCompletedPayload;
use uiap_policy::Policies;
use uiap_runtime::action::{ActionEvent, Running};
use uiap_runtime::surface::{DispatchError, DispatchErrorKind};

use super::{activate, button};
use crate::graph::{graph, scope, with};
use crate::scripted::{Answer, Page, Session};

async fn gated() -> Session {
    let session = Session::on(vec![button("pick", "Pick a file")]).await;
    session.page.answer(None, "click", None, |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::NeedsUser, "the browser wants a gesture"))
    });
    session
}

fn gesture(page: &Page) {
    page.tell(json!({ "kind": "user.activation", "isActive": true }));
}

/// Requirement: ACT-14-01
/// Requirement: ACT-14-02
/// Requirement: ACT-14-03
/// Requirement: ACT-14-04
/// Requirement: ACT-3-05
/// Requirement: ACT-10.2-04
#[tokio::test(start_paused = true)]
async fn an_action_waits_for_a_real_gesture_and_is_verified_then() {
    let session = gated().await;
    session.page.later(5_000, |page| {
        gesture(page);
        page.toast("1 file chosen");
    });
    let came = session.act(activate("pick")).await;
    came.succeeded();
    assert_eq!(
        came.stages(),
        ["resolving_target", "checking_preconditions", "executing", "waiting_for_user", "verifying"]
    );
    let told = came.progress().into_iter().find(|told| told["stage"] == "waiting_for_user").unwrap();
    let note = told["note"].as_str().unwrap();
    assert!(note.contains("Pick a file") && note.contains("please"), "{note}");
    assert_eq!(session.page.sent(), ["click pick"]);
}

/// Requirement: ACT-14-04
/// Requirement: ACT-15.4-01
/// Requirement: ACT-10.4-02
#[tokio::test(start_paused = true)]
async fn without_a_gesture_the_action_fails_cleanly_and_a_script_is_no_person() {
    for mode in ["semanticUi", "inputSynthesis"] {
        let session = gated().await;
        // A script clicks and even shows success: nobody was there.
        session.page.later(100, |page| page.toast("1 file chosen"));
        session.page.later(200, |page| page.tell(json!({ "kind": "user.activation", "isActive": false })));
        let request =
            with(activate("pick"), json!({ "timeoutMs": 2_000, "preferredExecutionModes": [mode] }));
        let came = session.act(request).await;
        came.failed(Code::UserActivationRequired);
        assert!(came.stages().contains(&"waiting_for_user".to_owned()));
        assert!((2_000..2_100).contains(&came.took.as_millis()), "{:?}", came.took);
    }
    let session = gated().await;
    let came = session.act(activate("pick")).await;
    came.failed(Code::UserActivationRequired);
    assert!((119..=122).contains(&came.took.as_secs()), "{:?}", came.took);
}

/// Requirement: ACT-14-04
#[tokio::test(start_paused = true)]
async fn a_gesture_without_an_effect_is_no_success() {
    let session = gated().await;
    session.page.later(100, gesture);
    session.act(activate("pick")).await.failed(Code::VerificationFailed);
}

/// Requirement: ACT-5.6-01
#[tokio::test(start_paused = true)]
async fn an_action_that_waits_for_a_person_can_be_given_up() {
    let session = gated().await;
    let running = session.request(activate("pick")).await.unwrap();
    let (runtime, handle) = (session.runtime.clone(), running.accepted.action_handle.clone());
    session.page.later(100, move |_| runtime.cancel(&handle, None).unwrap());
    session.end(running, Instant::now()).await.cancelled(Code::Cancelled);
}

/// A policy that leaves activation to people.
async fn left_to_people(more: Value) -> Session {
    let document = with(
        json!({
            "modelVersion": "0.1", "id": "app", "defaults": { "onUnknownAction": "deny" },
            "rules": [{
                "id": "by-hand", "match": { "actions": ["ui.activate"] }, "effect": "handoff",
                "obligations": [{ "type": "handoff", "reason": "legal", "instructions": "Please sign with your own hand." }]
            }]
        }),
        more,
    );
    let policies = Arc::new(Policies::single(serde_json::from_value(document).unwrap()).unwrap());
    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![button("sign", "Sign")])]));
    Session::with(page, |options| options.policies = policies).await
}

async fn asked(session: &Session, more: Value) -> (Running, Vec<ActionEvent>) {
    let mut running = session.request(with(activate("sign"), more)).await.unwrap();
    let events = session.asked(&mut running).await;
    (running, events)
}

fn completed(running: &Running, outcome: &str) -> HandoffCompletedPayload {
    let id = format!("handoff_{}", running.accepted.action_handle);
    serde_json::from_value(json!({ "handoffId": id, "outcome": outcome })).unwrap()
}

/// Requirement: POL-HO-04
/// Requirement: ACT-14-03
#[tokio::test(start_paused = true)]
async fn a_step_that_the_policy_leaves_to_people_is_verified_when_they_did_it() {
    let session = left_to_people(json!({})).await;
    let (running, events) = asked(&session, json!({})).await;
    let Some(ActionEvent::Handoff(request)) = events.last() else { panic!("{events:?}") };
    assert_eq!(request.reason, "legal");
    let waiting = events.iter().find_map(|event| match event {
        ActionEvent::Progress(told) if json!(told.stage) == "waiting_for_user" => told.note.clone(),
        _ => None,
    });
    assert_eq!(waiting.as_deref(), Some("Please sign with your own hand."));
    session.page.toast("Signed");
    session.runtime.handed_back(&running.accepted.action_handle, &completed(&running, "done")).unwrap();
    session.end(running, Instant::now()).await.succeeded();
    assert_eq!(session.page.sent(), Vec::<String>::new());

    // Done without evidence.
    let (running, _) = asked(&session, json!({})).await;
    session.runtime.handed_back(&running.accepted.action_handle, &completed(&running, "done")).unwrap();
    session.end(running, Instant::now()).await.failed(Code::VerificationFailed);
}

/// Requirement: POL-HO-04
#[tokio::test(start_paused = true)]
async fn a_signal_that_was_waited_for_resumes_and_a_refusal_ends_it() {
    let session = left_to_people(json!({})).await;
    let expect = json!({ "verification": { "policy": "all", "signals": [{ "kind": "toast.contains", "text": "Signed" }] } });
    let (running, events) = asked(&session, expect.clone()).await;
    let Some(ActionEvent::Handoff(request)) = events.last() else { panic!("{events:?}") };
    assert_eq!(request.resume_on.as_ref().map(Vec::len), Some(1));
    session.page.toast("Signed");
    session.end(running, Instant::now()).await.succeeded();

    let (running, _) = asked(&session, expect).await;
    let handle = running.accepted.action_handle.clone();
    let mut foreign = completed(&running, "done");
    foreign.handoff_id = "handoff_other".into();
    assert!(session.runtime.handed_back(&handle, &foreign).is_err());
    session.runtime.handed_back(&handle, &completed(&running, "declined")).unwrap();
    let declined = completed(&running, "declined");
    let came = session.end(running, Instant::now()).await;
    came.cancelled(Code::Cancelled);
    assert_eq!(came.side_effect(), "none");
    assert!(session.runtime.handed_back(&handle, &declined).is_err());
}

/// Requirement: POL-HO-04
#[tokio::test(start_paused = true)]
async fn the_policy_says_how_long_a_person_has() {
    let session = left_to_people(json!({ "handoff": { "to": "user", "timeoutMs": 7_000 } })).await;
    let start = Instant::now();
    let (running, _) = asked(&session, json!({})).await;
    let came = session.end(running, start).await;
    assert_eq!(came.status(), "failed");
    assert!((Duration::from_secs(7)..Duration::from_millis(7_100)).contains(&came.took), "{:?}", came.took);
}

/// What an agent does meanwhile looks to the page like a person: it waits until the person is done.
///
/// Requirement: ACT-14-04
#[tokio::test(start_paused = true)]
async fn another_action_is_no_gesture_of_a_person() {
    let session = left_to_people(json!({})).await;
    session.page.add("main", super::field("t", "Note"));
    session.page.on("type", "t", |page| {
        gesture(page);
        page.set_value("t", "me");
        page.toast("noted");
    });
    let (person, _) = asked(&session, json!({})).await;
    let enter = json!({ "actionId": "ui.enterText", "target": crate::scripted::target("t"), "args": { "text": "me" }, "timeoutMs": 3_000 });
    let agent = session.request(enter).await.unwrap();
    let came = session.end(agent, Instant::now()).await;
    assert_eq!(came.side_effect(), "none", "{}", came.story());
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.page.later(100, |page| {
        gesture(page);
        page.toast("signed");
    });
    session.end(person, Instant::now()).await.succeeded();
}
