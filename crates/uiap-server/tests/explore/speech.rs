//! What a page says in passing is heard, and what it keeps a place for is known before it speaks.

use std::time::Duration;

use axum::routing::get;
use uiap_discovery::record::RunRecord;
use uiap_model::capability::SuccessSignal;

use super::served::{explored, home};

fn signals<'a>(record: &'a RunRecord, name: &str) -> &'a [SuccessSignal] {
    let pressed =
        record.transitions.iter().find(|each| each.aim.as_ref().is_some_and(|aim| aim.name == name)).unwrap();
    &pressed.signals
}

/// Requirement: DISC-11.2-03
#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_gone_before_the_page_rests_is_a_signal() {
    // The page rests when the answer is there, long after the message.
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        "done"
    };
    let body = "<button type=button aria-expanded=false onclick=\"const toast = document.createElement('div'); toast.setAttribute('role', 'status'); \
                toast.textContent = 'List refreshed'; document.body.append(toast); setTimeout(() => toast.remove(), 500); fetch('/slow')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"const wait = document.createElement('div'); wait.setAttribute('role', 'status'); \
                wait.textContent = 'Loading…'; document.body.append(wait); fetch('/slow').then(() => wait.remove())\">Overview</button>";
    let (record, _) = explored(home(body).route("/slow", get(slow))).await;
    let toast = SuccessSignal::ToastContains { text: "List refreshed".into() };
    assert_eq!(signals(&record, "Details"), [toast]);
    assert_eq!(signals(&record, "Overview"), [], "that one has to wait is no message");
    let shown = serde_json::to_string(&record.states).unwrap();
    assert!(!shown.contains("List refreshed"), "no state shows it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_goes_on_is_no_sign_of_success() {
    let body = "<div role=status id=clock>2026/11/18 01:55:00 UTC</div><div role=status id=told></div>\
                <button type=button aria-expanded=false onclick=\"clock.textContent = '2026/11/18 01:55:01 UTC'\">Details</button>\
                <button type=button aria-expanded=false onclick=\"told.textContent = 'Sorted at 01:55:01'\">Overview</button>";
    let (record, _) = explored(home(body)).await;
    assert_eq!(signals(&record, "Details"), []);
    assert!(!signals(&record, "Overview").is_empty(), "a message may hold a time");
}
