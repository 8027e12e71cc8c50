//! A process that writes the journal is killed at any moment, again and again; what the journal says afterwards must be true.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::tempdir;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::Idempotency;
use uiap_runtime::journal::{Begin, Interrupted, Journal, NewAction, Stage, outcome};

use crate::support::{handle, keyed};

const KILLS: u64 = 60;
const PLACE: &str = "UIAP_TEST_JOURNAL";
const THIS_TEST: &str = "kills::after_a_kill_every_action_is_told_to_have_had_no_effect_only_if_it_had_none";
const SEED: &str = "UIAP_TEST_SEED";
const STAGES: [Stage; 5] =
    [Stage::Received, Stage::Dispatching, Stage::Acknowledged, Stage::Verified, Stage::Done];

/// The same seed gives the same sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }
}

fn kind_of(number: u64) -> Idempotency {
    if number.is_multiple_of(3) { Idempotency::Idempotent } else { Idempotency::NonIdempotent }
}

fn action(seed: u64, number: u64) -> NewAction {
    let name = format!("a{seed}-{number}");
    let payload_digest = uiap_model::digest::sha256(name.as_bytes());
    NewAction { payload_digest, idempotency: kind_of(number), ..keyed(&name, &name) }
}

/// Says what it is about to do and what it has done, until it is killed.
fn be_the_victim(place: &Path) {
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    let journal = Journal::open(place).unwrap();
    journal.recover().unwrap();
    let mut random = Random(seed | 1);
    for number in 0.. {
        live(&journal, &action(seed, number), number, &mut random);
    }
}

fn tell(what: &str, number: u64, stage: Stage) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "@ {what} {number} {}", stage.as_str()).unwrap();
}

/// One action, ended early now and then.
fn live(journal: &Journal, new: &NewAction, number: u64, random: &mut Random) {
    let last = STAGES[usize::try_from(random.below(4)).unwrap()];
    for stage in STAGES.into_iter().take_while(|stage| *stage <= last) {
        tell("tries", number, stage);
        match stage {
            Stage::Received => assert_eq!(journal.begin(new).unwrap(), Begin::Fresh),
            Stage::Dispatching => journal.dispatching(&new.handle, SystemTime::now()).unwrap(),
            Stage::Acknowledged => journal.acknowledged(&new.handle).unwrap(),
            Stage::Verified => journal.verified(&new.handle).unwrap(),
            Stage::Done => unreachable!(),
        }
        tell("did", number, stage);
    }
    // Some are left under way for as long as the process lives.
    if random.below(4) > 0 {
        tell("tries", number, Stage::Done);
        let (status, effect) = (ActionStatus::Failed, SideEffectState::Unknown);
        journal.finish(&new.handle, status, effect, r#"{"told":"by the victim"}"#).unwrap();
        tell("did", number, Stage::Done);
    }
}

/// What the victim told of an action.
#[derive(Clone, Copy, Default)]
struct Told {
    tried: Option<Stage>,
    did: Option<Stage>,
}

fn listen(seed: u64, place: &Path, lines: u64) -> HashMap<u64, Told> {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args([THIS_TEST, "--exact", "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(victim.stdout.take().unwrap());
    let mut told: HashMap<u64, Told> = HashMap::new();
    let mut left = lines;
    for line in output.lines().map_while(Result::ok) {
        // The harness may have written on the same line.
        let Some((_, words)) = line.split_once("@ ") else { continue };
        let [what, number, stage] = words.split(' ').collect::<Vec<_>>()[..] else { continue };
        let Some(stage) = STAGES.into_iter().find(|each| each.as_str() == stage) else { continue };
        let entry = told.entry(number.parse().unwrap()).or_default();
        *(if what == "tries" { &mut entry.tried } else { &mut entry.did }) = Some(stage);
        left = left.saturating_sub(1);
        if left == 0 {
            victim.kill().unwrap();
        }
    }
    assert!(!victim.wait().unwrap().success() && left == 0, "the victim ended by itself");
    told
}

/// The record of an action must lie between what was done and what was tried, and its outcome must follow from it.
fn check(journal: &Journal, seed: u64, number: u64, told: Told, found: Option<&Interrupted>) {
    let new = action(seed, number);
    let Some(found) = found else {
        let may_be_missing = told.did.is_none() || told.tried == Some(Stage::Done);
        assert!(may_be_missing, "{} is forgotten", new.handle);
        return;
    };
    assert!(Some(found.stage) >= told.did && Some(found.stage) <= told.tried, "{found:?}");
    let wanted = outcome(found.stage, kind_of(number)).unwrap();
    assert_eq!((found.side_effect_state, found.retryable), (wanted.side_effect, wanted.retryable));
    // Input is sent only after `dispatching` is done, so that from there on it may have taken effect.
    let may_have_effect = told.did >= Some(Stage::Dispatching);
    assert!(!may_have_effect || found.side_effect_state != SideEffectState::None, "{found:?}");
    let again = NewAction { handle: handle(&format!("again-{seed}-{number}")), ..new.clone() };
    let Begin::SameDone { result_json } = journal.begin(&again).unwrap() else {
        panic!("{} would be done twice", new.handle)
    };
    let result: Value = serde_json::from_str(&result_json).unwrap();
    assert_eq!(result["sideEffectState"], wanted.side_effect.as_str());
    assert_eq!(result["status"], wanted.status.as_str());
    let refused = journal.refuses_repeat(&new).unwrap();
    let is_unsafe = wanted.side_effect == SideEffectState::Unknown && !wanted.retryable;
    assert_eq!(refused.is_some(), is_unsafe, "{found:?}");
}

/// Requirement: ACT-13.3-01
/// Requirement: ACT-13.3-02
#[test]
fn after_a_kill_every_action_is_told_to_have_had_no_effect_only_if_it_had_none() {
    // The test starts itself, again and again, as the process that is killed.
    if let Some(place) = std::env::var_os(PLACE) {
        return be_the_victim(Path::new(&place));
    }
    let directory = tempdir().unwrap();
    let place = directory.path().join("journal.db");
    let mut random = Random(0x6b69_6c6c);
    let mut stages: HashMap<&str, usize> = HashMap::new();
    for seed in 1..=KILLS {
        let lines = 1 + random.below(60);
        let told = listen(seed, &place, lines);
        let journal = Journal::open(&place).unwrap();
        let found = journal.recover().unwrap();
        for interrupted in &found {
            *stages.entry(interrupted.stage.as_str()).or_default() += 1;
        }
        for (number, told) in told {
            let name = action(seed, number).handle;
            check(&journal, seed, number, told, found.iter().find(|each| each.handle == name));
        }
    }
    assert_eq!(stages.len(), 4, "every stage was met: {stages:?}");
}
