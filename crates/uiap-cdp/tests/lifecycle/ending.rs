//! How a browser ends: closed, dropped, killed, hanging, with its owner's panic.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::time::timeout;
use uiap_cdp::protocol::browser::GetVersion;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{
    Browser, BrowserEvent, CallErrorKind, DetachReason, DisconnectReason, Exit, LaunchOptions, SessionEvent,
};

use crate::bystander::{Place, signal, zombies};

const NEVER: &str = "new Promise(() => {})";

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_browser_leaves_nothing() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let page = browser.new_page("about:blank").await.unwrap();
    assert!(place.processes().len() > 3);
    assert_eq!(place.profiles().len(), 1);
    let pid = browser.process_id().unwrap();
    browser.close().await;
    assert!(place.profiles().is_empty(), "the profile is gone when close returns");
    place.wait_clean();
    assert!(!zombies().contains(&pid));
    assert!(page.call(GetVersion {}).await.unwrap_err().is_disconnected());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_browser_leaves_nothing_even_while_its_sessions_are_held() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let pid = browser.process_id().unwrap();
    let page = browser.new_page("about:blank").await.unwrap();
    let mut events = page.events();
    drop(browser);
    assert!(place.profiles().is_empty(), "the profile is gone when drop returns");
    place.wait_clean();
    assert!(!zombies().contains(&pid));
    assert!(page.call(GetVersion {}).await.unwrap_err().is_disconnected());
    let end = timeout(Duration::from_secs(2), async {
        while let Some(event) = events.next().await {
            if let SessionEvent::Detached(reason) = event {
                return Some(reason);
            }
        }
        None
    });
    assert!(matches!(end.await.unwrap(), Some(DetachReason::Disconnected(_))));
}

#[test]
fn a_browser_dropped_after_its_runtime_leaves_nothing_and_fails_what_waits() {
    let place = Place::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (browser, page) = runtime.block_on(async {
        let browser = Browser::launch(place.options()).await.unwrap();
        let page = browser.new_page("about:blank").await.unwrap();
        (browser, page)
    });
    drop(runtime);
    let other = tokio::runtime::Runtime::new().unwrap();
    let error = other.block_on(page.call(GetVersion {})).unwrap_err();
    assert!(error.is_disconnected(), "{error}");
    drop(other);
    let pid = browser.process_id().unwrap();
    drop(browser);
    assert!(place.profiles().is_empty());
    place.wait_clean();
    assert!(!zombies().contains(&pid));
}

#[test]
fn a_panic_takes_the_browser_with_it() {
    let place = Place::new();
    let options = place.options();
    let outcome = std::thread::spawn(move || {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let browser = Browser::launch(options).await.unwrap();
            browser.new_page("about:blank").await.unwrap();
            panic!("on purpose");
        });
    })
    .join();
    assert!(outcome.is_err());
    place.wait_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_that_is_given_up_leaves_nothing() {
    let place = Place::new();
    for delay in [0, 5, 20, 60, 120] {
        let launch = timeout(Duration::from_millis(delay), Browser::launch(place.options()));
        drop(launch.await);
        place.wait_clean();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_fails_what_waits_at_once_and_leaves_nothing() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let pid = browser.process_id().unwrap();
    let page = browser.new_page("about:blank").await.unwrap();
    let (mut of_browser, mut of_page) = (browser.events(), page.events());
    let waiting: Vec<_> = (0..50)
        .map(|_| {
            let page = page.clone();
            let never = async move {
                page.call(Evaluate { expression: NEVER, await_promise: true, ..Default::default() }).await
            };
            tokio::spawn(never)
        })
        .collect();
    page.call(Evaluate { expression: "1", ..Default::default() }).await.unwrap();
    let begin = Instant::now();
    signal(pid, Signal::KILL);
    for call in waiting {
        let error = call.await.unwrap().unwrap_err();
        let CallErrorKind::Disconnected(reason) = error.kind() else { panic!("{error}") };
        // On a machine that is too busy to bury it in time, only that it is gone is known.
        assert!(
            matches!(reason, DisconnectReason::Exited(Exit::Signal(9)) | DisconnectReason::EndOfStream),
            "{error}"
        );
        assert!(error.was_sent());
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    place.wait_clean();
    assert!(!zombies().contains(&pid));
    let last = async |events: &mut uiap_cdp::BrowserEvents| {
        let mut last = None;
        while let Some(event) = events.next().await {
            last = Some(event);
        }
        last
    };
    assert!(matches!(last(&mut of_browser).await, Some(BrowserEvent::Disconnected(_))));
    while let Some(event) = of_page.next().await {
        drop(event);
    }
    assert!(browser.disconnected().is_some());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_stands_still_is_told_and_can_be_closed() {
    let place = Place::new();
    let options = LaunchOptions { call_timeout: Duration::from_millis(300), ..place.options() };
    let browser = Browser::launch(options).await.unwrap();
    let mut events = browser.events();
    let pid = browser.process_id().unwrap();
    signal(pid, Signal::STOP);
    let error = browser.call(GetVersion {}).await.unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::TimedOut(_)), "{error}");
    let told = timeout(Duration::from_secs(5), async {
        while let Some(event) = events.next().await {
            if matches!(event, BrowserEvent::Unresponsive(None)) {
                return true;
            }
        }
        false
    });
    assert!(told.await.unwrap());
    let begin = Instant::now();
    browser.close().await;
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    place.wait_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_stood_still_goes_on_afterwards() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let pid = browser.process_id().unwrap();
    signal(pid, Signal::STOP);
    assert!(browser.call_within(GetVersion {}, Duration::from_millis(200)).await.is_err());
    signal(pid, Signal::CONT);
    browser.call(GetVersion {}).await.unwrap();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_closed_from_within_is_told() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let mut events = browser.events();
    drop(browser.call(uiap_cdp::protocol::browser::Close {}).await);
    let end = timeout(Duration::from_secs(5), async {
        while let Some(event) = events.next().await {
            if let BrowserEvent::Disconnected(reason) = event {
                return Some(reason);
            }
        }
        None
    });
    let reason = end.await.unwrap().unwrap();
    assert!(
        matches!(reason, DisconnectReason::Exited(Exit::Code(0)) | DisconnectReason::EndOfStream),
        "{reason}"
    );
    place.wait_clean();
}
