//! A run that is killed goes on where it was: nothing is lost, and no more is repeated than what was under way.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use uiap_discovery::record::RunRecord;
use uiap_discovery::store::Store;

use super::determinism::wide;
use super::script::{Setup, Stage, Thing, app, canonical, page};

/// Where the child keeps its run; a child is started only with it.
const PLACE: &str = "UIAP_TEST_KILLED_RUN";
const KILLS: usize = 50;

fn setup() -> Setup {
    // Whose turn it is survives as well.
    Setup::default().budget("maxStates", 5_000).budget("maxTransitions", 400).profiles(&["anna", "zoe"])
}

#[tokio::test]
async fn a_finished_run_that_is_resumed_does_nothing_and_tells_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    let stage = Stage::new(wide(3, 2));
    let first = Setup::default().run_in(&stage, Store::open(&path).unwrap()).await;
    let pressed = stage.pressed().len();
    let again = Setup::default().run_in(&stage, Store::open(&path).unwrap()).await;
    assert!(canonical(&first) == canonical(&again), "something differs");
    assert_eq!(stage.pressed().len(), pressed);
}

/// A run that ends in the middle of everything, as if its process had been killed: nothing is finished. It ends when so many
/// things were pressed that are called so.
async fn killed_after(setup: &Setup, stage: &Stage, path: &Path, called: &'static str, presses: usize) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mut stage = stage.clone();
    stage.on_press = Arc::new(move |what| {
        if what.ends_with(called) {
            sender.send(()).unwrap_or_default();
        }
    });
    let enough = async {
        for _ in 0..presses {
            receiver.recv().await;
        }
    };
    tokio::select! {
        _ = setup.run_in(&stage, Store::open(path).unwrap()) => panic!("it ended by itself"),
        () = enough => {}
    }
}

/// Requirement: DISC-8-07
#[test]
fn a_run_that_was_killed_has_only_the_time_that_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    let mut stage = Stage::new(wide(6, 4));
    stage.latency = std::time::Duration::from_millis(25);
    let setup = Setup::default().budget("maxRuntimeMs", 3_000);
    let began = std::time::Instant::now();
    // What still runs goes with its runtime.
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    runtime().block_on(killed_after(&setup, &stage, &path, "", 12));
    let first = began.elapsed();
    let began = std::time::Instant::now();
    runtime().block_on(setup.run_in(&stage, Store::open(&path).unwrap()));
    let both = first + began.elapsed();
    assert!(first.as_millis() > 700, "{first:?}");
    assert!(both.as_millis() < 3_600, "{both:?} of 3 s, {first:?} before it was killed");
}

/// What was tried counts, also where nothing came of it.
///
/// Requirement: DISC-8-05
#[tokio::test]
async fn a_run_that_was_killed_has_only_the_actions_that_are_left() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    // Most of what can be pressed leads to a page that is not there.
    let links = (0..12).map(|at| Thing::link(format!("Go {}", "x".repeat(at + 1)), format!("gone{at}")));
    let stage = Stage::new(app(vec![page("home", links.collect())]));
    for most in [4, 9] {
        let setup = Setup::default().budget("maxTransitions", most);
        setup.run_in(&stage, Store::open(&path).unwrap()).await;
        assert_eq!(stage.pressed().len() as u64, most);
    }
}

/// What writes is begun once, whatever becomes of the run; nobody knows how it ended, and whoever reads the map is told.
///
/// Requirement: DISC-8-12
#[test]
fn what_must_not_be_done_twice_is_not_done_again_after_a_kill_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    let save =
        Thing::button("Save note", "saved").with(serde_json::json!({ "metadata": { "submits": true } }));
    let home = vec![save, Thing::link("Help", "help"), Thing::button("Options", "options")];
    let mut stage = Stage::new(app(vec![
        page("home", home),
        page("saved", vec![]),
        page("help", vec![]),
        page("options", vec![]),
    ]));
    // What was pressed last is still under way when the run is killed.
    stage.latency = std::time::Duration::from_millis(25);
    let mut setup = Setup::default().mode("sandbox_write");
    setup.environment["metadata"] = serde_json::json!({ "controlledTenant": true });
    let saved = |stage: &Stage| stage.pressed().iter().filter(|what| *what == "home|Save note").count();
    // What still runs goes with its runtime.
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    runtime().block_on(killed_after(&setup, &stage, &path, "|Save note", 1));
    let record = runtime().block_on(setup.run_in(&stage, Store::open(&path).unwrap()));
    assert_eq!(saved(&stage), 1, "{:?}", stage.pressed());
    assert_eq!(super::script::titles(&record), ["help", "home", "options"], "everything else was done");
    let package = uiap_discovery::package::derive(&record);
    let told: Vec<&str> = package.review_queue.items.iter().map(|item| item.description.as_str()).collect();
    let word = "the button `Save note` was begun when the run was interrupted";
    assert!(told.iter().any(|text| text.contains(word)), "{told:#?}");
}

/// What was judged under other settings waits in the store: a bolder run is not gone on with as a stricter one.
///
/// Requirement: DISC-8-10
#[tokio::test]
async fn a_run_is_gone_on_with_only_as_it_was_begun() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    let stage = Stage::new(wide(3, 2));
    Setup::default().budget("maxTransitions", 3).run_in(&stage, Store::open(&path).unwrap()).await;
    let pressed = stage.pressed().len();
    let mut unprobed = Setup::default();
    unprobed.environment["metadata"] = serde_json::json!({ "probeOpeners": false });
    let others = [
        (Setup::default().mode("observe_only"), "`safety.defaultMode` \"safe_explore\""),
        (unprobed, "`metadata"),
        (Setup::default().profiles(&["admin"]), "`principalProfiles` null"),
    ];
    for (other, word) in others {
        let refused = other.try_explore(&stage, Store::open(&path).unwrap()).await.unwrap_err().to_string();
        assert!(refused.contains(word) && refused.contains("begin a new one"), "{refused}");
    }
    assert_eq!(stage.pressed().len(), pressed, "nothing was pressed");
    let more = Setup::default().budget("maxTransitions", 8).run_in(&stage, Store::open(&path).unwrap()).await;
    assert_eq!(more.transitions.len(), 8, "it may go further");
}

/// The process that is killed. By itself it does nothing.
#[tokio::test]
async fn the_child_that_is_killed() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let mut stage = Stage::new(wide(5, 3));
    stage.on_press = Arc::new(|what| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nPRESSED {what}").unwrap();
        out.flush().unwrap();
    });
    setup().run_in(&stage, Store::open(Path::new(&place)).unwrap()).await;
    println!("\nENDED");
}

fn child(place: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "survival::the_child_that_is_killed", "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets a child live until it pressed so many things, or to its end; says what it pressed and whether it ended by itself.
fn live(place: &Path, most: Option<usize>) -> (Vec<String>, bool) {
    let mut child = child(place);
    let mut pressed = Vec::new();
    let mut ended = false;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        ended |= line == "ENDED";
        pressed.extend(line.strip_prefix("PRESSED ").map(str::to_owned));
        if most.is_some_and(|most| pressed.len() >= most) {
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
    (pressed, ended)
}

/// How often a transition was gone through on the way to another is the only thing that an interruption changes.
fn without_tries(mut record: RunRecord) -> String {
    for transition in &mut record.transitions {
        (transition.tries, transition.agreed) = (1, 1);
    }
    canonical(&record)
}

#[tokio::test]
async fn a_run_that_is_killed_fifty_times_loses_nothing_and_repeats_only_what_was_under_way() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("run.sqlite");
    let mut all = Vec::new();
    let mut number = 7_u64;
    for kill in 0..KILLS {
        // A fixed sequence that looks like none.
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let most = 1 + usize::try_from(number >> 60).unwrap() / 2;
        let (pressed, ended) = live(&place, Some(most));
        assert!(!ended, "the run is too short to be killed {KILLS} times: it ended after {kill}");
        all.extend(pressed);
    }
    let (pressed, ended) = live(&place, None);
    assert!(ended);
    all.extend(pressed);
    let stage = Stage::new(wide(5, 3));
    let whole = setup().run(&stage).await;
    let resumed = setup().run_in(&stage, Store::open(&place).unwrap()).await;
    let (resumed, whole) = (without_tries(resumed), without_tries(whole));
    let differs = resumed.lines().zip(whole.lines()).enumerate().find(|(_, (one, other))| one != other);
    assert!(resumed == whole, "something was lost: {differs:?}");
    // What opens a layer is pressed again on the way to what lies in it; everything else only when it was under way.
    let once = |pressed: &[String]| pressed.iter().filter(|what| !what.contains("|Menu")).count();
    let (repeated, straight) = (once(&all), once(&stage.pressed()));
    assert!(repeated <= straight + KILLS, "{repeated} instead of {straight}");
}
