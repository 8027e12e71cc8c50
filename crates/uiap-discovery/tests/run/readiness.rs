//! Pages that look calm before they are ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::script::{Setup, Stage, Thing, overlay, page};

/// An app that shows an empty list for the length of one look whenever something is pressed.
fn hesitant() -> Stage {
    let looks = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&looks);
    let script = Arc::new(move |name: &str| {
        let is_empty = count.fetch_add(1, Ordering::SeqCst) == 0;
        let things = |things: Vec<Thing>| if is_empty { Vec::new() } else { things };
        match name {
            "home" => Some(page("home", vec![Thing::button("Overview", "overview")])),
            "overview" => {
                Some(overlay("overview", "/home", things(vec![Thing::button("Details", "details")])))
            }
            "details" => Some(overlay("details", "/home", things(vec![Thing::button("Close", "home")]))),
            _ => None,
        }
    });
    let mut stage = Stage::new(script);
    stage.on_press = Arc::new(move |_| looks.store(0, Ordering::SeqCst));
    // What is pressed asks the script once before it is looked at.
    stage
}

/// Requirement: DISC-11.3-01
#[tokio::test]
async fn what_a_page_shows_before_it_is_ready_is_no_state_and_no_reason_to_lose_the_way() {
    let record = Setup::default().run(&hesitant()).await;
    let mut titles: Vec<&str> = record.states.iter().map(|state| state.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["details", "home", "overview"]);
    assert!(
        record.states.iter().all(|state| state.graph.elements().any(|(.., each)| each.affordances.len() > 1))
    );
    assert!(record.incidents.is_empty(), "{:?}", record.incidents);
}
