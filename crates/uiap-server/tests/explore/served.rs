//! A small app on loopback, made for one test, that counts what was written to it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::{get, post};
use uiap_discovery::record::{IncidentKind, RunRecord};

use super::harness::Setup;

const FRAME: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>";

pub(crate) fn page(title: &str, body: &str) -> Html<String> {
    Html(format!("{FRAME}{title}</title><h1>{title}</h1>{body}</html>"))
}

/// Serves an app on loopback; gives its address and how often something was written.
pub(crate) async fn serve(routes: Router<Arc<AtomicUsize>>) -> (String, Arc<AtomicUsize>) {
    let writes = Arc::new(AtomicUsize::new(0));
    let write = |State(writes): State<Arc<AtomicUsize>>| async move {
        writes.fetch_add(1, Ordering::SeqCst);
        "done"
    };
    let app =
        routes.route("/api/write", post(write).get(write).delete(write)).with_state(Arc::clone(&writes));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, writes)
}

pub(crate) fn kinds(record: &RunRecord) -> BTreeSet<IncidentKind> {
    record.incidents.iter().map(|incident| incident.kind).collect()
}

pub(crate) async fn explored(routes: Router<Arc<AtomicUsize>>) -> (RunRecord, usize) {
    let (address, writes) = serve(routes).await;
    let explored = Setup::of(&format!("{address}/"))
        .budget("maxRuntimeMs", 60_000)
        .budget("maxTransitions", 60)
        .run()
        .await;
    assert!(explored.seconds < 62.0, "{}", explored.seconds);
    (explored.record, writes.load(Ordering::SeqCst))
}

pub(crate) fn home(body: &'static str) -> Router<Arc<AtomicUsize>> {
    Router::new().route("/", get(move || async move { page("Home", body) }))
}
