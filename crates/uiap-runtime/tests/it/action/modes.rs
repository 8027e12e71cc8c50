//! In which way an action is carried out.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::capability::ExecutionMode as Mode;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done};

use super::{activate, button};
use crate::graph::{graph, scope, with};
use crate::scripted::{Answer, EVERY_MODE, Page, Scripted, Session, descriptor, target};

/// A button that stands for an action of the app.
fn publish() -> Page {
    let node = with(button("b", "Publish"), json!({ "defaultAction": "video.publish" }));
    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![node])]));
    let done = |page: &Page| {
        page.effect("published");
        page.toast(&format!("Published {}", page.effects("published")));
    };
    page.on("click", "b", done);
    page.on("invoke", "video.publish", done);
    page
}

fn all_modes() -> Value {
    json!({ "executionModes": ["appAction", "semanticUi", "externalDriver", "inputSynthesis", "visionAssist"] })
}

async fn with_modes(page: Page, modes: &[Mode], more: Value) -> Session {
    let all = with(all_modes(), more);
    let surface = Scripted { page, modes: modes.to_vec() };
    Session::start(surface, |options| options.actions = vec![descriptor("video.publish", all)]).await
}

/// Requirement: ACT-7-01
/// Requirement: ACT-10.1-01
/// Requirement: ACT-10.3-01
/// Requirement: ACT-10.5-03
/// Requirement: ACT-6.4-04
/// Requirement: ACT-16-04
/// Requirement: CORE-C4-01
#[tokio::test(start_paused = true)]
async fn modes_are_tried_in_the_order_of_the_spec() {
    let names = ["appAction", "semanticUi", "externalDriver", "inputSynthesis", "visionAssist"];
    for first in 0..5 {
        // In which order a surface or the capability lists them says nothing.
        let turned: Vec<Mode> = EVERY_MODE[first..].iter().rev().copied().collect();
        let listed: Vec<&str> = names.iter().rev().copied().collect();
        let session = with_modes(publish(), &turned, json!({ "executionModes": listed })).await;
        session.page.offer(vec![descriptor("video.publish", all_modes())]);
        let came = session.act(json!({ "actionId": "video.publish", "target": target("b") })).await;
        came.succeeded();
        assert_eq!(came.mode(), names[first]);
        assert_eq!(session.page.effects("published"), 1);
    }
    let session = with_modes(publish(), &[], json!({})).await;
    let came = session.act(json!({ "actionId": "video.publish", "target": target("b") })).await;
    came.failed(Code::ExecutionModeUnavailable);
    assert_eq!(came.side_effect(), "none");
}

/// Requirement: CORE-C4-01
#[tokio::test(start_paused = true)]
async fn the_order_in_which_modes_are_declared_has_no_meaning() {
    let names = ["appAction", "semanticUi", "externalDriver", "inputSynthesis", "visionAssist"];
    let turned: Vec<&str> = names.into_iter().rev().collect();
    let mixed = ["visionAssist", "semanticUi", "inputSynthesis", "appAction", "externalDriver"].to_vec();
    for declared in [turned, mixed] {
        let declared = json!({ "executionModes": declared });
        for first in 0..5 {
            let session = with_modes(publish(), &EVERY_MODE[first..], declared.clone()).await;
            session.page.offer(vec![descriptor("video.publish", declared.clone())]);
            let came = session.act(json!({ "actionId": "video.publish", "target": target("b") })).await;
            assert_eq!(came.succeeded().mode(), names[first], "{declared}");
        }
    }
}

/// Requirement: ACT-6.4-04
/// Requirement: ACT-10.3-01
#[tokio::test(start_paused = true)]
async fn a_mode_that_the_surface_lacks_is_not_attempted() {
    let only = json!({ "executionModes": ["externalDriver"] });
    let surface = Scripted { page: publish(), modes: vec![Mode::AppAction, Mode::SemanticUi] };
    let session =
        Session::start(surface, |options| options.actions = vec![descriptor("video.publish", only.clone())])
            .await;
    let asked = json!({ "actionId": "video.publish", "target": target("b") });
    session.act(asked.clone()).await.failed(Code::ExecutionModeUnavailable);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let surface = Scripted { page: publish(), modes: EVERY_MODE.to_vec() };
    let session =
        Session::start(surface, |options| options.actions = vec![descriptor("video.publish", only)]).await;
    let came = session.act(asked).await;
    assert_eq!(came.succeeded().mode(), "externalDriver");
}

/// Requirement: ACT-5.1-12
/// Requirement: ACT-7-02
#[tokio::test(start_paused = true)]
async fn the_requester_and_the_app_may_wish_for_another_order() {
    let session = with_modes(publish(), &EVERY_MODE, json!({})).await;
    session.page.offer(vec![descriptor("video.publish", all_modes())]);
    let asked = |modes: Value| json!({ "actionId": "video.publish", "target": target("b"), "preferredExecutionModes": modes });
    let came = session.act(asked(json!(["semanticUi", "appAction"]))).await;
    assert_eq!(came.succeeded().mode(), "semanticUi");
    let came = session.act(asked(json!(["inputSynthesis"]))).await;
    assert_eq!(came.succeeded().mode(), "inputSynthesis");

    let surface = Scripted { page: publish(), modes: vec![Mode::AppAction, Mode::SemanticUi] };
    let session = Session::start(surface, |options| {
        options.actions = vec![descriptor("video.publish", all_modes())];
        options.order = Some(vec![Mode::SemanticUi, Mode::AppAction]);
    })
    .await;
    session.page.offer(vec![descriptor("video.publish", all_modes())]);
    let asked = |modes: Value| with(json!({ "actionId": "video.publish", "target": target("b") }), modes);
    let came = session.act(asked(json!({}))).await;
    assert_eq!(came.succeeded().mode(), "semanticUi");
    session
        .act(asked(json!({ "preferredExecutionModes": ["externalDriver"] })))
        .await
        .failed(Code::ExecutionModeUnavailable);
}

/// Requirement: ACT-10.1-02
/// Requirement: ACT-3-04
/// Requirement: ACT-10.3-02
#[tokio::test(start_paused = true)]
async fn a_function_of_the_app_is_held_to_what_the_action_declares() {
    let declared = json!({ "success": [{ "kind": "entity.created", "entityType": "video" }] });
    for (tells, passes) in [(true, true), (false, false)] {
        for mode in ["appAction", "semanticUi", "externalDriver"] {
            let node = with(button("b", "Create"), json!({ "defaultAction": "video.create" }));
            let page = Page::new(graph(vec![scope("main", "region", "Main", vec![node])]));
            let act = move |page: &Page| {
                page.effect("created");
                if tells {
                    page.tell(json!({ "kind": "entity.created", "entityType": "video", "entityId": "v1" }));
                }
            };
            page.on("click", "b", act);
            page.answer(None, "invoke", None, move |page, _| {
                act(page);
                let value = Some(json!({ "ok": true }));
                Answer::Done(Done { value, ..Done::default() })
            });
            let declared = descriptor("video.create", with(all_modes(), declared.clone()));
            page.offer(vec![declared.clone()]);
            let surface = Scripted { page, modes: EVERY_MODE.to_vec() };
            let session = Session::start(surface, |options| options.actions = vec![declared]).await;
            let asked = json!({ "actionId": "video.create", "target": target("b"), "preferredExecutionModes": [mode] });
            let came = session.act(asked).await;
            if passes {
                came.succeeded();
                assert_eq!(came.observed(), ["entity.created"]);
            } else {
                came.failed(Code::VerificationFailed);
                assert_eq!(came.missing(), ["entity.created"]);
            }
            assert_eq!(came.mode(), mode);
            assert_eq!(session.page.effects("created"), 1);
        }
    }
}

/// Requirement: ACT-10.1-03
/// Requirement: ACT-6.4-03
#[tokio::test(start_paused = true)]
async fn an_action_of_the_app_may_do_without_a_target_if_it_says_so() {
    let declared = vec![
        descriptor("app.sync", json!({ "targetKinds": ["session"] })),
        descriptor("video.rename", json!({ "targetKinds": ["element"] })),
    ];
    let page = Page::new(graph(vec![]));
    page.offer(declared.clone());
    page.answer(None, "invoke", None, |page, _| {
        page.toast("synced");
        Answer::Done(Done::default())
    });
    let session = Session::with(page, |options| options.actions = declared).await;
    session.act(json!({ "actionId": "app.sync" })).await.succeeded();
    let refused = session.refusal(json!({ "actionId": "video.rename" })).await;
    assert_eq!(refused.code, Code::TargetRequired);
}

/// Requirement: ACT-10.4-01
/// Requirement: ACT-10.2-02
/// Requirement: ACT-11.4-02
#[tokio::test(start_paused = true)]
async fn another_mode_takes_over_only_where_the_first_did_certainly_nothing_and_that_is_noted() {
    let session = Session::on(vec![button("b", "Paint")]).await;
    session.page.answer(Some(Mode::SemanticUi), "click", Some("b"), |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Unsuitable, "it ignores clicks"))
    });
    session.page.cannot(Mode::ExternalDriver, "click");
    session.page.on("click", "b", |page| page.toast("painted"));
    let came = session.act(activate("b")).await;
    assert_eq!(came.succeeded().mode(), "inputSynthesis");
    let notes: Vec<String> =
        came.progress().iter().filter_map(|told| told["note"].as_str().map(str::to_owned)).collect();
    assert!(
        notes.iter().any(|note| note.contains("semanticUi") && note.contains("ignores clicks")),
        "{notes:?}"
    );

    // Nobody knows whether the first one had an effect: no other is tried.
    let session = Session::on(vec![button("b", "Paint")]).await;
    session.page.answer(Some(Mode::SemanticUi), "click", Some("b"), |page, _| {
        page.effect("painted");
        Answer::Fails(DispatchError::uncertain(DispatchErrorKind::Unsuitable, "the answer was lost"))
    });
    session.page.on("click", "b", |page| page.effect("painted"));
    let came = session.act(activate("b")).await;
    assert_eq!(came.status(), "failed");
    assert_eq!(came.side_effect(), "unknown");
    assert_eq!(session.page.effects("painted"), 1);
}

/// Requirement: ACT-10.4-03
#[tokio::test(start_paused = true)]
async fn delicate_actions_are_not_done_by_made_up_input() {
    for tag in ["security", "identity"] {
        let risk =
            json!({ "risk": { "level": "safe", "tags": [tag] }, "executionModes": ["inputSynthesis"] });
        let session = with_modes(publish(), &EVERY_MODE, risk).await;
        let came = session.act(json!({ "actionId": "video.publish", "target": target("b") })).await;
        came.failed(Code::ExecutionModeUnavailable);
        assert_eq!(session.page.sent(), Vec::<String>::new());
    }
    let plain = json!({ "executionModes": ["inputSynthesis"] });
    let session = with_modes(publish(), &EVERY_MODE, plain).await;
    let came = session.act(json!({ "actionId": "video.publish", "target": target("b") })).await;
    assert_eq!(came.succeeded().mode(), "inputSynthesis");
}

/// Requirement: ACT-10.5-01
/// Requirement: ACT-10.5-02
/// Requirement: ACT-10.5-03
#[tokio::test(start_paused = true)]
async fn pictures_are_the_last_resort_and_their_point_is_written_down() {
    let page = publish();
    let session = with_modes(page, &EVERY_MODE, json!({})).await;
    let wish = json!({ "actionId": "video.publish", "target": target("b"), "preferredExecutionModes": ["visionAssist"] });
    let came = session.act(wish.clone()).await;
    assert_ne!(came.succeeded().mode(), "visionAssist");

    let page = Page::new(graph(vec![scope("main", "region", "Main", vec![button("b", "Paint")])]));
    for mode in [Mode::SemanticUi, Mode::ExternalDriver, Mode::InputSynthesis] {
        page.cannot(mode, "click");
    }
    page.answer(Some(Mode::VisionAssist), "click", None, |page, _| {
        page.toast("painted");
        Answer::Done(Done { point: Some((12.0, 34.0)), ..Done::default() })
    });
    let session = Session::start(Scripted { page, modes: EVERY_MODE.to_vec() }, |_| {}).await;
    let came = session.act(activate("b")).await;
    assert_eq!(came.succeeded().mode(), "visionAssist");
    let points: Vec<Value> = came.progress().iter().map(|told| told["detail"]["point"].clone()).collect();
    assert!(points.contains(&json!({ "x": 12.0, "y": 34.0 })), "{points:?}");
    assert_eq!(came.observed(), ["toast.contains"]);
}

/// Requirement: ACT-10.3-02
#[tokio::test(start_paused = true)]
async fn a_driver_that_says_done_is_not_believed() {
    let session = Session::on(vec![button("b", "Run")]).await;
    session.page.answer(Some(Mode::ExternalDriver), "click", None, |_, _| {
        Answer::After(Duration::from_millis(10), Done { events: vec!["click".to_owned()], ..Done::default() })
    });
    let came =
        session.act(with(activate("b"), json!({ "preferredExecutionModes": ["externalDriver"] }))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.side_effect(), "unknown");
}
