//! How long an action takes from the call to the verdict: `cargo run --release -p uiap-web --example act_speed`.
//! `CALLS=1` writes down what was said to the browser for the last action of each kind.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement fails by panicking and prints its figures"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use uiap_cdp::{Browser, LaunchOptions};
use uiap_model::names::SessionId;
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::WebSurface;
use uiap_web::{OpenOptions, Page};

const ROUNDS: usize = 100;

/// Thirty fields, a counter that tells of itself, and as much unrest as asked for.
fn form(unrest: bool) -> String {
    let fields: String =
        (0..30).map(|n| format!("<p><label for=f{n}>Field {n}</label> <input id=f{n}></p>")).collect();
    let boxes: String =
        (0..10).map(|n| format!("<label><input type=checkbox> Option {n}</label> ")).collect();
    let restless = if unrest {
        "<ul id=feed></ul><script>let n = 0; setInterval(() => { const line = document.createElement('li'); line.textContent = 'Event ' + n++; feed.prepend(line); if (feed.children.length > 20) feed.lastChild.remove(); }, 20);</script>"
    } else {
        ""
    };
    format!(
        "<!doctype html><title>Form</title><h1>Order</h1><form onsubmit='return false'><fieldset><legend>Contact</legend>{fields}{boxes}</fieldset>
        <button type=button onclick=\"told.textContent = 'Pressed ' + ++times\">Count</button></form><p id=told role=status></p><script>let times = 0;</script>{restless}"
    )
}

async fn serve(body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = vec![0; 8_192];
            if stream.read(&mut head).await.is_err() {
                continue;
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            drop(stream.write_all(answer.as_bytes()).await);
        }
    });
    address
}

fn agent() -> Party {
    let grants = serde_json::from_value(json!(["observe", "guide", "draft", "act"])).unwrap();
    let principal = PolicyPrincipal {
        principal_type: PrincipalType::Agent,
        id: "agent".into(),
        roles: None,
        grants: Some(grants),
    };
    Party { principal, connection: "measurement".into() }
}

fn on(role: &str, name: &str) -> Value {
    json!({ "ref": { "by": "semantic", "role": role, "name": name } })
}

fn middle(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    (at(50), at(95))
}

async fn measure(runtime: &Runtime<WebSurface>, page: &str, kind: &str, request: impl Fn(usize) -> Value) {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let payload = serde_json::from_value(request(round)).unwrap();
        tracing::trace!("---- {kind} {round}");
        let start = Instant::now();
        let result = runtime.act(&agent(), payload, None).await.unwrap();
        times.push(start.elapsed());
        tracing::trace!("---- over");
        assert_eq!(result.status.as_str(), "succeeded", "{:?}", result.error);
    }
    let (p50, p95) = middle(times);
    println!("{page:<10} {kind:<8} p50 {p50:>8.1?}   p95 {p95:>8.1?}");
}

#[tokio::main]
async fn main() {
    if std::env::var_os("CALLS").is_some() {
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(std::io::stderr).init();
    }
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    for (name, unrest) in [("form", false), ("restless", true)] {
        let address = serve(form(unrest)).await;
        let page = Page::open(&browser, &address, OpenOptions::default()).await.unwrap();
        let surface = WebSurface::new(&browser, &page, WatchOptions::default()).await.unwrap();
        let session = SessionId::parse(name).unwrap();
        let journal = Arc::new(Journal::in_memory().unwrap());
        let runtime = Runtime::start(surface, RuntimeOptions::new(session, journal), &agent()).await.unwrap();
        measure(
            &runtime,
            name,
            "click",
            |_| json!({ "actionId": "ui.activate", "target": on("button", "Count") }),
        )
        .await;
        measure(&runtime, name, "type", |round| {
            let text = format!("text {round}");
            json!({ "actionId": "ui.enterText", "target": on("textbox", &format!("Field {}", round % 30)), "args": { "text": text } })
        })
        .await;
        measure(&runtime, name, "toggle", |round| {
            json!({ "actionId": "ui.toggle", "target": on("checkbox", &format!("Option {}", round % 10)) })
        })
        .await;
    }
    browser.close().await;
}
