//! Menus that are written as plain lists: each entry counts by itself, as the rows of a list of things do not.

use serde_json::json;
use uiap_discovery::candidate::candidates;
use uiap_discovery::fingerprint::{default_policy, of};
use uiap_model::web::PageGraph;

use crate::graph::{Page, page};

const HERE: &str = "https://app.example/index.html";

fn entry(page: Page, item: usize, role: &str, name: &str, more: serde_json::Value) -> Page {
    let around = json!({"parentInstanceId": format!("e{item}")});
    page.element("l", "listitem", name, json!({})).element("l", role, name, around).with_last(more)
}

/// A menu with a submenu that is open or not.
fn menu(open: Option<&str>) -> PageGraph {
    let list = page(HERE).scope("~page", "l", "list", json!({}));
    let list = entry(list, 1, "link", "Home", json!({}));
    let list = entry(list, 3, "button", "Reports", json!({"state": {"expanded": open == Some("Reports")}}));
    let list = entry(list, 5, "button", "Tools", json!({"state": {"expanded": open == Some("Tools")}}));
    let within = |list: Page, item: usize, name: &str| {
        list.element("l", "link", name, json!({"parentInstanceId": format!("e{item}")}))
    };
    match open {
        Some("Reports") => within(within(list, 3, "Sales"), 3, "Stock"),
        Some(_) => within(within(list, 5, "Import"), 5, "Export"),
        None => list,
    }
    .build()
}

fn links(addresses: &[&str]) -> PageGraph {
    let mut list = page(HERE).scope("~page", "l", "list", json!({}));
    for (number, address) in addresses.iter().enumerate() {
        let lead = json!({"metadata": {"href": format!("https://app.example{address}")}});
        list = entry(list, number * 2 + 1, "link", &format!("To {address}"), lead);
    }
    list.build()
}

fn tried(graph: &PageGraph) -> usize {
    candidates(graph, &[]).len()
}

/// Requirement: DISC-11.5-03
#[test]
fn every_entry_of_a_menu_is_tried_and_what_it_opens_is_a_state_of_its_own() {
    assert_eq!(tried(&menu(None)), 3);
    assert_eq!(tried(&menu(Some("Tools"))), 5);
    let hash = |open| of(&menu(open), &default_policy()).hash;
    assert_ne!(hash(None), hash(Some("Tools")));
    assert_ne!(hash(Some("Reports")), hash(Some("Tools")));
}

#[test]
fn links_to_places_are_all_followed_and_of_links_to_things_one() {
    assert_eq!(tried(&links(&["/videos", "/team", "/settings.html", "/reports/sales"])), 4, "places");
    assert_eq!(tried(&links(&["/videos/12", "/videos/13", "/videos/14"])), 1, "numbers name things");
    assert_eq!(tried(&links(&["/wiki/Foo", "/wiki/Bar", "/wiki/Baz"])), 1, "so do words beside each other");
    assert_eq!(tried(&links(&["/index.html#a", "/index.html#b"])), 1, "the page itself is no other place");
}

#[test]
fn a_list_of_things_that_open_is_no_menu() {
    let mut list = page(HERE).scope("~page", "l", "list", json!({}));
    for number in 0..3 {
        let around =
            json!({"parentInstanceId": format!("e{}", number * 2 + 1), "state": {"expanded": false}});
        list = list
            .element("l", "listitem", &format!("Ana {number}, developer, options"), json!({}))
            .element("l", "button", &format!("Options of person {number}"), around);
    }
    assert_eq!(tried(&list.build()), 1);
}

/// Each card of a wall is a list of its own: one of them stands for all.
#[test]
fn of_lists_that_are_built_alike_one_is_tried() {
    let mut wall = page(HERE);
    for number in 0..4 {
        let list = format!("~list~{number}");
        let lead = json!({
            "parentInstanceId": format!("e{}", number * 2 + 1),
            "metadata": {"href": format!("https://app.example/package/{}", ["ana", "bea", "cleo", "dora"][number])},
        });
        wall = wall
            .scope("~page", &list, "list", json!({}))
            .element(&list, "listitem", "A package", json!({}))
            .element(&list, "link", ["Ana", "Bea", "Cleo", "Dora"][number], lead);
    }
    assert_eq!(tried(&wall.build()), 1);
}

/// Entries that lead nowhere are commands, each its own; entries with pictures of their own are not built alike.
///
/// Requirement: DISC-11.5-03
#[test]
fn commands_that_are_written_as_a_list_of_links_are_judged_one_by_one() {
    assert_eq!(tried(&links(&["/index.html#", "/#", "/a#"])), 3, "commands");
    let toolbar = |icons: [&str; 4]| {
        let mut list = page(HERE).scope("~page", "l", "list", json!({}));
        for (number, icon) in icons.iter().enumerate() {
            let more = json!({
                "parentInstanceId": format!("e{}", number * 2 + 1),
                "metadata": {"href": "https://app.example/index.html#", "icon": icon},
            });
            list = list.element("l", "listitem", "", json!({})).element("l", "link", "", more);
        }
        tried(&list.build())
    };
    assert_eq!(toolbar(["fa fa-file", "fa fa-file", "fa fa-file", "fa fa-file"]), 1, "rows");
    assert_eq!(toolbar(["fa fa-rocket", "fa fa-bars", "fa fa-rocket", "fa fa-bars"]), 2, "pictures");
    assert_eq!(toolbar(["fa fa-a", "fa fa-b", "fa fa-c", "fa fa-d"]), 3, "at most three kinds of one list");
}

/// Requirement: DISC-11.5-03
#[test]
fn controls_without_a_name_are_told_apart_by_their_pictures() {
    let mut bar = page(HERE);
    for icon in ["fa fa-search", "fa fa-bars", "fa fa-search"] {
        bar = bar.element("~page", "button", "", json!({"metadata": {"icon": icon}}));
    }
    assert_eq!(tried(&bar.build()), 2);
}
