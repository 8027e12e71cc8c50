//! Doing something twice: keys, unknown effects, acknowledgement.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::names::ActionHandle;
use uiap_runtime::journal::Journal;

use super::{activate, button, checkbox};
use crate::graph::{graph, scope, with};
use crate::scripted::{Page, Session, target};

fn keyed(key: &str, more: Value) -> Value {
    with(with(activate("b"), json!({ "idempotencyKey": key })), more)
}

async fn saver() -> Session {
    let session =
        Session::on(vec![button("b", "Save"), button("dead", "Dead"), checkbox("c", "Agree", json!(false))])
            .await;
    session.page.on("click", "b", |page| {
        page.effect("saved");
        page.toast(&format!("Saved {}", page.effects("saved")));
    });
    session.page.on("click", "dead", |page| page.effect("dead"));
    session
}

/// Requirement: ACT-5.1-11
#[tokio::test(start_paused = true)]
async fn a_key_means_one_execution_and_one_answer() {
    let session = saver().await;
    let first = session.act(keyed("k1", json!({}))).await;
    first.succeeded();
    let again = session.act(keyed("k1", json!({}))).await;
    assert_eq!(json!(*again.result), json!(*first.result));
    assert_eq!(session.page.effects("saved"), 1);
    for other in [
        json!({ "actionId": "ui.hover" }),
        json!({ "args": { "count": 2 } }),
        json!({ "target": target("dead") }),
    ] {
        let refused = session.refusal(keyed("k1", other)).await;
        assert_eq!(refused.code, Code::InvalidArgs);
    }
    assert_eq!(session.page.effects("saved"), 1);
    session.act(keyed("k2", json!({}))).await.succeeded();
    assert_eq!(session.page.effects("saved"), 2);
}

/// Requirement: ACT-5.1-11
#[tokio::test(start_paused = true)]
async fn a_repetition_in_flight_joins_the_first() {
    let session = saver().await;
    let first = session.request(keyed("k1", json!({}))).await.unwrap();
    let second = session.request(keyed("k1", json!({}))).await.unwrap();
    assert_eq!(first.accepted, second.accepted);
    let (one, two) = (session.end(first, Instant::now()).await, session.end(second, Instant::now()).await);
    assert_eq!(one.result, two.result);
    assert_eq!(session.page.effects("saved"), 1);
}

/// Requirement: ACT-5.1-11
#[tokio::test(start_paused = true)]
async fn a_key_outlives_the_session() {
    let journal = Arc::new(Journal::in_memory().unwrap());
    let mut results = Vec::new();
    for _ in 0..2 {
        let page = Page::new(graph(vec![scope("main", "region", "Main", vec![button("b", "Save")])]));
        page.on("click", "b", |page| {
            page.effect("saved");
            page.toast("Saved");
        });
        let kept = Arc::clone(&journal);
        let session = Session::with(page, |options| options.journal = kept).await;
        results.push((session.act(keyed("k1", json!({}))).await.result, session.page.effects("saved")));
    }
    assert_eq!(results[0].0, results[1].0);
    assert_eq!((results[0].1, results[1].1), (1, 0));
}

/// Requirement: ACT-13.3-02
/// Requirement: ACT-15.8-01
/// Requirement: ACT-13.2-01
#[tokio::test(start_paused = true)]
async fn an_unknown_effect_forbids_the_same_again_until_it_is_acknowledged() {
    let session = saver().await;
    let came = session.act(activate("dead")).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.side_effect(), "unknown");
    assert!(came.detail("/warning").as_str().is_some_and(|warning| warning.contains("not known")));
    assert_eq!(came.result.error.as_ref().unwrap().retryable, Some(false));
    let refused = session.refusal(activate("dead")).await;
    assert_eq!(refused.code, Code::UnsafeRetryRefused);
    let earlier = json!(refused.detail.unwrap().0)["unknownEffectOf"].clone();
    assert_eq!(earlier, json!(came.result.action_handle));
    assert_eq!(session.page.effects("dead"), 1);
    // Another action is not concerned.
    session.act(activate("b")).await.succeeded();
    // An acknowledgement of another action does not count.
    let wrong = with(activate("dead"), json!({ "metadata": { "acknowledges": "ses_1:act_77" } }));
    assert_eq!(session.refusal(wrong).await.code, Code::UnsafeRetryRefused);
    let right = with(activate("dead"), json!({ "metadata": { "acknowledges": earlier } }));
    session.act(right.clone()).await.failed(Code::VerificationFailed);
    assert_eq!(session.page.effects("dead"), 2);
    // It counts once: the repetition has an unknown effect of its own.
    assert_eq!(session.refusal(right).await.code, Code::UnsafeRetryRefused);
}

/// Requirement: ACT-15.8-01
/// Requirement: ACT-SEC-03
#[tokio::test(start_paused = true)]
async fn what_may_be_repeated_is_not_refused() {
    let session = saver().await;
    session.page.on("click", "c", |_| {});
    let toggle = json!({ "actionId": "ui.toggle", "target": target("c"), "args": { "checked": true } });
    session.act(toggle.clone()).await.failed(Code::VerificationFailed);
    session.act(toggle).await.failed(Code::VerificationFailed);
    assert_eq!(session.page.sent(), ["click c", "click c"]);
}

/// What can be done twice is written down too before it is sent: a crash must not tell that nothing happened.
///
/// Requirement: ACT-3-02
#[tokio::test(start_paused = true)]
async fn every_action_that_may_change_something_is_written_down_before_its_first_command() {
    let options = || {
        vec![
            with(
                crate::graph::element("c", "combobox", "Country"),
                json!({ "affordances": ["read", "choose"], "state": { "editable": false } }),
            ),
            super::field("t", "Title"),
        ]
    };
    let journal = Arc::new(Journal::in_memory().unwrap());
    let page = Page::new(graph(vec![scope("main", "region", "Main", options())]));
    let kept = Arc::clone(&journal);
    let session = Session::with(page, |options| options.journal = kept).await;
    let stage = move |journal: &Journal, number: u32| {
        let handle = ActionHandle::parse(&format!("ses_1:act_{number}")).unwrap();
        match journal.dispatching(&handle, std::time::SystemTime::now()).map_err(|error| error.to_string()) {
            Ok(()) => "received".to_owned(),
            Err(told) => told,
        }
    };
    let found = Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = |number: u32| {
        let (found, journal) = (Arc::clone(&found), Arc::clone(&journal));
        move || found.lock().unwrap().push(stage(&journal, number))
    };
    let (opened, chosen, typed) = (note(1), note(1), note(2));
    session.page.on("click", "c", move |page| {
        opened();
        page.add("main", crate::graph::below("c", crate::graph::element("o", "option", "Benin")));
    });
    session.page.on("click", "o", move |page| {
        chosen();
        page.set_state("c", json!({ "textValue": "Benin" }));
    });
    session.page.on("type", "t", move |page| {
        typed();
        page.set_value("t", "abc");
    });
    session
        .act(json!({ "actionId": "ui.choose", "target": target("c"), "args": { "label": "Benin" } }))
        .await
        .succeeded();
    session
        .act(json!({ "actionId": "ui.enterText", "target": target("t"), "args": { "text": "abc" } }))
        .await
        .succeeded();
    assert_eq!(session.page.sent().len(), 3);
    let found = found.lock().unwrap();
    assert_eq!(found.len(), 3);
    assert!(found[0].contains("dispatching"), "{found:?}");
    assert!(found[1].contains("acknowledged"), "{found:?}");
    assert!(found[2].contains("dispatching"), "{found:?}");
}

/// Requirement: ACT-13.3-02
#[tokio::test(start_paused = true)]
async fn what_is_idempotent_under_conditions_only_is_not_repeated_blindly() {
    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![button("b", "Order")])]));
    let order = crate::scripted::descriptor("ui.activate", json!({ "idempotency": "conditional" }));
    let session = Session::with(page, |options| options.actions = vec![order]).await;
    session.page.on("click", "b", |page| page.effect("ordered"));
    let came = session.act(activate("b")).await;
    assert_eq!(came.side_effect(), "unknown");
    assert_eq!(session.refusal(activate("b")).await.code, Code::UnsafeRetryRefused);
    assert_eq!(session.page.effects("ordered"), 1);
}
