//! A tenant that is there to be written to: test data is made, and nothing that takes away, costs, reaches people or ends the
//! session is done there either.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use serde_json::json;
use uiap_discovery::record::RunRecord;
use uiap_model::discovery::review::DiscoveryActionEffect;

use super::harness::Setup;
use super::served::page;

/// What was asked of the app that is more than looking: where to, and with what.
type Asked = Arc<Mutex<Vec<String>>>;

const PLACES: &str = "<nav aria-label=Main><a href=/>Start</a> <a href=/notes>Notes</a> <a href=/account>Account</a> <a href=/logout>Log out</a></nav>";
const NOTES: &str = "<form method=post action=/notes aria-label='New note'>\
    <label>Title <input name=title required></label><label>Text <textarea name=text></textarea></label>\
    <label>For <input type=email name=for required></label><label>Pages <input type=number name=pages required></label>\
    <label>Kind <select name=kind required><option value=''>Choose<option value=plain>Plain</select></label>\
    <label>By <input name=by value=Mira></label>\
    <button>Save note</button></form>\
    <button onclick=\"fetch('/notes/1', { method: 'DELETE' })\">Delete note</button>\
    <button onclick=\"fetch('/mail', { method: 'POST' })\">Send to all members</button>";
const ACCOUNT: &str = "<button onclick=\"fetch('/pay', { method: 'POST' })\">Pay now</button>\
    <button onclick=\"fetch('/publish', { method: 'POST' })\">Publish</button>\
    <form method=post action=/password aria-label=Password><label>New password <input type=password name=p></label>\
    <button>Change password</button></form>";

async fn answer(State(asked): State<Asked>, path: Option<Path<String>>, request: Request) -> Response {
    let path = path.map(|Path(path)| path).unwrap_or_default();
    let method = request.method().clone();
    if method != "GET" || path == "logout" {
        let body = axum::body::to_bytes(request.into_body(), 10_000).await.unwrap_or_default();
        asked.lock().unwrap().push(format!("{method} {path} {}", String::from_utf8_lossy(&body)));
        return Redirect::to("/notes").into_response();
    }
    match path.as_str() {
        "" => page("Start", PLACES).into_response(),
        "notes" => page("Notes", &format!("{PLACES}{NOTES}")).into_response(),
        "account" => page("Account", &format!("{PLACES}{ACCOUNT}")).into_response(),
        _ => axum::http::StatusCode::NOT_FOUND.into_response(),
    }
}

/// Explores the app in a mode; says what was asked of it.
async fn explored(mode: &str, is_controlled: bool) -> (RunRecord, Vec<String>) {
    let asked = Asked::default();
    let app =
        Router::new().route("/", any(answer)).route("/{*path}", any(answer)).with_state(Arc::clone(&asked));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut setup = Setup::of(&address).mode(mode).budget("maxRuntimeMs", 60_000);
    setup.environment["metadata"] = json!({ "controlledTenant": is_controlled });
    setup.ground.hold_writes = mode != "sandbox_write";
    let record = setup.run().await.record;
    let asked = asked.lock().unwrap().clone();
    (record, asked)
}

/// How it was decided about a control.
fn effects(record: &RunRecord, name: &str) -> Vec<DiscoveryActionEffect> {
    let named = |each: &&uiap_discovery::record::DecisionRecord| {
        each.aim.as_ref().is_some_and(|aim| aim.name == name)
    };
    record.decisions.iter().filter(named).map(|each| each.effect).collect()
}

/// Requirement: DISC-8-12
/// Requirement: DISC-11.5-09
#[tokio::test(flavor = "multi_thread")]
async fn a_controlled_tenant_is_given_test_data_and_nothing_worse_is_done() {
    let (record, asked) = explored("sandbox_write", true).await;
    let note = "POST notes title=Test&text=Test&for=test%40example.com&pages=1&kind=plain&by=Mira";
    assert_eq!(asked, [note], "one form, filled in, sent once");
    assert!(effects(&record, "Save note").contains(&DiscoveryActionEffect::Allow));
    for name in ["Delete note", "Send to all members", "Pay now", "Publish", "Log out", "Change password"] {
        let effects = effects(&record, name);
        let is_refused = effects.iter().all(|effect| *effect == DiscoveryActionEffect::Deny);
        assert!(!effects.is_empty() && is_refused, "{name}: {effects:?}");
    }
}

/// The environment says so, whoever asks: the mode alone opens nothing.
///
/// Requirement: DISC-8-12
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_where_nobody_said_that_the_tenant_is_controlled() {
    for (mode, is_controlled) in [("sandbox_write", false), ("safe_explore", true)] {
        let (record, asked) = explored(mode, is_controlled).await;
        assert_eq!(asked, [] as [String; 0], "{mode}");
        let effects = effects(&record, "Save note");
        assert!(
            !effects.contains(&DiscoveryActionEffect::Allow) && !effects.is_empty(),
            "{mode}: {effects:?}"
        );
        let fields =
            record.transitions.iter().filter(|each| each.action_id.as_str() == "ui.enterText").count();
        assert_eq!(fields, 0, "{mode}: no field is written into");
    }
}
