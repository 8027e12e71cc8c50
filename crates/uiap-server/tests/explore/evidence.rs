//! What is kept of a state: pictures beside the page and never instead of it, and what lies in open shadow trees.

use serde_json::Value;

use super::harness::Setup;
use super::served::{explored, home, serve};

/// The value without a word of pictures.
fn without_pictures(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.shift_remove("screenshotRef");
            members.values_mut().for_each(without_pictures);
        }
        Value::Array(items) => {
            items.retain(|item| item.get("source").is_none_or(|source| source != "screenshot"));
            items.iter_mut().for_each(without_pictures);
        }
        _ => {}
    }
}

/// Requirement: DISC-11.2-07
#[tokio::test(flavor = "multi_thread")]
async fn pictures_lie_beside_a_package_that_is_the_same_without_them() {
    let (address, _) = serve(home("<button type=button aria-expanded=false>Details</button>")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut packages = Vec::new();
    for pictures in [true, false] {
        let mut setup = Setup::of(&format!("{address}/"));
        setup.folder = Some(folder.path().join(pictures.to_string()));
        std::fs::create_dir(setup.folder.as_ref().unwrap()).unwrap();
        setup.ground.pictures = pictures;
        let record = setup.run().await.record;
        assert_eq!(record.states.len(), 1);
        let package = uiap_discovery::package::derive(&record);
        let shown = package.transition_graph.states[0].screenshot_ref.clone();
        assert_eq!(shown.is_some(), pictures);
        if let Some(reference) = shown {
            assert!(setup.folder.unwrap().join(&*reference).is_file(), "{reference}");
        }
        let mut value: Value = serde_json::from_slice(&uiap_discovery::package::canonical(&package)).unwrap();
        without_pictures(&mut value);
        packages.push(value);
    }
    assert_eq!(packages[0], packages[1]);
}

/// Requirement: DISC-12.4-01
#[tokio::test(flavor = "multi_thread")]
async fn controls_in_open_shadow_trees_are_found_however_deep() {
    let body = "<div id=outer></div><script>\
                const root = outer.attachShadow({ mode: 'open' }); root.innerHTML = '<button type=button>Outer tool</button><div></div>';\
                root.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<button type=button aria-expanded=false>Inner tool</button>';\
                </script>";
    let (record, _) = explored(home(body)).await;
    let package = serde_json::to_value(uiap_discovery::package::derive(&record)).unwrap();
    let elements = package["elementCatalog"]["elements"].as_array().unwrap();
    for name in ["Outer tool", "Inner tool"] {
        let found = elements.iter().find(|element| element["names"][0] == name);
        assert_eq!(found.map(|element| &element["role"]), Some(&Value::from("button")), "{name}");
    }
    let pressed = |name: &str| {
        record.transitions.iter().any(|each| each.aim.as_ref().is_some_and(|aim| aim.name == name))
    };
    assert!(pressed("Inner tool"), "what was found can be used");
}
