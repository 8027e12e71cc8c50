//! What HTTP says about an answer. Spec: http-rest-binding, status codes.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use super::MEDIA_TYPE;
use crate::protocol::Reply;
use crate::protocol::letter::Fault;

/// The status of an error; 200 for those that have none of their own.
pub(crate) fn of(fault: Option<&Fault>) -> StatusCode {
    let Some(fault) = fault else { return StatusCode::OK };
    match fault.code.as_str() {
        "invalid_json" | "invalid_envelope" => StatusCode::BAD_REQUEST,
        "unauthenticated" => StatusCode::UNAUTHORIZED,
        "forbidden" => StatusCode::FORBIDDEN,
        "session_not_found" => StatusCode::NOT_FOUND,
        "session_conflict" => StatusCode::CONFLICT,
        "payload_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "rate_limited" => StatusCode::TOO_MANY_REQUESTS,
        "internal_error" => StatusCode::INTERNAL_SERVER_ERROR,
        "unavailable" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    }
}

/// An envelope as the body, under the status that belongs to it.
pub(crate) fn envelope(reply: &Reply) -> Response {
    let fault = reply.sealed.fault.as_ref();
    let mut response = with_status(of(fault), reply);
    if let Some(wait) = fault.and_then(|fault| fault.retry_after_ms) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.div_ceil(1_000)));
    }
    response
}

/// An envelope under another status.
pub(crate) fn with_status(status: StatusCode, reply: &Reply) -> Response {
    let mut response = Response::new(Body::from(reply.sealed.text.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
