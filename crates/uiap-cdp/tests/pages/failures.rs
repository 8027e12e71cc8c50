//! Pages that hang, crash or close, and what everybody else notices of it: an error, an event, and nothing more.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use uiap_cdp::protocol::page::{Crash, Navigate};
use uiap_cdp::protocol::runtime::{Evaluate, TerminateExecution};
use uiap_cdp::{BrowserEvent, CallErrorKind, SessionEvent};

use crate::shared::{PATIENCE, browser, evaluate, page, run, until};

const NEVER: Evaluate<'static> = Evaluate {
    expression: "new Promise(() => {})",
    await_promise: true,
    object_group: None,
    silent: false,
    context_id: None,
    unique_context_id: None,
    return_by_value: false,
    user_gesture: false,
    timeout: None,
    repl_mode: false,
    allow_unsafe_eval_blocked_by_csp: None,
};

#[test]
fn a_page_that_loops_for_ever_stops_nobody_else_and_can_be_stopped() {
    run(async {
        let ((_first, busy), (_second, other)) = (page().await, page().await);
        let mut events = browser().await.events();
        let begin = Instant::now();
        let endless = Evaluate { expression: "while (true) {}", ..Default::default() };
        let error = busy.call_within(endless, Duration::from_millis(500)).await.unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::TimedOut(_)), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(10));
        assert_eq!(evaluate::<u32>(&other, "2").await, 2);

        let told = timeout(PATIENCE, async {
            while let Some(event) = events.next().await {
                if matches!(&event, BrowserEvent::Unresponsive(Some(session)) if session == busy.id()) {
                    return true;
                }
            }
            false
        });
        assert!(told.await.expect("the hang is told"));
        busy.call(TerminateExecution {}).await.unwrap();
        assert_eq!(evaluate::<u32>(&busy, "3").await, 3);
    });
}

#[test]
fn a_crash_fails_what_waits_tells_everybody_and_the_page_can_be_used_again() {
    run(async {
        let ((_first, page), (_second, other)) = (page().await, page().await);
        let (mut events, mut told) = (page.events(), browser().await.events());
        let waiting = tokio::spawn({
            let page = page.clone();
            async move { page.call(NEVER).await }
        });
        assert_eq!(evaluate::<u32>(&page, "1").await, 1, "the waiting call has left before this one");
        let begin = Instant::now();
        let crash = page.call(Crash {}).await;
        assert!(matches!(crash.unwrap_err().kind(), CallErrorKind::Crashed));
        let error = waiting.await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::Crashed), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        until(&mut events, |event| matches!(event, SessionEvent::Crashed).then_some(())).await;
        let crashed = timeout(PATIENCE, async {
            while let Some(event) = told.next().await {
                if matches!(&event, BrowserEvent::TargetCrashed { target_id, .. } if target_id == page.target_id())
                {
                    return true;
                }
            }
            false
        });
        assert!(crashed.await.expect("the crash is told"));
        assert!(page.is_crashed() && page.is_attached());
        let late = page.call_within(NEVER, Duration::from_mins(1)).await.unwrap_err();
        assert!(matches!(late.kind(), CallErrorKind::Crashed), "nobody is there to answer: {late}");
        assert_eq!(evaluate::<u32>(&other, "4").await, 4);

        page.call(Navigate { url: "about:blank", ..Default::default() }).await.unwrap();
        assert_eq!(evaluate::<u32>(&page, "5").await, 5);
        assert!(!page.is_crashed());
    });
}

#[test]
fn a_crash_by_address_is_a_crash() {
    run(async {
        let (_context, page) = page().await;
        let mut events = page.events();
        let navigation = page.call(Navigate { url: "chrome://crash", ..Default::default() }).await;
        until(&mut events, |event| matches!(event, SessionEvent::Crashed).then_some(())).await;
        assert!(navigation.is_err() || navigation.is_ok_and(|navigation| navigation.error_text.is_some()));
    });
}

#[test]
fn a_closed_page_fails_what_waits_and_what_comes_after() {
    run(async {
        let (_context, page) = page().await;
        let mut events = page.events();
        let waiting = tokio::spawn({
            let page = page.clone();
            async move { page.call(NEVER).await }
        });
        assert_eq!(evaluate::<u32>(&page, "1").await, 1, "the waiting call has left before this one");
        page.close().await.unwrap();
        let error = waiting.await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::Detached | CallErrorKind::Refused { .. }), "{error}");
        until(&mut events, |event| matches!(event, SessionEvent::Detached(_)).then_some(())).await;
        assert!(events.next().await.is_none(), "nothing follows the end");
        let error = page.call(Crash {}).await.unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::Detached), "{error}");
        assert!(!error.was_sent());
    });
}

#[test]
fn a_detached_session_leaves_its_page_alone() {
    run(async {
        let (context, page) = page().await;
        let target = page.target_id().clone();
        page.detach().await.unwrap();
        let again = browser().await.attach(target).await.unwrap();
        assert_eq!(evaluate::<u32>(&again, "7").await, 7);
        context.dispose().await.unwrap();
    });
}
