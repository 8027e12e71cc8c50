//! Seeds: all kinds, from all sources, each accepted or refused with a reason.

use uiap_discovery::seed::{self, Offer};
use uiap_model::discovery::DiscoverySeed;

use super::script::{BASE, Setup, Stage, Thing, app, page, titles};

fn small() -> Stage {
    Stage::new(app(vec![
        page("home", vec![Thing::link("Team", "team").within("nav"), Thing::button("Open tools", "tools")]),
        page("team", vec![]),
        page("tools", vec![]),
        page("hidden", vec![]),
        page("guide", vec![]),
    ]))
}

fn offered(texts: &[&str]) -> Vec<Offer> {
    texts.iter().map(|text| Offer::new(seed::parse(text).unwrap(), "commandLine")).collect()
}

fn outcome(record: &uiap_discovery::record::RunRecord, wanted: &str) -> (bool, Option<String>) {
    let wanted = seed::parse(wanted).unwrap();
    let found = record.seeds.iter().find(|each| each.seed == wanted).unwrap();
    (found.state_id.is_some(), found.rejected.clone())
}

/// Requirement: DISC-9.1-01
/// Requirement: DISC-11.2-01
/// Requirement: DISC-17-02
/// Requirement: DISC-9.2-07
#[tokio::test]
async fn every_kind_of_seed_is_followed_or_refused_with_a_reason() {
    let offers = offered(&[
        "/hidden",
        "route:guide",
        "route:nowhere",
        "workflow:onboarding",
        "doc:manual",
        "menu:Team",
        "menu:Nothing",
        "http://elsewhere.test/",
        "/items/3/delete",
        "/logout",
    ]);
    let mut setup = Setup { offers, ..Setup::default() };
    setup.known.routes.insert("guide".into(), "/guide".into());
    setup.known.workflows.insert("onboarding".into(), "guide".into());
    setup.known.documents.insert("manual".into(), seed::document::links("See [tools](/tools)."));
    let record = setup.run(&small()).await;
    assert!(titles(&record).contains(&"hidden".to_owned()));
    assert_eq!(outcome(&record, "/hidden"), (true, None));
    assert_eq!(outcome(&record, "route:guide"), (true, None));
    assert_eq!(outcome(&record, "doc:manual"), (true, None));
    assert_eq!(outcome(&record, "menu:Team"), (true, None));
    for (seed, word) in [
        ("route:nowhere", "no route"),
        ("menu:Nothing", "no `Nothing`"),
        ("http://elsewhere.test/", "not an address of the app"),
        ("/items/3/delete", "changes something"),
        ("/logout", "changes something"),
    ] {
        let (reached, reason) = outcome(&record, seed);
        assert!(!reached && reason.is_some_and(|reason| reason.contains(word)), "{seed}");
    }
    let visited = record.states.iter().filter(|state| state.seed.is_some()).count();
    assert!(visited >= 4, "{visited}");
}

/// Requirement: DISC-9.2-04
#[tokio::test]
async fn the_navigation_of_the_first_page_is_a_source_of_seeds() {
    let record = Setup::default().run(&small()).await;
    let seed = DiscoverySeed::Url { url: format!("{BASE}/team").into() };
    let found = record.seeds.iter().find(|each| each.seed == seed).unwrap();
    assert_eq!(found.origin, "navigation");
    assert!(found.state_id.is_some());
}

/// Requirement: DISC-9.1-01
#[tokio::test]
async fn seeds_that_have_to_be_pressed_are_refused_while_only_observing() {
    let mut setup = Setup::default().mode("observe_only");
    setup.offers = offered(&["menu:Team", "action:app.open"]);
    let record = setup.run(&small()).await;
    for seed in ["menu:Team", "action:app.open"] {
        assert!(outcome(&record, seed).1.is_some_and(|reason| reason.contains("observe_only")));
    }
}

/// Requirement: DISC-14.1-01
#[test]
fn a_plan_tells_which_seeds_it_takes() {
    let setup = Setup { offers: offered(&["/hidden", "route:nowhere"]), ..Setup::default() };
    let planned = setup.plan().planned("run_7");
    assert_eq!(planned.run_id, "run_7");
    assert_eq!(planned.accepted_seeds.map(|seeds| seeds.len()), Some(2), "the base address is one");
    assert_eq!(planned.rejected_seeds.map(|seeds| seeds.len()), Some(1));
}

/// Requirement: DISC-2-01
#[test]
fn a_place_where_people_work_is_warned_of() {
    let caution = |base: &str, id: &str, controlled: bool| {
        let mut setup = Setup::default();
        setup.environment["baseUrl"] = base.into();
        setup.environment["environmentId"] = id.into();
        setup.environment["metadata"] = serde_json::json!({ "controlledTenant": controlled });
        setup.plan().caution()
    };
    for base in [
        "http://127.0.0.1:8080/",
        "http://localhost/",
        "https://staging.shop.io/",
        "https://shop-test2.io/",
        "http://10.0.0.3/",
        "http://[::1]:80/",
    ] {
        assert_eq!(caution(base, "e", false), None, "{base}");
    }
    assert!(caution("https://shop.io/", "e", false).is_some_and(|reason| reason.contains("`shop.io`")));
    assert_eq!(caution("https://shop.io/", "e", true), None, "the tenant is there for it");
    assert!(caution("http://127.0.0.1/", "shop-production", false).is_some());
    assert!(caution("http://127.0.0.1/", "alive", false).is_none());
}

#[test]
fn seeds_are_read_as_people_write_them() {
    assert_eq!(seed::parse("menu:Log"), Ok(DiscoverySeed::Menu { label: "Log".into() }));
    assert_eq!(seed::parse("/a"), Ok(DiscoverySeed::Url { url: "/a".into() }));
    assert!(seed::parse("nonsense").unwrap_err().to_string().contains("`nonsense`"));
    assert!(seed::parse("route:").is_err());
}

/// Requirement: DISC-9.2-03
#[tokio::test]
async fn what_the_app_registers_is_a_source_of_seeds_and_what_does_harm_is_refused() {
    let action = |id: &str, level: &str| {
        let text = serde_json::json!({
            "id": id, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"],
            "risk": { "level": level },
        });
        serde_json::from_value(text).unwrap()
    };
    let mut stage = small();
    stage.actions = vec![action("tools.show", "safe"), action("account.delete", "blocked")];
    let record = Setup::default().run(&stage).await;
    let registered = record.seeds.iter().filter(|seed| seed.origin == "registry").count();
    assert_eq!(registered, 2, "{:?}", record.seeds);
    assert_eq!(outcome(&record, "action:tools.show"), (true, None));
    let (reached, reason) = outcome(&record, "action:account.delete");
    assert!(!reached && reason.is_some(), "{reason:?}");
    assert!(!stage.pressed().iter().any(|each| each.contains("account.delete")));
    let plain = Setup::default().run(&small()).await;
    assert!(plain.seeds.iter().all(|seed| seed.origin != "registry"), "without a registry there is none");
}

/// Requirement: DISC-9.1-01
#[tokio::test]
async fn a_seed_that_is_there_and_must_not_be_pressed_is_refused_with_the_reason_of_the_decision() {
    let stage = || {
        Stage::new(app(vec![
            page(
                "home",
                vec![Thing::button("Open tools", "tools"), Thing::button("Delete everything", "gone")],
            ),
            page("tools", vec![]),
            page("gone", vec![]),
        ]))
    };
    let offers = offered(&["menu:Open tools", "menu:Delete everything"]);
    let setup = Setup { offers, ..Setup::default() };
    let record = setup.run(&stage()).await;
    assert_eq!(outcome(&record, "menu:Open tools"), (true, None));
    let tools = record.states.iter().find(|state| state.title == "tools").unwrap();
    let seed = record.seeds.iter().find(|each| each.seed == seed::parse("menu:Open tools").unwrap()).unwrap();
    assert_eq!(seed.state_id.as_ref(), Some(&tools.state_id), "where it led");
    let (reached, reason) = outcome(&record, "menu:Delete everything");
    let denied = record
        .decisions
        .iter()
        .find(|each| each.aim.as_ref().is_some_and(|aim| aim.name.starts_with("Delete")));
    assert_eq!((reached, reason), (false, denied.map(|each| each.because.clone())));
    // One profile that has it is enough, whoever comes last.
    let mut stage = stage();
    stage.shows = std::sync::Arc::new(|profile, mut shown| {
        shown.things.retain(|thing| profile == "anna" || thing.name != "Open tools");
        Ok(shown)
    });
    let mut setup = Setup::default().profiles(&["anna", "zoe"]);
    setup.offers = offered(&["menu:Open tools"]);
    assert_eq!(outcome(&setup.run(&stage).await, "menu:Open tools"), (true, None));
    // What the budget left undone was not visited.
    let mut setup = setup.budget("maxTransitions", 0);
    setup.offers = offered(&["menu:Open tools"]);
    assert!(!outcome(&setup.run(&stage).await, "menu:Open tools").0);
}
