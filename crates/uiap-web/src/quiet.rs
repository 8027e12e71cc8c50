//! Waiting until a page is quiet: nothing is loading, changing, moving or about to. By events, never by sleeping.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout_at;
use uiap_cdp::CallErrorKind;

use crate::error::{PageError, PageErrorKind};
use crate::network::NetworkWatch;
use crate::page::Page;
use crate::world::Kept;

/// A turn in the page is over after this long even when the page is not calm, so that what the network does is seen.
const TURN: Duration = Duration::from_millis(500);
/// The least time for a turn.
const GLANCE: Duration = Duration::from_millis(100);
/// Changes of one and the same place within a turn that make an oscillation.
const OSCILLATION: u64 = 4;

/// Waits in the page until it is calm.
const CALM: Kept = Kept { name: "calm", source: include_str!("../page/functions/calm.js") };

/// How long a page is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// At most so long, whatever is going on.
    pub limit: Duration,
    /// So long while nothing is under way and the page only goes on changing: that may be how it is.
    pub restless: Duration,
}

impl From<Duration> for Patience {
    /// The whole time for everything.
    fn from(limit: Duration) -> Self {
        Self { limit, restless: limit }
    }
}

/// How a page came to rest, or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Quiet {
    /// Whether it is quiet.
    pub quiet: bool,
    /// How long that took.
    pub waited: Duration,
    /// What was still going on.
    pub unrest: Vec<Unrest>,
}

/// What keeps a page from being quiet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrest {
    /// Requests are under way: their addresses, the oldest first.
    Network(Vec<String>),
    /// The document changes all the time: this often in the last turn.
    Mutations(u64),
    /// Animations run that have an end: so many.
    Animations(u64),
    /// Timers are due at once.
    Timers,
    /// The same place of the document changes over and over: so often in the last turn.
    Oscillation(u64),
    /// The page answered nothing: a script runs all the time, or no frame is drawn.
    Unresponsive,
}

impl std::fmt::Display for Unrest {
    /// Without numbers: they differ each time, and two maps of one app shall not.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Network(urls) => {
                let oldest = urls.first().map(String::as_str).unwrap_or_default();
                write!(f, "requests are under way, the oldest to {oldest}")
            }
            Self::Mutations(_) => f.write_str("the document changes all the time"),
            Self::Animations(_) => f.write_str("something moves"),
            Self::Timers => f.write_str("timers are due at once"),
            Self::Oscillation(_) => f.write_str("the same place changes over and over"),
            Self::Unresponsive => f.write_str("a script keeps it busy, or no frame is drawn"),
        }
    }
}

/// What one turn in the page saw.
#[derive(Debug, Deserialize)]
struct Turn {
    quiet: bool,
    mutations: u64,
    repeats: u64,
    animations: u64,
    /// Whether something moved that has an end.
    moved: bool,
    timers: bool,
}

impl Turn {
    /// The document went away while it was asked.
    const REPLACED: Self =
        Self { quiet: false, mutations: 1, repeats: 1, animations: 0, moved: true, timers: false };

    fn is_telling(&self) -> bool {
        self.mutations > 0 || self.animations > 0 || self.timers
    }

    /// Whether nothing was going on that has an end of its own.
    fn only_changes(&self) -> bool {
        self.mutations > 0 && !self.moved
    }
}

/// Waits until the page is quiet, or for as long as there is patience.
pub async fn wait_quiet(
    page: &Page,
    network: &NetworkWatch,
    patience: impl Into<Patience>,
) -> Result<Quiet, PageError> {
    let Patience { limit, restless } = patience.into();
    let started = Instant::now();
    let deadline = started + limit;
    let mut last = Some(Turn::REPLACED);
    // Since when nothing is under way.
    let mut alone = None;
    loop {
        // Past the deadline the page is still asked, for a moment: the answer says what is going on.
        drop(timeout_at(deadline.into(), network.idle()).await);
        let enough = *alone.get_or_insert_with(Instant::now) + restless;
        let left = deadline.min(enough).saturating_duration_since(Instant::now());
        let requests = network.changes();
        let turn = turn(page, left.clamp(GLANCE, TURN)).await?;
        let busy = !network.in_flight().is_empty();
        // The page may have asked for something while it came to rest.
        if turn.as_ref().is_some_and(|turn| turn.quiet) && !busy {
            return Ok(Quiet { quiet: true, waited: started.elapsed(), unrest: Vec::new() });
        }
        if busy || requests.has_changed().unwrap_or(true) || !turn.as_ref().is_some_and(Turn::only_changes) {
            alone = None;
        }
        // A short turn may see nothing of what the one before saw.
        if turn.as_ref().is_none_or(Turn::is_telling) {
            last = turn;
        }
        let now = Instant::now();
        if now >= deadline || (alone.is_some() && now >= enough) {
            let unrest = unrest(network, last.as_ref());
            return Ok(Quiet { quiet: false, waited: started.elapsed(), unrest });
        }
    }
}

fn unrest(network: &NetworkWatch, turn: Option<&Turn>) -> Vec<Unrest> {
    let mut unrest = Vec::new();
    let requests: Vec<_> = network.in_flight().into_iter().map(|each| each.url).collect();
    if !requests.is_empty() {
        unrest.push(Unrest::Network(requests));
    }
    let Some(turn) = turn else {
        unrest.push(Unrest::Unresponsive);
        return unrest;
    };
    if turn.repeats >= OSCILLATION {
        unrest.push(Unrest::Oscillation(turn.repeats));
    } else if turn.mutations > 0 {
        unrest.push(Unrest::Mutations(turn.mutations));
    }
    if turn.animations > 0 {
        unrest.push(Unrest::Animations(turn.animations));
    }
    if turn.timers {
        unrest.push(Unrest::Timers);
    }
    unrest
}

/// One turn in the page; none when it did not answer.
async fn turn(page: &Page, limit: Duration) -> Result<Option<Turn>, PageError> {
    // The page keeps the bound by itself; this one is for a page that cannot even do that.
    match tokio::time::timeout(limit + TURN, ask(page, limit)).await {
        Ok(turn) => turn.map(Some),
        Err(_) => Ok(None),
    }
}

async fn ask(page: &Page, limit: Duration) -> Result<Turn, PageError> {
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    match page.beside(&CALM, json!(millis)).await {
        Ok(text) => Ok(serde_json::from_str(&text)?),
        Err(error) if error.is_document_gone() || is_forgotten(&error) => {
            page.forget_world().await;
            Ok(Turn::REPLACED)
        }
        Err(error) => Err(error),
    }
}

/// The document was opened anew, and the promise of the old one went with it.
fn is_forgotten(error: &PageError) -> bool {
    match error.kind() {
        PageErrorKind::Call(call) => {
            matches!(call.kind(), CallErrorKind::Refused { message, .. } if message.contains("collected"))
        }
        PageErrorKind::Silent => true,
        _ => false,
    }
}
