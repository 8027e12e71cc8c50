//! The same on the demo app, whose back end counts: a form that a person has to allow, saved while the browser dies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use uiap_cdp::{Browser, LaunchOptions};
use uiap_model::action::SideEffectState;
use uiap_model::names::{ScopeId, SessionId};
use uiap_model::policy::vocabulary::PrincipalType;
use uiap_runtime::action::{ActionEvent, Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::WebSurface;
use uiap_web::{OpenOptions, Page};
use videoland::{Options, Videoland};

use super::{agent, kill_after, kills, party};

/// Requirement: ACT-13.3-01
/// Requirement: ACT-SEC-02
#[test]
fn what_is_told_of_an_effect_on_the_demo_app_is_what_its_back_end_counts() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut told: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for round in 0..kills(6) {
        let (state, saved) = runtime.block_on(die(round));
        *told.entry((state.to_string(), saved)).or_default() += 1;
        let fits = match state {
            SideEffectState::None => saved == 0,
            SideEffectState::Applied => saved == 1,
            SideEffectState::Unknown => saved <= 1,
        };
        assert!(fits, "round {round}: told {state}, and it was saved {saved} times");
    }
    for ((state, saved), times) in told {
        println!("{times:>4} × told {state:<8} saved {saved} times");
    }
}

/// One action that a person allowed, one death: what was told, and how often something was saved.
async fn die(round: u64) -> (SideEffectState, u64) {
    let app = Videoland::start(Options::default()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = Arc::new(Journal::open(&folder.path().join("journal")).unwrap());
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("{}/settings", app.base_url());
    let page = Page::open(&browser, &address, OpenOptions::default()).await.unwrap();
    let surface = WebSurface::new(&browser, &page, WatchOptions::default()).await.unwrap();
    let options = RuntimeOptions::new(SessionId::parse(&format!("demo_{round}")).unwrap(), journal);
    let runtime = Runtime::start(surface, options, &agent()).await.unwrap();
    let request = json!({
        "actionId": "ui.activate",
        "target": { "ref": { "by": "semantic", "role": "button", "name": "Save", "scope": "settings.profile.form" } },
        "idempotencyKey": "save-1",
    });
    let payload = || serde_json::from_value(request.clone()).unwrap();
    // Its data come after the page: only what is there can be saved.
    let form = ScopeId::parse("settings.profile.form").unwrap();
    loop {
        let mark = runtime.scene().mark();
        if runtime.scene().graph().scope(&form).is_some() {
            break;
        }
        runtime.scene().changed(mark).await.unwrap();
    }
    let mut running = runtime.request(&agent(), payload(), None).await.unwrap();
    let handle = running.accepted.action_handle.clone();
    let mut killer = None;
    let start = Instant::now();
    let result = loop {
        match running.events.recv().await.unwrap() {
            ActionEvent::Confirmation(_) => {
                // Anywhere between the leave and the answer of the back end; the same moments every time.
                let moment = Duration::from_micros(round.wrapping_mul(7_919) % 60_000);
                killer = Some(kill_after(&browser, moment));
                runtime.grant(&party(PrincipalType::User, "ada"), true, &handle).unwrap();
            }
            ActionEvent::Result(result) => break result,
            _ => {}
        }
    };
    assert!(start.elapsed() < Duration::from_secs(20), "an action outlives its browser, round {round}");
    assert!(killer.is_some(), "nobody was asked: {:?}", result.error);
    killer.unwrap().await.unwrap();
    let again = runtime.act(&agent(), payload(), None).await.unwrap();
    assert_eq!((again.action_handle.clone(), again.side_effect()), (handle, result.side_effect()));
    (result.side_effect(), app.counts().settings_saved)
}
