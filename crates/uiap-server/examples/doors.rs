//! What a session costs without a browser: round trips over a WebSocket, alone and in company.
//!
//! `cargo run --release -p uiap-server --example doors -- [SESSIONS] [SECONDS]`

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use uiap_policy::{Policies, PolicyStore};
use uiap_server::door::listen::loopback_hosts;
use uiap_server::door::{Bounds, Door, Gatekeeper, Layout};
use uiap_server::protocol::stage::{Stage, StageError, Stages, Wish};
use uiap_server::protocol::{Contract, House, HouseOptions, Keyring};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pages that nobody asks for here.
struct NoPages;

impl Stages for NoPages {
    fn check(&self, _: &str) -> Result<(), StageError> {
        Ok(())
    }

    fn open<'a>(&'a self, _: &'a Wish) -> BoxFuture<'a, Result<Arc<dyn Stage>, StageError>> {
        Box::pin(async { Err(StageError::Failed("there are no pages here".to_owned())) })
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let sessions = arguments.next().unwrap_or(200);
    let limit = Duration::from_secs(arguments.next().unwrap_or(5));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let contract = Contract::of_pages(Vec::new()).ok_or("no contract")?;
    let options = HouseOptions { most_sessions: 2_000, ..HouseOptions::default() };
    let policy = PolicyStore::new(Policies::off());
    let house = House::new(options, contract, policy, Keyring::default(), Arc::new(NoPages))?;
    let gatekeeper = Gatekeeper::new(loopback_hosts(address), Vec::new())?;
    let door = Door::open(listener, house, gatekeeper, Layout::default(), Bounds::default())?;
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..sessions {
        running.spawn(client(address.to_string(), limit));
    }
    let mut times = Vec::new();
    while let Some(done) = running.join_next().await {
        times.extend(done??);
    }
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 1_000).copied().unwrap_or_default();
    let report = json!({
        "sessions": sessions, "roundTrips": times.len(), "p50us": at(500).as_micros(), "p99us": at(990).as_micros(),
        "p999us": at(999).as_micros(),
    });
    tokio::io::AsyncWriteExt::write_all(&mut tokio::io::stdout(), format!("{report}\n").as_bytes()).await?;
    door.close().await;
    Ok(())
}

/// One agent that asks ten times a second.
async fn client(address: String, limit: Duration) -> Result<Vec<Duration>, Failure> {
    let mut request = format!("ws://{address}/uiap/ws").into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "uiap.v0.1".parse()?);
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    let hello = json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "bench" }, "supportedProfiles": ["web@0.1"],
    });
    let mut session = Value::Null;
    let mut times = Vec::new();
    let mut beat = tokio::time::interval(Duration::from_millis(100));
    let begun = Instant::now();
    let mut number = 0_u64;
    while begun.elapsed() < limit {
        beat.tick().await;
        let (name, payload) = if session.is_null() {
            ("session.initialize", &hello)
        } else {
            ("web.state.unobserve", &json!({ "subscriptionId": "none" }))
        };
        let mut envelope = json!({
            "uiap": "0.1", "kind": "request", "type": name, "id": format!("b{number}"), "ts": "2026-03-26T14:00:00.000Z",
            "source": { "role": "agent", "id": "bench" }, "payload": payload,
        });
        if let (Some(envelope), false) = (envelope.as_object_mut(), session.is_null()) {
            envelope.insert("sessionId".to_owned(), session.clone());
        }
        number += 1;
        let asked = Instant::now();
        socket.send(Message::text(envelope.to_string())).await?;
        loop {
            let Some(Message::Text(text)) = socket.next().await.transpose()? else { continue };
            let answer: Value = serde_json::from_str(&text)?;
            if answer.get("correlationId").is_some() {
                session = answer.get("sessionId").cloned().unwrap_or_default();
                break;
            }
        }
        times.push(asked.elapsed());
    }
    socket.close(None).await?;
    Ok(times)
}
