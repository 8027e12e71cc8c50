//! A decision stands before every action, and what it forbids is not done.

use std::collections::HashSet;

use serde_json::json;
use uiap_discovery::run::RunEvent;
use uiap_model::discovery::review::DiscoveryActionEffect;

use super::script::{Setup, Stage, Thing, app, page};

fn shop() -> Stage {
    Stage::new(app(vec![
        page(
            "home",
            vec![
                Thing::link("Products", "products").within("nav"),
                Thing::link("Log out", "logout").within("nav"),
                Thing::button("Delete account", "gone"),
                Thing::button("Pay now", "paid"),
                Thing::button("Options", "options"),
            ],
        ),
        page("products", vec![]),
        page("options", vec![Thing::link("Products", "products").within("nav")]),
        page("gone", vec![]),
        page("paid", vec![]),
        page("logout", vec![]),
    ]))
}

/// Requirement: DISC-13-01
/// Requirement: DISC-11.5-01
/// Requirement: DISC-11.5-02
/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
#[tokio::test]
async fn nothing_is_done_without_a_decision_that_allows_it() {
    let stage = shop();
    let record = Setup::default().run(&stage).await;
    let pressed: HashSet<String> = stage.pressed().into_iter().collect();
    assert!(pressed.contains("home|Options"), "{pressed:?}");
    for forbidden in ["home|Delete account", "home|Pay now", "home|Log out"] {
        assert!(!pressed.contains(forbidden), "{pressed:?}");
    }
    assert!(
        !stage.opened.lock().unwrap().iter().any(|url| url.contains("logout")),
        "not as an address either"
    );
    for transition in &record.transitions {
        let decided = record.decisions.iter().any(|decision| {
            decision.state_id == transition.from
                && decision.aim == transition.aim
                && decision.effect == DiscoveryActionEffect::Allow
        });
        assert!(decided, "{transition:?}");
    }
    let denied = record.decisions.iter().filter(|each| each.effect == DiscoveryActionEffect::Deny).count();
    assert!(denied >= 3, "{:?}", record.decisions);
}

/// Requirement: DISC-8-10
#[tokio::test]
async fn while_only_observing_nothing_is_pressed_and_safe_addresses_are_opened() {
    let stage = shop();
    let setup = Setup::default().mode("observe_only");
    let record = setup.run(&stage).await;
    assert!(stage.pressed().is_empty());
    assert_eq!(record.states.len(), 2, "the first page and what its navigation names");
    assert!(!setup.events.lock().unwrap().iter().any(|event| matches!(event, RunEvent::Acted { .. })));
    assert!(record.decisions.iter().all(|each| each.effect != DiscoveryActionEffect::Allow));
}

/// Requirement: DISC-11.5-09
#[tokio::test]
async fn fields_of_forms_are_not_filled_outside_of_sandboxes() {
    let field = Thing { role: "textbox", name: "Title".into(), to: None, extra: json!({}), scope: "main" };
    let stage = Stage::new(app(vec![page("home", vec![field])]));
    let record = Setup::default().run(&stage).await;
    assert!(stage.pressed().is_empty());
    assert_eq!(record.decisions[0].effect, DiscoveryActionEffect::Skip);
}
