//! What a package may look like: every member that must be there, every word that may stand in it.

use serde_json::{Value, json};
use uiap_model::discovery::catalog::ActionTargetPattern;
use uiap_model::document::{kind, validate};

use crate::graph::page;
use crate::record::run;

fn package() -> Value {
    let mut run = run();
    let a = run.state(
        page("https://app.example/a")
            .scope("~page", "f", "form", json!({"name": "Form", "submitTarget": "e2"}))
            .element("f", "textbox", "Title", json!({}))
            .element("f", "button", "Create", json!({"affordances": ["read", "activate", "submit"]})),
    );
    run.done(&a, "button", "Create", "f", Some(&a), json!([{"kind": "status.contains", "text": "x"}]));
    serde_json::to_value(run.package()).unwrap()
}

fn faults(value: &Value) -> Vec<String> {
    let problems = validate(value, kind("DiscoveryPackage").unwrap());
    problems.iter().map(|problem| format!("{} {}", problem.pointer, problem.message)).collect()
}

/// The value with one member set at a pointer; `null` takes it away.
fn with(pointer: &str, new: Value) -> Value {
    let mut value = package();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if new.is_null() {
        parent.remove(name).unwrap();
    } else {
        parent.insert(name.to_owned(), new);
    }
    value
}

#[track_caller]
fn refused(pointer: &str, new: Value) {
    let found = faults(&with(pointer, new.clone()));
    let name = pointer.rsplit('/').next().unwrap();
    assert!(found.iter().any(|fault| fault.contains(name)), "{pointer} = {new}: {found:?}");
}

#[track_caller]
fn words(pointer: &str, good: &[&str], bad: &[Value]) {
    for word in good {
        assert_eq!(faults(&with(pointer, json!(word))), Vec::<String>::new(), "{pointer} = {word}");
    }
    for word in bad {
        refused(pointer, word.clone());
    }
}

/// Requirement: DISC-6.1-01
#[test]
fn a_package_needs_its_eleven_parts_and_no_more() {
    for part in [
        "modelVersion",
        "spec",
        "run",
        "environment",
        "routeCatalog",
        "scopeCatalog",
        "elementCatalog",
        "actionCatalog",
        "transitionGraph",
        "reviewQueue",
        "coverage",
    ] {
        refused(&format!("/{part}"), Value::Null);
    }
    let mut least = package();
    for part in ["revision", "workflowCandidates", "evidenceIndex", "metadata"] {
        least.as_object_mut().unwrap().remove(part);
    }
    least["coverage"]["workflowCandidatesDiscovered"] = json!(0);
    assert_eq!(faults(&least), Vec::<String>::new());
}

/// Requirement: DISC-6.1-02
#[test]
fn a_package_says_exactly_what_it_is() {
    refused("/modelVersion", json!("0.2"));
    refused("/modelVersion", json!(0.1));
    refused("/spec", json!("discovery"));
}

/// Requirement: DISC-4-01
/// Requirement: DISC-6.2-01
/// Requirement: DISC-6.3-01
/// Requirement: DISC-6.4-01
/// Requirement: DISC-6.5-01
/// Requirement: DISC-6.6-01
/// Requirement: DISC-6.6-02
/// Requirement: DISC-6.7-01
/// Requirement: DISC-6.8-01
#[test]
fn every_entry_needs_its_identity_its_evidence_and_how_sure_it_is() {
    let entries = [
        ("/routeCatalog/routes/0", vec!["routeId", "discoveredBy", "confidence"]),
        ("/scopeCatalog/scopes/0", vec!["scopeId", "kind", "discoveredBy", "confidence"]),
        ("/elementCatalog/elements/0", vec!["semanticKey", "role", "discoveredBy", "confidence"]),
        ("/actionCatalog/actions/0", vec!["id", "kind", "discoveredBy", "confidence"]),
        ("/transitionGraph/states/0", vec!["stateId", "fingerprint", "discoveredBy", "confidence"]),
        (
            "/transitionGraph/edges/0",
            vec!["transitionId", "fromStateId", "toStateId", "viaActionId", "discoveredBy", "confidence"],
        ),
        ("/workflowCandidates/workflows/0", vec!["id", "stepSkeleton", "discoveredBy", "confidence"]),
        ("/reviewQueue/items/0", vec!["id", "severity", "kind", "description", "evidence"]),
    ];
    for (entry, members) in entries {
        for member in members {
            refused(&format!("{entry}/{member}"), Value::Null);
        }
    }
    refused("/elementCatalog/elements/0/role", json!("knob"));
    refused("/elementCatalog/elements/0/affordances", json!(["fly"]));
    refused("/actionCatalog/actions/0/risk", json!({"level": "grave"}));
    refused("/transitionGraph/edges/0/target", json!({"by": "css", "value": "x"}));
}

/// Requirement: DISC-6.4-02
/// Requirement: DISC-6.5-02
/// Requirement: DISC-6.5-03
/// Requirement: DISC-6.7-02
/// Requirement: DISC-6.8-02
/// Requirement: DISC-6.8-03
/// Requirement: DISC-7.3-01
/// Requirement: DISC-8-02
/// Requirement: DISC-10.1-01
#[test]
fn vocabularies_are_closed() {
    words(
        "/elementCatalog/elements/0/reviewState",
        &["verified", "candidate", "needs_review"],
        &[json!("unsafe"), json!("approved")],
    );
    words("/actionCatalog/actions/0/kind", &["primitive", "domain", "candidate"], &[json!("workflow")]);
    words(
        "/actionCatalog/actions/0/reviewState",
        &["verified", "candidate", "unsafe", "needs_review"],
        &[json!("approved"), json!("rejected")],
    );
    words(
        "/workflowCandidates/workflows/0/reviewState",
        &["candidate", "verified", "needs_review"],
        &[json!("unsafe")],
    );
    words("/reviewQueue/items/0/severity", &["low", "medium", "high"], &[json!("critical"), json!(2)]);
    words(
        "/reviewQueue/items/0/kind",
        &[
            "missing_stable_id",
            "duplicate_name",
            "ambiguous_target",
            "opaque_frame",
            "closed_shadow",
            "missing_success_signal",
            "unsafe_action_candidate",
            "inferred_only",
            "coverage_gap",
            "workflow_uncertain",
            "custom",
        ],
        &[json!("todo")],
    );
    words(
        "/routeCatalog/routes/0/confidence",
        &["high", "medium", "low"],
        &[json!(0.9), json!("HIGH"), json!("unknown")],
    );
    words("/environment/authMode", &["manual", "seeded", "session_reuse"], &[json!("oauth")]);
    words(
        "/run/status",
        &[
            "planning",
            "preparing",
            "seeding",
            "exploring",
            "extracting",
            "synthesizing",
            "reviewing",
            "paused",
            "completed",
            "failed",
            "cancelled",
        ],
        &[json!("running")],
    );
}

/// Requirement: DISC-6.7-03
#[test]
fn patterns_and_steps_have_their_members_only() {
    let pattern = |pattern: Value| with("/actionCatalog/actions/0/targetPatterns", json!([pattern]));
    for good in [
        json!({"role": "button"}),
        json!({"stableId": "a"}),
        json!({"meaning": "m"}),
        json!({"scopeId": "f"}),
        json!({}),
    ] {
        assert_eq!(faults(&pattern(good)), Vec::<String>::new());
    }
    assert!(!faults(&pattern(json!({"role": "knob"}))).is_empty());
    let step = |step: Value| faults(&with("/workflowCandidates/workflows/0/stepSkeleton", json!([step])));
    for kind in ["instruction", "collect", "action", "ensure", "branch", "handoff", "complete"] {
        assert_eq!(step(json!({"type": kind})), Vec::<String>::new());
    }
    assert!(!step(json!({"type": "wait"})).is_empty());
    assert!(!step(json!({})).is_empty());
}

/// Requirement: DISC-6.5-04
#[test]
fn a_pattern_means_the_elements_that_it_says_and_has_four_members() {
    let mut run = run();
    run.state(
        page("https://app.example/a")
            .scope("~page", "f", "form", json!({"name": "Form", "submitTarget": "e2"}))
            .element("f", "textbox", "Title", json!({"meaning": "video.title"}))
            .element("f", "button", "Create", json!({"stableId": "video.submit"}))
            .element("~page", "button", "Help", json!({"stableId": "app.help"})),
    );
    let package = run.package();
    let meant = |pattern: Value| {
        let pattern: ActionTargetPattern = serde_json::from_value(pattern).unwrap();
        let elements = package.element_catalog.elements.iter().filter(|element| pattern.matches(element));
        let mut names: Vec<_> = elements.filter_map(|element| element.names.as_ref()?.first()).collect();
        names.sort();
        names
    };
    assert_eq!(meant(json!({"role": "button"})), ["Create", "Help"]);
    assert_eq!(meant(json!({"stableId": "app.help"})), ["Help"]);
    assert_eq!(meant(json!({"meaning": "video.title"})), ["Title"]);
    assert_eq!(meant(json!({"scopeId": "f"})), ["Create", "Title"]);
    assert_eq!(meant(json!({"scopeId": "f", "role": "button"})), ["Create"]);
    assert_eq!(meant(json!({})), ["Create", "Help", "Title"]);
    let pattern = |pattern: Value| faults(&with("/actionCatalog/actions/0/targetPatterns", json!([pattern])));
    for (wrong, named) in
        [(json!({"role": "knob"}), "knob"), (json!({"role": "button", "css": ".save"}), "css")]
    {
        let found = pattern(wrong);
        assert!(matches!(&*found, [fault] if fault.contains(named)), "{found:?}");
    }
}

/// Requirement: DISC-6.9-01
#[test]
fn coverage_needs_whole_numbers() {
    for count in [
        "seedsTotal",
        "seedsVisited",
        "routesDiscovered",
        "scopesDiscovered",
        "elementsDiscovered",
        "actionsDiscovered",
        "workflowCandidatesDiscovered",
        "opaqueRegions",
        "unresolvedTransitions",
        "reviewItems",
    ] {
        for wrong in [Value::Null, json!(-1), json!(1.5)] {
            refused(&format!("/coverage/{count}"), wrong);
        }
    }
    assert!(!faults(&with("/coverage/confidenceSummary", json!({"high": 1, "medium": 2}))).is_empty());
}

/// Requirement: DISC-7.1-01
#[test]
fn evidence_comes_from_thirteen_sources() {
    let by = |source: Value| {
        faults(&with("/routeCatalog/routes/0/discoveredBy", json!([{"source": source, "refId": "n1"}])))
    };
    for source in [
        "annotation",
        "app_registry",
        "dom",
        "accessibility",
        "visible_text",
        "signal",
        "transition",
        "network",
        "screenshot",
        "vision",
        "documentation",
        "manual_review",
        "inferred",
    ] {
        assert_eq!(by(json!(source)), Vec::<String>::new());
    }
    assert!(!by(json!("guess")).is_empty() && !by(json!("ARIA")).is_empty());
}

/// Requirement: DISC-8-01
/// Requirement: DISC-8-03
/// Requirement: DISC-10.2-01
#[test]
fn environments_and_runs_need_their_members() {
    for member in ["environmentId", "baseUrl"] {
        refused(&format!("/environment/{member}"), Value::Null);
    }
    assert!(!faults(&with("/environment/viewport", json!({"width": 800}))).is_empty());
    assert!(!faults(&with("/environment/featureFlags", json!({"a": {}}))).is_empty());
    assert!(!faults(&with("/environment/principalProfiles", json!([{"roles": []}]))).is_empty());
    assert!(
        !faults(&with("/environment/principalProfiles", json!([{"id": "a", "grants": ["rule"]}]))).is_empty()
    );
    for member in ["runId", "startedAt", "status", "environmentId"] {
        refused(&format!("/run/{member}"), Value::Null);
    }
    refused("/run/startedAt", json!("yesterday"));
}

/// Requirement: DISC-13-02
/// Requirement: DISC-13-03
#[test]
fn decisions_are_said_in_fixed_words() {
    let decide = |effect: Value, reason: Value| {
        let decision = json!({"effect": effect, "reason": reason});
        serde_json::from_value::<uiap_model::discovery::review::DiscoveryActionPolicyDecision>(decision)
            .is_ok()
    };
    for effect in ["allow", "skip", "review", "deny"] {
        assert!(decide(json!(effect), json!("safe")));
    }
    for reason in [
        "safe",
        "unknown_side_effect",
        "destructive",
        "external_effect",
        "credential",
        "payment",
        "security_sensitive",
        "budget_exceeded",
        "opaque_boundary",
        "manual_only",
    ] {
        assert!(decide(json!("deny"), json!(reason)));
    }
    assert!(!decide(json!("confirm"), json!("safe")) && !decide(json!("allow"), json!("because")));
}
