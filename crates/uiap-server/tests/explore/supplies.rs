//! Apps whose data come from another origin: it is reached where somebody says that it belongs to the app, judged like the app's own, and
//! never gone to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, Method};
use axum::response::IntoResponse as _;
use uiap_discovery::record::{IncidentKind, RunRecord};

use super::harness::Setup;
use super::served::{home, kinds, page, serve};

#[derive(Default)]
struct Counts {
    asked: AtomicUsize,
    searched: AtomicUsize,
    written: AtomicUsize,
    visited: AtomicUsize,
}

/// A server with data and a page of its own, on another port: another origin.
async fn api() -> (String, Arc<Counts>) {
    let counts = Arc::<Counts>::default();
    let counted = Arc::clone(&counts);
    let answer = move |request: Request| {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let counter = match path.as_str() {
            "/page" => &counted.visited,
            _ if method == Method::OPTIONS => return shown(String::new()).into_response(),
            "/search" => &counted.searched,
            _ if method == Method::GET => &counted.asked,
            _ => &counted.written,
        };
        counter.fetch_add(1, Ordering::SeqCst);
        if path == "/page" {
            return page("Api", "").into_response();
        }
        shown(r#"["Reports","Invoices"]"#.to_owned()).into_response()
    };
    let routes = Router::new().fallback(move |request: Request| std::future::ready(answer(request)));
    let (address, _) = serve(routes).await;
    (address, counts)
}

fn shown(body: String) -> ([(HeaderName, &'static str); 3], String) {
    let headers = [
        (HeaderName::from_static("access-control-allow-origin"), "*"),
        (HeaderName::from_static("access-control-allow-headers"), "content-type"),
        (HeaderName::from_static("content-type"), "application/json"),
    ];
    (headers, body)
}

async fn mapped(supplied: bool) -> (RunRecord, Arc<Counts>) {
    let (api, counts) = api().await;
    let body = format!(
        "<ul id=l></ul><p id=m role=status></p><a href='{api}/page'>Api</a>\
         <button type=button aria-expanded=false onclick=\"fetch('{api}/search', {{ method: 'POST' }})\">Overview</button>\
         <button type=button aria-expanded=false onclick=\"fetch('{api}/items', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: '{{}}' }})\
         .catch(() => document.body.insertAdjacentHTML('beforeend', '<section aria-label=Trouble><a href=/again>Try again</a></section>'))\">Details</button>\
         <button type=button aria-expanded=false onclick=\"location.href = '{api}/page'\">Summary</button>\
         <script>fetch('{api}/items').then((it) => it.json()).then((all) => {{ for (const each of all) l.innerHTML += `<li><a href=/${{each}}>${{each}}</a></li>` }})</script>"
    );
    let (address, _) = serve(home(Box::leak(body.into_boxed_str()))).await;
    let mut setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 60_000);
    setup.ground.load = std::time::Duration::from_secs(3);
    if supplied {
        setup.ground.origins = [api].into();
    }
    (setup.run().await.record, counts)
}

fn shows(record: &RunRecord, name: &str) -> bool {
    let mut elements = record.states.iter().flat_map(|state| state.graph.elements());
    elements.any(|(.., element)| {
        [element.name.as_deref(), element.state.text_value.as_deref()].contains(&Some(name))
    })
}

/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_belongs_to_the_app_is_asked_and_not_written_to_nor_visited() {
    let (record, counts) = mapped(true).await;
    assert!(shows(&record, "Invoices"), "what comes from there is shown");
    assert!(counts.searched.load(Ordering::SeqCst) > 0, "what only asks passes");
    assert!(!shows(&record, "Try again"), "nobody notices that something was held back");
    assert_eq!(counts.written.load(Ordering::SeqCst), 0, "{:?}", record.incidents);
    assert_eq!(counts.visited.load(Ordering::SeqCst), 0, "nobody goes there");
    assert!(counts.asked.load(Ordering::SeqCst) > 0);
    assert!(kinds(&record).contains(&IncidentKind::WriteHeld), "{:?}", record.incidents);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_nobody_named_is_not_reached_at_all() {
    let (record, counts) = mapped(false).await;
    assert!(!shows(&record, "Invoices"));
    assert!(kinds(&record).contains(&IncidentKind::ExternalOrigin), "{:?}", record.incidents);
    for count in [&counts.asked, &counts.searched, &counts.written, &counts.visited] {
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
}
