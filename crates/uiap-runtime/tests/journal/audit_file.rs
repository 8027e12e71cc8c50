//! The audit chain in a file: it goes on, and half a record does no harm.

use std::fs;
use std::path::Path;

use tempfile::tempdir;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::audit::AuditEvent;
use uiap_model::policy::{AuditLevel, PolicyPrincipal};
use uiap_policy::audit::{AuditDraft, read_lines};
use uiap_runtime::journal::AuditFile;

fn session() -> SessionId {
    SessionId::parse("s1").unwrap()
}

fn draft(level: AuditLevel) -> AuditDraft {
    let principal: PolicyPrincipal = serde_json::from_str(r#"{"type":"agent","id":"a"}"#).unwrap();
    AuditDraft::new(AuditEvent::PolicyChange, &principal, level)
}

fn append(path: &Path, count: usize) {
    let mut file = AuditFile::open(path, session()).unwrap();
    for _ in 0..count {
        let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
        file.append(draft(AuditLevel::Metadata), now).unwrap().unwrap();
    }
    file.sync().unwrap();
}

#[test]
fn a_file_cut_at_any_byte_of_its_last_record_keeps_all_whole_records_and_goes_on() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    append(&path, 3);
    let whole = fs::read(&path).unwrap();
    let start = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in start..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        append(&path, 1);
        // Only the line's end may be missing from a record that counts.
        let kept = if cut + 1 >= whole.len() { 3 } else { 2 };
        let chain = read_lines(&fs::read(&path).unwrap()).unwrap();
        assert_eq!((chain.records, chain.is_torn), (kept + 1, false), "cut at {cut}");
    }
}

#[test]
fn a_file_that_was_changed_is_not_gone_on_with() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    append(&path, 3);
    let changed = fs::read_to_string(&path).unwrap().replacen("policy_change", "execution", 1);
    fs::write(&path, &changed).unwrap();
    let error = AuditFile::open(&path, session()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("audit.jsonl") && error.contains("seq 2"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), changed, "evidence stays");
}

#[test]
fn a_file_has_one_writer_and_a_level_of_none_writes_nothing() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mut file = AuditFile::open(&path, session()).unwrap();
    let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
    assert!(file.append(draft(AuditLevel::None), now).unwrap().is_none());
    assert!(file.head().is_none() && fs::read(&path).unwrap().is_empty());
    let second = AuditFile::open(&path, session()).map(|_| ()).unwrap_err();
    assert!(second.to_string().contains("another process has it open"), "{second}");
}
