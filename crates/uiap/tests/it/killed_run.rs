//! `uiap discover` is killed again and again and gone on with: the map is that of a run that nobody killed, the app was not
//! touched, and no browser outlives its run. `DISCOVER_KILLS=50` kills more often than the usual run does, `DISCOVER_SEED` at
//! other moments.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use uiap_discovery::{compare, package};
use uiap_model::discovery::DiscoveryPackage;

use crate::den::Den;
use crate::support::command;
use crate::topics::app;

/// How often one run is killed, at most.
const IN_A_ROW: u64 = 5;
/// A run is killed within this time of its start: while its browser starts, while it looks around, while it writes the map.
const WINDOW: std::ops::Range<u64> = 100..5_000;

/// Where a run keeps its map and everything else.
struct Home {
    out: PathBuf,
    den: Den,
    _folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { out: folder.path().join("map"), den: Den::new(), _folder: folder }
    }

    /// Begins a run, or goes on with the one that is there.
    fn discover(&self, address: &str) -> Command {
        let mut discover = command();
        discover
            .args(["discover", address, "--out", self.out.to_str().unwrap(), "--browsers", "2"])
            .args(["--max-transitions", "30", "--json"])
            .env("TMPDIR", self.den.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.out.join("run.sqlite").exists() {
            discover.arg("--resume");
        }
        discover
    }

    /// Lets a run come to its end.
    fn finish(&self, address: &str) {
        let ended = self.discover(address).output().unwrap();
        let told = || format!("{}{}", text(&ended.stdout), text(&ended.stderr));
        assert!(ended.status.success(), "{}: {}", ended.status, told());
        self.den.assert_nobody_is_left();
        self.den.assert_nothing_is_left();
    }

    fn package(&self) -> DiscoveryPackage {
        let bytes = std::fs::read(self.out.join("package.json")).unwrap();
        let package: DiscoveryPackage = serde_json::from_slice(&bytes).unwrap();
        let files = std::fs::read_dir(self.out.join("states")).unwrap();
        let files: BTreeSet<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        for state in &package.transition_graph.states {
            assert!(files.contains(&format!("{}.json", state.state_id)), "{} shows nothing", state.state_id);
        }
        package
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Numbers that look like chance and are the same for the same seed.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis(WINDOW.start + (self.0 >> 33) % (WINDOW.end - WINDOW.start))
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// Requirement: DISC-2-04
#[test]
fn a_run_that_is_killed_again_and_again_gives_the_map_of_one_that_was_not() {
    let (kills, seed) = (number("DISCOVER_KILLS", 3), number("DISCOVER_SEED", 1));
    let (address, writes) = app();
    let whole = Home::new();
    let began = Instant::now();
    whole.finish(&address);
    println!("a run that nobody killed took {:.1} s", began.elapsed().as_secs_f32());
    let whole = whole.package();
    let mut moments = Moments(seed);
    let mut killed = 0;
    while killed < kills {
        let home = Home::new();
        let before = killed;
        while killed < kills && killed < before + IN_A_ROW {
            let mut run = home.discover(&address).spawn().unwrap();
            let moment = moments.next();
            // tidy: the moment of death is what is tried out here
            std::thread::sleep(moment);
            if run.try_wait().unwrap().is_some() {
                let ended = run.wait_with_output().unwrap();
                assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
                println!("at its end before {moment:?}");
                break;
            }
            run.kill().unwrap();
            run.wait().unwrap();
            killed += 1;
            println!("killed after {moment:?}");
            // What a killed run left in files goes with the next one.
            home.den.assert_nobody_is_left();
        }
        home.finish(&address);
        let package = home.package();
        let changes = compare::compare(&whole, &package);
        assert!(changes.is_empty(), "{:#?}", changes.changes);
        let (one, other) = (package::canonical(&whole), package::canonical(&package));
        let (one, other) = (text(&one), text(&other));
        let at = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
        let near = |text: &str| {
            let from = at.unwrap_or(text.len()).saturating_sub(200);
            text.get(from..).unwrap_or_default().chars().take(400).collect::<String>()
        };
        assert!(one == other, "{}\n{}", near(&one), near(&other));
        assert_eq!(*writes.lock().unwrap(), [] as [String; 0], "the app was written to");
    }
}
