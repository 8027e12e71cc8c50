//! What a package claims, on which evidence, and how sure it is.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use uiap_discovery::package::canonical;
use uiap_model::discovery::catalog::{DiscoveredAction, DiscoveredElement, DiscoveredRoute};
use uiap_model::discovery::{Confidence, DiscoveryPackage, EvidenceSource};

use crate::graph::{Page, page};
use crate::record::{Run, run};

fn element<'a>(package: &'a DiscoveryPackage, name: &str) -> &'a DiscoveredElement {
    let has = |element: &&DiscoveredElement| element.names.iter().flatten().any(|each| each == name);
    package.element_catalog.elements.iter().find(has).unwrap_or_else(|| {
        let keys: Vec<&str> =
            package.element_catalog.elements.iter().map(|each| each.semantic_key.as_str()).collect();
        panic!("no element `{name}` in {keys:#?}")
    })
}

fn has_element(package: &DiscoveryPackage, name: &str) -> bool {
    package.element_catalog.elements.iter().any(|each| each.names.iter().flatten().any(|each| each == name))
}

fn actions_of(package: &DiscoveryPackage, name: &str) -> Vec<String> {
    element(package, name).supported_actions.iter().flatten().map(ToString::to_string).collect()
}

fn action<'a>(package: &'a DiscoveryPackage, id: &str) -> &'a DiscoveredAction {
    package.action_catalog.actions.iter().find(|action| action.id == *id).unwrap_or_else(|| {
        let ids: Vec<&str> = package.action_catalog.actions.iter().map(|each| each.id.as_str()).collect();
        panic!("no action `{id}` in {ids:?}")
    })
}

fn route<'a>(package: &'a DiscoveryPackage, id: &str) -> &'a DiscoveredRoute {
    package.route_catalog.routes.iter().find(|route| route.route_id == id).unwrap_or_else(|| {
        let ids: Vec<&str> = package.route_catalog.routes.iter().map(|each| each.route_id.as_str()).collect();
        panic!("no route `{id}` in {ids:?}")
    })
}

fn only(page: Page) -> DiscoveryPackage {
    let mut run = run();
    run.state(page);
    run.package()
}

fn href(path: &str) -> Value {
    json!({"metadata": {"href": format!("https://app.example{path}")}})
}

fn detail(number: u32) -> Page {
    page(&format!("https://app.example/videos/{number}"))
        .element("~page", "label", &format!("Video {number}"), json!({"metadata": {"heading": 1}}))
        .element("~page", "button", "Edit metadata", json!({"state": {"hasPopup": "dialog"}}))
        .element("~page", "button", "Delete video", json!({}))
}

fn article(name: &str) -> Page {
    page(&format!("https://app.example/wiki/{name}"))
        .element("~page", "label", name, json!({"metadata": {"heading": 1}}))
        .element("~page", "link", "Start", href("/"))
}

fn form_page() -> Page {
    page("https://app.example/videos/new")
        .scope("~page", "video.create", "form", json!({"name": "New video", "submitTarget": "e4"}))
        .element("video.create", "textbox", "Title", json!({"state": {"required": true}}))
        .element("video.create", "textbox", "E-mail", json!({}))
        .element("video.create", "checkbox", "Public", json!({}))
        .element(
            "video.create",
            "button",
            "Create video",
            json!({
                "stableId": "video.submit", "affordances": ["read", "focus", "activate", "submit"],
                "success": [{"kind": "toast.contains", "text": "created"}],
            }),
        )
}

/// A small app: a list, two details, a form, a dialog.
fn app() -> Run {
    let mut run = run();
    let list = run.state(
        page("https://app.example/videos")
            .element("~page", "label", "Videos", json!({"metadata": {"heading": 1}}))
            .element("~page", "link", "New video", href("/videos/new"))
            .element("~page", "button", "Filter", json!({})),
    );
    let one = run.state(detail(12));
    run.state(detail(13));
    let form = run.state(form_page());
    let dialog = run.state(
        page("https://app.example/videos/12")
            .scope("~page", "~dialog:edit-metadata", "dialog", json!({"name": "Edit metadata"}))
            .element("~dialog:edit-metadata", "textbox", "Title", json!({}))
            .element("~dialog:edit-metadata", "button", "Save changes", json!({}))
            .with(json!({"modalStack": ["~dialog:edit-metadata"]})),
    );
    run.seed("https://app.example/videos", Some(&list), None);
    run.done(
        &list,
        "link",
        "New video",
        "~page",
        Some(&form),
        json!([{"kind": "route.changed", "exact": "/videos/new"}]),
    );
    run.done(
        &form,
        "link",
        "Video 12",
        "~page",
        Some(&one),
        json!([{"kind": "route.changed", "exact": "/videos/12"}]),
    );
    let opened =
        run.done(&one, "button", "Edit metadata", "~page", Some(&dialog), json!([{"kind": "dialog.opened"}]));
    opened.tries = 2;
    opened.agreed = 2;
    run.judged();
    run
}

/// Requirement: DISC-1-01
/// Requirement: DISC-17-04
/// Requirement: DISC-17-06
#[test]
fn a_run_becomes_a_package_with_all_parts() {
    let package = app().package();
    assert!(!package.route_catalog.routes.is_empty());
    assert!(!package.scope_catalog.scopes.is_empty());
    assert!(!package.element_catalog.elements.is_empty());
    assert!(!package.action_catalog.actions.is_empty());
    assert!(!package.transition_graph.edges.is_empty());
    assert!(!package.workflow_candidates.as_ref().unwrap().workflows.is_empty());
    assert!(!package.review_queue.items.is_empty());
    assert_eq!(package.coverage.routes_discovered.0, package.route_catalog.routes.len() as u64);
}

/// Requirement: DISC-2-03
/// Requirement: DISC-7.2-01
#[test]
fn every_assertion_names_evidence_that_the_package_holds() {
    let package = app().package();
    let value = serde_json::to_value(&package).unwrap();
    let known: BTreeSet<&str> =
        package.evidence_index.as_ref().unwrap().entries.iter().map(|entry| entry.ref_id.as_str()).collect();
    let mut checked = 0;
    for list in [
        "/routeCatalog/routes",
        "/scopeCatalog/scopes",
        "/elementCatalog/elements",
        "/actionCatalog/actions",
        "/workflowCandidates/workflows",
        "/transitionGraph/states",
        "/transitionGraph/edges",
    ] {
        for entry in value.pointer(list).unwrap().as_array().unwrap() {
            let evidence = entry["discoveredBy"].as_array().unwrap();
            assert!(!evidence.is_empty(), "{list}: {entry}");
            assert!(entry["confidence"].is_string());
            for each in evidence {
                assert!(known.contains(each["refId"].as_str().unwrap()), "{each}");
                checked += 1;
            }
        }
    }
    for item in &package.review_queue.items {
        assert!(!item.evidence.is_empty(), "{item:?}");
        assert!(item.evidence.iter().all(|each| known.contains(each.ref_id.as_str())));
    }
    assert!(checked > 20);
}

/// Requirement: DISC-1-02
/// Requirement: DISC-2-06
#[test]
fn nothing_is_called_verified() {
    let text = serde_json::to_string(&app().package()).unwrap();
    assert!(!text.contains("\"verified\""));
    assert!(text.contains("\"candidate\""));
}

/// Requirement: DISC-6.1-03
#[test]
fn what_the_package_refers_to_is_in_it() {
    let package = app().package();
    let routes: BTreeSet<&str> =
        package.route_catalog.routes.iter().map(|each| each.route_id.as_str()).collect();
    let scopes: BTreeSet<&str> =
        package.scope_catalog.scopes.iter().map(|each| each.scope_id.as_str()).collect();
    for each in &package.element_catalog.elements {
        assert!(each.routes.iter().flatten().all(|id| routes.contains(id.as_str())), "{each:?}");
        assert!(each.scopes.iter().flatten().all(|id| scopes.contains(id.as_str())), "{each:?}");
    }
    for each in &package.scope_catalog.scopes {
        assert!(each.parent_scope_id.iter().all(|id| scopes.contains(id.as_str())));
        assert!(each.route_ids.iter().flatten().all(|id| routes.contains(id.as_str())));
    }
    for item in &package.review_queue.items {
        assert!(item.route_id.iter().all(|id| routes.contains(id.as_str())), "{item:?}");
        assert!(item.scope_id.iter().all(|id| scopes.contains(id.as_str())), "{item:?}");
    }
}

/// Requirement: DISC-6.9-02
#[test]
fn coverage_equals_the_catalogues_and_a_wrong_number_is_found() {
    let mut package = app().package();
    assert!(package.check().is_empty());
    package.coverage.routes_discovered.0 += 1;
    assert!(!package.check().is_empty());
    assert!(package.coverage.seeds_visited <= package.coverage.seeds_total);
    let summary = package.coverage.confidence_summary.unwrap();
    let entries = package.route_catalog.routes.len()
        + package.scope_catalog.scopes.len()
        + package.element_catalog.elements.len()
        + package.action_catalog.actions.len()
        + package.workflow_candidates.unwrap().workflows.len();
    assert_eq!(summary.high.0 + summary.medium.0 + summary.low.0, entries as u64);
}

/// Requirement: DISC-6.4-03
#[test]
fn two_runs_say_the_same_whatever_the_order() {
    let one = app();
    let mut two = app();
    two.record.states.reverse();
    two.record.transitions.reverse();
    two.record.decisions.reverse();
    two.record.summary.run_id = "disc_2".into();
    two.record.summary.finished_at = None;
    two.record.summary.started_at = uiap_model::names::Timestamp::parse("2027-01-01T00:00:00.000Z").unwrap();
    let (one, two) = (one.package(), two.package());
    assert_eq!(String::from_utf8(canonical(&one)).unwrap(), String::from_utf8(canonical(&two)).unwrap());
    assert_eq!(one.revision, two.revision);
    let keys: Vec<&str> =
        one.element_catalog.elements.iter().map(|each| each.semantic_key.as_str()).collect();
    let unique: BTreeSet<&str> = keys.iter().copied().collect();
    assert_eq!(keys.len(), unique.len());
}

/// Requirement: DISC-15.1-01
#[test]
fn addresses_of_one_structure_are_one_route() {
    let package = app().package();
    let detail = route(&package, "videos.detail");
    assert_eq!(detail.urls.as_deref().unwrap(), ["/videos/:id"]);
    assert_eq!(route(&package, "videos").urls.as_deref().unwrap(), ["/videos"]);
    let single = only(super::derive::detail(12));
    assert_eq!(single.route_catalog.routes[0].urls.as_deref().unwrap(), ["/videos/12"]);
    let mut told = run();
    told.state(page("https://app.example/videos/12").with(json!({"route": {"routeId": "video"}})).element(
        "~page",
        "button",
        "Publish",
        json!({}),
    ));
    told.state(page("https://app.example/videos/13").with(json!({"route": {"routeId": "video"}})).element(
        "~page",
        "button",
        "Archive",
        json!({}),
    ));
    assert_eq!(route(&told.package(), "video").urls.as_deref().unwrap(), ["/videos/:id"]);
    let declared = only(super::derive::detail(12).with(json!({"route": {"routeId": "video.page"}})));
    let found = route(&declared, "video.page");
    assert_eq!(found.confidence, Confidence::High);
    assert_eq!(found.discovered_by[0].source, EvidenceSource::Annotation);
}

#[test]
fn pages_of_one_kind_are_one_state() {
    let mut run = run();
    let ids: BTreeSet<String> =
        ["Cat", "Dog", "Bird"].into_iter().map(|name| run.state(article(name))).collect();
    assert_eq!(ids.len(), 3);
    let package = run.package();
    assert_eq!(package.transition_graph.states.len(), 1);
    let state = &package.transition_graph.states[0];
    assert_eq!(state.metadata.as_ref().unwrap().0["standsFor"].as_array().unwrap().len(), 2);
    assert_eq!(package.route_catalog.routes[0].urls.as_deref().unwrap(), ["/wiki/:id"]);
}

/// Requirement: DISC-15.2-01
/// Requirement: DISC-5-02
#[test]
fn areas_with_a_context_of_their_own_get_an_entry() {
    let mut made = page("https://app.example/");
    for kind in ["form", "dialog", "drawer", "menu", "popover", "tabpanel"] {
        made = made.scope("~page", &format!("~{kind}"), kind, json!({})).element(
            &format!("~{kind}"),
            "button",
            "Show",
            json!({}),
        );
    }
    made = made
        .scope("~page", "~region:figures", "region", json!({"name": "Figures"}))
        .element("~region:figures", "button", "More", json!({}))
        .scope("~page", "~region", "region", json!({}));
    let package = only(made);
    let kinds: Vec<String> = package.scope_catalog.scopes.iter().map(|each| each.kind.to_string()).collect();
    assert_eq!(kinds, ["dialog", "drawer", "form", "menu", "popover", "region", "tabpanel"]);
}

/// Requirement: DISC-15.3-01
/// Requirement: DISC-5-03
#[test]
fn what_is_used_or_tells_something_gets_an_entry_and_decoration_does_not() {
    let package = only(
        page("https://app.example/")
            .element("~page", "button", "Show", json!({}))
            .element("~page", "status", "", json!({"name": "All saved"}))
            .element(
                "~page",
                "listitem",
                "Video 12",
                json!({"metadata": {"entity": {"type": "video", "id": "12"}}}),
            )
            .element("~page", "image", "Swirl", json!({})),
    );
    assert!(has_element(&package, "Show"));
    assert!(has_element(&package, "All saved"));
    assert!(has_element(&package, "Video 12"));
    assert!(!has_element(&package, "Swirl"));
    assert!(element(&package, "All saved").risk.is_none());
}

/// Requirement: DISC-15.4-02
/// Requirement: DISC-15.4-03
/// Requirement: DISC-15.4-04
/// Requirement: DISC-15.4-05
/// Requirement: DISC-15.4-06
/// Requirement: DISC-15.4-07
#[test]
fn controls_make_primitives_possible() {
    let package = only(
        page("https://app.example/")
            .element("~page", "button", "Show", json!({}))
            .element("~page", "button", "Never", json!({"state": {"enabled": false}}))
            .element("~page", "textbox", "Name", json!({}))
            .element("~page", "textbox", "Fixed", json!({"state": {"readonly": true, "editable": false}}))
            .element("~page", "checkbox", "Tick", json!({}))
            .element("~page", "switch", "Flip", json!({}))
            .element("~page", "radio", "One of many", json!({"affordances": ["read", "focus", "choose"]}))
            .element("~page", "combobox", "Pick", json!({}))
            .element("~page", "listbox", "Pick many", json!({}))
            .element("~page", "link", "Inside", href("/videos"))
            .element("~page", "link", "Outside", json!({"metadata": {"href": "https://elsewhere.example/"}}))
            .scope("~page", "f", "form", json!({"submitTarget": "e12"}))
            .element("f", "button", "Go", json!({"affordances": ["read", "activate", "submit"]}))
            .scope("~page", "g", "region", json!({"name": "No form"}))
            .element("g", "textbox", "Lonely", json!({})),
    );
    assert_eq!(actions_of(&package, "Show"), ["ui.activate"]);
    assert_eq!(actions_of(&package, "Never"), Vec::<String>::new());
    assert_eq!(actions_of(&package, "Name"), ["ui.clearText", "ui.enterText"]);
    assert_eq!(actions_of(&package, "Fixed"), Vec::<String>::new());
    assert_eq!(actions_of(&package, "Tick"), ["ui.toggle"]);
    assert_eq!(actions_of(&package, "Flip"), ["ui.toggle"]);
    assert!(!actions_of(&package, "One of many").contains(&"ui.toggle".to_owned()));
    assert_eq!(actions_of(&package, "Pick"), ["ui.choose"]);
    assert_eq!(actions_of(&package, "Pick many"), ["ui.choose"]);
    assert!(actions_of(&package, "Inside").contains(&"nav.navigate".to_owned()));
    assert_eq!(actions_of(&package, "Outside"), Vec::<String>::new());
    let scopes: Vec<&str> = action(&package, "ui.submit")
        .scopes
        .iter()
        .flatten()
        .map(uiap_model::names::ScopeId::as_str)
        .collect();
    assert_eq!(scopes, ["f"]);
}

/// Requirement: DISC-15.4-01
#[test]
fn registered_offered_and_repeated_actions_are_of_three_kinds() {
    let mut run = app();
    let first = run.record.states[0].state_id.to_string();
    run.registered(&first, json!({
        "id": "video.create", "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"], "risk": {"level": "confirm"},
        "success": [{"kind": "route.changed"}],
    }));
    let package = run.package();
    let kind = |id: &str| action(&package, id).kind.to_string();
    assert_eq!(kind("video.create"), "domain");
    assert_eq!(action(&package, "video.create").confidence, Confidence::High);
    assert_eq!(kind("ui.activate"), "primitive");
    assert_eq!(kind("videos.detail.editMetadata"), "candidate");
    let signals = action(&package, "videos.detail.editMetadata").success_signals.as_ref().unwrap();
    assert_eq!(signals[0].tag(), "dialog.opened");
    run.record.transitions.iter_mut().for_each(|each| (each.tries, each.agreed) = (1, 1));
    let once = run.package();
    assert!(!once.action_catalog.actions.iter().any(|each| each.id == "videos.detail.editMetadata"));
}

/// Requirement: DISC-5-04
#[test]
fn what_would_do_harm_is_a_candidate_marked_unsafe() {
    let package = app().package();
    let delete = action(&package, "videos.detail.deleteVideo");
    assert_eq!(delete.review_state.unwrap().to_string(), "unsafe");
    assert_eq!(delete.side_effect_class.as_ref().unwrap().to_string(), "destructive");
    assert_eq!(delete.risk.as_ref().unwrap().level.to_string(), "blocked");
    assert_eq!(delete.confidence, Confidence::Low);
}

/// Requirement: DISC-5-05
/// Requirement: DISC-5-06
/// Requirement: DISC-17-05
/// Requirement: DISC-11.6-01
/// Requirement: DISC-15.5-01
#[test]
fn what_was_done_is_an_edge_with_its_signals() {
    let run = app();
    let package = run.package();
    assert_eq!(package.transition_graph.edges.len(), run.record.transitions.len());
    let states: BTreeSet<&str> =
        package.transition_graph.states.iter().map(|each| each.state_id.as_str()).collect();
    for edge in &package.transition_graph.edges {
        assert!(states.contains(edge.from_state_id.as_str()) && states.contains(edge.to_state_id.as_str()));
        assert!(edge.observed_signals.is_some() && edge.target.is_some());
    }
    let text = serde_json::to_string(&package.transition_graph.edges).unwrap();
    assert!(text.contains(r#"{"kind":"route.changed","pattern":"/videos/:id"}"#), "{text}");
    assert!(text.contains(r#"{"kind":"route.changed","exact":"/videos/new"}"#), "{text}");
    let twice =
        package.transition_graph.edges.iter().find(|edge| edge.via_action_id == "ui.activate").unwrap();
    assert_eq!(twice.confidence, Confidence::High);
    let once =
        package.transition_graph.edges.iter().find(|edge| edge.via_action_id == "nav.navigate").unwrap();
    assert_eq!(once.confidence, Confidence::Medium);
}

/// Requirement: DISC-7.3-02
/// Requirement: DISC-7.3-03
/// Requirement: DISC-7.3-04
/// Requirement: DISC-12.6-01
#[test]
fn confidence_of_elements_follows_their_evidence() {
    let package = only(
        page("https://app.example/")
            .element("~page", "button", "Annotated", json!({"stableId": "app.go"}))
            .element("~page", "button", "Labelled", json!({}))
            .element(
                "~page",
                "custom",
                "Looks like one",
                json!({"source": "heuristic", "affordances": ["read", "activate"]}),
            )
            .element("~page", "canvas", "Chart", json!({"metadata": {"opaqueReason": "pixel_surface"}})),
    );
    let confidence = |name: &str| element(&package, name).confidence;
    assert_eq!(confidence("Annotated"), Confidence::High);
    assert_eq!(confidence("Labelled"), Confidence::Medium);
    assert_eq!(confidence("Looks like one"), Confidence::Low);
    assert_eq!(confidence("Chart"), Confidence::Low);
    assert_eq!(element(&package, "Chart").metadata.as_ref().unwrap().0["visionAssisted"], json!(true));
    assert_eq!(element(&package, "Annotated").semantic_key, "app.go");
}

/// Requirement: DISC-11.2-05
/// Requirement: DISC-17-08
#[test]
fn the_accessibility_tree_is_evidence_where_there_is_one() {
    let made = || page("https://app.example/").element("~page", "button", "Save", json!({}));
    let sources = |package: &DiscoveryPackage| -> Vec<EvidenceSource> {
        element(package, "Save").discovered_by.iter().map(|each| each.source).collect()
    };
    assert!(!sources(&only(made())).contains(&EvidenceSource::Accessibility));
    let mut run = run();
    let state = run.state(made());
    run.accessibility(&state, &[("button", "Save")]);
    assert!(sources(&run.package()).contains(&EvidenceSource::Accessibility));
}

/// Requirement: DISC-11.4-02
/// Requirement: DISC-11.4-03
#[test]
fn fields_have_meanings_and_delicate_ones_are_marked() {
    let package = only(
        page("https://app.example/")
            .element("~page", "textbox", "E-mail", json!({}))
            .element("~page", "textbox", "Colour", json!({}))
            .element("~page", "textbox", "Passwort", json!({"state": {"sensitive": true}}))
            .element("~page", "textbox", "Card number", json!({}))
            .element("~page", "button", "Delete", json!({}))
            .element("~page", "textbox", "", json!({})),
    );
    let told = |name: &str| {
        let found = element(&package, name);
        let words =
            |list: &Option<Vec<compact_str::CompactString>>| list.clone().unwrap_or_default().join(",");
        let classes: Vec<String> = found.data_classes.iter().flatten().map(ToString::to_string).collect();
        (words(&found.meanings), classes.join(","))
    };
    assert_eq!(told("E-mail"), ("email".into(), "personal".into()));
    assert_eq!(told("Colour"), ("colour".into(), String::new()));
    assert_eq!(told("Passwort").1, "credential");
    assert_eq!(told("Card number").1, "payment");
    assert!(element(&package, "Colour").risk.is_none());
    assert_eq!(
        element(&package, "Delete").risk.as_ref().unwrap().tags.as_ref().unwrap()[0].to_string(),
        "destructive"
    );
    let nameless = package.element_catalog.elements.iter().find(|each| each.names.is_none()).unwrap();
    assert!(nameless.meanings.is_none());
}

/// Requirement: DISC-2-05
/// Requirement: DISC-11.4-05
#[test]
fn what_is_declared_outranks_what_is_guessed() {
    let package = only(page("https://app.example/").element(
        "~page",
        "textbox",
        "E-mail",
        json!({"meaning": "recovery address"}),
    ));
    assert_eq!(element(&package, "E-mail").meanings.as_ref().unwrap()[0], "recovery address");
    let rated = only(page("https://app.example/").element(
        "~page",
        "button",
        "Open",
        json!({"risk": {"level": "blocked", "tags": ["billing"]}}),
    ));
    assert_eq!(element(&rated, "Open").risk.as_ref().unwrap().level.to_string(), "blocked");
}

#[test]
fn entries_of_a_list_are_one_element() {
    let mut made = page("https://app.example/team").scope(
        "~page",
        "~list",
        "list",
        json!({"collection": {"loaded": 4}}),
    );
    for (at, name) in ["Ana", "Jo", "Kim", "Lee"].iter().enumerate() {
        let item = format!("e{}", at * 4 + 1);
        made = made
            .element("~list", "listitem", name, json!({}))
            .element("~list", "link", name, json!({"parentInstanceId": item}))
            .element("~list", "button", &format!("Profile of {name}"), json!({"parentInstanceId": item}))
            .element("~list", "button", "Remove", json!({"parentInstanceId": item}));
    }
    let package = only(made);
    let keys: Vec<&str> =
        package.element_catalog.elements.iter().map(|each| each.semantic_key.as_str()).collect();
    assert_eq!(keys, ["team/list/button/profile-*", "team/list/button/remove", "team/list/link/*"]);
    assert_eq!(package.element_catalog.elements[0].metadata.as_ref().unwrap().0["repeats"], json!(true));
}

/// Requirement: DISC-5-07
/// Requirement: DISC-11.7-01
/// Requirement: DISC-13-07
/// Requirement: DISC-17-10
#[test]
fn a_form_suggests_a_task_with_its_inputs_and_its_sign_of_success() {
    let package = app().package();
    let workflows = &package.workflow_candidates.as_ref().unwrap().workflows;
    let ids: Vec<&str> = workflows.iter().map(|each| each.id.as_str()).collect();
    let create = workflows
        .iter()
        .find(|each| each.title.as_deref() == Some("New video"))
        .unwrap_or_else(|| panic!("{ids:?}"));
    let inputs: Vec<(&str, bool)> = create
        .required_inputs
        .iter()
        .flatten()
        .map(|each| (each.name.as_str(), each.required == Some(true)))
        .collect();
    assert_eq!(inputs, [("eMail", false), ("public", false), ("title", true)]);
    let steps: Vec<String> = create
        .step_skeleton
        .iter()
        .map(|step| {
            format!("{} {}", step.step_type, step.action_id.as_ref().map_or("", |id| id.as_str()))
                .trim()
                .to_owned()
        })
        .collect();
    assert_eq!(
        steps,
        [
            "action nav.navigate",
            "action ui.toggle",
            "action ui.enterText",
            "action ui.enterText",
            "action ui.activate",
            "ensure",
            "complete",
        ]
    );
    assert_eq!(create.confidence, Confidence::Medium);
    assert_eq!(create.metadata.as_ref().unwrap().0["lastStepNeverExecuted"], json!(true));
    let edit = workflows
        .iter()
        .find(|each| each.title.as_deref() == Some("Edit metadata"))
        .unwrap_or_else(|| panic!("{ids:?}"));
    assert_eq!(edit.step_skeleton[1].action_id.as_ref().unwrap().as_str(), "ui.activate");
    assert!(edit.discovered_by.iter().any(|each| each.source == EvidenceSource::Transition));
}

/// Requirement: DISC-11.7-02
/// Requirement: DISC-17-10
#[test]
fn without_a_form_there_is_no_task() {
    let mut run = run();
    let a = run.state(page("https://app.example/a").element("~page", "link", "B", href("/b")));
    let b = run.state(page("https://app.example/b").element("~page", "link", "C", href("/c")));
    let c = run.state(page("https://app.example/c").element("~page", "searchbox", "Search", json!({})));
    run.done(&a, "link", "B", "~page", Some(&b), json!([]));
    run.done(&b, "link", "C", "~page", Some(&c), json!([]));
    assert!(run.package().workflow_candidates.unwrap().workflows.is_empty());
}

/// Requirement: DISC-11.7-03
#[test]
fn a_registered_action_names_the_task_and_both_are_evidence() {
    let mut run = run();
    let state = run.state(
        page("https://app.example/new")
            .scope("~page", "f", "form", json!({"submitTarget": "e2"}))
            .element("f", "textbox", "Title", json!({}))
            .element(
                "f",
                "button",
                "Create",
                json!({"defaultAction": "video.create", "affordances": ["read", "activate", "submit"]}),
            ),
    );
    run.registered(&state, json!({
        "id": "video.create", "kind": "domain", "targetKinds": ["scope"], "executionModes": ["appAction"], "risk": {"level": "confirm"},
        "success": [{"kind": "entity.created", "entityType": "video"}],
    }));
    let package = run.package();
    let workflow = &package.workflow_candidates.as_ref().unwrap().workflows[0];
    assert_eq!(workflow.id, "candidate.video.create");
    let sources: BTreeSet<String> =
        workflow.discovered_by.iter().map(|each| each.source.to_string()).collect();
    assert!(sources.contains("app_registry") && sources.contains("annotation"), "{sources:?}");
    assert_eq!(workflow.success_signals.as_ref().unwrap()[0].tag(), "entity.created");
}

/// Requirement: DISC-17-09
#[test]
fn the_map_says_who_can_reach_what() {
    let mut run = app();
    run.record.states[0].profiles = BTreeSet::from(["viewer".into(), "admin".into()]);
    run.record.states[1].profiles = BTreeSet::from(["admin".into()]);
    run.record.states[2].profiles = BTreeSet::from(["admin".into()]);
    run.record.states.iter_mut().skip(3).for_each(|state| state.profiles = BTreeSet::from(["admin".into()]));
    let package = run.package();
    let profiles = |id: &str| route(&package, id).metadata.as_ref().unwrap().0["profiles"].clone();
    assert_eq!(profiles("videos"), json!(["admin", "viewer"]));
    assert_eq!(profiles("videos.detail"), json!(["admin"]));
}

/// Requirement: DISC-11.4-01
#[test]
fn an_empty_page_yields_nothing_and_no_error() {
    let package = only(page("https://app.example/"));
    assert_eq!(package.route_catalog.routes.len(), 1);
    assert!(package.element_catalog.elements.is_empty() && package.scope_catalog.scopes.is_empty());
    assert!(run().package().transition_graph.states.is_empty());
}

/// What is made anew in every run of the app must not make another map of it.
///
/// Requirement: DISC-15.1-01
#[test]
fn ids_and_times_that_a_machine_made_name_no_place_and_no_control() {
    let event = |id: &str, time: &str| {
        only(
            page(&format!("https://app.example/events/2026-11-18/{id}"))
                .element("~page", "button", time, json!({}))
                .element("~page", "button", "Close", json!({})),
        )
    };
    let one = event("01a1ec50-33fc-706a-8c1d-6b183d359743", "2026/11/18 11:58:59 AM");
    let other = event("01a1ec4e-a52a-75b2-807d-6cabb622aba3", "2026/11/18 01:40:41 PM");
    assert_eq!(route(&one, "events.detail.detail").urls.as_deref().unwrap(), ["/events/:eventId/:id"]);
    let keys = |package: &DiscoveryPackage| -> Vec<String> {
        package.element_catalog.elements.iter().map(|each| each.semantic_key.to_string()).collect()
    };
    assert_eq!(keys(&one), keys(&other));
}
