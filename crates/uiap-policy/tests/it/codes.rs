//! Every code can be looked up, and its example provokes it.

use serde_json::json;
use uiap_policy::codes::CODES;
use uiap_policy::table::PolicyTestTable;
use uiap_policy::{Policies, PolicyStore};

use crate::support::compile;

#[test]
fn every_code_is_told_once_with_words_that_help() {
    let mut codes: Vec<&str> = CODES.iter().map(|entry| entry.code.0).collect();
    codes.dedup();
    assert_eq!(codes, ["UIAP-P001", "UIAP-P002", "UIAP-P003", "UIAP-P004", "UIAP-P005"]);
    assert!(CODES.iter().all(|entry| entry.explanation.len() > 150 && !entry.example.is_empty()));
}

#[test]
fn every_mistake_leads_to_its_code() {
    let defaults = json!({ "onUnknownAction": "deny" });
    let with = |matching: serde_json::Value| {
        let rules = json!([{ "id": "r", "match": matching, "effect": "deny" }]);
        json!({ "modelVersion": "0.1", "defaults": defaults, "rules": rules })
    };
    let refused = |documents: &[serde_json::Value]| compile(documents).unwrap_err().problems()[0].code.0;
    assert_eq!(refused(&[with(json!({ "actions": ["bill*"] }))]), "UIAP-P001");
    assert_eq!(refused(&[with(json!({ "dataClasses": [] }))]), "UIAP-P002");
    let app = json!({ "id": "app", "document": with(json!({})) });
    assert_eq!(refused(&[app.clone(), app]), "UIAP-P003");
    let closed: &Policies = &PolicyStore::default().current().clone();
    assert!(closed.revision() == "closed", "UIAP-P004 is in force until a policy is read");
    let typo = json!({ "cases": [{ "name": "a", "request": {}, "expects": {} }] });
    assert_eq!(PolicyTestTable::from_value(&typo).unwrap_err()[0].code.0, "UIAP-P005");
}
