//! `uiap policy` and `uiap audit`: tables, questions, chains.

use std::path::PathBuf;

use tempfile::{TempDir, tempdir};

use crate::support::{Run, file, uiap};

const POLICY: &str = "modelVersion: \"0.1\"
id: shop
defaults: { onUnknownAction: confirm }
rules:
  - id: no-refunds
    match: { actions: [\"refund.*\"] }
    effect: deny
  - id: careful-with-cards
    match: { dataClasses: [payment], routes: [\"checkout.*\"] }
    effect: confirm
";

const TABLE: &str = "policies: [shop.yaml]
base:
  principal: { type: agent, id: helper, grants: [act, write.sensitive] }
cases:
  - name: typing is fine
    request: { actionId: ui.enterText }
    expect: { effect: allow, missingGrants: [] }
  - name: refunds are not
    request: { actionId: refund.all }
    expect: { effect: deny, matchedRules: [shop/no-refunds] }
";

fn shop(policy: &str, table: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    file(&folder, "shop.yaml", policy.as_bytes());
    let table = file(&folder, "cases.yaml", table.as_bytes());
    (folder, table)
}

fn test(policy: &str, table: &str, more: &[&str]) -> Run {
    let (_folder, table) = shop(policy, table);
    let mut args = vec!["policy", "test", table.to_str().unwrap()];
    args.extend(more);
    uiap(&args)
}

fn explain(policy: &str, more: &[&str]) -> Run {
    let folder = tempdir().unwrap();
    let policy = file(&folder, "shop.yaml", policy.as_bytes());
    let mut args = vec!["policy", "explain", policy.to_str().unwrap()];
    args.extend(more);
    uiap(&args)
}

#[test]
fn a_table_that_holds_is_listed_case_by_case() {
    let run = test(POLICY, TABLE, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("ok    typing is fine   ui.enterText  allow\n"), "{}", run.out);
    assert!(run.out.ends_with("2 passed, 0 failed\n"), "{}", run.out);
}

#[test]
fn an_expectation_that_fails_is_told_with_the_reason_and_a_code() {
    let table = TABLE.replace("effect: allow, missingGrants: []", "effect: deny");
    let run = test(POLICY, &table, &[]);
    assert_eq!(run.code, 1);
    for told in
        ["FAIL  typing is fine", "expected effect `deny`, found `allow`", "because: ", "1 passed, 1 failed"]
    {
        assert!(run.out.contains(told), "`{told}` is not in\n{}", run.out);
    }
    let report = test(POLICY, &table, &["--json"]);
    assert_eq!(report.code, 1);
    let report = report.json();
    assert_eq!((report["passed"].as_u64(), report["failed"].as_u64()), (Some(1), Some(1)));
    assert_eq!(report["tables"][0]["cases"][0]["found"], "allow");
    assert_eq!(report["tables"][0]["mismatches"][0]["explanation"]["decision"]["effect"], "allow");
}

#[test]
fn a_policy_that_is_wrong_is_pointed_at_and_its_code_can_be_looked_up() {
    let run = test(&POLICY.replace("refund.*", "refund*"), TABLE, &[]);
    assert_eq!(run.code, 1);
    for told in ["error[UIAP-P001]", "shop.yaml:6:", "/rules/0/match/actions/0", "= help: "] {
        assert!(run.out.contains(told), "`{told}` is not in\n{}", run.out);
    }
    assert!(run.err.contains("uiap explain UIAP-P001"), "{}", run.err);
    let told = uiap(&["explain", "UIAP-P001"]);
    assert!(told.code == 0 && told.out.starts_with("UIAP-P001 (error): "), "{}", told.out);
    let all = uiap(&["explain", "--all"]).out;
    for number in 1..=5 {
        assert!(all.contains(&format!("UIAP-P00{number}")), "{all}");
    }
}

#[test]
fn a_table_that_is_wrong_names_no_policy_or_no_file_is_told_apart() {
    let typo = test(POLICY, &TABLE.replace("expect: { effect: allow", "expects: { effect: allow"), &[]);
    assert!(typo.code == 1 && typo.out.contains("UIAP-P005") && typo.out.contains("expects"), "{}", typo.out);
    let none = test(POLICY, &TABLE.replace("policies: [shop.yaml]\n", ""), &[]);
    assert!(
        none.code == 2 && none.err.contains("names no policy") && none.err.contains("--policy"),
        "{}",
        none.err
    );
    let missing = test(POLICY, &TABLE.replace("shop.yaml", "other.yaml"), &[]);
    assert!(missing.code == 6 && missing.out.contains("other.yaml"), "{}{}", missing.out, missing.err);
    let broken = test(POLICY, "cases: [", &[]);
    assert_eq!(broken.code, 1, "{}", broken.out);
}

#[test]
fn a_manifest_with_several_policies_is_read_and_its_faults_are_placed() {
    let set = "apiVersion: uiap.authoring/v0.1
kind: PolicySet
metadata: { id: policies.shop }
spec:
  policies:
    - id: first
      document: { modelVersion: \"0.1\", defaults: { onUnknownAction: deny } }
    - id: second
      document:
        modelVersion: \"0.1\"
        defaults: { onUnknownAction: confirm }
        rules:
          - { id: dead, match: { dataClasses: [] }, effect: deny }
";
    let run = explain(set, &["--action", "ui.read", "--grant", "observe"]);
    assert!(run.code == 1 && run.out.contains("UIAP-P002"), "{}", run.out);
    assert!(
        run.out.contains("shop.yaml:13:") && run.out.contains("/spec/policies/1/document/rules/0"),
        "{}",
        run.out
    );
    let fine = explain(&set.replace("dataClasses: []", "dataClasses: [secret]"), &["--action", "shop.close"]);
    assert!(fine.code == 0 && fine.out.starts_with("deny\n"), "{}", fine.out);
    assert!(fine.out.contains("policy `first`") && fine.out.contains("policy `second`"), "{}", fine.out);
}

#[test]
fn a_question_is_answered_with_the_rule_and_the_facts() {
    let run = explain(
        POLICY,
        &["--action", "refund.one", "--risk", "safe", "--side-effect", "data_write", "--grant", "act"],
    );
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("deny\n"), "{}", run.out);
    assert!(run.out.contains("because: rule `shop/no-refunds`"), "{}", run.out);
    assert!(run.out.contains("side effects data_write"), "{}", run.out);
    let card = [
        "--action",
        "ui.enterText",
        "--grant",
        "act,write.sensitive",
        "--data-class",
        "payment",
        "--role",
        "textbox",
    ];
    let elsewhere = explain(POLICY, &card);
    assert!(elsewhere.out.starts_with("allow\n"), "{}", elsewhere.out);
    let mut there = card.to_vec();
    there.extend(["--route", "checkout.pay", "--json"]);
    let there = explain(POLICY, &there).json();
    assert_eq!(there["decision"]["effect"], "confirm");
    assert_eq!(there["decision"]["matchedRules"][0], "shop/careful-with-cards");
    let opaque = explain(POLICY, &["--action", "ui.read", "--grant", "admin", "--opaque"]);
    assert!(opaque.out.starts_with("deny\n") && opaque.out.contains("boundary"), "{}", opaque.out);
}

#[test]
fn a_manifest_that_names_its_texts_is_read() {
    let videoland =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/packages/videoland/policies/default.uiap.yaml");
    let action = [
        "--action",
        "plan.change",
        "--side-effect",
        "billing_change",
        "--grant",
        "act,billing",
        "--route",
        "billing",
    ];
    let run = uiap(&[&["policy", "explain", videoland][..], &action].concat());
    assert!(run.code == 0 && run.out.starts_with("handoff\n"), "{}{}", run.out, run.err);
    assert!(run.out.contains("rule `default/billing-by-people`"), "{}", run.out);
}

#[test]
fn a_question_that_is_wrong_is_refused_with_the_words_that_are_right() {
    let grant = explain(POLICY, &["--action", "ui.read", "--grant", "root"]);
    assert!(grant.code == 2 && grant.err.contains("root"), "{}", grant.err);
    let principal = explain(POLICY, &["--action", "ui.read", "--principal", "agent"]);
    assert!(principal.code == 2 && principal.err.contains("TYPE:ID"), "{}", principal.err);
    let risk = explain(POLICY, &["--action", "a.b", "--risk", "high"]);
    assert!(risk.code == 2 && risk.err.contains("high"), "{}", risk.err);
}
