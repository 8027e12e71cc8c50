//! What was told around an action, sorted by what it has to do with it.

use serde_json::{Value, json};
use uiap_model::names::ActionHandle;
use uiap_runtime::trace::{Diagnosis, DiagnosticClass as Class, Origin, Record, Relevance, diagnose};

use super::{activate, button};
use crate::scripted::{Came, Session};

fn record(at_ms: f64, signal: Value) -> Record {
    Record { at_ms, text: signal.to_string() }
}

fn browser(name: &str, text: &str) -> Value {
    json!({ "kind": "custom", "name": name, "payload": { "text": text } })
}

fn by(mut signal: Value, handle: &ActionHandle) -> Value {
    signal["actionHandle"] = json!(handle);
    signal
}

async fn acted() -> Came {
    let session = Session::on(vec![button("b", "Save")]).await;
    session.page.on("click", "b", |page| page.later(300, |page| page.toast("saved")));
    session.act(activate("b")).await
}

fn texts(diagnosis: &Diagnosis) -> Vec<usize> {
    diagnosis.linked.iter().map(|each| each.record).collect()
}

/// Requirement: MOB-ROADMAP-SIGNAL-01
/// Requirement: MOB-ROADMAP-SIGNAL-04
#[tokio::test(start_paused = true)]
async fn every_entry_gets_one_class_and_one_origin_and_none_stops_the_rest() {
    let came = acted().await;
    let cases = [
        (browser("browser.crash", "gone"), Class::Crash, Origin::System),
        (browser("browser.console.error", "x is undefined"), Class::Error, Origin::App),
        (browser("browser.page.error", "TypeError"), Class::Error, Origin::App),
        (browser("browser.request.failed", "refused"), Class::Network, Origin::System),
        (browser("browser.download", "started"), Class::Message, Origin::System),
        (
            json!({ "kind": "network.response", "url": "http://a/", "status": 200 }),
            Class::Network,
            Origin::Unknown,
        ),
        (
            json!({ "kind": "network.response", "url": "http://a/", "status": 503 }),
            Class::Error,
            Origin::Unknown,
        ),
        (json!({ "kind": "toast.shown", "text": "Saved" }), Class::Message, Origin::App),
        (json!({ "kind": "toast.shown", "text": "No", "severity": "error" }), Class::Error, Origin::App),
        (json!({ "kind": "dialog.opened", "scopeId": "d" }), Class::Interface, Origin::App),
        (json!({ "kind": "custom", "name": "video.rendered" }), Class::Message, Origin::App),
        (json!("half a li"), Class::Unreadable, Origin::Unknown),
        (json!({ "kind": "nobody.knows" }), Class::Unreadable, Origin::Unknown),
    ];
    let mut records: Vec<Record> = cases.iter().map(|(signal, ..)| record(10.0, signal.clone())).collect();
    records.insert(0, Record { at_ms: 1.0, text: "{ half a line".to_owned() });
    let diagnosis = diagnose(&came.trace, &records);
    let all: Vec<_> = diagnosis.linked.iter().chain(&diagnosis.background).collect();
    assert_eq!(all.len(), records.len());
    for (number, (signal, class, origin)) in cases.iter().enumerate() {
        let found = all.iter().find(|each| each.record == number + 1).unwrap();
        assert_eq!((found.class, found.origin), (*class, *origin), "{signal}");
    }
}

/// Requirement: MOB-ROADMAP-SIGNAL-02
#[tokio::test(start_paused = true)]
async fn noise_is_told_apart_from_what_matters_and_nothing_is_lost() {
    let came = acted().await;
    let handle = &came.result.action_handle;
    let mut records: Vec<Record> = (0..1_000_u32)
        .map(|turn| match turn % 3 {
            0 => record(f64::from(turn), browser("browser.console.error", "socket closed, trying again")),
            1 => record(
                f64::from(turn),
                json!({ "kind": "custom", "name": "app.heartbeat", "payload": { "turn": turn } }),
            ),
            _ => record(
                f64::from(turn),
                json!({ "kind": "network.response", "url": format!("http://a/{turn}"), "status": 200 }),
            ),
        })
        .collect();
    let relevant = [
        browser("browser.page.error", "TypeError: no video"),
        browser("browser.crash", "gone"),
        by(json!({ "kind": "network.response", "url": "http://a/save", "status": 409 }), handle),
        by(json!({ "kind": "toast.shown", "text": "Could not save" }), handle),
        json!({ "kind": "toast.shown", "text": "No room", "severity": "error" }),
    ];
    for (at, signal) in relevant.iter().enumerate() {
        records.insert(at * 150 + 7, record(200.0, signal.clone()));
    }
    let diagnosis = diagnose(&came.trace, &records);
    let mut kept = texts(&diagnosis);
    kept.sort_unstable();
    assert_eq!(kept, [7, 157, 307, 457, 607]);
    assert_eq!(diagnosis.background.len(), 1_000);
}

/// Requirement: MOB-ROADMAP-SIGNAL-03
#[tokio::test(start_paused = true)]
async fn what_is_nearer_in_time_and_place_matters_more() {
    let came = acted().await;
    let status =
        |scope: &str, text: &str| json!({ "kind": "status.changed", "text": text, "scopeId": scope });
    let records = [
        record(-60_000.0, status("main", "long before")),
        record(100.0, status("elsewhere", "meanwhile, elsewhere")),
        record(100.0, status("main", "meanwhile, here")),
        record(60_000.0, status("elsewhere", "long after, elsewhere")),
        record(90_000.0, status("elsewhere", "longer after, elsewhere")),
    ];
    let diagnosis = diagnose(&came.trace, &records);
    let order: Vec<usize> = diagnosis.background.iter().map(|each| each.record).collect();
    assert_eq!(order, [2, 1, 0, 3, 4], "equals keep their order");
    for entry in &diagnosis.background {
        assert!((0.0..=1.0).contains(&entry.relevance.get()));
    }
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(Relevance::new(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Relevance::new(0.5).map(Relevance::get), Ok(0.5));
}

/// Requirement: MOB-ROADMAP-SIGNAL-05
#[tokio::test(start_paused = true)]
async fn an_error_that_an_action_causes_is_in_its_list_and_the_chatter_is_not() {
    let session = Session::on(vec![button("b", "Save"), button("calm", "Calm")]).await;
    fn chatter(page: &crate::scripted::Page, turn: u32) {
        page.tell(json!({ "kind": "custom", "name": "app.heartbeat", "payload": { "turn": turn } }));
        page.tell(browser("browser.console.error", "socket closed, trying again"));
        if turn < 40 {
            page.later(100, move |page| chatter(page, turn + 1));
        }
    }
    chatter(&session.page, 0);
    session.page.on("click", "b", |page| {
        page.tell(browser("browser.page.error", "TypeError: no video"));
        page.toast("saved");
    });
    session.page.on("click", "calm", |page| page.later(50, |page| page.add("main", button("n", "New"))));
    tokio::time::sleep_until(tokio::time::Instant::now() + std::time::Duration::from_millis(450)).await;
    let came = session.act(activate("b")).await;
    let diagnosis = session.runtime.diagnosis(&came.result.action_handle).unwrap();
    assert_eq!(diagnosis.linked.len(), 1, "{:?}", diagnosis.linked);
    assert!(diagnosis.linked[0].text.contains("no video"));
    assert!(diagnosis.background.len() >= 8);
    tokio::time::advance(std::time::Duration::from_millis(1)).await;
    let calm = session.act(activate("calm")).await;
    assert_eq!(session.runtime.diagnosis(&calm.result.action_handle).unwrap().linked, []);
}

/// Requirement: MOB-ROADMAP-TRACE-01
#[tokio::test(start_paused = true)]
async fn each_call_belongs_to_the_action_that_made_it_and_an_unrelated_one_to_none() {
    let session = Session::on(vec![button("a", "Load"), button("b", "Save")]).await;
    let handle = |number: u32| ActionHandle::parse(&format!("ses_1:act_{number}")).unwrap();
    let call = |path: &str| json!({ "kind": "network.response", "url": format!("http://127.0.0.1/{path}"), "status": 200 });
    for (id, number, path) in [("a", 1, "load"), ("b", 2, "save")] {
        let told = by(call(path), &handle(number));
        let beacon = call("beacon");
        session.page.on("click", id, move |page| {
            page.tell(beacon.clone());
            let told = told.clone();
            page.later(150, move |page| {
                page.tell(told);
                page.toast("done");
            });
        });
    }
    let first = session.request(activate("a")).await.unwrap();
    let second = session.request(activate("b")).await.unwrap();
    let first = session.end(first, tokio::time::Instant::now()).await;
    let second = session.end(second, tokio::time::Instant::now()).await;
    for (came, path) in [(&first, "load"), (&second, "save")] {
        let diagnosis = session.runtime.diagnosis(&came.succeeded().result.action_handle).unwrap();
        assert_eq!(diagnosis.linked.len(), 1, "{:?}", diagnosis.linked);
        assert!(diagnosis.linked[0].text.contains(path), "{path}: {:?}", diagnosis.linked);
        assert!(diagnosis.linked[0].relevance.get() >= 0.5);
        let unclaimed = diagnosis.background.iter().filter(|each| each.text.contains("beacon"));
        assert!(unclaimed.clone().count() >= 1);
        assert!(unclaimed.clone().all(|each| each.relevance.get() < 0.5));
    }
}
