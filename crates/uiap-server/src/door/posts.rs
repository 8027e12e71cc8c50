//! `http@0.1`: one envelope in, one envelope out.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use uiap_model::core::{CoreErrorCode, ErrorPayload, TerminateReason};

use super::gatekeeper::Proof;
use super::{BINDINGS, BODY, Hall, MEDIA_TYPE, status};
use crate::protocol::{Arrival, Credential, Holder, Outcome, Reply, Sender, Session, Visitor};

/// What is served here, and where.
pub(super) async fn about(State(hall): State<Hall>) -> Response {
    let layout = &hall.layout;
    Json(json!({
        "protocol": "UI Agent Protocol",
        "bindings": BINDINGS,
        "sessionPath": layout.session_path(),
        "messagePathTemplate": layout.message_template(),
        "eventStreamPathTemplate": layout.stream_template(),
        "socketPath": layout.socket_path(),
    }))
    .into_response()
}

pub(super) async fn open(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let bytes = match read(&hall, &headers, body, hall.house.limits().max_message_bytes).await {
        Ok(bytes) => bytes,
        Err(response) => return response,
    };
    match hall.house.welcome(&bytes, Visitor { credential, holder: Holder::Posts }) {
        Arrival::Opened(session, reply) => {
            let mut response = status::with_status(StatusCode::CREATED, &reply);
            if let Ok(location) = HeaderValue::from_str(&hall.layout.session(session.id().as_str())) {
                response.headers_mut().insert(LOCATION, location);
            }
            response
        }
        Arrival::Refused(reply) | Arrival::Early(reply) => status::envelope(&reply),
    }
}

pub(super) async fn message(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let (session, credential) = match find(&hall, &id, credential) {
        Ok(found) => found,
        Err(response) => return response,
    };
    let limit = session.agreement().limits.max_message_bytes;
    let bytes = match read(&hall, &headers, body, limit).await {
        Ok(bytes) => bytes,
        Err(response) => return response,
    };
    if names_another(&bytes, &id) {
        let message = "`sessionId` is not the session of the path";
        return fail(&hall, &ErrorPayload::new(CoreErrorCode::InvalidEnvelope, message));
    }
    match session.receive(&bytes, &Sender::Posts(&credential)).await {
        Outcome::Dropped(reply) if is_event(&bytes) => {
            tracing::debug!(fault = ?reply.sealed.fault, "an event was dropped");
            StatusCode::ACCEPTED.into_response()
        }
        Outcome::Reply(reply) | Outcome::Dropped(reply) => status::envelope(&reply),
        Outcome::Silence => StatusCode::ACCEPTED.into_response(),
    }
}

pub(super) async fn show(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    Path(id): Path<String>,
) -> Response {
    match find(&hall, &id, credential) {
        Ok((session, _)) => Json(json!({ "sessionId": id, "state": session.state() })).into_response(),
        Err(response) => response,
    }
}

pub(super) async fn close(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    Path(id): Path<String>,
) -> Response {
    match find(&hall, &id, credential) {
        Ok((session, _)) => {
            session.terminate(TerminateReason::UserRequest, None);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(response) => response,
    }
}

pub(super) async fn nowhere(State(hall): State<Hall>) -> Response {
    let reply =
        hall.house.refuse(None, &ErrorPayload::new(CoreErrorCode::NotFound, "there is nothing at this path"));
    status::with_status(StatusCode::NOT_FOUND, &reply)
}

pub(super) async fn wrong_method(State(hall): State<Hall>) -> Response {
    let message = "this path does not take this method";
    let reply = hall.house.refuse(None, &ErrorPayload::new(CoreErrorCode::NotFound, message));
    status::with_status(StatusCode::METHOD_NOT_ALLOWED, &reply)
}

/// A session that is open to this peer.
pub(super) fn find(
    hall: &Hall,
    id: &str,
    credential: Option<Credential>,
) -> Result<(Arc<Session>, Credential), Response> {
    let Some(credential) = credential else {
        return Err(fail(
            hall,
            &ErrorPayload::new(CoreErrorCode::Unauthenticated, "a valid token is needed"),
        ));
    };
    let gone = || ErrorPayload::new(CoreErrorCode::SessionNotFound, "there is no such session");
    let session = hall.house.session(id).ok_or_else(|| fail(hall, &gone()))?;
    if !session.belongs_to(&credential) {
        let message = "the session belongs to another credential";
        return Err(fail(hall, &ErrorPayload::new(CoreErrorCode::Forbidden, message)));
    }
    Ok((session, credential))
}

/// A session that a connection holds has no stream.
pub(super) fn not_here() -> ErrorPayload {
    ErrorPayload::new(CoreErrorCode::SessionNotFound, "the session is held by a connection")
}

pub(super) fn fail(hall: &Hall, error: &ErrorPayload) -> Response {
    status::envelope(&hall.house.refuse(None, error))
}

/// The body, when it is of the right type and no longer than it may be.
async fn read(hall: &Hall, headers: &HeaderMap, body: Body, most: u64) -> Result<Bytes, Response> {
    if !is_envelope(headers) {
        let message = format!("a body is `{MEDIA_TYPE}` or `application/json`");
        let reply = hall.house.refuse(None, &ErrorPayload::new(CoreErrorCode::InvalidEnvelope, message));
        return Err(status::with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, &reply));
    }
    let too_large = || {
        let message = format!("at most {most} bytes are allowed");
        fail(hall, &ErrorPayload::new(CoreErrorCode::PayloadTooLarge, message))
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let limited = Limited::new(body, usize::try_from(most).unwrap_or(usize::MAX));
    match tokio::time::timeout(BODY, limited.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST.into_response()),
        Err(_) => {
            let reply: Reply = hall
                .house
                .refuse(None, &ErrorPayload::new(CoreErrorCode::Timeout, "the body did not come in time"));
            Err(status::with_status(StatusCode::REQUEST_TIMEOUT, &reply))
        }
    }
}

fn is_envelope(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (types.next(), types.next()) else { return false };
    let essence = kind.to_str().ok().and_then(|text| text.split(';').next()).unwrap_or_default();
    let essence = essence.trim();
    essence.eq_ignore_ascii_case(MEDIA_TYPE) || essence.eq_ignore_ascii_case("application/json")
}

/// The members that a binding looks at; everything else is the session's business.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Glimpse<'a> {
    #[serde(borrow)]
    session_id: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<std::borrow::Cow<'a, str>>,
}

fn names_another(bytes: &[u8], id: &str) -> bool {
    serde_json::from_slice::<Glimpse<'_>>(bytes)
        .is_ok_and(|glimpse| glimpse.session_id.is_some_and(|session| session != id))
}

fn is_event(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Glimpse<'_>>(bytes)
        .is_ok_and(|glimpse| matches!(glimpse.kind.as_deref(), Some("event" | "error")))
}
