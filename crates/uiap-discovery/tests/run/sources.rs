//! Who proposes seeds besides people: manifests, what an app says of itself, documents, sitemaps, earlier packages.

use std::sync::Arc;

use serde_json::json;
use uiap_discovery::package;
use uiap_discovery::plan::Known;
use uiap_discovery::record::{RunRecord, SeedRecord};
use uiap_discovery::seed::{self, Offer};

use super::script::{BASE, Script, Setup, Stage, Thing, app, page, titles};

fn pages(names: &[&str]) -> Stage {
    let mut all = vec![page("home", vec![])];
    all.extend(names.iter().map(|name| page(name, vec![])));
    Stage::new(app(all))
}

fn of<'a>(record: &'a RunRecord, origin: &str) -> Vec<&'a SeedRecord> {
    record.seeds.iter().filter(|seed| seed.origin == origin).collect()
}

fn bundle() -> uiap_model::authoring::bundle::UIAPCompiledBundle {
    let route = |id: &str, path: &str| json!({ "id": id, "match": [{ "kind": "path", "value": path }] });
    let text = json!({
        "packageId": "shop", "version": "1.0.0", "profile": "web@0.1", "buildContext": {}, "compatibility": { "uiapCore": ">=0.1 <0.2" },
        "app": { "appId": "shop", "displayName": "Shop" },
        "bindings": { "routes": [
            route("team", "/team"), route("prices", "/prices"), route("video", "/videos/:id"), route("help", "/help"),
        ] },
        "workflows": [{
            "id": "order", "version": "1", "title": "Order", "category": "task", "startMode": "manual",
            "interactionModes": ["guide"], "routes": ["prices"], "initialStepId": "end",
            "steps": [{ "id": "end", "type": "complete", "outcome": "success" }],
        }],
    });
    serde_json::from_value(text).unwrap()
}

/// Requirement: DISC-9.2-01
#[tokio::test]
async fn the_routes_of_a_manifest_are_places_to_begin_at() {
    let mut known = Known::default();
    let offers = seed::manifest::offers(&bundle(), &mut known);
    let setup = Setup { offers, known, ..Setup::default() };
    let record = setup.run(&pages(&["team", "prices", "help"])).await;
    assert_eq!(titles(&record), ["help", "home", "prices", "team"], "nothing else leads there");
    let seeds = of(&record, "manifest");
    assert_eq!(seeds.len(), 4, "{seeds:?}");
    let refused: Vec<_> = seeds.iter().filter_map(|seed| seed.rejected.as_deref()).collect();
    assert_eq!(refused, ["route `video` needs values for `/videos/:id`"]);
    // Where a workflow begins is known as well.
    let mut known = Known::default();
    seed::manifest::offers(&bundle(), &mut known);
    let offers = vec![Offer::new(seed::parse("workflow:order").unwrap(), "commandLine")];
    let record = Setup { offers, known, ..Setup::default() }.run(&pages(&["prices"])).await;
    assert_eq!(titles(&record), ["home", "prices"]);
}

/// What somebody asks for is understood once the app has said what it has.
///
/// Requirement: DISC-9.2-01
/// Requirement: DISC-9.1-01
#[tokio::test]
async fn routes_and_workflows_are_understood_when_the_app_has_said_what_it_has() {
    let mut stage = pages(&["team", "prices"]);
    stage.routes = vec![("team".into(), "/team".into()), ("prices".into(), "/prices".into())];
    let workflows = json!([serde_json::to_value(bundle().workflows.unwrap().remove(0)).unwrap()]);
    stage.papers = Arc::new([("workflows".to_owned(), workflows.to_string())].into());
    let asked = ["route:team", "workflow:order", "route:nowhere"];
    let offers = asked.iter().map(|text| Offer::new(seed::parse(text).unwrap(), "commandLine")).collect();
    let record = Setup { offers, ..Setup::default() }.run(&stage).await;
    assert_eq!(titles(&record), ["home", "prices", "team"]);
    let fate = |text: &str| {
        let wanted = seed::parse(text).unwrap();
        let found: Vec<_> = record.seeds.iter().filter(|each| each.seed == wanted).collect();
        assert_eq!(found.len(), 1, "{text}");
        (found[0].state_id.is_some(), found[0].rejected.clone())
    };
    assert_eq!(fate("route:team"), (true, None));
    assert_eq!(fate("workflow:order"), (true, None));
    assert_eq!(fate("route:nowhere"), (false, Some("no route `nowhere` is known".to_owned())));
    let plain = Setup::default().run(&stage).await;
    assert_eq!(titles(&plain), ["home", "prices", "team"], "what the app says is enough");
}

/// Requirement: DISC-9.2-05
#[tokio::test]
async fn what_a_document_links_to_is_opened_and_the_rest_of_it_refused_with_reasons() {
    let mut known = Known::default();
    let text =
        "See [team](/team), [us](http://elsewhere.test/) and <a href=/logout>leave</a>, [bye](/logout).";
    known.documents.insert("manual.md".into(), seed::document::links(text));
    let names = ["doc:manual.md", "doc:missing.md"];
    let offers = names.iter().map(|text| Offer::new(seed::parse(text).unwrap(), "commandLine")).collect();
    let stage = pages(&["team", "logout"]);
    let record = Setup { offers, known, ..Setup::default() }.run(&stage).await;
    assert_eq!(titles(&record), ["home", "team"]);
    let fate = |text: &str| record.seeds.iter().find(|each| each.seed == seed::parse(text).unwrap()).unwrap();
    assert!(fate("doc:manual.md").state_id.is_some());
    assert_eq!(fate("doc:missing.md").rejected.as_deref(), Some("the document `missing.md` was not read"));
    assert!(
        fate("http://elsewhere.test/")
            .rejected
            .as_ref()
            .is_some_and(|why| why.contains("not an address of the app"))
    );
    assert_eq!(
        fate("/logout").rejected.as_deref(),
        Some("its address says that asking for it changes something")
    );
}

fn sitemap(kind: &str, entry: &str, links: impl Iterator<Item = String>) -> String {
    let entries: String = links.map(|link| format!("<{entry}><loc>{link}</loc></{entry}>")).collect();
    format!("<?xml version='1.0'?><{kind}>{entries}</{kind}>")
}

#[tokio::test]
async fn a_sitemap_of_fifty_thousand_is_a_few_of_each_kind() {
    let videos = (0..50_000).map(|at| format!("{BASE}/videos/{at}"));
    let names = ["/team", "/prices", "/logout", "http://elsewhere.test/"].map(str::to_owned);
    let index = ["/shop.xml", "/videos.xml", "/old.xml.gz", "/gone.xml", "http://elsewhere.test/map.xml"];
    let papers = [
        ("/sitemap.xml", sitemap("sitemapindex", "sitemap", index.iter().map(|link| (*link).to_owned()))),
        ("/shop.xml", sitemap("urlset", "url", names.into_iter())),
        ("/videos.xml", sitemap("urlset", "url", videos)),
    ];
    let script: Script = Arc::new(|name| {
        let known = ["home", "team", "prices", "logout"].contains(&name) || name.starts_with("videos/");
        known.then(|| page(name, vec![]))
    });
    let mut stage = Stage::new(script);
    stage.papers = Arc::new(papers.into_iter().map(|(path, text)| (path.to_owned(), text)).collect());
    let setup = Setup { sitemap: true, ..Setup::default() };
    let began = std::time::Instant::now();
    let record = setup.run(&stage).await;
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    let opened = stage.opened.lock().unwrap().clone();
    assert_eq!(opened.iter().filter(|url| url.contains("/videos/")).count(), 3);
    assert!(
        opened.iter().any(|url| url.ends_with("/team")) && !opened.iter().any(|url| url.ends_with("/logout"))
    );
    assert!(!opened.iter().any(|url| url.contains("shop.xml")), "a sitemap is no page");
    let reasons: Vec<String> =
        of(&record, "sitemap").iter().filter_map(|seed| seed.rejected.clone()).collect();
    for part in [
        "one of many of its kind, `/videos/:id`; so are",
        "were left out",
        "it is compressed",
        "the app has none there",
        "not an address of the app",
        "its address says that asking for it changes something",
    ] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    assert!(record.seeds.len() < 30, "{}", record.seeds.len());
}

#[tokio::test]
async fn an_app_without_a_sitemap_is_explored_and_told_of() {
    for (text, reason) in
        [(None, "the app has none there"), (Some("<html></html>"), "what is there is no sitemap")]
    {
        let mut stage = pages(&[]);
        stage.papers =
            Arc::new(text.map(|text| ("/sitemap.xml".to_owned(), text.to_owned())).into_iter().collect());
        let record = Setup { sitemap: true, ..Setup::default() }.run(&stage).await;
        assert_eq!(titles(&record), ["home"]);
        let reasons: Vec<_> =
            of(&record, "sitemap").iter().filter_map(|seed| seed.rejected.clone()).collect();
        assert_eq!(reasons, [reason]);
    }
}

/// A pattern is no address: what was seen is opened again, as it was asked for.
///
/// Requirement: DISC-9.2-06
#[tokio::test]
async fn an_earlier_package_leads_to_addresses_that_were_seen() {
    let go = |to: &str| Thing::link(format!("Go {}", to.replace(char::is_numeric, "x")), to);
    let script: Script = Arc::new(move |name| match name {
        "home" => Some(page("home", vec![go("list.html"), go("videos/1"), go("videos/22")])),
        "list.html" => Some(page(name, vec![])),
        _ => name.strip_prefix("videos/").map(|_| page(name, vec![go("home")])),
    });
    let first = Setup::default().run(&Stage::new(Arc::clone(&script))).await;
    let found = package::derive(&first);
    let routes = &found.route_catalog.routes;
    let urls: Vec<&str> = routes
        .iter()
        .flat_map(|route| route.urls.iter().flatten())
        .map(compact_str::CompactString::as_str)
        .collect();
    assert!(urls.contains(&"/list.html") && urls.contains(&"/videos/:id"), "{urls:?}");
    for state in &first.states {
        let path = state.url.strip_prefix(BASE).unwrap();
        let fits = |pattern: &&str| uiap_model::web::predicate::route_matches(pattern, path);
        assert!(urls.iter().any(fits), "no pattern fits `{path}`");
    }
    let mut known = Known::default();
    let offers = seed::previous::offers(&found, &mut known);
    let stage = Stage::new(script);
    let record = Setup { offers, known, ..Setup::default() }.mode("observe_only").run(&stage).await;
    let opened = stage.opened.lock().unwrap().clone();
    assert!(
        opened.contains(&format!("{BASE}/list.html")) && opened.contains(&format!("{BASE}/videos/1")),
        "{opened:?}"
    );
    assert!(!opened.iter().any(|url| url.contains("/:")), "{opened:?}");
    assert!(of(&record, "previousPackage").iter().all(|seed| seed.state_id.is_some()));
}
