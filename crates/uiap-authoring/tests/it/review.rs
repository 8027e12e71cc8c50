//! Step 7: decisions and the states that follow from them.

use uiap_authoring::diagnostic::codes;

use crate::support::{ELEMENT, Look, Pkg, definition, ok, only_errors, workflow};

fn decided(decisions: &str) -> Pkg {
    let pkg = Pkg::new().with_metadata(
        "w",
        "WorkflowCatalog",
        "reviewState: in_review\nowners: [ { id: ann } ]",
        &workflow("w.one"),
    );
    pkg.with("r", "ReviewSet", &format!("decisions:\n{decisions}"))
}

fn decision(target: &str, state: &str, by: &str, at: &str) -> String {
    format!("  - {{ target: {{ {target} }}, state: {state}, by: {by}, at: \"{at}\" }}\n")
}

const ITEM: &str = "manifestId: w, itemId: w.one";

fn state(pkg: &Pkg, manifest: &str, item: Option<&str>) -> (&'static str, &'static str) {
    let built = pkg.build();
    ok(&built);
    let reviews = built.report.reviews;
    let found = reviews
        .iter()
        .find(|entry| entry.manifest_id == manifest && entry.item_id.as_deref() == item)
        .unwrap();
    (found.state, found.because)
}

/// Requirement: AUTH-2-04
/// Requirement: AUTH-5.6-02
#[test]
fn every_manifest_and_workflow_has_one_state() {
    let none = decided("").with("r", "ReviewSet", "decisions: []");
    assert_eq!(state(&none, "app", None), ("draft", "default"));
    assert_eq!(state(&none, "w", None), ("in_review", "metadata"));
    let hinted = none.with(
        "w",
        "WorkflowCatalog",
        &workflow("w.one").replace("- definition", "- review: { level: candidate }\n    definition"),
    );
    assert_eq!(state(&hinted, "w", Some("w.one")), ("in_review", "hint"));
    let item = decided(&decision(ITEM, "approved", "bob", "2026-01-01T00:00:00Z"));
    assert_eq!(state(&item, "w", Some("w.one")), ("approved", "decision"));
    assert_eq!(state(&item, "w", None), ("in_review", "metadata"));
    let whole = decided(&decision("manifestId: w", "needs_review", "bob", "2026-01-01T00:00:00Z"));
    assert_eq!(state(&whole, "w", Some("w.one")), ("draft", "decision"));
    let free = Pkg::new().with_metadata("b", "Bindings", "reviewState: looks good", ELEMENT).build();
    assert!(free.has(codes::UNKNOWN_VALUE));
}

/// Requirement: AUTH-7.1-10
/// Requirement: AUTH-7.1-11
/// Case: AUTH-071
/// Case: AUTH-127
#[test]
fn the_later_decision_counts_whatever_the_order_in_the_file() {
    let early = decision(ITEM, "approved", "bob", "2026-01-01T00:00:00Z");
    let late = decision(ITEM, "rejected", "cy", "2026-01-01T02:00:00+01:00");
    for both in [format!("{early}{late}"), format!("{late}{early}")] {
        assert_eq!(state(&decided(&both), "w", Some("w.one")), ("rejected", "decision"));
        let report = decided(&both).build().report;
        assert!(report.overridden_decisions[0].earlier.contains("approved by bob at 2026-01-01T00:00:00Z"));
        assert!(report.overridden_decisions[0].later.contains("rejected by cy at 2026-01-01T01:00:00Z"));
    }
    let tie = format!("{early}{}", decision(ITEM, "rejected", "cy", "2026-01-01T00:00:00Z"));
    assert_eq!(state(&decided(&tie), "w", Some("w.one")), ("rejected", "decision"));
    assert!(decided(&tie).build().has(codes::REVIEW_TIE));
}

/// Requirement: AUTH-5.9-01
/// Requirement: AUTH-5.9-02
/// Requirement: AUTH-7-08
/// Case: AUTH-128
/// Case: AUTH-129
#[test]
fn a_decision_is_about_something_that_exists_and_was_made_in_the_past() {
    let bad = [
        (decision("manifestId: ww", "approved", "b", "2026-01-01T00:00:00Z"), codes::UNKNOWN_REVIEW_TARGET),
        (
            decision("manifestId: w, itemId: w.on", "approved", "b", "2026-01-01T00:00:00Z"),
            codes::UNKNOWN_REVIEW_TARGET,
        ),
        (
            decision("manifestId: w, path: /spec/flows", "approved", "b", "2026-01-01T00:00:00Z"),
            codes::UNKNOWN_REVIEW_TARGET,
        ),
        (decision(ITEM, "approved", "b", "2026-01-01T00:00:00"), codes::BAD_TIME),
        (decision(ITEM, "approved", "b", "2027-01-01T00:00:00Z"), codes::BAD_TIME),
        (decision(ITEM, "in_review", "b", "2026-01-01T00:00:00Z"), codes::UNKNOWN_VALUE),
    ];
    for (text, code) in bad {
        only_errors(&decided(&text).build(), &[code]);
    }
    assert!(decided("").with("r", "ReviewSet", "waivers: []").build().has(codes::MISSING_MEMBER));
    let content = decided("").with("r", "ReviewSet", "decisions: []\nelements: []");
    assert!(content.build().has(codes::UNKNOWN_MEMBER));
    let overlay = format!(
        "selector: {{}}\npatches: [ {{ manifestId: w, path: /spec/workflows, op: append, value: {{ definition: {} }} }} ]",
        definition("w.new", "0.1.0")
    );
    let added = decided(&decision("manifestId: w, itemId: w.new", "approved", "bob", "2026-01-01T00:00:00Z"))
        .with("o", "Overlay", &overlay);
    assert_eq!(state(&added, "w", Some("w.new")), ("approved", "decision"));
}

/// Requirement: AUTH-5.9-05
/// Case: AUTH-143
#[test]
fn a_review_changes_no_content() {
    let plain = decided("").without("r").build().bundle.unwrap();
    let reviewed =
        decided(&decision(ITEM, "approved", "bob", "2026-01-01T00:00:00Z")).build().bundle.unwrap();
    assert_eq!(plain, reviewed);
}

/// Case: AUTH-141
#[test]
fn an_owner_who_approves_alone_is_noticed() {
    assert!(
        decided(&decision(ITEM, "approved", "ann", "2026-01-01T00:00:00Z")).build().has(codes::SELF_APPROVAL)
    );
    assert!(
        !decided(&decision(ITEM, "approved", "bob", "2026-01-01T00:00:00Z"))
            .build()
            .has(codes::SELF_APPROVAL)
    );
}

/// Requirement: AUTH-5.6-06
#[test]
fn an_unapproved_overlay_takes_the_approval_away() {
    let changed =
        definition("w.one", "0.2.0").replace("type: instruction, text: Hello", "type: handoff, reason: r");
    let overlay = format!(
        "selector: {{}}\npatches: [ {{ manifestId: w, path: /spec/workflows, op: upsert, matchKey: definition.id, value: {{ definition: {changed} }} }} ]"
    );
    let base = decided(&decision(ITEM, "approved", "bob", "2026-01-01T00:00:00Z"));
    let draft = base.clone().with("o", "Overlay", &overlay);
    assert!(draft.build().has(codes::APPROVAL_DROPPED));
    assert_eq!(state(&draft, "w", Some("w.one")), ("in_review", "overlay"));
    let approved = base.with_metadata("o", "Overlay", "reviewState: approved", &overlay);
    assert_eq!(state(&approved, "w", Some("w.one")), ("approved", "decision"));
}

/// Requirement: AUTH-10-05
#[test]
fn machine_made_content_is_listed_for_review() {
    let generated = Pkg::new().with_metadata("b", "Bindings", "source: generated", ELEMENT).build();
    assert_eq!(generated.report.review_obligations, ["b: generated"]);
    let manual = Pkg::new().with_metadata("b", "Bindings", "source: manual", ELEMENT).build();
    assert!(manual.report.review_obligations.is_empty());
}
