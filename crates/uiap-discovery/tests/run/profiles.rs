//! Several people in one run: each explores for himself, and the map says who reaches what.

use std::sync::Arc;

use uiap_discovery::record::RunRecord;

use super::determinism::wide;
use super::script::{Setup, Stage, Thing, app, overlay, page};

/// Who reached a state.
fn who(record: &RunRecord, title: &str) -> Vec<String> {
    let of = record.states.iter().filter(|state| state.title == title);
    of.flat_map(|state| state.profiles.iter().map(ToString::to_string)).collect()
}

/// An app in which only the second profile has the way to `secret`, and has to press twice for it.
fn two_people() -> Stage {
    let mut stage = Stage::new(app(vec![
        page("home", vec![Thing::button("Open tools", "tools"), Thing::button("Open desk", "desk")]),
        overlay("tools", "/home", vec![Thing::button("More tools", "more")]),
        page("more", vec![]),
        overlay("desk", "/home", vec![Thing::button("Open drawer", "secret")]),
        page("secret", vec![]),
    ]));
    stage.shows = Arc::new(|profile, mut shown| {
        shown.things.retain(|thing| profile == "second" || thing.name != "Open desk");
        Ok(shown)
    });
    stage
}

/// Requirement: DISC-8-03
#[tokio::test]
async fn every_profile_explores_beyond_its_seeds() {
    let record = Setup::default().profiles(&["first", "second"]).run(&two_people()).await;
    assert_eq!(who(&record, "more"), ["first", "second"]);
    assert_eq!(who(&record, "desk"), ["second"]);
    assert_eq!(who(&record, "secret"), ["second"]);
}

#[tokio::test]
async fn no_profile_uses_up_what_the_budget_allows_all() {
    let stage = Stage::new(wide(4, 3));
    let record =
        Setup::default().profiles(&["first", "second"]).budget("maxTransitions", 20).run(&stage).await;
    let of = |profile: &str| record.transitions.iter().filter(|each| each.profile == profile).count();
    assert!(of("first") + of("second") <= 20);
    assert!(of("first") >= 8 && of("second") >= 8, "{} and {}", of("first"), of("second"));
}
