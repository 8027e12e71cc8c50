//! Nothing is done to a target that cannot be used, in whatever way.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Reach};

use super::{activate, button, checkbox, field};
use crate::graph::{scope, with};
use crate::scripted::{Answer, Session, descriptor, target};

fn request(action: &str, id: &str) -> Value {
    let args = match action {
        "ui.choose" => json!({ "value": "Agree" }),
        "ui.enterText" => json!({ "text": "x" }),
        "ui.setValue" => json!({ "value": "x" }),
        _ => json!({}),
    };
    json!({ "actionId": action, "target": target(id), "args": args })
}

const POINTER: [&str; 3] = ["ui.activate", "ui.toggle", "ui.choose"];
const TEXT: [&str; 3] = ["ui.enterText", "ui.clearText", "ui.setValue"];

/// Requirement: ACT-9-01
/// Requirement: ACT-9.2-01
/// Requirement: ACT-9.2-02
/// Requirement: ACT-9.2-03
/// Requirement: ACT-9.2-04
/// Requirement: ACT-9.2-05
/// Requirement: ACT-9.4-02
/// Requirement: ACT-15.3-01
/// Requirement: ACT-16-03
#[tokio::test(start_paused = true)]
async fn a_pointer_is_not_used_on_what_it_cannot_use() {
    let faults = [
        ("attached", json!({ "web": { "attached": false } })),
        ("visible", json!({ "state": { "visible": false } })),
        ("enabled", json!({ "state": { "enabled": false } })),
        ("blocked", json!({ "state": { "blocked": true } })),
    ];
    for action in POINTER {
        for (check, fault) in &faults {
            for mode in ["semanticUi", "externalDriver", "inputSynthesis"] {
                let session =
                    Session::on(vec![with(checkbox("c", "Agree", json!(false)), fault.clone())]).await;
                let asked = with(request(action, "c"), json!({ "preferredExecutionModes": [mode] }));
                let came = session.act(asked).await;
                came.failed(Code::TargetNotInteractable);
                assert_eq!(came.detail("/check"), json!(check), "{action} {mode}");
                assert_eq!(came.side_effect(), "none");
                assert_eq!(session.page.sent(), Vec::<String>::new(), "{action} {check} {mode}");
                assert!(came.took <= Duration::from_millis(3_100), "{:?}", came.took);
            }
        }
    }
}

/// Requirement: ACT-9.2-02
/// Requirement: ACT-9.2-03
/// Requirement: ACT-9.2-04
#[tokio::test(start_paused = true)]
async fn what_is_usable_or_not_known_to_be_unusable_is_used() {
    for state in [
        json!({ "visible": true, "enabled": true, "blocked": false }),
        json!({ "visible": null, "enabled": null }),
    ] {
        for action in POINTER {
            let mut node = checkbox("c", "Agree", json!(false));
            for (name, value) in state.as_object().unwrap() {
                let members = node["state"].as_object_mut().unwrap();
                if value.is_null() {
                    members.shift_remove(name);
                } else {
                    members.insert(name.clone(), value.clone());
                }
            }
            let session = Session::on(vec![node]).await;
            session.act(request(action, "c")).await.succeeded();
        }
    }
}

/// Requirement: ACT-9.2-05
/// Requirement: ACT-13.1-03
#[tokio::test(start_paused = true)]
async fn a_moving_target_is_waited_for() {
    let moving = with(button("b", "Run"), json!({ "web": { "stable": false } }));
    let session = Session::on(vec![moving.clone()]).await;
    session.page.on("click", "b", |page| page.toast("ran"));
    session.page.reaches("b", [Reach::Moving, Reach::Clear]);
    session.page.later(300, |page| page.set("b", json!({ "web": { "stable": true } })));
    let came = session.act(activate("b")).await;
    came.succeeded();
    assert!(came.took >= Duration::from_millis(300), "{:?}", came.took);
    assert!(came.stages().contains(&"recovering".to_owned()));

    let session = Session::on(vec![moving]).await;
    session.page.reaches("b", [Reach::Moving]);
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.detail("/check"), json!("stable"));
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-9.2-06
/// Requirement: ACT-15.3-01
#[tokio::test(start_paused = true)]
async fn a_covered_target_is_not_clicked_through_and_the_cover_is_named() {
    let covered = with(button("b", "Run"), json!({ "state": { "obscured": true } }));
    let session = Session::on(vec![covered.clone()]).await;
    session.page.reaches("b", [Reach::Covered(Some("dialog “Cookies”".to_owned()))]);
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.detail("/check"), json!("obscured"));
    assert_eq!(came.detail("/coveredBy"), json!("dialog “Cookies”"));
    assert_eq!(session.page.sent(), Vec::<String>::new());

    // A bar that scrolling clears.
    let session = Session::on(vec![covered]).await;
    session.page.on("click", "b", |page| page.toast("ran"));
    session.page.reaches("b", [Reach::Clear]);
    session.act(activate("b")).await.succeeded();

    // Seen only when the pointer comes.
    let session = Session::on(vec![button("b", "Run")]).await;
    session.page.answer(None, "click", None, |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Unreachable, "a banner lies over it"))
    });
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.side_effect(), "none");
    assert_eq!(session.page.sent().len(), 1, "it is not tried in another way");
}

/// Requirement: ACT-9.2-07
/// Requirement: ACT-13.1-02
#[tokio::test(start_paused = true)]
async fn a_target_that_no_scrolling_reaches_is_refused() {
    let risky =
        with(button("b", "Pay"), json!({ "risk": { "level": "confirm" }, "web": { "inViewport": false } }));
    let session = Session::on(vec![risky]).await;
    session.page.reaches("b", [Reach::Outside]);
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.detail("/check"), json!("inViewport"));
    // One that can be brought into view is: being outside of it is no obstacle by itself.
    let session =
        Session::on(vec![with(button("b", "Run"), json!({ "web": { "inViewport": false } }))]).await;
    session.page.on("click", "b", |page| page.toast("ran"));
    session.act(activate("b")).await.succeeded();
}

/// Requirement: ACT-9.3-01
/// Requirement: ACT-9.3-02
/// Requirement: ACT-9.3-03
/// Requirement: ACT-11.6-01
#[tokio::test(start_paused = true)]
async fn text_goes_into_fields_that_take_it_and_nowhere_else() {
    let filled =
        |fault: Value| with(with(field("t", "Title"), json!({ "state": { "textValue": "old" } })), fault);
    let faults = [
        ("editable", json!({ "role": "group", "affordances": ["read"] })),
        ("readonly", json!({ "state": { "readonly": true } })),
        ("enabled", json!({ "state": { "enabled": false } })),
        ("attached", json!({ "web": { "attached": false } })),
        ("blocked", json!({ "state": { "blocked": true } })),
    ];
    for action in TEXT {
        for (check, fault) in &faults {
            let session = Session::on(vec![filled(fault.clone())]).await;
            let came = session.act(request(action, "t")).await;
            came.failed(Code::TargetNotInteractable);
            assert_eq!(came.detail("/check"), json!(check), "{action}");
            assert_eq!(session.page.value("t"), "old");
            assert_eq!(session.page.sent(), Vec::<String>::new());
        }
        let editable = json!({ "role": "group", "state": { "editable": true } });
        for good in [json!({}), editable] {
            let session = Session::on(vec![filled(good)]).await;
            session.act(request(action, "t")).await.succeeded();
            assert_ne!(session.page.value("t"), "old");
        }
    }
}

/// Requirement: ACT-9.3-04
#[tokio::test(start_paused = true)]
async fn text_is_not_typed_elsewhere_when_the_field_cannot_have_the_focus() {
    let session = Session::on(vec![field("t", "Title")]).await;
    session.page.answer(None, "type", None, |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Unreachable, "the focus was taken away"))
    });
    let came = session.act(request("ui.enterText", "t")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(came.side_effect(), "none");
    assert_eq!(session.page.value("t"), "");
}

/// Requirement: ACT-9-01
#[tokio::test(start_paused = true)]
async fn an_action_of_the_app_does_not_get_past_the_checks_of_its_target() {
    for (check, state) in [("enabled", json!({ "enabled": false })), ("blocked", json!({ "blocked": true }))]
    {
        for function in [true, false] {
            let node =
                with(button("b", "Publish"), json!({ "defaultAction": "video.publish", "state": state }));
            let session = Session::with(
                crate::scripted::Page::new(crate::graph::graph(vec![scope(
                    "main",
                    "region",
                    "Main",
                    vec![node],
                )])),
                |options| {
                    options.actions = vec![descriptor("video.publish", json!({}))];
                },
            )
            .await;
            if function {
                session.page.offer(vec![descriptor("video.publish", json!({}))]);
            }
            for asked in [
                json!({ "actionId": "video.publish", "target": target("b") }),
                json!({ "actionId": "video.publish" }),
            ] {
                if function && asked.get("target").is_none() {
                    continue;
                }
                let came = session.act(asked).await;
                came.failed(Code::TargetNotInteractable);
                assert_eq!(came.detail("/check"), json!(check));
                assert_eq!(session.page.sent(), Vec::<String>::new());
            }
        }
    }
}

/// Requirement: ACT-13.1-03
/// Requirement: ACT-9.4-02
#[tokio::test(start_paused = true)]
async fn a_busy_page_is_waited_for_and_not_for_ever() {
    let busy =
        with(scope("main", "form", "Main", vec![button("b", "Run")]), json!({ "state": { "busy": true } }));
    let session = Session::of(vec![busy.clone()]).await;
    session.page.on("click", "b", |page| page.toast("ran"));
    session.page.later(300, |page| {
        page.edit(|graph| graph.documents[0].scopes[0].state = None);
    });
    let came = session.act(activate("b")).await;
    came.succeeded();
    assert!(came.took >= Duration::from_millis(300));

    let session = Session::of(vec![busy]).await;
    let came = session.act(activate("b")).await;
    came.failed(Code::TargetNotInteractable);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-9.4-01
/// Requirement: ACT-11.14-01
#[tokio::test(start_paused = true)]
async fn one_goes_to_places_that_exist_and_may_be_visited() {
    let link = crate::graph::element("l", "link", "Help");
    let page =
        crate::scripted::Page::new(crate::graph::graph(vec![scope("main", "region", "Main", vec![link])]));
    let session = Session::with(page, |options| {
        options.routes = vec![
            ("library".to_owned(), "/library".to_owned()),
            ("video".to_owned(), "/videos/:id".to_owned()),
        ];
    })
    .await;
    session.page.on("click", "l", |page| page.go("/help"));
    let to = |value: Value| json!({ "actionId": "nav.navigate", "target": { "ref": { "by": "route", "value": value } } });
    let came = session.act(to(json!("library"))).await;
    came.succeeded();
    assert_eq!(came.observed(), ["route.changed"]);
    assert_eq!(session.page.graph().route.path.as_deref(), Some("/library"));
    session.act(json!({ "actionId": "nav.navigate", "target": target("l") })).await.succeeded();
    session
        .act(json!({ "actionId": "nav.navigate", "args": { "url": "http://127.0.0.1/x#/y" } }))
        .await
        .succeeded();
    let here = session.page.graph().route.url.clone();
    session.act(to(json!("nowhere"))).await.failed(Code::TargetNotFound);
    session.act(to(json!("video"))).await.failed(Code::InvalidArgs);
    for url in ["javascript:alert(1)", "file:///etc/passwd", "chrome://settings", "http://me@evil.example/"] {
        let came = session.act(json!({ "actionId": "nav.navigate", "args": { "url": url } })).await;
        came.failed(Code::PolicyDenied);
        assert_eq!(came.side_effect(), "none");
    }
    session
        .act(json!({ "actionId": "nav.navigate", "args": { "history": 0 } }))
        .await
        .failed(Code::InvalidArgs);
    session.act(json!({ "actionId": "nav.navigate" })).await.failed(Code::InvalidArgs);
    assert_eq!(session.page.graph().route.url, here);
}
