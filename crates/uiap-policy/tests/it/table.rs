//! Tables of questions and expected answers.

use serde_json::json;
use uiap_policy::table::PolicyTestTable;

use crate::support::rules;

#[test]
fn a_table_tells_what_came_out_otherwise_and_why() {
    let policies =
        rules(json!([{ "id": "no-delete", "match": { "actions": ["video.*"] }, "effect": "deny" }]));
    let table = PolicyTestTable::from_value(&json!({
        "base": { "principal": { "type": "agent", "id": "a", "grants": ["draft"] } },
        "cases": [
            { "name": "typing is fine", "request": { "actionId": "ui.enterText" }, "expect": { "effect": "allow", "missingGrants": [] } },
            { "name": "deleting is not", "request": { "actionId": "video.delete" },
              "expect": { "effect": "deny", "matchedRules": ["app/no-delete"], "missingGrants": ["admin"] } },
            { "name": "a wrong hope", "request": { "actionId": "ui.activate" }, "expect": { "effect": "allow" } },
            { "name": "a limit", "request": { "actionId": "ui.read" }, "situation": { "opaqueTarget": true }, "expect": { "effect": "deny", "reasons": ["opaque_target"] } },
        ],
    }))
    .unwrap();
    let report = table.run(&policies).unwrap();
    assert_eq!((report.passed, report.mismatches.len()), (3, 1));
    let mismatch = &report.mismatches[0];
    assert_eq!(mismatch.case, "a wrong hope");
    assert_eq!(mismatch.differences, ["expected effect `allow`, found `deny`"]);
    assert!(mismatch.explanation.lines().iter().any(|line| line.contains("missing grants: `admin`")));
}

#[test]
fn a_table_that_is_wrong_says_where() {
    let wrong = json!({ "cases": [{ "name": "a", "request": { "actionId": "ui.read" }, "expect": { "effect": "allow" } }] });
    let problems = PolicyTestTable::from_value(&wrong).unwrap_err();
    assert!(
        problems[0].pointer == "/cases/0/request" && problems[0].message.contains("principal"),
        "{}",
        problems[0]
    );
    let typo = json!({ "cases": [{ "name": "a", "request": {}, "expects": {} }] });
    assert!(PolicyTestTable::from_value(&typo).unwrap_err()[0].message.contains("expects"));
}
