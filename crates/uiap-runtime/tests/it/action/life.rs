//! The life of an action: states, steps, ends.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::names::ActionHandle;
use uiap_runtime::action::life::{ActionState as A, may_follow};
use uiap_runtime::action::{ActionEvent, AuditSink, UnknownAction};
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done, SurfaceError};

use super::{activate, button, one_button};
use crate::graph::{graph, scope, with};
use crate::scripted::{Answer, Page, Session, target, user};

/// Requirement: ACT-1-01
/// Requirement: ACT-1-02
/// Requirement: ACT-2.1-01
/// Requirement: ACT-5.2-01
#[tokio::test(start_paused = true)]
async fn an_action_passes_its_stages_in_order_and_is_reported() {
    let session = one_button().await;
    let came = session.act(activate("b")).await;
    came.succeeded();
    assert_eq!(came.stages(), ["resolving_target", "checking_preconditions", "executing", "verifying"]);
    assert_eq!(session.page.effects("opened"), 1);
    let last = came.progress().pop().unwrap();
    assert_eq!(last["resolvedTarget"]["instanceId"], "b");
    assert_eq!(last["chosenExecutionMode"], "semanticUi");
}

/// Requirement: ACT-1-01
#[tokio::test(start_paused = true)]
async fn an_action_that_stops_at_a_stage_tells_of_no_later_one() {
    let session =
        Session::on(vec![with(button("off", "Off"), json!({ "state": { "enabled": false } }))]).await;
    let missing = session.act(activate("nobody")).await;
    assert_eq!(missing.stages(), ["resolving_target"]);
    let disabled = session.act(activate("off")).await;
    assert_eq!(
        disabled.stages(),
        ["resolving_target", "checking_preconditions", "recovering", "checking_preconditions"]
    );
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-4-01
#[test]
fn the_states_are_the_eleven_of_the_spec() {
    let names = [
        "RECEIVED",
        "RESOLVING_TARGET",
        "CHECKING_PRECONDITIONS",
        "AWAITING_CONFIRMATION",
        "EXECUTING",
        "VERIFYING",
        "WAITING_FOR_USER",
        "RECOVERING",
        "SUCCEEDED",
        "FAILED",
        "CANCELLED",
    ];
    assert_eq!(A::ALL.map(A::as_str), names);
    for name in names {
        assert_eq!(A::parse(name).unwrap().as_str(), name);
    }
    for wrong in ["DONE", "executing", ""] {
        let told = A::parse(wrong).unwrap_err().to_string();
        assert!(names.iter().all(|name| told.contains(name)), "{told}");
    }
}

/// Requirement: ACT-3-01
/// Requirement: ACT-4-03
#[test]
fn nothing_follows_an_end_and_success_follows_a_look_only() {
    for from in A::ALL {
        for to in A::ALL {
            if from.is_final() {
                assert!(!may_follow(from, to), "{from:?} → {to:?}");
            }
        }
        assert_eq!(may_follow(from, A::Succeeded), from == A::Verifying, "{from:?}");
    }
    assert!(!may_follow(A::ResolvingTarget, A::Executing));
    assert!(!may_follow(A::CheckingPreconditions, A::Verifying));
    assert!(!may_follow(A::Recovering, A::Executing));
}

/// Requirement: ACT-3-01
/// Requirement: ACT-4-01
/// Requirement: MOB-RFC005-03-01
#[tokio::test(start_paused = true)]
async fn every_state_is_reached_by_some_run_and_only_by_allowed_steps() {
    let session = Session::on(vec![
        button("b", "New"),
        with(button("risky", "Pay"), json!({ "risk": { "level": "confirm" } })),
        with(button("busy", "Busy"), json!({ "state": { "busy": true } })),
        button("gated", "Pick"),
    ])
    .await;
    for id in ["b", "risky", "busy"] {
        let name = format!("toast {id}");
        session.page.on("click", id, move |page| page.toast(&name));
    }
    session.page.answer(None, "click", Some("gated"), |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::NeedsUser, "a person must do it"))
    });
    let mut reached: HashSet<A> = HashSet::new();
    let came = session.act(activate("b")).await;
    reached.extend(came.states());
    session.page.later(200, |page| page.set_state("busy", json!({ "busy": false })));
    reached.extend(session.act(activate("busy")).await.states());
    let mut running = session.request(activate("risky")).await.unwrap();
    session.asked(&mut running).await;
    session.runtime.deny(&user(), false, &running.accepted.action_handle, None).unwrap();
    reached.extend(session.end(running, Instant::now()).await.states());
    session.page.later(100, |page| page.tell(json!({ "kind": "user.activation", "isActive": true })));
    session.page.later(110, |page| page.toast("picked"));
    reached.extend(session.act(activate("gated")).await.states());
    reached.extend(session.act(activate("nobody")).await.states());
    assert_eq!(reached.len(), 11, "{reached:?}");
}

/// Requirement: ACT-3-01
/// Requirement: ACT-4-03
/// Requirement: ACT-5.6-01
#[tokio::test(start_paused = true)]
async fn a_grant_or_cancel_that_comes_late_changes_nothing_and_is_refused() {
    let session = one_button().await;
    let came = session.act(activate("b")).await;
    let handle = came.result.action_handle.clone();
    assert_eq!(session.runtime.cancel(&handle, None), Err(UnknownAction::Over(handle.clone())));
    assert!(session.runtime.grant(&user(), true, &handle).is_err());
    assert!(session.runtime.deny(&user(), true, &handle, None).is_err());
    assert_eq!(session.runtime.state(&handle).unwrap(), A::Succeeded);
    let states = session.runtime.trace(&handle).unwrap();
    assert_eq!(states.iter().filter(|line| json!(line.step)["kind"] == "state").count(), came.states().len());
}

/// Requirement: ACT-4-02
#[tokio::test(start_paused = true)]
async fn each_of_several_actions_is_in_one_state_at_a_time() {
    let session = one_button().await;
    let mut handles = Vec::new();
    for _ in 0..8 {
        handles.push(session.request(activate("b")).await.unwrap().accepted.action_handle);
    }
    let mut ended = 0;
    for _ in 0..200_000 {
        let states: Vec<A> = handles.iter().map(|handle| session.runtime.state(handle).unwrap()).collect();
        // One hand: never do two actions send at the same time.
        assert!(states.iter().filter(|state| **state == A::Executing).count() <= 1, "{states:?}");
        ended = states.iter().filter(|state| state.is_final()).count();
        if ended == handles.len() {
            break;
        }
        tokio::time::advance(Duration::from_micros(100)).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(ended, 8);
    assert_eq!(session.page.effects("opened"), 8);
    let nobody = ActionHandle::parse("ses_1:act_99").unwrap();
    assert_eq!(session.runtime.state(&nobody), Err(UnknownAction::Unknown(nobody)));
}

/// Requirement: ACT-4-03
/// Requirement: ACT-5.1-10
#[tokio::test(start_paused = true)]
async fn an_app_that_never_answers_does_not_keep_an_action_alive() {
    let session = one_button().await;
    session.page.answer(None, "click", Some("dead"), |_, _| Answer::Hangs);
    let came = session.act(with(activate("dead"), json!({ "timeoutMs": 200 }))).await;
    came.failed(Code::Timeout);
    assert_eq!(came.side_effect(), "unknown");
    assert!((200..260).contains(&came.took.as_millis()), "{:?}", came.took);
    assert_eq!(session.runtime.state(&came.result.action_handle).unwrap(), A::Failed);
    session.act(activate("b")).await.succeeded();
}

#[tokio::test(start_paused = true)]
async fn what_nobody_can_write_down_is_not_done() {
    let full = || Some(Arc::new(|_: &_| Err("no space left".to_owned())) as AuditSink);
    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![button("b", "Open")])]));
    page.on("click", "b", |page| page.effect("opened"));
    let session = Session::with(page, |options| options.audit = full()).await;
    for _ in 0..2 {
        let came = session.act(activate("b")).await;
        came.failed(Code::InternalRuntimeError);
        assert_eq!(came.side_effect(), "none");
    }
    assert_eq!(session.page.effects("opened"), 0);
}

/// Requirement: ACT-5.1-04
/// Requirement: MOB-RFC005-10-02
#[tokio::test(start_paused = true)]
async fn ten_thousand_handles_differ() {
    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![super::field("t", "Title")])]));
    let session = Session::with(page, |options| options.audit = None).await;
    let mut seen = HashSet::new();
    for _ in 0..100 {
        let mut batch = Vec::new();
        for _ in 0..100 {
            let running =
                session.request(json!({ "actionId": "ui.read", "target": target("t") })).await.unwrap();
            assert!(seen.insert(running.accepted.action_handle.to_string()));
            batch.push(running);
        }
        for mut running in batch {
            while let Some(event) = running.events.recv().await {
                if let ActionEvent::Result(result) = event {
                    assert_eq!(result.action_handle, running.accepted.action_handle);
                }
            }
        }
    }
    assert_eq!(seen.len(), 10_000);
    let foreign = ActionHandle::parse("ses_2:act_1").unwrap();
    assert!(session.runtime.cancel(&foreign, None).is_err());
    assert!(session.runtime.grant(&user(), true, &foreign).is_err());
}

/// Requirement: ACT-5.8-04
/// Requirement: ACT-6.4-06
/// Requirement: MOB-RFC005-03-05
#[tokio::test(start_paused = true)]
async fn a_hundred_mixed_runs_give_one_result_each_as_the_last_event() {
    let session = one_button().await;
    session.page.answer(None, "click", Some("dead"), {
        let mut turn = 0;
        move |page, _| {
            turn += 1;
            match turn % 4 {
                0 => Answer::Breaks,
                1 => Answer::Hangs,
                2 => Answer::Fails(DispatchError::uncertain(DispatchErrorKind::Lost, "the page went away")),
                _ => {
                    page.toast(&format!("done {turn}"));
                    Answer::After(Duration::from_millis(20), Done::default())
                }
            }
        }
    });
    let mut ends: Vec<&str> = Vec::new();
    for turn in 0..100 {
        let request = with(activate("dead"), json!({ "timeoutMs": 500, "args": { "holdMs": turn } }));
        let start = Instant::now();
        let running = session.request(request).await.unwrap();
        if turn % 5 == 0 {
            session.runtime.cancel(&running.accepted.action_handle, Some("changed my mind")).unwrap();
        }
        ends.push(session.end(running, start).await.status());
    }
    for kind in ["succeeded", "failed", "cancelled"] {
        assert!(ends.contains(&kind), "{kind} in {ends:?}");
    }
}

/// Requirement: ACT-6.4-06
/// Requirement: ACT-5.8-03
#[tokio::test(start_paused = true)]
async fn a_fault_inside_ends_one_action_and_not_the_session() {
    let session = one_button().await;
    session.page.answer(None, "click", Some("dead"), |_, _| Answer::Breaks);
    let came = session.act(activate("dead")).await;
    came.failed(Code::InternalRuntimeError);
    assert_eq!(came.side_effect(), "unknown");
    assert!(!came.message().contains("panicked"), "{}", came.message());
    session.act(activate("b")).await.succeeded();
    // Ambient changes are learned again: the broken action has let go of everything.
    for turn in 0..4 {
        session.page.set("dead", json!({ "name": format!("Dead {turn}") }));
        session.runtime.scene().look().await.unwrap();
        tokio::time::advance(Duration::from_millis(300)).await;
    }
    let id = uiap_model::names::ElementInstanceId::parse("dead").unwrap();
    assert!(session.runtime.scene().ambience().is_restless(&id, Instant::now()));
}

/// Requirement: ACT-9.1-01
#[tokio::test(start_paused = true)]
async fn nothing_is_done_in_a_session_that_is_not_active() {
    let session =
        Session::on(vec![with(button("b", "Pay"), json!({ "risk": { "level": "confirm" } }))]).await;
    let mut running = session.request(activate("b")).await.unwrap();
    session.asked(&mut running).await;
    session.runtime.set_active(false);
    session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
    let came = session.end(running, Instant::now()).await;
    came.cancelled(Code::Cancelled);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    assert!(session.request(activate("b")).await.is_err());
    session.runtime.set_active(true);
    assert!(session.request(activate("b")).await.is_ok());
}

/// Requirement: ACT-6.4-06
#[tokio::test(start_paused = true)]
async fn a_page_that_is_gone_is_told_as_a_fault_and_work_goes_on_when_it_is_back() {
    let session = one_button().await;
    session.page.fail(SurfaceError::Crashed);
    let came = session.act(activate("b")).await;
    came.failed(Code::InternalRuntimeError);
    assert_eq!(came.side_effect(), "none");
    session.page.heal();
    session.act(activate("b")).await.succeeded();
}

/// Requirement: ACT-3-03
/// Requirement: MOB-RFC005-14-01
#[tokio::test(start_paused = true)]
async fn a_hundred_runs_on_the_same_page_end_the_same() {
    let mut told: HashSet<String> = HashSet::new();
    for _ in 0..100 {
        let session = one_button().await;
        let request = json!({ "actionId": "ui.activate", "target": { "ref": { "by": "semantic", "role": "button", "name": "New" } } });
        let came = session.act(request).await;
        let mut result: Value = json!(*came.result);
        result["took"] = json!(came.took.as_millis());
        result["stages"] = json!(came.stages());
        told.insert(result.to_string());
    }
    assert_eq!(told.len(), 1);
}
