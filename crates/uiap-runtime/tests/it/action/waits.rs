//! Waiting without acting, and what is noticed after a success.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::capability::SuccessSignal;
use uiap_model::policy::decision::AnyOrAll;
use uiap_runtime::action::{LoadingKind, WaitEnd, WaitError};
use uiap_runtime::surface::Rest;

use super::{activate, button, checkbox, field, one_button};
use crate::graph::{element, with};
use crate::scripted::{Session, target};

fn signals(list: Value) -> Vec<SuccessSignal> {
    serde_json::from_value(list).unwrap()
}

const SECOND: Duration = Duration::from_secs(1);

/// Requirement: MOB-ROADMAP-WAIT-01
#[tokio::test(start_paused = true)]
async fn a_change_is_waited_for_and_its_lack_is_told() {
    let session = one_button().await;
    session.page.later(400, |page| page.set("dead", json!({ "name": "Alive" })));
    let start = Instant::now();
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    assert_eq!((waited.end, waited.changed), (WaitEnd::Seen, 1));
    assert_eq!(start.elapsed().as_millis(), 400);
    let start = Instant::now();
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    assert_eq!(waited.end, WaitEnd::Missing);
    assert_eq!(start.elapsed(), SECOND);
}

/// Requirement: MOB-ROADMAP-WAIT-01
#[tokio::test(start_paused = true)]
async fn what_came_before_the_wait_is_seen_from_an_explicit_point() {
    let session = one_button().await;
    let mark = session.runtime.scene().mark();
    session.page.toast("Saved");
    session.page.add("main", with(button("new", "New video"), json!({ "stableId": "new" })));
    session.runtime.scene().look().await.unwrap();
    for wanted in [
        json!([{ "kind": "toast.contains", "text": "Saved" }]),
        json!([{ "kind": "element.appeared", "target": { "by": "stableId", "value": "new" } }]),
    ] {
        let wanted = signals(wanted);
        let waited =
            session.runtime.wait_for(&wanted, AnyOrAll::All, Some(mark), None, SECOND).await.unwrap();
        assert_eq!((waited.end, waited.observed.len()), (WaitEnd::Seen, 1));
        // From now on it did not happen.
        let waited = session.runtime.wait_for(&wanted, AnyOrAll::All, None, None, SECOND).await.unwrap();
        assert_eq!((waited.end, waited.missing.len()), (WaitEnd::Missing, 1));
    }
}

/// Requirement: MOB-ROADMAP-WAIT-01
#[tokio::test(start_paused = true)]
async fn a_point_that_is_too_long_ago_is_told_and_not_guessed_at() {
    let session = one_button().await;
    let mark = session.runtime.scene().mark();
    for turn in 0..5_000 {
        session.page.toast(&turn.to_string());
    }
    session.runtime.scene().look().await.unwrap();
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, Some(mark), None, SECOND).await;
    assert_eq!(waited, Err(WaitError::Forgotten));
}

/// Requirement: MOB-ROADMAP-WAIT-02
#[tokio::test(start_paused = true)]
async fn what_is_still_going_on_is_told_by_kind_and_place() {
    let session = Session::on(vec![
        with(element("spinner", "group", "Spinner"), json!({ "state": { "busy": true } })),
        with(element("skeleton", "group", "Skeleton"), json!({ "state": { "loading": true } })),
        element("bar", "progress", "Upload"),
        element("picture", "image", "Still"),
    ])
    .await;
    session.page.set_pending(&["http://127.0.0.1/api/videos?token=secret"]);
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    let told: Vec<(LoadingKind, &str)> =
        waited.loading.iter().map(|each| (each.kind, each.place.as_str())).collect();
    assert_eq!(
        told,
        [
            (LoadingKind::Busy, "spinner"),
            (LoadingKind::Loading, "skeleton"),
            (LoadingKind::Progress, "bar"),
            (LoadingKind::Request, "http://127.0.0.1/api/videos"),
        ]
    );
}

/// Requirement: MOB-ROADMAP-WAIT-01
#[tokio::test(start_paused = true)]
async fn a_page_that_never_rests_and_a_state_that_never_stays_are_told_as_such() {
    let session =
        Session::on(vec![with(checkbox("c", "On", json!(false)), json!({ "stableId": "c" }))]).await;
    session.page.rests(Rest { quiet: false, unrest: vec!["an endless animation".to_owned()] });
    let wanted = signals(
        json!([{ "kind": "element.state", "target": { "by": "stableId", "value": "c" }, "state": { "checked": true } }]),
    );
    let waited = session.runtime.wait_for(&wanted, AnyOrAll::All, None, None, SECOND).await.unwrap();
    assert_eq!(waited.end, WaitEnd::NeverIdle);
    assert_eq!(waited.unrest, ["an endless animation"]);
    for turn in 0..10_u64 {
        session.page.later(turn * 100, |page| page.set_state("c", json!({ "checked": true })));
        session.page.later(turn * 100 + 50, |page| page.set_state("c", json!({ "checked": false })));
    }
    let waited = session.runtime.wait_for(&wanted, AnyOrAll::All, None, None, 3 * SECOND).await.unwrap();
    assert_eq!(waited.end, WaitEnd::Oscillating);
    tokio::time::sleep_until(Instant::now() + SECOND).await;
    session.page.later(2_000, |page| page.set_state("c", json!({ "checked": true })));
    let waited = session.runtime.wait_for(&wanted, AnyOrAll::All, None, None, 3 * SECOND).await.unwrap();
    assert_eq!(waited.end, WaitEnd::Seen);
}

/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn a_value_that_is_taken_back_after_the_verdict_is_noticed() {
    let session = Session::on(vec![field("t", "Title"), field("u", "Text")]).await;
    let enter = |id: &str, text: &str| json!({ "actionId": "ui.enterText", "target": target(id), "args": { "text": text } });
    session.act(enter("u", "warm up")).await.succeeded();
    session.page.on("type", "t", |page| {
        page.set_value("t", "Hallo");
        page.later(600, |page| page.set_value("t", ""));
    });
    let came = session.act(enter("t", "Hallo")).await;
    came.succeeded();
    assert_eq!(session.runtime.notices(), []);
    tokio::time::sleep_until(Instant::now() + SECOND).await;
    let notices = session.runtime.notices();
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].action_handle, came.result.action_handle);
    assert!((500..=700).contains(&notices[0].after_ms), "{}", notices[0].after_ms);
    // The next result tells of it, once.
    let next = session.act(enter("u", "next")).await;
    assert_eq!(json!(next.result.metadata)["notices"][0]["actionHandle"], json!(came.result.action_handle));
    let last = session.act(enter("u", "last")).await;
    assert!(json!(last.result.metadata).get("notices").is_none());
}

/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn an_expected_state_that_is_taken_back_after_the_verdict_is_noticed() {
    let session = Session::on(vec![button("b", "Save"), checkbox("c", "Public", json!(false))]).await;
    session.page.on("click", "b", |page| {
        page.set_state("c", json!({ "checked": true }));
        page.later(700, |page| page.set_state("c", json!({ "checked": false })));
    });
    let state = json!({ "kind": "element.state", "target": { "by": "semantic", "role": "checkbox", "name": "Public" }, "state": { "checked": true } });
    let asked = json!({ "verification": { "policy": "all", "signals": [state] } });
    let came = session.act(with(activate("b"), asked)).await;
    came.succeeded();
    tokio::time::sleep_until(Instant::now() + SECOND).await;
    let notices = session.runtime.notices();
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].action_handle, came.result.action_handle);
}

/// Whoever took something back is watched from then on, whatever it kept before.
///
/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn an_app_that_takes_back_is_not_believed_at_once_again() {
    let session = Session::on(vec![field("t", "Title"), field("u", "Text")]).await;
    let enter = |id: &str, text: &str| json!({ "actionId": "ui.enterText", "target": target(id), "args": { "text": text } });
    session.act(enter("u", "kept")).await.succeeded();
    session.page.on("type", "t", |page| {
        page.set_value("t", "Hallo");
        page.later(100, |page| page.set_value("t", ""));
    });
    session.act(enter("t", "Hallo")).await.succeeded();
    tokio::time::sleep_until(Instant::now() + SECOND).await;
    assert_eq!(session.runtime.notices().len(), 1);
    for _ in 0..2 {
        session.act(enter("t", "Hallo")).await.failed(Code::VerificationFailed);
    }
}

/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn what_the_next_action_changes_is_nobodys_contradiction() {
    let session = Session::on(vec![field("t", "Title")]).await;
    for text in ["one", "two", "three"] {
        let enter = json!({ "actionId": "ui.enterText", "target": target("t"), "args": { "text": text } });
        session.act(enter).await.succeeded();
        tokio::time::advance(Duration::from_millis(100)).await;
    }
    session.page.later(2_000, |page| page.set_value("t", "long after"));
    tokio::time::sleep_until(Instant::now() + 3 * SECOND).await;
    assert_eq!(session.runtime.notices(), []);
    assert_eq!(session.act(activate("nobody")).await.status(), "failed");
}
