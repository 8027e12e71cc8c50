//! Commands that look at pages, and what they share: a browser of their own with one page in it.

pub(crate) mod act;
pub(crate) mod mcp;
pub(crate) mod snapshot;
pub(crate) mod trace;
pub(crate) mod watch;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use uiap_cdp::{Browser, BrowserContext, ContextOptions, LaunchOptions};
use uiap_model::policy::vocabulary::PrincipalType;
use uiap_model::policy::{PolicyGrant, PolicyPrincipal};
use uiap_policy::{Audience, Policies, Redactor};
use uiap_server::address::Reach;
use uiap_server::gate::Gate;
use uiap_web::bridge::{Bridge, BridgeGrants};
use uiap_web::quiet::{Patience, wait_quiet};
use uiap_web::signal::{Watch, WatchOptions};
use uiap_web::{OpenOptions, Page};

use crate::cli::Window;
use crate::exit::{Exit, Failure};

/// A page that never comes to rest is shown as it is then; one that only goes on changing, sooner.
const SETTLE: Patience = Patience { limit: Duration::from_secs(5), restless: Duration::from_secs(1) };

/// A page and the browser that holds it; dropping it ends the browser.
pub(crate) struct Opened {
    pub(crate) browser: Browser,
    pub(crate) page: Page,
    /// To frames of the origins that were granted, if any were.
    pub(crate) bridge: Option<Bridge>,
    /// What the browser tells of it; dialogs are answered.
    pub(crate) watch: Watch,
    /// Through which every request goes, where something is done on the page.
    _gate: Option<(BrowserContext, Gate)>,
}

/// Starts a browser and opens the page.
pub(crate) async fn open(
    url: &str,
    window: &Window,
    headless: bool,
    reach: Option<Reach>,
) -> anyhow::Result<Opened> {
    let grants = grants(window)?;
    let options = LaunchOptions {
        executable: window.browser.clone(),
        headless,
        window_size: window.viewport,
        ..LaunchOptions::default()
    };
    let browser = Browser::launch(options).await.map_err(|error| Failure {
        exit: Exit::Environment,
        message: error.to_string(),
        hint: Some("`uiap doctor` tells what is missing, `uiap doctor --fix` installs it".to_owned()),
    })?;
    let failed = |error: &dyn std::fmt::Display| Failure {
        exit: Exit::Page,
        message: format!("cannot open `{url}`: {error}"),
        hint: None,
    };
    let gate = match reach {
        Some(reach) => Some(gated(&browser, reach).await?),
        None => None,
    };
    let session = match &gate {
        Some((context, _)) => context.new_page("about:blank").await,
        None => browser.new_page("about:blank").await,
    };
    let session = session.map_err(|error| failed(&error))?;
    // Watched from the first request on, so that silence is known when it comes and no dialog stops the page.
    let watch =
        Watch::start(&browser, &session, WatchOptions::default()).await.map_err(|error| failed(&error))?;
    let options = OpenOptions { load_timeout: Duration::from_secs(window.timeout) };
    let page = Page::attach_with(session.clone(), options).await.map_err(|error| failed(&error))?;
    let bridge = grants.map(|grants| Bridge::new(&browser, &page, grants));
    if let Some(bridge) = &bridge {
        // A frame may greet as soon as it loads.
        bridge.listen().await.map_err(|error| failed(&error))?;
    }
    page.navigate(url).await.map_err(|error| failed(&error))?;
    let quiet = wait_quiet(&page, watch.network(), SETTLE).await.map_err(|error| failed(&error))?;
    if !quiet.quiet {
        tracing::info!(unrest = ?quiet.unrest, "the page does not come to rest");
    }
    Ok(Opened { browser, page, bridge, watch, _gate: gate })
}

/// A context of which every request is judged, also those that a page or a redirect makes.
async fn gated(browser: &Browser, reach: Reach) -> anyhow::Result<(BrowserContext, Gate)> {
    let gate = Gate::open(reach).await.context("the gate of the browser cannot be opened")?;
    let options = ContextOptions {
        proxy_server: Some(gate.proxy()),
        // Without this, requests to this very machine would not go through the gate.
        proxy_bypass_list: Some("<-loopback>".to_owned()),
        ..ContextOptions::default()
    };
    Ok((browser.new_context(options).await?, gate))
}

fn grants(window: &Window) -> Result<Option<BridgeGrants>, Failure> {
    if window.bridges.is_empty() {
        return Ok(None);
    }
    BridgeGrants::new(&window.bridges).map(Some).map_err(|error| Failure {
        exit: Exit::Usage,
        message: error.to_string(),
        hint: None,
    })
}

/// Resolves on Ctrl-C or SIGTERM.
pub(crate) fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Runs a command on a runtime of its own.
pub(crate) fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(future);
    // A question at the terminal that nobody answered holds nothing up.
    runtime.shutdown_timeout(Duration::from_millis(500));
    outcome
}

/// Covers what the owner of an app calls delicate; a terminal is no exception.
fn redactor() -> Redactor {
    let reader = PolicyPrincipal {
        principal_type: PrincipalType::User,
        id: "terminal".into(),
        roles: None,
        grants: Some(vec![PolicyGrant::Observe]),
    };
    // No rule is asked, so nothing is hashed that would need salt.
    Redactor::new(Arc::new(Policies::off()), &reader, Audience::Principal, [0; 32])
}
