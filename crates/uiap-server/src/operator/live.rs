//! What wakes an open page: one line for every change, in steps that a person can follow. Nobody polls.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::entrance::Booth;
use crate::protocol::eye::View;

/// Time between two comments that keep the connection open.
const COMMENT: Duration = Duration::from_secs(15);
/// A page that moves all the time is shown in steps of this length.
const STEP: Duration = Duration::from_millis(200);

#[derive(Deserialize)]
pub(super) struct About {
    session: Option<String>,
}

/// Changes of everything, or of one session and its page.
pub(super) async fn events(State(booth): State<Arc<Booth>>, Query(about): Query<About>) -> Response {
    let session = about.session.as_deref().and_then(|id| booth.house.session(id));
    let mut comments = tokio::time::interval_at(Instant::now() + COMMENT, COMMENT);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let woken = Woken {
        bell: booth.house.bell(),
        view: session.map(|session| session.eye.watch_view()),
        due: Instant::now(),
        changed: false,
    };
    let telling = Telling { woken, cancel: booth.cancel.clone(), comments };
    let mut response = Response::new(Body::from_stream(stream::unfold(telling, tell)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

struct Telling {
    woken: Woken,
    cancel: CancellationToken,
    comments: tokio::time::Interval,
}

/// What wakes a page, and when it was woken last.
struct Woken {
    bell: watch::Receiver<u64>,
    view: Option<watch::Receiver<View>>,
    due: Instant,
    changed: bool,
}

async fn tell(mut telling: Telling) -> Option<(Result<Bytes, Infallible>, Telling)> {
    let text = tokio::select! {
        biased;
        () = telling.cancel.cancelled() => return None,
        () = telling.woken.next() => "event: changed\ndata: {}\n\n",
        _ = telling.comments.tick() => ":\n\n",
    };
    Some((Ok(Bytes::from_static(text.as_bytes())), telling))
}

impl Woken {
    /// Something changed, and the last step is over; what changed meanwhile belongs to the same step. Dropping the future
    /// loses nothing.
    async fn next(&mut self) {
        if !self.changed {
            self.wait().await;
            self.changed = true;
        }
        tokio::time::sleep_until(self.due).await;
        self.changed = false;
        self.due = Instant::now() + STEP;
        self.bell.mark_unchanged();
        if let Some(view) = &mut self.view {
            view.mark_unchanged();
        }
    }

    async fn wait(&mut self) {
        let (bell, view) = (&mut self.bell, &mut self.view);
        let page = async {
            let gone = match view {
                Some(view) => view.changed().await.is_err(),
                None => true,
            };
            if gone {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            rung = bell.changed() => if rung.is_err() {
                std::future::pending::<()>().await;
            },
            () = page => {}
        }
    }
}
