//! Targets that stay held back until they are let go, one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::timeout;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{AutoAttach, Browser, BrowserEvent, LaunchOptions};

use crate::bystander::Place;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_paused_runs_when_it_is_resumed_workers_included() {
    let place = Place::new();
    let auto_attach = AutoAttach::default().leave_paused();
    let browser = Browser::launch(LaunchOptions { auto_attach, ..place.options() }).await.unwrap();
    let resumed = Arc::new(AtomicUsize::new(0));
    let mut events = browser.events();
    let counted = Arc::clone(&resumed);
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if let BrowserEvent::Attached(session) = event {
                assert!(session.began_paused());
                counted.fetch_add(1, Ordering::AcqRel);
                session.resume().await.unwrap();
            }
        }
    });
    let page = browser.new_page("data:text/html,<title>went on</title>").await.unwrap();
    let expression = "new Promise(done => {
        const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(5)'])));
        worker.onmessage = message => done(message.data); })";
    let answer = timeout(Duration::from_secs(20), async {
        loop {
            let title =
                Evaluate { expression: "document.title", return_by_value: true, ..Default::default() };
            // While the page goes from its first document to its own, an evaluation may fall between the two.
            if let Ok(title) = page.call(title).await
                && title.result.value_as::<String>().unwrap().as_deref() == Some("went on")
            {
                break;
            }
        }
        page.call(Evaluate { expression, await_promise: true, return_by_value: true, ..Default::default() })
            .await
    });
    let answer = answer.await.expect("the page runs").unwrap();
    assert_eq!(answer.result.value_as::<u32>().unwrap(), Some(5));
    assert_eq!(resumed.load(Ordering::Acquire), 2);
    browser.close().await;
}
