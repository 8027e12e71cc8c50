//! How many records of an audit file are checked per second.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that meets something unexpected shall stop"
)]

use std::time::Instant;

use serde_json::json;
use uiap_model::authoring::BuildContext;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::PolicyRequest;
use uiap_model::policy::audit::AuditEvent;
use uiap_policy::audit::{AuditDraft, AuditTrail, read_lines};
use uiap_policy::{Policies, Situation};

const RECORDS: usize = 200_000;

/// Time that this process spent on a processor: what counts where the machine is shared. Not a number where it is not told.
fn processor_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    let document = json!({
        "modelVersion": "0.1", "id": "app", "defaults": { "onUnknownAction": "confirm" }, "audit": { "level": "metadata" },
        "rules": [{ "id": "typing", "match": { "actions": ["ui.enterText"] }, "effect": "confirm" }],
    });
    let anywhere: BuildContext = serde_json::from_value(json!({})).unwrap();
    let policies = Policies::from_values(&[document], &anywhere).unwrap();
    let request: PolicyRequest = serde_json::from_value(json!({
        "principal": { "type": "agent", "id": "agent", "grants": ["act"] }, "actionId": "ui.enterText",
    }))
    .unwrap();
    let mut trail = AuditTrail::new(SessionId::parse("s1").unwrap());
    let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
    let mut text = Vec::new();
    for number in 0..RECORDS {
        let decision = policies.decide(format!("d-{number}").into(), &request, &Situation::default());
        let draft = AuditDraft::of_decision(AuditEvent::Decision, &request, &decision);
        text.extend(trail.seal(draft, now.clone()).unwrap().unwrap().line);
        text.push(b'\n');
    }
    for _ in 0..3 {
        let (start, before) = (Instant::now(), processor_seconds());
        let chain = read_lines(&text).unwrap();
        let (wall, busy) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let thousands = |seconds: f64| f64::from(u32::try_from(RECORDS).unwrap()) / seconds / 1_000.0;
        println!(
            "audit, {} records of {} bytes: {:.0} thousand per second, {:.0} thousand per second of processor time",
            chain.records,
            text.len() / RECORDS,
            thousands(wall),
            thousands(busy)
        );
    }
}
