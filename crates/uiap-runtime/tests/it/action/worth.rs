//! What the runtime's own ways are worth: the same flows with them and without, counted.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::policy::decision::AnyOrAll;
use uiap_model::web::delta;
use uiap_model::web::diff::{Difference, diff};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_runtime::action::WaitEnd;
use uiap_runtime::surface::{Command, Done, Press, Surface as _};
use uiap_runtime::trace::{Record, diagnose};

use super::{activate, button, checkbox, field};
use crate::graph::{below, element, scope, with};
use crate::scripted::{Answer, EVERY_MODE, Page, Session, target};

/// How a set of flows went.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    succeeded: usize,
    at_once: usize,
    retries: usize,
    /// Input that hit what was not meant, or nothing that reacts.
    astray: usize,
}

/// Requirement: MOB-ROADMAP-WAIT-07
#[tokio::test(start_paused = true)]
async fn every_change_in_its_place_ends_a_wait_and_its_difference_makes_the_whole_page() {
    type Change = fn(&Page);
    let flows: [(&str, Change); 8] = [
        ("a text", |page| page.set("row", json!({ "name": "Beta" }))),
        ("a value", |page| page.set_value("t", "typed")),
        ("a check box", |page| page.set_state("c", json!({ "checked": true }))),
        ("a control that can be used now", |page| page.set_state("b", json!({ "enabled": false }))),
        ("a field that is wrong now", |page| page.set_state("t", json!({ "invalid": true }))),
        ("a number that moves", |page| page.set_state("p", json!({ "numericValue": 40 }))),
        ("a row that comes", |page| page.add("main", element("row2", "label", "Gamma"))),
        ("a row that goes", |page| page.remove("row")),
    ];
    let mut missed = Vec::new();
    for (name, change) in flows {
        let progress = with(element("p", "progress", "Upload"), json!({ "state": { "numericValue": 10 } }));
        let elements = vec![
            element("row", "label", "Alpha"),
            field("t", "Title"),
            checkbox("c", "Keep", json!(false)),
            button("b", "Save"),
            progress,
        ];
        let session = Session::on(elements).await;
        let before = session.runtime.scene().look().await.unwrap();
        session.page.later(300, change);
        let limit = Duration::from_secs(2);
        let waited = session.runtime.wait_for(&[], AnyOrAll::Any, None, None, limit).await.unwrap();
        let after = session.runtime.scene().look().await.unwrap();
        let Difference::Delta(ops) = diff(&before, &after) else { panic!("{name}: a delta can say it") };
        let told: WebStateDeltaPayload = serde_json::from_value(json!({
            "baseRevision": before.revision, "revision": after.revision, "seq": after.seq, "ts": after.ts, "ops": ops
        }))
        .unwrap();
        if waited.end != WaitEnd::Seen || delta::apply(&before, &told).unwrap() != *after {
            missed.push(name);
        }
    }
    assert_eq!(missed, Vec::<&str>::new());
}

/// A page, what is looked for on it by its words, and what has to react.
struct Tap {
    elements: Vec<Value>,
    words: &'static str,
    role: &'static str,
    meant: &'static str,
}

fn taps() -> Vec<Tap> {
    let still =
        |id: &str, role: &str, name: &str| with(element(id, role, name), json!({ "affordances": ["read"] }));
    let off = |id: &str, name: &str| with(button(id, name), json!({ "state": { "enabled": false } }));
    vec![
        Tap {
            elements: vec![still("words", "label", "Open"), button("b", "Open")],
            words: "Open",
            role: "button",
            meant: "b",
        },
        Tap {
            elements: vec![button("b", "Card"), below("b", still("icon", "image", "Disk"))],
            words: "Disk",
            role: "image",
            meant: "b",
        },
        Tap {
            elements: vec![still("title", "label", "Send"), button("b", "Send")],
            words: "Send",
            role: "button",
            meant: "b",
        },
        Tap {
            elements: vec![element("nav", "link", "Save"), button("b", "Save")],
            words: "Save",
            role: "button",
            meant: "b",
        },
        Tap {
            elements: vec![off("old", "Submit the form"), button("b", "Submit")],
            words: "Submit",
            role: "button",
            meant: "b",
        },
        Tap { elements: vec![button("b", "Plain")], words: "Plain", role: "button", meant: "b" },
    ]
}

async fn tapped(tap: &Tap) -> Session {
    let session = Session::on(tap.elements.clone()).await;
    session.page.on("click", tap.meant, |page| page.toast("done"));
    session
}

fn count(tally: &mut Tally, sent: &[String], meant: &str) {
    let right = format!("click {meant}");
    let attempts = sent.iter().position(|each| *each == right);
    tally.astray += sent.iter().filter(|each| **each != right).count();
    tally.succeeded += usize::from(attempts.is_some());
    tally.at_once += usize::from(attempts == Some(0));
    tally.retries += attempts.unwrap_or(sent.len());
}

/// Whoever takes what bears the words, one after the other, until something happens.
async fn without_resolution() -> Tally {
    let mut tally = Tally::default();
    for tap in taps() {
        let session = tapped(&tap).await;
        let page = session.page.graph();
        let bearing = page
            .elements()
            .filter(|(.., each)| each.name.as_deref().is_some_and(|name| name.contains(tap.words)));
        for (.., each) in bearing.take(3) {
            let press = Command::Click(Press::on(each.instance_id.clone()));
            session.runtime.surface().dispatch(EVERY_MODE[2], &press, None).await.unwrap();
            if each.instance_id == tap.meant {
                break;
            }
        }
        count(&mut tally, &session.page.sent(), tap.meant);
    }
    tally
}

async fn with_resolution() -> Tally {
    let mut tally = Tally::default();
    for tap in taps() {
        let session = tapped(&tap).await;
        let asked = json!({ "by": "semantic", "role": tap.role, "name": tap.words });
        let came = session.act(json!({ "actionId": "ui.activate", "target": { "ref": asked } })).await;
        assert_eq!(came.succeeded().target(), tap.meant);
        count(&mut tally, &session.page.sent(), tap.meant);
    }
    tally
}

/// Requirement: MOB-ROADMAP-ACTIONABILITY-06
#[tokio::test(start_paused = true)]
async fn resolution_taps_astray_less_often_and_needs_fewer_attempts_than_words_alone() {
    let (without, with) = (without_resolution().await, with_resolution().await);
    assert!(with.astray < without.astray, "{with:?} {without:?}");
    assert!(with.retries < without.retries, "{with:?} {without:?}");
    assert!(with.at_once > without.at_once, "{with:?} {without:?}");
    assert_eq!(with, Tally { succeeded: 6, at_once: 6, retries: 0, astray: 0 });
    // Two forms with one button each, of one name: words alone submit the first, resolution asks.
    let forms = || {
        vec![
            scope("bill", "form", "Billing", vec![button("b1", "Submit")]),
            scope("ship", "form", "Shipping", vec![button("b2", "Submit")]),
        ]
    };
    let session = Session::of(forms()).await;
    let asked = json!({ "by": "semantic", "role": "button", "name": "Submit" });
    let came = session.act(json!({ "actionId": "ui.activate", "target": { "ref": asked } })).await;
    assert_eq!(came.status(), "failed");
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// A slider whose track is not its box.
struct Track {
    step: f64,
    /// Where the track begins and ends in a box of 200.
    from: f64,
    to: f64,
    wanted: f64,
}

const TRACKS: [Track; 4] = [
    Track { step: 1.0, from: 0.0, to: 200.0, wanted: 50.0 },
    Track { step: 1.0, from: 20.0, to: 180.0, wanted: 80.0 },
    Track { step: 5.0, from: 0.0, to: 150.0, wanted: 35.0 },
    Track { step: 1.0, from: 180.0, to: 20.0, wanted: 20.0 },
];

async fn slider(track: &'static Track) -> Session {
    let known = json!({
        "state": { "numericValue": 0, "min": 0, "max": 100, "step": track.step },
        "bbox": { "x": 0, "y": 0, "width": 200, "height": 20 }
    });
    let session = Session::on(vec![with(element("s", "slider", "Volume"), known)]).await;
    session.page.answer(None, "click", Some("s"), |page, command| {
        let Command::Click(press) = command else { panic!("{command:?}") };
        let (x, _) = press.position.unwrap();
        let part = ((x - track.from) / (track.to - track.from)).clamp(0.0, 1.0);
        let value = (part * 100.0 / track.step).round() * track.step;
        page.set_state("s", json!({ "numericValue": value }));
        Answer::Done(Done::default())
    });
    session
}

fn reached(session: &Session) -> f64 {
    session.page.element("s").unwrap().state.numeric_value.unwrap().0
}

/// Whoever presses where the value should be, and as far beside it as the value was off.
async fn by_guessed_places() -> Tally {
    let mut tally = Tally::default();
    for track in &TRACKS {
        let session = slider(track).await;
        let mut x = track.wanted * 2.0;
        for attempt in 0..3 {
            let mut press = Press::on(session.page.element("s").unwrap().instance_id);
            press.position = Some((x, 10.0));
            session.runtime.surface().dispatch(EVERY_MODE[2], &Command::Click(press), None).await.unwrap();
            let off = track.wanted - reached(&session);
            if off.abs() < 0.5 {
                tally.succeeded += 1;
                tally.at_once += usize::from(attempt == 0);
                break;
            }
            tally.retries += 1;
            tally.astray += 1;
            x += off * 2.0;
        }
    }
    tally
}

async fn by_value() -> Tally {
    let mut tally = Tally::default();
    for track in &TRACKS {
        let session = slider(track).await;
        let wish =
            json!({ "actionId": "ui.setValue", "target": target("s"), "args": { "value": track.wanted } });
        let came = session.act(wish).await;
        tally.succeeded += usize::from(came.status() == "succeeded");
        let sent = session.page.sent();
        tally.at_once += usize::from(sent.len() == 1);
        tally.retries += sent.len() - 1;
        tally.astray += sent.iter().filter(|each| each.starts_with("click")).count();
    }
    tally
}

/// Requirement: MOB-ROADMAP-SLIDER-05
#[tokio::test(start_paused = true)]
async fn a_value_that_is_set_arrives_more_often_and_with_fewer_attempts_than_a_guessed_place() {
    let (guessed, set) = (by_guessed_places().await, by_value().await);
    assert!(set.succeeded > guessed.succeeded, "{set:?} {guessed:?}");
    assert!(set.retries < guessed.retries, "{set:?} {guessed:?}");
    assert!(set.astray < guessed.astray, "{set:?} {guessed:?}");
    assert_eq!(set.succeeded, TRACKS.len());
}

/// Requirement: MOB-ROADMAP-SIGNAL-06
#[tokio::test(start_paused = true)]
async fn the_cause_of_a_failure_is_reached_sooner_and_among_fewer_suspects_when_signals_are_sorted() {
    let session = Session::on(vec![button("b", "Save")]).await;
    session.page.on("click", "b", |page| page.later(300, |page| page.toast("saved")));
    let came = session.act(activate("b")).await;
    let handle = json!(came.result.action_handle);
    let causes = [
        json!({ "kind": "custom", "name": "browser.page.error", "payload": { "text": "TypeError: no video" } }),
        json!({ "kind": "network.response", "url": "http://a/save", "status": 500, "actionHandle": handle }),
        json!({ "kind": "toast.shown", "text": "Could not save", "severity": "error" }),
        json!({ "kind": "custom", "name": "browser.crash", "payload": { "text": "gone" } }),
    ];
    let noise = |turn: u32| match turn % 2 {
        0 => {
            json!({ "kind": "custom", "name": "browser.console.error", "payload": { "text": "socket closed, trying again" } })
        }
        _ => json!({ "kind": "custom", "name": "app.heartbeat", "payload": { "turn": turn } }),
    };
    for (number, cause) in causes.iter().enumerate() {
        let mut records: Vec<Record> = (0..40_u32)
            .map(|turn| Record { at_ms: f64::from(turn) * 10.0, text: noise(turn).to_string() })
            .collect();
        let place = 12 + number * 5;
        let told = &cause.to_string();
        records.insert(place, Record { at_ms: 150.0, text: told.clone() });
        let raw_suspects =
            records.iter().filter(|each| each.text.contains("error") || each.text == *told).count();
        let sorted = diagnose(&came.trace, &records).linked;
        let read = sorted.iter().position(|each| each.record == place);
        let read = read.unwrap_or_else(|| panic!("the cause was sorted out: {cause}")) + 1;
        assert!(read < place + 1, "{cause}: {read} of {} read", place + 1);
        assert!(sorted.len() < raw_suspects, "{cause}: {} suspects of {raw_suspects}", sorted.len());
    }
}
