//! Videoland: everything that can be reached safely is found, and nothing is changed.

use std::collections::BTreeSet;

use videoland::{Options, Videoland};

use super::harness::Setup;
use super::truth;

/// Requirement: DISC-5-01
/// Requirement: DISC-5-02
/// Requirement: DISC-5-03
/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
/// Requirement: DISC-11.2-05
/// Requirement: DISC-11.2-06
/// Requirement: DISC-11.5-08
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_safe_to_reach_is_found_and_nothing_is_changed() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let base = format!("{}/dashboard?quiet=1&latency=0", app.base_url());
    let mut setup = Setup::of(&base);
    // Two side by side, and no pictures: the map is the same, and sooner there.
    (setup.workers, setup.ground.pictures) = (2, false);
    let explored = setup.run().await;
    let record = &explored.record;
    println!(
        "{} states and {} transitions in {:.1} s",
        record.states.len(),
        record.transitions.len(),
        explored.seconds
    );
    let routes = truth::routes_found(record);
    let (layers, all_layers) = (truth::layers_found(record, false), truth::layers_found(record, true));
    let (elements, all_elements) =
        (truth::elements_found(record, false), truth::elements_found(record, true));
    println!("routes {} ‰ {:?}", routes.permille(), routes.missing);
    println!("layers {} ‰ {:?}", layers.permille(), layers.missing);
    println!("layers of all {} ‰ {:?}", all_layers.permille(), all_layers.missing);
    println!("elements {} ‰ {:?}", elements.permille(), elements.missing);
    println!("elements of all {} ‰", all_elements.permille());
    let twins = truth::near_duplicates(record);
    println!("near-duplicates {} of {}: {twins:?}", twins.len(), record.states.len());
    for (a, b) in &twins {
        let find = |id: &str| record.states.iter().find(|state| state.state_id == id).unwrap();
        let policy = uiap_discovery::fingerprint::default_policy();
        let mark = |id: &str| uiap_discovery::fingerprint::of(&find(id).graph, &policy);
        println!("{a} {b}: {:?}", uiap_discovery::fingerprint::explain(&mark(a).parts, &mark(b).parts));
    }
    println!("effects {:?}", app.counts());
    assert_eq!(app.counts().caused(), 0, "{:?}", app.counts());
    assert!(routes.missing.is_empty(), "{:?}", routes.missing);
    assert!(all_layers.permille() >= 950, "{:?}", all_layers.missing);
    assert!(all_elements.permille() >= 950, "{:?}", all_elements.missing);
    assert!(twins.len() * 20 <= record.states.len(), "{twins:?}");
    assert!(
        record.states.iter().all(|state| state.accessibility.as_ref().is_some_and(|facts| !facts.is_empty()))
    );
}

/// What a package asks people to look at, in its own words.
fn reviewed(package: &str) -> BTreeSet<String> {
    let package: serde_json::Value = serde_json::from_str(package).unwrap();
    let items = package["reviewQueue"]["items"].as_array().unwrap();
    items.iter().map(|item| item["description"].to_string()).collect()
}

/// Requirement: DISC-11.3-01
#[tokio::test(flavor = "multi_thread")]
async fn the_package_does_not_depend_on_how_many_pages_explore() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let mut packages = Vec::new();
    for workers in [1, 2, 4] {
        let base = format!("{}/team?quiet=1&latency=0&heartbeat=0", app.base_url());
        let mut setup = Setup::of(&base).budget("maxTransitions", 16);
        (setup.workers, setup.ground.pictures) = (workers, false);
        let explored = setup.run().await;
        let package = uiap_discovery::package::derive(&explored.record);
        assert_eq!(package.check(), [], "the package is valid");
        packages.push(String::from_utf8(uiap_discovery::package::canonical(&package)).unwrap());
    }
    for other in &packages[1..] {
        let (one, other) = (reviewed(&packages[0]), reviewed(other));
        let differ: Vec<_> = one.symmetric_difference(&other).collect();
        assert_eq!(differ, Vec::<&String>::new(), "what is to be reviewed");
    }
    for other in &packages[1..] {
        // Where they part, and a little around it.
        let at = packages[0].bytes().zip(other.bytes()).position(|(one, other)| one != other);
        let near = |text: &str| {
            let from = at.unwrap_or(text.len()).saturating_sub(150);
            String::from_utf8_lossy(text.as_bytes().get(from..).unwrap_or_default())
                .chars()
                .take(300)
                .collect::<String>()
        };
        assert!(packages[0] == *other, "{}\n{}", near(&packages[0]), near(other));
    }
    assert_eq!(app.counts().caused(), 0, "{:?}", app.counts());
}

/// Requirement: DISC-8-10
#[tokio::test(flavor = "multi_thread")]
async fn while_only_observing_nothing_is_pressed_in_the_app() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let base = format!("{}/dashboard?quiet=1&latency=0", app.base_url());
    let explored = Setup::of(&base).mode("observe_only").run().await;
    assert!(explored.record.transitions.is_empty());
    assert_eq!(app.counts().caused(), 0, "{:?}", app.counts());
    assert!(explored.record.states.len() >= 5, "the navigation is followed by its addresses");
}
