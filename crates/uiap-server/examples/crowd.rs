//! Many sessions at once, each observing a small page: how long until all are open, what they cost, how quickly they are answered.
//!
//! `cargo run --release -p uiap-server --example crowd -- [SESSIONS] [SECONDS]`
#![expect(clippy::cast_precision_loss, reason = "there are hundreds of sessions, not 2^52")]

mod ground;
mod peer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::{Barrier, Semaphore};
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::HouseOptions;
use uiap_server::serve::{ServeOptions, Server};

use crate::ground::{resident, small_app};
use crate::peer::{Failure, Peer};

const PAGE: &str = "<!doctype html><title>Small</title><h1>Small</h1><button>Press</button><p>Text</p>";
/// Sessions that are opened at the same time.
const OPENING: usize = 8;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let sessions: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let seconds: u64 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let origin = small_app(PAGE).await?;
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
    let (begun, before) = (Instant::now(), resident());
    let (doors, open) = (Arc::new(Semaphore::new(OPENING)), Arc::new(Barrier::new(sessions + 1)));
    let mut running = tokio::task::JoinSet::new();
    for number in 0..sessions {
        // Agents that know nothing of each other do not ask in one breath.
        let offset = Duration::from_secs(1).mul_f64(number as f64 / sessions as f64);
        let address = server.address().to_string();
        running.spawn(client(address, Arc::clone(&doors), Arc::clone(&open), (offset, seconds)));
    }
    open.wait().await;
    let opened = begun.elapsed();
    let ours = resident();
    let theirs: u64 = server.browsers().process_ids().into_iter().map(family).sum();
    let browsers = server.browsers().process_ids().len();
    // Looking at so many processes takes a while: nobody is measured meanwhile.
    open.wait().await;
    open.wait().await;
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
    (offset, seconds): (Duration, u64),
) -> Result<Vec<Duration>, Failure> {
    let turn = doors.acquire_owned().await?;
    let mut peer = Peer::open(&address).await?;
    let observing = peer.ask("web.state.observe", &json!({})).await?;
    if observing.get("type").and_then(Value::as_str) != Some("web.state.observing") {
        return Err(format!("not observing: {observing}").into());
    }
    drop(turn);
    // A page takes its time; meanwhile whoever waits gives signs of life.
    let mut beats = tokio::time::interval(Duration::from_secs(10));
    let mut waiting = std::pin::pin!(open.wait());
    loop {
        tokio::select! {
            _ = &mut waiting => break,
            _ = beats.tick() => knock(&mut peer).await?,
        }
    }
    open.wait().await;
    let (mut times, begin) = (Vec::new(), Instant::now() + offset);
    let end = begin + Duration::from_secs(seconds);
    let mut beat = tokio::time::interval_at(begin.into(), Duration::from_secs(1));
    while Instant::now() < end {
        beat.tick().await;
        let begun = Instant::now();
        knock(&mut peer).await?;
        times.push(begun.elapsed());
    }
    // Pages that are closed keep the machine busy: nobody leaves before all were measured.
    open.wait().await;
    peer.leave().await?;
    Ok(times)
}

/// Kilobytes of a process and all that came from it, what they share divided among them.
fn family(id: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
    let own: u64 = line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    own + children.split_whitespace().filter_map(|child| child.parse().ok()).map(family).sum::<u64>()
}

/// A request that needs no browser.
async fn knock(peer: &mut Peer) -> Result<(), Failure> {
    peer.ask("web.state.unobserve", &json!({ "subscriptionId": "none" })).await.map(drop)
}
