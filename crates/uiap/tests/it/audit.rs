//! `uiap audit verify`: a chain that holds, and every way in which it does not.

use tempfile::tempdir;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::audit::AuditEvent;
use uiap_model::policy::{AuditLevel, PolicyPrincipal};
use uiap_policy::audit::{AuditDraft, AuditTrail};

use crate::support::{Run, file, uiap};

fn chain(records: usize) -> Vec<String> {
    let mut trail = AuditTrail::new(SessionId::parse("s1").unwrap());
    let principal: PolicyPrincipal = serde_json::from_str(r#"{"type":"agent","id":"helper"}"#).unwrap();
    let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
    let draft = || AuditDraft::new(AuditEvent::Execution, &principal, AuditLevel::Metadata);
    let mut line =
        || String::from_utf8(trail.seal(draft(), now.clone()).unwrap().unwrap().line).unwrap() + "\n";
    (0..records).map(|_| line()).collect()
}

fn verify(text: &str, more: &[&str]) -> Run {
    let folder = tempdir().unwrap();
    let path = file(&folder, "audit.jsonl", text.as_bytes());
    let mut args = vec!["audit", "verify", path.to_str().unwrap()];
    args.extend(more);
    uiap(&args)
}

#[test]
fn a_chain_that_holds_is_told_with_its_end_and_what_cannot_be_seen() {
    let run = verify(&chain(12).concat(), &[]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("12 records, the chain holds\nhead 12:sha256:"), "{}", run.out);
    assert!(run.err.contains("--head"), "{}", run.err);
    let head = run.out.lines().last().unwrap().strip_prefix("head ").unwrap().to_owned();
    let again = verify(&chain(12).concat(), &["--head", &head]);
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    let cut = verify(&chain(11).concat(), &["--head", &head]);
    assert!(cut.code == 1 && cut.out.contains("at record 12"), "{}", cut.out);
    assert_eq!(verify("", &[]).code, 0, "nothing happened yet");
}

#[test]
fn the_first_bad_record_is_named() {
    let lines = chain(9);
    let mut changed = lines.clone();
    changed[3] = changed[3].replace("helper", "nobody");
    let run = verify(&changed.concat(), &[]);
    assert!(run.code == 1 && run.out.contains("breaks at record 5: the digest"), "{}", run.out);
    let mut missing = lines.clone();
    missing.remove(3);
    let run = verify(&missing.concat(), &["--json"]);
    assert_eq!(
        (run.code, run.json()["holds"].as_bool(), run.json()["seq"].as_u64()),
        (1, Some(false), Some(5))
    );
    let whole = lines.concat();
    let torn = verify(&whole[..whole.len() - 20], &[]);
    assert!(
        torn.code == 1 && torn.out.contains("at record 9") && torn.out.contains("cut off"),
        "{}",
        torn.out
    );
}

#[test]
fn a_file_or_a_head_that_cannot_be_read_is_told() {
    let missing = uiap(&["audit", "verify", "no-such-file.jsonl"]);
    assert!(missing.code == 6 && missing.err.contains("no-such-file.jsonl"), "{}", missing.err);
    let head = verify(&chain(1).concat(), &["--head", "12"]);
    assert!(head.code == 2 && head.err.contains("SEQ:DIGEST"), "{}", head.err);
}
