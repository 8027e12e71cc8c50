//! Who shows what happens cannot change it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use uiap_model::action::result::{ActionStatus, RuntimeErrorCode as Code};
use uiap_runtime::action::{Cue, Moment};

use super::{activate, button};
use crate::graph::{graph, scope, with};
use crate::scripted::{Page, Session};

async fn shown(presenter: Option<mpsc::Sender<Cue>>) -> Session {
    let page = Page::new(graph(vec![scope(
        "main",
        "region",
        "Main",
        vec![button("b", "Save"), button("dead", "Dead")],
    )]));
    page.on("click", "b", |page| page.toast("Saved"));
    Session::with(page, |options| options.presenter = presenter).await
}

fn hinted(id: &str, hints: Value) -> Value {
    with(activate(id), json!({ "presentation": hints }))
}

fn essence(came: &crate::scripted::Came) -> Value {
    json!({ "status": came.status(), "verification": came.result.verification, "sideEffect": came.side_effect(), "code": came.code(), "stages": came.stages() })
}

/// Requirement: ACT-2.3-01
/// Requirement: ACT-3-06
/// Requirement: ACT-5.1-07
/// Requirement: ACT-5.1-09
#[tokio::test(start_paused = true)]
async fn a_presenter_gets_the_hints_and_changes_nothing() {
    let hints = json!({ "highlight": "spotlight", "ghostCursor": true, "narration": "Now I save." });
    let without = shown(None).await;
    let (plain_good, plain_bad) =
        (without.act(hinted("b", hints.clone())).await, without.act(hinted("dead", hints.clone())).await);
    let (sender, mut cues) = mpsc::channel(64);
    let (gone, _) = mpsc::channel(1);
    // One that listens, one that never does, one that is gone.
    let (deaf, _kept) = mpsc::channel(1);
    for presenter in [sender, gone, deaf] {
        let session = shown(Some(presenter)).await;
        let good = session.act(hinted("b", hints.clone())).await;
        assert_eq!(essence(&good), essence(&plain_good));
        assert_eq!(good.took, plain_good.took);
        let bad = session.act(hinted("dead", hints.clone())).await;
        assert_eq!(essence(&bad), essence(&plain_bad));
        bad.failed(Code::VerificationFailed);
    }
    let mut told = Vec::new();
    while let Ok(cue) = cues.try_recv() {
        assert_eq!(json!(cue.hints), hints);
        assert_eq!(cue.action_id, "ui.activate");
        told.push((cue.moment, cue.target.unwrap().instance_id.to_string()));
    }
    let expected = [
        (Moment::Aim, "b".to_owned()),
        (Moment::End(ActionStatus::Succeeded), "b".to_owned()),
        (Moment::Aim, "dead".to_owned()),
        (Moment::End(ActionStatus::Failed), "dead".to_owned()),
    ];
    assert_eq!(told, expected);
}

/// Requirement: ACT-5.1-08
/// Requirement: ACT-3-06
#[tokio::test(start_paused = true)]
async fn a_humanized_pace_waits_for_the_picture_and_not_for_long() {
    let mut outcomes = Vec::new();
    for (pace, delay) in [("instant", Some(300)), ("humanized", Some(300)), ("humanized", None)] {
        let (sender, mut cues) = mpsc::channel::<Cue>(64);
        let session = shown(Some(sender)).await;
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Some(cue) = cues.recv().await {
                let Some(shown) = cue.shown else { continue };
                match delay {
                    Some(delay) => {
                        let at = tokio::time::Instant::now() + Duration::from_millis(delay);
                        tokio::spawn(async move {
                            tokio::time::sleep_until(at).await;
                            shown.send(()).unwrap();
                        });
                    }
                    None => held.push(shown),
                }
            }
        });
        let came = session.act(hinted("b", json!({ "pace": pace }))).await;
        came.succeeded();
        outcomes.push((essence(&came), came.took.as_millis()));
    }
    assert_eq!(outcomes[0].0, outcomes[1].0);
    assert_eq!(outcomes[0].0, outcomes[2].0);
    assert!(outcomes[0].1 < 50, "{}", outcomes[0].1);
    assert!((300..360).contains(&outcomes[1].1), "{}", outcomes[1].1);
    assert!((600..660).contains(&outcomes[2].1), "{}", outcomes[2].1);
}
