//! Whether it worked: what counts, what does not, how long it is waited for.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;

use super::{activate, button, field, one_button};
use crate::graph::{element, with};
use crate::scripted::{Page, Session, descriptor, target};

pub(super) fn toast(text: &str) -> Value {
    json!({ "kind": "toast.contains", "text": text })
}

pub(super) fn verified(id: &str, spec: Value) -> Value {
    with(activate(id), json!({ "verification": spec }))
}

pub(super) async fn saver(reacts: impl Fn(&Page) + Send + 'static) -> Session {
    let session = Session::on(vec![button("b", "Save"), element("s", "status", "")]).await;
    session.page.on("click", "b", move |page| {
        page.effect("sent");
        reacts(page);
    });
    session
}

/// Requirement: ACT-3-04
/// Requirement: ACT-15.7-01
/// Requirement: MOB-RFC005-02-01
/// Requirement: MOB-RFC005-07.3-01
#[tokio::test(start_paused = true)]
async fn a_handler_that_says_ok_while_nothing_is_seen_is_no_success() {
    let session = saver(|_| {}).await;
    let came = session.act(verified("b", json!({ "policy": "all", "signals": [toast("Saved")] }))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.missing(), ["toast.contains"]);
    assert_eq!(came.side_effect(), "unknown");
    let session = saver(|page| page.toast("Saved")).await;
    let came = session.act(verified("b", json!({ "policy": "all", "signals": [toast("Saved")] }))).await;
    came.succeeded();
    assert_eq!(came.observed(), ["toast.contains"]);
    // Nothing was executed: another code.
    session.act(verified("nobody", json!({ "signals": [toast("Saved")] }))).await.failed(Code::StaleTarget);
}

/// Requirement: ACT-12.1-01
/// Requirement: ACT-12.1-02
#[tokio::test(start_paused = true)]
async fn what_the_action_declares_comes_before_what_the_target_declares() {
    let declared = descriptor("video.save", json!({ "success": [toast("Saved")] }));
    let plain = descriptor("video.touch", json!({}));
    let of_target = json!({ "success": [{ "kind": "dialog.opened" }] });
    for (action, tells_toast, passes, kind) in [
        ("video.save", true, true, "toast.contains"),
        ("video.save", false, false, "toast.contains"),
        ("video.touch", true, false, "dialog.opened"),
        ("video.touch", false, true, "dialog.opened"),
    ] {
        let page = Page::new(crate::graph::graph(vec![crate::graph::scope(
            "main",
            "region",
            "Main",
            vec![with(button("b", "Save"), of_target.clone())],
        )]));
        page.on(
            "click",
            "b",
            move |page| if tells_toast { page.toast("Saved") } else { page.open_dialog("d", vec![]) },
        );
        let actions = vec![declared.clone(), plain.clone()];
        let session = Session::with(page, |options| options.actions = actions).await;
        let came = session.act(json!({ "actionId": action, "target": target("b") })).await;
        assert_eq!(json!(came.result.verification.policy), "capability-default");
        if passes {
            came.succeeded();
            assert_eq!(came.observed(), [kind]);
        } else {
            came.failed(Code::VerificationFailed);
            assert_eq!(came.missing(), [kind]);
        }
    }
}

/// Requirement: ACT-12.1-03
/// Requirement: ACT-12.2-03
/// Requirement: ACT-11.4-01
/// Requirement: MOB-RFC005-07.1-01
/// Requirement: MOB-RFC005-07.1-02
/// Requirement: MOB-RFC005-07.1-04
#[tokio::test(start_paused = true)]
async fn a_click_needs_some_change_that_only_it_can_have_made() {
    type React = fn(&Page);
    let kinds: [(&str, React); 5] = [
        ("route.changed", |page| page.go("/elsewhere")),
        ("dialog.opened", |page| page.open_dialog("d", vec![])),
        ("toast.contains", |page| page.toast("Saved")),
        ("custom", |page| page.set("s", json!({ "name": "3 videos" }))),
        ("element.appeared", |page| page.add("main", button("more", "More"))),
    ];
    for (kind, react) in kinds {
        let session = saver(react).await;
        let came = session.act(activate("b")).await;
        came.succeeded();
        assert!(came.observed().contains(&kind.to_owned()), "{kind}: {:?}", came.observed());
    }
    let session = saver(|_| {}).await;
    let came = session.act(activate("b")).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.detail("/failureClass"), json!("no_state_change"));
    // What happened before the click does not count.
    let session = saver(|_| {}).await;
    session.page.toast("Saved");
    session.page.set("s", json!({ "name": "before" }));
    session.act(activate("b")).await.failed(Code::VerificationFailed);
}

/// Requirement: ACT-12.2-03
/// Requirement: MOB-RFC005-02-01
#[tokio::test(start_paused = true)]
async fn what_a_page_does_by_itself_proves_nothing() {
    let session =
        Session::on(vec![button("b", "Save"), button("b2", "Add"), element("clock", "status", "0")]).await;
    fn tick(page: &Page, second: u32) {
        page.set("clock", json!({ "name": second.to_string() }));
        if second < 200 {
            page.later(200, move |page| tick(page, second + 1));
        }
    }
    tick(&session.page, 1);
    tokio::time::sleep_until(tokio::time::Instant::now() + Duration::from_secs(3)).await;
    let came = session.act(activate("b")).await;
    came.failed(Code::VerificationFailed);
    assert!(came.message().contains("by itself"), "{}", came.message());
    let changes =
        came.trace.iter().map(|line| json!(line.step)).find(|step| step["kind"] == "changes").unwrap();
    assert!(changes["ambient"].as_u64().unwrap() > 0, "{changes}");
    // A real effect is still seen among the ticks.
    session.page.on("click", "b2", |page| page.add("main", button("more", "More")));
    session.act(activate("b2")).await.succeeded();
}

/// Requirement: ACT-12.3-01
#[tokio::test(start_paused = true)]
async fn without_verification_nothing_is_waited_for_and_nothing_invented() {
    let session = saver(|page| page.later(100, |page| page.toast("Saved"))).await;
    let came = session.act(verified("b", json!({ "policy": "none", "signals": [toast("Never")] }))).await;
    came.succeeded();
    assert_eq!(json!(came.result.verification.policy), "none");
    assert_eq!(came.observed(), Vec::<String>::new());
    assert!(came.took < Duration::from_millis(50), "{:?}", came.took);
}

/// Requirement: ACT-12.3-02
/// Requirement: ACT-12.3-03
/// Requirement: ACT-6.3-01
#[tokio::test(start_paused = true)]
async fn any_wants_one_signal_and_all_wants_every_one() {
    let signals = json!([toast("Saved"), { "kind": "dialog.opened" }]);
    let cases = [
        ("any", true, false, true),
        ("any", false, false, false),
        ("all", true, true, true),
        ("all", true, false, false),
    ];
    for (policy, toasts, opens, passes) in cases {
        let session = saver(move |page| {
            if toasts {
                page.toast("Saved");
            }
            if opens {
                page.open_dialog("d", vec![]);
            }
        })
        .await;
        let came = session.act(verified("b", json!({ "policy": policy, "signals": signals }))).await;
        assert_eq!(came.result.verification.passed, passes, "{policy}");
        assert_eq!(json!(came.result.verification.policy), policy);
        if !passes {
            came.failed(Code::VerificationFailed);
            let expected: &[&str] =
                if toasts { &["dialog.opened"] } else { &["toast.contains", "dialog.opened"] };
            assert_eq!(came.missing(), expected);
            assert_eq!(came.observed().len(), usize::from(toasts));
        }
    }
    for policy in ["any", "all"] {
        let session = saver(|page| page.toast("Saved")).await;
        let came = session.act(verified("b", json!({ "policy": policy, "signals": [] }))).await;
        came.failed(Code::InvalidArgs);
        assert_eq!(session.page.effects("sent"), 0);
    }
}

/// Requirement: ACT-12.3-04
#[tokio::test(start_paused = true)]
async fn the_default_policy_uses_the_defaults_whatever_signals_come_along() {
    let page = Page::new(crate::graph::graph(vec![crate::graph::scope(
        "main",
        "region",
        "Main",
        vec![button("b", "Save")],
    )]));
    page.on("click", "b", |page| page.toast("Saved"));
    let session = Session::with(page, |options| {
        options.actions = vec![descriptor("video.save", json!({ "success": [toast("Saved")] }))]
    })
    .await;
    for more in [
        json!({}),
        json!({ "verification": { "policy": "capability-default", "signals": [{ "kind": "dialog.opened" }] } }),
    ] {
        let came = session.act(with(json!({ "actionId": "video.save", "target": target("b") }), more)).await;
        came.succeeded();
        assert_eq!(came.observed(), ["toast.contains"]);
        assert_eq!(json!(came.result.verification.policy), "capability-default");
    }
}

/// Requirement: ACT-12.4-01
#[tokio::test(start_paused = true)]
async fn a_new_revision_is_waited_for_where_it_is_required() {
    let asked = json!({ "policy": "any", "signals": [toast("Saved")], "requireRevisionAdvance": true, "timeoutMs": 1000 });
    let session = saver(|page| page.toast("Saved")).await;
    let came = session.act(verified("b", asked.clone())).await;
    came.failed(Code::VerificationFailed);
    assert!((1_000..1_100).contains(&came.took.as_millis()), "{:?}", came.took);
    let session = saver(|page| {
        page.toast("Saved");
        page.later(400, |page| page.set("s", json!({ "name": "new" })));
    })
    .await;
    let came = session.act(verified("b", asked)).await;
    came.succeeded();
    assert_eq!(json!(came.result.state_revision), "rev_2");
    assert!(came.took >= Duration::from_millis(400));
}

/// Requirement: ACT-6.2-03
/// Requirement: ACT-13.1-04
/// Requirement: MOB-RFC005-04-04
/// Requirement: MOB-RFC005-07.2-01
/// Requirement: MOB-RFC005-07.2-02
#[tokio::test(start_paused = true)]
async fn signals_are_waited_for_as_long_as_was_asked() {
    for (at, passes) in [(100, true), (299, true), (500, false)] {
        let session = saver(move |page| page.later(at, |page| page.toast("Saved"))).await;
        let came = session
            .act(verified("b", json!({ "policy": "any", "signals": [toast("Saved")], "timeoutMs": 300 })))
            .await;
        assert_eq!(came.result.verification.passed, passes, "{at}");
        assert_eq!(session.page.effects("sent"), 1);
        if passes {
            assert!(
                came.took >= Duration::from_millis(at) && came.took < Duration::from_millis(at + 40),
                "{:?}",
                came.took
            );
        } else {
            came.failed(Code::VerificationFailed);
            assert!((300..340).contains(&came.took.as_millis()), "{:?}", came.took);
            assert_eq!(came.missing(), ["toast.contains"]);
            assert_eq!(json!(came.result.verification.timeout_ms), 300);
        }
    }
}

/// A state that comes in the last moment is watched as long as one that comes early.
///
/// Requirement: ACT-12.4-01
#[tokio::test(start_paused = true)]
async fn what_is_seen_late_must_stay_so_too() {
    let named = json!({ "kind": "element.appeared", "target": { "by": "semantic", "role": "label", "name": "Saved" } });
    let asked = json!({ "policy": "any", "signals": [named], "timeoutMs": 500 });
    for (stays, passes) in [(true, true), (false, false)] {
        let session = saver(move |page| {
            page.later(450, move |page| {
                page.add("main", element("new", "label", "Saved"));
                if !stays {
                    page.later(100, |page| page.remove("new"));
                }
            });
        })
        .await;
        let came = session.act(verified("b", asked.clone())).await;
        assert_eq!(came.result.verification.passed, passes, "{}", came.story());
        assert!(
            came.took >= Duration::from_millis(500) && came.took < Duration::from_millis(900),
            "{:?}",
            came.took
        );
    }
}

/// Requirement: ACT-12.4-01
#[tokio::test(start_paused = true)]
async fn requests_that_nobody_answered_are_told_beside_a_success() {
    let session = saver(|page| {
        page.set_pending(&["http://shop.example/slow"]);
        page.toast("Saved");
    })
    .await;
    let asked = json!({ "policy": "any", "signals": [toast("Saved")], "timeoutMs": 1000 });
    let came = session.act(verified("b", asked)).await;
    came.succeeded();
    assert_eq!(json!(came.result.metadata)["unanswered"], json!(["http://shop.example/slow"]));
}

/// Requirement: ACT-12.2-01
/// Requirement: ACT-11.2-01
#[tokio::test(start_paused = true)]
async fn focus_is_verified_at_the_target_itself() {
    let session = one_button().await;
    let focus = json!({ "actionId": "ui.focus", "target": target("t") });
    let came = session.act(focus.clone()).await;
    came.succeeded();
    assert_eq!(session.page.graph().focus.as_ref().unwrap().instance_id.as_ref().unwrap(), "t");
    let session = one_button().await;
    session.page.on("focus", "t", |page| page.focus("b"));
    let came = session.act(focus.clone()).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.side_effect(), "none");
    let session = one_button().await;
    session.page.answer(None, "focus", None, |_, _| {
        crate::scripted::Answer::Fails(uiap_runtime::surface::DispatchError::unsent(
            uiap_runtime::surface::DispatchErrorKind::Unreachable,
            "it takes no focus",
        ))
    });
    session.act(focus).await.failed(Code::TargetNotInteractable);
}

/// Requirement: ACT-12.2-02
/// Requirement: ACT-11.5-01
#[tokio::test(start_paused = true)]
async fn text_is_verified_at_the_field_itself() {
    let session = Session::on(vec![field("t", "Title")]).await;
    let enter = json!({ "actionId": "ui.enterText", "target": target("t"), "args": { "text": "Hallo" } });
    let came = session.act(enter.clone()).await;
    came.succeeded();
    assert_eq!(came.observed(), ["value.equals"]);
    assert_eq!(session.page.value("t"), "Hallo");
    session.page.on("type", "t", |page| page.set_value("t", "Hal"));
    session.act(enter).await.failed(Code::VerificationFailed);
    let refused = session.refusal(json!({ "actionId": "ui.enterText", "target": target("t") })).await;
    assert_eq!(refused.code, Code::InvalidArgs);
}

/// Requirement: ACT-11.5-02
#[tokio::test(start_paused = true)]
async fn a_value_that_the_app_takes_back_is_no_success() {
    // At once, and a moment later: both are found out by a second look.
    for after in [0, 20, 120] {
        let session = Session::on(vec![field("t", "Title")]).await;
        session.page.on("type", "t", move |page| {
            page.set_value("t", "Hallo");
            page.later(after, |page| page.set_value("t", ""));
        });
        let enter = json!({ "actionId": "ui.enterText", "target": target("t"), "args": { "text": "Hallo" } });
        let came = session.act(enter).await;
        came.failed(Code::VerificationFailed);
    }
}

/// Requirement: ACT-12.2-04
#[tokio::test(start_paused = true)]
async fn a_route_that_the_app_takes_back_is_no_success() {
    let session = one_button().await;
    let to = json!({ "actionId": "nav.navigate", "args": { "path": "/library" } });
    session.act(to.clone()).await.succeeded();
    let session = one_button().await;
    session.page.answer(None, "navigate", None, |page, _| {
        page.go("/library");
        page.later(30, |page| page.go("/videos"));
        crate::scripted::Answer::Done(uiap_runtime::surface::Done::default())
    });
    session.act(to).await.failed(Code::VerificationFailed);
}

/// Requirement: ACT-12.2-03
/// Requirement: ACT-12.2-04
#[tokio::test(start_paused = true)]
async fn a_page_that_is_loaded_anew_is_an_answer_and_a_crash_is_none() {
    let session = saver(|page| page.load(|graph| graph.route.url = "http://127.0.0.1/after".into())).await;
    let came = session.act(activate("b")).await;
    came.succeeded();
    assert_eq!(came.observed(), ["route.changed"]);
    let session = saver(|page| {
        page.set("s", json!({ "name": "working" }));
        page.fail(uiap_runtime::surface::SurfaceError::Crashed);
    })
    .await;
    let came = session.act(activate("b")).await;
    assert_eq!(came.status(), "failed");
    assert_eq!(came.side_effect(), "unknown");
}

/// Requirement: ACT-12.2-05
/// Requirement: ACT-11.3-01
#[tokio::test(start_paused = true)]
async fn a_highlight_needs_no_change_and_makes_none() {
    let session = one_button().await;
    let before = session.page.graph();
    for more in [json!({}), json!({ "verification": { "policy": "none" } })] {
        let came =
            session.act(with(json!({ "actionId": "ui.highlight", "target": target("b") }), more)).await;
        came.succeeded();
        assert_eq!(came.side_effect(), "none");
    }
    assert_eq!(session.page.graph().revision, before.revision);
    assert_eq!(session.page.shown().len(), 2);
    let missing =
        json!({ "actionId": "ui.highlight", "target": { "ref": { "by": "stableId", "value": "no" } } });
    session.act(missing).await.failed(Code::TargetNotFound);
}
