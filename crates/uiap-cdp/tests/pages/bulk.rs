//! Much at once: big values, many calls, subscribers that do not keep up.

use std::time::{Duration, Instant};

use uiap_cdp::protocol::runtime::{ConsoleApiCalled, Evaluate};
use uiap_cdp::{Capacity, SessionEvent};

use crate::shared::{evaluate, next, page, run};

const BIG: usize = 20 << 20;

#[test]
fn twenty_megabytes_pass_both_ways() {
    run(async {
        let (_context, page) = page().await;
        let value: String = evaluate(&page, &format!("'ä'.repeat({})", BIG / 2)).await;
        assert_eq!(value.len(), BIG);
        assert!(value.chars().all(|letter| letter == 'ä'));
        let expression = format!("'{}'.length", "x".repeat(BIG));
        assert_eq!(evaluate::<usize>(&page, &expression).await, BIG);
    });
}

#[test]
fn a_thousand_calls_at_once_each_get_their_own_answer() {
    run(async {
        let (_context, page) = page().await;
        let calls = (0..1000).map(|number| {
            let page = page.clone();
            tokio::spawn(async move { evaluate::<u32>(&page, &format!("{number} + 0")).await })
        });
        for (number, answer) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(answer.await.unwrap() as usize, number);
        }
    });
}

#[test]
fn a_slow_subscriber_is_told_what_it_missed_and_delays_nobody() {
    run(async {
        let (_context, page) = page().await;
        let mut slow = page.events_within(Capacity { events: 10, bytes: 1 << 20 });
        let mut quick = page.events();
        evaluate::<u32>(&page, "for (let i = 0; i < 300; i++) console.log(i); 1").await;
        for _ in 0..300 {
            next::<ConsoleApiCalled>(&mut quick).await;
        }
        let (mut received, mut missed) = (0, 0);
        while missed == 0 {
            match slow.next().await.unwrap() {
                SessionEvent::Event(_) => received += 1,
                SessionEvent::Lagged(count) => missed = count,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(received, 10);
        assert!(missed >= 290, "{missed}");
        evaluate::<u32>(&page, "console.log('after'); 1").await;
        next::<ConsoleApiCalled>(&mut slow).await;
    });
}

#[test]
fn a_dropped_call_is_cancelled_and_the_session_goes_on() {
    run(async {
        let (_context, page) = page().await;
        for _ in 0..100 {
            let never = page.call(Evaluate {
                expression: "new Promise(() => {})",
                await_promise: true,
                ..Default::default()
            });
            assert!(tokio::time::timeout(Duration::from_millis(1), never).await.is_err());
        }
        assert_eq!(evaluate::<u32>(&page, "1").await, 1);
    });
}

#[test]
fn a_call_ends_at_its_limit() {
    run(async {
        let (_context, page) = page().await;
        let begin = Instant::now();
        let never =
            Evaluate { expression: "new Promise(() => {})", await_promise: true, ..Default::default() };
        let error = page.call_within(never, Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`Runtime.evaluate` on `about:blank` (session {}) had no answer within 200ms", page.id())
        );
        assert!(error.was_sent());
        let taken = begin.elapsed();
        assert!(taken >= Duration::from_millis(200) && taken < Duration::from_secs(10), "{taken:?}");
    });
}
