//! A message that asks for a plan, and a piece of what comes of it, as other programs write them.

use serde_json::{Value, json};
use uiap_model::document::{kind, validate, validate_fragment};

/// Asks for a plan of a library in which somebody lends books.
fn plan() -> Value {
    json!({
        "uiap": "0.1", "kind": "request", "type": "uiap.discovery.plan", "id": "m7", "sessionId": "sess_library",
        "ts": "2026-05-04T08:30:00.000Z", "source": { "role": "agent", "id": "surveyor" },
        "payload": {
            "environment": {
                "environmentId": "library-test", "baseUrl": "https://library.test", "locale": "fr-CH",
                "viewport": { "width": 1024, "height": 768 }, "authMode": "session_reuse",
                "principalProfiles": [{ "id": "librarian", "roles": ["staff"], "grants": ["observe", "act"] }],
                "budgets": { "maxStates": 40, "maxTransitions": 90, "maxDepth": 4, "maxRuntimeMs": 60_000 },
                "safety": {
                    "defaultMode": "safe_explore", "allowExternalEffects": false, "allowDestructiveActions": false,
                    "allowAuthFlows": true, "allowPaymentFlows": false
                }
            },
            "seeds": [{ "kind": "route", "routeId": "shelves" }, { "kind": "route", "routeId": "loans" }]
        }
    })
}

/// What was found there, without the parts that nobody asked for. Its numbers count what is left out, too.
fn fragment() -> Value {
    let seen = json!([{ "source": "app_registry", "refId": "action:book.lend" }, { "source": "transition", "refId": "tr_2" }]);
    json!({
        "modelVersion": "0.1", "spec": "uiap.discovery",
        "run": {
            "runId": "disc_9", "startedAt": "2026-05-04T08:30:00.000Z", "finishedAt": "2026-05-04T08:31:00.000Z",
            "status": "completed", "environmentId": "library-test"
        },
        "routeCatalog": { "routes": [{
            "routeId": "loans.new", "urls": ["https://library.test/loans/new"], "titles": ["Pr\u{ea}ter"],
            "discoveredBy": seen, "confidence": "high"
        }] },
        "actionCatalog": { "actions": [{
            "id": "book.lend", "kind": "domain", "routes": ["loans.new"],
            "targetPatterns": [{ "stableId": "loan.submit", "role": "button", "scopeId": "loan.form" }],
            "risk": { "level": "confirm", "tags": ["external_effect"] },
            "successSignals": [{ "kind": "route.changed", "pattern": "/loans/:id" }, { "kind": "toast.contains", "text": "lent" }],
            "discoveredBy": seen, "confidence": "high", "reviewState": "candidate"
        }] },
        "workflowCandidates": { "workflows": [{
            "id": "candidate.lend", "title": "Lend a book", "category": "onboarding", "routeIds": ["shelves", "loans.new"],
            "requiredInputs": [{ "name": "reader", "type": "string", "required": true }],
            "stepSkeleton": [
                { "type": "action", "actionId": "ui.enterText", "parameterNames": ["reader"] },
                { "type": "ensure", "signals": [{ "kind": "route.changed", "pattern": "/loans/:id" }] },
                { "type": "complete" }
            ],
            "discoveredBy": [{ "source": "documentation", "refId": "doc_1" }], "confidence": "medium", "reviewState": "needs_review"
        }] },
        "reviewQueue": { "items": [{
            "id": "rev_4", "severity": "medium", "kind": "missing_success_signal", "routeId": "loans.new",
            "description": "Nothing tells that the reader was found.", "evidence": seen, "remediation": "Declare a signal."
        }] },
        "coverage": {
            "seedsTotal": 2, "seedsVisited": 2, "routesDiscovered": 5, "scopesDiscovered": 9, "elementsDiscovered": 70,
            "actionsDiscovered": 12, "workflowCandidatesDiscovered": 2, "opaqueRegions": 1, "unresolvedTransitions": 0,
            "reviewItems": 6, "confidenceSummary": { "high": 50, "medium": 30, "low": 4 }
        }
    })
}

/// Requirement: DISC-18-01
#[test]
fn a_plan_is_understood_and_a_fragment_is_right_as_far_as_it_goes() {
    let message = kind("Envelope").unwrap();
    assert_eq!(validate(&plan(), message), []);
    let mut wrong = plan();
    wrong["payload"]["environment"]["safety"]["defaultMode"] = json!("bold");
    assert!(!validate(&wrong, message).is_empty());
    let package = kind("DiscoveryPackage").unwrap();
    assert_eq!(validate_fragment(&fragment(), package), []);
    let mut missing: Vec<String> =
        validate(&fragment(), package).into_iter().map(|problem| problem.message).collect();
    missing.sort();
    let expected = ["elementCatalog", "environment", "scopeCatalog", "transitionGraph"];
    assert_eq!(missing, expected.map(|member| format!("`{member}` is missing")));
    let mut wrong = fragment();
    wrong["routeCatalog"]["routes"][0].as_object_mut().unwrap().remove("confidence");
    let problems = validate_fragment(&wrong, package);
    assert!(matches!(&*problems, [problem] if problem.message.contains("confidence")), "{problems:?}");
}
