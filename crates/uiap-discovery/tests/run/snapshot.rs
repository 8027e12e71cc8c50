//! States as the specification describes them.

use serde_json::Value;
use uiap_model::discovery::transition::DiscoveryStateSnapshot;

use super::script::{Setup, Stage, Thing, app, overlay, page};

/// Requirement: DISC-11.2-02
#[tokio::test]
async fn every_state_is_a_snapshot_and_one_without_its_page_is_none() {
    let stage = Stage::new(app(vec![
        page("home", vec![Thing::link("Team", "team").within("nav"), Thing::button("Open tools", "tools")]),
        page("team", vec![]),
        overlay("tools", "/home", vec![]),
    ]));
    let record = Setup::default().run(&stage).await;
    assert_eq!(record.states.len(), 3);
    for state in &record.states {
        let mut value = serde_json::to_value(state.snapshot()).unwrap();
        for member in ["stateId", "pageGraph", "evidence", "fingerprint", "discoveredAt"] {
            assert!(!value[member].is_null(), "{member} of {}", state.title);
        }
        assert_eq!(value["evidence"].as_array().map(Vec::len), Some(1), "what there is: the page itself");
        let initial = state.title != "tools";
        assert_eq!(value.get("entrySeed").is_some(), initial, "{}", state.title);
        assert_eq!(
            serde_json::from_value::<DiscoveryStateSnapshot>(value.clone()).unwrap(),
            state.snapshot()
        );
        value.as_object_mut().and_then(|members| members.remove("pageGraph")).unwrap();
        let refused = serde_json::from_value::<DiscoveryStateSnapshot>(value.clone()).unwrap_err();
        assert!(refused.to_string().contains("pageGraph"), "{refused}");
        value["pageGraph"] = Value::from("elsewhere");
        assert!(serde_json::from_value::<DiscoveryStateSnapshot>(value).is_err());
    }
}
