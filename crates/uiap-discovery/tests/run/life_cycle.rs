//! The phases of a run, in order; pause, resume, cancel; events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use uiap_discovery::record::IncidentKind;
use uiap_discovery::run::{Control, RunEvent};
use uiap_model::discovery::DiscoveryRunStatus as Status;

use super::determinism::wide;
use super::script::{Setup, Stage, app};

fn statuses(setup: &Setup) -> Vec<Status> {
    let events = setup.events.lock().unwrap();
    events
        .iter()
        .filter_map(|event| if let RunEvent::Status(status) = event { Some(*status) } else { None })
        .collect()
}

/// Requirement: DISC-10.2-02
/// Requirement: DISC-17-01
#[tokio::test]
async fn a_run_goes_through_its_phases_in_order() {
    let setup = Setup::default();
    let record = setup.run(&Stage::new(wide(2, 2))).await;
    let expected =
        [Status::Planning, Status::Preparing, Status::Seeding, Status::Exploring, Status::Extracting];
    assert_eq!(statuses(&setup), expected);
    assert_eq!(record.summary.status, Status::Extracting);
    let events = setup.events.lock().unwrap();
    let first_act = events.iter().position(|event| matches!(event, RunEvent::Acted { .. })).unwrap();
    let explores =
        events.iter().position(|event| matches!(event, RunEvent::Status(Status::Exploring))).unwrap();
    assert!(explores < first_act, "nothing is done before exploring begins");
}

/// Requirement: DISC-11.1-01
#[tokio::test]
async fn what_a_run_sets_out_with_is_written_down_before_the_first_page_is_opened() {
    let stage = Stage::new(wide(1, 1));
    let opened = Arc::clone(&stage.opened);
    let seen = Arc::new(AtomicUsize::new(usize::MAX));
    let counted = Arc::clone(&seen);
    let setup = Setup {
        on_event: Arc::new(move |event| {
            if matches!(event, RunEvent::Prepared(_)) {
                counted.store(opened.lock().unwrap().len(), Ordering::SeqCst);
            }
        }),
        ..Setup::default()
    };
    setup.run(&stage).await;
    assert_eq!(seen.load(Ordering::SeqCst), 0, "pages were opened before");
    let events = setup.events.lock().unwrap();
    let prepared = events.iter().find_map(|event| match event {
        RunEvent::Prepared(prepared) => Some(prepared.clone()),
        _ => None,
    });
    let prepared = prepared.unwrap();
    let members: Vec<&str> = prepared.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted =
        ["environment", "principalProfiles", "featureFlags", "budgets", "safety", "uiapProfiles", "seeds"];
    assert_eq!(members, wanted);
    assert!(wanted.iter().all(|member| !prepared[member].is_null()), "{prepared}");
    assert_eq!(prepared["featureFlags"], serde_json::json!({}), "none is told as none");
    assert_eq!(prepared["seeds"].as_array().unwrap().len(), 1);
}

/// Requirement: DISC-14.4-01
/// Requirement: DISC-14.5-01
#[tokio::test(start_paused = true)]
async fn a_paused_run_does_nothing_until_it_goes_on_and_then_finds_the_same() {
    let whole = Setup::default().run(&Stage::new(wide(3, 3))).await;
    let stage = Stage::new(wide(3, 3));
    let control = Control::default();
    let acted = Arc::new(AtomicUsize::new(0));
    let setup = Setup {
        control: control.clone(),
        on_event: Arc::new({
            let (control, acted, stage) = (control.clone(), Arc::clone(&acted), stage.clone());
            move |event| {
                let is_due =
                    matches!(event, RunEvent::Acted { .. }) && acted.fetch_add(1, Ordering::SeqCst) == 4;
                if is_due {
                    control.pause();
                    tokio::spawn(resume_later(control.clone(), stage.clone()));
                }
            }
        }),
        ..Setup::default()
    };
    let record = setup.run(&stage).await;
    assert!(super::script::canonical(&record) == super::script::canonical(&whole), "something differs");
}

/// Whoever was under way when the pause came may finish; nobody begins. The clock stands still as long as somebody has work.
async fn resume_later(control: Control, stage: Stage) {
    let idle = || tokio::time::sleep(Duration::from_mins(1));
    idle().await;
    let before = stage.pressed().len();
    idle().await;
    assert_eq!(stage.pressed().len(), before, "something was pressed in the pause");
    control.resume();
}

/// Requirement: DISC-14.6-01
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_stops_at_once_and_keeps_what_it_found() {
    let mut stage = Stage::new(wide(4, 4));
    stage.latency = Duration::from_millis(5);
    let control = Control::default();
    let acted = Arc::new(AtomicUsize::new(0));
    let setup = Setup {
        control: control.clone(),
        workers: 3,
        on_event: Arc::new(move |event| {
            if matches!(event, RunEvent::Acted { .. }) && acted.fetch_add(1, Ordering::SeqCst) == 10 {
                control.cancel();
            }
        }),
        ..Setup::default()
    };
    let record = setup.run(&stage).await;
    assert_eq!(record.summary.status, Status::Cancelled);
    assert_eq!(statuses(&setup).last(), Some(&Status::Cancelled));
    assert!((11..40).contains(&record.transitions.len()), "{}", record.transitions.len());
}

#[tokio::test]
async fn a_base_address_that_leads_nowhere_fails_the_run_with_an_incident() {
    let record = Setup::default().run(&Stage::new(app(vec![]))).await;
    assert_eq!(record.summary.status, Status::Failed);
    assert!(record.states.is_empty());
    assert_eq!(
        record.incidents.iter().map(|each| each.kind).collect::<Vec<_>>(),
        [IncidentKind::Unreachable]
    );
}

/// Requirement: DISC-14.3-01
#[tokio::test]
async fn progress_tells_how_far_it_is() {
    let setup = Setup::default();
    let record = setup.run(&Stage::new(wide(2, 2))).await;
    let events = setup.events.lock().unwrap();
    let last = events.iter().rev().find_map(|event| match event {
        RunEvent::Progress(progress) => Some(progress.clone()),
        _ => None,
    });
    let last = last.unwrap();
    assert_eq!((last.states, last.transitions), (record.states.len(), record.transitions.len()));
    assert!(last.doing.is_some() && last.routes > 0);
}
