//! Long presses, pinches, and sliders that snap.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{Command, Done};

use super::button;
use crate::graph::{element, with};
use crate::scripted::{Answer, Session, target};

fn act(action: &str, id: &str, args: Value) -> Value {
    json!({ "actionId": action, "target": target(id), "args": args })
}

/// Requirement: MOB-ROADMAP-LONGPRESS-01
#[tokio::test(start_paused = true)]
async fn a_long_press_lasts_as_long_as_asked_and_is_verified_by_what_it_opens() {
    let session = Session::on(vec![button("item", "Item"), button("plain", "Plain")]).await;
    session.page.answer(None, "tap", None, |page, command| {
        let Command::Tap { target, hold } = command else { panic!("{command:?}") };
        if target == "item" && *hold >= Duration::from_millis(500) {
            page.open_dialog("menu", vec![]);
        }
        Answer::After(*hold, Done::default())
    });
    let press = |id: &str, hold: u64| act("ui.activate", id, json!({ "pointer": "touch", "holdMs": hold }));
    let came = session.act(press("item", 600)).await;
    came.succeeded();
    assert!(came.took >= Duration::from_millis(600), "{:?}", came.took);
    for short_or_deaf in [press("item", 100), press("plain", 600)] {
        let came = session.act(short_or_deaf).await;
        came.failed(Code::VerificationFailed);
        assert_eq!(came.detail("/failureClass"), json!("no_state_change"));
    }
}

/// Requirement: MOB-ROADMAP-PINCH-01
#[tokio::test(start_paused = true)]
async fn a_pinch_is_verified_by_what_it_changes() {
    let map = with(
        element("map", "image", "Map"),
        json!({ "affordances": ["read", "activate"], "description": "1×" }),
    );
    let still = with(element("still", "image", "Still"), json!({ "affordances": ["read", "activate"] }));
    let session = Session::on(vec![map, still]).await;
    session.page.answer(None, "pinch", Some("map"), |page, command| {
        let Command::Pinch { scale, .. } = command else { panic!("{command:?}") };
        page.set("map", json!({ "description": format!("{scale}×") }));
        Answer::Done(Done::default())
    });
    session.act(act("ui.activate", "map", json!({ "pinch": 2 }))).await.succeeded();
    assert_eq!(session.page.element("map").unwrap().description.as_deref(), Some("2×"));
    let came = session.act(act("ui.activate", "still", json!({ "pinch": 2 }))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.detail("/failureClass"), json!("no_state_change"));
    session.act(act("ui.activate", "map", json!({ "pinch": 0 }))).await.failed(Code::InvalidArgs);
}

/// Requirement: MOB-ROADMAP-SLIDER-01
/// Requirement: MOB-ROADMAP-SLIDER-03
#[tokio::test(start_paused = true)]
async fn a_slider_that_snaps_is_right_within_the_tolerance_and_names_what_it_reached() {
    for (tolerance, passes) in [(json!(2), true), (json!(1), false), (Value::Null, false)] {
        let slider = with(
            element("s", "slider", "Volume"),
            json!({ "state": { "numericValue": 20, "min": 0, "max": 100, "step": 5 } }),
        );
        let session = Session::on(vec![slider, button("b", "Plain")]).await;
        session.page.answer(None, "setValue", None, |page, command| {
            let Command::SetValue { value, .. } = command else { panic!("{command:?}") };
            let snapped = (value.parse::<f64>().unwrap() / 5.0).round() * 5.0;
            page.set_state("s", json!({ "numericValue": snapped }));
            Answer::Done(Done::default())
        });
        let mut args = json!({ "value": 52 });
        if !tolerance.is_null() {
            args["tolerance"] = tolerance;
        }
        let came = session.act(act("ui.setValue", "s", args)).await;
        assert_eq!(came.status() == "succeeded", passes, "{}", came.story());
        assert_eq!(json!(came.result.return_value)["value"], 50.0);
        if !passes {
            assert!(came.message().contains("50"), "{}", came.message());
        }
        let refused = session.act(act("ui.setValue", "b", json!({ "value": 5 }))).await;
        refused.failed(Code::TargetNotInteractable);
    }
}

/// Requirement: MOB-ROADMAP-SLIDER-02
#[tokio::test(start_paused = true)]
async fn a_slider_that_falls_short_is_corrected_and_never_endlessly() {
    for (obeys, value, outcome) in [(true, 50.0, "verified"), (false, 47.0, "not_converged")] {
        let slider = with(
            element("s", "slider", "Volume"),
            json!({ "state": { "numericValue": 20, "min": 0, "max": 100, "step": 1 } }),
        );
        let session = Session::on(vec![slider]).await;
        session.page.answer(None, "setValue", None, |page, command| {
            let Command::SetValue { value, .. } = command else { panic!("{command:?}") };
            page.set_state("s", json!({ "numericValue": value.parse::<f64>().unwrap() - 3.0 }));
            Answer::Done(Done::default())
        });
        session.page.answer(None, "keys", None, move |page, command| {
            let Command::Keys { chord, .. } = command else { panic!("{command:?}") };
            let at = page.element("s").unwrap().state.numeric_value.unwrap().0;
            if obeys && chord == "ArrowUp" {
                page.set_state("s", json!({ "numericValue": at + 1.0 }));
            }
            Answer::Done(Done::default())
        });
        let came = session.act(act("ui.setValue", "s", json!({ "value": 50 }))).await;
        assert_eq!(came.result.verification.passed, obeys, "{}", came.story());
        let told = json!(came.result.return_value);
        assert_eq!((&told["value"], &told["outcome"]), (&json!(value), &json!(outcome)));
        assert!(told["attempts"].as_u64().unwrap() >= 2, "{told}");
        assert!(session.page.sent().len() <= 5, "{:?}", session.page.sent());
        if !obeys {
            assert!(came.message().contains("47"), "{}", came.message());
        }
    }
}

/// Requirement: MOB-ROADMAP-SLIDER-04
#[tokio::test(start_paused = true)]
async fn a_place_on_the_slider_is_pressed_only_where_nothing_else_moves_it() {
    let slider = with(
        element("s", "slider", "Volume"),
        json!({
            "state": { "numericValue": 20, "min": 0, "max": 100, "step": 1 },
            "bbox": { "x": 10, "y": 10, "width": 200, "height": 20 }
        }),
    );
    let set = || act("ui.setValue", "s", json!({ "value": 50, "tolerance": 1 }));
    // Its track is shorter than its box: the first press misses.
    let press = |page: &crate::scripted::Page, command: &Command| {
        let Command::Click(press) = command else { panic!("{command:?}") };
        let (x, _) = press.position.unwrap();
        page.set_state("s", json!({ "numericValue": x / 200.0 * 90.0 }));
        Answer::Done(Done::default())
    };
    let session = Session::on(vec![slider.clone()]).await;
    for mode in crate::scripted::EVERY_MODE {
        session.page.cannot(mode, "setValue");
    }
    session.page.answer(None, "click", Some("s"), press);
    let came = session.act(set()).await;
    came.succeeded();
    assert_eq!(json!(came.result.return_value)["mode"], "coordinates");
    let presses = session.page.sent().iter().filter(|sent| *sent == "click s").count();
    assert!((2..=6).contains(&presses), "{presses}");

    let session = Session::on(vec![slider]).await;
    session.page.answer(None, "click", Some("s"), press);
    let came = session.act(set()).await;
    assert_eq!(json!(came.succeeded().result.return_value)["mode"], "semantic");
    assert_eq!(session.page.sent(), ["setValue s"]);
}
