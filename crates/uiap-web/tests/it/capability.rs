//! Actions that elements claim for themselves, and controls that are made of several elements.

use serde_json::{Value, json};
use uiap_model::names::ActionId;
use uiap_model::web::PageGraph;
use uiap_web::{ObserveOptions, Revision};

use crate::shared::{element, evaluate, json as text_of, named, page, role, run, snapshot, state};

fn warnings(graph: &PageGraph) -> Vec<Value> {
    let told = graph.metadata.as_ref().and_then(|metadata| metadata.0.get("warnings"));
    told.and_then(Value::as_array).cloned().unwrap_or_default()
}

fn actions(graph: &PageGraph, name: &str) -> Value {
    let element = element(graph, name);
    json!([element.default_action, element.supported_actions])
}

/// Requirement: WEB-A-04
#[test]
fn actions_that_an_element_names_are_told_and_those_that_nobody_has_are_left_out() {
    run(async {
        let page = page(
            "<button id=b data-uiap-action=video.save data-uiap-actions='video.save  ui.activate video.typo'>Save</button>
             <button data-uiap-action=video.gone data-uiap-actions=video.gone>Other</button>",
        )
        .await;
        let free = snapshot(&page).await;
        assert_eq!(
            actions(&free, "Save"),
            json!(["video.save", ["video.save", "ui.activate", "video.typo"]])
        );
        assert_eq!(warnings(&free), Vec::<Value>::new(), "nobody said which actions there are");

        page.know_actions(["video.save", "video.open"].map(|id| ActionId::parse(id).unwrap()));
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        let observed = observation.graph().unwrap().clone();
        for graph in [snapshot(&page).await, observed] {
            assert_eq!(actions(&graph, "Save"), json!(["video.save", ["video.save", "ui.activate"]]));
            assert_eq!(actions(&graph, "Other"), json!([null, null]));
            let told = json!(warnings(&graph)).to_string();
            assert!(told.contains("video.typo") && told.contains("video.gone"), "{told}");
            assert!(!told.contains("`video.save`") && !told.contains("`ui.activate`"), "{told}");
        }
        // The same holds for what changes later.
        evaluate(
            &page,
            "b.dataset.uiapAction = 'video.never'; b.dataset.uiapActions = 'video.open video.never'; 1",
        )
        .await;
        let revision = observation.sync().await.unwrap().unwrap();
        assert!(matches!(revision, Revision::Change(_)));
        assert_eq!(actions(observation.graph().unwrap(), "Save"), json!([null, ["video.open"]]));
        evaluate(&page, "document.body.insertAdjacentHTML('beforeend', '<button data-uiap-action=video.odd>Late</button>'); 1").await;
        observation.sync().await.unwrap().unwrap();
        assert_eq!(actions(observation.graph().unwrap(), "Late"), json!([null, null]));
        assert!(!text_of(observation.graph().unwrap()).contains("\"video.odd\""));
    });
}

/// Requirement: MOB-ROADMAP-COMPOSE-01
#[test]
fn a_control_of_several_parts_is_one_control_and_loose_parts_are_none() {
    run(async {
        let page = page(
            "<div role=slider tabindex=0 aria-label=Volume aria-valuenow=4 aria-valuemin=0 aria-valuemax=10><span class=track></span><span class=thumb>4</span></div>
             <div role=switch tabindex=0 aria-checked=true><span>Dark</span> <span>mode</span></div>
             <div><span>Loose</span></div><div><span>ends</span></div>",
        )
        .await;
        let graph = snapshot(&page).await;
        let volume = element(&graph, "Volume");
        assert_eq!(role(volume), "slider");
        for (key, value) in [("numericValue", 4.0), ("min", 0.0), ("max", 10.0)] {
            assert_eq!(state(volume, key).as_f64(), Some(value), "{key}");
        }
        let dark = element(&graph, "Dark mode");
        assert_eq!((role(dark).as_str(), state(dark, "checked")), ("switch", json!(true)));
        for part in ["4", "Dark", "mode"] {
            assert!(named(&graph, part).is_empty(), "`{part}` is no element of its own");
        }
        assert!(named(&graph, "Loose ends").is_empty());
        assert_eq!((named(&graph, "Loose").len(), named(&graph, "ends").len()), (1, 1));
    });
}
