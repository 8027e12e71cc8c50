//! Runs as messages: what each request answers, and when it is refused.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;
use uiap_discovery::desk::{Desk, DeskError, DeskEvent, Sink};
use uiap_model::discovery::DiscoveryRunStatus as Status;
use uiap_model::discovery::message::{DiscoveryEnd, DiscoveryResultPayload};
use uiap_model::names::Timestamp;

use super::determinism::wide;
use super::script::{BASE, Stage};

fn desk(stage: Stage) -> Desk<Stage> {
    let stage = Arc::new(stage);
    let open = Arc::new(move |_, _: &_| {
        let stage = Arc::clone(&stage);
        Box::pin(async move { Ok(stage) }) as std::pin::Pin<Box<dyn Future<Output = _> + Send>>
    });
    let refuse = Arc::new(|plan: &uiap_discovery::plan::Plan| {
        let origin = plan.base().origin();
        (origin != BASE).then(|| format!("`{origin}` may not be explored"))
    });
    Desk::new(open, refuse, || Timestamp::parse("2026-01-01T00:00:00.000Z"))
}

fn plan(desk: &Desk<Stage>, base: &str) -> Result<compact_str::CompactString, DeskError> {
    let asked = json!({
        "environment": { "environmentId": "e", "baseUrl": base, "safety": { "defaultMode": "safe_explore" } },
        "seeds": [{ "kind": "route", "routeId": "nowhere" }]
    });
    let planned = desk.plan(serde_json::from_value(asked).unwrap())?;
    assert_eq!(planned.rejected_seeds.map(|seeds| seeds.len()), Some(1));
    Ok(planned.run_id)
}

fn sink() -> (Sink, mpsc::UnboundedReceiver<DeskEvent>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Arc::new(move |event| drop(sender.send(event))), receiver)
}

async fn result(events: &mut mpsc::UnboundedReceiver<DeskEvent>) -> (Vec<Status>, DiscoveryResultPayload) {
    let mut phases = Vec::new();
    loop {
        match events.recv().await.unwrap() {
            DeskEvent::Progress(progress) => {
                if phases.last() != Some(&progress.status) {
                    phases.push(progress.status);
                }
            }
            DeskEvent::Result(result) => return (phases, result),
        }
    }
}

/// Requirement: DISC-14-01
/// Requirement: DISC-14.1-01
/// Requirement: DISC-14.2-01
/// Requirement: DISC-14.3-01
/// Requirement: DISC-14.7-01
/// Requirement: DISC-14.8-01
/// Requirement: DISC-10.2-02
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_planned_started_told_of_and_its_package_can_be_had() {
    let desk = desk(Stage::new(wide(2, 2)));
    let run = plan(&desk, &format!("{BASE}/home")).unwrap();
    assert_eq!(desk.package(&run), Err(DeskError::NoPackage(run.clone())));
    let (sink, mut events) = sink();
    assert_eq!(desk.start(&run, Arc::clone(&sink)).unwrap().run_id, run);
    assert!(matches!(desk.start(&run, sink), Err(DeskError::Phase(..))), "only once");
    let (phases, result) = result(&mut events).await;
    let expected = [
        Status::Planning,
        Status::Preparing,
        Status::Seeding,
        Status::Exploring,
        Status::Extracting,
        Status::Synthesizing,
        Status::Reviewing,
        Status::Completed,
    ];
    assert_eq!(phases, expected);
    assert_eq!(result.status, DiscoveryEnd::Completed);
    assert_eq!(result.package.check(), []);
    assert_eq!(desk.package(&run).unwrap().package, result.package);
    assert!(matches!(desk.cancel(&run), Err(DeskError::Phase(..))));
    assert!(matches!(desk.pause(&run), Err(DeskError::Phase(..))));
}

/// Requirement: DISC-14.4-01
/// Requirement: DISC-14.5-01
/// Requirement: DISC-14.6-01
#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_paused_resumed_and_cancelled_and_its_result_still_comes() {
    let mut stage = Stage::new(wide(4, 4));
    stage.latency = Duration::from_millis(1);
    let (pressed, mut presses) = mpsc::unbounded_channel();
    stage.on_press = Arc::new(move |_| pressed.send(()).unwrap_or_default());
    let desk = desk(stage);
    let run = plan(&desk, &format!("{BASE}/home")).unwrap();
    assert!(matches!(desk.pause(&run), Err(DeskError::Phase(..))), "it was not started");
    assert!(matches!(desk.resume(&run), Err(DeskError::Phase(..))));
    let (sink, mut events) = sink();
    desk.start(&run, sink).unwrap();
    presses.recv().await.unwrap();
    desk.pause(&run).unwrap();
    loop {
        match events.recv().await.unwrap() {
            DeskEvent::Progress(progress) if progress.status == Status::Paused => break,
            DeskEvent::Progress(_) => {}
            DeskEvent::Result(result) => panic!("it ended: {:?}", result.status),
        }
    }
    assert_eq!(desk.resume(&run).unwrap().status, Status::Exploring);
    desk.cancel(&run).unwrap();
    let (_, result) = result(&mut events).await;
    assert_eq!(result.status, DiscoveryEnd::Cancelled);
    assert_eq!(result.package.check(), []);
}

/// Requirement: DISC-SEC-01
#[test]
fn an_address_that_nobody_allowed_is_not_explored() {
    let desk = desk(Stage::new(wide(2, 2)));
    assert!(matches!(plan(&desk, "http://elsewhere.test/"), Err(DeskError::Refused(_))));
    assert!(matches!(desk.cancel(&"disc_9".into()), Err(DeskError::Unknown(_))));
}

/// Requirement: DISC-14.4-01
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_paused_when_it_has_explored_gives_no_result_before_it_goes_on() {
    let desk = desk(Stage::new(wide(2, 2)));
    let run = plan(&desk, &format!("{BASE}/home")).unwrap();
    let (sender, mut events) = mpsc::unbounded_channel();
    let pauser = desk.clone();
    let id = run.clone();
    let sink: Sink = Arc::new(move |event| {
        // As soon as it extracts.
        if matches!(&event, DeskEvent::Progress(told) if told.status == Status::Extracting) {
            pauser.pause(&id).unwrap();
        }
        sender.send(event).unwrap_or_default();
    });
    desk.start(&run, sink).unwrap();
    loop {
        match events.recv().await.unwrap() {
            DeskEvent::Progress(progress) if progress.status == Status::Paused => break,
            DeskEvent::Progress(_) => {}
            DeskEvent::Result(result) => panic!("it was not paused: {:?}", result.status),
        }
    }
    desk.resume(&run).unwrap();
    let (_, result) = result(&mut events).await;
    assert_eq!(result.status, DiscoveryEnd::Completed);
}
