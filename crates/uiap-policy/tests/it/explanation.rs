//! Explanations tell which rule, which default, which fact, which grant.

use serde_json::json;
use uiap_model::policy::PolicyReason;

use crate::random::Random;
use crate::support::{World, ask_with, compile, policies, rules};

#[test]
fn an_explanation_names_rules_defaults_facts_and_grants() {
    let policies = rules(json!([
        { "id": "open", "match": { "actions": ["video.save"] }, "effect": "allow", "override": true },
        { "id": "shut", "match": {}, "effect": "handoff" },
    ]));
    let world = World::declaring("video.save", "confirm", Some("data_write"));
    let explanation =
        policies.explain("d".into(), &ask_with("video.save", &["guide"], json!({})), &world.situation());
    let text = explanation.lines().join("\n");
    for part in [
        "deny\n",
        "because: missing grants: `act`",
        "rule `app/open`",
        "overridden: rule `app/shut`",
        "default for the risk level `confirm`",
        "side effects data_write",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let grants: Vec<_> =
        explanation.arguments.iter().filter(|each| each.reason == PolicyReason::MissingGrant).collect();
    assert_eq!((grants.len(), grants[0].policy.as_deref()), (1, Some("app")));
    assert!(explanation.set_aside.iter().any(|each| each.rule.as_deref() == Some("app/shut")));
}

#[test]
fn the_strictest_argument_is_the_decision() {
    let mut random = Random(21);
    for _ in 0..300 {
        let policies = compile(&[random.policy("app"), random.policy("tenant")]).unwrap();
        let request = random.request();
        let world = random.world(request.action_id.as_str());
        let explanation = policies.explain("d".into(), &request, &world.situation());
        let strictest = explanation.arguments.iter().map(|argument| argument.effect).max().unwrap();
        assert_eq!(strictest, explanation.decision.effect);
        for reason in &explanation.decision.reasons {
            assert!(
                explanation.arguments.iter().any(|each| each.reason == *reason && each.effect == strictest)
            );
        }
    }
}

#[test]
fn a_claimed_level_is_told_apart_from_a_sure_one() {
    let request = ask_with("ui.read", &["observe"], json!({ "risk": { "level": "confirm" } }));
    let facts =
        policies(json!({})).explain("d".into(), &request, &World::default().situation()).facts.unwrap();
    assert_eq!((facts.sure_risk.as_str(), facts.risk.as_str()), ("safe", "confirm"));
}
