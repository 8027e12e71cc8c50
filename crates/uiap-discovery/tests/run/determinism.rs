//! The same app gives the same record, however many scouts there are and whoever comes home first.

use std::sync::Arc;
use std::time::Duration;

use super::script::{Script, Setup, Shown, Stage, Thing, canonical, overlay, page};

/// A tree of pages with an overlay on each, and a frame of navigation around all of them.
pub(crate) fn wide(branches: usize, depth: usize) -> Script {
    Arc::new(move |name: &str| -> Option<Shown> {
        let (name, over) = match name.strip_suffix("+menu") {
            Some(page) => (page, true),
            None => (name, false),
        };
        let level = if name == "home" { 0 } else { name.split('-').count() };
        if level > depth || name.is_empty() {
            return None;
        }
        let mut things = vec![Thing::link("Start", "home").within("nav")];
        if over {
            things.push(Thing::link(format!("Entry of {}", letters(name)), name.to_owned()));
            return Some(overlay(&format!("{name}+menu"), &format!("/{name}"), things));
        }
        if level < depth {
            for branch in 0..branches {
                let child = if name == "home" { format!("p{branch}") } else { format!("{name}-{branch}") };
                things.push(Thing::link(format!("Go {}", letters(&child)), child));
            }
        }
        things.push(Thing::button(format!("Menu {}", letters(name)), format!("{name}+menu")));
        Some(page(name, things))
    })
}

/// Names that differ in letters: numbers do not tell states apart.
fn letters(name: &str) -> String {
    name.chars()
        .map(|each| {
            each.to_digit(10).map_or(each, |digit| "abcdefghij".chars().nth(digit as usize).unwrap_or(each))
        })
        .collect()
}

/// Requirement: DISC-11.3-01
/// Requirement: DISC-17-03
#[tokio::test(flavor = "multi_thread")]
async fn the_record_is_the_same_for_any_number_of_scouts() {
    let mut records = Vec::new();
    for workers in [1, 2, 4, 8] {
        let mut stage = Stage::new(wide(4, 3));
        stage.latency = Duration::from_micros(300 * (9 - workers as u64));
        let record = Setup::default().workers(workers).run(&stage).await;
        assert!(record.states.len() > 40, "{}", record.states.len());
        records.push(canonical(&record));
    }
    assert!(records.iter().all(|record| *record == records[0]), "the number of scouts shows");
}

/// Requirement: DISC-4-02
/// Requirement: DISC-5-06
/// Requirement: DISC-11.6-01
#[tokio::test]
async fn every_transition_joins_states_of_the_record_and_names_its_action() {
    let record = Setup::default().run(&Stage::new(wide(3, 2))).await;
    let known: Vec<_> = record.states.iter().map(|state| state.state_id.clone()).collect();
    assert!(!record.transitions.is_empty());
    for transition in &record.transitions {
        assert!(known.contains(&transition.from));
        assert!(transition.to.as_ref().is_some_and(|to| known.contains(to)), "{transition:?}");
        assert!(["nav.navigate", "ui.activate"].contains(&transition.action_id.as_str()));
        assert!(transition.aim.is_some());
    }
    let ids: std::collections::HashSet<_> =
        record.transitions.iter().map(|each| &each.transition_id).collect();
    assert_eq!(ids.len(), record.transitions.len(), "ids are unique");
}
