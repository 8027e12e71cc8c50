//! What a comparison of two packages tells.

use serde_json::json;
use uiap_discovery::compare::{Area, ChangeKind, Comparison, compare};

use crate::graph::{Page, page};
use crate::record::{Run, run};

fn start() -> Page {
    page("https://app.example/videos").element(
        "~page",
        "link",
        "Team",
        json!({"metadata": {"href": "https://app.example/team"}}),
    )
}

fn app(change: impl Fn(&mut Run)) -> Run {
    let mut run = run();
    let a = run.state(start());
    let b = run.state(page("https://app.example/team").element("~page", "button", "Show", json!({})));
    run.done(&a, "link", "Team", "~page", Some(&b), json!([{"kind": "route.changed", "exact": "/team"}]));
    change(&mut run);
    run
}

fn told(comparison: &Comparison) -> Vec<String> {
    comparison.changes.iter().map(|change| format!("{} {} {}", change.kind, change.area, change.id)).collect()
}

/// Requirement: DISC-17-12
#[test]
fn an_unchanged_app_has_no_differences() {
    let one = app(|_| {}).package();
    let two = app(|run| run.record.summary.run_id = "disc_2".into()).package();
    assert!(compare(&one, &two).is_empty());
}

/// Requirement: DISC-17-12
#[test]
fn dates_and_times_in_names_are_no_differences() {
    let at = |clock: &str, row: &str| {
        let cell = json!({"parentInstanceId": "e2"});
        app(|run| {
            let shown = page("https://app.example/runs")
                .element("~page", "button", &format!("Ends {clock}"), json!({}))
                .scope("~page", "~table", "table", json!({"collection": {"loaded": 1, "itemRole": "row"}}))
                .element("~table", "row", row, json!({}))
                .element("~table", "button", row, cell.clone());
            run.state(shown);
        })
        .package()
    };
    let (one, two) = (at("01:43:09", "2026/11/18 01:50:14 AM"), at("12:07:55", "2026/11/19 03:20:01 PM"));
    assert_eq!(told(&compare(&one, &two)), Vec::<String>::new());
}

/// Requirement: DISC-17-12
#[test]
fn one_route_one_element_and_one_action_are_told_and_nothing_else() {
    let one = app(|_| {}).package();
    let two = app(|run| {
        run.state(page("https://app.example/billing"));
        let team = run.state(
            page("https://app.example/team").element("~page", "button", "Show", json!({})).element(
                "~page",
                "button",
                "Delete team",
                json!({}),
            ),
        );
        // The page with the button takes the place of the page without it.
        let before = run.record.states[1].state_id.clone();
        run.record.states.remove(1);
        for transition in &mut run.record.transitions {
            if transition.to.as_ref() == Some(&before) {
                transition.to = Some(team.as_str().into());
            }
        }
    })
    .package();
    assert_eq!(
        told(&compare(&one, &two)),
        ["added route billing", "added element team/page/button/delete-team", "added action team.deleteTeam"]
    );
    assert_eq!(
        told(&compare(&two, &one)),
        [
            "removed route billing",
            "removed element team/page/button/delete-team",
            "removed action team.deleteTeam"
        ]
    );
}

#[test]
fn what_moved_and_what_leads_elsewhere_is_told_as_such() {
    let made = |scope: &str, risk: &str| {
        let mut run = run();
        run.state(
            page("https://app.example/team")
                .scope("~page", "left", "region", json!({"name": "Left"}))
                .element("left", "button", "Show", json!({}))
                .scope("~page", "right", "region", json!({"name": "Right"}))
                .element("right", "button", "Hide", json!({}))
                .element(scope, "button", "Help", json!({}))
                .element(
                    "left",
                    "button",
                    "Export all",
                    json!({"stableId": "team.export", "risk": {"level": risk}}),
                ),
        );
        run.package()
    };
    let found = compare(&made("left", "confirm"), &made("right", "blocked"));
    let moved: Vec<&str> = found
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Moved)
        .map(|change| change.label.as_str())
        .collect();
    assert_eq!(moved, ["button `Help`"]);
    let changed = found
        .changes
        .iter()
        .find(|change| change.area == Area::Element && change.kind == ChangeKind::Changed)
        .unwrap();
    assert_eq!(changed.id, "team.export");
    assert_eq!(changed.details[0].member, "risk");
    let led = |to: &str| {
        let mut run = run();
        let a = run.state(start());
        let b = run.state(page(&format!("https://app.example/{to}")));
        run.done(&a, "link", "Team", "~page", Some(&b), json!([]));
        run.state(page("https://app.example/team"));
        run.state(page("https://app.example/people"));
        run.package()
    };
    let found = compare(&led("team"), &led("people"));
    assert_eq!(found.changes.len(), 1, "{found:#?}");
    assert_eq!((found.changes[0].area, found.changes[0].kind), (Area::Transition, ChangeKind::Changed));
    assert_eq!(
        (found.changes[0].details[0].before.as_str(), found.changes[0].details[0].after.as_str()),
        ("team", "people")
    );
}
