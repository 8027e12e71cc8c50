//! Requests: what is under way, what was answered, and waiting until nothing is.

use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;
use uiap_model::web::signal::WebSignalBody;
use uiap_web::Page;
use uiap_web::network::{NetworkEvent, NetworkWatch, Outcome};
use uiap_web::signal::{Watch, WatchOptions, browser as names};

use crate::shared::{blank, browser, evaluate, open, run};
use crate::signal_site::Site;

/// Without the request for an icon that every browser makes.
const PLAIN: &str = "<link rel=icon href=data:,><p>hello";

async fn watched(site: &Site) -> (Page, NetworkWatch) {
    let page = open(&site.url("/")).await;
    let watch = NetworkWatch::start(page.session()).await.unwrap();
    (page, watch)
}

async fn next(events: &mut Receiver<NetworkEvent>, wanted: impl Fn(&NetworkEvent) -> bool) -> NetworkEvent {
    loop {
        let event = events.recv().await.unwrap();
        if wanted(&event) {
            return event;
        }
    }
}

#[test]
fn a_page_is_idle_when_its_last_request_is_answered() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        watch.idle().await;
        let mut events = watch.events();
        evaluate(&page, "void fetch('/hold?token=abc&page=2').then(answer => answer.text())").await;
        next(&mut events, |event| matches!(event, NetworkEvent::Started(_))).await;
        let under_way = watch.in_flight();
        assert_eq!(under_way.len(), 1);
        let request = under_way.first().unwrap();
        assert_eq!((request.method.as_str(), request.kind.as_str()), ("GET", "Fetch"));
        assert_eq!(request.url, site.url("/hold?token=redacted&page=2"));
        assert_eq!(request.initiator.kind, "script");
        assert!(request.frame.is_some() && request.status.is_none());
        assert!(
            timeout(Duration::from_millis(50), watch.idle()).await.is_err(),
            "a request is still under way"
        );
        site.release();
        watch.idle().await;
        let last = watch.past().pop().unwrap();
        assert_eq!((last.status, last.outcome), (Some(200), Outcome::Finished));
        assert!(last.started <= last.answered.unwrap() && last.answered <= last.ended);
    });
}

#[test]
fn what_is_made_to_stay_open_holds_nobody_up() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        let mut events = watch.events();
        evaluate(&page, "new Promise(done => { window.source = new EventSource('/stream'); source.onmessage = () => done(1) })").await;
        next(&mut events, |event| matches!(event, NetworkEvent::Answered(_))).await;
        timeout(Duration::from_secs(2), watch.idle()).await.expect("a stream holds nobody up");
        assert_eq!(watch.open().len(), 1, "it is known all the same");
        // The same stream, read by hand.
        evaluate(&page, "fetch('/stream').then(answer => answer.status)").await;
        next(&mut events, |event| matches!(event, NetworkEvent::Answered(_))).await;
        timeout(Duration::from_secs(2), watch.idle()).await.expect("a stream holds nobody up");
        assert_eq!(watch.open().len(), 2);
    });
}

#[test]
fn the_script_of_a_worker_holds_nobody_up() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        let mut events = watch.events();
        let script = "new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))";
        evaluate(
            &page,
            &format!("new Promise(done => {{ window.worker = {script}; worker.onmessage = () => done(1) }})"),
        )
        .await;
        next(&mut events, |event| matches!(event, NetworkEvent::Started(_))).await;
        timeout(Duration::from_secs(2), watch.idle()).await.expect("nobody tells when it came");
    });
}

#[test]
fn a_body_that_nobody_reads_holds_nobody_up() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        evaluate(&page, "fetch('/ok').then(answer => (window.kept = answer).status)").await;
        timeout(Duration::from_secs(2), watch.idle()).await.expect("the application has its answer");
    });
}

#[test]
fn a_redirect_is_an_exchange_of_its_own() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        evaluate(&page, "fetch('/go').then(answer => answer.text())").await;
        watch.idle().await;
        let past: Vec<_> =
            watch.past().into_iter().map(|each| (each.url, each.status, each.outcome)).collect();
        let wanted = [
            (site.url("/go"), Some(302), Outcome::Redirected),
            (site.url("/ok"), Some(200), Outcome::Finished),
        ];
        assert_eq!(past, wanted);
    });
}

#[test]
fn leaving_a_document_ends_its_requests() {
    run(async {
        let site = Site::with(&[("/", PLAIN), ("/next", "<p>next")]).await;
        let (page, watch) = watched(&site).await;
        let mut events = watch.events();
        evaluate(&page, "void fetch('/hold')").await;
        next(&mut events, |event| matches!(event, NetworkEvent::Started(_))).await;
        // Another site, so another process: the old one does not live to tell.
        page.navigate(&site.foreign("/next")).await.unwrap();
        timeout(Duration::from_secs(2), watch.idle()).await.expect("the request of the old document is over");
        assert!(watch.open().is_empty());
        let fate = watch.past().into_iter().find(|each| each.url.ends_with("/hold")).unwrap();
        assert_eq!(fate.outcome, Outcome::Cancelled);
    });
}

#[test]
fn only_so_much_is_remembered() {
    run(async {
        let site = Site::with(&[("/", PLAIN)]).await;
        let (page, watch) = watched(&site).await;
        evaluate(&page, "(async () => { for (let i = 0; i < 26; i++) await Promise.all(Array.from({length: 20}, () => fetch('/ok').then(answer => answer.text()))) })()").await;
        watch.idle().await;
        assert_eq!(watch.past().len(), 500);
    });
}

/// The responses that are told while a script runs.
async fn told(responses: bool, script: &str) -> Vec<WebSignalBody> {
    let site = Site::with(&[("/", PLAIN), ("/pixel", "")]).await;
    let session = blank().await;
    let options = WatchOptions { responses, errors: true, ..WatchOptions::default() };
    let watch = Watch::start(browser().await, &session, options).await.unwrap();
    let page = Page::attach(session).await.unwrap();
    page.navigate(&site.url("/")).await.unwrap();
    let mut signals = watch.signals();
    evaluate(&page, script).await;
    evaluate(&page, "console.error('end')").await;
    let mut told = Vec::new();
    loop {
        let signal = signals.recv().await.unwrap().body;
        // Reports of different sources are in no order among each other, so the end waits for the network.
        let end = matches!(&signal, WebSignalBody::Custom { name, .. } if name == names::CONSOLE_ERROR);
        told.push(signal);
        if end {
            watch.network().idle().await;
            while let Ok(signal) = signals.try_recv() {
                told.push(signal.body);
            }
            break;
        }
    }
    told.retain(
        |signal| !matches!(signal, WebSignalBody::Custom { name, .. } if name == names::CONSOLE_ERROR),
    );
    told
}

/// Requirement: WEB-SIG-12
#[test]
fn answers_to_the_application_are_told_with_address_and_status() {
    run(async {
        let told = told(
            true,
            "Promise.all([fetch('/ok'), fetch('/status/404'), new Promise(done => { const image = new Image(); image.onerror = done; image.src = '/pixel' })]).then(() => 1)",
        )
        .await;
        let mut seen: Vec<_> = told
            .iter()
            .filter_map(|signal| match signal {
                WebSignalBody::NetworkResponse { url, status } => Some((
                    url.rsplit_once("0.0.1").unwrap().1.split_once('/').unwrap().1.to_owned(),
                    status.0,
                )),
                _ => None,
            })
            .collect();
        seen.sort();
        let wanted = [("ok".to_owned(), 200), ("status/404".to_owned(), 404)];
        assert_eq!(seen, wanted, "the image is no news");
    });
}

/// Requirement: WEB-SIG-12
#[test]
fn answers_are_not_told_when_nobody_asked_for_them() {
    run(async { assert_eq!(told(false, "fetch('/ok').then(() => 1)").await, []) });
}

#[test]
fn a_request_without_an_answer_is_told_with_its_reason() {
    run(async {
        let told = told(true, "fetch('http://127.0.0.1:1/').catch(() => 1)").await;
        let failed = told.iter().find_map(|signal| match signal {
            WebSignalBody::Custom { name, payload } if name == names::REQUEST_FAILED => payload.clone(),
            _ => None,
        });
        let reason = failed.unwrap().0.get("reason").unwrap().as_str().unwrap().to_owned();
        assert!(reason.starts_with("net::ERR_"), "{reason}");
    });
}
