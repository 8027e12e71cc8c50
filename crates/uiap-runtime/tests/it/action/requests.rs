//! What a request may say, and what is refused before anything happens.

use serde_json::{Value, json};
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::action::verification::VerificationSpec;
use uiap_model::parse::decode;
use uiap_model::problem::Problem;
use uiap_model::shape::Strictness;

use super::{activate, button, one_button};
use crate::graph::{scope, with};
use crate::scripted::{Session, descriptor, target};

fn problems(request: Value) -> Vec<Problem> {
    decode::<ActionRequestPayload>(&request, Strictness::Wire).unwrap_err()
}

/// Requirement: ACT-5.1-01
/// Requirement: ACT-16-01
#[tokio::test(start_paused = true)]
async fn a_request_with_an_action_alone_is_taken_and_a_malformed_one_names_its_member() {
    let session = Session::on(vec![]).await;
    session.page.offer(vec![descriptor("video.sync", json!({ "targetKinds": ["none"] }))]);
    session.page.answer(None, "invoke", None, |page, _| {
        page.toast("synced");
        crate::scripted::Answer::Done(uiap_runtime::surface::Done::default())
    });
    session.act(json!({ "actionId": "video.sync" })).await.succeeded();
    for (request, pointer) in [
        (json!({}), "/actionId"),
        (json!({ "actionId": 7 }), "/actionId"),
        (json!({ "actionId": "ui.read", "args": [] }), "/args"),
        (json!({ "actionId": "ui.read", "timeoutMs": -1 }), "/timeoutMs"),
        (json!({ "actionId": "ui.read", "timeoutMs": "1" }), "/timeoutMs"),
        (json!({ "actionId": "ui.read", "idempotencyKey": 1 }), "/idempotencyKey"),
        (json!({ "actionId": "ui.read", "target": "b" }), "/target"),
    ] {
        let told = problems(request);
        assert!(
            told.iter().any(|problem| problem.to_string().contains(pointer.trim_start_matches('/'))),
            "{pointer}: {told:?}"
        );
    }
}

/// Requirement: ACT-5.1-03
#[tokio::test(start_paused = true)]
async fn the_answer_carries_handle_action_and_the_word_accepted() {
    let session = one_button().await;
    let running = session.request(activate("b")).await.unwrap();
    let told = json!(running.accepted);
    assert_eq!(told["status"], "accepted");
    assert_eq!(told["actionId"], "ui.activate");
    assert!(told["actionHandle"].as_str().is_some_and(|handle| !handle.is_empty()));
    let other = with(told, json!({ "status": "done" }));
    let read = decode::<uiap_model::action::ActionAcceptedPayload>(&other, Strictness::Wire);
    assert!(read.is_err());
}

/// Requirement: ACT-5.1-05
#[tokio::test(start_paused = true)]
async fn an_element_that_contradicts_what_was_expected_is_never_acted_on() {
    let link = with(crate::graph::element("l", "link", "Save"), json!({ "stableId": "save" }));
    let other = with(button("o", "Other"), json!({ "stableId": "other" }));
    let session = Session::of(vec![
        scope("main", "region", "Main", vec![link]),
        scope("side", "region", "Side", vec![other]),
    ])
    .await;
    session.page.on("click", "l", |page| page.toast("clicked"));
    let asked = |hint: Value| {
        let target = with(json!({ "ref": { "by": "stableId", "value": "save" } }), hint);
        json!({ "actionId": "ui.activate", "target": target })
    };
    let by_instance = |hint: Value| json!({ "actionId": "ui.activate", "target": with(target("l"), hint) });
    for hint in [
        json!({ "expectedRole": "button" }),
        json!({ "expectedName": "Delete" }),
        json!({ "expectedScopeId": "side" }),
        json!({ "expectedDocumentId": "doc_other" }),
    ] {
        for request in [asked(hint.clone()), by_instance(hint.clone())] {
            let came = session.act(request).await;
            assert!(
                matches!(came.code(), Some(Code::TargetNotFound | Code::StaleTarget)),
                "{hint}: {:?}",
                came.code()
            );
            assert_eq!(came.side_effect(), "none");
        }
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let fitting = json!({
        "expectedRole": "link", "expectedName": "Save", "expectedScopeId": "main", "expectedDocumentId": "doc_root"
    });
    session.act(asked(fitting)).await.succeeded();
}

/// Requirement: ACT-5.1-05
#[tokio::test(start_paused = true)]
async fn a_scope_inside_of_the_expected_one_is_inside_of_it() {
    let inner =
        with(scope("form", "form", "Form", vec![button("b", "Save")]), json!({ "parentScopeId": "main" }));
    let session = Session::of(vec![scope("main", "region", "Main", vec![]), inner]).await;
    session.page.on("click", "b", |page| page.toast("saved"));
    for by in [
        json!({ "ref": { "by": "semantic", "role": "button", "name": "Save" }, "expectedScopeId": "main" }),
        with(target("b"), json!({ "expectedScopeId": "main" })),
    ] {
        session.act(json!({ "actionId": "ui.activate", "target": by })).await.succeeded();
    }
}

/// Requirement: ACT-5.1-06
#[tokio::test(start_paused = true)]
async fn ambiguity_cannot_be_waived() {
    let session = one_button().await;
    let asked = |allow: Value| json!({ "actionId": "ui.activate", "target": with(target("b"), json!({ "allowAmbiguous": allow })) });
    let refused = session.refusal(asked(json!(true))).await;
    assert_eq!(refused.code, Code::InvalidArgs);
    assert!(refused.message.contains("allowAmbiguous"), "{}", refused.message);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.act(asked(json!(false))).await.succeeded();
    session.act(activate("b")).await.succeeded();
}

/// Requirement: ACT-5.1-07
/// Requirement: ACT-5.1-08
/// Requirement: ACT-5.1-09
#[test]
fn presentation_hints_take_their_words_and_no_others() {
    let with_hint = |hint: Value| json!({ "actionId": "ui.read", "presentation": hint });
    for (wrong, words) in [
        (json!({ "highlight": "glow" }), vec!["none", "outline", "spotlight"]),
        (json!({ "highlight": true }), vec!["/presentation/highlight"]),
        (json!({ "pace": "slow" }), vec!["instant", "humanized"]),
        (json!({ "ghostCursor": "yes" }), vec!["/presentation/ghostCursor"]),
        (json!({ "narration": 5 }), vec!["/presentation/narration"]),
    ] {
        let told = format!("{:?}", problems(with_hint(wrong)));
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
    for right in [
        json!({ "highlight": "none" }),
        json!({ "highlight": "outline" }),
        json!({ "highlight": "spotlight" }),
        json!({ "pace": "instant" }),
        json!({ "pace": "humanized" }),
        json!({ "ghostCursor": true, "narration": "now I save" }),
    ] {
        decode::<ActionRequestPayload>(&with_hint(right), Strictness::Wire).unwrap();
    }
}

/// Requirement: ACT-6.2-01
/// Requirement: ACT-6.2-02
/// Requirement: ACT-16-06
#[test]
fn what_shall_be_verified_is_checked_for_its_types() {
    for right in [
        json!({ "policy": "capability-default" }),
        json!({ "policy": "any" }),
        json!({ "policy": "all" }),
        json!({ "policy": "none" }),
        json!({ "signals": [{ "kind": "toast.contains", "text": "Saved" }] }),
        json!({ "timeoutMs": 100 }),
        json!({ "requireRevisionAdvance": true }),
    ] {
        decode::<VerificationSpec>(&right, Strictness::Wire).unwrap();
    }
    for (wrong, words) in [
        (json!({ "policy": "some" }), vec!["capability-default", "any", "all", "none"]),
        (json!({ "policy": "default" }), vec!["capability-default", "any", "all", "none"]),
        (json!({ "signals": [{ "kind": "moon.rose" }] }), vec!["/signals/0"]),
        (json!({ "timeoutMs": "soon" }), vec!["/timeoutMs"]),
        (json!({ "requireRevisionAdvance": "yes" }), vec!["/requireRevisionAdvance"]),
    ] {
        let told = format!("{:?}", decode::<VerificationSpec>(&wrong, Strictness::Wire).unwrap_err());
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
}

/// Requirement: ACT-5.1-12
/// Requirement: ACT-7-02
#[test]
fn a_mode_that_nobody_knows_is_refused_with_the_five() {
    let told =
        format!("{:?}", problems(json!({ "actionId": "ui.read", "preferredExecutionModes": ["telepathy"] })));
    for mode in ["appAction", "semanticUi", "externalDriver", "inputSynthesis", "visionAssist"] {
        assert!(told.contains(mode), "{told}");
    }
}

/// Requirement: ACT-9.1-02
#[tokio::test(start_paused = true)]
async fn an_action_that_nobody_declares_is_refused() {
    let session = one_button().await;
    for id in ["ui.fly", "video.create"] {
        let refused = session.refusal(json!({ "actionId": id, "target": target("b") })).await;
        assert_eq!(refused.code, Code::ActionUnsupported);
    }
    let refused =
        session.refusal(json!({ "actionId": "app.invoke", "args": { "actionId": "video.create" } })).await;
    assert_eq!(refused.code, Code::ActionUnsupported);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-6.4-03
#[tokio::test(start_paused = true)]
async fn an_action_that_needs_a_target_says_so() {
    let session = one_button().await;
    let refused = session.refusal(json!({ "actionId": "ui.activate" })).await;
    assert_eq!(refused.code, Code::TargetRequired);
    let refused = session.refusal(json!({ "actionId": "ui.activate", "target": {} })).await;
    assert_eq!(refused.code, Code::TargetRequired);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-SEC-01
/// Requirement: ACT-11.15-01
/// Requirement: MOB-RFC005-03-06
#[tokio::test(start_paused = true)]
async fn arguments_are_checked_before_the_app_gets_them() {
    let session = Session::on(vec![]).await;
    let args = json!([
        { "name": "title", "type": "string", "required": true },
        { "name": "kind", "type": "enum", "enum": ["clip", "film"] },
        { "name": "length", "type": "number" }
    ]);
    session.page.offer(vec![descriptor("video.create", json!({ "args": args, "targetKinds": ["none"] }))]);
    session.page.answer(None, "invoke", None, |page, _| {
        page.effect("created");
        page.tell(json!({ "kind": "entity.created", "entityType": "video" }));
        crate::scripted::Answer::Done(uiap_runtime::surface::Done::default())
    });
    let invoke = |args: Value| json!({ "actionId": "app.invoke", "args": { "actionId": "video.create", "args": args } });
    for wrong in [
        json!({}),
        json!({ "title": 5 }),
        json!({ "title": "A", "length": "long" }),
        json!({ "title": "A", "kind": "'; drop table videos; --" }),
        json!({ "title": "A", "owner": "me" }),
    ] {
        let refused = session.refusal(invoke(wrong.clone())).await;
        assert_eq!(refused.code, Code::InvalidArgs, "{wrong}");
        assert!(refused.message.contains("/args"), "{}", refused.message);
    }
    assert_eq!(session.page.effects("created"), 0);
    let came = session.act(invoke(json!({ "title": "A", "kind": "clip" }))).await;
    came.succeeded();
    assert_eq!(session.page.effects("created"), 1);
    assert_eq!(came.observed(), ["entity.created"]);
}
