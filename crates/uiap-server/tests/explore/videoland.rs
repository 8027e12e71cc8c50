//! Videoland: everything that can be reached safely is found, and nothing is changed.

use uiap_discovery::record::RunRecord;
use uiap_discovery::{compare, package};
use uiap_model::discovery::DiscoveryPackage;
use videoland::{Options, Videoland};

use super::harness::Setup;
use super::truth;

/// Everything that can be reached safely is in a record, each thing where it belongs, and hardly anything twice.
fn assert_everything_is_found(record: &RunRecord) {
    let routes = truth::routes_found(record);
    let (layers, elements) = (truth::layers_found(record, true), truth::elements_found(record, true));
    let safe = truth::elements_found(record, false);
    println!("routes {} ‰ {:?}", routes.permille(), routes.missing);
    println!("layers {} ‰ {:?}", layers.permille(), layers.missing);
    println!("elements {} ‰ {:?}", elements.permille(), elements.missing);
    println!("elements that are safe to reach {} ‰ {:?}", safe.permille(), safe.missing);
    let twins = truth::near_duplicates(record);
    println!("near-duplicates {} of {}: {twins:?}", twins.len(), record.states.len());
    for (a, b) in &twins {
        let find = |id: &str| record.states.iter().find(|state| state.state_id == id).unwrap();
        let policy = uiap_discovery::fingerprint::default_policy();
        let mark = |id: &str| uiap_discovery::fingerprint::of(&find(id).graph, &policy);
        println!("{a} {b}: {:?}", uiap_discovery::fingerprint::explain(&mark(a).parts, &mark(b).parts));
    }
    assert!(routes.missing.is_empty(), "{:?}", routes.missing);
    assert!(layers.permille() >= 950, "{:?}", layers.missing);
    assert!(elements.permille() >= 950, "{:?}", elements.missing);
    assert!(twins.len() * 20 <= record.states.len(), "{twins:?}");
    assert!(
        record.states.iter().all(|state| state.accessibility.as_ref().is_some_and(|facts| !facts.is_empty()))
    );
}

/// Two packages are the same to the byte; where they part is told with a little around it.
fn assert_equal(one: &DiscoveryPackage, other: &DiscoveryPackage, which: &str) {
    let changes = compare::compare(one, other);
    assert!(changes.is_empty(), "{which}: {:#?}", changes.changes);
    let text = |of: &DiscoveryPackage| String::from_utf8(package::canonical(of)).unwrap();
    let (one, other) = (text(one), text(other));
    let at = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
    let near = |text: &str| {
        let from = at.unwrap_or(text.len()).saturating_sub(150);
        let around = text.as_bytes().get(from..).unwrap_or_default();
        String::from_utf8_lossy(around).chars().take(300).collect::<String>()
    };
    assert!(one == other, "{which}:\n{}\n{}", near(&one), near(&other));
}

/// The app as people see it, with latency, a clock and messages that come and go; how many pages explore it, and whether it was
/// explored before, changes nothing. `EXPLORE_PAGES=1,2,2,4` explores with one page too, which takes longest.
///
/// Requirement: DISC-5-01
/// Requirement: DISC-5-02
/// Requirement: DISC-5-03
/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
/// Requirement: DISC-11.2-05
/// Requirement: DISC-11.2-06
/// Requirement: DISC-11.3-01
/// Requirement: DISC-11.5-08
#[tokio::test(flavor = "multi_thread")]
async fn the_whole_app_is_found_and_gives_one_package_however_many_pages_explore() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let mut first: Option<DiscoveryPackage> = None;
    let pages = std::env::var("EXPLORE_PAGES").unwrap_or_else(|_| "2,2,4".to_owned());
    for workers in pages.split(',').map(|number| number.parse().unwrap()) {
        let mut setup = Setup::of(&format!("{}/dashboard", app.base_url()));
        // No pictures: the map is the same, and sooner there.
        (setup.workers, setup.ground.pictures) = (workers, false);
        let explored = setup.run().await;
        let (states, transitions) = (explored.record.states.len(), explored.record.transitions.len());
        println!("{workers} pages: {states} states, {transitions} transitions, {:.1} s", explored.seconds);
        assert_eq!(app.counts().caused(), 0, "{:?}", app.counts());
        let package = package::derive(&explored.record);
        if let Some(first) = &first {
            assert_equal(first, &package, &format!("with {workers} pages"));
        } else {
            assert_everything_is_found(&explored.record);
            assert_eq!(package.check(), [], "the package is valid");
            first = Some(package);
        }
    }
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
