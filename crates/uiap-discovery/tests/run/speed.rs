//! What more scouts are worth, and what a large run costs.

use std::time::Duration;

use tokio::time::Instant;

use super::determinism::wide;
use super::script::{Setup, Stage};

/// Seconds of a clock that only waiting moves: what is measured is how well the scouts are kept busy.
async fn seconds(workers: usize) -> f64 {
    let mut stage = Stage::new(wide(8, 3));
    stage.latency = Duration::from_millis(50);
    let began = Instant::now();
    let setup = Setup::default().budget("maxTransitions", 400).budget("maxStates", 5_000).workers(workers);
    let record = setup.run(&stage).await;
    assert!(record.transitions.len() > 380, "{}", record.transitions.len());
    began.elapsed().as_secs_f64()
}

#[tokio::test(start_paused = true)]
async fn two_scouts_are_nearly_twice_and_eight_seven_times_as_fast_as_one() {
    let (one, two, eight) = (seconds(1).await, seconds(2).await, seconds(8).await);
    println!("one {one:.2} s, two {:.2} x, eight {:.2} x", one / two, one / eight);
    assert!(one / two >= 1.9, "{}", one / two);
    assert!(one / eight >= 7.0, "{}", one / eight);
}

/// How many states the child explores; a child is started only with it.
const STATES: &str = "UIAP_TEST_STATES";

/// The process whose memory is measured. By itself it does nothing; `UIAP_TEST_STATES=10000` measures a large run by hand, and with
/// `UIAP_TEST_PACKAGE=1` what the package takes on top.
#[tokio::test]
async fn the_child_that_is_measured() {
    let Some(most) = std::env::var(STATES).ok().and_then(|text| text.parse().ok()) else { return };
    let stage = Stage::new(wide(21, 3));
    let directory = tempfile::tempdir().unwrap();
    let store = uiap_discovery::store::Store::open(&directory.path().join("run.sqlite")).unwrap();
    let limits = [("maxTransitions", 2 * most), ("maxStates", most), ("maxPerRoute", 2 * most)];
    let mut setup =
        limits.into_iter().fold(Setup::default(), |setup, (name, value)| setup.budget(name, value));
    setup.keeps_events = false;
    let explored = setup.explore(&stage, store).await;
    assert_eq!(explored.states() as u64, most);
    println!("\nPEAK {}", peak());
    if std::env::var_os("UIAP_TEST_PACKAGE").is_some() {
        let package = explored.package(|_| {}).unwrap();
        println!("{} states in the package, peak {} kB", package.transition_graph.states.len(), peak());
    }
}

/// The most memory that this process had, in kB.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").to_owned()
}

/// 100 MB at 10,000 states: what each one more costs is what decides.
#[test]
fn every_state_more_costs_less_than_six_kilobytes() {
    let at = |states: u64| -> u64 {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "speed::the_child_that_is_measured", "--nocapture"])
            .env(STATES, states.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find_map(|line| line.strip_prefix("PEAK ")).unwrap().parse().unwrap()
    };
    let (few, many) = (at(400), at(1_600));
    println!("{few} kB at 400 states, {many} kB at 1,600");
    assert!(few < 40 * 1_024, "{few} kB at 400 states");
    assert!(many.saturating_sub(few) < 6 * 1_200, "{few} kB at 400 states, {many} kB at 1,600");
}
