//! Grants: from whom, for what, once, in time.

use compact_str::CompactString;
use serde_json::{Value, json};
use uiap_model::action::result::ResolvedTarget;
use uiap_model::capability::UIRole;
use uiap_model::policy::audit::AuditOutcome;
use uiap_policy::confirmation::{
    ConfirmationBinding, Drift, GrantRefusal, Party, PendingConfirmation, TargetIdentity,
};

use crate::support::{World, ask_with, decide, rules};

fn target() -> ResolvedTarget {
    text_value(
        json!({ "by": "stableId", "instanceId": "e1", "stableId": "save", "documentId": "d1", "role": "button", "name": "Save" }),
    )
}

fn row(name: &str) -> Vec<(UIRole, Option<CompactString>)> {
    vec![(UIRole::Row, Some(name.into()))]
}

fn binding() -> ConfirmationBinding {
    ConfirmationBinding {
        session_id: text("s1"),
        action_handle: text("h1"),
        decision_id: "d-1".into(),
        action_id: text("ui.activate"),
        target: Some(TargetIdentity::new(&target(), row("Alice"))),
        args: Some(text_value(json!({ "amount": 5 }))),
        risk: text_value(json!({ "level": "confirm" })),
        origin: Some("https://app.example".into()),
        revision: text("r1"),
        nonce: "n1".into(),
    }
}

fn text<T: serde::de::DeserializeOwned>(text: &str) -> T {
    text_value(json!(text))
}

fn text_value<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn party(kind: &str, id: &str, connection: &str) -> Party {
    Party { principal: text_value(json!({ "type": kind, "id": id })), connection: connection.into() }
}

fn pending(obligation: Value) -> PendingConfirmation {
    let policies =
        rules(json!([{ "id": "r", "match": {}, "effect": "confirm", "obligations": [obligation] }]));
    let decision = decide(&policies, &ask_with("ui.activate", &["admin"], json!({})), &World::default());
    PendingConfirmation::open(&binding(), &decision, party("agent", "a", "c1"), 1_000).unwrap()
}

fn plain() -> PendingConfirmation {
    pending(json!({ "type": "confirm" }))
}

/// Requirement: POL-CF-01
#[test]
fn a_user_or_an_authorised_confirmer_grants() {
    assert!(plain().grant(&party("user", "u", "c2"), false, 2_000).is_ok());
    assert!(plain().grant(&party("bridge", "b", "c3"), true, 2_000).is_ok());
    let mut waiting = plain();
    for kind in ["observer", "agent", "bridge", "system"] {
        assert_eq!(waiting.grant(&party(kind, "x", "c4"), false, 2_000), Err(GrantRefusal::NotAuthorised));
    }
    assert!(waiting.grant(&party("user", "u", "c2"), false, 2_000).is_ok(), "still waiting");
}

/// Requirement: POL-CF-02
#[test]
fn the_asker_never_grants() {
    let mut waiting = plain();
    for forged in [party("agent", "a", "c9"), party("user", "u", "c1")] {
        assert_eq!(waiting.grant(&forged, true, 2_000), Err(GrantRefusal::Requester));
        assert_eq!(waiting.deny(&forged, true, 2_000), Err(GrantRefusal::Requester));
    }
}

/// Requirement: POL-CF-03
#[test]
fn a_grant_counts_once_and_for_what_was_shown() {
    let user = party("user", "u", "c2");
    let mut waiting = plain();
    let grant = waiting.grant(&user, false, 2_000).unwrap();
    assert!(grant.redeem(&binding(), 3_000).is_ok());
    assert_eq!(waiting.grant(&user, false, 3_000), Err(GrantRefusal::Answered));
    let changes: [fn(&mut ConfirmationBinding); 12] = [
        |binding| binding.session_id = text("s2"),
        |binding| binding.action_handle = text("h2"),
        |binding| binding.decision_id = "d-2".into(),
        |binding| binding.action_id = text("ui.submit"),
        |binding| binding.target = None,
        |binding| binding.args = Some(text_value(json!({ "amount": 6 }))),
        |binding| binding.risk = text_value(json!({ "level": "safe" })),
        |binding| binding.origin = Some("https://evil.example".into()),
        |binding| binding.revision = text("r2"),
        |binding| binding.nonce = "n2".into(),
        |binding| {
            let moved = json!({ "by": "stableId", "instanceId": "e2", "stableId": "save", "documentId": "d1", "role": "button", "name": "Save" });
            let moved: ResolvedTarget = text_value(moved);
            binding.target = Some(TargetIdentity::new(&moved, row("Alice")));
        },
        |binding| binding.target = Some(TargetIdentity::new(&target(), row("Bob"))),
    ];
    for (number, change) in changes.iter().enumerate() {
        let grant = plain().grant(&user, false, 2_000).unwrap();
        let mut other = binding();
        change(&mut other);
        assert!(matches!(grant.redeem(&other, 3_000), Err(Drift::Changed)), "change {number}");
    }
}

/// Requirement: POL-CF-04
#[test]
fn a_confirmation_expires_and_may_name_who_confirms() {
    let user = party("user", "u", "c2");
    let mut short = pending(json!({ "type": "confirm", "expiresMs": 500 }));
    let refusal = short.grant(&user, false, 1_500).unwrap_err();
    assert_eq!((refusal, refusal.outcome()), (GrantRefusal::Expired, AuditOutcome::Expired));
    let grant = pending(json!({ "type": "confirm", "expiresMs": 500 })).grant(&user, false, 1_400).unwrap();
    assert!(matches!(grant.redeem(&binding(), 1_500), Err(Drift::Expired)));
    let mut named = pending(json!({ "type": "confirm", "by": "bridge" }));
    assert!(matches!(named.grant(&user, false, 1_100), Err(GrantRefusal::OtherType(_))));
    assert!(named.grant(&party("bridge", "b", "c3"), true, 1_100).is_ok());
}
