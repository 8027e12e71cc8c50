//! What the web profile adds to actions: entities by id, evidence by time, forms of targets, declared signals.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::Done;

use super::verification::{saver, toast, verified};
use super::{activate, button, field};
use crate::graph::{element, graph, scope, with};
use crate::scripted::{Answer, Came, Page, Session, agent, descriptor, target};

/// An action of the app that tells of an entity and returns something.
async fn made(told: Value, returned: Value, wanted: Value) -> Came {
    let session = Session::on(vec![]).await;
    session.page.offer(vec![descriptor("video.create", json!({ "targetKinds": ["none"] }))]);
    session.page.answer(None, "invoke", None, move |page, _| {
        page.tell(told.clone());
        Answer::Done(Done { value: Some(returned.clone()), ..Done::default() })
    });
    let verification = json!({ "policy": "all", "signals": [wanted], "timeoutMs": 500 });
    session.act(json!({ "actionId": "video.create", "verification": verification })).await
}

/// Requirement: WEB-S-09
#[tokio::test(start_paused = true)]
async fn an_entity_is_seen_by_kind_type_and_id() {
    for kind in ["entity.created", "entity.updated", "entity.deleted"] {
        let told = |of: &str, data: Value| json!({ "kind": kind, "entityType": of, "data": data });
        let wanted = |path: Value| with(json!({ "kind": kind, "entityType": "video" }), path);
        let by = |path: &str| wanted(json!({ "idPath": path }));
        let other = if kind == "entity.created" { "entity.deleted" } else { "entity.created" };
        let cases = [
            (told("video", json!({})), json!({}), wanted(json!({})), true),
            (told("user", json!({ "id": 7 })), json!({}), wanted(json!({})), false),
            (json!({ "kind": other, "entityType": "video" }), json!({}), wanted(json!({})), false),
            (told("video", json!({ "id": "v7" })), json!({}), by("/id"), true),
            (told("video", json!({ "deep": { "id": 7 } })), json!({}), by("/deep/id"), true),
            (told("video", json!({})), json!({ "id": "v7" }), by("id"), true),
            (told("video", json!({})), json!({}), by("/id"), false),
            (told("video", json!({ "id": null })), json!({ "other": 1 }), by("/id"), false),
            (told("user", json!({ "id": 7 })), json!({ "id": 7 }), by("/id"), false),
        ];
        for (told, returned, wanted, holds) in cases {
            let came = made(told.clone(), returned.clone(), wanted.clone()).await;
            assert_eq!(
                came.result.verification.passed,
                holds,
                "{wanted} of {told}, {returned}\n{}",
                came.story()
            );
        }
    }
}

/// Requirement: WEB-S-12
#[tokio::test(start_paused = true)]
async fn what_came_before_the_action_proves_nothing_and_a_state_that_is_there_does() {
    let wanted = json!({ "policy": "all", "signals": [toast("Saved")], "timeoutMs": 500 });
    let session = saver(|_| {}).await;
    session.page.toast("Saved");
    let came = session.act(verified("b", wanted.clone())).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.missing(), ["toast.contains"]);
    let session = saver(|page| page.toast("Saved")).await;
    session.act(verified("b", wanted)).await.succeeded();

    let by = |id: &str| json!({ "by": "stableId", "value": id });
    let session = Session::on(vec![
        with(field("t", "Title"), json!({ "stableId": "t", "state": { "textValue": "Hallo" } })),
        with(
            element("m", "button", "More"),
            json!({ "stableId": "m", "affordances": ["read", "expand"], "state": { "expanded": true } }),
        ),
    ])
    .await;
    session.page.on("type", "t", |_| {});
    let enter = json!({
        "actionId": "ui.enterText", "target": target("t"), "args": { "text": "Hallo" },
        "verification": { "signals": [{ "kind": "value.equals", "target": by("t"), "value": "Hallo" }] }
    });
    session.act(enter).await.succeeded();
    let expand = json!({
        "actionId": "ui.expand", "target": target("m"),
        "verification": { "signals": [{ "kind": "element.state", "target": by("m"), "state": { "expanded": true } }] }
    });
    session.act(expand).await.succeeded();
}

/// Requirement: WEB-C11-01
#[tokio::test(start_paused = true)]
async fn each_form_of_a_target_means_what_it_says_and_nothing_else() {
    let form = with(
        scope("form", "form", "Form", vec![field("t", "Title"), button("send", "Send")]),
        json!({ "submitTarget": "send" }),
    );
    let tools = scope(
        "tools",
        "toolbar",
        "Tools",
        vec![
            button("first", "First"),
            with(button("usual", "Usual"), json!({ "defaultAction": "ui.activate" })),
        ],
    );
    let plain = scope("plain", "region", "Plain", vec![button("p", "Plain")]);
    let marked = with(button("a", "Store"), json!({ "meaning": "video.save" }));
    let session = Session::of(vec![form, tools, plain, scope("main", "region", "Main", vec![marked])]).await;
    for id in ["send", "usual", "p", "a", "first"] {
        session.page.on("click", id, move |page| page.toast(id));
    }
    let on = |by: &str, value: &str| json!({ "actionId": "ui.activate", "target": { "ref": { "by": by, "value": value } } });
    for (by, value, id) in [
        ("instanceId", "a", "a"),
        ("custom", "video.save", "a"),
        ("scope", "form", "send"),
        ("scope", "tools", "usual"),
    ] {
        let came = session.act(on(by, value)).await;
        assert_eq!(came.succeeded().target(), id, "{by} {value}");
    }
    assert_eq!(session.act(on("custom", "video.save")).await.by(), "annotation");
    session.act(on("scope", "plain")).await.failed(Code::TargetNotFound);
    let refused = session.refusal(on("route", "/videos")).await;
    assert_eq!(refused.code, Code::InvalidArgs, "the server tells it as invalid_payload");
    assert!(refused.message.contains("nav.navigate"), "{}", refused.message);
    let sent = session.page.sent().len();
    // An id of an older page stands for what it was then.
    let seen = session.runtime.scene().graph();
    session.page.set("p", json!({ "name": "Delete all" }));
    let request = serde_json::from_value(activate("p")).unwrap();
    let result = session.runtime.act(&agent(), request, Some(seen)).await.unwrap();
    assert_eq!(result.error.as_ref().map(|error| error.code), Some(Code::StaleTarget));
    assert_eq!(session.page.sent().len(), sent);
}

/// Requirement: WEB-C39-01
#[tokio::test(start_paused = true)]
async fn declared_signals_are_all_needed_for_the_apps_actions_and_one_for_the_protocols() {
    let both = json!({ "success": [toast("Saved"), { "kind": "dialog.opened" }] });
    type React = fn(&Page);
    let some: React = |page| page.toast("Saved");
    let none: React = |_| {};
    let other: React = |page| page.set("s", json!({ "name": "other" }));
    let cases = [
        ("video.save", &both, json!({}), some, false),
        ("ui.activate", &json!({}), both.clone(), some, true),
        ("ui.activate", &json!({}), both.clone(), other, false),
        ("ui.activate", &json!({}), json!({}), other, true),
        ("ui.activate", &json!({}), json!({}), none, false),
        ("video.save", &json!({}), json!({}), other, true),
        ("video.save", &json!({}), json!({}), none, false),
    ];
    for (action, declared, of_target, react, passes) in cases {
        let elements = vec![with(button("b", "Save"), of_target), element("s", "status", "")];
        let page = Page::new(graph(vec![scope("main", "region", "Main", elements)]));
        page.on("click", "b", react);
        let actions = vec![descriptor("video.save", declared.clone())];
        let session = Session::with(page, |options| options.actions = actions).await;
        let came = session.act(json!({ "actionId": action, "target": target("b") })).await;
        if passes {
            came.succeeded();
        } else {
            came.failed(Code::VerificationFailed);
        }
        assert_eq!(json!(came.result.verification.policy), "capability-default");
    }
}
