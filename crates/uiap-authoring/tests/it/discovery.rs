//! Step 4: what a discovery import takes over, and what it leaves.

use uiap_authoring::diagnostic::{Severity, codes};

use crate::support::{ELEMENT, Look, PUBLISH, Pkg, ok, only_errors};

/// A discovered element.
pub(crate) fn element(id: &str) -> String {
    format!(
        "{{ \"stableId\": \"{id}\", \"semanticKey\": \"button|{id}\", \"role\": \"button\", \"names\": [\"{id}\"], \
         \"discoveredBy\": [], \"confidence\": \"high\" }}"
    )
}

/// A discovery package with some elements.
pub(crate) fn package(elements: &[String]) -> String {
    format!(
        r#"{{ "modelVersion": "0.1", "spec": "uiap.discovery",
  "run": {{ "runId": "run_1", "startedAt": "2026-01-01T00:00:00Z", "status": "completed", "environmentId": "e" }},
  "environment": {{ "environmentId": "e", "baseUrl": "https://example.com", "allowedOrigins": ["https://example.com"], "environmentKind": "test", "defaultMode": "observe_only" }},
  "routeCatalog": {{ "routes": [ {{ "routeId": "home", "urls": ["/home"], "titles": ["Home"], "discoveredBy": [], "confidence": "high" }} ] }},
  "scopeCatalog": {{ "scopes": [ {{ "scopeId": "form", "kind": "form", "discoveredBy": [], "confidence": "high" }} ] }},
  "elementCatalog": {{ "elements": [ {} ] }},
  "actionCatalog": {{ "actions": [ {{ "id": "doc.drop", "kind": "candidate", "discoveredBy": [], "confidence": "low", "reviewState": "unsafe" }} ] }},
  "transitionGraph": {{ "states": [], "edges": [] }},
  "workflowCandidates": {{ "workflows": [ {{ "id": "flow", "title": "Flow", "stepSkeleton": [ {{ "type": "instruction" }}, {{ "type": "complete" }} ], "discoveredBy": [], "confidence": "medium" }} ] }},
  "reviewQueue": {{ "items": [ {{ "id": "rev1", "severity": "low", "kind": "custom", "description": "look", "evidence": [] }} ] }},
  "coverage": {{ "seedsTotal": 0, "seedsVisited": 0, "routesDiscovered": 1, "scopesDiscovered": 1, "elementsDiscovered": {}, "actionsDiscovered": 1, "workflowCandidatesDiscovered": 1, "opaqueRegions": 0, "unresolvedTransitions": 0, "reviewItems": 1 }} }}"#,
        elements.join(", "),
        elements.len()
    )
}

fn pkg(rules: &str) -> Pkg {
    let elements: Vec<String> = ["one", "two", "three"].into_iter().map(element).collect();
    let nameless = element("x").replace("\"stableId\": \"x\", ", "");
    let all: Vec<String> = elements.into_iter().chain([nameless]).collect();
    Pkg::new()
        .with("b", "Bindings", "elements: []")
        .with("a", "Actions", "actions: []")
        .with("w", "WorkflowCatalog", "workflows: []")
        .with("d", "DiscoveryImport", &format!("source: {{ ref: d/run.json }}\n{rules}"))
        .file("d/run.json", &package(&all))
}

fn accept(rule: &str) -> Pkg {
    pkg(&format!("accept: [ {{ {rule} }} ]"))
}

/// Requirement: AUTH-5.10-01
/// Requirement: AUTH-5.10-03
/// Requirement: AUTH-5.10-08
/// Requirement: AUTH-13-08
/// Requirement: AUTH-10-04
/// Case: AUTH-073
/// Case: AUTH-075
#[test]
fn promoted_findings_arrive_with_their_origin() {
    let built = accept("kind: element, ids: [one, three], targetManifestId: b, mode: promote").build();
    let json = ok(&built);
    let elements = json["bindings"]["elements"].as_array().unwrap();
    assert_eq!(elements.iter().map(|e| e["id"].as_str().unwrap()).collect::<Vec<_>>(), ["one", "three"]);
    assert_eq!(
        elements[0]["metadata"]["provenance"],
        serde_json::json!({ "source": "discovery", "ref": "run_1" })
    );
    assert!(built.report.review_obligations.iter().any(|line| line.contains("b#one")));
    let copied = ok(&accept("kind: element, ids: [one], targetManifestId: b, mode: copy").build());
    assert_eq!(copied["bindings"]["elements"][0]["metadata"]["provenance"]["source"], "import");
    let flow =
        ok(&accept("kind: workflowCandidate, ids: [flow], targetManifestId: w, mode: promote").build());
    assert_eq!(flow["workflows"][0]["id"], "flow");
    let route = ok(&accept("kind: route, ids: [home], targetManifestId: b, mode: promote").build());
    assert_eq!(route["bindings"]["routes"][0]["match"][0]["value"], "/home");
}

/// Requirement: AUTH-2-02
/// Requirement: AUTH-5.10-06
/// Requirement: AUTH-5.10-07
/// Requirement: AUTH-5.10-09
/// Case: AUTH-072
/// Case: AUTH-081
/// Case: AUTH-085
#[test]
fn without_a_rule_or_with_a_link_nothing_gets_in() {
    let plain = pkg("accept: []").without("d").build().bundle.unwrap();
    assert_eq!(pkg("accept: []").build().bundle.unwrap(), plain);
    let link = accept("kind: element, ids: [one], targetManifestId: b").build();
    assert_eq!(link.bundle.as_ref().unwrap(), &plain);
    assert_eq!((link.report.discovery[0].what, link.report.discovery[0].note.as_str()), ("link", "run_1"));
    let item = accept("kind: reviewItem, ids: [rev1], targetManifestId: b, mode: promote").build();
    assert_eq!(item.bundle.as_ref().unwrap(), &plain);
    assert!(item.report.review_obligations[0].contains("rev1"));
}

/// Requirement: AUTH-5.10-02
/// Requirement: AUTH-5.10-04
/// Case: AUTH-074
/// Case: AUTH-076
/// Case: AUTH-077
/// Case: AUTH-079
/// Case: AUTH-082
/// Case: AUTH-083
#[test]
fn rules_that_cannot_be_followed_are_errors() {
    let cases = [
        ("kind: element, ids: [\"button|x\"], targetManifestId: b, mode: promote", codes::NO_STABLE_ID),
        ("kind: element, ids: [one], targetManifestId: a, mode: promote", codes::WRONG_TARGET_KIND),
        ("kind: element, ids: [one], targetManifestId: bb, mode: promote", codes::UNKNOWN_MANIFEST),
        ("kind: element, ids: [oen], targetManifestId: b, mode: promote", codes::UNKNOWN_FINDING),
        ("kind: workflow, ids: [flow], targetManifestId: w", codes::UNKNOWN_VALUE),
        ("kind: element, ids: [one], targetManifestId: b, mode: merge", codes::UNKNOWN_VALUE),
    ];
    for (rule, code) in cases {
        let built = accept(rule).build();
        assert!(built.has(code), "{rule}: {:#?}", built.told(Severity::Error));
        assert!(built.bundle.is_none());
    }
    let source =
        |source: &str| pkg("").with("d", "DiscoveryImport", &format!("source: {source}\naccept: []")).build();
    only_errors(&source("{}"), &[codes::NO_DISCOVERY_SOURCE]);
    only_errors(&source("{ ref: nope.json }"), &[codes::NO_DISCOVERY_SOURCE]);
    only_errors(&source("{ ref: ../run.json }"), &[codes::UNSAFE_PATH]);
    only_errors(&source("{ ref: \"https://example.com/run.json\" }"), &[codes::UNSAFE_PATH]);
    only_errors(&source("{ ref: d/run.json, runId: run_2 }"), &[codes::WRONG_RUN]);
    let there = accept("kind: element, ids: [one], targetManifestId: b, mode: promote").with(
        "b",
        "Bindings",
        &ELEMENT.replace("save", "one"),
    );
    only_errors(&there.build(), &[codes::DISCOVERY_COLLISION]);
}

/// Requirement: AUTH-5.10-05
/// Case: AUTH-078
#[test]
fn rejection_wins() {
    let built = pkg("accept: [ { kind: element, ids: [one, two], targetManifestId: b, mode: promote } ]\nreject: [ { kind: element, ids: [one], reason: old } ]").build();
    let json = ok(&built);
    assert_eq!(json["bindings"]["elements"].as_array().unwrap().len(), 1);
    assert!(built.has(codes::ACCEPTED_AND_REJECTED));
    assert!(built.report.discovery.iter().any(|entry| entry.what == "reject" && entry.note == "old"));
}

/// Requirement: AUTH-5.10-07
#[test]
fn a_rule_for_all_findings_is_counted_aloud() {
    let built = accept("kind: route, targetManifestId: b, mode: promote").build();
    ok(&built);
    assert!(built.story(codes::ACCEPTS_ALL).contains("all 1 findings"));
}

/// Case: AUTH-080
/// Case: AUTH-084
#[test]
fn doubtful_findings_need_a_person_and_changes_are_noticed() {
    let unsure = accept("kind: action, ids: [doc.drop], targetManifestId: a, mode: promote")
        .spec(PUBLISH)
        .channel("prod")
        .build();
    assert!(unsure.told(Severity::Error).iter().any(|line| line.contains("was not sure about `doc.drop`")));
    let changed = pkg("")
        .with_metadata(
            "d",
            "DiscoveryImport",
            "---status\ndigest: \"sha256:00\"",
            "source: { ref: d/run.json }\naccept: []",
        )
        .build();
    ok(&changed);
    assert!(changed.has(codes::DISCOVERY_CHANGED));
}

/// Case: AUTH-075
#[test]
fn a_copy_does_not_follow_the_discovery_file() {
    let rule = "kind: element, ids: [one], targetManifestId: b, mode: copy";
    let first = accept(rule).build();
    let lock = first.lock.clone().unwrap();
    assert_eq!(lock.discoveries.len(), 1);
    let file = uiap_authoring::source::SourceFile::new("uiap.lock", lock.to_text());
    assert_eq!(uiap_authoring::lock::Lock::parse(&file).unwrap(), lock);
    let locked = |pkg: Pkg| pkg.options(|options| options.lock = Some(lock.clone()));
    let again = locked(accept(rule)).build();
    assert_eq!((again.lock.as_ref(), again.bundle.as_ref()), (Some(&lock), first.bundle.as_ref()));
    let other = package(&[element("one").replace("button\", \"names", "link\", \"names")]);
    let moved = locked(accept(rule)).file("d/run.json", &other).build();
    only_errors(&moved, &[codes::DISCOVERY_CHANGED]);
    assert_eq!(moved.lock.as_ref(), Some(&lock), "a lock is never adapted to a change by itself");
    // A promotion follows the file, and says so where a digest is recorded.
    let promoted = accept(&rule.replace("copy", "promote")).file("d/run.json", &other).build();
    assert_eq!(ok(&promoted)["bindings"]["elements"][0]["role"], "link");
    assert!(promoted.lock.is_none());
    let strict = accept(rule).options(|options| options.locked = true).build();
    only_errors(&strict, &[codes::LOCK_OUTDATED]);
    let pinned = accept(rule).with_metadata(
        "d",
        "DiscoveryImport",
        "---status\ndigest: \"sha256:00\"",
        &format!("source: {{ ref: d/run.json }}\naccept: [ {{ {rule} }} ]"),
    );
    only_errors(&pinned.build(), &[codes::DISCOVERY_CHANGED]);
}

/// Requirement: DISC-SEC-05
#[test]
fn what_discovery_found_reaches_production_only_after_somebody_approved_it() {
    let rule = "accept: [ { kind: element, ids: [one], targetManifestId: b, mode: promote } ]";
    let approved = |pkg: Pkg, id: &str, kind: &str, spec: &str| {
        pkg.without(id).with_metadata(id, kind, "reviewState: approved", spec)
    };
    let taken = approved(pkg(rule).without("w").without("a"), "app", "App", crate::support::APP);
    let taken = approved(taken, "b", "Bindings", "elements: []").spec(PUBLISH);
    ok(&taken.clone().channel("dev").build());
    let refused = taken.clone().channel("prod").build();
    only_errors(&refused, &[codes::GATE_FAILED]);
    assert!(refused.bundle.is_none());
    let story = refused.story(codes::GATE_FAILED);
    assert!(story.contains("one") && story.contains("no approval"), "{story}");
    let decided = |state: &str| {
        let decision = format!(
            "decisions: [ {{ target: {{ manifestId: b, itemId: one }}, state: {state}, by: ann, at: \"2026-01-01T00:00:00Z\" }} ]"
        );
        taken.clone().with("r", "ReviewSet", &decision).channel("prod").build()
    };
    assert!(decided("in_review").bundle.is_none(), "a review that is under way is none");
    let json = ok(&decided("approved"));
    assert_eq!(json["bindings"]["elements"][0]["id"], "one");
}
