//! Files that cannot be a journal, and say so.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::tempdir;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_runtime::journal::{Journal, JournalError, JournalFault, JournalLimits};

use crate::support::order;

fn refusal(path: &Path) -> JournalError {
    let error = Journal::open(path).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("journal.db"), "{error}");
    error
}

#[cfg(unix)]
#[test]
fn what_people_did_is_for_the_owners_eyes() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let journal = Journal::open(&path).unwrap();
    journal.begin(&order("a1")).unwrap();
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
    }
}

#[test]
fn a_second_process_or_handle_is_told_that_the_file_is_locked() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let journal = Journal::open(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error.fault(), JournalFault::Locked), "{error}");
    drop(journal);
    Journal::open(&path).unwrap();
}

#[test]
fn a_file_that_is_something_else_is_left_as_it_is() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    fs::write(&path, "no database at all, but long enough to be looked at as one, page by page".repeat(40))
        .unwrap();
    assert!(matches!(refusal(&path).fault(), JournalFault::Foreign));
    fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE bookmark (url TEXT);").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    assert!(matches!(refusal(&path).fault(), JournalFault::Foreign));
    assert_eq!(fs::read(&path).unwrap(), before, "nothing was changed");
}

#[test]
fn a_file_of_a_later_version_is_left_as_it_is() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    drop(Journal::open(&path).unwrap());
    let other = Connection::open(&path).unwrap();
    other.pragma_update(None, "user_version", 7).unwrap();
    other.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error.fault(), JournalFault::Newer { found: 7, known: 2 }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before, "nothing was changed");
}

#[test]
fn a_file_of_the_first_version_is_taken_over_with_what_it_knows() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let asked = order("a1");
    let journal = Journal::open(&path).unwrap();
    journal.begin(&asked).unwrap();
    journal.finish(&asked.handle, ActionStatus::Failed, SideEffectState::Unknown, "{}").unwrap();
    drop(journal);
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("DROP INDEX action_unknown; ALTER TABLE action DROP COLUMN origin; PRAGMA user_version = 1;
            CREATE INDEX action_unknown ON action (principal, action_id, payload_digest) WHERE side_effect = 'unknown';")
        .unwrap();
    drop(other);
    let journal = Journal::open(&path).unwrap();
    // Nobody wrote down where it was done, so that it may have been here.
    assert_eq!(journal.refuses_repeat(&asked).unwrap(), Some(asked.handle));
}

#[test]
fn a_damaged_file_is_told_apart_from_an_empty_one() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    drop(Journal::open(&path).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    assert!(matches!(refusal(&path).fault(), JournalFault::Corrupt));
    fs::write(&path, "").unwrap();
    Journal::open(&path).unwrap();
}

#[test]
fn a_directory_that_is_not_there_and_a_directory_in_its_place_are_told() {
    let directory = tempdir().unwrap();
    assert!(matches!(refusal(&directory.path().join("none/journal.db")).fault(), JournalFault::CannotOpen));
    let taken = directory.path().join("journal.db");
    fs::create_dir(&taken).unwrap();
    assert!(matches!(refusal(&taken).fault(), JournalFault::CannotOpen));
}

#[test]
fn a_full_journal_refuses_new_actions_and_keeps_the_old_ones() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let limits = JournalLimits { most_bytes: 128 << 10, ..JournalLimits::default() };
    let journal = Journal::open_with(&path, limits).unwrap();
    let mut begun = 0;
    let error = loop {
        match journal.begin(&order(&format!("a{begun}"))) {
            Ok(_) => begun += 1,
            Err(error) => break error,
        }
        assert!(begun < 10_000, "the limit never came");
    };
    assert!(matches!(error.fault(), JournalFault::Full), "{error}");
    assert!(begun > 50, "{begun}");
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    let early = journal.begin(&order("early")).unwrap_err();
    assert!(matches!(early.fault(), JournalFault::NotRecovered), "{early}");
    assert_eq!(journal.recover().unwrap().len(), begun);
    journal.begin(&order("late")).unwrap();
}
