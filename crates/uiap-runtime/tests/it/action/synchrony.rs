//! Acting and waiting on a page that goes on: revisions, parts, differences, and what is no change.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::names::ScopeId;
use uiap_model::policy::decision::AnyOrAll;
use uiap_model::web::delta::{self, DeltaError};
use uiap_model::web::diff::{Difference, diff};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_runtime::action::WaitEnd;
use uiap_runtime::surface::Done;
use uiap_runtime::text::{Refs, TextOptions, page};
use uiap_runtime::trace::Step;

use super::{activate, button};
use crate::graph::{element, scope};
use crate::scripted::{Answer, Session};

const SECOND: Duration = Duration::from_secs(1);

/// Requirement: MOB-ROADMAP-WAIT-03
#[tokio::test(start_paused = true)]
async fn a_page_has_another_revision_when_it_is_another_and_an_outdated_target_is_told() {
    let session = Session::on(vec![button("b", "Archive")]).await;
    let scene = session.runtime.scene();
    let first = scene.look().await.unwrap();
    assert_eq!(scene.look().await.unwrap().revision, first.revision);
    session.page.set("b", json!({ "name": "Delete all" }));
    assert_ne!(scene.look().await.unwrap().revision, first.revision);
    let request = serde_json::from_value(activate("b")).unwrap();
    let result = session.runtime.act(&crate::scripted::agent(), request, Some(first)).await.unwrap();
    assert_eq!(result.error.as_ref().map(|error| error.code), Some(Code::StaleTarget));
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: MOB-ROADMAP-WAIT-04
#[tokio::test(start_paused = true)]
async fn a_part_shows_that_part_only_and_a_difference_leads_from_one_page_to_the_next() {
    let session = Session::of(vec![
        scope("main", "region", "Main", vec![button("b", "Archive")]),
        scope("side", "region", "Side", vec![button("c", "Search")]),
    ])
    .await;
    let before = session.runtime.scene().graph();
    let options = TextOptions { budget: None, scope: ScopeId::parse("side") };
    let part = page(&before, &mut Refs::default(), &options).text;
    assert!(part.contains("Search") && !part.contains("Archive"), "{part}");

    session.page.set("b", json!({ "name": "Restore" }));
    session.page.add("side", button("d", "Filter"));
    let after = session.runtime.scene().look().await.unwrap();
    let Difference::Delta(ops) = diff(&before, &after) else { panic!("a delta can say it") };
    let told = json!({
        "baseRevision": before.revision, "revision": after.revision, "seq": after.seq, "ts": after.ts, "ops": ops
    });
    let delta: WebStateDeltaPayload = serde_json::from_value(told).unwrap();
    assert_eq!(delta::apply(&before, &delta).unwrap(), *after);
    let error = delta::apply(&after, &delta).unwrap_err();
    assert!(matches!(error, DeltaError::WrongBase { .. }));
    assert!(error.to_string().contains(before.revision.as_str()), "{error}");
}

/// Requirement: MOB-ROADMAP-WAIT-05
#[tokio::test(start_paused = true)]
async fn a_text_that_changes_in_its_place_ends_a_wait_and_the_same_drawn_anew_does_not() {
    let session = Session::on(vec![element("row", "label", "Alpha"), button("b", "Open")]).await;
    session.page.later(200, |page| {
        page.edit(|graph| {
            let elements = &mut graph.documents[0].scopes[0].elements;
            elements.clear();
            for anew in [element("row2", "label", "Alpha"), button("b2", "Open")] {
                elements.push(std::sync::Arc::new(serde_json::from_value(anew).unwrap()));
            }
        });
    });
    let start = Instant::now();
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    assert_eq!((waited.end, waited.changed), (WaitEnd::Missing, 0));
    assert_eq!(start.elapsed(), SECOND);
    session.page.later(200, |page| page.set("row2", json!({ "name": "Beta" })));
    let start = Instant::now();
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    assert_eq!((waited.end, waited.changed), (WaitEnd::Seen, 1));
    assert_eq!(start.elapsed().as_millis(), 200);
    // One of two equals that goes is a change.
    session.page.later(200, |page| page.remove("b2"));
    let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, SECOND).await.unwrap();
    assert_eq!((waited.end, waited.changed), (WaitEnd::Seen, 1));
}

/// Requirement: MOB-ROADMAP-WAIT-06
#[tokio::test(start_paused = true)]
async fn an_action_right_after_another_looks_at_the_page_that_the_first_one_left() {
    let session = Session::on(vec![button("a", "Next"), button("b", "Keep")]).await;
    session.page.on("click", "a", |page| page.set("b", json!({ "name": "Delete all" })));
    let first = session.request(activate("a")).await.unwrap();
    let second = session.request(activate("b")).await.unwrap();
    session.end(first, Instant::now()).await.succeeded();
    session.end(second, Instant::now()).await.failed(Code::StaleTarget);
    assert_eq!(session.page.sent(), ["click a"]);
    // After a look at what is there now it is meant, and done.
    session.page.on("click", "b", |page| page.toast("deleted"));
    let came = session.act(activate("b")).await;
    came.succeeded();
    let looked = came.trace.iter().find_map(|line| match &line.step {
        Step::Resolved { revision, .. } => Some(revision.clone()),
        _ => None,
    });
    assert_eq!(looked.unwrap(), "rev_2");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_calls_without_end_while_it_is_acted_on_is_looked_at_once_and_starves_nobody() {
    let session = Session::on(vec![button("a", "Next")]).await;
    session.page.answer(None, "click", Some("a"), |page, _| {
        page.calls_without_end();
        page.later(100, |page| page.toast("there"));
        Answer::After(Duration::from_millis(200), Done::default())
    });
    session.act(activate("a")).await.succeeded();
}
