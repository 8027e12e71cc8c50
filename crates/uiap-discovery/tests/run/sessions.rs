//! Sessions that end in the middle: begun again where that is possible, and never taken for where an action leads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::seed::Offer;
use uiap_model::discovery::DiscoveryRunStatus;

use super::script::{BASE, Setup, Stage, Thing, app, page, titles};

fn pages() -> Stage {
    let go = |name: &str| Thing::link(format!("Go {name}"), name);
    Stage::new(app(vec![
        page("home", vec![go("alpha"), go("beta"), go("gamma"), go("delta"), go("epsilon")]),
        page("alpha", vec![]),
        page("beta", vec![]),
        page("gamma", vec![]),
        page("delta", vec![]),
        page("epsilon", vec![]),
        page("hidden", vec![]),
    ]))
}

const ALL: [&str; 6] = ["alpha", "beta", "delta", "epsilon", "gamma", "home"];

fn expired(record: &RunRecord) -> Vec<&str> {
    let of = record.incidents.iter().filter(|each| each.kind == IncidentKind::SessionExpired);
    of.map(|each| each.detail.as_str()).collect()
}

/// Ends the session the first time that something is done.
fn once(what: &'static str) -> Arc<dyn Fn(&str) -> bool + Send + Sync> {
    let done = AtomicBool::new(false);
    Arc::new(move |each| each == what && !done.swap(true, Ordering::SeqCst))
}

#[tokio::test]
async fn a_session_that_ends_with_an_action_is_begun_again_and_the_action_done_again() {
    let mut stage = pages();
    stage.ends_session = once("home|Go beta");
    let record = Setup::default().run(&stage).await;
    assert_eq!(titles(&record), ALL, "the page that asks for a password is no state");
    let pressed = stage.pressed().iter().filter(|each| *each == "home|Go beta").count();
    assert_eq!(pressed, 2);
    assert_eq!(record.transitions.len(), 5);
    assert_eq!(expired(&record), Vec::<&str>::new());
}

#[tokio::test]
async fn an_action_that_ends_every_session_is_told_and_leads_nowhere() {
    let mut stage = pages();
    stage.ends_session = Arc::new(|each| each == "home|Go beta");
    let record = Setup::default().run(&stage).await;
    assert_eq!(titles(&record), ["alpha", "delta", "epsilon", "gamma", "home"]);
    assert_eq!(expired(&record), ["the session ended each time `Go beta` was pressed"]);
    assert_eq!(record.summary.status, DiscoveryRunStatus::Extracting, "the rest was explored");
}

#[tokio::test]
async fn a_session_that_cannot_be_begun_again_ends_the_run_with_a_word() {
    let mut stage = pages();
    let logs_in = Arc::clone(&stage.logs_in);
    stage.ends_session = Arc::new(move |each| {
        // From then on nobody is logged in any more, in no window.
        let is_over = each == "home|Go alpha" || !logs_in.load(Ordering::SeqCst);
        if is_over {
            logs_in.store(false, Ordering::SeqCst);
        }
        is_over
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.sqlite");
    let store = || uiap_discovery::store::Store::open(&path).unwrap();
    let record = Setup::default().run_in(&stage, store()).await;
    assert_eq!(titles(&record), ["home"]);
    assert_eq!(record.summary.status, DiscoveryRunStatus::Failed);
    assert!(record.summary.notes.iter().flatten().any(|note| note.contains("session ended")));
    let package = uiap_discovery::package::derive(&record);
    assert!(package.review_queue.items.iter().any(|item| item.description.contains("session")));
    // With a session that lasts it goes on, and nothing is missing.
    let record = Setup::default().run_in(&pages(), store()).await;
    assert_eq!(titles(&record), ALL);
}

#[tokio::test]
async fn an_address_that_was_opened_when_the_session_had_ended_is_opened_again() {
    let mut stage = pages();
    stage.ends_session = once("hidden");
    let setup =
        Setup { offers: vec![Offer::url(&format!("{BASE}/hidden"), "commandLine")], ..Setup::default() };
    let record = setup.run(&stage).await;
    assert!(titles(&record).contains(&"hidden".to_owned()), "{:?}", titles(&record));
    assert!(!titles(&record).contains(&"login".to_owned()));
}

/// A page that asks for a password while the session lasts is a page like others.
#[tokio::test]
async fn a_page_with_a_password_that_is_meant_is_a_state() {
    let state = serde_json::json!({ "state": { "visible": true, "enabled": true, "sensitive": true } });
    let field = Thing { role: "textbox", to: None, ..Thing::link("New password", "") }.with(state);
    let stage = Stage::new(app(vec![
        page("home", vec![Thing::link("Change password", "change")]),
        page("change", vec![field]),
    ]));
    let record = Setup::default().run(&stage).await;
    assert_eq!(titles(&record), ["change", "home"]);
    assert_eq!(record.transitions.len(), 1);
}

#[tokio::test]
async fn whoever_was_given_a_session_and_is_asked_for_a_password_at_once_is_told_of() {
    for (profile, told) in [("mira", true), ("nobody", false)] {
        let stage = pages();
        stage.logs_in.store(false, Ordering::SeqCst);
        let record = Setup::default().profiles(&[profile]).run(&stage).await;
        assert_eq!(titles(&record), ["login"]);
        assert_eq!(expired(&record).iter().any(|detail| detail.contains("`mira`")), told);
        assert_eq!(record.summary.notes.is_some(), told);
    }
}
