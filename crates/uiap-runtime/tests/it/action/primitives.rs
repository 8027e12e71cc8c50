//! The protocol's own actions: what each does, and what it refuses.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{Command, Done};

use super::{activate, button, checkbox, field};
use crate::graph::{below, element, graph, scope, with};
use crate::scripted::{Answer, Page, Session, target};

fn act(action: &str, id: &str, args: Value) -> Value {
    json!({ "actionId": action, "target": target(id), "args": args })
}

/// Requirement: ACT-11.1-01
/// Requirement: ACT-11.1-02
#[tokio::test(start_paused = true)]
async fn reading_tells_what_is_there_and_changes_nothing() {
    let session = Session::on(vec![
        with(field("t", "Title"), json!({ "state": { "textValue": "abc" }, "description": "of the video" })),
        checkbox("c", "Agree", json!(true)),
        element("p", "group", "Terms"),
        below("p", element("words", "label", "Be kind.")),
        with(field("pin", "PIN"), json!({ "state": { "sensitive": true, "textValue": "0451-canary" } })),
    ])
    .await;
    let before = session.page.graph().revision.clone();
    let read = |id| act("ui.read", id, json!({}));
    let came = session.act(read("t")).await;
    came.succeeded();
    let told = json!(came.result.return_value);
    assert_eq!(told["state"]["textValue"], "abc");
    assert_eq!(told["description"], "of the video");
    assert_eq!(came.side_effect(), "none");
    assert_eq!(json!(session.act(read("c")).await.result.return_value)["state"]["checked"], true);
    assert_eq!(json!(session.act(read("p")).await.result.return_value)["text"], "Be kind.");
    let secret = session.act(read("pin")).await;
    assert!(!format!("{:?}", secret.result).contains("0451-canary"));
    assert_eq!(session.page.graph().revision, before);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let missing = json!({ "actionId": "ui.read", "target": { "ref": { "by": "stableId", "value": "no" } } });
    session.act(missing).await.failed(Code::TargetNotFound);
}

/// Requirement: ACT-11.4-01
#[tokio::test(start_paused = true)]
async fn a_button_that_opens_a_dialog_is_verified_by_the_dialog() {
    let session = super::one_button().await;
    let expect = json!({ "verification": { "policy": "all", "signals": [{ "kind": "dialog.opened" }] } });
    let came = session.act(with(activate("b"), expect.clone())).await;
    came.succeeded();
    assert_eq!(came.observed(), ["dialog.opened"]);
    session.act(with(activate("dead"), expect)).await.failed(Code::VerificationFailed);
    session.page.set_state("b", json!({ "enabled": false }));
    session.act(activate("b")).await.failed(Code::TargetNotInteractable);
}

/// Requirement: ACT-11.5-01
/// Requirement: ACT-11.5-02
#[tokio::test(start_paused = true)]
async fn text_replaces_or_extends_what_a_field_holds() {
    let session = Session::on(vec![field("t", "Title")]).await;
    session.act(act("ui.enterText", "t", json!({ "text": "one" }))).await.succeeded();
    session.act(act("ui.enterText", "t", json!({ "text": " two", "append": true }))).await.succeeded();
    assert_eq!(session.page.value("t"), "one two");
    session.act(act("ui.enterText", "t", json!({ "text": "three" }))).await.succeeded();
    assert_eq!(session.page.value("t"), "three");
    session.page.on("type", "t", |page| page.set_value("t", "a"));
    session.act(act("ui.enterText", "t", json!({ "text": "a1" }))).await.failed(Code::VerificationFailed);
}

/// Requirement: ACT-11.6-01
#[tokio::test(start_paused = true)]
async fn clearing_leaves_a_field_empty() {
    let session =
        Session::on(vec![with(field("t", "Title"), json!({ "state": { "textValue": "old" } }))]).await;
    session.act(act("ui.clearText", "t", json!({}))).await.succeeded();
    assert_eq!(session.page.value("t"), "");
}

/// Requirement: ACT-11.8-01
#[tokio::test(start_paused = true)]
async fn toggling_changes_two_and_three_states() {
    let session = Session::on(vec![
        checkbox("two", "Agree", json!(false)),
        checkbox("three", "All", json!("mixed")),
        with(element("press", "button", "Bold"), json!({ "state": { "pressed": false } })),
        button("plain", "Plain"),
    ])
    .await;
    for id in ["two", "three", "press"] {
        let before = session.page.element(id).unwrap().state;
        session.act(act("ui.toggle", id, json!({}))).await.succeeded();
        assert_ne!(session.page.element(id).unwrap().state, before);
    }
    session.act(act("ui.toggle", "plain", json!({}))).await.failed(Code::TargetNotInteractable);
    // To a state that it has already: nothing is sent.
    let sent = session.page.sent().len();
    session.act(act("ui.toggle", "two", json!({ "checked": true }))).await.succeeded();
    assert_eq!(session.page.sent().len(), sent);
    session.act(act("ui.toggle", "two", json!({ "checked": false }))).await.succeeded();
    assert_eq!(json!(session.page.element("two").unwrap().state)["checked"], false);
    // A switch that does not stay.
    let session = Session::on(vec![checkbox("two", "Agree", json!(false))]).await;
    session.page.on("click", "two", |page| {
        page.set_state("two", json!({ "checked": true }));
        page.later(10, |page| page.set_state("two", json!({ "checked": false })));
    });
    session.act(act("ui.toggle", "two", json!({ "checked": true }))).await.failed(Code::VerificationFailed);
}

/// Requirement: ACT-11.8-01
/// Requirement: ACT-3-02
#[tokio::test(start_paused = true)]
async fn a_switch_that_reacts_late_is_not_switched_back() {
    let session =
        Session::on(vec![checkbox("late", "Agree", json!(false)), checkbox("mixed", "All", json!("mixed"))])
            .await;
    session.page.on("click", "late", |page| {
        page.effect("clicked");
        page.later(200, |page| page.set_state("late", json!({ "checked": true })));
    });
    session.act(act("ui.toggle", "late", json!({ "checked": true }))).await.succeeded();
    assert_eq!(session.page.effects("clicked"), 1);
    // Mixed, off, on: two steps, each after the one before was seen.
    session.page.on("click", "mixed", |page| {
        let checked = page.effects("steps") > 0;
        page.effect("steps");
        page.later(100, move |page| page.set_state("mixed", json!({ "checked": checked })));
    });
    session.act(act("ui.toggle", "mixed", json!({ "checked": true }))).await.succeeded();
    assert_eq!(session.page.effects("steps"), 2);
}

/// Requirement: ACT-11.9-01
/// Requirement: ACT-11.9-02
#[tokio::test(start_paused = true)]
async fn folding_ends_in_the_state_that_was_asked_for() {
    let session = Session::on(vec![
        with(button("x", "Details"), json!({ "state": { "expanded": false } })),
        button("plain", "Plain"),
    ])
    .await;
    for (action, clicks, expanded) in
        [("ui.expand", 1, true), ("ui.expand", 1, true), ("ui.collapse", 2, false), ("ui.collapse", 2, false)]
    {
        session.act(act(action, "x", json!({}))).await.succeeded();
        assert_eq!(session.page.sent().len(), clicks);
        assert_eq!(session.page.element("x").unwrap().state.expanded, Some(expanded));
    }
    for action in ["ui.expand", "ui.collapse"] {
        session.act(act(action, "plain", json!({}))).await.failed(Code::TargetNotInteractable);
    }
}

/// Requirement: ACT-11.10-01
/// Requirement: ACT-11.10-02
#[tokio::test(start_paused = true)]
async fn surfaces_are_opened_and_closed() {
    let session = Session::on(vec![button("open", "Settings")]).await;
    session.page.on("click", "open", |page| {
        page.open_dialog("d", vec![button("close", "Close"), field("t", "Name")])
    });
    let came = session.act(act("ui.open", "open", json!({}))).await;
    came.succeeded();
    assert!(came.observed().contains(&"dialog.opened".to_owned()), "{:?}", came.observed());
    session.page.on("click", "close", |page| {
        if page.effects("asked to close") > 0 {
            page.close_dialog("d");
        }
        page.effect("asked to close");
    });
    session.act(act("ui.close", "t", json!({}))).await.failed(Code::VerificationFailed);
    let came = session.act(act("ui.close", "t", json!({}))).await;
    came.succeeded();
    assert_eq!(came.observed(), ["dialog.closed"]);
    session.act(act("ui.close", "open", json!({}))).await.failed(Code::TargetNotInteractable);
    let nowhere =
        json!({ "actionId": "ui.open", "target": { "ref": { "by": "scope", "value": "nowhere" } } });
    session.act(nowhere).await.failed(Code::TargetNotFound);
}

/// Requirement: ACT-11.11-01
/// Requirement: ACT-11.12-01
#[tokio::test(start_paused = true)]
async fn scrolling_is_verified_by_where_things_are() {
    let session =
        Session::on(vec![with(button("low", "Low"), json!({ "web": { "inViewport": false } }))]).await;
    let came = session.act(act("ui.scrollIntoView", "low", json!({}))).await;
    came.succeeded();
    assert_eq!(came.side_effect(), "none");
    session.page.set("low", json!({ "web": { "inViewport": false } }));
    session.page.on("scrollIntoView", "low", |_| {});
    assert_eq!(session.act(act("ui.scrollIntoView", "low", json!({}))).await.status(), "failed");
    let came = session.act(act("ui.scroll", "low", json!({ "y": 200 }))).await;
    came.succeeded();
    assert_eq!(json!(came.result.return_value)["y"], 200.0);
    let came = session.act(json!({ "actionId": "ui.scroll", "args": { "pages": 1 } })).await;
    assert_eq!(json!(came.succeeded().result.return_value)["y"], 540.0);
    session.page.answer(None, "scroll", Some("low"), |_, _| {
        Answer::Done(Done { scrolled: Some((0.0, 0.0)), ..Done::default() })
    });
    let came = session.act(act("ui.scroll", "low", json!({ "y": 200 }))).await;
    came.failed(Code::VerificationFailed);
    assert!(came.message().contains("nothing moved"), "{}", came.message());
    let refused = session.refusal(act("ui.scroll", "low", json!({ "y": "much" }))).await;
    assert_eq!(refused.code, Code::InvalidArgs);
    session.act(act("ui.scroll", "low", json!({}))).await.failed(Code::InvalidArgs);
}

/// Requirement: ACT-11.13-01
#[tokio::test(start_paused = true)]
async fn a_form_is_sent_once_or_refused() {
    let form = with(
        scope("form", "form", "New video", vec![field("t", "Title"), button("send", "Send")]),
        json!({ "submitTarget": "send" }),
    );
    let session =
        Session::of(vec![form.clone(), scope("main", "region", "Main", vec![button("alone", "Alone")])])
            .await;
    session.page.on("click", "send", |page| {
        page.effect("sent");
        page.tell(json!({ "kind": "entity.created", "entityType": "video" }));
    });
    let came = session.act(act("ui.submit", "t", json!({}))).await;
    came.succeeded();
    assert_eq!((session.page.sent(), session.page.effects("sent")), (vec!["click send".to_owned()], 1));
    session.act(act("ui.submit", "alone", json!({}))).await.failed(Code::TargetNotInteractable);
    let by_scope =
        json!({ "actionId": "ui.submit", "target": { "ref": { "by": "scope", "value": "form" } } });
    session.act(by_scope).await.succeeded();

    let session = Session::of(vec![form]).await;
    session.page.on("click", "send", |page| {
        page.tell(json!({ "kind": "validation.changed", "scopeId": "form", "issues": [{ "message": "Title is missing" }] }));
    });
    let came = session.act(act("ui.submit", "t", json!({}))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.side_effect(), "none");
    assert!(came.message().contains("Title is missing"));
}

/// Requirement: ACT-11-01
#[tokio::test(start_paused = true)]
async fn hovering_points_and_does_not_click() {
    let session = Session::on(vec![button("b", "Help")]).await;
    session.page.on("click", "b", |page| page.effect("clicked"));
    session.page.on("hover", "b", |page| page.add("main", element("tip", "popover", "Press F1")));
    let came = session.act(act("ui.hover", "b", json!({}))).await;
    came.succeeded();
    assert_eq!(came.side_effect(), "none");
    assert_eq!(session.page.sent(), ["hover b"]);
    session.page.set_state("b", json!({ "visible": false }));
    session.act(act("ui.hover", "b", json!({}))).await.failed(Code::TargetNotInteractable);
}

/// Requirement: ACT-11-03
/// Requirement: ACT-10.2-04
#[tokio::test(start_paused = true)]
async fn files_are_handed_over_from_the_allowed_directory_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("clip.txt"), "hello").unwrap();
    let page = || {
        Page::new(graph(vec![scope(
            "main",
            "region",
            "Main",
            vec![element("f", "fileinput", "File"), field("t", "Title")],
        )]))
    };
    let allowed = folder.path().to_owned();
    let session = Session::with(page(), |options| options.uploads = Some(allowed)).await;
    let up = |id: &str, file: &str| act("ui.upload", id, json!({ "files": [file] }));
    session.act(up("f", "clip.txt")).await.succeeded();
    assert!(
        matches!(&session.page.commands()[0].1, Command::Upload { files, .. } if files[0].ends_with("clip.txt"))
    );
    session.act(up("t", "clip.txt")).await.failed(Code::TargetNotInteractable);
    session.act(up("f", "/etc/hostname")).await.failed(Code::PolicyDenied);
    session.act(up("f", "../../etc/hostname")).await.failed(Code::PolicyDenied);
    session.act(up("f", "nothing.txt")).await.failed(Code::TargetNotInteractable);
    session.act(act("ui.upload", "f", json!({ "files": [] }))).await.failed(Code::InvalidArgs);
    assert_eq!(session.page.sent().len(), 1);
    let session = Session::with(page(), |_| {}).await;
    session.act(up("f", "clip.txt")).await.failed(Code::PolicyDenied);
}

/// Requirement: ACT-11.4-01
#[tokio::test(start_paused = true)]
async fn a_press_is_what_its_arguments_say() {
    let session = Session::on(vec![button("b", "Run"), button("c", "Bin")]).await;
    for command in ["click", "tap", "pinch", "drag", "keys"] {
        session.page.answer(None, command, None, |page, _| {
            page.effect("done");
            page.toast(&format!("{}", page.effects("done")));
            Answer::Done(Done::default())
        });
    }
    for (args, sent) in [
        (json!({ "count": 2, "button": "right", "modifiers": ["Shift"] }), "click b"),
        (json!({ "holdMs": 600 }), "click b"),
        (json!({ "pointer": "touch", "holdMs": 600 }), "tap b"),
        (json!({ "pinch": 2 }), "pinch b"),
        (json!({ "dragTo": { "by": "semantic", "role": "button", "name": "Bin" } }), "drag b"),
        (json!({ "keys": "Enter" }), "keys b"),
    ] {
        session.act(act("ui.activate", "b", args)).await.succeeded();
        assert_eq!(session.page.sent().pop().unwrap(), sent);
    }
    for wrong in [
        json!({ "count": 4 }),
        json!({ "button": "back" }),
        json!({ "modifiers": ["Hyper"] }),
        json!({ "holdMs": -1 }),
        json!({ "pinch": 0 }),
        json!({ "dragTo": { "by": "telepathy" } }),
    ] {
        session.act(act("ui.activate", "b", wrong)).await.failed(Code::InvalidArgs);
    }
    assert_eq!(session.page.sent().len(), 6);
}

#[tokio::test(start_paused = true)]
async fn arguments_of_the_wrong_kind_are_not_passed_over() {
    let session = Session::on(vec![button("b", "Save"), element("l", "listbox", "Tags")]).await;
    for (action, id, args, says) in [
        ("ui.activate", "b", json!({ "x": 3 }), "belong together"),
        ("ui.activate", "b", json!({ "modifiers": ["Shift", 7] }), "/args/modifiers/1"),
        ("ui.choose", "l", json!({ "values": ["Red", 7] }), "/args/values/1"),
    ] {
        let came = session.act(act(action, id, args)).await;
        came.failed(Code::InvalidArgs);
        assert!(came.message().contains(says), "{}", came.message());
    }
    let invoked = json!({ "actionId": "app.invoke", "args": { "actionId": "shop.buy", "args": "two" } });
    let refused = session.refusal(invoked).await;
    assert_eq!(refused.code, Code::InvalidArgs);
    assert!(refused.message.contains("/args/args"), "{refused}");
    assert_eq!(session.page.sent(), Vec::<String>::new());
}
