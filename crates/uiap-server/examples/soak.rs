//! Agents that come and go, connections that break, browsers that are killed: counts what was done, why it was not, and what is left
//! behind. Fails when something is.
//!
//! `cargo run --release -p uiap-server --example soak -- [MINUTES] [AGENTS]`

mod ground;
mod peer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::{HouseOptions, Patience};
use uiap_server::serve::{ServeOptions, Server};

use crate::ground::{resident, small_app};
use crate::peer::{Failure, Peer};

/// Time between two browsers that are killed.
const KILL: Duration = Duration::from_secs(45);
/// Time between two looks at memory.
const LOOK: Duration = Duration::from_secs(15);
/// How often an agent asks for the same.
const MOST_ATTEMPTS: usize = 20;
const PAGE: &str =
    "<!doctype html><title>Counter</title><button onclick='n.textContent = ++window.c'>Add</button>
    <script>window.c = 0</script><p role=status>Count <b id=n>0</b></p><a href=/other>Other</a>";

#[derive(Default)]
struct Counts {
    sessions: AtomicU64,
    actions: AtomicU64,
    succeeded: AtomicU64,
    /// Why something did not work, and how often.
    reasons: Mutex<BTreeMap<String, u64>>,
    times: Mutex<Vec<Duration>>,
}

impl Counts {
    fn because(&self, reason: impl Into<String>) {
        // What follows names pages and sessions, which differ every time.
        let reason: String = reason.into();
        let reason = reason.split(" on `").next().unwrap_or_default().to_owned();
        *self.reasons.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().map_or(Ok(20.0), |text| text.parse())?;
    let agents: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let origin = small_app(PAGE).await?;
    let (files, folders) = (open_files(), own_folders());
    let server = Server::start(options(&origin)?).await?;
    server.warm().await?;
    let counts = Arc::new(Counts::default());
    let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let mut running = tokio::task::JoinSet::new();
    for number in 0..agents {
        running.spawn(agent(server.address().to_string(), origin.clone(), end, number, Arc::clone(&counts)));
    }
    let (killed, memory, seen) = disturb(&server, end).await;
    while let Some(done) = running.join_next().await {
        done?;
    }
    server.close().await;
    let left = Left {
        processes: seen.iter().filter(|id| std::path::Path::new(&format!("/proc/{id}")).exists()).count(),
        files: open_files().saturating_sub(files),
        folders: own_folders().saturating_sub(folders),
    };
    tell(&report(minutes, agents, &counts, killed, &memory, &left)).await?;
    if left.processes + left.files + left.folders > 0 {
        return Err("something was left behind".into());
    }
    Ok(())
}

struct Left {
    processes: usize,
    files: usize,
    folders: usize,
}

fn options(origin: &str) -> Result<ServeOptions, Failure> {
    let window = Duration::from_secs(2);
    Ok(ServeOptions {
        reach: Reach::only([origin]).map_err(|(_, refusal)| refusal)?,
        browsers: BrowserOptions { most: 2, ..BrowserOptions::default() },
        house: HouseOptions {
            start: Some(format!("{origin}/").into()),
            links: Patience { window, ..Patience::default() },
            ..HouseOptions::default()
        },
        ..ServeOptions::default()
    })
}

/// Kills a browser now and then, and writes down how much memory we take and which browsers there were.
async fn disturb(server: &Server, end: Instant) -> (u64, Vec<u64>, Vec<u32>) {
    let (mut killed, mut memory, mut seen) = (0, Vec::new(), Vec::new());
    let mut kill = tokio::time::interval_at(tokio::time::Instant::now() + KILL, KILL);
    let mut look = tokio::time::interval(LOOK);
    while Instant::now() < end {
        tokio::select! {
            () = tokio::time::sleep_until(end.into()) => {}
            _ = look.tick() => {
                memory.push(resident());
                for id in server.browsers().process_ids() {
                    if !seen.contains(&id) {
                        seen.push(id);
                    }
                }
            }
            _ = kill.tick() => {
                let victim = server.browsers().process_ids().first().and_then(|id| i32::try_from(*id).ok());
                let victim = victim.and_then(rustix::process::Pid::from_raw);
                killed += u64::from(victim.is_some_and(|id| {
                    rustix::process::kill_process(id, rustix::process::Signal::KILL).is_ok()
                }));
            }
        }
    }
    seen.extend(server.browsers().process_ids());
    (killed, memory, seen)
}

fn report(minutes: f64, agents: u64, counts: &Counts, killed: u64, memory: &[u64], left: &Left) -> String {
    let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
    let mut times = counts.times.lock().unwrap_or_else(PoisonError::into_inner).clone();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default().as_millis();
    let mut text = format!(
        "| what | figure |\n|---|---|\n| minutes, agents at once | {minutes}, {agents} |\n| sessions | {} |\n| actions accepted | {} |\n| seen to work | {} |\n| time of an action p50, p99 | {} ms, {} ms |\n| browsers killed | {killed} |\n| our memory, every {} s | {memory:?} kB |\n| left: browsers, descriptors, folders | {}, {}, {} |\n",
        count(&counts.sessions),
        count(&counts.actions),
        count(&counts.succeeded),
        at(50),
        at(99),
        LOOK.as_secs(),
        left.processes,
        left.files,
        left.folders,
    );
    for (reason, count) in counts.reasons.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        text.push_str(&format!("| not, because | {count} × {reason} |\n"));
    }
    text
}

async fn tell(text: &str) -> Result<(), Failure> {
    let mut out = tokio::io::stdout();
    out.write_all(text.as_bytes()).await?;
    Ok(out.flush().await?)
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Profiles and downloads of this process.
fn own_folders() -> usize {
    let mine = std::process::id().to_string();
    let is_ours = |name: &str| name.split(['-', '.']).any(|part| part == mine);
    let count = |folder: std::path::PathBuf| {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_str().is_some_and(is_ours)).count()
    };
    let root = std::env::temp_dir();
    let profiles = root.join(format!("uiap-chromium-{}", rustix::process::geteuid().as_raw()));
    count(root) + count(profiles)
}

/// One session after the other: some say goodbye, some vanish.
async fn agent(address: String, origin: String, end: Instant, number: u64, counts: Arc<Counts>) {
    let mut round = number;
    while Instant::now() < end {
        round += 1;
        if let Err(error) = visit(&address, &origin, round, end, &counts).await {
            counts.because(format!("the session broke: {error}"));
        }
    }
}

async fn visit(
    address: &str,
    origin: &str,
    round: u64,
    end: Instant,
    counts: &Counts,
) -> Result<(), Failure> {
    let mut client = Peer::open(address).await?;
    counts.sessions.fetch_add(1, Ordering::SeqCst);
    client.ask("web.state.observe", &json!({})).await?;
    for step in 0..20 + round % 20 {
        if Instant::now() >= end {
            break;
        }
        let begun = Instant::now();
        let Some(handle) = begin(&mut client, wish(origin, step), counts).await? else { continue };
        counts.actions.fetch_add(1, Ordering::SeqCst);
        // Every third agent vanishes in the middle of an action.
        if round.is_multiple_of(3) && step == 11 {
            counts.because("the agent vanished, as planned");
            return Ok(());
        }
        let result = result(&mut client, &handle).await?;
        counts.times.lock().unwrap_or_else(PoisonError::into_inner).push(begun.elapsed());
        let at = |place: &str| result.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
        if at("/payload/status") == "succeeded" {
            counts.succeeded.fetch_add(1, Ordering::SeqCst);
        } else {
            let what = if step % 10 == 9 { "nav.navigate" } else { "ui.activate" };
            counts.because(format!("{what}: {} {}", at("/payload/error/code"), at("/payload/error/message")));
        }
    }
    client.leave().await
}

/// Mostly a press, now and then a visit.
fn wish(origin: &str, step: u64) -> Value {
    if step % 10 == 9 {
        let path = if step % 20 == 9 { "other" } else { "" };
        return json!({ "actionId": "nav.navigate", "args": { "url": format!("{origin}/{path}") } });
    }
    json!({ "actionId": "ui.activate", "target": { "ref": { "by": "semantic", "role": "button", "name": "Add" } } })
}

/// Asks for an action as a careful agent does: waits where it is told to, and looks before it repeats what may have worked.
async fn begin(client: &mut Peer, mut wish: Value, counts: &Counts) -> Result<Option<Value>, Failure> {
    for _ in 0..MOST_ATTEMPTS {
        let answer = client.ask("action.request", &wish).await?;
        if let Some(handle) = answer.pointer("/payload/actionHandle") {
            return Ok(Some(handle.clone()));
        }
        let at = |place: &str| answer.pointer(place).and_then(Value::as_str).unwrap_or_default();
        let code = at("/payload/code");
        let more = if code == "internal_error" { at("/payload/message") } else { "" };
        counts.because(format!("asked again: {code} {more}"));
        if let Some(earlier) = answer.pointer("/payload/detail/unknownEffectOf") {
            client.ask("web.state.get", &json!({})).await?;
            wish.as_object_mut()
                .ok_or("no wish")?
                .insert("metadata".to_owned(), json!({ "acknowledges": earlier }));
        } else if let Some(wait) = answer.pointer("/payload/retryAfterMs").and_then(Value::as_u64) {
            tokio::time::sleep_until((Instant::now() + Duration::from_millis(wait)).into()).await;
        } else {
            break;
        }
    }
    counts.because("given up");
    Ok(None)
}

async fn result(client: &mut Peer, handle: &Value) -> Result<Value, Failure> {
    loop {
        let told = client.next().await?;
        let ours = told.pointer("/payload/actionHandle") == Some(handle);
        if ours && told.get("type").and_then(Value::as_str) == Some("action.result") {
            return Ok(told);
        }
    }
}
