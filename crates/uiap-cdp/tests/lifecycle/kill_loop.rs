//! Browsers killed at random moments, again and again: every call ends, and nothing stays.
//!
//! `UIAP_CDP_KILLS` sets the number of kills, `UIAP_CDP_SEED` repeats a run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use tokio::time::timeout;
use uiap_cdp::protocol::page::Navigate;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, LaunchError};

use crate::bystander::{Place, SOON, signal, zombies};

/// Kills happen within this time after the start, which covers launch, first page and work.
const WINDOW: u64 = 900;

/// Steele and Vigna's mixing function: the same seed, the same moments.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Duration::from_millis((mixed ^ (mixed >> 27)) % WINDOW)
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Works until the browser is gone.
async fn work(place: &Place) -> Result<(), LaunchError> {
    let browser = Browser::launch(place.options()).await?;
    loop {
        let Ok(page) = browser.new_page("about:blank").await else { return Ok(()) };
        for _ in 0..20 {
            if page
                .call(Evaluate { expression: "[1, 2, 3].map(String)", ..Default::default() })
                .await
                .is_err()
            {
                return Ok(());
            }
        }
        let url = "data:text/html,<p>x</p>";
        if page.call(Navigate { url, ..Default::default() }).await.is_err() || page.close().await.is_err() {
            return Ok(());
        }
    }
}

async fn kill_after(place: &Place, moment: Duration) -> Instant {
    tokio::time::sleep(moment).await;
    loop {
        if let Some(browser) = place.browsers().first() {
            signal(*browser, Signal::KILL);
            return Instant::now();
        }
        // Not there yet: the moment is that of its birth.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Other tests of this process have children too, each a zombie for the moment before it is reaped.
fn wait_without_zombies() {
    let first = zombies();
    let begin = Instant::now();
    while zombies().iter().any(|pid| first.contains(pid)) {
        assert!(begin.elapsed() < SOON, "nobody reaps {first:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills that go on at a time: most of a round is waiting for its moment.
const LANES: u64 = 4;

#[test]
fn whenever_a_browser_is_killed_every_call_ends_and_nothing_stays() {
    let seed = number("UIAP_CDP_SEED").unwrap_or_else(|| {
        u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
    });
    println!("UIAP_CDP_SEED={seed}");
    let mut moments = Moments(seed);
    let rounds: Vec<(u64, Duration)> =
        (0..number("UIAP_CDP_KILLS").unwrap_or(50)).map(|round| (round, moments.next())).collect();
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let rounds = rounds.iter().filter(move |(round, _)| round % LANES == lane);
            scope.spawn(move || {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                for (round, moment) in rounds {
                    runtime.block_on(one_kill(*round, *moment));
                }
            });
        }
    });
}

async fn one_kill(round: u64, moment: Duration) {
    let place = Place::new();
    let (worked, killed) =
        tokio::join!(timeout(Duration::from_secs(30), work(&place)), kill_after(&place, moment));
    let noticed = killed.elapsed();
    assert!(
        noticed < Duration::from_secs(10),
        "round {round}, kill after {moment:?}: noticed after {noticed:?}"
    );
    let worked = worked.expect("every call ends");
    let ended = matches!(worked, Ok(()) | Err(LaunchError::Exited { .. }));
    assert!(ended, "round {round}, kill after {moment:?}: {worked:?}");
    place.wait_clean();
    wait_without_zombies();
}
