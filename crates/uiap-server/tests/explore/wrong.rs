//! Apps that go wrong: the run ends within its budget, with a record and a word about each fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use uiap_discovery::record::IncidentKind;
use uiap_model::discovery::DiscoveryRunStatus;

use super::harness::{Setup, assert_told};
use super::served::{explored, home, kinds, page, serve};

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_nobody_answers_fails_the_run() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let explored = Setup::of(&address).run().await;
    assert_eq!(explored.record.summary.status, DiscoveryRunStatus::Failed);
    assert_eq!(kinds(&explored.record), [IncidentKind::Unreachable].into());
    assert_told(&explored.record, &[IncidentKind::Unreachable]);
}

/// Requirement: DISC-8-07
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_accepts_and_never_answers_costs_no_more_than_the_time_allowed() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let patience = tokio::spawn(async move {
        let mut callers = Vec::new();
        while let Ok((caller, _)) = listener.accept().await {
            callers.push(caller);
        }
    });
    let explored = Setup::of(&address).budget("maxRuntimeMs", 3_000).run().await;
    patience.abort();
    assert!(explored.seconds < 4.0, "{}", explored.seconds);
    assert_eq!(explored.record.summary.status, DiscoveryRunStatus::Failed);
    assert_told(&explored.record, &[IncidentKind::BudgetReached]);
}

/// Requirement: DISC-8-07
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_answers_costs_no_more_than_the_time_allowed() {
    let never = || async {
        std::future::pending::<()>().await;
        ""
    };
    let body = "<a href=/fine>Fine</a> <a href=/never>Never</a>";
    let routes = home(body).route("/fine", get(|| async { page("Fine", "") })).route("/never", get(never));
    let (address, _) = serve(routes).await;
    let setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 8_000);
    let explored = setup.run().await;
    assert!(explored.seconds < 9.0, "{}", explored.seconds);
    let seen = |title: &str| explored.record.states.iter().any(|state| state.title == title);
    assert!(seen("Home") && seen("Fine"), "what was found is kept");
    assert_told(&explored.record, &[IncidentKind::BudgetReached]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_speak_tls_fails_the_run_by_name() {
    let (address, _) = serve(home("")).await;
    let explored = Setup::of(&address.replacen("http", "https", 1)).run().await;
    assert_eq!(explored.record.summary.status, DiscoveryRunStatus::Failed);
    assert_eq!(kinds(&explored.record), [IncidentKind::TlsError].into());
    assert_told(&explored.record, &[IncidentKind::TlsError]);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_server_and_redirects_without_end_are_told() {
    let routes = home("<nav><a href=/broken>Broken</a> <a href=/loop>Loop</a> <a href=/fine>Fine</a></nav>")
        .route("/broken", get(|| async { (StatusCode::INTERNAL_SERVER_ERROR, page("Sorry", "")) }))
        .route("/loop", get(|| async { Redirect::temporary("/loop") }))
        .route("/fine", get(|| async { page("Fine", "") }));
    let (record, _) = explored(routes).await;
    assert_told(&record, &[IncidentKind::ServerError, IncidentKind::RedirectLoop]);
    assert!(record.states.iter().any(|state| state.title == "Fine"), "the rest is explored");
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_windows_and_dialogs_are_refused_and_told() {
    let file = || async {
        let headers = [
            (header::CONTENT_DISPOSITION, "attachment; filename=report.bin"),
            (header::CONTENT_TYPE, "application/octet-stream"),
        ];
        (headers, "data").into_response()
    };
    let body = "<nav><a href=/file>Report</a></nav><a href=/other target=_blank>Other page</a>\
                <button type=button aria-haspopup=dialog onclick=\"confirm('Sure?')\">Details</button>\
                <button type=button aria-haspopup=dialog onclick=\"window.open('/other')\">Show preview</button>";
    let routes = home(body).route("/file", get(file)).route("/other", get(|| async { page("Other", "") }));
    let (record, _) = explored(routes).await;
    assert_told(&record, &[IncidentKind::Download, IncidentKind::Popup, IncidentKind::Dialog]);
}

/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn a_write_behind_a_harmless_name_is_held_back_and_told_while_the_pages_own_writes_pass() {
    let body = "<script>fetch('/api/write', { method: 'POST' })</script>\
                <button type=button aria-expanded=false onclick=\"fetch('/api/secret-write', { method: 'POST' })\">More details</button>\
                <button type=button aria-expanded=false onclick=\"fetch('/api/search', { method: 'POST', body: '{}' }).then(r => r.text()).then(t => document.title = t)\">Overview</button>";
    let hits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hits);
    let secret = move || async move {
        counted.fetch_add(1, Ordering::SeqCst);
        "written"
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let search = move || async move {
        counted.fetch_add(1, Ordering::SeqCst);
        "Found"
    };
    let routes = home(body).route("/api/secret-write", post(secret)).route("/api/search", post(search));
    let (record, own) = explored(routes).await;
    assert_eq!(hits.load(Ordering::SeqCst), 0, "the write reached the server");
    assert!(own > 0, "the page may write by itself");
    let held: Vec<_> = record.incidents.iter().filter(|each| each.kind == IncidentKind::WriteHeld).collect();
    assert_eq!(held.len(), 1, "{:?}", record.incidents);
    assert!(held[0].detail.contains("/api/secret-write"));
    assert!(kinds(&record).contains(&IncidentKind::SelfWrite));
    assert!(asked.load(Ordering::SeqCst) > 0, "what only asks passes");
    let told = record.incidents.iter().any(|each| each.detail.contains("/api/search"));
    assert!(!told, "nobody is blamed for asking: {:?}", record.incidents);
    assert_told(&record, &[IncidentKind::WriteHeld, IncidentKind::SelfWrite]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_looked_at_all_the_same() {
    let body = "<p id=p></p><script>setInterval(() => { p.append(document.createElement('i')); p.firstChild.remove(); }, 1)</script>";
    let (record, _) = explored(home(body)).await;
    assert_eq!(record.states.len(), 1);
    assert_told(&record, &[IncidentKind::NeverSettled]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_a_password_by_itself_is_told_and_can_be_answered() {
    let locked = |headers: HeaderMap| async move {
        match headers.get(header::AUTHORIZATION) {
            Some(_) => page("Inside", "").into_response(),
            None => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic realm=\"staff\"")], "who?")
                .into_response(),
        }
    };
    let routes = || Router::new().route("/", get(locked));
    let (record, _) = explored(routes()).await;
    assert_told(&record, &[IncidentKind::BasicAuth]);
    let (address, _) = serve(routes()).await;
    let mut setup = Setup::of(&format!("{address}/"));
    let access = uiap_server::explore::Access {
        credentials: Some(("mira".into(), "secret".into())),
        ..uiap_server::explore::Access::default()
    };
    setup.ground.access.insert("default".into(), access);
    let explored = setup.run().await;
    assert_eq!(
        explored.record.states.iter().map(|state| state.title.as_str()).collect::<Vec<_>>(),
        ["Inside"]
    );
}

/// Requirement: DISC-12.2-03
/// Requirement: DISC-SEC-01
#[tokio::test(flavor = "multi_thread")]
async fn other_origins_are_not_reached_and_do_not_hold_a_page_up() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let inner = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async { page("Inner", "<button>Planted</button>") }
    };
    let (other, reached) =
        serve(Router::new().route("/frame", get(inner.clone())).route("/", get(inner))).await;
    let body = format!(
        "<link rel=stylesheet href='{other}/font.css'><img src='{other}/a.png'><script src='{other}/x.js'></script>\
         <iframe src='{other}/frame'></iframe><script>fetch('{other}/api/write', {{ method: 'POST' }})</script><a href='{other}/'>Partner</a>"
    );
    let body: &'static str = Box::leak(body.into_boxed_str());
    let (record, _) = explored(home(body)).await;
    assert_eq!(reached.load(Ordering::SeqCst), 0);
    assert_eq!(
        record.states.len(),
        1,
        "{:?}",
        record.states.iter().map(|state| &state.url).collect::<Vec<_>>()
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0, "the other origin was asked for a page");
    assert_told(&record, &[IncidentKind::ExternalOrigin]);
    let package = serde_json::to_string(&uiap_discovery::package::derive(&record)).unwrap();
    assert!(!package.contains("Planted") && !serde_json::to_string(&record).unwrap().contains("Planted"));
}
