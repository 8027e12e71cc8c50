//! Several people in one run: each explores for himself, and the map says who reaches what.

use std::sync::Arc;

use uiap_discovery::ground::GroundError;
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_model::discovery::DiscoveryRunStatus;

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

/// An app in which `chief` is led everywhere, and everybody else may open what nothing leads him to; `/vault` is the chief's.
fn led(chief: &'static str) -> Stage {
    let nav = |to: &str| Thing::link(format!("To {to}"), to).within("nav");
    let mut stage = Stage::new(app(vec![
        page("home", vec![nav("help"), nav("team"), nav("vault")]),
        page("help", vec![Thing::button("Open tools", "tools")]),
        page("team", vec![Thing::button("Open tools", "tools")]),
        page("vault", vec![]),
        page("tools", vec![]),
    ]));
    stage.shows = Arc::new(move |profile, mut shown| {
        if profile != chief {
            if shown.name == "vault" {
                return Err(GroundError::new(IncidentKind::ServerError, "only for the chief"));
            }
            shown.things.retain(|thing| thing.name == "To help" || thing.scope != "nav");
        }
        Ok(shown)
    });
    stage
}

/// Requirement: DISC-17-09
#[tokio::test]
async fn what_one_profile_is_offered_is_tried_by_all_whoever_comes_first() {
    for (chief, other) in [("anna", "zoe"), ("zoe", "anna")] {
        let record = Setup::default().profiles(&["anna", "zoe"]).run(&led(chief)).await;
        assert_eq!(who(&record, "team"), ["anna", "zoe"], "{other} has no link, and may");
        assert_eq!(who(&record, "tools"), ["anna", "zoe"]);
        assert_eq!(who(&record, "vault"), [chief]);
    }
}

#[tokio::test]
async fn the_order_in_which_profiles_are_named_does_not_show_in_the_package() {
    let mut packages = Vec::new();
    for order in [["anna", "mira", "zoe"], ["zoe", "anna", "mira"]] {
        let record = Setup::default().profiles(&order).run(&led("mira")).await;
        packages.push(uiap_discovery::package::canonical(&uiap_discovery::package::derive(&record)));
    }
    assert!(packages[0] == packages[1], "the order shows");
}

#[tokio::test]
async fn a_profile_that_does_not_get_in_is_told_and_the_others_go_on() {
    let closed_to = |closed: &'static [&'static str]| {
        let mut stage = two_people();
        let shows = Arc::clone(&stage.shows);
        stage.shows = Arc::new(move |profile, shown| {
            if closed.contains(&profile) {
                return Err(GroundError::new(IncidentKind::SessionExpired, "the password is wrong"));
            }
            shows(profile, shown)
        });
        stage
    };
    let setup = Setup::default().profiles(&["first", "second"]);
    let record = setup.run(&closed_to(&["first"])).await;
    assert_eq!(record.summary.status, DiscoveryRunStatus::Extracting);
    assert_eq!(who(&record, "secret"), ["second"]);
    let package = uiap_discovery::package::derive(&record);
    let told = |part: &str| package.review_queue.items.iter().any(|item| item.description.contains(part));
    assert!(told("profile `first` did not get in") && told("the password is wrong"));
    assert!(record.summary.notes.iter().flatten().any(|note| note.contains("`first`")));
    let record = setup.run(&closed_to(&["first", "second"])).await;
    assert_eq!(record.summary.status, DiscoveryRunStatus::Failed);
}
