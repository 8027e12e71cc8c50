//! The steps of a decision.

use serde_json::json;
use uiap_model::capability::ExecutionMode;
use uiap_model::policy::{PolicyEffect, PolicyObligation, PolicyReason};
use uiap_policy::{Limits, Policies};

use crate::support::{
    World, anywhere, ask_with, compile, decide, document, effect_of_rules, gives, missing, policies, rules,
};

fn facts(request: &uiap_model::policy::PolicyRequest, world: &World) -> uiap_policy::KnownFacts {
    policies(json!({})).explain("d".into(), request, &world.situation()).facts.unwrap()
}

/// Requirement: POL-E1-01
#[test]
fn facts_of_all_sources_come_together() {
    let mut world = World::declaring("video.save", "safe", Some("data_write"));
    world.descriptor.as_mut().unwrap().risk.tags =
        Some(vec![uiap_model::capability::RiskTag::ExternalEffect]);
    world.binding = World::bound(json!({ "dataClasses": ["personal"] })).binding;
    world.element = Some(crate::support::element(json!({
        "stableId": "thing", "risk": { "level": "confirm", "tags": ["legal"] }, "dataClasses": ["payment"],
    })));
    let request = ask_with(
        "video.save",
        &["admin"],
        json!({ "dataClasses": ["health"], "risk": { "level": "safe", "tags": ["identity"] } }),
    );
    let known = facts(&request, &world);
    assert_eq!(known.risk.as_str(), "confirm");
    assert_eq!(known.risk_tags, ["external_effect", "identity", "legal"]);
    assert_eq!(known.data_classes, ["personal", "payment", "health"]);
}

/// Requirement: POL-E1-02
#[test]
fn what_nobody_declares_is_unknown() {
    let policies = policies(json!({ "defaults": { "onUnknownAction": "allow" } }));
    let request = ask_with("video.save", &["act"], json!({}));
    assert_eq!(facts(&request, &World::default()).side_effects, ["unknown"]);
    assert_eq!(missing(&decide(&policies, &request, &World::default())), ["admin"]);
}

/// Requirement: POL-E1-03
#[test]
fn a_weak_claim_changes_nothing_and_a_strict_one_counts() {
    let policies = policies(json!({}));
    let mut world = World::declaring("pay.now", "confirm", Some("billing_change"));
    world.binding = World::bound(json!({ "dataClasses": ["payment"] })).binding;
    let plain = decide(&policies, &ask_with("pay.now", &["act"], json!({})), &world);
    let weak = json!({ "risk": { "level": "safe" }, "sideEffect": "none", "dataClasses": ["public"] });
    let claimed = decide(&policies, &ask_with("pay.now", &["act"], weak), &world);
    assert_eq!((plain.effect, missing(&plain)), (claimed.effect, missing(&claimed)));
    let strict = json!({ "risk": { "level": "blocked" } });
    let safe = World::declaring("video.list", "safe", Some("none"));
    assert_eq!(
        decide(&policies, &ask_with("video.list", &["admin"], strict), &safe).effect,
        PolicyEffect::Deny
    );
}

/// Requirement: POL-E1-03
#[test]
fn a_claim_never_wakes_a_rule_that_loosens() {
    let policies = rules(json!([
        { "id": "open", "match": { "riskTags": ["external_effect"] }, "effect": "allow", "override": true },
        { "id": "route", "match": { "routes": ["sandbox"] }, "effect": "allow", "override": true },
        { "id": "shut", "match": {}, "effect": "deny" },
    ]));
    let mut world = World::declaring("video.list", "safe", Some("none"));
    let claims = json!({ "risk": { "level": "safe", "tags": ["external_effect"] }, "routeId": "sandbox" });
    let request = ask_with("video.list", &["admin"], claims);
    assert_eq!(decide(&policies, &request, &world).effect, PolicyEffect::Deny);
    world.route = Some("sandbox".into());
    assert_eq!(
        decide(&policies, &request, &world).effect,
        PolicyEffect::Allow,
        "the app side knows the route"
    );
}

/// Requirement: POL-E2-01
/// Requirement: POL-P-06
/// Requirement: POL-C15-01
#[test]
fn no_rule_loosens_a_limit_of_the_platform() {
    let policies = rules(json!([{ "id": "open", "match": {}, "effect": "allow", "override": true }]));
    let every =
        ["admin", "read.sensitive", "read.secret", "write.sensitive", "billing", "identity", "security"];
    let with = |limits: Limits, level: &str| {
        let world = World { limits, ..World::declaring("video.list", level, Some("none")) };
        decide(&policies, &ask_with("video.list", &every, json!({})), &world)
    };
    let none = Limits::default();
    assert_eq!(with(none, "safe").effect, PolicyEffect::Allow);
    for (limits, level, effect, reason) in [
        (Limits { opaque_target: true, ..none }, "safe", PolicyEffect::Deny, PolicyReason::OpaqueTarget),
        (Limits { closed_shadow: true, ..none }, "safe", PolicyEffect::Deny, PolicyReason::PlatformBoundary),
        (
            Limits { user_activation: true, ..none },
            "safe",
            PolicyEffect::Handoff,
            PolicyReason::PlatformBoundary,
        ),
        (none, "blocked", PolicyEffect::Deny, PolicyReason::RiskLevel),
    ] {
        let decision = with(limits, level);
        assert_eq!(decision.effect, effect);
        assert!(gives(&decision, reason), "{reason}: {:?}", decision.reasons);
    }
}

/// Requirement: POL-P-07
#[test]
fn switched_off_policy_still_keeps_risk_and_limits() {
    let off = Policies::off();
    let with = |level: &str, limits: Limits| {
        let world = World { limits, ..World::declaring("video.save", level, Some("data_write")) };
        decide(&off, &ask_with("video.save", &[], json!({})), &world).effect
    };
    assert_eq!(with("safe", Limits::default()), PolicyEffect::Allow);
    assert_eq!(with("confirm", Limits::default()), PolicyEffect::Confirm);
    assert_eq!(with("blocked", Limits::default()), PolicyEffect::Deny);
    assert_eq!(with("safe", Limits { opaque_target: true, ..Limits::default() }), PolicyEffect::Deny);
}

/// Requirement: POL-E3-01
#[test]
fn an_unknown_action_still_passes_the_later_steps() {
    let request = |grants: &[&str]| ask_with("video.save", grants, json!({}));
    let open = policies(json!({ "defaults": { "onUnknownAction": "allow" } }));
    let decision = decide(&open, &request(&["act"]), &World::default());
    assert_eq!(decision.effect, PolicyEffect::Deny);
    assert!(gives(&decision, PolicyReason::MissingGrant));
    assert_eq!(decide(&open, &request(&["admin"]), &World::default()).effect, PolicyEffect::Allow);
    let decision = decide(&policies(json!({})), &request(&["admin"]), &World::default());
    assert_eq!((decision.effect, gives(&decision, PolicyReason::UnknownAction)), (PolicyEffect::Deny, true));
}

/// Requirement: POL-E4-01
#[test]
fn all_requirements_come_together() {
    let mut world = World::declaring("pay.now", "safe", Some("billing_change"));
    world.binding = World::bound(json!({ "dataClasses": ["payment"] })).binding;
    let decision = decide(&policies(json!({})), &ask_with("pay.now", &["act"], json!({})), &world);
    assert_eq!(
        (decision.effect, missing(&decision)),
        (PolicyEffect::Deny, vec!["write.sensitive", "billing"])
    );
    assert!(gives(&decision, PolicyReason::MissingGrant));
    let decision = decide(
        &policies(json!({})),
        &ask_with("pay.now", &["act", "billing", "write.sensitive"], json!({})),
        &world,
    );
    assert!(decision.missing_grants.is_none() && !gives(&decision, PolicyReason::MissingGrant));
}

/// Requirement: POL-E5-01
#[test]
fn every_active_document_counts_and_selectors_choose_them() {
    let open = json!({ "id": "a", "document": document(json!({ "rules": [{ "id": "r", "match": {}, "effect": "allow" }] })) });
    let billing = json!({ "id": "b", "document": document(json!({
        "rules": [{ "id": "r", "match": { "routes": ["billing"] }, "effect": "deny" }],
    })) });
    let both = compile(&[open.clone(), billing]).unwrap();
    assert_eq!(effect_of_rules(&both, json!({ "routeId": "billing" })), PolicyEffect::Deny);
    assert_eq!(effect_of_rules(&both, json!({ "routeId": "home" })), PolicyEffect::Allow);
    let production = json!({
        "id": "p", "selector": { "environments": ["production"] },
        "document": document(json!({ "rules": [{ "id": "r", "match": {}, "effect": "deny" }] })),
    });
    for (environment, effect) in [
        (Some("production"), PolicyEffect::Deny),
        (Some("staging"), PolicyEffect::Allow),
        (None, PolicyEffect::Deny),
    ] {
        let mut context = anywhere();
        context.environment = environment.map(Into::into);
        let policies = Policies::from_values(&[open.clone(), production.clone()], &context).unwrap();
        assert_eq!(effect_of_rules(&policies, json!({})), effect, "{environment:?}");
    }
}

/// Requirement: POL-E5-02
/// Requirement: POL-E5-03
#[test]
fn only_a_rule_with_override_loosens_a_default() {
    let confirm = World::declaring("video.save", "confirm", Some("data_write"));
    let with = |list: serde_json::Value, grants: &[&str], world: &World| {
        decide(&rules(list), &ask_with("video.save", grants, json!({})), world).effect
    };
    let allow = json!({ "id": "a", "match": {}, "effect": "allow" });
    let over = json!({ "id": "o", "match": {}, "effect": "allow", "override": true });
    let ask = json!({ "id": "c", "match": {}, "effect": "confirm", "override": true });
    assert_eq!(with(json!([allow]), &["act"], &confirm), PolicyEffect::Confirm);
    assert_eq!(with(json!([over]), &["act"], &confirm), PolicyEffect::Allow);
    assert_eq!(with(json!([over, ask]), &["act"], &confirm), PolicyEffect::Confirm);
    assert_eq!(with(json!([over]), &["guide"], &confirm), PolicyEffect::Deny);
    let blocked = World::declaring("video.save", "blocked", Some("data_write"));
    assert_eq!(with(json!([over]), &["admin"], &blocked), PolicyEffect::Deny);
}

/// Requirement: POL-E6-01
#[test]
fn the_strictest_document_decides() {
    let effects = ["allow", "confirm", "handoff", "deny"];
    for (left, first) in effects.iter().enumerate() {
        for (right, second) in effects.iter().enumerate() {
            for (third, rule) in effects.iter().enumerate() {
                let of = |id: &str, effect: &str| {
                    json!({ "id": id, "document": document(json!({
                    "rules": [{ "id": "r", "match": {}, "effect": effect, "override": true }],
                })) })
                };
                let with_default =
                    json!({ "id": "c", "document": document(json!({ "defaults": { "onNoMatch": rule } })) });
                let policies = compile(&[of("a", first), of("b", second), with_default]).unwrap();
                let strictest = left.max(right).max(third);
                assert_eq!(effect_of_rules(&policies, json!({})).as_str(), effects[strictest]);
            }
        }
    }
}

fn obligations(list: serde_json::Value) -> (PolicyEffect, Vec<PolicyObligation>) {
    let world = World::declaring("video.list", "safe", Some("none"));
    let decision = decide(&rules(list), &ask_with("video.list", &["admin"], json!({})), &world);
    (decision.effect, decision.obligations)
}

/// Requirement: POL-E6-02
/// Requirement: POL-C38-01
#[test]
fn obligations_are_united() {
    let (_, found) = obligations(json!([
        { "id": "a", "match": {}, "effect": "confirm", "obligations": [{ "type": "notify", "text": "one" }, { "type": "audit", "level": "metadata" }] },
        { "id": "b", "match": {}, "effect": "allow", "obligations": [{ "type": "notify", "text": "two" }, { "type": "audit", "level": "full" }] },
    ]));
    let texts: Vec<String> = found.iter().map(|each| serde_json::to_string(each).unwrap()).collect();
    assert_eq!(texts.iter().filter(|text| text.contains("notify")).count(), 2, "{texts:?}");
    assert_eq!(
        texts.iter().filter(|text| text.contains("audit")).collect::<Vec<_>>(),
        [r#"{"type":"audit","level":"full"}"#]
    );
    for mode in ["guide", "assist", "auto"] {
        let world = World::declaring("video.save", "confirm", Some("data_write"));
        let decision = decide(
            &policies(json!({})),
            &ask_with("video.save", &["act"], json!({ "interactionMode": mode })),
            &world,
        );
        assert_eq!(decision.effect, PolicyEffect::Confirm);
        assert!(
            decision.obligations.iter().any(|each| matches!(each, PolicyObligation::Confirm { .. })),
            "{mode}"
        );
    }
}

/// Requirement: POL-E6-03
#[test]
fn modes_are_what_all_rules_agree_on() {
    let rule = |id: &str, modes: serde_json::Value| json!({ "id": id, "match": {}, "effect": "allow", "obligations": [{ "type": "restrictModes", "modes": modes }] });
    let world = World::declaring("video.list", "safe", Some("none"));
    let request = ask_with("video.list", &["admin"], json!({}));
    let some =
        rules(json!([rule("a", json!(["appAction", "semanticUi"])), rule("b", json!(["semanticUi"]))]));
    let decision = decide(&some, &request, &world);
    assert_eq!(decision.effect, PolicyEffect::Allow);
    assert!(uiap_policy::permits_mode(&decision, ExecutionMode::SemanticUi));
    assert!(!uiap_policy::permits_mode(&decision, ExecutionMode::AppAction));
    let none = rules(json!([rule("a", json!(["appAction"])), rule("b", json!(["semanticUi"]))]));
    assert_eq!(decide(&none, &request, &world).effect, PolicyEffect::Deny);
}

/// Requirement: POL-E7-01
#[test]
fn facts_that_cannot_be_read_never_allow() {
    let policies = rules(json!([{ "id": "open", "match": {}, "effect": "allow", "override": true }]));
    let request = ask_with("ui.read", &["admin"], json!({}));
    let other_element = World {
        element: Some(crate::support::element(json!({ "stableId": "other" }))),
        ..World::bound(json!({}))
    };
    let too_many: Vec<String> = (0..1_000).map(|number| format!("x.acme.c{number}")).collect();
    for broken in [
        World::bound(json!({ "metadata": { "sideEffect": 42 } })),
        World::element(json!({ "metadata": { "sideEffect": "explode" } })),
        World::element(json!({ "dataClasses": too_many })),
        World::declaring("video.save", "safe", None),
        other_element,
    ] {
        let decision = decide(&policies, &request, &broken);
        assert_eq!(decision.effect, PolicyEffect::Deny);
        assert_eq!(decision.reasons, [PolicyReason::EvaluationError]);
        assert!(decision.message.is_some());
    }
}

/// Requirement: POL-T-07
#[test]
fn each_reason_can_be_given() {
    use PolicyReason as Reason;
    let safe = World::declaring("video.list", "safe", Some("none"));
    let ask = |grants: &[&str]| ask_with("video.list", grants, json!({}));
    let open = policies(json!({}));
    let denying = rules(json!([{ "id": "r", "match": {}, "effect": "deny" }]));
    let opaque = World { limits: Limits { opaque_target: true, ..Limits::default() }, ..safe.clone() };
    let gesture = World { limits: Limits { user_activation: true, ..Limits::default() }, ..safe.clone() };
    let card = World::bound(json!({ "dataClasses": ["payment"] }));
    let read = ask_with("ui.read", &["admin"], json!({}));
    let mut seen: Vec<Reason> = [
        decide(&open, &ask(&["admin"]), &safe),
        decide(&denying, &ask(&["admin"]), &safe),
        decide(&open, &ask(&["admin"]), &World::declaring("video.list", "blocked", Some("none"))),
        decide(&open, &ask(&[]), &safe),
        decide(&open, &read, &card),
        decide(&open, &ask(&["admin"]), &World::default()),
        decide(&open, &ask(&["admin"]), &gesture),
        decide(&open, &ask(&["admin"]), &opaque),
        decide(&open, &read, &World::bound(json!({ "metadata": { "sideEffect": 1 } }))),
    ]
    .into_iter()
    .flat_map(|decision| decision.reasons)
    .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, Reason::ALL);
}

/// Requirement: POL-P-04
#[test]
fn the_audit_level_changes_no_effect() {
    let world = World::declaring("video.save", "confirm", Some("data_write"));
    let mut effects = Vec::new();
    for level in ["none", "metadata", "full"] {
        let policies = policies(json!({ "audit": { "level": level } }));
        let decision = decide(&policies, &ask_with("video.save", &["act"], json!({})), &world);
        assert_eq!(uiap_policy::audit_level(&decision).as_str(), level);
        effects.push((decision.effect, decision.reasons));
    }
    assert!(effects.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Requirement: POL-P-05
#[test]
fn reading_and_looking_need_no_decision_unless_the_data_is_delicate() {
    let needs = |action: &str, world: &World| {
        Policies::needs_decision(&ask_with(action, &[], json!({})), &world.situation())
    };
    let personal = World::bound(json!({ "dataClasses": ["personal"] }));
    assert!(!needs("ui.scroll", &World::default()) && !needs("ui.read", &World::default()));
    assert!(!needs("ui.scroll", &personal) && needs("ui.read", &personal));
    assert!(needs("ui.enterText", &World::default()) && needs("nav.navigate", &World::default()));
    assert!(needs("video.save", &World::default()));
}

/// Requirement: POL-MSG-05
/// Requirement: POL-MSG-06
#[test]
fn a_decision_holds_for_its_page_its_time_and_its_policy() {
    let policies = rules(json!([]));
    let mut decision = decide(&policies, &ask_with("ui.read", &["observe"], json!({})), &World::default());
    let revision = |text: &str| uiap_model::names::RevisionId::parse(text).unwrap();
    let time = |text: &str| uiap_model::names::Timestamp::parse(text).unwrap();
    let holds = |decision: &_, policies: &Policies, page: &str, now: &str| {
        uiap_policy::still_holds(decision, policies, &revision("r1"), &revision(page), &time(now))
    };
    let now = "2026-03-26T13:12:09.5Z";
    assert!(holds(&decision, &policies, "r1", now) && !holds(&decision, &policies, "r2", now));
    let tightened = rules(json!([{ "id": "r", "match": {}, "effect": "deny" }]));
    assert!(!holds(&decision, &tightened, "r1", now));
    decision.expires_at = Some(time("2026-03-26T13:12:09.500Z"));
    assert!(!holds(&decision, &policies, "r2", now));
    assert!(holds(&decision, &policies, "r2", "2026-03-26T13:12:09.49Z"));
    assert!(holds(&decision, &policies, "r2", "2026-03-26T13:12:09Z"));
}
