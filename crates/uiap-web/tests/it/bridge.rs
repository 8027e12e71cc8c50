//! Frames of other origins, with a grant and without.

use std::time::{Duration, Instant};

use serde_json::json;
use uiap_cdp::ContextOptions;
use uiap_model::document::{kind, validate};
use uiap_model::web::PageGraph;
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_web::Page;
use uiap_web::bridge::{Bridge, BridgeGrants, GrantError};
use uiap_web::input::{Click, HitTest, Input, InputError, Typing};

use crate::shared::{browser, element, evaluate, json, named, open, options, run};
use crate::signal_site::Site;

const INNER: &str = "<title>Pay</title><body style='margin:0'><form aria-label=Card data-uiap-scope=card><input aria-label=Number><input type=password aria-label=Code value=canary-7319>
    <button type=button data-uiap-id=pay onclick=\"document.title = 'paid'; this.textContent = 'Paid'\">Pay now</button></form>";

/// A page with a frame of another site, and so of another process, and one of another port only.
async fn stage() -> (Page, Site, Site) {
    let (apart, beside) = (Site::with(&[("/", INNER)]).await, Site::with(&[("/", INNER)]).await);
    let outer = format!(
        "<body style='margin:0'><form aria-label=Card data-uiap-scope=card><button>Own</button></form>
         <iframe title=Apart style='margin:30px 0 0 40px;border:3px solid;width:400px;height:100px' src='{}'></iframe>
         <iframe title=Beside style='width:400px;height:100px' src='{}'></iframe>",
        apart.foreign("/"),
        beside.url("/")
    );
    let site = Site::with(&[("/", &outer)]).await;
    let page = open(&site.url("/")).await;
    (page, apart, beside)
}

async fn look(bridge: &Bridge) -> PageGraph {
    let graph = bridge.snapshot(&options("{}")).await.unwrap();
    let problems = validate(&serde_json::to_value(&graph).unwrap(), kind("PageGraph").unwrap());
    assert!(problems.is_empty(), "{problems:#?}");
    graph
}

fn bridge(page: &Page, browser: &uiap_cdp::Browser, origins: &[String]) -> Bridge {
    Bridge::new(browser, page, BridgeGrants::new(origins).unwrap())
}

/// Requirement: WEB-CL-03
/// Requirement: WEB-T-03
/// Requirement: WEB-FB-03
#[test]
fn a_granted_frame_is_merged_and_its_ids_meet_no_other() {
    run(async {
        let (page, apart, beside) = stage().await;
        let bridge = bridge(&page, browser().await, &[apart.foreign_origin(), beside.url("")]);
        let graph = look(&bridge).await;
        let accesses: Vec<_> =
            graph.documents.iter().map(|document| (&document.kind, &document.access)).collect();
        let bridged = (&DocumentKind::Bridged, &BoundaryAccess::Bridged);
        assert_eq!(accesses, [(&DocumentKind::Root, &BoundaryAccess::Open), bridged, bridged]);
        assert_eq!(named(&graph, "Pay now").len(), 2);
        for document in graph.documents.iter().skip(1) {
            let prefix = format!("{}:", document.document_id);
            assert!(document.scopes.iter().all(|scope| scope.id.as_str().starts_with(&prefix)));
            assert!(
                document
                    .scopes
                    .iter()
                    .flat_map(|scope| &scope.elements)
                    .all(|each| each.instance_id.as_str().starts_with(&prefix))
            );
            assert_eq!(document.title.as_deref(), Some("Pay"));
            assert!(document.host_instance_id.is_some() && document.parent_document_id.is_some());
        }
        assert!(!json(&graph).contains("canary"), "secrets stay in the frame");
    });
}

/// Requirement: WEB-P-05
/// Requirement: WEB-R9-02
#[test]
fn without_a_grant_for_its_own_origin_a_frame_stays_opaque() {
    run(async {
        let (page, apart, _beside) = stage().await;
        let other = bridge(&page, browser().await, &["https://pay.example".to_owned()]);
        let graph = look(&other).await;
        assert!(graph.documents.iter().skip(1).all(|document| document.access == BoundaryAccess::Opaque));
        assert!(!json(&graph).contains("Pay now"));
        let one = bridge(&page, browser().await, &[apart.foreign_origin()]);
        assert_eq!(named(&look(&one).await, "Pay now").len(), 1, "only the one that was granted");
        // A frame that goes to another origin takes its grant nowhere.
        let elsewhere = Site::with(&[("/", "<button>Elsewhere</button>")]).await;
        let gone = format!(
            "new Promise(done => {{ const frame = document.querySelector('[title=Apart]'); frame.onload = () => done(1); frame.src = '{}' }})",
            elsewhere.foreign("/")
        );
        evaluate(&page, &gone).await;
        assert!(!json(&look(&one).await).contains("Elsewhere"));
    });
}

/// Requirement: WEB-FB-02
#[test]
fn only_explicit_origins_are_granted() {
    for bad in [
        "*",
        "https://*.example.com",
        "https://example.com/path",
        "example.com",
        "",
        "https://user@example.com",
    ] {
        assert_eq!(BridgeGrants::new([bad]), Err(GrantError::Origin(bad.to_owned())));
    }
    assert_eq!(BridgeGrants::new(Vec::<String>::new()), Err(GrantError::Empty));
    BridgeGrants::new(["https://example.com:8443"]).unwrap();
}

/// Requirement: WEB-FB-04
#[test]
fn a_frame_that_does_not_answer_is_opaque_after_two_seconds() {
    run(async {
        let busy = Site::with(&[("/", "<button>Busy</button><script>addEventListener('message', event => { const end = performance.now() + event.data; while (performance.now() < end); document.title = 'free' })</script>")]).await;
        let site =
            Site::with(&[("/", &format!("<iframe title=Frame src='{}'></iframe>", busy.foreign("/")))]).await;
        // Frames of one site share a process, and a busy one would hold up those of other tests.
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
        page.navigate(&site.url("/")).await.unwrap();
        let bridge = bridge(&page, browser().await, &[busy.foreign_origin()]);
        evaluate(&page, "frames[0].postMessage(6000, '*'); new Promise(done => setTimeout(done, 100, 1))")
            .await;
        let started = Instant::now();
        let graph = look(&bridge).await;
        assert_eq!(graph.documents.get(1).unwrap().access, BoundaryAccess::Opaque);
        assert!(started.elapsed() < Duration::from_millis(5_800), "{:?}", started.elapsed());
        // Later it answers, and is bridged: the busy time is over when the next message is handled.
        let graph = loop {
            let graph = look(&bridge).await;
            if graph.documents.get(1).unwrap().access == BoundaryAccess::Bridged {
                break graph;
            }
        };
        assert_eq!(named(&graph, "Busy").len(), 1);
    });
}

/// Requirement: WEB-FB-03
#[test]
fn input_reaches_elements_behind_a_bridge() {
    run(async {
        let (page, apart, beside) = stage().await;
        let bridge = bridge(&page, browser().await, &[apart.foreign_origin(), beside.url("")]);
        let input = Input::new(&page).await.unwrap().across(&bridge);
        let graph = look(&bridge).await;
        let fields: Vec<_> =
            named(&graph, "Number").into_iter().map(|each| each.instance_id.clone()).collect();
        for (at, field) in fields.iter().enumerate() {
            let landed = input.click(field, &Click::default()).await.unwrap();
            assert!(landed.events.contains(&"click".to_owned()), "{landed:?}");
            input.type_text(field, &format!("4{at}"), Typing::Keys).await.unwrap();
            assert_eq!(input.value(field).await.unwrap(), format!("4{at}"));
        }
        for button in named(&graph, "Pay now") {
            input.click(&button.instance_id, &Click::default()).await.unwrap();
        }
        let graph = look(&bridge).await;
        assert_eq!(named(&graph, "Paid").len(), 2);
        evaluate(&page, "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=position:fixed;inset:0></div>'); 1").await;
        let error = input
            .click(&named(&graph, "Paid").first().unwrap().instance_id, &Click::default())
            .await
            .unwrap_err();
        assert!(
            matches!(&error, InputError::Unreachable(HitTest::Covered { by: Some(by), .. }) if by.id.as_deref() == Some("veil")),
            "{error}"
        );
        evaluate(&page, "veil.remove(); document.querySelector('[title=Apart]').remove(); 1").await;
        let graph = look(&bridge).await;
        assert_eq!(graph.documents.len(), 2);
        assert_eq!(json!(element(&graph, "Own").role), json!("button"));
        input.click(fields.first().unwrap(), &Click::default()).await.unwrap_err();
    });
}
