//! Asking twice means once, for as long as the journal keeps.

use std::time::{Duration, SystemTime};

use tempfile::tempdir;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::Idempotency;
use uiap_model::digest::sha256;
use uiap_model::names::ActionId;
use uiap_runtime::journal::{Begin, Journal, JournalFault, NewAction, Stage};

use crate::support::{handle, keyed, order};

const DAY: Duration = Duration::from_hours(24);

fn done(journal: &Journal, name: &str, side_effect: SideEffectState) {
    journal.dispatching(&handle(name), SystemTime::now()).unwrap();
    journal.finish(&handle(name), ActionStatus::Failed, side_effect, "{}").unwrap();
}

#[test]
fn the_same_key_gets_the_first_answer_in_flight_afterwards_and_after_a_restart() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.begin(&keyed("a1", "k")).unwrap(), Begin::Fresh);
    let in_flight = Begin::SameInFlight { handle: handle("a1") };
    assert_eq!(journal.begin(&keyed("a2", "k")).unwrap(), in_flight);
    journal.dispatching(&handle("a1"), SystemTime::now()).unwrap();
    assert_eq!(journal.begin(&keyed("a3", "k")).unwrap(), in_flight);
    journal.acknowledged(&handle("a1")).unwrap();
    journal.verified(&handle("a1")).unwrap();
    let result = r#"{"status":"succeeded"}"#;
    journal.finish(&handle("a1"), ActionStatus::Succeeded, SideEffectState::Applied, result).unwrap();
    let same = Begin::SameDone { result_json: result.into() };
    assert_eq!(journal.begin(&keyed("a4", "k")).unwrap(), same);
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.recover().unwrap(), []);
    assert_eq!(journal.begin(&keyed("a5", "k")).unwrap(), same);
}

#[test]
fn a_key_belongs_to_one_request_of_one_principal() {
    let journal = Journal::in_memory().unwrap();
    journal.begin(&keyed("a1", "k")).unwrap();
    let other = Begin::OtherPayload { handle: handle("a1") };
    let another_payload = NewAction { payload_digest: sha256(b"two lamps"), ..keyed("a2", "k") };
    assert_eq!(journal.begin(&another_payload).unwrap(), other);
    let another_action = NewAction { action_id: ActionId::parse("ui.activate").unwrap(), ..keyed("a3", "k") };
    assert_eq!(journal.begin(&another_action).unwrap(), other);
    let somebody_else = NewAction { principal: "other".into(), ..keyed("a4", "k") };
    assert_eq!(journal.begin(&somebody_else).unwrap(), Begin::Fresh);
    assert_eq!(journal.begin(&keyed("a5", "another")).unwrap(), Begin::Fresh);
    assert_eq!(journal.begin(&order("a6")).unwrap(), Begin::Fresh);
    assert_eq!(journal.begin(&order("a7")).unwrap(), Begin::Fresh, "no key, no memory");
}

/// Requirement: ACT-13.3-02
#[test]
fn what_may_have_happened_is_not_repeated_until_somebody_accepts_that() {
    let journal = Journal::in_memory().unwrap();
    let asked = order("a1");
    let refuses = || journal.refuses_repeat(&asked).unwrap();
    journal.begin(&asked).unwrap();
    assert_eq!(refuses(), None);
    done(&journal, "a1", SideEffectState::Unknown);
    assert_eq!(refuses(), Some(handle("a1")));
    let others = [
        NewAction { payload_digest: sha256(b"two"), ..asked.clone() },
        NewAction { principal: "other".into(), ..asked.clone() },
        NewAction { origin: "https://elsewhere.example".into(), ..asked.clone() },
    ];
    for other in others {
        assert_eq!(journal.refuses_repeat(&other).unwrap(), None, "{other:?}");
    }
    journal.accept_unknown(&handle("a1")).unwrap();
    assert_eq!(refuses(), None);
}

/// Requirement: ACT-13.3-02
#[test]
fn only_what_does_more_when_done_twice_and_is_unknown_stands_in_the_way() {
    for (idempotency, side_effect, expected) in [
        (Idempotency::NonIdempotent, SideEffectState::Unknown, true),
        (Idempotency::Conditional, SideEffectState::Unknown, true),
        (Idempotency::Idempotent, SideEffectState::Unknown, false),
        (Idempotency::NonIdempotent, SideEffectState::None, false),
        (Idempotency::NonIdempotent, SideEffectState::Applied, false),
    ] {
        let journal = Journal::in_memory().unwrap();
        let asked = NewAction { idempotency, ..order("a1") };
        journal.begin(&asked).unwrap();
        done(&journal, "a1", side_effect);
        let refused = journal.refuses_repeat(&asked).unwrap();
        assert_eq!(refused.is_some(), expected, "{idempotency} {side_effect}");
    }
}

#[test]
fn a_later_look_replaces_unknown_by_what_was_found() {
    let journal = Journal::in_memory().unwrap();
    let asked = keyed("a1", "k");
    journal.begin(&asked).unwrap();
    done(&journal, "a1", SideEffectState::Unknown);
    let found = r#"{"status":"succeeded","sideEffectState":"applied"}"#;
    journal.settle(&handle("a1"), ActionStatus::Succeeded, SideEffectState::Applied, found).unwrap();
    assert_eq!(journal.begin(&keyed("a2", "k")).unwrap(), Begin::SameDone { result_json: found.into() });
    assert_eq!(journal.refuses_repeat(&asked).unwrap(), None);
}

#[test]
fn a_key_is_kept_for_a_day_and_an_unknown_effect_for_thirty() {
    let journal = Journal::in_memory().unwrap();
    for (name, side_effect) in [("a1", SideEffectState::Applied), ("a2", SideEffectState::Unknown)] {
        journal.begin(&keyed(name, name)).unwrap();
        done(&journal, name, side_effect);
    }
    journal.begin(&keyed("a3", "a3")).unwrap();
    let now = SystemTime::now();
    assert_eq!(journal.prune(now + DAY - Duration::from_mins(1)).unwrap(), 0);
    assert_eq!(journal.prune(now + DAY + Duration::from_mins(1)).unwrap(), 1);
    assert_eq!(journal.begin(&keyed("b1", "a1")).unwrap(), Begin::Fresh);
    assert_eq!(journal.prune(now + DAY * 31).unwrap(), 1);
    let kept = Begin::SameInFlight { handle: handle("a3") };
    assert_eq!(journal.begin(&keyed("b2", "a3")).unwrap(), kept, "what has no end is never forgotten");
}

/// A server without a file would grow with every action.
#[test]
fn a_journal_in_memory_forgets_what_nobody_can_refer_to() {
    let journal = Journal::in_memory().unwrap();
    for number in 0..2_000 {
        let name = format!("a{number}");
        let asked = if number % 100 == 0 { keyed(&name, &name) } else { order(&name) };
        journal.begin(&asked).unwrap();
        done(&journal, &name, SideEffectState::Applied);
    }
    let left = journal.prune(SystemTime::now() + Duration::from_secs(1)).unwrap();
    assert!(left <= 256, "{left} were still there");
    assert!(matches!(journal.begin(&keyed("again", "a0")).unwrap(), Begin::SameDone { .. }), "a key is kept");
}

#[test]
fn stages_follow_each_other_and_handles_are_used_once() {
    let journal = Journal::in_memory().unwrap();
    journal.begin(&order("a1")).unwrap();
    let used = journal.begin(&order("a1")).unwrap_err();
    assert!(matches!(used.fault(), JournalFault::UsedHandle(_)), "{used}");
    let wrong = |error: uiap_runtime::journal::JournalError| match error.fault() {
        JournalFault::WrongStage { found, wanted, .. } => (*found, *wanted),
        other => panic!("{other}"),
    };
    let a1 = handle("a1");
    assert_eq!(wrong(journal.acknowledged(&a1).unwrap_err()), (Stage::Received, Stage::Acknowledged));
    assert_eq!(wrong(journal.verified(&a1).unwrap_err()), (Stage::Received, Stage::Verified));
    journal.dispatching(&a1, SystemTime::now()).unwrap();
    let again = journal.dispatching(&a1, SystemTime::now()).unwrap_err();
    assert_eq!(wrong(again), (Stage::Dispatching, Stage::Dispatching), "input is sent once");
    journal.finish(&a1, ActionStatus::Failed, SideEffectState::Unknown, "{}").unwrap();
    let ended = journal.finish(&a1, ActionStatus::Failed, SideEffectState::None, "{}").unwrap_err();
    assert_eq!(wrong(ended), (Stage::Done, Stage::Done), "a result is given once");
    let unknown = journal.acknowledged(&handle("nobody")).unwrap_err();
    assert_eq!(unknown.to_string(), "journal in memory: no action `nobody` is known");
}
