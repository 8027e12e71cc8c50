//! The built-in table of grants and the side effects of the protocol's own actions.

use serde_json::json;

use crate::support::{World, ask_with, decide, missing, policies};

fn lacks(action: &str, grants: &[&str], world: &World) -> String {
    let policies = policies(json!({ "defaults": { "onUnknownAction": "allow" } }));
    missing(&decide(&policies, &ask_with(action, grants, json!({})), world)).join(" ")
}

fn lacks_for(effect: &str, grants: &[&str]) -> String {
    lacks("video.do", grants, &World::declaring("video.do", "safe", Some(effect)))
}

fn alone(action: &str, grants: &[&str]) -> String {
    lacks(action, grants, &World::default())
}

/// Requirement: POL-G-01
#[test]
fn looking_needs_observe_and_pointing_needs_guide() {
    assert_eq!(alone("ui.read", &["observe"]), "");
    assert_eq!(alone("ui.read", &[]), "observe");
    assert_eq!(alone("ui.highlight", &["observe"]), "guide");
    assert_eq!(alone("ui.scroll", &["observe"]), "guide");
}

/// Requirement: POL-G-02
/// Requirement: POL-G-03
#[test]
fn navigation_needs_guide_and_drafts_need_draft() {
    assert_eq!(alone("nav.navigate", &["observe"]), "guide");
    assert_eq!(alone("nav.navigate", &["guide"]), "");
    assert_eq!(alone("ui.enterText", &["guide"]), "draft");
    assert_eq!(alone("ui.enterText", &["draft"]), "");
}

/// Requirement: POL-G-04
/// Requirement: POL-G-05
/// Requirement: POL-G-06
/// Requirement: POL-G-07
/// Requirement: POL-G-08
#[test]
fn each_side_effect_needs_its_grants() {
    for effect in ["data_write", "external_effect"] {
        assert_eq!(lacks_for(effect, &["draft"]), "act");
        assert_eq!(lacks_for(effect, &["act"]), "");
    }
    assert_eq!(lacks_for("identity_change", &["act"]), "identity");
    assert_eq!(lacks_for("identity_change", &["identity"]), "act");
    assert_eq!(lacks_for("security_change", &["act", "security"]), "admin");
    assert_eq!(lacks_for("security_change", &["admin"]), "security");
    assert_eq!(lacks_for("billing_change", &["act"]), "billing");
    assert_eq!(lacks_for("billing_change", &["act", "billing"]), "");
    for effect in ["destructive", "irreversible", "unknown", "x.acme.strange"] {
        assert_eq!(lacks_for(effect, &["act"]), "admin", "{effect}");
        assert_eq!(lacks_for(effect, &["admin"]), "", "{effect}");
    }
}

/// Requirement: POL-G-09
/// Requirement: POL-G-10
#[test]
fn delicate_data_needs_grants_of_its_own() {
    for (class, read, write) in [
        ("public", "", ""),
        ("internal", "", ""),
        ("personal", "", ""),
        ("sensitive", "read.sensitive", "write.sensitive"),
        ("payment", "read.sensitive", "write.sensitive"),
        ("health", "read.sensitive", "write.sensitive"),
        ("legal", "read.sensitive", "write.sensitive"),
        ("x.acme.gene", "read.sensitive", "write.sensitive"),
        ("credential", "read.secret", "write.sensitive"),
        ("secret", "read.secret", "write.sensitive"),
    ] {
        let field = World::bound(json!({ "dataClasses": [class] }));
        assert_eq!(lacks("ui.read", &["observe"], &field), read, "{class}");
        assert_eq!(lacks("ui.enterText", &["act"], &field), write, "{class}");
        let with = |first, second: &'static str| [first, if second.is_empty() { first } else { second }];
        assert_eq!(lacks("ui.read", &with("observe", read), &field), "", "{class}");
        assert_eq!(lacks("ui.enterText", &with("act", write), &field), "", "{class}");
    }
    let secret = World::bound(json!({ "dataClasses": ["secret"] }));
    assert_eq!(lacks("ui.read", &["observe", "read.sensitive"], &secret), "read.secret");
}

/// Requirement: POL-G-12
#[test]
fn strong_grants_imply_weak_ones_and_domain_grants_imply_nothing() {
    let ladder = [("observe", "ui.read"), ("guide", "nav.navigate"), ("draft", "ui.enterText")];
    for (_, action) in ladder {
        assert_eq!(alone(action, &["admin"]), "");
        assert_eq!(alone(action, &["act"]), "");
    }
    assert_eq!(alone("ui.activate", &["admin"]), "");
    assert_eq!(alone("ui.enterText", &["guide"]), "draft");
    for domain in ["billing", "identity", "security", "read.sensitive", "read.secret", "write.sensitive"] {
        assert_eq!(alone("ui.read", &[domain]), "observe", "{domain}");
    }
}

/// Requirement: POL-C21-01
#[test]
fn tags_and_side_effects_both_count() {
    let mut tagged = World::declaring("video.do", "confirm", Some("draft"));
    tagged.descriptor.as_mut().unwrap().risk.tags = Some(vec![uiap_model::capability::RiskTag::Destructive]);
    assert_eq!(lacks("video.do", &["act"], &tagged), "admin");
    let mut effect = World::declaring("video.do", "confirm", Some("destructive"));
    effect.descriptor.as_mut().unwrap().risk.tags =
        Some(vec![uiap_model::capability::RiskTag::ExternalEffect]);
    assert_eq!(lacks("video.do", &["act"], &effect), "admin");
    assert_eq!(lacks("video.do", &["admin"], &tagged), "");
}

fn effects(action: &str, world: &World) -> Vec<String> {
    let request = ask_with(action, &["admin"], json!({}));
    let facts = policies(json!({})).explain("d".into(), &request, &world.situation()).facts.unwrap();
    facts.side_effects.iter().map(ToString::to_string).collect()
}

/// Requirement: POL-SE-01
/// Requirement: POL-SE-02
/// Requirement: POL-SE-03
#[test]
fn primitives_have_side_effects_of_their_own() {
    for (effect, actions) in [
        ("none", &["ui.read", "ui.highlight"][..]),
        (
            "ui_only",
            &[
                "ui.focus",
                "ui.hover",
                "ui.scroll",
                "ui.scrollIntoView",
                "ui.expand",
                "ui.collapse",
                "ui.open",
                "ui.close",
            ],
        ),
        ("navigation", &["nav.navigate"]),
        ("draft", &["ui.enterText", "ui.clearText", "ui.setValue", "ui.choose", "ui.toggle", "ui.upload"]),
        ("unknown", &["ui.activate", "ui.submit", "app.invoke"]),
    ] {
        for action in actions {
            assert_eq!(effects(action, &World::default()), [effect], "{action}");
        }
    }
    for action in ["ui.read", "ui.highlight"] {
        let decision =
            decide(&policies(json!({})), &ask_with(action, &["guide"], json!({})), &World::default());
        assert_eq!(decision.effect.as_str(), "allow");
    }
    let writing = World::bound(json!({ "metadata": { "sideEffect": "data_write" } }));
    assert_eq!(lacks("ui.enterText", &["draft"], &writing), "act");
    let lying = World::bound(json!({ "metadata": { "sideEffect": "none" } }));
    assert_eq!(lacks("ui.enterText", &["guide"], &lying), "draft", "a declaration only lifts what is known");
}

/// Requirement: POL-SE-04
#[test]
fn a_button_is_unknown_until_the_app_declares_it() {
    assert_eq!(alone("ui.activate", &["act"]), "admin");
    let declared = json!({ "metadata": { "sideEffect": "navigation" } });
    assert_eq!(lacks("ui.activate", &["guide"], &World::bound(declared.clone())), "");
    let mut registered = declared.clone();
    registered["source"] = json!("registry");
    assert_eq!(lacks("ui.activate", &["guide"], &World::element(registered)), "");
    assert_eq!(
        lacks("ui.activate", &["act"], &World::element(declared)),
        "admin",
        "markup in the page is a claim"
    );
}
