//! Permissions that a page asks for: noticed, told once each, and passed through as they are.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;
use uiap_cdp::protocol::browser::GrantPermissions;
use uiap_model::action::result::ActionStatus;
use uiap_model::web::signal::WebSignalBody;
use uiap_web::Page;
use uiap_web::signal::{Report, Watch, WatchOptions, browser as names};

use crate::cause::Actor;
use crate::shared::{blank, browser, evaluate, run, serve};

async fn watched(html: &str) -> (Page, Watch) {
    let session = blank().await;
    let watch = Watch::start(browser().await, &session, WatchOptions::default()).await.unwrap();
    let page = Page::attach(session).await.unwrap();
    page.navigate(&serve(html).await).await.unwrap();
    (page, watch)
}

/// Has the page ask, and then whether it may, as the script that listens does; says what was told until both were answered and so many were told.
async fn asked(
    page: &Page,
    signals: &mut Receiver<Report>,
    script: &str,
    name: &str,
    least: usize,
) -> Vec<Value> {
    let settled = format!("navigator.permissions.query({{ name: '{name}' }})");
    evaluate(page, &format!("({script}).then(() => {settled}).then(() => console.error('done'))")).await;
    let (mut told, mut done) = (Vec::new(), false);
    while !done || told.len() < least {
        let report = timeout(Duration::from_secs(10), signals.recv()).await;
        match report.unwrap_or_else(|_| panic!("{name}: {told:?}")).unwrap().body {
            WebSignalBody::Custom { name, payload } if name == names::PERMISSION => {
                told.push(Value::Object(payload.unwrap().0));
            }
            WebSignalBody::Custom { name, .. } if name == names::CONSOLE_ERROR => done = true,
            _ => {}
        }
    }
    told
}

#[test]
fn permissions_that_nobody_granted_are_told_by_name_and_bounded() {
    run(async {
        let (page, watch) = watched("<p>hello").await;
        let mut signals = watch.signals();
        let asks = [
            (
                "new Promise((go) => navigator.geolocation.getCurrentPosition(go, go)).then((e) => e.code)",
                "geolocation",
            ),
            ("Notification.requestPermission()", "notifications"),
            ("navigator.clipboard.readText().catch((error) => error.name)", "clipboard-read"),
            ("navigator.mediaDevices.getUserMedia({ video: true }).catch((error) => error.name)", "camera"),
        ];
        for (script, name) in asks {
            let found = asked(&page, &mut signals, script, name, 1).await;
            assert_eq!(found.len(), 1, "{name}: {found:?}");
            let found = found.first().unwrap();
            assert_eq!(found.get("name"), Some(&json!(name)));
            let state = found.get("state").and_then(Value::as_str);
            assert!(matches!(state, Some("denied" | "prompt")), "{found}");
        }
        let many = "Promise.all(Array.from({ length: 100 }, () => Notification.requestPermission()))";
        let least = 20 - asks.len();
        assert_eq!(asked(&page, &mut signals, many, "notifications", least).await.len(), least);
    });
}

#[test]
fn a_permission_that_was_granted_is_no_news() {
    run(async {
        let (page, watch) = watched("<p>hello").await;
        let context = page.session().info().browser_context_id.clone();
        let grant =
            GrantPermissions { permissions: vec!["geolocation"], origin: None, browser_context_id: context };
        browser().await.call(grant).await.unwrap();
        let mut signals = watch.signals();
        // Whether there is a place to tell is another question, and nobody waits for the answer.
        let script = "(navigator.geolocation.getCurrentPosition(() => {}, () => {}), Notification.requestPermission())";
        let told = asked(&page, &mut signals, script, "geolocation", 1).await;
        let names: Vec<_> = told.iter().filter_map(|each| each.get("name")).collect();
        assert_eq!(names, [&json!("notifications")]);
    });
}

#[test]
fn a_page_that_is_listened_to_finds_no_name_and_the_browsers_own_functions() {
    run(async {
        let html = "<script>window.names = Object.getOwnPropertyNames(window).filter((name) => /uiap/i.test(name));</script>";
        let (page, _watch) = watched(html).await;
        assert_eq!(evaluate(&page, "JSON.stringify(names)").await, "[]");
        let kept = "JSON.stringify([
            String(Notification.requestPermission).includes('[native code]'),
            Notification.requestPermission.name,
            Geolocation.prototype.getCurrentPosition.length,
            'prototype' in Geolocation.prototype.getCurrentPosition,
            Object.keys(Geolocation.prototype).includes('getCurrentPosition'),
        ])";
        assert_eq!(evaluate(&page, kept).await, r#"[true,"requestPermission",1,false,true]"#);
        // What the browser refuses it refuses in its own words, and a frame of the page's own is no way around.
        let refused = "(() => { try { Geolocation.prototype.getCurrentPosition.call({}, () => {}); } catch (error) { return error.message; } })()";
        assert_eq!(evaluate(&page, refused).await, "Illegal invocation");
        let framed = "(() => { const frame = document.body.appendChild(document.createElement('iframe')); return Object.getOwnPropertyNames(frame.contentWindow).filter((name) => /uiap/i.test(name)).length; })()";
        assert_eq!(evaluate(&page, framed).await, 0);
    });
}

const PLACES: &str = "<p role=status id=out></p>
    <button onclick=\"navigator.geolocation.getCurrentPosition(() => { out.textContent = 'Here'; }, () => {})\">Use my location</button>
    <button onclick=\"Notification.requestPermission().then((answer) => { if (answer === 'granted') out.textContent = 'On'; })\">Notify me</button>
    <button onclick=\"navigator.geolocation.getCurrentPosition(() => {}, () => { out.textContent = 'Somewhere near Berlin'; })\">Guess</button>";

#[test]
fn a_click_that_needs_a_permission_is_told_from_one_that_does_nothing() {
    run(async {
        let actor = Actor::at(&serve(PLACES).await).await;
        for (name, permission) in [("Use my location", "geolocation"), ("Notify me", "notifications")] {
            let result = actor.click("button", name, Value::Null).await;
            let error = result.error.as_ref().expect("nobody granted it");
            let said = format!("the page asked for the permission `{permission}`, which nobody granted");
            assert!(error.message.contains(&said), "{}", error.message);
            let detail = json!(error.detail.as_ref().unwrap().0);
            assert_eq!(detail.pointer("/failureClass"), Some(&json!("unexpected_state_delta")), "{detail}");
            assert_eq!(detail.pointer("/contradicting/0/kind"), Some(&json!("permission")), "{detail}");
        }
        let expected = json!([{ "kind": "status.contains", "text": "Somewhere" }]);
        let result = actor.click("button", "Guess", expected).await;
        assert_eq!(result.status, ActionStatus::Succeeded, "{:?}", result.error);
        let beside = json!(result.metadata.as_ref().unwrap().0);
        assert_eq!(beside.pointer("/contradicting/0/kind"), Some(&json!("permission")), "{beside}");
    });
}
