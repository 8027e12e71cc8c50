//! What a package says of controls that were seen to write.

use serde_json::{Value, json};
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::discovery::catalog::DiscoveredAction;

use crate::graph::page;
use crate::record::{run, wrote};

/// A control whose name promises nothing but a look, and whose write was held back whenever it was pressed.
///
/// Requirement: DISC-2-05
#[test]
fn what_was_seen_to_write_is_no_safe_action_whatever_it_is_called() {
    let seen = json!([{"kind": "status.contains", "text": "ok"}]);
    let pressed = |writes: bool| {
        let mut run = run();
        let made = page("https://app.example/")
            .element("~page", "button", "Open tiddler", json!({}))
            .element("~page", "button", "Show list", json!({"risk": {"level": "safe"}}));
        let a = run.state(made);
        for name in ["Open tiddler", "Show list"] {
            let done = run.done(&a, "button", name, "~page", Some(&a), seen.clone());
            (done.tries, done.agreed) = (2, 2);
            if writes {
                done.requests = vec![wrote("/api/store", true)];
            }
        }
        run.package()
    };
    let told = |package: &DiscoveryPackage, title: &str| {
        let has = |action: &&DiscoveredAction| {
            action.metadata.as_ref().is_some_and(|metadata| metadata.0.get("title") == Some(&json!(title)))
        };
        let action = package.action_catalog.actions.iter().find(has).unwrap();
        let value = serde_json::to_value(action).unwrap();
        let word = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        [word("/sideEffectClass"), word("/risk/level"), word("/reviewState")]
    };
    for name in ["Open tiddler", "Show list"] {
        assert_eq!(told(&pressed(false), name), ["ui_only", "safe", "candidate"], "{name}");
        assert_eq!(told(&pressed(true), name), ["data_write", "confirm", "needs_review"], "{name}");
    }
    let way = &pressed(true).transition_graph.edges[0];
    assert_eq!(way.side_effect_class, Some(uiap_model::policy::SideEffectClass::DataWrite));
}
