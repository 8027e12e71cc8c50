//! Getting past obstacles, within limits, and never by doing something twice.

use std::time::Duration;

use serde_json::json;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done};

use super::{activate, button};
use crate::graph::with;
use crate::scripted::{Answer, Page, Session, descriptor};

/// Requirement: ACT-13-01
/// Requirement: ACT-13-02
#[tokio::test(start_paused = true)]
async fn recovery_is_told_and_ends_at_its_limit() {
    let session = Session::on(vec![with(button("b", "Run"), json!({ "state": { "busy": true } }))]).await;
    fn flicker(page: &Page, turn: u32) {
        page.set("b", json!({ "name": "Run", "description": turn.to_string() }));
        if turn < 1_000 {
            page.later(100, move |page| flicker(page, turn + 1));
        }
    }
    flicker(&session.page, 0);
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.stages().iter().filter(|stage| *stage == "recovering").count(), 1);
    let note = came.progress().iter().find(|told| told["stage"] == "recovering").unwrap()["note"].clone();
    assert!(note.as_str().is_some_and(|note| !note.is_empty()));
    assert!((3_000..3_200).contains(&came.took.as_millis()), "{:?}", came.took);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    // The requester's time is shorter than our patience.
    let came = session.act(with(activate("b"), json!({ "timeoutMs": 500 }))).await;
    came.failed(Code::Timeout);
    assert!(came.took < Duration::from_millis(600));
    assert_eq!(came.side_effect(), "none");
}

/// Requirement: ACT-13.1-04
/// Requirement: ACT-3-02
#[tokio::test(start_paused = true)]
async fn looking_again_never_does_it_again() {
    let session = Session::on(vec![button("b", "Save")]).await;
    session.page.on("click", "b", |page| {
        page.effect("saved");
        page.later(900, |page| page.remove("b"));
        page.later(950, |page| page.add("main", button("b2", "Save")));
        page.later(2_000, |page| page.toast("Saved"));
    });
    let expect = json!({ "verification": { "policy": "all", "signals": [{ "kind": "toast.contains", "text": "Saved" }] } });
    session.act(with(activate("b"), expect)).await.succeeded();
    assert_eq!(session.page.effects("saved"), 1);
}

/// Requirement: ACT-3-02
/// Requirement: ACT-13.2-01
/// Requirement: ACT-SEC-03
/// Requirement: ACT-13.3-01
/// Requirement: ACT-SEC-02
#[tokio::test(start_paused = true)]
async fn what_may_have_had_an_effect_is_not_sent_again() {
    type Reply = fn(&Page) -> Answer;
    let cases: [(Reply, Code, &str); 5] = [
        (|_| Answer::Done(Done::default()), Code::VerificationFailed, "unknown"),
        (
            |_| Answer::Fails(DispatchError::uncertain(DispatchErrorKind::Gone, "gone midway")),
            Code::StaleTarget,
            "unknown",
        ),
        (
            |_| Answer::Fails(DispatchError::uncertain(DispatchErrorKind::Lost, "the page crashed")),
            Code::InternalRuntimeError,
            "unknown",
        ),
        (
            |_| Answer::Fails(DispatchError::uncertain(DispatchErrorKind::AppFailed, "the app refused")),
            Code::InternalRuntimeError,
            "unknown",
        ),
        (
            |_| {
                Answer::Done(Done {
                    side_effect: Some(uiap_model::action::SideEffectState::Applied),
                    ..Done::default()
                })
            },
            Code::VerificationFailed,
            "applied",
        ),
    ];
    for (reply, code, side_effect) in cases {
        let page = Page::new(crate::graph::graph(vec![]));
        page.offer(vec![descriptor("order.send", json!({}))]);
        page.answer(None, "invoke", None, move |page, _| {
            page.effect("sent");
            reply(page)
        });
        let session = Session::with(page, |_| {}).await;
        let came = session.act(json!({ "actionId": "order.send" })).await;
        came.failed(code);
        assert_eq!(came.side_effect(), side_effect);
        assert_eq!(session.page.effects("sent"), 1);
        assert_eq!(came.result.error.as_ref().unwrap().retryable, Some(false));
    }
}

/// Requirement: ACT-13.3-01
#[tokio::test(start_paused = true)]
async fn what_was_certainly_not_sent_may_be_asked_for_again() {
    let session = Session::on(vec![button("b", "Run")]).await;
    session.page.answer(None, "click", None, |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Unreachable, "covered"))
    });
    let came = session.act(activate("b")).await;
    assert_eq!(came.side_effect(), "none");
    assert_eq!(came.result.error.as_ref().unwrap().retryable, Some(true));
    assert_eq!(session.act(activate("b")).await.code(), Some(Code::TargetNotInteractable));
}

/// Requirement: ACT-13.1-01
/// Requirement: ACT-8.3-01
#[tokio::test(start_paused = true)]
async fn a_target_that_goes_under_the_pointer_is_looked_for_once_more() {
    let session = Session::on(vec![button("b", "Save")]).await;
    session.page.answer(None, "click", Some("b"), |page, _| {
        page.remove("b");
        page.add("main", button("b2", "Save"));
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Gone, "it is gone"))
    });
    session.page.on("click", "b2", |page| {
        page.effect("saved");
        page.toast("Saved");
    });
    let came = session.act(activate("b")).await;
    came.succeeded();
    assert_eq!(session.page.sent(), ["click b", "click b2"]);
    assert_eq!(session.page.effects("saved"), 1);
    assert_eq!(came.target(), "b2");
}

/// Requirement: ACT-13.2-02
#[tokio::test(start_paused = true)]
async fn what_takes_the_place_of_a_safe_target_is_not_used_without_a_grant() {
    let session = Session::on(vec![button("b", "Go")]).await;
    session.page.before_look(2, |page| {
        page.remove("b");
        page.add("main", with(button("b2", "Go"), json!({ "risk": { "level": "confirm" } })));
    });
    session.page.on("click", "b2", |page| page.effect("gone"));
    let came = session.act(activate("b")).await;
    came.failed(Code::StaleTarget);
    assert_eq!(session.page.effects("gone"), 0);
}
