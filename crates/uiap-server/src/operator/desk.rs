//! What a person can look at and do. Every deed goes the way that the protocol goes: nothing here is a second way in.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form};
use compact_str::CompactString;
use serde::Deserialize;
use uiap_model::core::{CoreErrorCode, ErrorPayload, TerminateReason};
use uiap_model::names::ActionHandle;
use uiap_model::policy::message::{HandoffCompletedPayload, HandoffOutcome};

use super::entrance::{Booth, Login};
use super::view;
use crate::protocol::actions::Verdict;

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/live.js");
/// Characters of a reason.
const MOST_REASON: usize = 500;

pub(super) async fn sessions(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
) -> Response {
    view::page(StatusCode::OK, &view::Sessions::new(&booth, &login))
}

pub(super) async fn session(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
    Path(id): Path<String>,
) -> Response {
    match booth.house.session(&id) {
        Some(session) => view::page(StatusCode::OK, &view::OneSession::new(&booth, &login, &session)),
        None => notice(&booth, StatusCode::NOT_FOUND, "This session has ended."),
    }
}

pub(super) async fn picture(State(booth): State<Arc<Booth>>, Path(id): Path<String>) -> Response {
    let Some(session) = booth.house.session(&id) else { return StatusCode::NOT_FOUND.into_response() };
    match session.eye.picture().await {
        Ok(picture) => typed(picture.media_type, picture.bytes),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

#[derive(Deserialize)]
pub(super) struct Key {
    key: String,
}

pub(super) async fn enter(State(booth): State<Arc<Booth>>, Form(given): Form<Key>) -> Response {
    match booth.enter(&given.key) {
        Ok(Some(cookie)) => {
            let mut response = back(&booth, None);
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => {
            let again = view::Enter::new(&booth.place, Some("This is not the key."));
            view::page(StatusCode::UNAUTHORIZED, &again)
        }
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

/// A form of ours; the token shows that it is.
#[derive(Deserialize)]
pub(super) struct Plain {
    form: String,
}

pub(super) async fn leave(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
    Form(given): Form<Plain>,
) -> Response {
    if !login.form.matches(&given.form) {
        return foreign(&booth);
    }
    booth.leave(&login);
    back(&booth, None)
}

pub(super) async fn end(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
    Path(id): Path<String>,
    Form(given): Form<Plain>,
) -> Response {
    if !login.form.matches(&given.form) {
        return foreign(&booth);
    }
    match booth.house.session(&id) {
        Some(session) => {
            session.terminate(TerminateReason::UserRequest, Some("a person ended the session"));
            back(&booth, None)
        }
        None => notice(&booth, StatusCode::NOT_FOUND, "This session has ended already."),
    }
}

#[derive(Deserialize)]
pub(super) struct Answer {
    form: String,
    handle: String,
    verdict: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    session: String,
}

pub(super) async fn answer(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
    Form(given): Form<Answer>,
) -> Response {
    if !login.form.matches(&given.form) {
        return foreign(&booth);
    }
    let verdict = match given.verdict.as_str() {
        "grant" => Verdict::Grant,
        "deny" => Verdict::Deny(reason(&given.reason)),
        _ => return notice(&booth, StatusCode::BAD_REQUEST, "An answer is a yes or a no."),
    };
    let Some(handle) = ActionHandle::parse(&given.handle) else { return late(&booth) };
    told(&booth, &given.session, booth.house.confirm(&handle, verdict, &login.party()))
}

#[derive(Deserialize)]
pub(super) struct Handoff {
    form: String,
    id: String,
    outcome: String,
    #[serde(default)]
    session: String,
}

pub(super) async fn handoff(
    State(booth): State<Arc<Booth>>,
    Extension(login): Extension<Arc<Login>>,
    Form(given): Form<Handoff>,
) -> Response {
    if !login.form.matches(&given.form) {
        return foreign(&booth);
    }
    let outcome = match given.outcome.as_str() {
        "done" => HandoffOutcome::Done,
        "declined" => HandoffOutcome::Declined,
        _ => return notice(&booth, StatusCode::BAD_REQUEST, "It is done, or it is declined."),
    };
    let message = HandoffCompletedPayload { handoff_id: given.id.into(), outcome, note: None };
    told(&booth, &given.session, booth.house.hand_back(&message))
}

fn reason(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|each| !each.is_control()).take(MOST_REASON).collect();
    (!text.is_empty()).then_some(text)
}

/// Back to where the answer was given, or why it does not count.
fn told(booth: &Booth, session: &str, outcome: Result<(), ErrorPayload>) -> Response {
    match outcome {
        Ok(()) => back(booth, Some(session).filter(|id| booth.house.session(id).is_some())),
        Err(error) if error.code == CoreErrorCode::NotFound.as_str() => late(booth),
        Err(error) => {
            let message = CompactString::from(format!("The answer does not count: {}.", error.message));
            notice(booth, StatusCode::CONFLICT, &message)
        }
    }
}

fn late(booth: &Booth) -> Response {
    notice(
        booth,
        StatusCode::CONFLICT,
        "Nothing waits for this answer any more: it was answered, cancelled, or too late.",
    )
}

fn foreign(booth: &Booth) -> Response {
    notice(booth, StatusCode::FORBIDDEN, "This form is out of date. Go back, reload the page, and try again.")
}

fn notice(booth: &Booth, status: StatusCode, message: &str) -> Response {
    view::page(status, &view::Notice::new(&booth.place, message))
}

fn back(booth: &Booth, session: Option<&str>) -> Response {
    let place = match session {
        Some(id) => format!("{}/sessions/{id}", booth.place),
        None => format!("{}/", booth.place),
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

pub(super) async fn nowhere() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing at this path").into_response()
}

pub(super) async fn style() -> Response {
    typed("text/css; charset=utf-8", STYLE)
}

pub(super) async fn script() -> Response {
    typed("text/javascript; charset=utf-8", SCRIPT)
}

fn typed(media_type: &'static str, body: impl Into<axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
