//! A decision stands before every action, and what it forbids is not done.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use uiap_discovery::record::IncidentKind;
use uiap_discovery::run::RunEvent;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};

use super::script::{Setup, Stage, Thing, app, overlay, page};

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

/// Requirement: DISC-13-04
#[tokio::test]
async fn what_looks_dangerous_is_tried_once_where_nothing_can_come_of_it_and_its_question_is_left_alone() {
    let question =
        overlay("question", "/home", vec![Thing::button("Delete for ever", "gone").within("dialog")]);
    let stage = Stage::new(app(vec![
        page(
            "home",
            vec![
                Thing::button("Delete project", "question"),
                Thing::button("Delete account", "gone"),
                Thing::link("Log out", "logout"),
                Thing::button("Send report", "gone").with(json!({})),
            ],
        ),
        question,
        page("gone", vec![]),
    ]));
    let record = Setup::default().run(&stage).await;
    assert!(stage.pressed().is_empty(), "{:?}", stage.pressed());
    let mut tried = stage.tried.lock().unwrap().clone();
    tried.sort();
    assert_eq!(tried, ["home|Delete account", "home|Delete project"], "each once, and no answer is given");
    assert_eq!(super::script::titles(&record), ["home", "question"], "what acts at once leads to no state");
    for transition in &record.transitions {
        assert!(transition.sealed, "{transition:?}");
        let of_it = record.decisions.iter().filter(|each| each.aim == transition.aim);
        let effects: Vec<_> = of_it.map(|each| each.effect).collect();
        assert_eq!(effects, [DiscoveryActionEffect::Deny, DiscoveryActionEffect::Allow]);
    }
    let mut careful = Setup::default();
    careful.environment["metadata"] = json!({ "probeOpeners": false });
    let untouched = Stage::new(Arc::clone(&stage.script));
    assert!(careful.run(&untouched).await.transitions.is_empty());
    assert!(untouched.tried.lock().unwrap().is_empty(), "nobody wants it tried");
}

/// What lies behind a write is reached by its address or not at all: no way leads over the write a second time.
///
/// Requirement: DISC-8-12
#[tokio::test]
async fn what_writes_is_done_once_however_much_lies_behind_it() {
    let save = Thing::button("Save note", "saved").with(json!({ "metadata": { "submits": true } }));
    let behind = |from: usize| {
        (from..from + 4)
            .map(|at| Thing::button(format!("Show {}", "x".repeat(at)), format!("shown{at}")))
            .collect()
    };
    let mut states = vec![
        page(
            "home",
            vec![save, Thing::button("Save draft", "kept").with(json!({ "metadata": { "submits": true } }))],
        ),
        overlay("saved", "/home", behind(1)),
        page("kept", behind(5)),
    ];
    states.extend((1..9).map(|at| overlay(&format!("shown{at}"), "/home", vec![])));
    let stage = Stage::new(app(states));
    let mut setup = Setup::default().mode("sandbox_write");
    setup.environment["metadata"] = json!({ "controlledTenant": true });
    let record = setup.run(&stage).await;
    let pressed = stage.pressed();
    for name in ["home|Save note", "home|Save draft"] {
        assert_eq!(pressed.iter().filter(|what| *what == name).count(), 1, "{pressed:?}");
    }
    assert_eq!(
        pressed.iter().filter(|what| what.starts_with("kept|")).count(),
        4,
        "it has an address: {pressed:?}"
    );
    let lost: Vec<_> = record.incidents.iter().filter(|each| each.kind == IncidentKind::LostState).collect();
    assert!(!lost.is_empty(), "what could not be reached is told: {:?}", record.incidents);
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

/// Requirement: DISC-11.5-06
#[tokio::test]
async fn what_is_only_drawn_is_told_with_a_reason_and_never_pressed_by_sight() {
    let drawn = |extra: Value| Thing { role: "canvas", ..Thing::button("Map", "hidden") }.with(extra);
    let stage = Stage::new(app(vec![
        page(
            "home",
            vec![
                drawn(json!({"metadata": {"opaqueReason": "pixel_surface"}})),
                Thing::button("Open list", "list"),
            ],
        ),
        page("list", vec![]),
        page("hidden", vec![]),
    ]));
    let record = Setup::default().run(&stage).await;
    assert_eq!(stage.pressed(), ["home|Open list"], "what has a name is pressed by it");
    assert!(stage.tried.lock().unwrap().is_empty(), "not even where nothing can come of it");
    let about = |name: &str| {
        let by_name = |aim: &uiap_discovery::record::Aim| aim.name == name;
        record.decisions.iter().find(|each| each.aim.as_ref().is_some_and(by_name)).unwrap()
    };
    assert_eq!(about("Map").effect, DiscoveryActionEffect::Deny);
    assert_eq!(about("Map").reason, DiscoveryActionReason::OpaqueBoundary);
    assert!(about("Map").because.contains("by sight"), "{}", about("Map").because);
    assert_eq!(about("Open list").effect, DiscoveryActionEffect::Allow);
    let package = serde_json::to_string(&uiap_discovery::package::derive(&record)).unwrap();
    assert!(!package.contains("\"source\":\"vision\""), "nothing rests on what was only seen");
}
