//! Choosing options and setting values, in native and in custom controls.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{Command, Done};

use crate::graph::{below, element, with};
use crate::scripted::{Answer, EVERY_MODE, Session, target};

fn act(action: &str, id: &str, args: Value) -> Value {
    json!({ "actionId": action, "target": target(id), "args": args })
}

fn select() -> Value {
    with(
        element("s", "combobox", "Size"),
        json!({ "affordances": ["read", "choose"], "options": [
            { "value": "s", "label": "Small", "selected": true },
            { "value": "l", "label": "Large", "selected": false },
            { "value": "x", "label": "Huge", "selected": false, "disabled": true }
        ] }),
    )
}

fn slider(min: f64, max: f64, at: f64) -> Value {
    with(
        element("s", "slider", "Volume"),
        json!({ "state": { "numericValue": at, "min": min, "max": max, "step": 1 } }),
    )
}

/// Requirement: ACT-11.7-01
#[tokio::test(start_paused = true)]
async fn a_native_option_is_chosen_by_value_label_or_number() {
    for (args, value) in [
        (json!({ "value": "l" }), "l"),
        (json!({ "label": "Large" }), "l"),
        (json!({ "index": 1 }), "l"),
        (json!({ "value": "large" }), "l"),
        (json!({ "values": ["s"] }), "s"),
    ] {
        let session = Session::on(vec![select()]).await;
        session.act(act("ui.choose", "s", args)).await.succeeded();
        let options = session.page.element("s").unwrap().options.unwrap();
        let chosen: Vec<&str> = options
            .iter()
            .filter(|each| each.selected == Some(true))
            .map(|each| each.value.as_str())
            .collect();
        assert_eq!(chosen, [value]);
    }
    let session = Session::on(vec![select()]).await;
    let came = session.act(act("ui.choose", "s", json!({ "value": "medium" }))).await;
    came.failed(Code::TargetNotFound);
    assert_eq!(came.detail("/options/1"), json!("Large"));
    session.act(act("ui.choose", "s", json!({ "value": "x" }))).await.failed(Code::TargetNotInteractable);
    session.act(act("ui.choose", "s", json!({}))).await.failed(Code::InvalidArgs);
    session.act(act("ui.choose", "s", json!({ "index": -1 }))).await.failed(Code::InvalidArgs);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-11.7-01
#[tokio::test(start_paused = true)]
async fn a_custom_option_is_chosen_by_opening_the_list() {
    let combobox = with(
        element("c", "combobox", "Country"),
        json!({ "affordances": ["read", "choose"], "state": { "expanded": false, "editable": false } }),
    );
    let session = Session::on(vec![combobox]).await;
    session.page.on("click", "c", |page| {
        page.later(50, |page| {
            for (id, name) in [("o1", "Austria"), ("o2", "Benin")] {
                let option = with(element(id, "option", name), json!({ "state": { "selected": false } }));
                page.add("main", below("c", option));
            }
        });
    });
    session.page.on("click", "o2", |page| {
        page.set_state("c", json!({ "textValue": "Benin" }));
        page.remove("o1");
        page.remove("o2");
    });
    session.act(act("ui.choose", "c", json!({ "label": "Benin" }))).await.succeeded();
    assert_eq!(session.page.sent(), ["click c", "click o2"]);
    let came = session.act(act("ui.choose", "c", json!({ "label": "Nowhere" }))).await;
    came.failed(Code::TargetNotFound);
    assert_eq!(session.page.value("c"), "Benin");
}

fn option_of(id: &str, name: &str) -> Value {
    with(element(id, "option", name), json!({ "state": { "selected": false } }))
}

/// A page has other lists and menus than the one that was meant.
///
/// Requirement: ACT-11.7-01
#[tokio::test(start_paused = true)]
async fn only_options_of_the_control_itself_are_chosen() {
    let combobox = with(
        element("c", "combobox", "Country"),
        json!({ "affordances": ["read", "choose"], "state": { "expanded": false, "editable": false } }),
    );
    for (args, chosen) in [(json!({ "label": "Benin" }), "o2"), (json!({ "index": 1 }), "o2")] {
        let others =
            vec![element("m1", "menuitem", "Austria"), element("m2", "menuitem", "Benin"), combobox.clone()];
        let session = Session::on(others).await;
        session.page.on("click", "c", |page| {
            page.add("main", option_of("o1", "Austria"));
            page.add("main", option_of("o2", "Benin"));
        });
        session.page.on("click", "o2", |page| page.set_state("c", json!({ "textValue": "Benin" })));
        session.act(act("ui.choose", "c", args)).await.succeeded();
        assert_eq!(session.page.sent(), ["click c", &format!("click {chosen}")]);
    }
    // Nothing comes up: what lies elsewhere is not taken in its place.
    let session = Session::on(vec![element("m2", "menuitem", "Benin"), combobox]).await;
    session.act(act("ui.choose", "c", json!({ "label": "Benin" }))).await.failed(Code::TargetNotFound);
    assert_eq!(session.page.sent(), ["click c"]);
}

/// Requirement: ACT-11.7-01
#[tokio::test(start_paused = true)]
async fn an_option_is_not_chosen_under_the_name_of_another() {
    let radio = with(element("r", "radio", "Small"), json!({ "state": { "checked": false } }));
    let session = Session::on(vec![radio]).await;
    session.act(act("ui.choose", "r", json!({ "value": "Large" }))).await.failed(Code::InvalidArgs);
    session.act(act("ui.choose", "r", json!({ "index": 2 }))).await.failed(Code::InvalidArgs);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.page.on("click", "r", |page| page.set_state("r", json!({ "checked": true })));
    session.act(act("ui.choose", "r", json!({ "value": "small" }))).await.succeeded();
}

/// Requirement: ACT-11.7-01
#[tokio::test(start_paused = true)]
async fn of_several_options_all_must_be_chosen() {
    let listbox = with(element("l", "listbox", "Tags"), json!({ "affordances": ["read", "choose"] }));
    let build =
        || vec![listbox.clone(), below("l", option_of("o1", "Red")), below("l", option_of("o2", "Blue"))];
    let both = act("ui.choose", "l", json!({ "values": ["Red", "Blue"] }));
    // A list that keeps one of them only.
    let session = Session::on(build()).await;
    session.page.on("click", "o1", |page| page.set_state("o1", json!({ "selected": true })));
    session.page.on("click", "o2", |page| {
        page.set_state("o1", json!({ "selected": false }));
        page.set_state("o2", json!({ "selected": true }));
    });
    session.act(both.clone()).await.failed(Code::VerificationFailed);
    let session = Session::on(build()).await;
    for id in ["o1", "o2"] {
        session.page.on("click", id, move |page| page.set_state(id, json!({ "selected": true })));
    }
    session.act(both).await.succeeded();
}

/// Requirement: ACT-11-02
/// Requirement: MOB-RFC005-09-01
/// Requirement: MOB-RFC005-09-02
/// Requirement: MOB-RFC005-07.1-05
#[tokio::test(start_paused = true)]
async fn a_slider_is_set_and_its_value_before_is_told() {
    let session = Session::on(vec![slider(0.0, 100.0, 20.0)]).await;
    let came = session.act(act("ui.setValue", "s", json!({ "value": 50, "tolerance": 1 }))).await;
    came.succeeded();
    let told = json!(came.result.return_value);
    assert_eq!(
        (told["outcome"].as_str(), told["before"].as_f64(), told["value"].as_f64()),
        (Some("verified"), Some(20.0), Some(50.0))
    );
    assert_eq!(session.page.element("s").unwrap().state.numeric_value.unwrap().0, 50.0);
    for (args, outcome) in
        [(json!({ "value": 101 }), "out_of_range"), (json!({ "value": -1 }), "out_of_range")]
    {
        let came = session.act(act("ui.setValue", "s", args)).await;
        came.failed(Code::InvalidArgs);
        assert_eq!(came.detail("/outcome"), json!(outcome));
    }
    for wrong in [json!({ "value": "loud" }), json!({ "value": 5, "tolerance": -1 }), json!({})] {
        session.act(act("ui.setValue", "s", wrong)).await.failed(Code::InvalidArgs);
    }
    assert_eq!(session.page.sent().len(), 1);
}

/// Requirement: MOB-RFC005-09-03
/// Requirement: MOB-RFC005-09-04
#[tokio::test(start_paused = true)]
async fn a_value_counts_within_its_tolerance_and_not_beyond() {
    for (lands, tolerance, passes) in [
        (48.0, 2, true),
        (52.0, 2, true),
        (47.9, 2, false),
        (52.1, 2, false),
        (50.0, 0, true),
        (50.5, 0, false),
    ] {
        let session = Session::on(vec![slider(0.0, 100.0, 20.0)]).await;
        session.page.on("setValue", "s", move |page| page.set_state("s", json!({ "numericValue": lands })));
        let came = session.act(act("ui.setValue", "s", json!({ "value": 50, "tolerance": tolerance }))).await;
        assert_eq!(came.status() == "succeeded", passes, "{lands}: {}", came.story());
        let outcome = json!(came.result.return_value)["outcome"].clone();
        let expected = if !passes {
            "not_converged"
        } else if lands == 50.0 {
            "verified"
        } else {
            "within_tolerance"
        };
        assert_eq!(outcome, expected);
    }
}

/// Requirement: ACT-11-02
/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn a_slider_that_takes_keys_only_is_moved_by_keys_and_never_endlessly() {
    let session = Session::on(vec![slider(0.0, 100.0, 20.0)]).await;
    for mode in EVERY_MODE {
        session.page.cannot(mode, "setValue");
    }
    session.page.answer(None, "keys", None, |page, command| {
        let Command::Keys { chord, .. } = command else { panic!("{command:?}") };
        let at = page.element("s").unwrap().state.numeric_value.unwrap().0;
        let step = if chord == "ArrowUp" { 5.0 } else { -5.0 };
        page.set_state("s", json!({ "numericValue": (at + step).clamp(0.0, 100.0) }));
        Answer::Done(Done::default())
    });
    let came = session.act(act("ui.setValue", "s", json!({ "value": 40 }))).await;
    came.succeeded();
    assert_eq!(json!(came.result.return_value)["mode"], "keys");
    // One that does not move at all.
    let session = Session::on(vec![slider(0.0, 100.0, 20.0)]).await;
    for mode in EVERY_MODE {
        session.page.cannot(mode, "setValue");
    }
    let came = session.act(act("ui.setValue", "s", json!({ "value": 90 }))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.detail("/outcome"), json!("not_converged"));
    assert!(session.page.sent().len() <= 50, "{}", session.page.sent().len());
    assert!(came.message().contains("20"), "{}", came.message());
}

/// Requirement: ACT-11-02
#[tokio::test(start_paused = true)]
async fn other_controls_take_the_values_of_their_kind() {
    let session = Session::on(vec![
        element("d", "datepicker", "Date"),
        super::checkbox("c", "Agree", json!(false)),
        super::field("t", "Title"),
        super::button("b", "Run"),
        select(),
    ])
    .await;
    session.act(act("ui.setValue", "d", json!({ "value": "2026-03-26" }))).await.succeeded();
    assert_eq!(session.page.value("d"), "2026-03-26");
    session.act(act("ui.setValue", "c", json!({ "value": true }))).await.succeeded();
    session.act(act("ui.setValue", "t", json!({ "value": 7 }))).await.succeeded();
    assert_eq!(session.page.value("t"), "7");
    session.act(act("ui.setValue", "s", json!({ "value": "Large" }))).await.succeeded();
    session.act(act("ui.setValue", "b", json!({ "value": "x" }))).await.failed(Code::TargetNotInteractable);
    session
        .act(act("ui.setValue", "t", json!({ "value": { "deep": 1 } })))
        .await
        .failed(Code::TargetNotInteractable);
}

/// Controls whose keys do what nobody declared: the wrong way round, in steps that grow, in coarse steps.
///
/// Requirement: ACT-11-02
/// Requirement: MOB-RFC005-09-03
#[tokio::test(start_paused = true)]
async fn keys_find_a_value_whatever_they_do() {
    type Key = fn(f64, f64) -> f64;
    let controls: [(&str, Key, f64, &str); 6] = [
        ("usual", |at, way| at + way, 73.0, "verified"),
        ("inverted", |at, way| at - way, 73.0, "verified"),
        ("inverted and coarse", |at, way| at - 5.0 * way, 75.0, "verified"),
        (
            "growing",
            |at, way| if way > 0.0 { at * 1.5 + 1.0 } else { (at - 1.0) / 1.5 },
            84.6,
            "within_tolerance",
        ),
        ("fine", |at, way| at + 0.25 * way, 33.25, "verified"),
        ("too coarse", |at, way| at + 10.0 * way, 55.0, "not_converged"),
    ];
    for (what, key, wanted, outcome) in controls {
        let mut element = slider(0.0, 200.0, 20.0);
        element.as_object_mut().unwrap().remove("bbox");
        let session = Session::on(vec![element]).await;
        for mode in EVERY_MODE {
            session.page.cannot(mode, "setValue");
        }
        session.page.answer(None, "keys", None, move |page, command| {
            let Command::Keys { chord, .. } = command else { panic!("{command:?}") };
            let at = page.element("s").unwrap().state.numeric_value.unwrap().0;
            let way = if chord == "ArrowUp" { 1.0 } else { -1.0 };
            page.set_state("s", json!({ "numericValue": key(at, way).clamp(0.0, 200.0) }));
            Answer::Done(Done::default())
        });
        let tolerance = if outcome == "within_tolerance" { 20.0 } else { 0.0 };
        let came =
            session.act(act("ui.setValue", "s", json!({ "value": wanted, "tolerance": tolerance }))).await;
        let told = came.result.return_value.as_ref().map(|value| json!(value)["outcome"].clone());
        assert_eq!(told.unwrap_or_default(), json!(outcome), "{what}: {}", came.story());
        assert!(session.page.sent().len() < 200, "{what}");
        if outcome == "not_converged" {
            let at = session.page.element("s").unwrap().state.numeric_value.unwrap().0;
            assert!((at - wanted).abs() <= 10.0, "{what} was left at {at}");
        }
    }
}
