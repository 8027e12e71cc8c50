//! The policy in force.

use serde_json::json;
use uiap_model::policy::PolicyEffect;
use uiap_model::policy::message::PolicyGetPayload;
use uiap_policy::PolicyStore;

use crate::support::{World, anywhere, ask_with, decide, document};

fn effect(store: &PolicyStore) -> PolicyEffect {
    decide(store.current(), &ask_with("ui.read", &["admin"], json!({})), &World::default()).effect
}

#[test]
fn a_refused_document_leaves_the_one_before_in_force() {
    let mut store = PolicyStore::default();
    assert_eq!(effect(&store), PolicyEffect::Deny);
    store.activate_values(&[document(json!({}))], &anywhere()).unwrap();
    assert_eq!(effect(&store), PolicyEffect::Allow);
    let revision = store.current().revision().to_owned();
    let refusal = store
        .activate_values(&[document(json!({ "defaults": { "onUnknownAction": "reject" } }))], &anywhere())
        .unwrap_err();
    assert!(refusal.to_string().contains("/defaults/onUnknownAction"), "{refusal}");
    assert_eq!((effect(&store), store.current().revision()), (PolicyEffect::Allow, revision.as_str()));
    let changed = store
        .activate_values(
            &[document(json!({ "rules": [{ "id": "r", "match": {}, "effect": "deny" }] }))],
            &anywhere(),
        )
        .unwrap();
    assert_eq!(effect(&store), PolicyEffect::Deny);
    assert_ne!(changed.revision, revision);
}

#[test]
fn a_policy_that_cannot_be_read_denies_everything_and_says_so() {
    let mut store = PolicyStore::default();
    store.activate_values(&[json!({ "modelVersion": "0.1" })], &anywhere()).unwrap_err();
    let decision = decide(store.current(), &ask_with("ui.read", &["admin"], json!({})), &World::default());
    assert_eq!(decision.effect, PolicyEffect::Deny);
    let message = serde_json::to_string(&decision.message).unwrap();
    assert!(message.contains("nothing is allowed") && message.contains("defaults"), "{message}");
}

/// Requirement: POL-MSG-01
#[test]
fn the_documents_are_sent_unless_they_are_known() {
    let mut store = PolicyStore::default();
    let changed = store.activate_values(&[document(json!({}))], &anywhere()).unwrap();
    let all = store.document(&PolicyGetPayload { if_revision_not: None });
    assert_eq!(
        (all.revision.clone(), all.not_modified, all.policies.len()),
        (changed.revision.clone(), None, 1)
    );
    let known = store.document(&PolicyGetPayload { if_revision_not: Some(changed.revision) });
    assert_eq!((known.not_modified, known.policies.len()), (Some(true), 0));
    let numeric = json!({ "ifRevisionNot": 7 });
    let problems =
        uiap_model::parse::decode::<PolicyGetPayload>(&numeric, uiap_model::shape::Strictness::Wire)
            .unwrap_err();
    assert_eq!(problems[0].pointer, "/ifRevisionNot");
}

#[test]
fn two_policies_of_one_name_are_refused() {
    let policy = json!({ "id": "a", "document": document(json!({})) });
    let refusal = crate::support::compile(&[policy.clone(), policy]).unwrap_err();
    assert_eq!(refusal.problems()[0].pointer, "/1/id");
}
