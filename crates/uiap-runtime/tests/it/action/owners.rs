//! From what is seen to what takes the action, how certain that is, and what is told when it is not.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_runtime::trace::{Line, Step};

use super::verification::toast;
use super::{activate, button};
use crate::graph::{below, element, with};
use crate::scripted::{Came, Session, target};

fn still(id: &str, role: &str, name: &str) -> Value {
    with(element(id, role, name), json!({ "affordances": ["read"] }))
}

fn semantic(role: &str, name: &str) -> Value {
    json!({ "actionId": "ui.activate", "target": { "ref": { "by": "semantic", "role": role, "name": name } } })
}

fn resolved(came: &Came) -> (f64, String, Vec<Value>) {
    let found = came.trace.iter().find_map(|line| match &line.step {
        Step::Resolved { confidence, note, others, .. } => {
            let others = others.iter().map(|each| json!(each.0)).collect();
            Some((*confidence, note.clone().unwrap_or_default(), others))
        }
        _ => None,
    });
    found.unwrap()
}

/// Requirement: MOB-ROADMAP-ACTIONABILITY-01
/// Requirement: MOB-ROADMAP-ACTIONABILITY-05
#[tokio::test(start_paused = true)]
async fn words_and_pictures_stand_for_the_control_around_them_and_the_way_there_is_told() {
    let session = Session::on(vec![
        button("card", "Card"),
        below("card", still("box", "group", "Box")),
        below("box", element("text", "label", "Open me")),
        button("save", "Save"),
        below("save", still("icon", "image", "Disk")),
    ])
    .await;
    for id in ["card", "save"] {
        session.page.on("click", id, move |page| page.toast(id));
    }
    for (named, owner, way) in
        [("text", "card", "label < group < button"), ("icon", "save", "image < button")]
    {
        let asked = with(activate(named), json!({ "verification": { "signals": [toast(owner)] } }));
        let came = session.act(asked).await;
        came.succeeded();
        assert_eq!(came.target(), owner);
        assert!(resolved(&came).1.contains(way), "{}", resolved(&came).1);
        assert_eq!(came.observed(), ["toast.contains"], "found and verified in one result");
    }
    assert_eq!(session.page.sent(), ["click card", "click save"]);
    // The wrong one shows by what it does not do.
    let wrong =
        with(activate("icon"), json!({ "verification": { "signals": [toast("card")], "timeoutMs": 500 } }));
    let came = session.act(wrong).await;
    came.failed(Code::VerificationFailed);
    assert_eq!((came.target().as_str(), came.missing()), ("save", vec!["toast.contains".to_owned()]));
}

/// Requirement: MOB-ROADMAP-ACTIONABILITY-02
#[tokio::test(start_paused = true)]
async fn a_control_is_preferred_to_its_words_and_the_inner_control_to_the_outer() {
    let session = Session::on(vec![
        button("parent", "Open"),
        below("parent", element("words", "label", "Open")),
        button("row", "Details"),
        below("row", element("inner", "link", "Details")),
    ])
    .await;
    for id in ["parent", "row", "inner"] {
        session.page.on("click", id, move |page| page.toast(id));
    }
    for (request, id) in [
        (semantic("label", "Open"), "parent"),
        (activate("words"), "parent"),
        (activate("inner"), "inner"),
        (semantic("link", "Details"), "inner"),
        (semantic("button", "Details"), "row"),
    ] {
        let came = session.act(request.clone()).await;
        assert_eq!(came.succeeded().target(), id, "{request}");
    }
}

/// Requirement: MOB-ROADMAP-ACTIONABILITY-03
#[tokio::test(start_paused = true)]
async fn a_target_comes_with_its_certainty_and_the_reasons_for_it() {
    let session = Session::on(vec![button("a", "Save the draft"), button("b", "Send")]).await;
    for id in ["a", "b"] {
        session.page.on("click", id, move |page| page.toast(id));
    }
    let clear = session.act(semantic("button", "Send")).await;
    let doubtful = session.act(semantic("button", "Save")).await;
    let (sure, unsure) = (resolved(&clear).0, resolved(&doubtful).0);
    assert!((0.0..=1.0).contains(&sure) && (0.0..=1.0).contains(&unsure));
    assert!(unsure < sure, "{unsure} < {sure}");
    let told = doubtful.progress().into_iter().find(|told| told["detail"]["candidate"].is_object()).unwrap();
    assert_eq!(told["detail"]["candidate"]["factors"]["name"], json!(0.6));
    let line = clear.trace.iter().find(|line| matches!(line.step, Step::Resolved { .. })).unwrap();
    let mut line = json!(line);
    assert!(serde_json::from_value::<Line>(line.clone()).is_ok());
    line.as_object_mut().unwrap().shift_remove("confidence");
    assert!(serde_json::from_value::<Line>(line).is_err());
}

/// Requirement: MOB-ROADMAP-ACTIONABILITY-04
#[tokio::test(start_paused = true)]
async fn two_controls_around_one_label_are_told_unless_their_names_tell_them_apart() {
    let nested = |outer: &str| {
        vec![
            button("outer", outer),
            below("outer", button("inner", "Play")),
            below("inner", element("text", "label", "Play")),
        ]
    };
    let session = Session::on(nested("Play")).await;
    session.page.on("click", "inner", |page| page.toast("playing"));
    let (contested, note, others) = resolved(&session.act(activate("text")).await);
    assert_eq!(others.len(), 1);
    assert_eq!(others[0]["instanceId"], "outer");
    assert!(note.contains("could be meant as well"), "{note}");
    let session = Session::on(nested("Open the album")).await;
    session.page.on("click", "inner", |page| page.toast("playing"));
    let (clear, _, others) = resolved(&session.act(activate("text")).await);
    assert_eq!(others, Vec::<Value>::new());
    assert!(contested < clear, "{contested} < {clear}");
    // What nobody verifies needs more certainty than that.
    let session = Session::on(nested("Play")).await;
    let unproved = with(activate("text"), json!({ "verification": { "policy": "none" } }));
    session.act(unproved).await.failed(Code::TargetNotFound);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: MOB-ROADMAP-IDENTITY-01
#[tokio::test(start_paused = true)]
async fn an_element_that_was_drawn_anew_is_found_and_a_double_is_told() {
    let session = Session::on(vec![button("s1", "Save"), button("x", "Cancel")]).await;
    session.page.on("click", "s2", |page| page.toast("saved"));
    let seen = session.runtime.scene().graph();
    session.page.edit(|graph| {
        let elements = &mut graph.documents[0].scopes[0].elements;
        elements.reverse();
        elements.retain(|each| each.instance_id != "s1");
        let anew = serde_json::from_value(button("s2", "Save")).unwrap();
        elements.push(std::sync::Arc::new(anew));
    });
    session.runtime.scene().look().await.unwrap();
    let request = serde_json::from_value(activate("s1")).unwrap();
    let running = session.runtime.request(&crate::scripted::agent(), request, Some(seen)).await.unwrap();
    let came = session.end(running, tokio::time::Instant::now()).await;
    assert_eq!(came.succeeded().target(), "s2");
    assert_eq!(resolved(&came).0, 1.0);
    session.page.add("main", button("s3", "Save"));
    let came = session.act(semantic("button", "Save")).await;
    came.failed(Code::TargetAmbiguous);
    for at in 0..2 {
        assert_eq!(came.detail(&format!("/candidates/{at}/confidence")), json!(0.5));
    }
    assert_eq!(session.page.sent(), ["click s2"]);
}

/// Requirement: MOB-ROADMAP-VERIFY-01
#[tokio::test(start_paused = true)]
async fn the_state_of_a_control_is_told_before_after_and_as_it_was_wanted() {
    let slider = |state: Value| with(element("s", "slider", "Volume"), json!({ "state": state }));
    let set = json!({ "actionId": "ui.setValue", "target": target("s"), "args": { "value": 50 } });
    let known = json!({ "numericValue": 20, "min": 0, "max": 100, "step": 1 });
    for (obeys, value, verdict) in [(true, 50.0, "verified"), (false, 20.0, "not_converged")] {
        let session = Session::on(vec![slider(known.clone())]).await;
        if !obeys {
            session.page.on("setValue", "s", |_| {});
        }
        let came = session.act(set.clone()).await;
        assert_eq!(came.result.verification.passed, obeys);
        let told = json!(came.result.return_value);
        assert_eq!(
            (&told["before"], &told["wanted"], &told["value"], &told["outcome"]),
            (&json!(20.0), &json!(50.0), &json!(value), &json!(verdict))
        );
    }
    let session = Session::on(vec![slider(json!({ "min": 0, "max": 100 }))]).await;
    session.page.on("setValue", "s", |_| {});
    let came = session.act(set).await;
    assert_eq!(came.status(), "failed");
    assert_eq!(came.side_effect(), "unknown");
    assert!(came.message().contains("tells no value"), "{}", came.message());
}
