//! Agents that come and go, browsers that are killed: counts what is left behind.
//!
//! `cargo run --release -p uiap-server --example soak -- [SECONDS] [AGENTS]`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::{HouseOptions, Patience};
use uiap_server::serve::{ServeOptions, Server};
use videoland::{Options, Videoland};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Default)]
struct Counts {
    sessions: AtomicU64,
    actions: AtomicU64,
    succeeded: AtomicU64,
    lost: AtomicU64,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let limit = Duration::from_secs(arguments.next().unwrap_or(60));
    let agents = arguments.next().unwrap_or(20);
    let app = Videoland::start(Options::default()).await?;
    let origin = app.base_url().trim_end_matches('/').to_owned();
    let before = open_files();
    let window = Duration::from_secs(2);
    let server = Server::start(ServeOptions {
        reach: Reach::only([origin.clone()]).map_err(|(_, refusal)| refusal)?,
        browsers: BrowserOptions { most: 2, ..BrowserOptions::default() },
        house: HouseOptions {
            start: Some(format!("{origin}/videos").into()),
            links: Patience { window, ..Patience::default() },
            ..HouseOptions::default()
        },
        ..ServeOptions::default()
    })
    .await?;
    server.warm().await?;
    let counts = Arc::new(Counts::default());
    let end = Instant::now() + limit;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..agents {
        running.spawn(agent(server.address().to_string(), origin.clone(), end, number, Arc::clone(&counts)));
    }
    let mut killed = 0;
    let mut memory = Vec::new();
    let mut beat = tokio::time::interval(Duration::from_secs(15));
    beat.tick().await;
    while Instant::now() < end {
        beat.tick().await;
        memory.push(resident());
        if let Some(id) = server.browsers().process_ids().first().and_then(|id| i32::try_from(*id).ok())
            && let Some(id) = rustix::process::Pid::from_raw(id)
            && rustix::process::kill_process(id, rustix::process::Signal::KILL).is_ok()
        {
            killed += 1;
        }
    }
    while let Some(done) = running.join_next().await {
        done?;
    }
    let last = server.browsers().process_ids();
    server.close().await;
    app.shutdown().await;
    let left = last.iter().filter(|id| std::path::Path::new(&format!("/proc/{id}")).exists()).count();
    let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
    let report = json!({
        "seconds": limit.as_secs(), "agents": agents, "sessions": count(&counts.sessions), "actions": count(&counts.actions),
        "succeeded": count(&counts.succeeded), "linksLost": count(&counts.lost), "browsersKilled": killed,
        "residentKB": memory, "filesBefore": before, "filesAfter": open_files(), "browsersLeft": left,
    });
    tokio::io::AsyncWriteExt::write_all(&mut tokio::io::stdout(), format!("{report}\n").as_bytes()).await?;
    Ok(())
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default()
}

/// One agent after the other: some say goodbye, some vanish.
async fn agent(address: String, origin: String, end: Instant, number: u64, counts: Arc<Counts>) {
    let mut round = number;
    while Instant::now() < end {
        round += 1;
        match visit(&address, &origin, round, &counts).await {
            Ok(()) => {}
            Err(_) => {
                counts.lost.fetch_add(1, Ordering::SeqCst);
            }
        }
    }
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn visit(address: &str, origin: &str, round: u64, counts: &Counts) -> Result<(), Failure> {
    let mut request = format!("ws://{address}/uiap/ws").into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "uiap.v0.1".parse()?);
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    let hello = json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "soak" }, "supportedProfiles": ["web@0.1"],
    });
    let opened = ask(&mut socket, None, "session.initialize", &hello, 0).await?;
    let session = opened.get("sessionId").and_then(Value::as_str).ok_or("no session")?.to_owned();
    counts.sessions.fetch_add(1, Ordering::SeqCst);
    ask(&mut socket, Some(&session), "web.state.observe", &json!({}), 1).await?;
    for step in 0..10 + round % 10 {
        let path = ["/team", "/videos"].get(usize::try_from(step % 2)?).copied().unwrap_or_default();
        let go = json!({ "actionId": "nav.navigate", "args": { "url": format!("{origin}{path}") } });
        let accepted = ask(&mut socket, Some(&session), "action.request", &go, 2 + step).await?;
        let Some(handle) = accepted.pointer("/payload/actionHandle").cloned() else { continue };
        counts.actions.fetch_add(1, Ordering::SeqCst);
        if round.is_multiple_of(3) && step == 5 {
            return Ok(());
        }
        loop {
            let told = next(&mut socket).await?;
            let ours = told.pointer("/payload/actionHandle") == Some(&handle);
            if ours && told.get("type").and_then(Value::as_str) == Some("action.result") {
                let fine = told.pointer("/payload/status").and_then(Value::as_str) == Some("succeeded");
                counts.succeeded.fetch_add(u64::from(fine), Ordering::SeqCst);
                break;
            }
        }
    }
    ask(&mut socket, Some(&session), "session.terminate", &json!({ "reason": "completed" }), 99).await?;
    Ok(())
}

async fn ask(
    socket: &mut Socket,
    session: Option<&str>,
    name: &str,
    payload: &Value,
    id: u64,
) -> Result<Value, Failure> {
    let mut envelope = json!({
        "uiap": "0.1", "kind": "request", "type": name, "id": format!("s{id}"), "ts": "2026-03-26T14:00:00.000Z",
        "source": { "role": "agent", "id": "soak" }, "payload": payload,
    });
    if let (Some(envelope), Some(session)) = (envelope.as_object_mut(), session) {
        envelope.insert("sessionId".to_owned(), session.into());
    }
    socket.send(Message::text(envelope.to_string())).await?;
    loop {
        let answer = next(socket).await?;
        if answer.get("correlationId").and_then(Value::as_str) == Some(format!("s{id}").as_str()) {
            return Ok(answer);
        }
    }
}

async fn next(socket: &mut Socket) -> Result<Value, Failure> {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(40), socket.next()).await?.ok_or("gone")??;
        if let Message::Text(text) = message {
            return Ok(serde_json::from_str(&text)?);
        }
    }
}
