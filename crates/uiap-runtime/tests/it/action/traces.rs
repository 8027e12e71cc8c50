//! What is written down of an action, and what can be drawn from it again.

use serde_json::{Value, json};
use uiap_runtime::trace::{Line, ReplayError, Step, replay, spans, story};

use super::{activate, field, one_button};
use crate::graph::with;
use crate::scripted::{Session, target};

/// Requirement: ACT-3-03
/// Requirement: MOB-RFC005-07-01
/// Requirement: MOB-RFC005-10-01
/// Requirement: MOB-RFC005-10-03
#[tokio::test(start_paused = true)]
async fn a_trace_survives_a_file_and_gives_the_same_verdict_a_hundred_times() {
    let session = one_button().await;
    for (id, passed) in [("b", true), ("dead", false)] {
        let came = session.act(activate(id)).await;
        let lines: Vec<String> = came.trace.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        let read: Vec<Line> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, came.trace);
        for _ in 0..100 {
            assert_eq!(replay(&read), Ok(Some(passed)));
        }
        assert!(read.iter().all(|line| line.action_handle == came.result.action_handle));
    }
}

/// Requirement: MOB-RFC005-07-01
#[tokio::test(start_paused = true)]
async fn a_trace_that_was_tampered_with_does_not_hold_together() {
    let session = one_button().await;
    let came = session
        .act(with(
            activate("b"),
            json!({ "verification": { "policy": "all", "signals": [{ "kind": "dialog.opened" }] } }),
        ))
        .await;
    type Forge = fn(&mut Step);
    let forgeries: [(&str, Forge); 5] = [
        ("the signal was not seen", |step| {
            if let Step::Expected { facts, .. } = step {
                facts.signals[0].seen = false
            }
        }),
        ("it was so before", |step| {
            if let Step::Expected { facts, .. } = step {
                facts.signals[0].new = false
            }
        }),
        ("it did not stay", |step| {
            if let Step::Expected { facts, .. } = step {
                facts.held = false
            }
        }),
        ("the page crashed", |step| {
            if let Step::Expected { facts, .. } = step {
                facts.contradictions.push("crash".to_owned())
            }
        }),
        ("another verdict", |step| {
            if let Step::Verdict { passed, .. } = step {
                *passed = false
            }
        }),
    ];
    for (what, forge) in forgeries {
        let mut lines = came.trace.clone();
        for line in &mut lines {
            forge(&mut line.step);
        }
        assert!(matches!(replay(&lines), Err(ReplayError::OtherVerdict { .. })), "{what}");
    }
    let mut swapped = came.trace.clone();
    swapped.swap(1, 3);
    assert!(matches!(replay(&swapped), Err(ReplayError::Disorder { .. })));
    let mut longer = came.trace.clone();
    longer.push(longer[2].clone());
    assert!(replay(&longer).is_err());
    let unfounded: Vec<Line> =
        came.trace.iter().filter(|line| !matches!(line.step, Step::Expected { .. })).cloned().collect();
    assert!(matches!(replay(&unfounded), Err(ReplayError::Unfounded { .. })));
}

/// Requirement: MOB-RFC005-10-01
#[tokio::test(start_paused = true)]
async fn a_trace_reads_as_a_story_and_holds_no_secret() {
    let secret = with(field("pin", "PIN"), json!({ "state": { "sensitive": true } }));
    let session = Session::on(vec![secret]).await;
    session.page.on("type", "pin", |page| {
        page.set_value("pin", "canary-4711");
        page.toast("you typed canary-4711");
    });
    let came = session
        .act(
            json!({ "actionId": "ui.enterText", "target": target("pin"), "args": { "text": "canary-4711" } }),
        )
        .await;
    came.succeeded();
    let told = story(&came.trace);
    for word in [
        "asked for ui.enterText",
        "found textbox",
        "→ EXECUTING",
        "type through semanticUi",
        "verdict: verified",
        "result: succeeded",
    ] {
        assert!(told.contains(word), "{word} in\n{told}");
    }
    let everything = format!("{told}{:?}{:?}{}", came.events, came.result, json!(came.trace));
    assert!(!everything.contains("canary-4711"), "{everything}");
    assert!(!json!(*session.audit.lock().unwrap()).to_string().contains("canary-4711"));
}

/// Requirement: MOB-RFC005-10-03
#[tokio::test(start_paused = true)]
async fn a_trace_becomes_spans() {
    let session = one_button().await;
    let (good, bad) = (session.act(activate("b")).await, session.act(activate("dead")).await);
    let told = spans("shop", [good.trace.as_slice(), bad.trace.as_slice()]);
    let list = told["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    let roots: Vec<&Value> = list.iter().filter(|span| span.get("parentSpanId").is_none()).collect();
    assert_eq!(roots.len(), 2);
    assert_eq!((&roots[0]["name"], &roots[0]["status"]["code"]), (&json!("ui.activate"), &json!(1)));
    assert_eq!(roots[1]["status"]["code"], 2);
    assert!(roots[1]["status"]["message"].as_str().unwrap().contains("verification_failed"));
    assert_ne!(roots[0]["traceId"], roots[1]["traceId"]);
    for span in &list {
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        let nanos = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
        assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"));
        assert!(nanos("startTimeUnixNano") > 1_500_000_000_000_000_000);
    }
    let ids: std::collections::HashSet<&Value> = list.iter().map(|span| &span["spanId"]).collect();
    assert_eq!(ids.len(), list.len());
    let children = list.iter().filter(|span| span["parentSpanId"] == roots[0]["spanId"]);
    assert_eq!(children.count(), good.states().len());
    assert_eq!(spans("shop", [good.trace.as_slice()]), spans("shop", [good.trace.as_slice()]));
}
