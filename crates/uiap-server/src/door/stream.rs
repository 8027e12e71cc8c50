//! Server-Sent Events: what a session tells by itself, with a number on each, told again from where a reader left off.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use std::sync::Arc;
use tokio::time::{Instant, MissedTickBehavior};

use super::gatekeeper::Proof;
use super::{Hall, posts};
use crate::protocol::Session;
use crate::protocol::outbox::{From, Next, Reader};

/// Time between two comments that keep the connection open.
const COMMENT: Duration = Duration::from_secs(15);

pub(super) async fn events(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let (session, _) = match posts::find(&hall, &id, credential) {
        Ok(found) => found,
        Err(response) => return response,
    };
    if !session.is_posted_to() {
        return posts::fail(&hall, &posts::not_here());
    }
    let from = match headers.get("last-event-id") {
        None => From::Waiting,
        Some(last) => {
            last.to_str().ok().and_then(|text| text.parse().ok()).map_or(From::Unknown, From::After)
        }
    };
    let mut comments = tokio::time::interval_at(Instant::now() + COMMENT, COMMENT);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let state = Telling { reader: session.outbox().reader(from), session, comments };
    let mut response = Response::new(Body::from_stream(stream::unfold(state, tell)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

struct Telling {
    reader: Reader,
    session: Arc<Session>,
    comments: tokio::time::Interval,
}

async fn tell(mut state: Telling) -> Option<(Result<Bytes, Infallible>, Telling)> {
    let text = tokio::select! {
        biased;
        next = state.reader.next() => match next {
            Next::Message(number, envelope) => format!("id: {number}\nevent: uiap\ndata: {envelope}\n\n"),
            Next::Gap => {
                state.session.resync();
                "event: uiap.resync\ndata: {}\n\n".to_owned()
            }
            Next::Superseded | Next::End => return None,
        },
        _ = state.comments.tick() => ":\n\n".to_owned(),
    };
    Some((Ok(Bytes::from(text)), state))
}
