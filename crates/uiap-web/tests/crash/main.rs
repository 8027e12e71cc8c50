//! The browser is killed at any moment of an action: what is told of the effect must be true, and nothing happens twice.
//!
//! `CRASH_KILLS=200` kills more often than the usual run does.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod demo;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use uiap_cdp::{Browser, LaunchOptions};
use uiap_model::action::SideEffectState;
use uiap_model::names::SessionId;
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::WebSurface;
use uiap_web::{OpenOptions, Page};

const PAGE: &str = "<!doctype html><title>Orders</title><script>
    const order = () => fetch('/order', { method: 'POST' }).then(() => {
        const line = document.createElement('p'); line.setAttribute('role', 'status'); line.textContent = 'Ordered'; document.body.append(line);
    });
    </script><button onclick=\"order()\">Order</button> <label>Wish <input oninput=\"order()\"></label>
    <label><input type=checkbox onchange=\"order()\"> Subscribe</label>";

/// A shop that counts its orders.
struct Shop {
    origin: String,
    orders: Arc<AtomicU64>,
}

impl Shop {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}/", listener.local_addr().unwrap());
        let orders = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&orders);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&counted)));
            }
        });
        Self { origin, orders }
    }
}

async fn answer(mut stream: TcpStream, orders: Arc<AtomicU64>) -> Option<()> {
    let mut head = vec![0; 8_192];
    let read = stream.read(&mut head).await.ok()?;
    let ordered = head.get(..read)?.starts_with(b"POST /order");
    if ordered {
        orders.fetch_add(1, Ordering::SeqCst);
    }
    let body = if ordered { "{}" } else { PAGE };
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

fn agent() -> Party {
    party(PrincipalType::Agent, "agent")
}

fn party(principal_type: PrincipalType, id: &str) -> Party {
    let grants = serde_json::from_value(json!(["observe", "guide", "draft", "act"])).unwrap();
    let principal = PolicyPrincipal { principal_type, id: id.into(), roles: None, grants: Some(grants) };
    Party { principal, connection: id.into() }
}

/// How often somebody dies.
fn kills(usually: u64) -> u64 {
    std::env::var("CRASH_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usually)
}

/// Kills a browser in a while.
fn kill_after(browser: &Browser, moment: Duration) -> tokio::task::JoinHandle<bool> {
    let pid = i32::try_from(browser.process_id().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    tokio::spawn(async move {
        // tidy: the moment of death is what is tried out here
        tokio::time::sleep(moment).await;
        // It may be over before.
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok()
    })
}

/// Requirement: ACT-13.3-01
/// Requirement: ACT-SEC-02
#[test]
fn what_is_told_of_an_effect_is_true_whenever_the_browser_dies() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let told = runtime.block_on(async {
        let told: Arc<Mutex<BTreeMap<(String, u64), u64>>> = Arc::default();
        for round in 0..kills(12) {
            let (state, orders) = die(round).await;
            *told.lock().unwrap().entry((state.to_string(), orders)).or_default() += 1;
            let fits = match state {
                SideEffectState::None => orders == 0,
                SideEffectState::Applied => orders == 1,
                SideEffectState::Unknown => orders <= 1,
            };
            assert!(fits, "told {state}, and {orders} orders came");
        }
        Arc::try_unwrap(told).unwrap().into_inner().unwrap()
    });
    for ((state, orders), times) in told {
        println!("{times:>4} × told {state:<8} {orders} orders");
    }
}

/// One action, one death: what was told, and how many orders came.
async fn die(round: u64) -> (SideEffectState, u64) {
    let shop = Shop::open().await;
    let folder = tempfile::tempdir().unwrap();
    let journal = Arc::new(Journal::open(&folder.path().join("journal")).unwrap());
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let page = Page::open(&browser, &shop.origin, OpenOptions::default()).await.unwrap();
    let surface = WebSurface::new(&browser, &page, WatchOptions::default()).await.unwrap();
    let session = SessionId::parse(&format!("crash_{round}")).unwrap();
    let runtime =
        Runtime::start(surface, RuntimeOptions::new(session, Arc::clone(&journal)), &agent()).await.unwrap();
    // What must not be done twice, and what may: a crash tells the truth of both.
    let (action, role, name, args) = match round % 3 {
        0 => ("ui.activate", "button", "Order", json!({})),
        1 => ("ui.enterText", "textbox", "Wish", json!({ "text": "a lamp" })),
        _ => ("ui.toggle", "checkbox", "Subscribe", json!({ "checked": true })),
    };
    let request = json!({
        "actionId": action,
        "target": { "ref": { "by": "semantic", "role": role, "name": name } },
        "args": args,
        "verification": { "policy": "all", "signals": [{ "kind": "status.contains", "text": "Ordered" }], "timeoutMs": 3000 },
        "idempotencyKey": "order-1",
    });
    let payload = || serde_json::from_value(request.clone()).unwrap();
    // Anywhere between the request and the answer of the server; the same rounds every time.
    let moment = Duration::from_micros(round.wrapping_mul(7_919) % 60_000);
    let killer = kill_after(&browser, moment);
    let start = Instant::now();
    let result = runtime.act(&agent(), payload(), None).await.unwrap();
    let story = || uiap_runtime::trace::story(&runtime.trace(&result.action_handle).unwrap_or_default());
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "an action outlives its browser, round {round}:\n{}",
        story()
    );
    killer.await.unwrap();
    // Whoever asks again with the same key gets the same answer, and nothing is done again.
    let again = runtime.act(&agent(), payload(), None).await.unwrap();
    assert_eq!(again.action_handle, result.action_handle);
    assert_eq!(again.side_effect(), result.side_effect());
    (result.side_effect(), shop.orders.load(Ordering::SeqCst))
}

/// The page dies while the action is under way, the browser lives on: nobody knows the effect, and it is told in plain words.
///
/// Requirement: ACT-13.3-01
#[test]
fn a_page_that_crashes_during_a_click_is_told_as_lost_and_the_effect_as_unknown() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let shop = Shop::open().await;
        let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
        let page = Page::open(&browser, &shop.origin, OpenOptions::default()).await.unwrap();
        let surface = WebSurface::new(&browser, &page, WatchOptions::default()).await.unwrap();
        let journal = Arc::new(Journal::in_memory().unwrap());
        let session = SessionId::parse("crash").unwrap();
        let runtime = Runtime::start(surface, RuntimeOptions::new(session, journal), &agent()).await.unwrap();
        let request = serde_json::from_value(json!({
            "actionId": "ui.activate",
            "target": { "ref": { "by": "semantic", "role": "button", "name": "Order" } },
            "verification": { "policy": "all", "signals": [{ "kind": "toast.contains", "text": "never" }], "timeoutMs": 20_000 },
        }));
        let crash = tokio::spawn({
            let (orders, session) = (Arc::clone(&shop.orders), page.session().clone());
            async move {
                while orders.load(Ordering::SeqCst) == 0 {
                    tokio::task::yield_now().await;
                }
                drop(session.call(uiap_cdp::protocol::page::Crash {}).await);
            }
        });
        let start = Instant::now();
        let result = runtime.act(&agent(), request.unwrap(), None).await.unwrap();
        assert!(start.elapsed() < Duration::from_secs(15), "a crash is noticed, not waited out");
        assert_eq!(result.side_effect(), SideEffectState::Unknown);
        let error = json!(result.error);
        assert_ne!(result.status.as_str(), "succeeded", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("crashed") && !message.contains('`'), "{error}");
        crash.await.unwrap();
        browser.close().await;
    });
}
