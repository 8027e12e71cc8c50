//! The graph that an app publishes, tied to what is seen: whose word counts for what, and what is never lost or believed.

use serde_json::json;
use uiap_discovery::audit::audit;
use uiap_discovery::candidate::{aim_at, candidates, find};
use uiap_discovery::fingerprint;
use uiap_discovery::safety::{Stance, Subject, judge};
use uiap_discovery::structure::{self, plain, woven};
use uiap_model::discovery::EvidenceSource::{AppRegistry, Dom};
use uiap_model::discovery::review::DiscoveryActionEffect;
use uiap_model::discovery::{Confidence, DiscoveryPackage};
use uiap_model::web::{ElementNode, PageGraph};

use crate::graph::{Page, named, page};
use crate::record::run;

const URL: &str = "https://app.example/orders";

/// What is seen: two areas, a form, a dialog's worth of controls.
fn seen() -> Page {
    page(URL)
        .scope("~page", "~toolbar", "toolbar", json!({}))
        .scope("~page", "~form", "form", json!({"name": "Pay"}))
        .element("~toolbar", "button", "New", json!({"stableId": "orders.create"}))
        .element("~toolbar", "button", "Filter", json!({}))
        .element("~toolbar", "link", "Help", json!({}))
        .element("~form", "button", "Continue", json!({}))
}

/// What the app publishes, with numbers of its own.
fn told() -> Page {
    page(URL)
        .scope("~page", "orders.list", "region", json!({"name": "Orders"}))
        .element(
            "orders.list",
            "button",
            "Create an order",
            json!({"instanceId": "x9", "stableId": "orders.create", "meaning": "order.create", "state": {"visible": false}}),
        )
        .element("orders.list", "button", "Filter", json!({"instanceId": "e1", "stableId": "orders.filter"}))
        .element("orders.list", "button", "Archive", json!({"stableId": "orders.archive"}))
}

fn place<'a>(graph: &'a PageGraph, name: &str) -> (&'a str, &'a ElementNode) {
    let (scope, element) = named(graph, name);
    (scope.id.as_str(), element)
}

fn origin(element: &ElementNode) -> &str {
    element.metadata.as_ref().unwrap().0[structure::STRUCTURE].as_str().unwrap()
}

/// Requirement: DISC-11.2-04
#[test]
fn what_things_are_is_the_apps_word_and_how_they_stand_is_what_is_seen() {
    let graph = woven(&seen().build(), &told().build()).unwrap();
    assert_eq!(structure::of(&graph), structure::PROVIDER);
    let (scope, create) = place(&graph, "Create an order");
    assert_eq!((scope, create.instance_id.as_str(), origin(create)), ("orders.list", "e1", "provider"));
    assert_eq!(create.meaning.as_deref(), Some("order.create"));
    assert_eq!(create.state.visible, Some(true), "the app says it is hidden, and it is not");
    let (scope, filter) = place(&graph, "Filter");
    assert_eq!((scope, filter.instance_id.as_str()), ("orders.list", "e2"), "tied by role and name");
    assert_eq!(filter.stable_id.as_ref().unwrap().as_str(), "orders.filter");
    let (scope, help) = place(&graph, "Help");
    assert_eq!((scope, help.instance_id.as_str(), origin(help)), ("~toolbar", "e3", "dom"), "not lost");
    let (_, archive) = place(&graph, "Archive");
    assert_eq!((archive.web.attached, origin(archive)), (false, "unseen"));
    assert_eq!(structure::of(&plain(seen().build())), structure::DOM);
}

#[test]
fn nothing_is_done_to_what_nobody_sees_and_what_is_tied_is_found_again() {
    let graph = woven(&seen().build(), &told().build()).unwrap();
    let tried: Vec<String> =
        candidates(&graph, &[]).into_iter().map(|each| each.step.aim.unwrap().name).collect();
    assert_eq!(tried, ["Create an order", "Filter", "Continue", "Help"]);
    let (scope, element) = named(&graph, "Create an order");
    let aim = aim_at(scope, element, 0);
    assert_eq!(find(&graph, &aim).unwrap().instance_id.as_str(), "e1");
}

fn package(graph: PageGraph) -> DiscoveryPackage {
    let mut run = run();
    run.shown(graph);
    let package = run.package();
    assert_eq!(audit(&package), []);
    package
}

/// Requirement: DISC-11.2-04
#[test]
fn a_package_says_what_rests_on_the_apps_word_and_doubts_what_nobody_saw() {
    let package = package(woven(&seen().build(), &told().build()).unwrap());
    let sure = |name: &str| {
        let mut all = package.element_catalog.elements.iter();
        let found = all.find(|each| each.names.iter().flatten().any(|each| each == name)).unwrap();
        let sources: Vec<_> = found.discovered_by.iter().map(|each| each.source).collect();
        (found.confidence, sources)
    };
    assert_eq!(sure("Create an order"), (Confidence::High, vec![AppRegistry, Dom]));
    assert_eq!(sure("Archive"), (Confidence::Low, vec![AppRegistry]));
    assert_eq!(sure("Help"), (Confidence::Medium, vec![Dom]));
    let scope = package.scope_catalog.scopes.iter().find(|each| each.scope_id.as_str() == "orders.list");
    assert_eq!(scope.unwrap().discovered_by[0].source, AppRegistry);
    let state = &package.transition_graph.states[0];
    assert_eq!(state.metadata.as_ref().unwrap().0["structure"], "provider");
    assert!(state.discovered_by.iter().any(|each| each.source == AppRegistry));
}

#[test]
fn the_same_page_is_the_same_state_whatever_numbers_the_app_gives() {
    let print = |graph: &PageGraph| fingerprint::of(graph, &fingerprint::default_policy()).hash;
    let first = woven(&seen().build(), &told().build()).unwrap();
    let renumbered = told().with(json!({"revision": "r77", "seq": 77}));
    let second = woven(&seen().build(), &renumbered.build()).unwrap();
    assert_eq!(print(&first), print(&second));
    let ids = |graph: &PageGraph| -> Vec<String> {
        graph.elements().map(|(.., element)| element.instance_id.to_string()).collect()
    };
    assert_eq!(ids(&first), ids(&second));
}

#[test]
fn two_that_look_alike_are_tied_to_neither() {
    let seen = seen().element("~toolbar", "button", "Filter", json!({})).build();
    let graph = woven(&seen, &told().build()).unwrap();
    let filters: Vec<_> = graph
        .elements()
        .filter(|(.., element)| element.name.as_deref() == Some("Filter"))
        .map(|(.., element)| origin(element))
        .collect();
    assert_eq!(filters, ["unseen", "dom", "dom"]);
}

#[test]
fn no_element_leaves_a_form_or_a_layer_because_the_app_says_so() {
    let flat = || page(URL).element("~page", "button", "Continue", json!({}));
    let graph = woven(&seen().build(), &flat().build()).unwrap();
    let (scope, element) = named(&graph, "Continue");
    assert_eq!((scope.id.as_str(), origin(element)), ("~form", "provider"));
    // The app may give the form another id, and call it something else: it stays a form.
    let renamed = page(URL).scope("~page", "~form", "region", json!({"name": "Payment"})).element(
        "~form",
        "button",
        "Continue",
        json!({}),
    );
    let graph = woven(&seen().build(), &renamed.build()).unwrap();
    assert_eq!(named(&graph, "Continue").0.kind.to_string(), "form");
    let layered = seen()
        .scope("~page", "~dialog:ask", "dialog", json!({"name": "Ask"}))
        .element("~dialog:ask", "button", "Yes", json!({}))
        .with(json!({"modalStack": ["~dialog:ask"]}));
    let told = told().element("orders.list", "button", "Yes", json!({}));
    let graph = woven(&layered.build(), &told.build()).unwrap();
    assert_eq!(named(&graph, "Yes").0.id.as_str(), "~dialog:ask");
    assert_eq!(graph.modal_stack.unwrap()[0].as_str(), "~dialog:ask");
}

#[test]
fn what_is_seen_counts_for_whoever_judges_also_under_a_harmless_name() {
    let seen = page(URL).element("~page", "button", "Delete everything", json!({"stableId": "a"}));
    let told = page(URL).element(
        "~page",
        "button",
        "Show details",
        json!({"stableId": "a", "risk": {"level": "safe"}, "metadata": {"href": "/", "seenName": "Show"}}),
    );
    let graph = woven(&seen.build(), &told.build()).unwrap();
    let (scope, element) = named(&graph, "Show details");
    let environment = serde_json::from_value(json!({
        "environmentId": "test", "baseUrl": "https://app.example/", "safety": {"defaultMode": "safe_explore"},
    }));
    let subject = Subject {
        graph: &graph,
        scope: Some(scope),
        element: Some(element),
        action_id: "ui.activate",
        actions: &[],
    };
    let verdict = judge(&subject, &Stance::of(&environment.unwrap()));
    assert_ne!(verdict.effect, DiscoveryActionEffect::Allow, "{verdict:?}");
}

#[test]
fn of_two_risks_the_stricter_counts_and_values_of_secrets_are_not_taken_over() {
    let seen =
        page(URL).element("~page", "button", "Go", json!({"stableId": "a", "risk": {"level": "blocked"}}));
    let told = page(URL)
        .element("~page", "button", "Go", json!({"stableId": "a", "risk": {"level": "safe"}}))
        .element("~page", "textbox", "Note", json!({"state": {"textValue": "told by nobody"}}));
    let graph = woven(&seen.build(), &told.build()).unwrap();
    assert_eq!(named(&graph, "Go").1.risk.as_ref().unwrap().level.to_string(), "blocked");
    assert_eq!(named(&graph, "Note").1.state.text_value, None);
}

#[test]
fn a_graph_that_cannot_be_of_this_page_is_refused_in_words() {
    let fault = |told: Page| woven(&seen().build(), &told.build()).unwrap_err();
    assert!(fault(page("https://app.example/other")).contains("not of this page"));
    let circle = page(URL).scope("b", "a", "region", json!({})).scope("a", "b", "region", json!({}));
    assert!(fault(circle).contains("lies in itself"));
}
