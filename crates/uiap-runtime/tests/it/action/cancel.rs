//! An action that is given up stops at the next safe point and starts nothing new.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::request::ActionCancelledPayload;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::names::ActionHandle;
use uiap_model::parse::decode;
use uiap_model::shape::Strictness;
use uiap_runtime::action::UnknownAction;
use uiap_runtime::surface::Done;

use super::{activate, button, one_button};
use crate::graph::with;
use crate::scripted::{Answer, Session};

/// Requirement: ACT-5.6-01
/// Requirement: ACT-6.4-05
#[tokio::test(start_paused = true)]
async fn an_action_is_given_up_before_it_is_begun() {
    let session = one_button().await;
    let running = session.request(activate("b")).await.unwrap();
    session.runtime.cancel(&running.accepted.action_handle, Some("changed my mind")).unwrap();
    let came = session.end(running, Instant::now()).await;
    came.cancelled(Code::Cancelled);
    assert_eq!(came.message(), "changed my mind");
    assert_eq!(came.side_effect(), "none");
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-5.6-01
/// Requirement: ACT-5.8-02
#[tokio::test(start_paused = true)]
async fn an_action_is_given_up_while_it_waits_for_its_target() {
    let session = Session::on(vec![with(button("b", "Busy"), json!({ "state": { "busy": true } }))]).await;
    let running = session.request(activate("b")).await.unwrap();
    let handle = running.accepted.action_handle.clone();
    let runtime = session.runtime.clone();
    session.page.later(100, move |_| runtime.cancel(&handle, None).unwrap());
    session.page.later(150, |page| page.set_state("b", json!({ "busy": false })));
    let start = Instant::now();
    let came = session.end(running, start).await;
    came.cancelled(Code::Cancelled);
    assert!(came.took < Duration::from_millis(110), "{:?}", came.took);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-5.6-01
/// Requirement: ACT-SEC-02
#[tokio::test(start_paused = true)]
async fn what_was_sent_before_an_action_is_given_up_is_told_as_unknown() {
    let session = one_button().await;
    session.page.answer(None, "click", Some("dead"), |page, _| {
        page.effect("written");
        Answer::After(Duration::from_millis(50), Done::default())
    });
    let running = session.request(activate("dead")).await.unwrap();
    let handle = running.accepted.action_handle.clone();
    let runtime = session.runtime.clone();
    session.page.later(20, move |_| runtime.cancel(&handle, None).unwrap());
    let came = session.end(running, Instant::now()).await;
    came.cancelled(Code::Cancelled);
    assert_eq!(came.side_effect(), "unknown");
    assert_eq!(session.page.sent(), ["click dead"]);
}

/// Requirement: ACT-5.6-01
/// Requirement: ACT-SEC-02
#[tokio::test(start_paused = true)]
async fn no_second_command_follows_when_the_action_was_given_up_during_the_first() {
    let slider = with(
        crate::graph::element("s", "slider", "Volume"),
        json!({ "state": { "numericValue": 0, "min": 0, "max": 100 } }),
    );
    let session = Session::on(vec![slider]).await;
    for mode in crate::scripted::EVERY_MODE {
        session.page.cannot(mode, "setValue");
    }
    session.page.answer(None, "keys", None, |page, _| {
        let at = page.element("s").unwrap().state.numeric_value.unwrap().0;
        page.set_state("s", json!({ "numericValue": at + 1.0 }));
        Answer::After(Duration::from_millis(50), Done::default())
    });
    let request =
        json!({ "actionId": "ui.setValue", "target": crate::scripted::target("s"), "args": { "value": 40 } });
    let running = session.request(request).await.unwrap();
    let handle = running.accepted.action_handle.clone();
    let runtime = session.runtime.clone();
    session.page.later(70, move |_| runtime.cancel(&handle, None).unwrap());
    let came = session.end(running, Instant::now()).await;
    came.cancelled(Code::Cancelled);
    assert_eq!(came.side_effect(), "unknown");
    assert_eq!(session.page.sent().len(), 2);
}

/// Requirement: ACT-5.6-01
#[tokio::test(start_paused = true)]
async fn an_action_that_nobody_knows_cannot_be_given_up() {
    let session = one_button().await;
    let nobody = ActionHandle::parse("ses_1:act_5").unwrap();
    assert_eq!(session.runtime.cancel(&nobody, None), Err(UnknownAction::Unknown(nobody)));
}

/// Requirement: ACT-5.7-01
#[test]
fn the_answer_to_a_cancel_says_cancelled_and_nothing_else() {
    let right = json!({ "actionHandle": "a", "status": "cancelled", "reason": "no need" });
    assert!(decode::<ActionCancelledPayload>(&right, Strictness::Wire).is_ok());
    let wrong = with(right, json!({ "status": "stopped" }));
    let told = format!("{:?}", decode::<ActionCancelledPayload>(&wrong, Strictness::Wire).unwrap_err());
    assert!(told.contains("cancelled"), "{told}");
}
