//! One browser for all tests, and the words that tests are written in.

use std::future::Future;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, BrowserContext, ContextOptions, LaunchOptions, Session};
use uiap_model::document::{kind, validate};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};
use uiap_web::{OpenOptions, Page};

const PATIENCE: Duration = Duration::from_secs(200);

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static BROWSER: OnceCell<Browser> = OnceCell::const_new();

tokio::task_local! {
    static CONTEXT: Arc<Mutex<Option<BrowserContext>>>;
}

pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    let context = Arc::default();
    let test = CONTEXT.scope(Arc::clone(&context), test);
    RUNTIME.block_on(async {
        let done = timeout(PATIENCE, test).await.expect("the test hangs");
        let context: Option<BrowserContext> = context.lock().await.take();
        if let Some(context) = context {
            // A browser that the test ended has no contexts any more.
            drop(context.dispose().await);
        }
        done
    })
}

pub(crate) async fn browser() -> &'static Browser {
    let launch = async || Browser::launch(LaunchOptions::default()).await.unwrap();
    BROWSER.get_or_init(launch).await
}

/// A page that shows this HTML.
pub(crate) async fn page(html: &str) -> Page {
    open(&serve(html).await).await
}

/// A page of the test's own context: its renderer is nobody else's, and it goes when the test ends.
pub(crate) async fn open(url: &str) -> Page {
    // A machine with much else to do takes its time with large pages.
    open_with(url, OpenOptions { load_timeout: Duration::from_secs(90) }).await
}

pub(crate) async fn open_with(url: &str, options: OpenOptions) -> Page {
    let page = Page::attach_with(blank().await, options).await.unwrap();
    page.navigate(url).await.unwrap();
    page
}

/// An empty page in the test's own context.
pub(crate) async fn blank() -> Session {
    let mut slot = CONTEXT.with(Clone::clone).lock_owned().await;
    if slot.is_none() {
        *slot = Some(browser().await.new_context(ContextOptions::default()).await.unwrap());
    }
    slot.as_ref().unwrap().new_page("about:blank").await.unwrap()
}

/// Serves one HTML page at every path of a loopback port, with a strict content security policy where it asks for one.
pub(crate) async fn serve(html: &str) -> String {
    serve_with("", html).await
}

pub(crate) async fn serve_with(headers: &str, html: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{html}",
        html.len()
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                // A browser that hangs up early is no failure of the page.
                if stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    url
}

pub(crate) async fn evaluate(page: &Page, expression: &str) -> Value {
    let evaluate = Evaluate { expression, return_by_value: true, await_promise: true, ..Evaluate::default() };
    let evaluation = page.session().call(evaluate).await.unwrap();
    assert!(evaluation.exception_details.is_none(), "{:?}", evaluation.exception_details);
    evaluation.result.value_as().unwrap().unwrap_or_default()
}

/// The snapshot of a page, after it passed every check that there is.
pub(crate) async fn snapshot(page: &Page) -> PageGraph {
    snapshot_with(page, &options("{}")).await
}

pub(crate) async fn snapshot_with(page: &Page, options: &SnapshotOptions) -> PageGraph {
    let graph = page.snapshot(options).await.unwrap();
    let value = serde_json::to_value(&graph).unwrap();
    let problems = validate(&value, kind("PageGraph").unwrap());
    assert!(problems.is_empty(), "{problems:#?}");
    graph
}

pub(crate) fn options(json: &str) -> SnapshotOptions {
    serde_json::from_str(json).unwrap()
}

pub(crate) fn json(graph: &PageGraph) -> String {
    serde_json::to_string(graph).unwrap()
}

/// The element of that name; there must be one only.
pub(crate) fn element<'a>(graph: &'a PageGraph, name: &str) -> &'a ElementNode {
    let hits: Vec<_> = named(graph, name);
    assert_eq!(hits.len(), 1, "elements `{name}` in {}", outline(graph));
    hits.first().unwrap()
}

pub(crate) fn named<'a>(graph: &'a PageGraph, name: &str) -> Vec<&'a ElementNode> {
    graph.elements().map(|(_, _, each)| each).filter(|each| each.name.as_deref() == Some(name)).collect()
}

pub(crate) fn has(graph: &PageGraph, name: &str) -> bool {
    !named(graph, name).is_empty()
}

pub(crate) fn scope_of(graph: &PageGraph, kind: ScopeKind) -> &ScopeNode {
    let hit = graph.scopes().map(|(_, scope)| scope).find(|scope| scope.kind == kind);
    hit.unwrap_or_else(|| panic!("no scope of kind {kind:?} in {}", outline(graph)))
}

/// A member of an element's state, as JSON; null where absent.
pub(crate) fn state(element: &ElementNode, key: &str) -> Value {
    serde_json::to_value(&element.state).unwrap().get(key).cloned().unwrap_or_default()
}

pub(crate) fn role(element: &ElementNode) -> String {
    text(&element.role)
}

pub(crate) fn text(word: &impl serde::Serialize) -> String {
    serde_json::to_value(word).unwrap().as_str().unwrap_or_default().to_owned()
}

pub(crate) fn outline(graph: &PageGraph) -> String {
    let mut lines = Vec::new();
    for (document, scope) in graph.scopes() {
        lines.push(format!("{} {} [{}]", document.document_id, scope.id, text(&scope.kind)));
        for each in &scope.elements {
            let name = each.name.as_deref().unwrap_or_default();
            lines.push(format!("  {} {} `{name}`", each.instance_id, role(each)));
        }
    }
    lines.join("\n")
}
