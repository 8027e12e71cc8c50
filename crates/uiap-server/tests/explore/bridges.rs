//! Frames of other origins that may be looked into by a grant: a discovery context of their own, mapped and left alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use serde_json::Value;
use uiap_discovery::audit::audit;
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::web::graph::BoundaryAccess;

use super::harness::Setup;
use super::served::{home, page, serve};

/// A server by another name for this machine: another site, and so a process of its own in the browser.
fn apart(address: &str) -> String {
    address.replace("127.0.0.1", "localhost")
}

/// A server that counts what it is asked for.
async fn counting(answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let count = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { page("Other", answer) }
    };
    let (address, _) =
        serve(Router::new().route("/{*path}", any(count.clone())).route("/", any(count))).await;
    (address, asked)
}

async fn mapped(body: String, bridges: &[&str]) -> (RunRecord, DiscoveryPackage, String) {
    let more = get(|| async { page("More", "<button type=button aria-expanded=false>Own</button>") });
    let (address, _) = serve(home(Box::leak(body.into_boxed_str())).route("/more", more)).await;
    let mut setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 60_000);
    setup.ground.bridges = bridges.iter().map(|&origin| origin.to_owned()).collect();
    // Whoever goes where nobody is let in is not waited for.
    setup.ground.load = Duration::from_secs(3);
    let record = setup.run().await.record;
    let package = uiap_discovery::package::derive(&record);
    assert_eq!(audit(&package), []);
    let text = serde_json::to_string(&record).unwrap();
    (record, package, text)
}

fn element<'a>(package: &'a Value, name: &str) -> &'a Value {
    let mut all = package["elementCatalog"]["elements"].as_array().unwrap().iter();
    all.find(|element| element["names"][0] == name).unwrap()
}

fn evidence(element: &Value) -> BTreeSet<&str> {
    element["discoveredBy"].as_array().unwrap().iter().filter_map(|each| each["refId"].as_str()).collect()
}

const CARD: &str = "<form aria-label=Card><input aria-label=Number><button type=button aria-expanded=false \
                    onclick=\"this.textContent = 'Pressed'\">Card details</button></form>";

/// Requirement: DISC-12.3-01
#[tokio::test(flavor = "multi_thread")]
async fn a_granted_frame_is_a_context_of_its_own_with_its_document_and_evidence() {
    let (beside, _) = counting(CARD).await;
    // Once in a process of its own, once in that of the page.
    for origin in [apart(&beside), beside] {
        let body = format!(
            "<button type=button aria-expanded=false>Own details</button><iframe title=Pay src='{origin}/pay?x=1'></iframe>"
        );
        let (record, package, _) = mapped(body, &[&origin]).await;
        let documents = &record.states[0].graph.documents;
        let host = origin.trim_start_matches("http://");
        assert_eq!(documents[1].document_id.as_str(), host);
        assert_eq!(documents[1].access, BoundaryAccess::Bridged);
        let package = serde_json::to_value(package).unwrap();
        let inside = element(&package, "Card details");
        assert_eq!(inside["metadata"]["documents"][0], format!("{origin}/pay"));
        assert_eq!(inside["scopes"][0], format!("~{host}:form:card"));
        let (inside, outside) = (evidence(inside), evidence(element(&package, "Own details")));
        assert!(inside.iter().all(|id| id.ends_with(&format!("#{host}"))), "{inside:?}");
        assert!(inside.is_disjoint(&outside), "{inside:?} {outside:?}");
        let aimed = |name: &str| {
            let decided =
                record.decisions.iter().filter(|each| each.aim.as_ref().is_some_and(|aim| aim.name == name));
            decided.map(|each| each.reason.to_string()).collect::<BTreeSet<_>>()
        };
        assert_eq!(aimed("Card details"), ["opaque_boundary".to_owned()].into(), "nothing is done in there");
        assert!(!serde_json::to_string(&record).unwrap().contains("Pressed"));
        assert_eq!(package["coverage"]["opaqueRegions"], 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_opens_the_frame_and_nothing_else() {
    let (third, reached_by_frame) = counting("").await;
    let inner = format!(
        "<button type=button>Inside</button><img src='{third}/i.png'><iframe src='{third}/f'></iframe>\
         <script>fetch('{third}/x'); new Image().src = '{}/y.png'</script>",
        apart(&third)
    );
    let (beside, _) = counting(Box::leak(inner.into_boxed_str())).await;
    let (other, reached_by_page) = counting("").await;
    for (origin, other) in [(apart(&beside), apart(&other)), (beside.clone(), other.clone())] {
        let body = format!(
            "<iframe src='{origin}/'></iframe><iframe src='{other}/' title=Shut></iframe><img src='{other}/a.png'>\
             <script src='{other}/a.js'></script><script>fetch('{other}/b', {{ method: 'POST' }})</script>"
        );
        let (_, package, text) = mapped(body, &[&origin]).await;
        assert!(text.contains("Inside"), "the granted frame is looked into");
        assert_eq!(reached_by_frame.load(Ordering::SeqCst), 0, "the frame reaches nobody else");
        assert_eq!(reached_by_page.load(Ordering::SeqCst), 0, "other origins stay shut");
        assert!(package.coverage.opaque_regions.0 > 0, "the other frame is opaque");
    }
    // The origin of a granted frame is the frame's alone.
    let (granted, asked) = counting("").await;
    let body = format!(
        "<img src='{granted}/a.png'><script src='{granted}/a.js'></script><nav><a href='{granted}/'>Away</a></nav>\
         <script>fetch('{granted}/b'); setTimeout(() => location = '{granted}/c')</script>"
    );
    mapped(body, &[&granted]).await;
    assert_eq!(asked.load(Ordering::SeqCst), 0, "the page itself reached it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_action_would_write_through_a_granted_frame_is_held_back() {
    let inner = "<p>Ready</p><script>addEventListener('message', () => fetch('/api/write', { method: 'POST' }))</script>";
    let (beside, writes) = serve(home(inner)).await;
    for origin in [apart(&beside), beside] {
        let body = format!(
            "<button type=button aria-expanded=false onclick=\"frames[0].postMessage(1, '*')\">Details</button><iframe src='{origin}/'></iframe>"
        );
        let (record, ..) = mapped(body, &[&origin]).await;
        assert_eq!(writes.load(Ordering::SeqCst), 0, "it reached the server of the frame");
        assert!(super::served::kinds(&record).contains(&IncidentKind::WriteHeld), "{:?}", record.incidents);
    }
}

/// Requirement: DISC-12.3-01
#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_that_stops_answering_makes_the_region_opaque_again() {
    let busy = "<button type=button>Inside</button><script>addEventListener('message', () => { for (;;); })</script>";
    let (other, _) = counting(busy).await;
    let origin = apart(&other);
    let body = format!(
        "<button type=button aria-expanded=false onclick=\"frames[0].postMessage(1, '*'); panel.hidden = false\">Panel</button>\
         <div id=panel role=dialog aria-label=Panel hidden><button type=button>Close</button></div>\
         <iframe title=Pay src='{origin}/'></iframe>"
    );
    let (record, package, _) = mapped(body, &[&origin]).await;
    let access: Vec<_> = record.states.iter().map(|state| state.graph.documents[1].access).collect();
    assert_eq!(access, [BoundaryAccess::Bridged, BoundaryAccess::Opaque]);
    assert_eq!(package.coverage.opaque_regions.0, 1);
    let items = &package.review_queue.items;
    assert!(items.iter().any(|item| item.kind.to_string() == "opaque_frame"), "{items:?}");
}

/// Requirement: DISC-12.3-01
#[tokio::test(flavor = "multi_thread")]
async fn without_a_grant_nothing_of_the_frame_is_loaded() {
    let (other, asked) = counting(CARD).await;
    let body =
        format!("<iframe title=Pay src='{}/'></iframe><iframe src='{other}/'></iframe>", apart(&other));
    let (_, package, text) = mapped(body, &[]).await;
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert!(!text.contains("Card details"));
    assert_eq!(package.coverage.opaque_regions.0, 2);
}
