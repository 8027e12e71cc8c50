//! What a journal and an audit file cost per action, on the disk at hand.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that meets something unexpected shall stop"
)]

use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::{Instant, SystemTime};

use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::Idempotency;
use uiap_model::digest::sha256;
use uiap_model::names::{ActionHandle, ActionId, SessionId, Timestamp};
use uiap_model::policy::audit::AuditEvent;
use uiap_model::policy::{AuditLevel, PolicyPrincipal};
use uiap_policy::audit::AuditDraft;
use uiap_runtime::journal::{AuditFile, Journal, NewAction};

const ACTIONS: usize = 2_000;
const RECORDS: usize = 50_000;

fn percentiles(name: &str, mut times: Vec<u128>) {
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 1_000).copied().unwrap_or_default();
    println!("{name}: p50 {} µs, p95 {} µs, p99 {} µs", at(500) / 1_000, at(950) / 1_000, at(990) / 1_000);
}

fn timed<T>(times: &mut Vec<u128>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = work();
    times.push(start.elapsed().as_nanos());
    value
}

fn journal(directory: &std::path::Path) {
    let journal = Journal::open(&directory.join("journal.db")).unwrap();
    let [mut begin, mut sent, mut done] = [Vec::new(), Vec::new(), Vec::new()];
    for number in 0..ACTIONS {
        let new = NewAction {
            handle: ActionHandle::parse(&format!("a{number}")).unwrap(),
            session: SessionId::parse("s1").unwrap(),
            principal: "agent".into(),
            action_id: ActionId::parse("ui.submit").unwrap(),
            idempotency_key: Some(format!("key-{number}").into()),
            payload_digest: sha256(&number.to_le_bytes()),
            origin: "https://shop.example".into(),
            idempotency: Idempotency::NonIdempotent,
        };
        timed(&mut begin, || journal.begin(&new)).unwrap();
        timed(&mut sent, || journal.dispatching(&new.handle, SystemTime::now())).unwrap();
        let result = r#"{"status":"succeeded"}"#.repeat(20);
        timed(&mut done, || {
            journal.finish(&new.handle, ActionStatus::Succeeded, SideEffectState::Applied, &result)
        })
        .unwrap();
    }
    percentiles("journal, begin", begin);
    percentiles("journal, dispatching (on the disk)", sent);
    percentiles("journal, finish", done);
}

/// What the disk itself takes for a write of a page that must be there: no journal can be quicker.
fn disk(directory: &std::path::Path) {
    let mut file = std::fs::File::create(directory.join("raw")).unwrap();
    file.write_all(&vec![1; 4_096 * 256]).unwrap();
    file.sync_all().unwrap();
    let mut times = Vec::new();
    for number in 0..500_u64 {
        file.seek(SeekFrom::Start(number % 256 * 4_096)).unwrap();
        file.write_all(&[2; 4_096]).unwrap();
        timed(&mut times, || file.sync_data()).unwrap();
    }
    percentiles("the disk alone, one page synced", times);
}

fn audit(directory: &std::path::Path) {
    let path = directory.join("audit.jsonl");
    let mut file = AuditFile::open(&path, SessionId::parse("s1").unwrap()).unwrap();
    let principal: PolicyPrincipal = serde_json::from_str(r#"{"type":"agent","id":"a"}"#).unwrap();
    let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
    let mut times = Vec::new();
    for _ in 0..RECORDS {
        let draft = AuditDraft::new(AuditEvent::Execution, &principal, AuditLevel::Metadata);
        timed(&mut times, || file.append(draft, now.clone())).unwrap();
    }
    percentiles("audit file, append", times);
    let mut times = Vec::new();
    timed(&mut times, || file.sync()).unwrap();
    percentiles("audit file, sync", times);
}

fn main() {
    let directory = tempfile::tempdir_in(".").unwrap();
    disk(directory.path());
    journal(directory.path());
    audit(directory.path());
}
