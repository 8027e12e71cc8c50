//! One browser for all tests, on a runtime that outlives each of them, and the words that tests are written in.

use std::future::Future;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use uiap_cdp::protocol::page::{AddScriptToEvaluateOnNewDocument, Enable, LoadEventFired, Navigate};
use uiap_cdp::protocol::runtime::{AddBinding, Enable as EnableRuntime, Evaluate};
use uiap_cdp::protocol::{Method, ProtocolEvent};
use uiap_cdp::{AutoAttach, Browser, BrowserContext, ContextOptions, LaunchOptions, Preparation, Session};
use uiap_cdp::{SessionEvent, SessionEvents};

/// No test waits longer than this for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The isolated world of the prepared script.
pub(crate) const WORLD: &str = "probe";

/// Runs before every page's own scripts: notes whether any had run, and tells.
const PROBE: &str =
    "globalThis.firstSeen = document.querySelectorAll('script').length + '/' + document.readyState;
    tell(location.href);";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static BROWSER: OnceCell<Browser> = OnceCell::const_new();

pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    RUNTIME.block_on(async { timeout(2 * PATIENCE, test).await.expect("the test hangs") })
}

pub(crate) fn options() -> LaunchOptions {
    let scratch_root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("profiles");
    LaunchOptions { scratch_root: Some(scratch_root), ..LaunchOptions::default() }
}

/// The shared browser. Every session in it is prepared with the probe.
pub(crate) async fn browser() -> &'static Browser {
    let launch = async || {
        let options =
            LaunchOptions { auto_attach: AutoAttach::default().prepare(|_| preparations()), ..options() };
        Browser::launch(options).await.unwrap()
    };
    BROWSER.get_or_init(launch).await
}

fn preparations() -> Vec<Preparation> {
    let script =
        AddScriptToEvaluateOnNewDocument { source: PROBE, world_name: Some(WORLD), run_immediately: false };
    let binding = AddBinding { name: "tell", execution_context_name: Some(WORLD) };
    [
        Preparation::new(&Enable {}),
        Preparation::new(&EnableRuntime {}),
        Preparation::new(&binding),
        Preparation::new(&script),
    ]
    .map(Result::unwrap)
    .into()
}

/// A page in a context of its own, so that tests do not meet.
pub(crate) async fn page() -> (BrowserContext, Session) {
    let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
    let page = context.new_page("about:blank").await.unwrap();
    (context, page)
}

/// Navigates and waits for the load.
pub(crate) async fn open(page: &Session, url: &str) {
    let mut events = page.events();
    let navigation = page.call(Navigate { url, ..Default::default() }).await.unwrap();
    assert_eq!(navigation.error_text, None);
    next::<LoadEventFired>(&mut events).await;
}

pub(crate) async fn evaluate<T: DeserializeOwned>(page: &Session, expression: &str) -> T {
    let evaluate = Evaluate { expression, return_by_value: true, await_promise: true, ..Default::default() };
    let evaluation = page.call(evaluate).await.unwrap();
    assert!(evaluation.exception_details.is_none(), "{:?}", evaluation.exception_details);
    evaluation.result.value_as().unwrap().unwrap_or_else(|| panic!("`{expression}` has no value"))
}

/// The next event of this kind.
pub(crate) async fn next<E: ProtocolEvent>(events: &mut SessionEvents) -> E {
    until(events, |event| if let SessionEvent::Event(event) = event { event.read::<E>() } else { None }).await
}

/// The first event that is wanted.
pub(crate) async fn until<T>(
    events: &mut SessionEvents,
    mut want: impl FnMut(SessionEvent) -> Option<T>,
) -> T {
    let mut seen = Vec::new();
    let search = async {
        while let Some(event) = events.next().await {
            seen.push(format!("{event:?}"));
            if let Some(wanted) = want(event) {
                return Some(wanted);
            }
        }
        None
    };
    let found = timeout(PATIENCE, search).await;
    found.ok().flatten().unwrap_or_else(|| panic!("no such event, but {seen:#?}"))
}

/// Calls and ignores what is answered.
pub(crate) async fn call<M: Method>(page: &Session, method: M) {
    page.call(method).await.unwrap();
}
