//! Which element is meant: order, scores, ambiguity, identity.

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::request::ActionTarget;
use uiap_model::action::result::{ResolvedBy, RuntimeErrorCode as Code};
use uiap_model::names::ActionId;
use uiap_runtime::resolve::{Resolution, ResolveError, resolve};

use super::{activate, button};
use crate::graph::{below, element, graph, graph_with, scope, with};
use crate::scripted::{Session, target};

fn find(graph: &uiap_model::web::PageGraph, target: Value) -> Result<Resolution, ResolveError> {
    let target: ActionTarget = serde_json::from_value(target).unwrap();
    resolve(graph, &ActionId::parse("ui.activate").unwrap(), &target, None, |_| None)
}

fn semantic(role: &str, name: &str) -> Value {
    json!({ "ref": { "by": "semantic", "role": role, "name": name } })
}

/// Requirement: ACT-8.1-01
/// Requirement: ACT-8.1-03
/// Requirement: ACT-8.1-04
/// Requirement: ACT-6.1-02
/// Requirement: ACT-16-02
#[tokio::test(start_paused = true)]
async fn targets_are_looked_for_by_id_then_meaning_then_annotation_then_selector() {
    let session = Session::on(vec![
        with(button("by_id", "Save"), json!({ "stableId": "video.save" })),
        with(button("by_meaning", "Store"), json!({ "meaning": "video.save" })),
        button("by_hint", "Keep"),
    ])
    .await;
    session.page.add("main", with(button("by_name", "Save"), json!({ "stableId": "other" })));
    for id in ["by_id", "by_name", "by_meaning", "by_hint"] {
        session.page.on("click", id, move |page| page.toast(&format!("clicked {id}")));
    }
    session.page.hint("#save", "by_hint");
    let strategies = [
        ("by_id", "stableId", json!({ "expectedRole": "button", "expectedName": "Save" })),
        ("by_name", "semantic", json!({ "expectedRole": "button", "expectedName": "Save" })),
        ("by_meaning", "annotation", json!({})),
        ("by_hint", "runtimeHint", json!({})),
    ];
    for (id, by, hints) in strategies {
        let target = with(json!({ "ref": { "by": "stableId", "value": "video.save" } }), hints);
        let request = json!({ "actionId": "ui.activate", "target": target, "metadata": { "hints": { "css": "#save" } } });
        let came = session.act(request).await;
        came.succeeded();
        assert_eq!((came.target().as_str(), came.by().as_str()), (id, by));
        session.page.remove(id);
    }
    let gone = json!({
        "actionId": "ui.activate", "target": { "ref": { "by": "stableId", "value": "video.save" } },
        "metadata": { "hints": { "css": "###" } }
    });
    session.act(gone).await.failed(Code::TargetNotFound);
    assert_eq!(session.page.sent().len(), 4);
}

/// Requirement: ACT-8.1-03
#[test]
fn an_annotation_of_another_meaning_or_role_is_not_taken() {
    let page = graph(vec![scope(
        "main",
        "region",
        "Main",
        vec![
            with(button("a", "Store"), json!({ "meaning": "video.save" })),
            with(element("l", "link", "Away"), json!({ "defaultAction": "video.open" })),
        ],
    )]);
    let by = |value: &str, more: Value| {
        find(&page, with(json!({ "ref": { "by": "custom", "value": value } }), more))
    };
    assert_eq!(by("video.save", json!({})).unwrap().chosen.target.by, ResolvedBy::Annotation);
    assert_eq!(by("video.open", json!({})).unwrap().chosen.target.instance_id, "l");
    assert_eq!(by("video.drop", json!({})).unwrap_err().code, Code::TargetNotFound);
    assert_eq!(by("video.save", json!({ "expectedRole": "link" })).unwrap_err().code, Code::TargetNotFound);
    let by_id = json!({ "ref": { "by": "stableId", "value": "video.save" }, "expectedRole": "link" });
    assert_eq!(find(&page, by_id).unwrap_err().code, Code::TargetNotFound);
}

/// Requirement: ACT-8.1-02
#[tokio::test(start_paused = true)]
async fn meaning_is_looked_for_inside_of_the_expected_place_only() {
    let session = Session::of(vec![
        scope("main", "region", "Main", vec![button("other", "Other")]),
        scope("side", "region", "Side", vec![button("save", "Save")]),
    ])
    .await;
    session.page.on("click", "save", |page| page.toast("saved"));
    let asked = |scope: &str, document: &str| {
        let place = json!({ "expectedScopeId": scope, "expectedDocumentId": document });
        json!({ "actionId": "ui.activate", "target": with(semantic("button", "Save"), place) })
    };
    session.act(asked("main", "doc_root")).await.failed(Code::TargetNotFound);
    session.act(asked("side", "doc_other")).await.failed(Code::TargetNotFound);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.act(asked("side", "doc_root")).await.succeeded();
}

/// Requirement: ACT-8.2-01
#[test]
fn each_of_the_six_factors_decides_alone() {
    let boxed = |x: u32| json!({ "bbox": { "x": x, "y": 0, "width": 20, "height": 20 } });
    let nested =
        |element| with(scope("inner", "region", "Inner", vec![element]), json!({ "parentScopeId": "main" }));
    let cases: Vec<(&str, uiap_model::web::PageGraph, Value)> = vec![
        (
            "scope",
            graph(vec![
                scope("main", "region", "Main", vec![button("yes", "Save")]),
                nested(button("no", "Save")),
            ]),
            with(semantic("button", "Save"), json!({ "expectedScopeId": "main" })),
        ),
        (
            "role",
            graph(vec![scope(
                "main",
                "region",
                "Main",
                vec![element("no", "link", "Save"), button("yes", "Save")],
            )]),
            semantic("button", "Save"),
        ),
        (
            "name",
            graph(vec![scope(
                "main",
                "region",
                "Main",
                vec![button("no", "Save draft"), button("yes", "Save")],
            )]),
            semantic("button", "Save"),
        ),
        (
            "stable id",
            graph(vec![scope(
                "main",
                "region",
                "Main",
                vec![button("no", "Save"), with(button("yes", "Save"), json!({ "stableId": "save" }))],
            )]),
            json!({ "ref": { "by": "stableId", "value": "save" }, "expectedRole": "button", "expectedName": "Save" }),
        ),
        (
            "focus",
            graph_with(
                vec![scope(
                    "main",
                    "region",
                    "Main",
                    vec![
                        with(super::field("f", "Title"), boxed(0)),
                        with(button("no", "Save"), boxed(2_000)),
                        with(button("yes", "Save"), boxed(40)),
                    ],
                )],
                json!({ "focus": { "documentId": "doc_root", "instanceId": "f" } }),
            ),
            semantic("button", "Save"),
        ),
        (
            "default action",
            graph(vec![scope(
                "main",
                "region",
                "Main",
                vec![
                    button("no", "Save"),
                    with(button("yes", "Save"), json!({ "defaultAction": "ui.activate" })),
                ],
            )]),
            semantic("button", "Save"),
        ),
    ];
    for (factor, page, target) in cases {
        let found = find(&page, target).unwrap_or_else(|error| panic!("{factor}: {error}"));
        assert_eq!(found.chosen.target.instance_id, "yes", "{factor}");
        let told = json!(found.chosen.told().0);
        assert!(told["score"].as_f64().unwrap() > 0.0);
        assert!(told["factors"].is_object());
    }
}

/// Requirement: ACT-8.2-01
#[tokio::test(start_paused = true)]
async fn the_score_is_told_with_the_progress() {
    let session = super::one_button().await;
    let came = session.act(activate("b")).await;
    let told = came.progress().into_iter().find(|told| told["detail"]["candidate"].is_object()).unwrap();
    assert_eq!(told["stage"], "resolving_target");
    assert!(told["detail"]["candidate"]["score"].is_number());
    assert!(told["detail"]["candidate"]["factors"]["defaultAction"].is_number());
}

/// Requirement: ACT-8.2-02
/// Requirement: ACT-15.2-01
#[tokio::test(start_paused = true)]
async fn two_equal_buttons_are_ambiguous_until_the_scope_is_named() {
    let session = Session::of(vec![
        scope("one", "region", "One", vec![button("a", "Save")]),
        scope("two", "region", "Two", vec![button("b", "Save")]),
    ])
    .await;
    session.page.on("click", "b", |page| page.toast("saved"));
    let came = session.act(json!({ "actionId": "ui.activate", "target": semantic("button", "Save") })).await;
    came.failed(Code::TargetAmbiguous);
    assert_eq!(came.detail("/count"), json!(2));
    let ids = [came.detail("/candidates/0/instanceId"), came.detail("/candidates/1/instanceId")];
    assert_eq!(ids, [json!("a"), json!("b")]);
    assert_eq!(came.side_effect(), "none");
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let narrowed = with(semantic("button", "Save"), json!({ "expectedScopeId": "two" }));
    session.act(json!({ "actionId": "ui.activate", "target": narrowed })).await.succeeded();
    assert_eq!(session.page.sent(), ["click b"]);
}

/// Requirement: ACT-3-03
/// Requirement: ACT-6.1-02
#[test]
fn the_same_page_gives_the_same_answer_in_any_order() {
    let mut buttons = vec![
        button("a", "Save draft"),
        button("b", "Save"),
        element("c", "link", "Save"),
        button("d", "Cancel"),
    ];
    for turn in 0..100 {
        buttons.rotate_left(turn % 4);
        if turn % 3 == 0 {
            buttons.swap(0, 2);
        }
        let page = graph(vec![scope("main", "region", "Main", buttons.clone())]);
        let found = find(&page, semantic("button", "Save")).unwrap();
        assert_eq!(found.chosen.target.instance_id, "b");
        assert_eq!(found.chosen.target.by, ResolvedBy::Semantic);
    }
}

/// Requirement: ACT-8.3-01
/// Requirement: ACT-13.1-01
#[tokio::test(start_paused = true)]
async fn a_target_that_was_replaced_is_found_again_exactly_once() {
    let replace = |page: &crate::scripted::Page, old: &str, new: &str| {
        page.remove(old);
        page.add("main", button(new, "Save"));
    };
    let session = Session::on(vec![button("s1", "Save")]).await;
    for id in ["s1", "s2", "s3"] {
        session.page.on("click", id, |page| page.toast("saved"));
    }
    session.page.before_look(2, move |page| replace(page, "s1", "s2"));
    let came = session.act(activate("s1")).await;
    came.succeeded();
    assert_eq!(session.page.sent(), ["click s2"]);
    assert_eq!(came.stages().iter().filter(|stage| *stage == "recovering").count(), 1);
    assert_eq!(came.target(), "s2");

    let session = Session::on(vec![button("s1", "Save")]).await;
    session.page.before_look(2, move |page| replace(page, "s1", "s2"));
    session.page.before_look(4, move |page| replace(page, "s2", "s3"));
    let came = session.act(activate("s1")).await;
    came.failed(Code::StaleTarget);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    let resolved = came.states().iter().filter(|state| state.as_str() == "RESOLVING_TARGET").count();
    assert_eq!(resolved, 2);
}

/// Requirement: ACT-8.3-02
/// Requirement: ACT-9.1-04
/// Requirement: ACT-9.2-01
#[tokio::test(start_paused = true)]
async fn a_target_that_is_gone_for_good_gets_nothing() {
    for action in ["ui.activate", "ui.toggle", "ui.choose"] {
        let session = Session::on(vec![super::checkbox("c", "Agree", json!(false))]).await;
        session.page.before_look(2, |page| page.remove("c"));
        let request = json!({ "actionId": action, "target": target("c"), "args": if action == "ui.choose" { json!({ "value": "Agree" }) } else { json!({}) } });
        let came = session.act(request).await;
        assert!(matches!(came.code(), Some(Code::StaleTarget | Code::TargetNotFound)), "{:?}", came.code());
        assert_eq!(came.side_effect(), "none");
        assert_eq!(session.page.sent(), Vec::<String>::new());
        assert!(!came.stages().contains(&"executing".to_owned()));
    }
}

/// Requirement: ACT-8.3-01
#[tokio::test(start_paused = true)]
async fn a_recycled_row_is_not_taken_for_the_one_that_was_meant() {
    let row = |id: &str, name: &str| element(id, "row", name);
    let session = Session::on(vec![
        row("r1", "Alice"),
        below("r1", button("d1", "Delete")),
        row("r2", "Bob"),
        below("r2", button("d2", "Delete")),
    ])
    .await;
    for id in ["d1", "d2"] {
        session.page.on("click", id, move |page| page.effect(id));
    }
    let seen = session.runtime.scene().graph();
    // The list moves up: the node of Alice's button now stands in Bob's row.
    session.page.set("r1", json!({ "name": "Bob" }));
    session.page.set("r2", json!({ "name": "Carol" }));
    let request = serde_json::from_value(activate("d1")).unwrap();
    let result = session.runtime.act(&crate::scripted::agent(), request, Some(seen)).await.unwrap();
    assert_eq!(result.error.as_ref().map(|error| error.code), Some(Code::StaleTarget));
    assert_eq!(session.page.effects("d1") + session.page.effects("d2"), 0);
}

/// While one action holds the hands, the list moves on under the next one.
///
/// Requirement: ACT-8.3-01
#[tokio::test(start_paused = true)]
async fn a_row_that_is_recycled_while_an_action_waits_its_turn_is_not_taken_for_the_one_that_was_meant() {
    let session = Session::on(vec![
        button("slow", "Slow"),
        element("r1", "row", "Alice"),
        below("r1", button("d1", "Delete")),
    ])
    .await;
    session.page.on("click", "slow", |page| {
        page.later(200, |page| {
            page.set("r1", json!({ "name": "Bob" }));
            page.toast("done");
        });
    });
    session.page.on("click", "d1", |page| page.effect("d1"));
    let slow = session.request(activate("slow")).await.unwrap();
    let delete = session.request(activate("d1")).await.unwrap();
    session.end(slow, Instant::now()).await.succeeded();
    session.end(delete, Instant::now()).await.failed(Code::StaleTarget);
    assert_eq!(session.page.effects("d1"), 0);
}

/// Requirement: MOB-RFC005-04-02
/// Requirement: MOB-RFC005-06-02
#[tokio::test(start_paused = true)]
async fn a_text_stands_for_the_control_that_holds_it() {
    let session =
        Session::on(vec![button("card", "Card"), below("card", element("text", "label", "Open me"))]).await;
    session.page.on("click", "card", |page| page.toast("opened"));
    let came = session.act(activate("text")).await;
    came.succeeded();
    assert_eq!(came.target(), "card");
    assert_eq!(session.page.sent(), ["click card"]);
}

/// Requirement: ACT-9.1-05
/// Requirement: ACT-15.5-01
/// Requirement: ACT-15.6-01
/// Requirement: ACT-13.2-03
#[tokio::test(start_paused = true)]
async fn what_cannot_be_looked_into_is_not_acted_on() {
    let frame = element("frame", "region", "Ads");
    let host = with(
        element("host", "group", "Player"),
        json!({ "shadow": { "mode": "closed", "access": "opaque" } }),
    );
    let opaque = json!({ "documentId": "doc_ads", "kind": "frame", "access": "opaque", "opaqueReason": "cross_origin", "hostInstanceId": "frame", "scopes": [] });
    let hidden = with(
        scope("vault", "region", "Vault", vec![]),
        json!({ "access": "opaque", "opaqueReason": "closed_shadow" }),
    );
    let page = graph(vec![scope("main", "region", "Main", vec![frame, host]), hidden]);
    let mut page = serde_json::to_value(page).unwrap();
    page["documents"].as_array_mut().unwrap().push(opaque);
    let page = crate::scripted::Page::new(serde_json::from_value(page).unwrap());
    let session = Session::with(page, |_| {}).await;
    let asked = |target: Value| json!({ "actionId": "ui.activate", "target": target });
    let cases = [
        (target("frame"), Code::CrossOriginUnavailable),
        (
            with(semantic("button", "Buy"), json!({ "expectedDocumentId": "doc_ads" })),
            Code::CrossOriginUnavailable,
        ),
        (target("host"), Code::ClosedShadowUnavailable),
        (
            with(semantic("button", "Play"), json!({ "expectedScopeId": "vault" })),
            Code::ClosedShadowUnavailable,
        ),
    ];
    for (target, code) in cases {
        let came = session.act(asked(target)).await;
        came.failed(code);
        assert_eq!(came.side_effect(), "none");
        assert!(!came.stages().contains(&"recovering".to_owned()));
    }
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.page.set("host", json!({ "shadow": { "mode": "open", "access": "open" } }));
    session.page.on("click", "host", |page| page.toast("playing"));
    session.act(asked(target("host"))).await.succeeded();
}

/// Requirement: ACT-15.1-01
#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_not_found() {
    let session = super::one_button().await;
    for target in [
        json!({ "ref": { "by": "stableId", "value": "nobody" } }),
        semantic("button", "Nobody"),
        semantic("link", "New"),
        json!({ "ref": { "by": "scope", "value": "nowhere" } }),
    ] {
        let came = session.act(json!({ "actionId": "ui.activate", "target": target })).await;
        came.failed(Code::TargetNotFound);
        assert_eq!(came.side_effect(), "none");
    }
}

/// Requirement: MOB-RFC005-08-03
/// Requirement: MOB-RFC005-11-02
#[tokio::test(start_paused = true)]
async fn an_uncertain_target_is_not_acted_on_without_proof() {
    let session = Session::on(vec![button("b", "Save the draft")]).await;
    session.page.on("click", "b", |page| page.toast("saved"));
    let asked = |policy: Value| json!({ "actionId": "ui.activate", "target": semantic("button", "Save"), "verification": policy });
    let came = session.act(asked(json!({ "policy": "none" }))).await;
    came.failed(Code::TargetNotFound);
    assert_eq!(came.detail("/failureClass"), json!("target_resolution"));
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.act(asked(json!({ "policy": "capability-default" }))).await.succeeded();
}
