//! A person is asked: what is shown is what runs, once, and the asker never answers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode as Code;
use uiap_model::names::ActionHandle;
use uiap_model::parse::decode;
use uiap_model::policy::vocabulary::PrincipalType;
use uiap_model::shape::Strictness;
use uiap_policy::confirmation::{GrantRefusal, Party};
use uiap_runtime::action::life::ActionState;
use uiap_runtime::action::{ActionEvent, AnswerError};
use uiap_runtime::surface::Reach;

use super::{activate, button};
use crate::graph::{below, element, scope, with};
use crate::scripted::{Session, agent, descriptor, target, user};

fn risky(id: &str, name: &str) -> Value {
    with(button(id, name), json!({ "risk": { "level": "confirm", "tags": ["billing"] } }))
}

async fn shop() -> Session {
    let session = Session::on(vec![risky("pay", "Pay"), risky("ship", "Ship"), button("look", "Look")]).await;
    for id in ["pay", "ship"] {
        session.page.on("click", id, move |page| {
            page.effect(id);
            page.toast(&format!("{id} done {}", page.effects(id)));
        });
    }
    session
}

/// Requirement: ACT-5.3-01
/// Requirement: ACT-5.3-02
/// Requirement: ACT-5.4-01
/// Requirement: ACT-16-05
/// Requirement: POL-RT-03
#[tokio::test(start_paused = true)]
async fn a_person_is_asked_before_and_a_grant_releases_exactly_one_action() {
    let session = shop().await;
    let mut pay = session.request(activate("pay")).await.unwrap();
    let mut ship = session.request(activate("ship")).await.unwrap();
    let told = session.asked(&mut pay).await;
    session.asked(&mut ship).await;
    let Some(ActionEvent::Confirmation(question)) = told.last() else { panic!("{told:?}") };
    let question = json!(question);
    assert_eq!(question["actionHandle"], json!(pay.accepted.action_handle));
    assert_eq!(question["actionId"], "ui.activate");
    assert_eq!(question["risk"]["level"], "confirm");
    assert_eq!(question["preview"]["target"]["instanceId"], "pay");
    assert!(question["preview"]["summary"].as_str().unwrap().contains("Pay"));
    tokio::time::advance(Duration::from_secs(20)).await;
    let handle = pay.accepted.action_handle.clone();
    assert_eq!(session.runtime.state(&handle).unwrap(), ActionState::AwaitingConfirmation);
    assert_eq!(session.page.sent(), Vec::<String>::new());
    session.runtime.grant(&user(), false, &handle).unwrap();
    let came = session.end(pay, Instant::now()).await;
    came.succeeded();
    assert_eq!((session.page.effects("pay"), session.page.effects("ship")), (1, 0));
    let waiting = ship.accepted.action_handle.clone();
    assert_eq!(session.runtime.state(&waiting).unwrap(), ActionState::AwaitingConfirmation);
    session.runtime.deny(&user(), false, &waiting, Some("too dear")).unwrap();
    let came = session.end(ship, Instant::now()).await;
    came.cancelled(Code::ConfirmationDenied);
}

/// Requirement: ACT-5.3-01
#[test]
fn a_question_without_risk_is_no_question() {
    use uiap_model::action::confirmation::ActionConfirmationRequestPayload;
    let question = json!({ "actionHandle": "a", "actionId": "ui.activate" });
    assert!(decode::<ActionConfirmationRequestPayload>(&question, Strictness::Wire).is_err());
    let question = with(question, json!({ "risk": { "level": "confirm" } }));
    assert!(decode::<ActionConfirmationRequestPayload>(&question, Strictness::Wire).is_ok());
}

/// Requirement: ACT-5.4-01
/// Requirement: ACT-SEC-04
#[tokio::test(start_paused = true)]
async fn a_grant_for_nobody_or_for_one_that_does_not_wait_releases_nothing() {
    let session = shop().await;
    let nobody = ActionHandle::parse("ses_1:act_77").unwrap();
    assert_eq!(session.runtime.grant(&user(), true, &nobody), Err(AnswerError::Unknown(nobody)));
    let early = session.request(activate("pay")).await.unwrap();
    let handle = early.accepted.action_handle.clone();
    // The question was not asked yet.
    assert_eq!(session.runtime.grant(&user(), true, &handle), Err(AnswerError::NotWaiting(handle.clone())));
    let mut early = early;
    session.asked(&mut early).await;
    assert_eq!(session.page.effects("pay"), 0);
    session.runtime.grant(&user(), false, &handle).unwrap();
    session.end(early, Instant::now()).await.succeeded();
    // The same grant once more.
    assert_eq!(session.runtime.grant(&user(), false, &handle), Err(AnswerError::NotWaiting(handle)));
    assert_eq!(session.page.effects("pay"), 1);
}

/// Requirement: ACT-SEC-05
/// Requirement: ACT-5.4-02
#[tokio::test(start_paused = true)]
async fn only_a_person_or_an_authorised_confirmer_releases_an_action() {
    let session = shop().await;
    let mut running = session.request(activate("pay")).await.unwrap();
    session.asked(&mut running).await;
    let handle = running.accepted.action_handle.clone();
    let mut other = agent();
    other.principal.id = "another".into();
    other.connection = "elsewhere".into();
    let mut alias: Party = user();
    alias.connection = agent().connection;
    let mut observer = other.clone();
    observer.principal.principal_type = PrincipalType::Observer;
    for (by, authorised, why) in [
        (&agent(), false, GrantRefusal::Requester),
        (&agent(), true, GrantRefusal::Requester),
        (&alias, false, GrantRefusal::Requester),
        (&other, false, GrantRefusal::NotAuthorised),
        (&observer, false, GrantRefusal::NotAuthorised),
    ] {
        assert_eq!(session.runtime.grant(by, authorised, &handle), Err(AnswerError::Refused(why)));
        assert_eq!(session.runtime.deny(by, authorised, &handle, None), Err(AnswerError::Refused(why)));
        assert_eq!(session.runtime.state(&handle).unwrap(), ActionState::AwaitingConfirmation);
    }
    assert_eq!(session.page.effects("pay"), 0);
    let tried =
        session.audit.lock().unwrap().iter().filter(|each| json!(each)["event"] == "confirmation").count();
    assert_eq!(tried, 10, "every attempt is written down");
    session.runtime.grant(&other, true, &handle).unwrap();
    session.end(running, Instant::now()).await.succeeded();
}

/// Requirement: ACT-5.4-02
#[tokio::test(start_paused = true)]
async fn without_a_grant_nothing_runs_whatever_else_happens() {
    let session = shop().await;
    // Nobody answers.
    let came = session.act(activate("pay")).await;
    came.cancelled(Code::Cancelled);
    assert!((119..=122).contains(&came.took.as_secs()), "{:?}", came.took);
    // The requester's own time is over.
    let came = session.act(with(activate("pay"), json!({ "timeoutMs": 300 }))).await;
    came.failed(Code::Timeout);
    // Somebody gives it up.
    let mut running = session.request(activate("pay")).await.unwrap();
    session.asked(&mut running).await;
    session.runtime.cancel(&running.accepted.action_handle, Some("no need")).unwrap();
    session.end(running, Instant::now()).await.cancelled(Code::Cancelled);
    // The same is asked for once more, and something else happens in the page.
    let mut first = session.request(activate("pay")).await.unwrap();
    session.asked(&mut first).await;
    let mut second = session.request(activate("pay")).await.unwrap();
    session.asked(&mut second).await;
    session.page.toast("confirmed");
    session.page.tell(json!({ "kind": "user.activation", "isActive": true }));
    session.page.tell(json!({ "kind": "custom", "name": "action.confirmation.grant", "payload": { "actionHandle": first.accepted.action_handle } }));
    session.runtime.scene().look().await.unwrap();
    assert_eq!(
        session.runtime.state(&first.accepted.action_handle).unwrap(),
        ActionState::AwaitingConfirmation
    );
    assert_eq!(session.page.effects("pay"), 0);
    assert_eq!(session.page.sent(), Vec::<String>::new());
}

/// Requirement: ACT-5.5-01
/// Requirement: ACT-5.5-02
/// Requirement: POL-C8-01
#[tokio::test(start_paused = true)]
async fn a_denial_ends_the_action_cancelled_with_its_reason() {
    let session = shop().await;
    for reason in [Some("too dear"), None] {
        let mut running = session.request(activate("pay")).await.unwrap();
        session.asked(&mut running).await;
        session.runtime.deny(&user(), false, &running.accepted.action_handle, reason).unwrap();
        let came = session.end(running, Instant::now()).await;
        came.cancelled(Code::ConfirmationDenied);
        assert_eq!(came.side_effect(), "none");
        assert!(came.message().contains(reason.unwrap_or("denied")), "{}", came.message());
    }
    assert_eq!(session.page.effects("pay"), 0);
    let nobody = ActionHandle::parse("ses_9:act_1").unwrap();
    assert!(session.runtime.deny(&user(), false, &nobody, None).is_err());
}

/// Requirement: ACT-5.3-03
/// Requirement: ACT-13.2-02
#[tokio::test(start_paused = true)]
async fn what_was_not_shown_does_not_run_under_a_grant() {
    type Change = fn(&Session);
    let changes: [(&str, Change); 6] = [
        ("renamed", |session| session.page.set("pay", json!({ "name": "Pay twice" }))),
        ("gone", |session| session.page.remove("pay")),
        ("other role", |session| session.page.set("pay", json!({ "role": "link" }))),
        ("replaced", |session| {
            session.page.remove("pay");
            session.page.add("main", risky("pay2", "Pay"));
        }),
        ("riskier", |session| {
            session.page.set("pay", json!({ "risk": { "level": "confirm", "tags": ["destructive"] } }))
        }),
        ("other origin", |session| {
            session.page.edit(|graph| graph.documents[0].origin = Some("http://evil.example".into()));
        }),
    ];
    for (what, change) in changes {
        let session = shop().await;
        session.page.on("click", "pay2", |page| page.effect("pay"));
        let mut running = session.request(activate("pay")).await.unwrap();
        session.asked(&mut running).await;
        change(&session);
        session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
        let came = session.end(running, Instant::now()).await;
        came.failed(Code::StaleTarget);
        assert_eq!(came.side_effect(), "none", "{what}");
        assert_eq!(session.page.sent(), Vec::<String>::new(), "{what}");
    }
}

/// Requirement: ACT-5.3-03
#[tokio::test(start_paused = true)]
async fn a_grant_for_one_row_does_not_run_on_the_row_that_took_its_place() {
    let session = Session::on(vec![element("r1", "row", "Alice"), below("r1", risky("d1", "Delete"))]).await;
    session.page.on("click", "d1", |page| page.effect("d1"));
    let mut running = session.request(activate("d1")).await.unwrap();
    let told = session.asked(&mut running).await;
    let Some(ActionEvent::Confirmation(question)) = told.last() else { panic!("{told:?}") };
    let summary = json!(question)["preview"]["summary"].as_str().unwrap().to_owned();
    assert!(summary.contains("row “Alice”"), "{summary}");
    session.page.set("r1", json!({ "name": "Bob" }));
    session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
    session.end(running, Instant::now()).await.failed(Code::StaleTarget);
    assert_eq!(session.page.effects("d1"), 0);
}

/// Requirement: ACT-5.3-03
#[tokio::test(start_paused = true)]
async fn a_page_that_goes_on_elsewhere_does_not_void_a_grant() {
    let session = shop().await;
    let mut running = session.request(activate("pay")).await.unwrap();
    session.asked(&mut running).await;
    session.page.set("look", json!({ "name": "Look here" }));
    session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
    session.end(running, Instant::now()).await.succeeded();
    assert_eq!(session.page.effects("pay"), 1);
}

/// Requirement: ACT-5.3-02
#[tokio::test(start_paused = true)]
async fn a_person_is_not_asked_about_what_cannot_be_done() {
    let session = shop().await;
    session.page.reaches("pay", [Reach::Covered(Some("dialog “Cookies”".to_owned()))]);
    let came = session.act(activate("pay")).await;
    came.failed(Code::TargetNotInteractable);
    assert!(came.message().contains("Cookies"));
    assert!(!came.events.iter().any(|event| matches!(event, ActionEvent::Confirmation(_))));
}

/// Requirement: ACT-5.3-02
/// Requirement: ACT-10.3-02
#[tokio::test(start_paused = true)]
async fn what_the_app_calls_risky_is_asked_about_in_every_mode() {
    let mut seen = Vec::new();
    for modes in [json!(["semanticUi"]), json!(["externalDriver"])] {
        let session = shop().await;
        let mut running = session
            .request(with(activate("pay"), json!({ "preferredExecutionModes": modes })))
            .await
            .unwrap();
        let mut events = session.asked(&mut running).await;
        session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
        let mut came = session.end(running, Instant::now()).await;
        events.append(&mut came.events);
        came.events = events;
        came.succeeded();
        seen.push((came.stages(), came.observed()));
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0].0.contains(&"awaiting_confirmation".to_owned()));
    // An action of the app, without a target.
    let session = Session::of(vec![scope("main", "region", "Main", vec![])]).await;
    session.page.offer(vec![descriptor("video.purge", json!({ "risk": { "level": "confirm" } }))]);
    session.page.answer(None, "invoke", None, |page, _| {
        page.effect("purged");
        page.toast("purged");
        crate::scripted::Answer::Done(uiap_runtime::surface::Done::default())
    });
    let mut running = session.request(json!({ "actionId": "video.purge" })).await.unwrap();
    session.asked(&mut running).await;
    assert_eq!(session.page.effects("purged"), 0);
    session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
    session.end(running, Instant::now()).await.succeeded();
    assert_eq!(session.page.effects("purged"), 1);
}

/// Requirement: ACT-SEC-04
#[tokio::test(start_paused = true)]
async fn a_secret_argument_is_not_shown_to_the_person_who_is_asked() {
    let secret = with(
        super::field("pin", "PIN"),
        json!({ "risk": { "level": "confirm" }, "state": { "sensitive": true }, "dataClasses": ["credential"] }),
    );
    let session = Session::on(vec![secret]).await;
    let request =
        json!({ "actionId": "ui.enterText", "target": target("pin"), "args": { "text": "hunter2-9931" } });
    let mut running = session.request(request).await.unwrap();
    let told = session.asked(&mut running).await;
    assert!(!format!("{told:?}").contains("hunter2-9931"), "{told:?}");
    session.runtime.grant(&user(), false, &running.accepted.action_handle).unwrap();
    let came = session.end(running, Instant::now()).await;
    came.succeeded();
    assert_eq!(session.page.value("pin"), "hunter2-9931");
    assert!(!format!("{:?}{:?}", came.events, came.trace).contains("hunter2-9931"));
}
