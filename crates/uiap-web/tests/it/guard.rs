//! The guard before a page's network: whose doing a write is.

use std::collections::BTreeSet;

use uiap_model::json::Positive;
use uiap_model::web::message::SnapshotOptions;
use uiap_web::Page;
use uiap_web::guard::{Guard, GuardOptions, leads};

use crate::shared::{blank, evaluate, page, run};
use crate::signal_site::Site;

/// Posts on load and whenever it is asked to.
const EAGER: &str = "<link rel=icon href=data:,><script>const later = (word) => new Promise((done) => setTimeout(() => done(word), 1500));\
                     const post = (path, body) => Promise.race([fetch(path, { method: 'POST', body }).then(() => 'sent', () => 'failed'), later('unanswered')]);\
                     globalThis.loaded = post('/ok', 'tips=true&at=1700000001')</script>";

#[test]
fn what_a_page_wrote_by_itself_it_may_write_again_and_nothing_else() {
    run(async {
        let site = Site::with(&[("/", EAGER)]).await;
        let page = Page::attach(blank().await).await.unwrap();
        let origin = site.url("").trim_end_matches('/').to_owned();
        let options = GuardOptions { origins: BTreeSet::from([origin]), ..GuardOptions::default() };
        let guard = Guard::stand(&page, options).await.unwrap();
        guard.hold(true);
        page.navigate(&site.url("/")).await.unwrap();
        assert_eq!(evaluate(&page, "loaded").await, "sent");
        assert!(guard.begin(BTreeSet::new()).await.unwrap());
        assert_eq!(
            evaluate(&page, "post('/ok', 'tips=true&at=1700000002')").await,
            "sent",
            "it did so before"
        );
        let changed = evaluate(&page, "post('/ok', 'tips=false&at=1700000002')").await;
        assert_eq!(changed, "unanswered", "the same address with something else to say is another write");
        assert_eq!(evaluate(&page, "post('/other')").await, "unanswered");
        let caused = guard.end().await.caused;
        assert_eq!(caused.iter().filter(|each| each.held).count(), 2, "{caused:?}");
        assert_eq!(
            evaluate(&page, "post('/other')").await,
            "unanswered",
            "an action is not over when it seems so"
        );
        assert_eq!(evaluate(&page, "post('/ok', 'tips=true&at=1700000003')").await, "sent");
        assert!(guard.take_idle().iter().any(|each| each.held), "what came late is told");
    });
}

/// A document that writes itself anew loses every listener, ours too.
#[test]
fn a_document_that_wrote_itself_anew_is_known_to_hold_nothing() {
    run(async {
        let site = Site::with(&[("/", EAGER)]).await;
        let page = Page::attach(blank().await).await.unwrap();
        let origin = site.url("").trim_end_matches('/').to_owned();
        let options = GuardOptions { origins: BTreeSet::from([origin]), ..GuardOptions::default() };
        let guard = Guard::stand(&page, options).await.unwrap();
        guard.hold(true);
        page.navigate(&site.url("/")).await.unwrap();
        assert!(guard.begin(BTreeSet::new()).await.unwrap());
        guard.end().await;
        evaluate(&page, "document.open(); document.write('<p>Anew'); document.close(); 'done'").await;
        assert!(!guard.begin(BTreeSet::new()).await.unwrap());
    });
}

/// What is done to a page counts for frames that come later, and what would outlive the page does not.
#[test]
fn frames_that_come_later_and_requests_that_stay_are_held_too() {
    run(async {
        let site = Site::with(&[("/", EAGER), ("/frame", "<p>Frame")]).await;
        let page = Page::attach(blank().await).await.unwrap();
        let origin = site.url("").trim_end_matches('/').to_owned();
        let options = GuardOptions { origins: BTreeSet::from([origin]), ..GuardOptions::default() };
        let guard = Guard::stand(&page, options).await.unwrap();
        guard.hold(true);
        page.navigate(&site.url("/")).await.unwrap();
        guard.begin(BTreeSet::new()).await.unwrap();
        guard.end().await;
        let framed = "new Promise((done) => { const frame = document.createElement('iframe'); frame.src = '/frame';\
                      frame.onload = () => { const inner = frame.contentWindow; let sent = 'held';\
                      const socket = new inner.WebSocket('ws://' + location.host + '/socket');\
                      try { socket.send('anything'); } catch { sent = 'sent'; } done(sent); };\
                      document.body.append(frame); })";
        assert_eq!(evaluate(&page, framed).await, "held", "the frame knows that something was done");
        let kept = "(() => { const Native = Request; let kept = null; globalThis.Request = class extends Native { constructor(...all) { super(...all); kept = this.keepalive; } };\
                    fetch(new Native('/ok', { method: 'POST', keepalive: true })); return kept === null ? 'as it was' : String(kept); })()";
        assert_eq!(evaluate(&page, kept).await, "false", "nothing outlives the page");
    });
}

/// Thousands of links are asked where they lead in one walk; asked one by one it took minutes.
#[test]
fn where_thousands_of_links_lead_is_told_in_one_walk() {
    run(async {
        let links = "Array.from({ length: 8000 }, (_, n) => `<a href=/item/${n}><svg><path d=''/></svg>Item ${n}</a>`).join('')";
        let page = page(&format!("<div id=all></div><script>all.innerHTML = {links}</script>")).await;
        let whole = SnapshotOptions { max_elements: Some(Positive(20_000)), ..SnapshotOptions::default() };
        let graph = page.snapshot(&whole).await.unwrap();
        let ids: Vec<_> = graph.elements().map(|(.., each)| each.instance_id.clone()).collect();
        assert!(ids.len() >= 8_000, "{}", ids.len());
        let start = std::time::Instant::now();
        let told = leads(&page, &ids).await.unwrap();
        assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(told.iter().filter(|lead| lead.href.is_some()).count(), 8_000);
    });
}
