//! Budgets: never exceeded in count, kept within a second in time; and what keeps endless apps from being endless.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use uiap_discovery::record::IncidentKind;
use uiap_model::discovery::DiscoveryRunStatus;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};

use super::determinism::wide;
use super::script::{Script, Setup, Stage, Thing, app, page, titles};

fn reached(record: &uiap_discovery::record::RunRecord) -> bool {
    record.incidents.iter().any(|incident| incident.kind == IncidentKind::BudgetReached)
}

/// Requirement: DISC-8-04
#[tokio::test(flavor = "multi_thread")]
async fn no_more_states_are_recorded_than_the_budget_allows() {
    for most in [1, 7, 30] {
        for workers in [1, 4] {
            let record = Setup::default()
                .budget("maxStates", most)
                .workers(workers)
                .run(&Stage::new(wide(4, 3)))
                .await;
            assert_eq!(record.states.len() as u64, most);
            assert!(reached(&record));
        }
    }
}

/// What led to a state that had no room any more did something, and is done when there is room.
///
/// Requirement: DISC-8-04
#[tokio::test]
async fn an_action_that_led_beyond_the_budget_is_not_said_to_do_nothing() {
    let go = |name: &str, to: &str| Thing::link(name, to);
    let pages = || {
        app(vec![
            page(
                "home",
                vec![go("Alpha", "alpha"), go("Beta", "beta"), go("Other", "beta"), go("Gamma", "gamma")],
            ),
            page("alpha", vec![]),
            page("beta", vec![]),
            page("gamma", vec![]),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.sqlite");
    let store = || uiap_discovery::store::Store::open(&path).unwrap();
    let record = Setup::default().budget("maxStates", 2).run_in(&Stage::new(pages()), store()).await;
    assert_eq!(titles(&record), ["alpha", "home"]);
    let package = uiap_discovery::package::derive(&record);
    let items = &package.review_queue.items;
    let idle = items.iter().find(|item| item.description.contains("no effect that could be seen"));
    assert!(idle.is_none(), "{idle:?}");
    assert!(record.transitions.iter().all(|each| each.to.is_some()), "{:?}", record.transitions);
    // Two of them led to the same state, and only the first of the two had looked at it.
    let more = Setup::default().run_in(&Stage::new(pages()), store()).await;
    assert_eq!(titles(&more), ["alpha", "beta", "gamma", "home"]);
    assert_eq!(more.transitions.len(), 4);
    assert!(!reached(&more), "nothing was left");
}

/// Requirement: DISC-8-05
/// Requirement: DISC-11.5-04
#[tokio::test(flavor = "multi_thread")]
async fn no_more_actions_are_carried_out_than_the_budget_allows() {
    for most in [0, 1, 25] {
        let stage = Stage::new(wide(4, 3));
        let record = Setup::default().budget("maxTransitions", most).workers(3).run(&stage).await;
        assert!(record.transitions.len() as u64 <= most);
        assert!(reached(&record));
        let open =
            record.decisions.iter().filter(|each| each.reason == DiscoveryActionReason::BudgetExceeded);
        assert!(open.count() > 0, "what was left undone was decided about");
    }
}

/// Requirement: DISC-8-06
#[tokio::test]
async fn nothing_is_done_further_away_from_a_seed_than_the_budget_allows() {
    let chain: Script = Arc::new(|name: &str| {
        let at: usize = if name == "home" { 0 } else { name.strip_prefix("step")?.len() };
        let next = format!("step{}", "x".repeat(at + 1));
        Some(page(name, vec![Thing::link(format!("On {next}"), next)]))
    });
    let record = Setup::default().budget("maxDepth", 3).run(&Stage::new(chain)).await;
    assert_eq!(record.states.len(), 4);
    assert_eq!(record.states.iter().map(|state| state.depth).max(), Some(3));
    let last = record.decisions.last().unwrap();
    assert_eq!(
        (last.effect, last.reason),
        (DiscoveryActionEffect::Skip, DiscoveryActionReason::BudgetExceeded)
    );
}

/// Requirement: DISC-8-07
/// Requirement: DISC-2-02
#[tokio::test(flavor = "multi_thread")]
async fn an_app_without_end_is_left_within_a_second_of_the_time_allowed() {
    let endless: Script = Arc::new(|name: &str| {
        let next = format!("{name}x");
        Some(page(name, vec![Thing::link(format!("On {next}"), next)]))
    });
    let mut stage = Stage::new(endless);
    stage.latency = Duration::from_millis(40);
    let began = Instant::now();
    let record = Setup::default()
        .budget("maxRuntimeMs", 700)
        .budget("maxDepth", 1_000_000)
        .workers(2)
        .run(&stage)
        .await;
    assert!(began.elapsed() < Duration::from_millis(1_700), "{:?}", began.elapsed());
    assert!(reached(&record) && record.states.len() > 2);
}

/// Requirement: DISC-8-08
#[tokio::test]
async fn one_route_takes_no_more_than_its_share_and_is_told_to_be_endless() {
    let calendar: Script = Arc::new(|name: &str| {
        if name == "home" {
            return Some(page(
                "home",
                vec![Thing::link("Calendar", "calendar"), Thing::link("About", "about")],
            ));
        }
        if name == "about" {
            return Some(page("about", vec![]));
        }
        let months = name.strip_prefix("calendar")?;
        let next = format!("calendar{months}x");
        let mut shown = page(name, vec![Thing::button(format!("Show {next}"), next)]);
        shown.path = "/calendar".to_owned();
        shown.is_addressable = months.is_empty();
        Some(shown)
    });
    let record = Setup::default().budget("maxPerRoute", 5).run(&Stage::new(calendar)).await;
    let in_calendar = record.states.iter().filter(|state| state.url.ends_with("/calendar")).count();
    assert_eq!(in_calendar, 6, "{:?}", titles(&record));
    assert!(titles(&record).contains(&"about".to_owned()));
    assert!(record.incidents.iter().any(|incident| incident.kind == IncidentKind::Endless));
}

/// Requirement: DISC-11.5-03
#[tokio::test]
async fn the_rows_of_a_table_are_tried_by_one_that_stands_for_all() {
    let rows: Vec<Thing> = (0..200)
        .flat_map(|row| {
            let name = format!("Row {}", "x".repeat(row + 1));
            let item = Thing { role: "row", name: name.clone(), to: None, extra: json!({}), scope: "main" };
            let parent = format!("e{}", row * 2);
            let link = Thing::link(name, "detail")
                .with(json!({ "parentInstanceId": parent, "metadata": { "href": format!("http://app.test/items/{row}") } }));
            [item.with(json!({ "affordances": ["read"] })), link]
        })
        .collect();
    let stage = Stage::new(app(vec![page("home", rows), page("detail", vec![])]));
    let record = Setup::default().run(&stage).await;
    assert_eq!(stage.pressed(), ["home|Row x"]);
    let others = record.decisions.iter().find(|each| each.because.contains("199 more")).unwrap();
    assert_eq!(others.effect, DiscoveryActionEffect::Skip);
}

/// Requirement: DISC-11.5-03
#[tokio::test]
async fn the_frame_around_every_page_is_not_tried_again_on_each() {
    let pages = ["home", "alpha", "beta", "gamma", "delta", "epsilon"];
    let nav =
        |_: &str| pages.iter().map(|page| Thing::link(format!("To {page}"), *page).within("nav")).collect();
    let stage = Stage::new(app(pages.iter().map(|name| page(name, nav(name))).collect()));
    let record = Setup::default().run(&stage).await;
    assert_eq!(record.states.len(), pages.len());
    assert_eq!(stage.pressed().len(), 2 * pages.len(), "each control from two states");
}

/// Requirement: DISC-8-07
#[tokio::test]
async fn an_app_that_lets_nobody_in_and_says_nothing_is_left_when_the_time_is_over() {
    let mut stage = Stage::new(wide(2, 2));
    stage.never_opens = true;
    let began = Instant::now();
    let record = Setup::default().budget("maxRuntimeMs", 400).run(&stage).await;
    assert!(began.elapsed() < Duration::from_millis(1_400), "{:?}", began.elapsed());
    assert!(reached(&record));
    assert_eq!(record.summary.status, DiscoveryRunStatus::Failed, "nothing was seen");
}

#[tokio::test]
async fn whoever_cannot_get_in_can_still_be_stopped() {
    let mut stage = Stage::new(wide(2, 2));
    stage.never_opens = true;
    let setup = Setup::default();
    let control = setup.control.clone();
    let stopper = async move { control.cancel() };
    let (record, ()) = tokio::join!(setup.run(&stage), stopper);
    assert_eq!(record.summary.status, DiscoveryRunStatus::Cancelled);
}

/// What was brought home counts, also where somebody was still out whose turn came before.
///
/// Requirement: DISC-8-07
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_when_the_time_is_over_is_in_the_record() {
    let names: Vec<String> = ('a'..='z').map(|letter| format!("page{letter}")).collect();
    let mut pages = vec![
        page("home", vec![Thing::link("Few", "few"), Thing::link("Many", "many")]),
        page("few", vec![Thing::link("Only one", "pagea")]),
        page("many", names.iter().map(|name| Thing::link(format!("Go {name}"), name.clone())).collect()),
    ];
    pages.extend(names.iter().map(|name| page(name, Vec::new())));
    let mut stage = Stage::new(app(pages));
    stage.latency = Duration::from_millis(60);
    let record = Setup::default().budget("maxRuntimeMs", 4_000).run(&stage).await;
    assert!(reached(&record));
    let notes = record.summary.notes.iter().flatten();
    assert!(notes.into_iter().any(|note| note.contains("actions were left")), "the summary says so");
    // The longest tour begins first, and its turn is last.
    let many = record.states.iter().find(|state| state.title == "many").unwrap();
    let done = record.transitions.iter().filter(|each| each.from == many.state_id).count();
    let pressed = stage.pressed().iter().filter(|each| each.starts_with("many|")).count();
    // The last one may not have come home.
    assert!(pressed > 2 && done + 1 >= pressed, "{done} transitions of {pressed}");
}
