//! Documents: what is accepted, what is refused, what each member does.

use serde_json::{Value, json};
use uiap_model::policy::{PolicyEffect, PolicyReason};

use crate::support::{
    World, ask_with, compile, decide, document, effect_of_rules, gives, missing, policies, refusal, rules,
};

/// Requirement: POL-DOC-01
/// Requirement: POL-DOC-02
#[test]
fn a_document_needs_its_version_and_its_defaults() {
    let shortest = json!({ "modelVersion": "0.1", "defaults": { "onUnknownAction": "deny" } });
    assert!(compile(&[shortest]).is_ok());
    assert!(compile(&[json!({ "modelVersion": "0.1" })]).is_err());
    assert_eq!(refusal(json!({ "modelVersion": "1.0" })).0, "/modelVersion");
    let (pointer, allowed, _) = refusal(json!({ "defaults": { "onUnknownAction": "reject" } }));
    assert_eq!((pointer.as_str(), allowed.len()), ("/defaults/onUnknownAction", 4));
    assert!(compile(&[json!({ "modelVersion": "0.1", "defaults": {} })]).is_err());
}

fn at_level(policies: &uiap_policy::Policies, level: &str) -> PolicyEffect {
    let world = World::declaring("video.list", level, Some("none"));
    decide(policies, &ask_with("video.list", &["admin"], json!({})), &world).effect
}

/// Requirement: POL-DOC-03
#[test]
fn defaults_go_by_risk() {
    let plain = policies(json!({}));
    assert_eq!(at_level(&plain, "safe"), PolicyEffect::Allow);
    assert_eq!(at_level(&plain, "confirm"), PolicyEffect::Confirm);
    assert_eq!(at_level(&plain, "blocked"), PolicyEffect::Deny);
    let strict = policies(json!({ "defaults": { "onNoMatch": "handoff" } }));
    assert_eq!(at_level(&strict, "safe"), PolicyEffect::Handoff);
    let by_risk = policies(json!({ "defaults": { "byRisk": { "safe": "confirm", "blocked": "allow" } } }));
    assert_eq!(at_level(&by_risk, "safe"), PolicyEffect::Confirm);
    assert_eq!(at_level(&by_risk, "blocked"), PolicyEffect::Deny, "no default opens what is blocked");
}

/// Requirement: POL-DOC-04
#[test]
fn missing_grants_and_errors_have_effects_of_their_own() {
    for effect in ["deny", "handoff", "confirm"] {
        let policies = policies(json!({ "defaults": { "onMissingGrant": effect } }));
        let decision = decide(&policies, &ask_with("ui.read", &[], json!({})), &World::default());
        assert_eq!(decision.effect.as_str(), effect);
    }
    let broken = World::bound(json!({ "metadata": { "sideEffect": 42 } }));
    for effect in ["deny", "handoff"] {
        let policies = policies(json!({ "defaults": { "onError": effect } }));
        let decision = decide(&policies, &ask_with("ui.read", &["admin"], json!({})), &broken);
        assert_eq!(decision.effect.as_str(), effect);
    }
    let request = ask_with("ui.read", &[], json!({}));
    assert_eq!(decide(&policies(json!({})), &request, &World::default()).effect, PolicyEffect::Deny);
    assert_eq!(decide(&policies(json!({})), &request, &broken).effect, PolicyEffect::Deny);
    assert_eq!(refusal(json!({ "defaults": { "onMissingGrant": "allow" } })).0, "/defaults/onMissingGrant");
    assert_eq!(refusal(json!({ "defaults": { "onError": "confirm" } })).0, "/defaults/onError");
}

/// Requirement: POL-DOC-06
#[test]
fn a_row_takes_the_place_of_the_built_in_one_and_of_no_other() {
    let policies = policies(json!({ "grants": [{ "sideEffect": "navigation", "requires": ["act"] }] }));
    let lacks = |action: &str, grants: &[&str]| {
        let decision = decide(&policies, &ask_with(action, grants, json!({})), &World::default());
        missing(&decision).join(" ")
    };
    assert_eq!(lacks("nav.navigate", &["guide"]), "act");
    assert_eq!(lacks("nav.navigate", &["act"]), "");
    assert_eq!(lacks("ui.enterText", &["guide"]), "draft");
    let (_, _, text) = refusal(json!({ "grants": [{ "sideEffect": "navigation" }] }));
    assert!(text.contains("requires"), "{text}");
    assert_eq!(refusal(json!({ "grants": [{ "access": "both", "requires": [] }] })).0, "/grants/0/access");
}

/// Requirement: POL-DOC-06
#[test]
fn a_row_for_reading_leaves_writing_as_it_was() {
    let policies = policies(json!({
        "grants": [{ "dataClass": "payment", "access": "read", "requires": [] }],
    }));
    let field = World::bound(json!({ "dataClasses": ["payment"] }));
    let read = decide(&policies, &ask_with("ui.read", &["admin"], json!({})), &field);
    let write = decide(&policies, &ask_with("ui.enterText", &["admin"], json!({})), &field);
    assert_eq!((missing(&read), missing(&write)), (vec![], vec!["write.sensitive"]));
}

/// Requirement: POL-DOC-07
#[test]
fn a_rule_needs_an_effect_and_a_name_of_its_own() {
    assert_eq!(
        effect_of_rules(&rules(json!([{ "id": "r", "match": {}, "effect": "deny" }])), json!({})),
        PolicyEffect::Deny
    );
    assert!(refusal(json!({ "rules": [{ "id": "r", "match": {} }] })).2.contains("effect"));
    let twice = json!({ "id": "r", "match": {}, "effect": "deny" });
    let (pointer, _, text) = refusal(json!({ "rules": [twice, twice] }));
    assert_eq!(pointer, "/rules/1/id");
    assert!(text.contains("twice"), "{text}");
}

/// Requirement: POL-DOC-08
#[test]
fn a_rule_that_is_switched_off_never_matches() {
    let policies = rules(json!([{ "id": "r", "match": {}, "effect": "deny", "enabled": false }]));
    let world = World::declaring("video.list", "safe", Some("none"));
    let decision = decide(&policies, &ask_with("video.list", &["admin"], json!({})), &world);
    assert_eq!((decision.effect, decision.matched_rules.len()), (PolicyEffect::Allow, 0));
}

/// Requirement: POL-DOC-09
#[test]
fn all_keys_must_hold_and_one_entry_of_a_list_suffices() {
    let matching = |matching: Value| rules(json!([{ "id": "r", "match": matching, "effect": "deny" }]));
    let both = matching(json!({ "actions": ["video.list"], "routes": ["home"] }));
    assert_eq!(effect_of_rules(&both, json!({ "routeId": "away" })), PolicyEffect::Allow);
    assert_eq!(effect_of_rules(&both, json!({ "routeId": "home" })), PolicyEffect::Deny);
    let list = matching(json!({ "actions": ["video.create", "video.list"] }));
    assert_eq!(effect_of_rules(&list, json!({})), PolicyEffect::Deny);
    assert_eq!(effect_of_rules(&matching(json!({})), json!({})), PolicyEffect::Deny);
    let (pointer, _, text) =
        refusal(json!({ "rules": [{ "id": "r", "match": { "action": ["a"] }, "effect": "deny" }] }));
    assert_eq!(pointer, "/rules/0/match/action");
    assert!(text.contains("actions"), "{text}");
    assert_eq!(
        refusal(json!({ "rules": [{ "id": "r", "match": { "roles": [] }, "effect": "deny" }] })).0,
        "/rules/0/match/roles"
    );
}

/// Requirement: POL-DOC-10
/// Requirement: POL-DOC-12
#[test]
fn every_key_tells_fitting_from_unfitting_questions() {
    let request = json!({
        "routeId": "home", "scopeId": "main", "executionMode": "appAction", "workflowId": "w", "sideEffect": "none",
        "interactionMode": "assist", "dataClasses": ["internal"], "risk": { "level": "safe", "tags": ["external_effect"] },
        "target": { "by": "stableId", "value": "save" }, "principal": { "roles": ["editor"] },
    });
    let with_role = json!({ "target": { "by": "semantic", "role": "button" } });
    for (key, fits, fails, wrong) in [
        ("actions", json!(["video.list"]), json!(["video.create"]), json!([1])),
        ("actionKinds", json!(["domain"]), json!(["primitive"]), json!(["both"])),
        ("riskLevels", json!(["safe"]), json!(["confirm"]), json!(["low"])),
        ("riskTags", json!(["external_effect"]), json!(["legal"]), json!(["bad"])),
        ("sideEffects", json!(["none"]), json!(["draft"]), json!(["foo"])),
        ("dataClasses", json!(["internal"]), json!(["payment"]), json!(["private"])),
        ("routes", json!(["home"]), json!(["away"]), json!(["*"])),
        ("scopes", json!(["main"]), json!(["side"]), json!([""])),
        ("stableIds", json!(["save"]), json!(["open"]), json!([""])),
        ("roles", json!(["button"]), json!(["link"]), json!(["knob"])),
        ("executionModes", json!(["appAction"]), json!(["semanticUi"]), json!(["magic"])),
        ("workflowIds", json!(["w"]), json!(["v"]), json!([1])),
        ("interactionModes", json!(["assist"]), json!(["auto"]), json!(["manual"])),
        ("phase", json!(["act"]), json!(["observe"]), json!(["write"])),
        (
            "principal",
            json!({ "types": ["agent"] }),
            json!({ "types": ["user"] }),
            json!({ "types": ["admin"] }),
        ),
        ("principal", json!({ "ids": ["agent-1"] }), json!({ "ids": ["agent-2"] }), json!({ "ids": [1] })),
        ("principal", json!({ "roles": ["editor"] }), json!({ "roles": ["owner"] }), json!({ "roles": "x" })),
        (
            "principal",
            json!({ "grants": ["act"] }),
            json!({ "grants": ["billing"] }),
            json!({ "grants": ["root"] }),
        ),
    ] {
        let asked = if key == "roles" { with_role.clone() } else { request.clone() };
        let rule = |matching: &Value| json!([{ "id": "r", "match": { key: matching }, "effect": "deny" }]);
        assert_eq!(effect_of_rules(&rules(rule(&fits)), asked.clone()), PolicyEffect::Deny, "{key} {fits}");
        assert_eq!(effect_of_rules(&rules(rule(&fails)), asked), PolicyEffect::Allow, "{key} {fails}");
        assert!(compile(&[document(json!({ "rules": rule(&wrong) }))]).is_err(), "{key} {wrong}");
    }
    let (_, allowed, _) =
        refusal(json!({ "rules": [{ "id": "r", "match": { "phase": ["write"] }, "effect": "deny" }] }));
    assert_eq!(allowed, ["observe", "act"]);
}

/// Requirement: POL-DOC-11
#[test]
fn a_prefix_means_what_lies_below_it() {
    let policies = rules(json!([{ "id": "r", "match": { "actions": ["billing.*"] }, "effect": "deny" }]));
    for (action, hit) in
        [("billing.plan", true), ("billing.plan.change", true), ("billingx", false), ("billing", false)]
    {
        let world = World::declaring(action, "safe", Some("none"));
        let decision = decide(&policies, &ask_with(action, &["admin"], json!({})), &world);
        assert_eq!(gives(&decision, PolicyReason::Rule), hit, "{action}");
    }
    for star in ["*", "bill*", "billing.*.plan", "*.plan"] {
        let rule = json!([{ "id": "r", "match": { "routes": ["ok", star] }, "effect": "deny" }]);
        assert_eq!(refusal(json!({ "rules": rule })).0, "/rules/0/match/routes/1", "{star}");
    }
}
