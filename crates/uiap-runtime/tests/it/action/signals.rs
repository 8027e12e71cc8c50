//! Signals of every kind, and what is told when they do not come.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;

use super::verification::{saver, toast, verified};
use super::{activate, button, checkbox, field};
use crate::graph::{element, with};
use crate::scripted::{Page, Session};

/// Requirement: MOB-RFC005-11-04
/// Requirement: MOB-RFC005-11-05
/// Requirement: MOB-RFC005-11-06
/// Requirement: MOB-RFC005-11-01
#[tokio::test(start_paused = true)]
async fn failures_are_told_apart_by_their_class() {
    let wanted = json!({ "policy": "all", "signals": [toast("Saved")], "timeoutMs": 500 });
    type React = fn(&Page);
    let cases: [(&str, React); 4] = [
        ("unexpected_state_delta", |page| page.open_dialog("d", vec![])),
        ("unexpected_state_delta", |page| {
            page.tell(json!({ "kind": "toast.shown", "text": "No room", "severity": "error" }))
        }),
        ("verification_timeout", |page| page.set_pending(&["http://127.0.0.1/save"])),
        ("verification_timeout", |_| {}),
    ];
    for (class, react) in cases {
        let session = saver(react).await;
        let came = session.act(verified("b", wanted.clone())).await;
        came.failed(Code::VerificationFailed);
        assert_eq!(came.detail("/failureClass"), json!(class));
    }
    let session = saver(|_| {}).await;
    let came = session.act(activate("b")).await;
    assert_eq!(came.detail("/failureClass"), json!("no_state_change"));
}

/// Requirement: ACT-3-04
#[tokio::test(start_paused = true)]
async fn a_change_beside_a_failure_that_the_app_tells_is_no_success() {
    type React = fn(&Page);
    let bad: [React; 4] = [
        |page| page.tell(json!({ "kind": "toast.shown", "text": "Could not save", "severity": "error" })),
        |page| {
            page.tell(
                json!({ "kind": "network.response", "url": "http://127.0.0.1/save?token=1", "status": 500 }),
            )
        },
        |page| {
            page.tell(json!({ "kind": "validation.changed", "issues": [{ "message": "Title is missing" }] }))
        },
        |page| page.add("main", element("alert", "alert", "Something went wrong")),
    ];
    for react in bad {
        let session = saver(move |page| {
            page.set("s", json!({ "name": "working" }));
            react(page);
        })
        .await;
        let came = session.act(activate("b")).await;
        came.failed(Code::VerificationFailed);
        assert_eq!(came.detail("/failureClass"), json!("unexpected_state_delta"));
        assert!(came.detail("/contradicting/0/text").is_string());
        assert!(!came.detail("/contradicting/0/text").as_str().unwrap().contains("token"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_that_nobody_granted_is_told_and_fails_only_what_was_not_seen_to_work() {
    let ask = |page: &Page| {
        let payload = json!({ "name": "geolocation", "state": "denied" });
        page.tell(json!({ "kind": "custom", "name": "browser.permission", "payload": payload }));
        // The app is not prepared for it.
        page.tell(
            json!({ "kind": "custom", "name": "browser.page.error", "payload": { "text": "TypeError" } }),
        );
    };
    let wanted = json!({ "policy": "all", "signals": [toast("Saved")], "timeoutMs": 500 });
    for request in [activate("b"), verified("b", wanted.clone())] {
        let came = saver(ask).await.act(request).await;
        came.failed(Code::VerificationFailed);
        assert_eq!(came.detail("/failureClass"), json!("unexpected_state_delta"));
        assert_eq!(came.detail("/contradicting/0/kind"), json!("permission"));
        let said = "the page asked for the permission `geolocation`, which nobody granted; a person can grant it in a browser with a window";
        assert!(came.message().contains(said), "{}", came.message());
    }
    // Whatever the app says of it itself says more.
    let session = saver(move |page| {
        ask(page);
        page.tell(json!({ "kind": "toast.shown", "text": "No place for you", "severity": "error" }));
    });
    let came = session.await.act(activate("b")).await;
    assert!(came.message().contains("(errorToast): No place for you"), "{}", came.message());
    // An app may ask, and do what was expected without.
    type React = fn(&Page);
    let good: [(Value, React); 2] = [
        (verified("b", wanted), |page| page.toast("Saved")),
        (activate("b"), |page| page.set("s", json!({ "name": "done" }))),
    ];
    for (request, react) in good {
        let session = saver(move |page| {
            ask(page);
            react(page);
        });
        let came = session.await.act(request).await;
        assert_eq!(came.status(), "succeeded", "{}", came.message());
        let beside = json!(came.result.metadata.as_ref().unwrap().0);
        assert_eq!(beside.pointer("/contradicting/0/kind"), Some(&json!("permission")));
    }
}

/// Requirement: ACT-16-06
#[tokio::test(start_paused = true)]
async fn every_kind_of_signal_is_seen_when_it_comes_and_missed_when_it_does_not() {
    type React = fn(&Page);
    let by_id = |id: &str| json!({ "by": "stableId", "value": id });
    let cases: Vec<(Value, React)> = vec![
        (json!({ "kind": "element.appeared", "target": by_id("new") }), |page| {
            page.add("main", with(button("n", "New"), json!({ "stableId": "new" })))
        }),
        (json!({ "kind": "element.disappeared", "target": by_id("old") }), |page| page.remove("old")),
        (json!({ "kind": "element.state", "target": by_id("box"), "state": { "checked": true } }), |page| {
            page.set_state("box", json!({ "checked": true }))
        }),
        (json!({ "kind": "value.equals", "target": by_id("text"), "value": "x" }), |page| {
            page.set_value("text", "x")
        }),
        (json!({ "kind": "route.changed", "pattern": "/videos/:id" }), |page| page.go("/videos/7")),
        (json!({ "kind": "dialog.opened" }), |page| page.open_dialog("d", vec![])),
        (json!({ "kind": "dialog.closed" }), |page| page.close_dialog("open")),
        (toast("Saved"), |page| page.toast("All saved, Saved")),
        (json!({ "kind": "status.contains", "text": "Ready" }), |page| {
            page.tell(json!({ "kind": "status.changed", "text": "Ready now" }))
        }),
        (json!({ "kind": "entity.created", "entityType": "video" }), |page| {
            page.tell(json!({ "kind": "entity.created", "entityType": "video" }))
        }),
        (json!({ "kind": "entity.updated", "entityType": "video" }), |page| {
            page.tell(json!({ "kind": "entity.updated", "entityType": "video" }))
        }),
        (json!({ "kind": "entity.deleted", "entityType": "video" }), |page| {
            page.tell(json!({ "kind": "entity.deleted", "entityType": "video" }))
        }),
        (
            json!({ "kind": "network.response", "urlPattern": "http://127.0.0.1/api/*", "status": 201 }),
            |page| {
                page.tell(json!({ "kind": "network.response", "url": "http://127.0.0.1/api/videos", "status": 201 }))
            },
        ),
        (json!({ "kind": "custom", "name": "video.rendered" }), |page| {
            page.tell(json!({ "kind": "custom", "name": "video.rendered" }))
        }),
    ];
    for (signal, react) in cases {
        for occurs in [true, false] {
            let session = Session::of(vec![
                crate::graph::scope(
                    "main",
                    "region",
                    "Main",
                    vec![
                        button("b", "Go"),
                        with(button("old", "Old"), json!({ "stableId": "old" })),
                        with(checkbox("box", "Box", json!(false)), json!({ "stableId": "box" })),
                        with(field("text", "Text"), json!({ "stableId": "text" })),
                    ],
                ),
                crate::graph::scope("open", "dialog", "Open", vec![]),
            ])
            .await;
            session.page.on("click", "b", move |page| {
                if occurs {
                    react(page)
                }
            });
            let came = session
                .act(verified("b", json!({ "policy": "all", "signals": [signal], "timeoutMs": 500 })))
                .await;
            assert_eq!(came.result.verification.passed, occurs, "{signal}\n{}", came.story());
            if !occurs {
                came.failed(Code::VerificationFailed);
            }
        }
    }
}

/// Requirement: MOB-RFC005-07-01
#[tokio::test(start_paused = true)]
async fn what_comes_and_goes_is_told_as_such() {
    let session = saver(|page| {
        for turn in 0..10_u64 {
            page.later(turn * 200, |page| page.set("s", json!({ "state": { "checked": true } })));
            page.later(turn * 200 + 100, |page| page.set("s", json!({ "state": { "checked": false } })));
        }
    })
    .await;
    session.page.set("s", json!({ "stableId": "s", "state": { "checked": false } }));
    let state = json!({ "kind": "element.state", "target": { "by": "stableId", "value": "s" }, "state": { "checked": true } });
    let came = session.act(verified("b", json!({ "policy": "all", "signals": [state] }))).await;
    came.failed(Code::VerificationFailed);
    assert_eq!(came.detail("/failureClass"), json!("unexpected_state_delta"));
    assert!(came.message().contains("comes and goes"), "{}", came.message());
}
