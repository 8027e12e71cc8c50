//! The chain of records.

use serde_json::json;
use uiap_model::json::JsonObject;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::AuditRecord;
use uiap_model::policy::audit::AuditEvent;
use uiap_policy::Policies;
use uiap_policy::audit::{AuditDraft, AuditTrail, Fault, verify};

use crate::redaction::redactor;
use crate::support::{World, ask_with, decide, policies};

fn now() -> Timestamp {
    Timestamp::parse("2026-03-26T13:12:09Z").unwrap()
}

fn trail() -> AuditTrail {
    AuditTrail::new(SessionId::parse("s1").unwrap())
}

fn record(policies: &Policies, level: &str, trail: &mut AuditTrail) -> Option<AuditRecord> {
    let world = World::declaring("video.save", level, Some("data_write"));
    let request = ask_with("video.save", &["act"], json!({}));
    let decision = decide(policies, &request, &world);
    let args: JsonObject =
        serde_json::from_value(json!({ "title": "Holiday", "password": "hunter2!" })).unwrap();
    let draft = AuditDraft::of_decision(AuditEvent::Decision, &request, &decision)
        .args(&args, &redactor(policies.clone(), &["admin"]), &world.situation(), policies)
        .unwrap();
    trail.append(draft, now()).unwrap()
}

/// Requirement: POL-AUD-03
#[test]
fn every_decision_within_the_level_leaves_one_record() {
    let audit = |audit: serde_json::Value| policies(json!({ "audit": audit }));
    for (policies, level, count) in [
        (audit(json!({ "level": "metadata" })), "safe", 100),
        (audit(json!({ "level": "none" })), "safe", 0),
        (audit(json!({ "level": "full", "minRisk": "confirm" })), "safe", 0),
        (audit(json!({ "level": "full", "minRisk": "confirm" })), "confirm", 100),
    ] {
        let mut trail = trail();
        let records: Vec<AuditRecord> =
            (0..100).filter_map(|_| record(&policies, level, &mut trail)).collect();
        assert_eq!(records.len(), count);
        assert!(records.iter().all(|record| record.decision_id.as_deref() == Some("d-1")));
    }
}

/// Requirement: POL-AUD-04
#[test]
fn arguments_are_written_at_level_full_only_and_covered() {
    let with = |audit: serde_json::Value| {
        record(&policies(json!({ "audit": audit })), "safe", &mut trail()).unwrap()
    };
    let metadata = with(json!({ "level": "metadata", "includeArgs": true }));
    assert!(metadata.args.is_none() && metadata.args_digest.is_some());
    let full = with(json!({ "level": "full" }));
    assert_eq!(serde_json::to_value(&full.args).unwrap(), json!({ "title": "Holiday" }));
    assert!(with(json!({ "level": "full", "includeArgs": false })).args.is_none());
    let covered: JsonObject = serde_json::from_value(json!({ "title": "Holiday" })).unwrap();
    let digest = uiap_model::digest::digest(&covered).unwrap();
    assert_eq!(
        metadata.args_digest.as_deref(),
        Some(digest.as_str()),
        "no digest of what must not be guessed"
    );
}

/// Requirement: POL-AUD-05
#[test]
fn every_change_of_a_chain_is_found_at_its_place() {
    let policies = policies(json!({}));
    let mut trail = trail();
    let records: Vec<AuditRecord> = (0..50).filter_map(|_| record(&policies, "safe", &mut trail)).collect();
    let head = trail.head().unwrap().clone();
    assert_eq!(verify(&records, Some(&head)), Ok(()));
    assert_eq!(records.iter().map(|record| record.seq.0).collect::<Vec<_>>(), (1..=50).collect::<Vec<_>>());
    for at in 0..records.len() {
        let broken = |change: &dyn Fn(&mut Vec<AuditRecord>)| {
            let mut changed = records.clone();
            change(&mut changed);
            verify(&changed, Some(&head)).unwrap_err()
        };
        let altered = broken(&|records| records[at].audit_id = "forged".into());
        assert_eq!(
            (altered.index, altered.fault),
            if at == 49 { (50, Fault::End) } else { (at + 1, Fault::Digest) }
        );
        assert_eq!(broken(&|records| drop(records.remove(at))).index, at);
        assert_eq!(broken(&|records| records.insert(at, records[at].clone())).index, at + 1);
        if at > 0 {
            assert_eq!(broken(&|records| records.swap(at - 1, at)).index, at - 1);
        }
        assert!(broken(&|records| records.truncate(at)).index <= at);
    }
}

#[test]
fn a_trail_goes_on_where_it_stopped() {
    let policies = policies(json!({}));
    let mut first = trail();
    let mut records = vec![record(&policies, "safe", &mut first).unwrap()];
    let mut second = AuditTrail::resume(SessionId::parse("s1").unwrap(), first.head().unwrap().clone());
    records.push(record(&policies, "safe", &mut second).unwrap());
    assert_eq!(verify(&records, second.head()), Ok(()));
}
