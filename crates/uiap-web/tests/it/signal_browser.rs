//! What the browser reports of a page, told as signals.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;
use uiap_cdp::protocol::page::Crash;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, ContextOptions, Downloads, Session};
use uiap_model::names::DocumentId;
use uiap_model::web::signal::WebSignalBody;
use uiap_web::Page;
use uiap_web::signal::{Report, Watch, WatchOptions, browser as names, told};

use crate::shared::{blank, browser, evaluate, run};
use crate::signal_site::Site;

async fn watched(browser: &Browser, session: Session, options: WatchOptions, url: &str) -> (Page, Watch) {
    let watch = Watch::start(browser, &session, options).await.unwrap();
    let page = Page::attach(session).await.unwrap();
    page.navigate(url).await.unwrap();
    (page, watch)
}

async fn plain(html: &str) -> (Page, Watch, Site) {
    let site = Site::with(&[("/", html)]).await;
    let session = blank().await;
    let (page, watch) = watched(browser().await, session, WatchOptions::default(), &site.url("/")).await;
    (page, watch, site)
}

/// The payload of the next signal of that name.
async fn next(signals: &mut Receiver<Report>, wanted: &str) -> Value {
    let found = timeout(Duration::from_secs(20), async {
        loop {
            if let WebSignalBody::Custom { name, payload } = signals.recv().await.unwrap().body
                && name == wanted
            {
                return Value::Object(payload.unwrap().0);
            }
        }
    });
    found.await.unwrap_or_else(|_| panic!("no signal `{wanted}`"))
}

async fn as_user(page: &Page, expression: &str) {
    let evaluate = Evaluate { expression, user_gesture: true, ..Evaluate::default() };
    page.session().call(evaluate).await.unwrap();
}

#[test]
fn errors_of_scripts_are_told_and_idle_talk_is_not() {
    run(async {
        let (page, watch, _site) = plain("<p>hello").await;
        let mut signals = watch.signals();
        evaluate(&page, "console.log('talk'); console.warn('talk'); console.error('no', 3, {a: 1}); 1").await;
        let told = next(&mut signals, names::CONSOLE_ERROR).await;
        assert_eq!(told.get("text").unwrap(), "no 3 Object");
        evaluate(&page, "setTimeout(() => { null.x }, 0); 1").await;
        let told = next(&mut signals, names::PAGE_ERROR).await;
        assert!(
            told.get("text")
                .unwrap()
                .as_str()
                .unwrap()
                .starts_with("TypeError: Cannot read properties of null"),
            "{told}"
        );
    });
}

#[test]
fn dialogs_are_told_with_their_answer() {
    run(async {
        let (page, watch, _site) = plain("<p>hello").await;
        let mut signals = watch.signals();
        evaluate(&page, "confirm('Delete?')").await;
        let told = next(&mut signals, names::DIALOG).await;
        assert_eq!(told, json!({ "type": "confirm", "text": "Delete?", "answer": "dismissed" }));
    });
}

#[test]
fn popups_are_told_and_a_storm_of_them_is_stopped() {
    run(async {
        let site = Site::with(&[("/", "<p>hello"), ("/popup", "<p>popup")]).await;
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let session = context.new_page("about:blank").await.unwrap();
        let options = WatchOptions { most_popups: 2, ..WatchOptions::default() };
        let (page, watch) = watched(browser().await, session, options, &site.url("/")).await;
        let mut signals = watch.signals();
        for _ in 0..5 {
            as_user(&page, "void window.open('/popup')").await;
        }
        for _ in 0..2 {
            assert!(next(&mut signals, names::POPUP).await.get("targetId").unwrap().is_string());
        }
        assert_eq!(next(&mut signals, names::SUPPRESSED).await, json!({ "what": "popup" }));
        let open = |browser: &Browser| {
            let sessions = browser.sessions();
            sessions
                .iter()
                .filter(|each| each.info().opener_id.as_ref() == Some(page.session().target_id()))
                .count()
        };
        let mut events = browser().await.events();
        while open(browser().await) > 2 {
            timeout(Duration::from_secs(10), events.next()).await.expect("the rest of them is closed");
        }
    });
}

#[test]
fn a_crash_is_told() {
    run(async {
        let site = Site::with(&[("/", "<p>hello")]).await;
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let session = context.new_page("about:blank").await.unwrap();
        let (page, watch) = watched(browser().await, session, WatchOptions::default(), &site.url("/")).await;
        let mut signals = watch.signals();
        drop(page.session().call(Crash {}).await);
        next(&mut signals, names::CRASH).await;
    });
}

#[test]
fn downloads_go_where_they_may_and_are_told() {
    run(async {
        let headers = "Content-Disposition: attachment; filename=\"../../report.csv\"\r\n";
        let site =
            Site::with_headers(&[("/", "", "<a id=a href=/file>get</a>"), ("/file", headers, "a;b")]).await;
        let jail = std::env::temp_dir().join(format!("uiap-downloads-{}", std::process::id()));
        std::fs::create_dir_all(&jail).unwrap();
        let options =
            ContextOptions { downloads: Downloads::Into(jail.clone()), ..ContextOptions::default() };
        let context = browser().await.new_context(options).await.unwrap();
        let session = context.new_page("about:blank").await.unwrap();
        let (page, watch) = watched(browser().await, session, WatchOptions::default(), &site.url("/")).await;
        let mut signals = watch.signals();
        as_user(&page, "a.click()").await;
        let started = next(&mut signals, names::DOWNLOAD).await;
        assert_eq!(started.get("state").unwrap(), "started");
        let name = started.get("suggestedName").unwrap().as_str().unwrap();
        assert!(name.ends_with("report.csv") && !name.contains('/'), "{name}");
        let ended = next(&mut signals, names::DOWNLOAD).await;
        assert_eq!(
            (ended.get("state").unwrap(), ended.get("bytes").unwrap()),
            (&json!("completed"), &json!(3.0))
        );
        let files: Vec<_> = std::fs::read_dir(&jail).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(
            files,
            [started.get("downloadId").unwrap().as_str().unwrap()],
            "named by us, not by the page"
        );
        std::fs::remove_dir_all(&jail).unwrap();
    });
}

/// Requirement: WEB-SIG-01
/// Requirement: WEB-SIG-11
/// Requirement: WEB-SIG-14
#[test]
fn an_application_tells_of_its_own_things_only() {
    let document = DocumentId::parse("doc_root").unwrap();
    let read = |detail: Value| told::read(&document, &detail);
    let created =
        json!({ "kind": "entity.created", "entityType": "video", "entityId": "7", "data": { "title": "x" } });
    assert_eq!(serde_json::to_value(read(created.clone()).unwrap().body).unwrap(), created);
    let done = json!({ "kind": "custom", "name": "render.done" });
    assert_eq!(serde_json::to_value(read(done.clone()).unwrap().body).unwrap(), done);
    let kind = read(json!({ "kind": "toast", "text": "x" })).unwrap_err().to_string();
    assert!(
        kind.starts_with("`toast` is not a kind of signal")
            && kind.contains("toast.shown")
            && kind.contains("user.activation"),
        "{kind}"
    );
    for bad in [
        json!({ "kind": "entity.created" }),
        json!({ "kind": "custom" }),
        json!({ "kind": "custom", "name": "x", "payload": [1] }),
        json!({ "kind": "toast.shown", "text": "x", "severity": "danger" }),
        json!({ "kind": "busy.changed", "busy": "yes" }),
        json!({ "kind": "collection.changed", "scopeId": "s", "count": -1 }),
        json!(7),
        Value::Null,
        // What only the browser knows.
        json!({ "kind": "network.response", "url": "http://h/", "status": 200 }),
        json!({ "kind": "user.activation", "isActive": true }),
        json!({ "kind": "custom", "name": "browser.crash" }),
        json!({ "kind": "custom", "name": "x", "payload": { "long": "x".repeat(100_000) } }),
    ] {
        assert!(read(bad.clone()).is_err(), "{bad}");
    }
    let claims = json!({ "kind": "custom", "name": "x", "actionHandle": "act_1", "signalId": "s" });
    let kept = serde_json::to_value(read(claims).unwrap().body).unwrap();
    assert_eq!(
        kept,
        json!({ "kind": "custom", "name": "x" }),
        "whose action it was is not the page's to say"
    );
}
