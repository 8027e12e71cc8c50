//! What a run hands to a person: every obligation, and nothing where there is none.

use serde_json::json;
use uiap_discovery::record::IncidentKind;
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::discovery::review::{ReviewItem, ReviewSeverity};

use crate::graph::{Page, page};
use crate::record::{run, wrote};

fn items<'a>(package: &'a DiscoveryPackage, kind: &str) -> Vec<&'a ReviewItem> {
    package.review_queue.items.iter().filter(|item| item.kind.as_str() == kind).collect()
}

fn of(page: Page) -> DiscoveryPackage {
    let mut run = run();
    run.state(page);
    run.judged();
    run.package()
}

fn start() -> Page {
    page("https://app.example/")
}

/// Requirement: DISC-16-01
/// Requirement: DISC-5-08
#[test]
fn two_of_a_name_are_ambiguous_and_two_names_are_not() {
    let two = |first: &str, second: &str| {
        of(start().element("~page", "button", first, json!({})).element("~page", "button", second, json!({})))
    };
    let package = two("Save", "Save");
    let found = items(&package, "ambiguous_target");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].description.contains("2 elements") && found[0].description.contains("`Save`"),
        "{}",
        found[0].description
    );
    assert!(
        package
            .element_catalog
            .elements
            .iter()
            .all(|each| each.review_state.unwrap().to_string() == "needs_review")
    );
    assert!(items(&two("Save", "Save draft"), "ambiguous_target").is_empty());
    let shared = of(start().element(
        "~page",
        "button",
        "Go",
        json!({"stableId": "a.b", "metadata": {"duplicateStableId": true}}),
    ));
    assert_eq!(items(&shared, "ambiguous_target")[0].severity, ReviewSeverity::High);
}

/// Requirement: DISC-16-02
#[test]
fn a_command_that_is_only_guessed_is_told() {
    let guessed = of(start().element(
        "~page",
        "custom",
        "Record",
        json!({"source": "heuristic", "affordances": ["read", "activate"]}),
    ));
    assert!(items(&guessed, "inferred_only").iter().any(|item| item.description.contains("`Record`")));
    let known = of(start().element("~page", "button", "Open", json!({})));
    assert!(items(&known, "inferred_only").is_empty());
    let unlabelled = of(start().element("~page", "textbox", "", json!({})));
    assert!(items(&unlabelled, "inferred_only")[0].description.contains("has no name"));
}

/// Requirement: DISC-2-07
/// Requirement: DISC-12-01
/// Requirement: DISC-12.2-01
/// Requirement: DISC-12.2-02
/// Requirement: DISC-12.5-01
/// Requirement: DISC-16-03
/// Requirement: DISC-17-07
#[test]
fn boundaries_are_told_once_and_counted() {
    let frame = json!({"documentId": "f1", "kind": "frame", "access": "opaque", "opaqueReason": "cross_origin",
        "origin": "https://pay.example", "hostInstanceId": "e1", "scopes": []});
    let made = |url: &str| {
        page(url)
            .element("~page", "custom", "Payment", json!({}))
            .element("~page", "custom", "Rating", json!({"shadow": {"mode": "closed", "access": "opaque"}, "metadata": {"opaqueReason": "closed_shadow"}}))
            .document(frame.clone())
    };
    let package = of(made("https://app.example/a"));
    let frames = items(&package, "opaque_frame");
    assert_eq!(frames.len(), 1);
    assert!(
        frames[0].description.contains("https://pay.example") && frames[0].description.contains("`Payment`")
    );
    assert_eq!(items(&package, "closed_shadow").len(), 1);
    assert_eq!(package.coverage.opaque_regions.0, 2);
    assert_eq!(of(start()).coverage.opaque_regions.0, 0);
}

/// Requirement: DISC-15.5-02
/// Requirement: DISC-11.6-02
#[test]
fn an_action_without_an_effect_is_told_once_and_a_toast_clears_it() {
    let mut run = run();
    let a = run.state(start().element("~page", "button", "Sync", json!({})));
    run.done(&a, "button", "Sync", "~page", Some(&a), json!([]));
    run.done(&a, "button", "Sync", "~page", None, json!([]));
    let package = run.package();
    assert_eq!(items(&package, "missing_success_signal").len(), 1);
    assert!(items(&package, "missing_success_signal")[0].description.contains("`Sync`"));
    assert!(package.coverage.unresolved_transitions.0 >= 1);
    assert_eq!(package.transition_graph.states.len(), 1);
    let mut home = crate::record::run();
    let a = home.state(start().element("~page", "link", "Home", json!({})));
    home.done(&a, "link", "Home", "~page", Some(&a), json!([])).aim.as_mut().unwrap().href =
        Some("https://app.example/".into());
    assert!(
        items(&home.package(), "missing_success_signal").is_empty(),
        "a link to the page itself may stay there"
    );
    let mut run = crate::record::run();
    let a = run.state(start().element("~page", "button", "Sync", json!({})));
    run.done(&a, "button", "Sync", "~page", Some(&a), json!([{"kind": "toast.contains", "text": "Synced"}]));
    let package = run.package();
    assert!(items(&package, "missing_success_signal").is_empty());
    assert_eq!(package.coverage.unresolved_transitions.0, 0);
}

/// Requirement: DISC-16-04
/// Requirement: DISC-11.7-02
#[test]
fn a_task_without_a_sign_of_success_is_uncertain_and_a_signal_clears_it() {
    let form = |more: serde_json::Value| {
        of(start()
            .scope("~page", "f", "form", json!({"name": "New video", "submitTarget": "e2"}))
            .element("f", "textbox", "Title", json!({}))
            .element("f", "button", "Create", more))
    };
    let silent = form(json!({"affordances": ["read", "activate", "submit"]}));
    let found = items(&silent, "workflow_uncertain");
    assert_eq!(found.len(), 1);
    assert!(found[0].description.contains("a sign of success"), "{}", found[0].description);
    let signalled = form(
        json!({"affordances": ["read", "activate", "submit"], "success": [{"kind": "toast.contains", "text": "x"}]}),
    );
    assert!(items(&signalled, "workflow_uncertain").is_empty());
    let nameless = of(start()
        .scope("~page", "f", "form", json!({"submitTarget": "e2"}))
        .element("f", "textbox", "", json!({}))
        .element("f", "button", "Create", json!({"affordances": ["read", "activate", "submit"]})));
    assert!(items(&nameless, "workflow_uncertain")[0].description.contains("names of its inputs"));
}

/// Requirement: DISC-16-05
#[test]
fn a_route_without_identity_is_told_and_a_declared_one_is_not() {
    let about = |package: &DiscoveryPackage| {
        items(package, "missing_stable_id")
            .iter()
            .filter(|item| item.description.contains("lasting identity"))
            .count()
    };
    for url in ["https://app.example/view#k3j4h5", "https://app.example/x/8f3a9c2e"] {
        assert_eq!(about(&of(page(url))), 1, "{url}");
        assert_eq!(about(&of(page(url).with(json!({"route": {"routeId": "view"}})))), 0);
    }
    assert_eq!(about(&of(page("https://app.example/videos"))), 0);
}

/// Requirement: DISC-16-06
#[test]
fn areas_near_to_security_and_money_are_told() {
    let package = of(page("https://app.example/settings")
        .scope("~page", "pw", "form", json!({"name": "Password"}))
        .element("pw", "textbox", "New password", json!({"state": {"sensitive": true}}))
        .scope("~page", "card", "form", json!({"name": "Card"}))
        .element("card", "textbox", "Card number", json!({"dataClasses": ["payment"]})));
    let near: Vec<&ReviewItem> =
        items(&package, "custom").into_iter().filter(|item| item.description.contains("near to")).collect();
    assert_eq!(near.len(), 2);
    assert!(near.iter().all(|item| item.severity >= ReviewSeverity::Medium));
    let harmless = of(page("https://app.example/settings").element("~page", "textbox", "Colour", json!({})));
    assert!(items(&harmless, "custom").is_empty());
}

/// Requirement: DISC-16-07
/// Requirement: DISC-2-05
#[test]
fn contradictions_are_told_with_both_pieces_of_evidence() {
    let mut run = run();
    let a = run.state(start().element("~page", "link", "Details", json!({})).element(
        "~page",
        "button",
        "Refresh",
        json!({"risk": {"level": "safe"}}),
    ));
    run.done(&a, "link", "Details", "~page", Some(&a), json!([{"kind": "dialog.opened"}]));
    run.done(
        &a,
        "button",
        "Refresh",
        "~page",
        Some(&a),
        json!([{"kind": "status.contains", "text": "ok"}]),
    )
    .requests = vec![wrote("/api/refresh", false)];
    let package = run.package();
    let custom = items(&package, "custom");
    assert!(custom.iter().any(|item| item.description.contains("is a link and opens a dialog") && item.evidence.len() == 2));
    assert!(
        custom.iter().any(|item| item.description.contains("declared safe and writes")
            && item.severity == ReviewSeverity::High)
    );
    let said = of(start().element("~page", "button", "Delete", json!({"risk": {"level": "safe"}})));
    assert!(items(&said, "custom").iter().any(|item| item.description.contains("contradict")));
    let mut calm = crate::record::run();
    let a = calm.state(start().element("~page", "link", "Details", json!({})));
    calm.done(&a, "link", "Details", "~page", Some(&a), json!([{"kind": "route.changed"}]));
    assert!(items(&calm.package(), "custom").is_empty());
}

/// Requirement: DISC-5-04
/// Requirement: DISC-19-01
#[test]
fn what_would_do_harm_ends_in_the_queue() {
    let package = of(start().element("~page", "button", "Delete workspace", json!({})).element(
        "~page",
        "button",
        "Open",
        json!({}),
    ));
    let found = items(&package, "unsafe_action_candidate");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, ReviewSeverity::High);
    assert!(found[0].remediation.is_some());
}

/// Requirement: DISC-5-01
/// Requirement: DISC-11.2-01
#[test]
fn what_was_not_visited_is_a_gap() {
    let mut run = run();
    run.state(start().element(
        "~page",
        "link",
        "Log out",
        json!({"metadata": {"href": "https://app.example/logout"}}),
    ));
    run.judged();
    run.seed("https://elsewhere.example/", None, Some("another origin"));
    let package = run.package();
    let gaps: Vec<&str> =
        items(&package, "coverage_gap").iter().map(|item| item.description.as_str()).collect();
    assert!(gaps.iter().any(|text| text.contains("`/logout`")), "{gaps:?}");
    assert!(gaps.iter().any(|text| text.contains("another origin")), "{gaps:?}");
}

#[test]
fn every_incident_has_an_item_and_equal_ones_share_one_that_says_how_often() {
    use IncidentKind as Kind;
    let kinds = [
        Kind::Unreachable,
        Kind::TlsError,
        Kind::ServerError,
        Kind::RedirectLoop,
        Kind::SessionExpired,
        Kind::NeverSettled,
        Kind::Download,
        Kind::Popup,
        Kind::BeforeUnload,
        Kind::Dialog,
        Kind::BasicAuth,
        Kind::ExternalOrigin,
        Kind::WriteHeld,
        Kind::SelfWrite,
        Kind::NotReproducible,
        Kind::LostState,
        Kind::Endless,
        Kind::Crash,
        Kind::BudgetReached,
        Kind::Interrupted,
    ];
    let mut run = run();
    for kind in kinds {
        run.incident(kind, "this happened");
        run.incident(kind, "this happened");
    }
    let package = run.package();
    assert_eq!(package.review_queue.items.len(), kinds.len());
    assert!(package.review_queue.items.iter().all(|item| item.description.contains("2 of them")));
    let ids: std::collections::BTreeSet<&str> =
        package.review_queue.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), kinds.len());
    assert!(package.review_queue.items.iter().all(|item| item.remediation.is_some()));
    let severities: Vec<ReviewSeverity> =
        package.review_queue.items.iter().map(|item| item.severity).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b), "the gravest come first");
}

/// Forty buttons without a name are one thing to mend, not forty.
#[test]
fn the_same_doubt_at_many_places_is_one_item_with_the_places() {
    let mut run = run();
    for place in ["a", "b", "c", "d", "e", "f"] {
        let mut shown = page(&format!("https://app.example/{place}")).element(
            "~page",
            "link",
            &format!("To {place}"),
            json!({}),
        );
        for _ in 0..3 {
            shown = shown.element("~page", "button", "", json!({}));
        }
        run.state(shown.element("~page", "button", "Delete account", json!({})));
    }
    run.judged();
    let package = run.package();
    let nameless: Vec<&ReviewItem> = items(&package, "inferred_only");
    assert_eq!(nameless.len(), 1, "{nameless:#?}");
    let told = &nameless[0].description;
    assert!(told.starts_with("A button has no name."), "{told}");
    assert!(told.contains("3 of them, at `a` (3)") && told.contains("and 2 more places"), "{told}");
    let grave = items(&package, "unsafe_action_candidate");
    assert_eq!(grave.len(), 1, "{grave:#?}");
    assert!(grave[0].description.contains("`Delete account` ("), "{}", grave[0].description);
    assert!(grave[0].description.contains("and 2 more places"), "{}", grave[0].description);
}

/// What differs by a name only is one thing to mend too; the names are told.
#[test]
fn doubts_that_differ_by_a_name_are_one_item_with_the_names() {
    let mut shown = start();
    for name in ["Red", "Green", "Blue", "Black", "White", "Grey"] {
        shown = shown.element("~page", "link", name, json!({})).element("~page", "link", name, json!({}));
    }
    let package = of(shown);
    let twins = items(&package, "ambiguous_target");
    assert_eq!(twins.len(), 1, "{twins:#?}");
    let told = &twins[0].description;
    assert!(told.starts_with("A link is called as another one") && told.contains("12 of them"), "{told}");
    assert!(told.contains("`Black`, `Blue`") && told.contains("2 more"), "{told}");
}

/// Requirement: DISC-6.8-03
#[test]
fn the_first_ten_kinds_can_all_be_provoked() {
    let frame = json!({"documentId": "f1", "kind": "frame", "access": "opaque", "opaqueReason": "cross_origin", "origin": "https://pay.example", "scopes": []});
    let mut run = run();
    let a = run.state(
        start()
            .element("~page", "button", "Save", json!({}))
            .element("~page", "button", "Save", json!({}))
            .element("~page", "button", "Delete", json!({}))
            .element("~page", "custom", "Card", json!({"shadow": {"mode": "closed", "access": "opaque"}}))
            .element(
                "~page",
                "custom",
                "Tile",
                json!({"source": "heuristic", "affordances": ["read", "activate"]}),
            )
            .scope("~page", "~list", "list", json!({}))
            .element("~list", "listitem", "Ana", json!({}))
            .element("~list", "button", "Mute", json!({"parentInstanceId": "e6"}))
            .element("~list", "listitem", "Jo", json!({}))
            .element("~list", "button", "Mute", json!({"parentInstanceId": "e8"}))
            .scope("~page", "f", "form", json!({"submitTarget": "e11"}))
            .element("f", "textbox", "Title", json!({}))
            .element("f", "button", "Create", json!({"affordances": ["read", "activate", "submit"]}))
            .document(frame),
    );
    run.done(&a, "button", "Mute", "~list", Some(&a), json!([]));
    run.seed("https://app.example/y", None, Some("why not"));
    let package = run.package();
    for kind in [
        "missing_stable_id",
        "duplicate_name",
        "ambiguous_target",
        "opaque_frame",
        "closed_shadow",
        "missing_success_signal",
        "unsafe_action_candidate",
        "inferred_only",
        "coverage_gap",
        "workflow_uncertain",
    ] {
        assert!(!items(&package, kind).is_empty(), "{kind}");
    }
}

/// A way that leads here and there is marked, and told to a person.
#[test]
fn a_way_that_led_elsewhere_when_it_was_gone_again_is_told() {
    let told = |agreed: u32| {
        let mut run = run();
        let home = run.state(start().element("~page", "button", "Next", json!({})));
        let next = run.state(page("https://app.example/next"));
        let done = run.done(&home, "button", "Next", "~page", Some(&next), json!([]));
        (done.tries, done.agreed) = (3, agreed);
        run.judged();
        let package = run.package();
        let marked =
            package.transition_graph.edges[0].metadata.as_ref().unwrap().0.contains_key("unreliable");
        let found = items(&package, "workflow_uncertain");
        let texts: Vec<String> = found.iter().map(|item| item.description.to_string()).collect();
        (marked, texts.into_iter().find(|text| text.contains("led elsewhere")))
    };
    assert_eq!(told(3), (false, None));
    let (marked, text) = told(1);
    assert!(marked);
    assert!(text.as_ref().is_some_and(|text| text.contains("2 of 3")), "{text:?}");
}
