//! Every code of an error, provoked once.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind};

use super::{activate, button};
use crate::graph::{element, with};
use crate::scripted::{Answer, Session, target, user};

/// Requirement: ACT-6.4-01
/// Requirement: ACT-6.4-02
/// Requirement: MOB-RFC005-03-04
/// Requirement: MOB-RFC005-11-02
/// Requirement: MOB-RFC005-11-03
#[tokio::test(start_paused = true)]
async fn every_code_is_reached() {
    let session = Session::on(vec![
        button("dead", "Dead"),
        button("gone", "Gone"),
        button("lost", "Lost"),
        button("gated", "Gated"),
        button("hangs", "Hangs"),
        button("twin1", "Twin"),
        button("twin2", "Twin"),
        with(button("off", "Off"), json!({ "state": { "enabled": false } })),
        with(button("risky", "Risky"), json!({ "risk": { "level": "confirm" } })),
        with(button("blocked", "Blocked"), json!({ "risk": { "level": "blocked" } })),
        with(element("host", "group", "Host"), json!({ "shadow": { "mode": "closed", "access": "opaque" } })),
        element("frame", "region", "Frame"),
    ])
    .await;
    session.page.edit(|graph| {
        let frame = json!({ "documentId": "doc_x", "kind": "frame", "access": "opaque", "opaqueReason": "cross_origin", "hostInstanceId": "frame", "scopes": [] });
        graph.documents.push(serde_json::from_value(frame).unwrap());
    });
    session.page.answer(None, "click", Some("lost"), |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::Lost, "no device"))
    });
    session.page.answer(None, "click", Some("gated"), |_, _| {
        Answer::Fails(DispatchError::unsent(DispatchErrorKind::NeedsUser, "a gesture"))
    });
    session.page.answer(None, "click", Some("hangs"), |_, _| Answer::Hangs);
    let mut found: BTreeSet<String> = BTreeSet::new();
    let by_name = |name: &str| json!({ "actionId": "ui.activate", "target": { "ref": { "by": "semantic", "role": "button", "name": name } } });
    let requests = [
        by_name("Nobody"),
        by_name("Twin"),
        activate("nobody"),
        activate("off"),
        activate("blocked"),
        with(activate("gated"), json!({ "timeoutMs": 100 })),
        activate("host"),
        activate("frame"),
        with(activate("dead"), json!({ "preferredExecutionModes": ["visionAssist"] })),
        activate("dead"),
        activate("lost"),
        with(activate("hangs"), json!({ "timeoutMs": 100 })),
        json!({ "actionId": "ui.scroll", "target": target("dead"), "args": {} }),
    ];
    for request in requests {
        let came = session.act(request).await;
        let error = came.result.error.clone().unwrap();
        assert!(!error.message.is_empty() && error.retryable.is_some());
        let class = came.detail("/failureClass");
        assert!(error.code == Code::PolicyDenied || class.is_string(), "{error:?}");
        found.insert(error.code.as_str().to_owned());
    }
    for refused in [
        session.refusal(json!({ "actionId": "ui.fly" })).await,
        session.refusal(json!({ "actionId": "ui.activate" })).await,
        session.refusal(activate("dead")).await,
    ] {
        assert!(!refused.message.is_empty());
        found.insert(refused.code.as_str().to_owned());
    }
    let mut running = session.request(activate("risky")).await.unwrap();
    session.asked(&mut running).await;
    session.runtime.deny(&user(), false, &running.accepted.action_handle, None).unwrap();
    found.extend(session.end(running, Instant::now()).await.code().map(|code| code.as_str().to_owned()));
    let running = session.request(activate("twin1")).await.unwrap();
    session.runtime.cancel(&running.accepted.action_handle, None).unwrap();
    found.extend(session.end(running, Instant::now()).await.code().map(|code| code.as_str().to_owned()));
    let all: BTreeSet<String> = Code::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(found, all);
}

/// Requirement: MOB-RFC005-11-01
#[test]
fn the_classes_of_failures_are_five() {
    use uiap_runtime::action::FailureClass;
    let words = [
        "target_resolution",
        "dispatch",
        "verification_timeout",
        "unexpected_state_delta",
        "no_state_change",
    ];
    assert_eq!(FailureClass::ALL.map(FailureClass::as_str), words);
    for word in words {
        assert_eq!(FailureClass::parse(word).map(FailureClass::as_str), Some(word));
    }
    assert_eq!(FailureClass::parse("unknown"), None);
}
