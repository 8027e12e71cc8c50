//! What is covered, for whom, and how.

use std::sync::Arc;

use serde_json::{Value, json};
use uiap_model::json::JsonObject;
use uiap_model::policy::PolicyPrincipal;
use uiap_model::web::{ElementNode, PageGraph};
use uiap_policy::{Audience, Policies, Redactor, Situation};

use crate::support::{element, policies, refusal};

/// A redactor for an agent with these grants.
pub(crate) fn redactor(policies: Policies, grants: &[&str]) -> Redactor {
    let principal: PolicyPrincipal =
        serde_json::from_value(json!({ "type": "agent", "id": "a", "grants": grants })).unwrap();
    Redactor::new(Arc::new(policies), &principal, Audience::Principal, [7; 32])
}

/// A page with these elements.
pub(crate) fn page(elements: Vec<Value>) -> PageGraph {
    let elements: Vec<ElementNode> = elements.into_iter().map(element).collect();
    let value = json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "r1", "seq": 1, "ts": "2026-03-26T13:12:09Z",
        "route": { "url": "https://app.example/home" }, "rootDocumentId": "d1",
        "documents": [{ "documentId": "d1", "kind": "root", "access": "open",
            "scopes": [{ "id": "main", "kind": "page", "elements": elements }] }],
    });
    serde_json::from_value(value).unwrap()
}

fn shown(policies: Policies, grants: &[&str], members: Value) -> ElementNode {
    let graph = redactor(policies, grants).graph(&page(vec![members]));
    let (_, _, element) = graph.elements().next().unwrap();
    element.clone()
}

fn value_of(class: &str, grants: &[&str], value: &str) -> Option<String> {
    let members = json!({ "role": "textbox", "dataClasses": [class], "state": { "textValue": value } });
    shown(policies(json!({})), grants, members).state.text_value.clone().map(Into::into)
}

/// Requirement: POL-RED-01
#[test]
fn plain_data_is_shown() {
    for class in ["public", "internal"] {
        assert_eq!(value_of(class, &["observe"], "Quarterly report").as_deref(), Some("Quarterly report"));
    }
}

/// Requirement: POL-RED-02
/// Requirement: POL-G-11
#[test]
fn personal_data_shows_its_first_character() {
    let covered = value_of("personal", &["observe"], "Maria Huber").unwrap();
    assert!(covered.starts_with('M') && covered.contains("medium"), "{covered}");
    assert!(!covered.contains("aria") && !covered.contains("11") && !covered.contains("Huber"));
    assert_eq!(covered, value_of("personal", &["observe"], "Max Mustermann").unwrap(), "no exact length");
    assert!(!value_of("personal", &["observe"], "Li").unwrap().contains('L'));
    assert_eq!(value_of("personal", &["read.sensitive"], "Maria Huber").as_deref(), Some("Maria Huber"));
}

/// Requirement: POL-RED-03
#[test]
fn delicate_data_is_masked() {
    for class in ["sensitive", "payment", "health", "legal", "x.acme.gene"] {
        let covered = value_of(class, &["observe"], "4242 4242").unwrap();
        assert!(!covered.contains(['4', '2']), "{class}: {covered}");
        assert_eq!(value_of(class, &["read.sensitive"], "4242 4242").as_deref(), Some("4242 4242"));
    }
}

/// Requirement: POL-RED-04
#[test]
fn secrets_are_removed() {
    for class in ["credential", "secret"] {
        assert_eq!(value_of(class, &["admin", "read.sensitive"], "hunter2!"), None);
        assert_eq!(value_of(class, &["read.secret"], "hunter2!"), None, "unless somebody opens them");
    }
    let graph = page(vec![
        json!({ "role": "textbox", "dataClasses": ["secret"], "state": { "textValue": "api-key-1" } }),
        json!({ "instanceId": "e2", "role": "textbox", "state": { "textValue": "hunter2!", "obscured": true } }),
    ]);
    let open = redactor(policies(json!({})), &["read.secret"]).revealing_secrets();
    let text = serde_json::to_string(&open.graph(&graph)).unwrap();
    assert!(text.contains("api-key-1") && !text.contains("hunter2"), "password fields stay shut: {text}");
    let args: JsonObject = serde_json::from_value(json!({ "text": "api-key-1" })).unwrap();
    let secret = crate::support::World::bound(json!({ "dataClasses": ["secret"] }));
    assert_eq!(
        serde_json::to_value(open.for_audit().object(&args, &secret.situation(), &[])).unwrap(),
        json!({})
    );
}

/// Requirement: POL-T-08
#[test]
fn each_mode_has_its_form() {
    let with = |mode: &str| {
        let policies = policies(json!({ "redaction": [{ "id": "r", "match": {}, "mode": mode }] }));
        let element =
            shown(policies, &["admin"], json!({ "role": "textbox", "state": { "textValue": "Vienna" } }));
        element.state.text_value.clone().map(String::from)
    };
    assert_eq!(with("none").as_deref(), Some("Vienna"));
    assert_eq!(with("partial").as_deref(), Some("V… (short)"));
    assert_eq!(with("mask").as_deref(), Some("•••"));
    let hash = with("hash").unwrap();
    assert!(hash.starts_with("hash:") && hash.len() == 21 && Some(hash) == with("hash"));
    assert_eq!(with("remove"), None);
}

/// Requirement: POL-DOC-05
#[test]
fn the_default_covers_what_no_rule_names() {
    let field =
        || json!({ "role": "textbox", "dataClasses": ["internal"], "state": { "textValue": "Vienna" } });
    let masking = json!({ "defaults": { "redaction": "mask" } });
    assert_eq!(shown(policies(masking), &["admin"], field()).state.text_value.as_deref(), Some("•••"));
    assert_eq!(shown(policies(json!({})), &["admin"], field()).state.text_value.as_deref(), Some("Vienna"));
    let named = json!({ "defaults": { "redaction": "mask" }, "redaction": [{ "id": "r", "match": { "dataClasses": ["internal"] }, "mode": "none" }] });
    assert_eq!(shown(policies(named), &["admin"], field()).state.text_value.as_deref(), Some("Vienna"));
}

/// Requirement: POL-RED-06
#[test]
fn what_is_withheld_is_listed() {
    let members = json!({
        "role": "combobox", "name": "Card", "dataClasses": ["payment"], "description": "ends 4242",
        "state": { "textValue": "Visa 4242", "numericValue": 4242, "placeholder": "4242", "visible": true },
        "options": [{ "value": "4242", "label": "Visa 4242" }], "metadata": { "last": "4242" },
    });
    let element = shown(policies(json!({})), &["observe"], members);
    let listed: Vec<String> = element.redacted.iter().flatten().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        ["textValue", "numericValue", "placeholder", "description", "x.uiap.metadata", "x.uiap.options"]
    );
    assert_eq!(element.name.as_deref(), Some("Card"), "a label is no data");
    assert!(!serde_json::to_string(&element).unwrap().contains("4242"));
    let plain = shown(policies(json!({})), &["observe"], json!({ "name": "Save" }));
    assert_eq!(plain.redacted, None);
}

/// Requirement: POL-RED-07
#[test]
fn a_rule_with_paths_acts_on_these_only() {
    let policies = policies(json!({ "redaction": [
        { "id": "r", "match": {}, "mode": "mask", "paths": ["/card/number", "name"], "replacement": "(card)" },
    ] }));
    let redactor = redactor(policies, &["admin"]);
    let args: JsonObject =
        serde_json::from_value(json!({ "card": { "number": "4242", "holder": "Maria" }, "count": 2 }))
            .unwrap();
    let shown = serde_json::to_value(redactor.object(&args, &Situation::default(), &[])).unwrap();
    assert_eq!(shown, json!({ "card": { "number": "(card)", "holder": "Maria" }, "count": 2 }));
    let element = redactor
        .element(&element(json!({ "name": "Maria", "description": "plain" })), &Situation::default())
        .unwrap();
    assert_eq!((element.name.as_deref(), element.description.as_deref()), (Some("(card)"), Some("plain")));
    assert!(refusal(json!({ "redaction": [{ "id": "r", "match": {} }] })).2.contains("mode"));
}

#[test]
fn elements_that_need_no_covering_are_shared() {
    let graph = page(vec![
        json!({ "name": "Save" }),
        json!({ "instanceId": "e2", "role": "textbox", "dataClasses": ["secret"], "state": { "textValue": "hunter2!" } }),
    ]);
    let shown = redactor(policies(json!({})), &[]).graph(&graph);
    let (before, after) = (&graph.documents[0].scopes[0].elements, &shown.documents[0].scopes[0].elements);
    assert!(Arc::ptr_eq(&before[0], &after[0]) && !Arc::ptr_eq(&before[1], &after[1]));
}

#[test]
fn a_broken_element_is_withheld() {
    let element = shown(
        policies(json!({})),
        &["admin"],
        json!({ "role": "cell", "name": "Maria", "metadata": { "sideEffect": 1 } }),
    );
    assert_eq!(element.name, None);
}
