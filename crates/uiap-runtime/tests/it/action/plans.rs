//! Sessions that demand a whole plan: what an action is done to, what for, and what it should change.

use serde_json::{Value, json};
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::capability::{ExecutionMode, PrimitiveActionType};
use uiap_model::names::ActionId;
use uiap_model::parse::decode;
use uiap_model::shape::Strictness;
use uiap_runtime::action::{Part, check_plan, primitive};
use uiap_runtime::resolve::resolve;
use uiap_runtime::trace::{LifecycleState as L, lifecycle, story};

use super::verification::toast;
use super::{activate, button, checkbox, field};
use crate::graph::{below, element, graph, scope, with};
use crate::scripted::{Came, Page, Scripted, Session, target};

async fn strict(elements: Vec<Value>) -> Session {
    let page = Page::new(graph(vec![scope("main", "region", "Main", elements)]));
    Session::with(page, |options| options.strict = true).await
}

fn planned(id: &str) -> Value {
    let more = json!({
        "verification": { "signals": [toast("Settings")] }, "metadata": { "intent": "open settings" }
    });
    with(activate(id), more)
}

fn without(mut request: Value, member: &str) -> Value {
    request.as_object_mut().unwrap().shift_remove(member);
    request
}

fn states(came: &Came) -> Vec<L> {
    lifecycle(&came.trace).iter().map(|signal| signal.to).collect()
}

/// Requirement: MOB-RFC005-03-03
/// Requirement: MOB-RFC005-06-01
/// Requirement: MOB-RFC005-06-03
/// Requirement: MOB-RFC005-06-04
#[tokio::test(start_paused = true)]
async fn a_plan_that_lacks_a_part_is_refused_by_that_part_before_anything_is_sent() {
    let session = strict(vec![button("b", "Settings")]).await;
    session.page.on("click", "b", |page| page.toast("Settings"));
    let spec = |spec: Value| with(without(planned("b"), "verification"), json!({ "verification": spec }));
    let empty = json!({ "kind": "element.state", "target": { "by": "stableId", "value": "b" }, "state": {} });
    for (request, missing) in [
        (without(planned("b"), "target"), vec!["target"]),
        (without(planned("b"), "metadata"), vec!["metadata.intent"]),
        (with(planned("b"), json!({ "metadata": { "intent": "  " } })), vec!["metadata.intent"]),
        (without(planned("b"), "verification"), vec!["verification.signals"]),
        (spec(json!({ "policy": "all", "signals": [] })), vec!["verification.signals"]),
        (spec(json!({ "policy": "none", "signals": [toast("x")] })), vec!["verification.signals"]),
        (
            spec(json!({ "policy": "capability-default", "signals": [toast("x")] })),
            vec!["verification.signals"],
        ),
        (spec(json!({ "signals": [empty] })), vec!["verification.signals"]),
        (json!({ "actionId": "ui.activate" }), vec!["target", "metadata.intent", "verification.signals"]),
    ] {
        let refused = session.refusal(request.clone()).await;
        assert_eq!(refused.code, Code::InvalidArgs, "{request}");
        assert!(missing.iter().all(|part| refused.message.contains(part)), "{}", refused.message);
        assert_eq!(json!(refused.detail.unwrap().0)["missing"], json!(missing));
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.act(planned("b")).await.succeeded();
    // The protocol itself leaves all of it to defaults.
    let free = Session::on(vec![button("b", "Settings")]).await;
    free.page.on("click", "b", |page| page.toast("Settings"));
    free.act(activate("b")).await.succeeded();
}

/// Requirement: MOB-RFC005-06-03
#[tokio::test(start_paused = true)]
async fn what_an_action_is_for_is_kept_in_result_trace_and_signals() {
    let session = strict(vec![button("b", "Settings"), button("dead", "Dead")]).await;
    session.page.on("click", "b", |page| page.toast("Settings"));
    for id in ["b", "dead"] {
        let came = session.act(planned(id)).await;
        assert_eq!(json!(came.result.metadata)["intent"], "open settings", "{id}");
        assert!(story(&came.trace).contains("open settings"));
        let signals = lifecycle(&came.trace);
        assert!(!signals.is_empty());
        assert!(signals.iter().all(|signal| signal.intent.as_deref() == Some("open settings")));
    }
    let free = Session::on(vec![button("b", "Settings")]).await;
    let came = free.act(activate("b")).await;
    assert!(json!(came.result.metadata).get("intent").is_none());
}

/// Requirement: MOB-RFC005-06-04
/// Requirement: MOB-RFC005-03-03
#[tokio::test(start_paused = true)]
async fn an_expected_change_is_verified_by_exactly_that_change() {
    let node = with(checkbox("c", "Agree", json!(false)), json!({ "stableId": "agree" }));
    let wanted = |state: Value| {
        let signal = json!({ "kind": "element.state", "target": { "by": "stableId", "value": "agree" }, "state": state });
        json!({
            "actionId": "ui.toggle", "target": target("c"), "metadata": { "intent": "agree" },
            "verification": { "signals": [signal], "timeoutMs": 500 }
        })
    };
    let session = strict(vec![node.clone()]).await;
    session.act(wanted(json!({ "checked": true }))).await.succeeded();
    let session = strict(vec![node.clone()]).await;
    session.page.on("click", "c", |page| page.set_state("c", json!({ "pressed": true })));
    session.act(wanted(json!({ "checked": true }))).await.failed(Code::VerificationFailed);
    let session = strict(vec![node]).await;
    session.page.on("click", "c", |_| {});
    session.act(wanted(json!({ "checked": true }))).await.failed(Code::VerificationFailed);
    let unknown = decode::<ActionRequestPayload>(&wanted(json!({ "chekced": true })), Strictness::Wire);
    assert!(format!("{:?}", unknown.unwrap_err()).contains("chekced"));
}

/// Requirement: MOB-RFC005-08-02
/// Requirement: MOB-ROADMAP-ACTIONABILITY-01
#[tokio::test(start_paused = true)]
async fn what_is_merely_seen_is_no_target_of_a_strict_session() {
    let still = json!({ "affordances": ["read"] });
    let session = strict(vec![
        element("text", "label", "Plain words"),
        with(element("picture", "image", "Picture"), still.clone()),
        with(element("box", "group", "Box"), still),
        below("box", element("inside", "label", "Inside")),
        with(button("off", "Off"), json!({ "state": { "enabled": false } })),
        button("b", "Settings"),
    ])
    .await;
    session.page.on("click", "b", |page| page.toast("Settings"));
    for (id, reason) in [
        ("text", "takes no `ui.activate`"),
        ("picture", "takes no `ui.activate`"),
        ("inside", "nothing that holds it does"),
        ("off", "disabled"),
    ] {
        let came = session.act(planned(id)).await;
        came.failed(Code::TargetNotInteractable);
        assert_eq!(came.detail("/failureClass"), json!("target_resolution"), "{id}");
        assert!(came.message().contains(reason), "{id}: {}", came.message());
        assert_eq!(states(&came), [L::Failed]);
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.act(planned("b")).await.succeeded();
}

/// Requirement: MOB-RFC005-03-02
#[tokio::test(start_paused = true)]
async fn finding_a_target_touches_nothing_and_doing_takes_what_was_found() {
    let session = Session::on(vec![button("b", "Settings"), button("c", "Other")]).await;
    session.page.on("click", "b", |page| page.toast("Settings"));
    let meant = json!({ "ref": { "by": "semantic", "role": "button", "name": "Settings" } });
    let meant = serde_json::from_value(meant).unwrap();
    let action = ActionId::parse("ui.activate").unwrap();
    let found = resolve(&session.runtime.scene().graph(), &action, &meant, None, |_| None).unwrap();
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let came = session.act(activate(found.chosen.target.instance_id.as_str())).await;
    came.succeeded();
    assert_eq!(session.page.sent(), ["click b"]);
    // A label is not a target that was found.
    let raw = json!({ "actionId": "ui.activate", "target": "Settings" });
    assert!(decode::<ActionRequestPayload>(&raw, Strictness::Wire).is_err());
    session.act(activate("Settings")).await.failed(Code::StaleTarget);
    assert_eq!(session.page.sent(), ["click b"]);
}

/// Requirement: MOB-RFC005-07.1-03
#[tokio::test(start_paused = true)]
async fn a_property_of_the_target_is_told_as_it_was_and_as_it_is() {
    type React = fn(&Page);
    let changes: [(&str, React, Value); 2] = [
        (
            "enabled",
            |page| page.set_state("b", json!({ "enabled": false })),
            json!({ "before": true, "after": false }),
        ),
        (
            "name",
            |page| page.set("b", json!({ "name": "Stop" })),
            json!({ "before": "Start", "after": "Stop" }),
        ),
    ];
    for (property, react, told) in changes {
        let session = Session::on(vec![button("b", "Start"), button("c", "Other")]).await;
        session.page.on("click", "b", react);
        let came = session.act(activate("b")).await;
        came.succeeded();
        let seen = json!(came.result.verification.observed);
        assert_eq!(seen[0]["payload"]["changes"][property], told, "{seen}");
    }
    // Another element that changes in the same way does not count.
    let signal = json!({ "kind": "element.state", "target": { "by": "stableId", "value": "b" }, "state": { "enabled": false } });
    let asked = with(activate("b"), json!({ "verification": { "signals": [signal], "timeoutMs": 500 } }));
    for (changes, passes) in [("c", false), ("b", true)] {
        let session =
            Session::on(vec![with(button("b", "Start"), json!({ "stableId": "b" })), button("c", "Other")])
                .await;
        session.page.on("click", "b", move |page| page.set_state(changes, json!({ "enabled": false })));
        let came = session.act(asked.clone()).await;
        assert_eq!(came.result.verification.passed, passes, "{}", came.story());
    }
}

/// Requirement: MOB-RFC005-07.1-03
#[tokio::test(start_paused = true)]
async fn what_a_field_holds_is_not_told_as_a_property() {
    let session =
        Session::on(vec![with(field("t", "Title"), json!({ "affordances": ["read", "activate"] }))]).await;
    session.page.on("click", "t", |page| page.set_value("t", "canary-4711"));
    let came = session.act(activate("t")).await;
    came.succeeded();
    assert!(!format!("{:?}{}", came.result, json!(came.trace)).contains("canary-4711"));
}

/// Requirement: MOB-RFC005-12-01
#[tokio::test(start_paused = true)]
async fn owners_sliders_and_diagnoses_show_the_same_life_and_members() {
    let session = Session::on(vec![
        button("card", "Card"),
        below("card", element("text", "label", "Open me")),
        with(
            element("s", "slider", "Volume"),
            json!({ "state": { "numericValue": 3, "min": 0, "max": 10, "step": 1 } }),
        ),
    ])
    .await;
    session.page.on("click", "card", |page| {
        page.tell(json!({ "kind": "custom", "name": "browser.page.error", "payload": { "text": "odd" } }));
        page.toast("opened");
    });
    let set = json!({ "actionId": "ui.setValue", "target": target("s"), "args": { "value": 7 } });
    let mut members = Vec::new();
    for request in [activate("text"), set] {
        let came = session.act(request).await;
        came.succeeded();
        assert_eq!(states(&came), [L::Resolved, L::Dispatched, L::PendingVerification, L::Verified]);
        let mut result = json!(*came.result);
        let value = result.as_object_mut().unwrap().shift_remove("returnValue").unwrap_or_default();
        assert!(["success", "ok", "passed"].iter().all(|flag| value.get(flag).is_none()), "{value}");
        result.as_object_mut().unwrap().shift_remove("metadata");
        let names: Vec<String> = result.as_object().unwrap().keys().cloned().collect();
        members.push(names);
        let diagnosis = session.runtime.diagnosis(&came.result.action_handle).unwrap();
        assert_eq!(diagnosis.linked.len(), usize::from(members.len() == 1), "{diagnosis:?}");
        tokio::time::advance(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(members[0], members[1]);
}

/// Requirement: MOB-RFC005-13-02
#[tokio::test(start_paused = true)]
async fn reading_and_checking_a_plan_tells_nobody_anything() {
    let session = strict(vec![button("b", "Settings")]).await;
    session.page.on("click", "b", |page| page.toast("Settings"));
    let mark = session.runtime.scene().mark();
    let request: ActionRequestPayload = decode(&planned("b"), Strictness::Wire).unwrap();
    let descriptor = primitive::descriptor(PrimitiveActionType::UiActivate).unwrap();
    assert_eq!(check_plan(&request, &descriptor), Ok(()));
    let lacking: ActionRequestPayload = decode(&activate("b"), Strictness::Wire).unwrap();
    let missing = check_plan(&lacking, &descriptor).unwrap_err();
    assert_eq!(missing.missing(), [Part::Intent, Part::ExpectedChange]);
    assert_eq!(lifecycle(&[]), []);
    assert_eq!(session.runtime.scene().mark(), mark);
    assert!(session.audit.lock().unwrap().is_empty());
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let came = session.act(planned("b")).await;
    assert_eq!(lifecycle(&came.trace).len(), 4);
    assert!(!session.audit.lock().unwrap().is_empty());
}

/// Requirement: MOB-RFC005-13-03
/// Requirement: MOB-RFC005-05-02
#[tokio::test(start_paused = true)]
async fn another_way_of_acting_changes_nothing_of_the_model() {
    let mut runs = Vec::new();
    for mode in [ExecutionMode::SemanticUi, ExecutionMode::ExternalDriver, ExecutionMode::InputSynthesis] {
        let page = Page::new(graph(vec![scope(
            "main",
            "region",
            "Main",
            vec![button("b", "Run"), field("t", "Title")],
        )]));
        page.on("click", "b", |page| page.toast("ran"));
        let session = Session::start(Scripted { page, modes: vec![mode] }, |_| {}).await;
        let came = session.act(activate("b")).await;
        assert_eq!(came.succeeded().result.chosen_execution_mode, Some(mode));
        runs.push(lifecycle(&came.trace));
    }
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]), "{runs:?}");
    let model =
        concat!(include_str!("../../../src/trace/lifecycle.rs"), include_str!("../../../src/action/plan.rs"));
    for word in ["cdp", "chromium", "android", "adb", "mcp", "uiap_web"] {
        assert!(!model.to_lowercase().contains(word), "the model speaks of `{word}`");
    }
}

/// Requirement: MOB-RFC005-05-02
#[tokio::test(start_paused = true)]
async fn one_kind_of_action_may_have_a_way_of_its_own_and_none_is_told() {
    let session = Session::on(vec![button("b", "Run"), field("t", "Title")]).await;
    session.page.on("click", "b", |page| page.toast("ran"));
    session.page.cannot(ExecutionMode::SemanticUi, "click");
    let enter = json!({ "actionId": "ui.enterText", "target": target("t"), "args": { "text": "x" } });
    assert_eq!(session.act(activate("b")).await.succeeded().mode(), "externalDriver");
    assert_eq!(session.act(enter.clone()).await.succeeded().mode(), "semanticUi");
    for mode in crate::scripted::EVERY_MODE {
        session.page.cannot(mode, "click");
    }
    let came = session.act(activate("b")).await;
    came.failed(Code::ExecutionModeUnavailable);
    assert_eq!(came.detail("/failureClass"), json!("dispatch"));
    assert!(came.message().contains("click"), "{}", came.message());
    session.act(enter).await.succeeded();
}
