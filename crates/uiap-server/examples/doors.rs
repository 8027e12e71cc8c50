//! What a session costs without a browser: round trips over a WebSocket, alone, in company, and beside sockets that send their head byte by byte.
//!
//! `cargo run --release -p uiap-server --example doors -- [SESSIONS] [SECONDS] [SLOW]`
#![expect(clippy::cast_precision_loss, reason = "there are hundreds of sessions, not 2^52")]

mod peer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use uiap_policy::{Policies, PolicyStore};
use uiap_server::door::listen::loopback_hosts;
use uiap_server::door::{Bounds, Door, Gatekeeper, Layout};
use uiap_server::protocol::stage::{Stage, StageError, Stages, Wish};
use uiap_server::protocol::{Contract, House, HouseOptions, Keyring};

use crate::peer::{Failure, Peer};

/// Time between two requests of one agent.
const BEAT: Duration = Duration::from_millis(100);

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
    let slow = arguments.next().unwrap_or(1_000);
    for crawling in [0, slow] {
        let crawlers = crawl(&address.to_string(), crawling).await?;
        let report = measure(&address.to_string(), sessions, limit, crawling).await?;
        tokio::io::AsyncWriteExt::write_all(&mut tokio::io::stdout(), format!("{report}\n").as_bytes())
            .await?;
        drop(crawlers);
    }
    door.close().await;
    Ok(())
}

/// All agents at once. What it takes to open so many sessions in one moment is told apart from what a message takes.
async fn measure(address: &str, sessions: u64, limit: Duration, crawling: u64) -> Result<Value, Failure> {
    let mut running = tokio::task::JoinSet::new();
    for number in 0..sessions {
        // Agents that know nothing of each other do not ask in one breath.
        let offset = BEAT.mul_f64(number as f64 / sessions as f64);
        running.spawn(client(address.to_owned(), offset, limit));
    }
    let (mut opening, mut times) = (Vec::new(), Vec::new());
    while let Some(done) = running.join_next().await {
        let mut asked = done??.into_iter();
        opening.extend(asked.next());
        times.extend(asked);
    }
    opening.sort_unstable();
    times.sort_unstable();
    let at = |times: &[Duration], part: usize| {
        times.get(times.len() * part / 1_000).copied().unwrap_or_default().as_micros()
    };
    Ok(json!({
        "sessions": sessions, "slowSockets": crawling, "roundTrips": times.len(), "p50us": at(&times, 500),
        "p99us": at(&times, 990), "p999us": at(&times, 999), "openingP50us": at(&opening, 500),
        "openingP99us": at(&opening, 990),
    }))
}

/// Connections that send a byte of their head every second, as long as what is given back lives; each begins anew when it is thrown out.
async fn crawl(address: &str, count: u64) -> Result<tokio::task::JoinSet<()>, Failure> {
    const HEAD: &[u8] = b"GET /uiap/ws HTTP/1.1\r\nhost: slow\r\nupgrade: websocket\r\n";
    let mut crawlers = tokio::task::JoinSet::new();
    for _ in 0..count {
        let address = address.to_owned();
        let mut stream = tokio::net::TcpStream::connect(&address).await?;
        crawlers.spawn(async move {
            let mut beat = tokio::time::interval(Duration::from_secs(1));
            for byte in HEAD.iter().cycle() {
                beat.tick().await;
                if tokio::io::AsyncWriteExt::write_all(&mut stream, &[*byte]).await.is_err() {
                    let Ok(again) = tokio::net::TcpStream::connect(&address).await else { return };
                    stream = again;
                }
            }
        });
    }
    Ok(crawlers)
}

/// One agent that asks ten times a second; the first time is the opening of its session.
async fn client(address: String, offset: Duration, limit: Duration) -> Result<Vec<Duration>, Failure> {
    let begun = Instant::now();
    let mut peer = Peer::open(&address).await?;
    let mut times = vec![begun.elapsed()];
    let mut beat = tokio::time::interval_at((Instant::now() + offset).into(), BEAT);
    while begun.elapsed() < limit {
        beat.tick().await;
        let asked = Instant::now();
        knock(&mut peer).await?;
        times.push(asked.elapsed());
    }
    peer.leave().await?;
    Ok(times)
}

/// A request that needs no browser.
async fn knock(peer: &mut Peer) -> Result<(), Failure> {
    peer.ask("web.state.unobserve", &json!({ "subscriptionId": "none" })).await.map(drop)
}
