//! The five states and five kinds in which tools outside of this protocol think.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::capability::PrimitiveActionType;
use uiap_model::names::ActionId;
use uiap_runtime::surface::{Command, DispatchError, DispatchErrorKind};
use uiap_runtime::trace::{ActionCategory, LifecycleState as L, lifecycle};

use super::{activate, button, checkbox, field};
use crate::graph::{element, with};
use crate::scripted::{Answer, Came, Session, target};

fn states(came: &Came) -> Vec<L> {
    lifecycle(&came.trace).iter().map(|signal| signal.to).collect()
}

async fn screen() -> Session {
    let session = Session::on(vec![
        button("b", "Run"),
        button("dead", "Dead"),
        field("t", "Title"),
        checkbox("c", "Agree", json!(false)),
        with(
            element("s", "slider", "Volume"),
            json!({ "state": { "numericValue": 3, "min": 0, "max": 10 } }),
        ),
    ])
    .await;
    session.page.on("click", "b", |page| page.later(500, |page| page.toast("ran")));
    session
}

fn one_of_each() -> Vec<(Value, ActionCategory)> {
    let on = |action: &str, id: &str, args: Value| json!({ "actionId": action, "target": target(id), "args": args });
    vec![
        (json!({ "actionId": "nav.navigate", "args": { "path": "/x" } }), ActionCategory::Navigation),
        (on("ui.enterText", "t", json!({ "text": "x" })), ActionCategory::Input),
        (on("ui.toggle", "c", json!({ "checked": true })), ActionCategory::Selection),
        (on("ui.activate", "b", json!({})), ActionCategory::Gesture),
        (on("ui.setValue", "s", json!({ "value": 7 })), ActionCategory::ControlAdjustment),
    ]
}

/// Requirement: MOB-RFC005-01-01
/// Requirement: MOB-RFC005-03-01
/// Requirement: MOB-RFC005-04-01
/// Requirement: MOB-RFC005-04-05
/// Requirement: MOB-RFC005-05-01
/// Requirement: MOB-RFC005-10-01
#[tokio::test(start_paused = true)]
async fn every_kind_of_action_passes_the_same_states() {
    let session = screen().await;
    for (request, kind) in one_of_each() {
        let came = session.act(request).await;
        came.succeeded();
        assert_eq!(states(&came), [L::Resolved, L::Dispatched, L::PendingVerification, L::Verified]);
        let signals = lifecycle(&came.trace);
        for signal in &signals {
            assert_eq!(signal.action_id, came.result.action_handle);
            assert_eq!(signal.action_type, kind);
            assert_eq!(signal.failure_reason, None);
        }
        assert_eq!(signals.last().unwrap().verification_result, Some(true));
        assert!(!came.result.verification.observed.is_empty(), "the evidence is attached");
    }
}

/// Requirement: MOB-RFC005-04-03
/// Requirement: MOB-RFC005-04-04
/// Requirement: MOB-RFC005-04-06
/// Requirement: MOB-RFC005-11-03
#[tokio::test(start_paused = true)]
async fn a_failure_at_each_step_ends_in_failed_and_shows_no_later_step() {
    let session = screen().await;
    let unresolved = session.act(activate("nobody")).await;
    assert_eq!(states(&unresolved), [L::Failed]);
    assert_eq!(unresolved.detail("/failureClass"), json!("target_resolution"));

    let unverified = session.act(activate("dead")).await;
    assert_eq!(states(&unverified), [L::Resolved, L::Dispatched, L::PendingVerification, L::Failed]);
    let end = lifecycle(&unverified.trace).pop().unwrap();
    assert_eq!(end.verification_result, Some(false));
    assert!(end.failure_reason.unwrap().contains("verification_failed"));

    let session = screen().await;
    session.page.answer(None, "click", Some("dead"), |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Lost, "the device is not there"))
    });
    let undispatched = session.act(activate("dead")).await;
    assert_eq!(states(&undispatched), [L::Resolved, L::Failed]);
    assert_eq!(undispatched.detail("/failureClass"), json!("dispatch"));

    let session = screen().await;
    session.page.answer(None, "click", Some("dead"), |_, _| Answer::Hangs);
    let hung = session.act(with(activate("dead"), json!({ "timeoutMs": 300 }))).await;
    hung.failed(Code::Timeout);
    assert_eq!(states(&hung), [L::Resolved, L::Failed]);

    // Waiting lasts until the change comes, and not longer.
    let came = session.act(activate("b")).await;
    let at = |came: &Came, state: L| {
        lifecycle(&came.trace).iter().find(|signal| signal.to == state).unwrap().at_ms
    };
    let waited = at(&came, L::Verified) - at(&came, L::PendingVerification);
    assert!((500.0..560.0).contains(&waited), "{waited}");
}

/// Requirement: MOB-RFC005-05-03
/// Requirement: MOB-RFC005-08-01
#[tokio::test(start_paused = true)]
async fn a_way_of_acting_that_claims_success_by_itself_is_verified_all_the_same() {
    for mode in ["semanticUi", "externalDriver", "inputSynthesis"] {
        let session = screen().await;
        let came = session.act(with(activate("dead"), json!({ "preferredExecutionModes": [mode] }))).await;
        assert_eq!(states(&came), [L::Resolved, L::Dispatched, L::PendingVerification, L::Failed]);
    }
    // A target that was never resolved, one that is gone and one of another document get no touch.
    let session = screen().await;
    session.page.remove("dead");
    for target in [
        json!({ "ref": { "by": "stableId", "value": "x" } }),
        target("dead"),
        with(target("b"), json!({ "expectedDocumentId": "doc_2" })),
    ] {
        let came = session.act(json!({ "actionId": "ui.activate", "target": target })).await;
        assert_eq!(came.detail("/failureClass"), json!("target_resolution"));
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: MOB-RFC005-04-01
/// Requirement: MOB-RFC005-05-01
#[test]
fn words_that_are_none_of_the_five_are_refused_with_the_list() {
    for state in L::ALL {
        assert_eq!(L::parse(state.as_str()), Ok(state));
    }
    for kind in ActionCategory::ALL {
        assert_eq!(ActionCategory::parse(kind.as_str()), Ok(kind));
    }
    let told = L::parse("done").unwrap_err().to_string();
    assert!(L::ALL.iter().all(|state| told.contains(state.as_str())), "{told}");
    for wrong in ["voice", ""] {
        let told = ActionCategory::parse(wrong).unwrap_err().to_string();
        assert!(ActionCategory::ALL.iter().all(|kind| told.contains(kind.as_str())), "{told}");
    }
}

/// Requirement: MOB-RFC005-13-01
#[test]
fn every_action_of_the_protocol_has_a_kind() {
    let kinds: std::collections::HashSet<ActionCategory> = PrimitiveActionType::ALL
        .iter()
        .map(|action| ActionCategory::of(&ActionId::parse(action.as_str()).unwrap()))
        .collect();
    assert_eq!(kinds.len(), 5, "each kind is used: {kinds:?}");
    assert_eq!(PrimitiveActionType::ALL.len(), 20);
}

/// Requirement: MOB-RFC005-14-01
/// Requirement: MOB-RFC005-01-01
#[tokio::test(start_paused = true)]
async fn the_whole_set_twice_gives_the_same_signals() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let session = screen().await;
        let mut told = Vec::new();
        for (request, _) in one_of_each() {
            told.push(lifecycle(&session.act(request).await.trace));
        }
        told.push(lifecycle(&session.act(activate("dead")).await.trace));
        runs.push(told);
    }
    assert_eq!(runs[0], runs[1]);
}

/// Requirement: MOB-RFC005-09-05
#[tokio::test(start_paused = true)]
async fn a_slider_is_never_set_by_coordinates() {
    let session = screen().await;
    session
        .act(json!({ "actionId": "ui.setValue", "target": target("s"), "args": { "value": 7 } }))
        .await
        .succeeded();
    let session_without = screen().await;
    for mode in crate::scripted::EVERY_MODE {
        session_without.page.cannot(mode, "setValue");
    }
    session_without.page.answer(None, "keys", None, |page, _| {
        let at = page.element("s").unwrap().state.numeric_value.unwrap().0;
        page.set_state("s", json!({ "numericValue": at + 1.0 }));
        Answer::After(Duration::from_millis(1), uiap_runtime::surface::Done::default())
    });
    let came = session_without
        .act(json!({ "actionId": "ui.setValue", "target": target("s"), "args": { "value": 7 } }))
        .await;
    assert_eq!(json!(came.succeeded().result.return_value)["mode"], "keys");
    for page in [session.page, session_without.page] {
        let touched = page.commands().iter().any(|(_, command)| {
            matches!(command, Command::Click(_) | Command::Drag { .. } | Command::Tap { .. })
        });
        assert!(!touched);
    }
}
