//! Signals and revisions of live pages, in one order.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use uiap_cdp::protocol::input::{DispatchMouseEvent, MouseButton, MouseEventType};
use uiap_model::names::ActionHandle;
use uiap_model::web::signal::WebSignal;
use uiap_web::signal::{Observed, SignalStream, Watch, WatchOptions};
use uiap_web::{ObserveOptions, Page, Revision};
use videoland::{Options, Videoland};

use crate::shared::{browser, evaluate, run};
use crate::signal_site::Site;

struct Live {
    page: Page,
    stream: SignalStream,
    /// What came since the last look: signals as JSON, revisions as `null`.
    seen: Vec<Value>,
}

impl Live {
    async fn of(html: &str) -> Self {
        let site =
            Site::with(&[("/", html), ("/next", "<title>Next</title><p role=status>Arrived</p>")]).await;
        Self::at(&site.url("/")).await
    }

    async fn at(url: &str) -> Self {
        let session = browser().await.new_page("about:blank").await.unwrap();
        let watch = Watch::start(browser().await, &session, WatchOptions::default()).await.unwrap();
        let page = Page::attach(session).await.unwrap();
        page.navigate(url).await.unwrap();
        let mut stream = SignalStream::new(page.observe(ObserveOptions::default()), &watch);
        let first = timeout(Duration::from_secs(20), async {
            loop {
                if let Observed::Revision(Revision::Snapshot(_)) = stream.next().await.unwrap() {
                    break;
                }
            }
        });
        first.await.expect("an observation begins with a snapshot");
        assert!(stream.graph().is_some());
        Self { page, stream, seen: Vec::new() }
    }

    async fn step(&mut self) {
        let next = timeout(Duration::from_secs(20), self.stream.next()).await;
        match next.unwrap_or_else(|_| panic!("nothing came after {:?}", self.seen)).unwrap() {
            Observed::Signal(heard) => self.seen.push(shown(&heard.signal)),
            Observed::Revision(_) => self.seen.push(Value::Null),
        }
    }

    /// Reads on until a signal of that kind came; everything since the last look is kept in `seen`.
    async fn until(&mut self, kind: &str) -> Value {
        self.seen.clear();
        loop {
            self.step().await;
            if self.seen.last().unwrap().get("kind").is_some_and(|found| found == kind) {
                return self.seen.last().unwrap().clone();
            }
        }
    }

    async fn run(&self, script: &str) {
        evaluate(&self.page, &format!("{script}; 1")).await;
    }

    async fn press(&self, x: f64, y: f64) {
        for kind in [MouseEventType::Pressed, MouseEventType::Released] {
            let event = DispatchMouseEvent {
                kind,
                x,
                y,
                button: Some(MouseButton::Left),
                click_count: Some(1),
                ..Default::default()
            };
            self.page.session().call(event).await.unwrap();
        }
    }
}

/// A signal without its number and time, after both were checked.
fn shown(signal: &WebSignal) -> Value {
    assert!(signal.base.signal_id.is_some() && signal.base.ts.is_some());
    let mut value = serde_json::to_value(signal).unwrap();
    for key in ["signalId", "ts"] {
        value.as_object_mut().unwrap().remove(key);
    }
    value
}

/// Requirement: WEB-R3-02
#[test]
fn a_signal_comes_before_the_revision_that_shows_its_change() {
    run(async {
        let mut live =
            Live::of("<div id=t data-uiap-role=toast role=status></div><button id=b>x</button>").await;
        for count in 0..100 {
            live.run(&format!("t.textContent = 'Toast {count}'")).await;
            let toast = live.until("toast.shown").await;
            assert_eq!(toast.get("text").unwrap(), &json!(format!("Toast {count}")));
            let graph_text =
                |live: &Live| live.stream.graph().map(|graph| serde_json::to_string(graph).unwrap());
            // The revision of the signal is the next thing that comes, and it has the toast.
            let revision = toast.get("revision").unwrap().clone();
            live.step().await;
            assert_eq!(live.seen.last(), Some(&Value::Null), "{:?}", live.seen);
            assert!(graph_text(&live).unwrap().contains(&format!("Toast {count}")));
            assert_eq!(live.stream.graph().unwrap().revision.as_str(), revision);
        }
    });
}

/// Requirement: WEB-SIG-02
/// Requirement: WEB-SIG-11
/// Requirement: WEB-SIG-14
#[test]
fn what_the_application_tells_is_delivered_unchanged_with_its_document_and_action() {
    run(async {
        let mut live =
            Live::of("<iframe id=f srcdoc='<button>Inner</button>'></iframe><button>Outer</button>").await;
        live.stream.acting(ActionHandle::parse("act_7"));
        let told = json!({ "kind": "entity.updated", "entityType": "video", "entityId": "7", "data": { "title": "New" } });
        live.run(&format!("document.dispatchEvent(new CustomEvent('uiap:signal', {{ detail: {told} }}))"))
            .await;
        let mut signal = live.until("entity.updated").await;
        let base = signal.as_object_mut().unwrap();
        assert_eq!(base.remove("actionHandle").unwrap(), "act_7");
        assert_eq!(base.remove("documentId").unwrap(), "doc_root");
        assert!(base.remove("revision").is_some());
        assert_eq!(signal, told);
        live.stream.acting(None);
        live.run("f.contentDocument.dispatchEvent(new f.contentWindow.CustomEvent('uiap:signal', { detail: { kind: 'custom', name: 'render.done', payload: { a: 1 } } }))").await;
        let signal = live.until("custom").await;
        assert_eq!(signal.get("payload").unwrap(), &json!({ "a": 1 }));
        let inner = live.stream.graph().map(|graph| graph.documents.get(1).unwrap().document_id.to_string());
        let told_by = signal.get("documentId").unwrap().as_str().unwrap().to_owned();
        assert_ne!(told_by, "doc_root");
        if let Some(inner) = inner {
            assert_eq!(told_by, inner);
        }
        live.run("document.dispatchEvent(new CustomEvent('uiap:signal', { detail: { kind: 'toast', text: 'x' } }))").await;
        let refused = live.until("custom").await;
        assert_eq!(refused.get("name").unwrap(), "browser.signal.refused");
    });
}

/// Requirement: WEB-SIG-13
#[test]
fn a_persons_press_activates_the_page_and_a_scripts_does_not() {
    run(async {
        let mut live = Live::of("<body style='margin:0'><button id=b style='width:100px;height:50px'>Press</button><p id=s role=status></p>").await;
        live.run("b.click(); s.textContent = 'clicked by script'").await;
        live.until("status.changed").await;
        assert!(
            live.seen.iter().all(|each| each.get("kind") != Some(&json!("user.activation"))),
            "{:?}",
            live.seen
        );
        live.press(20.0, 20.0).await;
        assert_eq!(live.until("user.activation").await.get("isActive").unwrap(), true);
        assert_eq!(live.until("user.activation").await.get("isActive").unwrap(), false);
    });
}

/// Requirement: WEB-SIG-03
#[test]
fn every_way_to_another_address_is_told_once() {
    run(async {
        let mut live = Live::of("<title>Start</title><p id=s role=status></p>").await;
        for (script, end) in [
            ("history.pushState(null, '', '/a')", "/a"),
            ("history.pushState(null, '', '/b')", "/b"),
            ("history.back()", "/a"),
            ("location.hash = 'part'", "/a#part"),
        ] {
            live.run(script).await;
            let told = live.until("route.changed").await;
            let to = told.pointer("/to/url").unwrap().as_str().unwrap();
            assert!(to.ends_with(end), "{script}: {to}");
            assert!(told.pointer("/from/url").is_some());
        }
        live.run("s.textContent = 'end'").await;
        live.until("status.changed").await;
        assert!(
            live.seen.iter().all(|each| each.get("kind") != Some(&json!("route.changed"))),
            "{:?}",
            live.seen
        );
        live.run("location.href = '/next'").await;
        let told = live.until("route.changed").await;
        assert!(told.pointer("/to/url").unwrap().as_str().unwrap().ends_with("/next"));
        assert_eq!(live.until("status.changed").await.get("text").unwrap(), "Arrived");
    });
}

/// Requirement: WEB-SIG-01
/// Requirement: WEB-CL-01
#[test]
fn one_page_provokes_every_kind_of_signal() {
    run(async {
        let mut live = Live::of(
            "<body style='margin:0'><button id=b style='width:100px;height:50px'>Press</button><form data-uiap-scope=f><input id=i aria-label=Title aria-errormessage=e><p id=e></p></form>
             <div id=t data-uiap-role=toast></div><p id=s role=status></p><dialog id=d aria-label=Ask><button>Yes</button></dialog>
             <section id=list aria-label=List data-uiap-scope=list><ul aria-label=Tags data-uiap-scope=tags><li>a</li></ul></section>",
        )
        .await;
        let told = |kind: &str, more: &str| {
            format!(
                "document.dispatchEvent(new CustomEvent('uiap:signal', {{ detail: {{ kind: '{kind}', {more} }} }}))"
            )
        };
        let steps = [
            ("toast.shown", "t.textContent = 'Saved'".to_owned()),
            ("status.changed", "s.textContent = '3 hits'".to_owned()),
            ("dialog.opened", "d.showModal()".to_owned()),
            ("dialog.closed", "d.close()".to_owned()),
            (
                "validation.changed",
                "e.textContent = 'Too short'; i.setAttribute('aria-invalid', 'true')".to_owned(),
            ),
            ("focus.changed", "i.focus()".to_owned()),
            ("busy.changed", "list.setAttribute('aria-busy', 'true')".to_owned()),
            (
                "collection.changed",
                "document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>b</li>')".to_owned(),
            ),
            ("entity.created", told("entity.created", "entityType: 'video'")),
            ("entity.updated", told("entity.updated", "entityType: 'video'")),
            ("entity.deleted", told("entity.deleted", "entityType: 'video'")),
            ("custom", told("custom", "name: 'render.done'")),
            ("network.response", "void fetch('/ok')".to_owned()),
            ("route.changed", "history.pushState(null, '', '/there')".to_owned()),
        ];
        for (kind, script) in steps {
            live.run(&script).await;
            live.until(kind).await;
        }
        live.press(20.0, 20.0).await;
        live.until("user.activation").await;
    });
}

/// A clock is a status that nobody waits for.
#[test]
fn a_status_that_ticks_falls_silent_and_others_do_not() {
    run(async {
        let mut live = Live::of("<p id=clock role=status>10:00:00</p><p id=s role=status></p>").await;
        let mut ticks = 0;
        for second in 1..=8 {
            live.run(&format!("clock.textContent = '10:00:0{second}'")).await;
            live.seen.clear();
            // Each tick is a revision of its own.
            while live.seen.last() != Some(&Value::Null) {
                live.step().await;
                ticks += usize::from(live.seen.last().unwrap().get("text").is_some());
            }
        }
        live.run("s.textContent = 'Done'").await;
        assert_eq!(live.until("status.changed").await.get("text").unwrap(), "Done");
        assert_eq!(ticks, 4, "the first ones may mean something");
    });
}

/// Requirement: WEB-MSG-05
#[test]
fn only_the_kinds_that_were_asked_for_are_told() {
    run(async {
        let mut live = Live::of("<p id=s role=status></p><input id=i>").await;
        live.stream = live.stream.only(serde_json::from_value(json!(["focus.changed"])).unwrap());
        live.run("s.textContent = 'no'; i.focus()").await;
        live.until("focus.changed").await;
        assert!(live.seen.iter().all(|each| each.is_null() || each.get("kind").unwrap() == "focus.changed"));
    });
}

async fn at_videoland(app: &Videoland, path: &str) -> Live {
    let live = Live::at(&format!("{}{path}", app.base_url().trim_end_matches('/'))).await;
    let drawn = "new Promise(done => { const look = () => document.querySelector('main h1') && !document.querySelector('[aria-busy=true]') && (seen.disconnect(), done(true));
        const seen = new MutationObserver(look); seen.observe(document, { subtree: true, childList: true, attributes: true }); look() })";
    evaluate(&live.page, drawn).await;
    live
}

/// The demo application tells of a new video itself, shows a toast, and goes to the video's page.
#[test]
fn a_video_that_is_created_is_told_by_everybody_once() {
    run(async {
        let app = Videoland::start(Options { quiet: true, latency: Duration::ZERO, ..Options::default() })
            .await
            .unwrap();
        let mut live = at_videoland(&app, "/videos?heartbeat=0").await;
        live.run("void __uiapRegistry.invoke('video.create', { title: 'Signals' }).then(() => __uiapRegistry.invoke('nav.navigate', { path: '/team' })).then(() => document.dispatchEvent(new CustomEvent('uiap:signal', { detail: { kind: 'custom', name: 'end' } })))").await;
        let mut all = Vec::new();
        loop {
            let last = live.until("custom").await;
            all.append(&mut live.seen);
            if last.get("name").is_some_and(|name| name == "end") {
                break;
            }
        }
        // What the graph has to add comes with the revision.
        live.seen.clear();
        while live.seen.last() != Some(&Value::Null) {
            live.step().await;
        }
        all.append(&mut live.seen);
        let kinds = |kind: &str| {
            all.iter().filter(|each| each.get("kind").is_some_and(|found| found == kind)).collect::<Vec<_>>()
        };
        assert_eq!(kinds("entity.created").len(), 1, "{all:?}");
        assert_eq!(kinds("entity.created").first().unwrap().get("entityType").unwrap(), "video");
        let toasts = kinds("toast.shown");
        assert_eq!(toasts.len(), 1, "told by the app and shown by the page: {toasts:?}");
        assert_eq!(toasts.first().unwrap().get("severity").unwrap(), "success");
        let posts = kinds("network.response");
        assert!(
            posts.iter().any(|each| each.get("status").unwrap() == 201
                && each.get("url").unwrap().as_str().unwrap().ends_with("/api/videos")),
            "{posts:?}"
        );
        let routes: Vec<_> =
            kinds("route.changed").iter().map(|each| each.pointer("/to/path").unwrap().clone()).collect();
        assert_eq!(routes.last().unwrap(), "/team", "{routes:?}");
        let mut once = routes.clone();
        once.dedup();
        assert_eq!(once, routes, "each of them once");
    });
}
