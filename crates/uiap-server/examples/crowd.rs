//! Many sessions at once, each observing a small page: how long until all are open, what they cost, how quickly they are answered.
//!
//! `cargo run --release -p uiap-server --example crowd -- [SESSIONS] [SECONDS]`

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Semaphore};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::HouseOptions;
use uiap_server::serve::{ServeOptions, Server};

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const PAGE: &str = "<!doctype html><title>Small</title><h1>Small</h1><button>Press</button><p>Text</p>";
/// Sessions that are opened at the same time.
const OPENING: usize = 8;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let sessions: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let seconds: u64 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let origin = small_app().await?;
    let server = Server::start(ServeOptions {
        reach: Reach::only([&origin]).map_err(|(_, refusal)| refusal)?,
        // One browser holds many contexts; a few of them share the risk.
        browsers: BrowserOptions { most: 4, shared: sessions.div_ceil(4) + 2, ..BrowserOptions::default() },
        house: HouseOptions {
            start: Some(format!("{origin}/").into()),
            most_sessions: sessions + 1,
            ..HouseOptions::default()
        },
        ..ServeOptions::default()
    })
    .await?;
    server.warm().await?;
    let (begun, before) = (Instant::now(), resident(std::process::id()));
    let (doors, open) = (Arc::new(Semaphore::new(OPENING)), Arc::new(Barrier::new(sessions + 1)));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..sessions {
        running.spawn(client(server.address().to_string(), Arc::clone(&doors), Arc::clone(&open), seconds));
    }
    open.wait().await;
    let opened = begun.elapsed();
    let ours = resident(std::process::id());
    let theirs: u64 = server.browsers().process_ids().into_iter().map(family).sum();
    let browsers = server.browsers().process_ids().len();
    let mut times = Vec::new();
    while let Some(done) = running.join_next().await {
        times.extend(done??);
    }
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 1_000).copied().unwrap_or_default();
    let report = format!(
        "| what | figure |\n|---|---|\n| sessions that observe a page | {sessions} |\n| until all were open | {opened:.1?} |\n| our memory before, with all open | {before} kB, {ours} kB |\n| memory of {browsers} browsers (what processes share is divided among them) | {theirs} kB |\n| round trips without browser work | {} |\n| p50, p99, p99.9 | {:.1?}, {:.1?}, {:.1?} |\n",
        times.len(),
        at(500),
        at(990),
        at(999),
    );
    tokio::io::stdout().write_all(report.as_bytes()).await?;
    server.close().await;
    Ok(())
}

async fn client(
    address: String,
    doors: Arc<Semaphore>,
    open: Arc<Barrier>,
    seconds: u64,
) -> Result<Vec<Duration>, Failure> {
    let turn = doors.acquire_owned().await?;
    let mut request = format!("ws://{address}/uiap/ws").into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "uiap.v0.1".parse()?);
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    let hello = json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "crowd" }, "supportedProfiles": ["web@0.1"],
    });
    let opened = ask(&mut socket, None, "session.initialize", &hello, 0).await?;
    let session = opened.get("sessionId").and_then(Value::as_str).ok_or("no session")?.to_owned();
    let observing = ask(&mut socket, Some(&session), "web.state.observe", &json!({}), 1).await?;
    if observing.get("type").and_then(Value::as_str) != Some("web.state.observing") {
        return Err(format!("not observing: {observing}").into());
    }
    drop(turn);
    // A page takes its time; meanwhile whoever waits gives signs of life.
    let mut beats = tokio::time::interval(Duration::from_secs(10));
    let mut waiting = std::pin::pin!(open.wait());
    let mut id = 2;
    loop {
        tokio::select! {
            _ = &mut waiting => break,
            _ = beats.tick() => {
                ask(&mut socket, Some(&session), "web.state.unobserve", &json!({ "subscriptionId": "none" }), id).await?;
                id += 1;
            }
        }
    }
    let (mut times, end) = (Vec::new(), Instant::now() + Duration::from_secs(seconds));
    let mut beat = tokio::time::interval(Duration::from_secs(1));
    while Instant::now() < end {
        beat.tick().await;
        let begun = Instant::now();
        ask(&mut socket, Some(&session), "web.state.unobserve", &json!({ "subscriptionId": "none" }), id)
            .await?;
        times.push(begun.elapsed());
        id += 1;
    }
    ask(&mut socket, Some(&session), "session.terminate", &json!({ "reason": "completed" }), id).await?;
    Ok(times)
}

async fn ask(
    socket: &mut Socket,
    session: Option<&str>,
    name: &str,
    payload: &Value,
    id: u64,
) -> Result<Value, Failure> {
    let mut envelope = json!({
        "uiap": "0.1", "kind": "request", "type": name, "id": format!("c{id}"), "ts": "2026-03-26T14:00:00.000Z",
        "source": { "role": "agent", "id": "crowd" }, "payload": payload,
    });
    if let (Some(envelope), Some(session)) = (envelope.as_object_mut(), session) {
        envelope.insert("sessionId".to_owned(), session.into());
    }
    socket.send(Message::text(envelope.to_string())).await?;
    loop {
        let Some(Message::Text(text)) = socket.next().await.transpose()? else { continue };
        let answer: Value = serde_json::from_str(&text)?;
        if answer.get("correlationId").and_then(Value::as_str) == Some(format!("c{id}").as_str()) {
            return Ok(answer);
        }
    }
}

async fn small_app() -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = [0; 4_096];
                if stream.read(&mut head).await.is_ok_and(|count| count > 0) {
                    let answer = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{PAGE}",
                        PAGE.len()
                    );
                    // A browser that hung up needs no answer.
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    Ok(origin)
}

/// Kilobytes that a process holds.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default()
}

/// Kilobytes of a process and all that came from it, what they share divided among them.
fn family(id: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
    let own: u64 = line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    own + children.split_whitespace().filter_map(|child| child.parse().ok()).map(family).sum::<u64>()
}
