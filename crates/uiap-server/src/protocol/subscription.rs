//! A subscription: what one observer was told last, and what it is told next.
//!
//! Deltas are made from what was sent to what is: whatever happened while the reader was slow, or within the least interval, is one
//! step. A reader that could not keep up gets a fresh snapshot.

use std::sync::Arc;
use std::time::Duration;

use compact_str::CompactString;
use serde_json::json;
use tokio::sync::{Notify, broadcast, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uiap_model::core::Limits;
use uiap_model::json::{JsonObject, Positive};
use uiap_model::web::diff::{Difference, diff};
use uiap_model::web::message::{
    ChangedBy, DeltaCause, SignalChoice, SignalFilter, SnapshotOptions, WebStateDeltaPayload,
    WebStateObservePayload, WebStateSnapshotPayload,
};
use uiap_model::web::signal::{WebSignalBase, WebSignalBody, WebSignalPayload};
use uiap_model::web::{PageGraph, WebSignal};

use super::eye::{Eye, News, Showing, Told};
use super::letter::{Sealed, Writer};
use super::outbox::Outbox;
use super::view::narrow;

/// A running subscription, as its session holds it.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub(crate) cancel: CancellationToken,
    pub(crate) resync: Arc<Notify>,
}

/// A subscription.
pub(crate) struct Subscription {
    id: CompactString,
    wish: WebStateObservePayload,
    limits: Limits,
    outbox: Arc<Outbox>,
    writer: Arc<Writer>,
    eye: Arc<Eye>,
    news: broadcast::Receiver<News>,
    /// The page as the observer has it.
    sent: PageGraph,
    /// The page as it was told of last.
    latest: Arc<Showing>,
    /// The page as it is, when that is something else.
    waiting: Option<Arc<Showing>>,
    last: Instant,
    /// Why it is something else.
    cause: Option<DeltaCause>,
    /// What the observer has is not to be relied on.
    stale: bool,
}

impl Subscription {
    pub(crate) fn new(
        id: CompactString,
        wish: WebStateObservePayload,
        limits: Limits,
        outbox: Arc<Outbox>,
        writer: Arc<Writer>,
        (eye, showing): (Arc<Eye>, Arc<Showing>),
        news: broadcast::Receiver<News>,
    ) -> Self {
        let first = wish.initial_snapshot == Some(true);
        let sent = narrow(&showing.graph, &options(&wish));
        let waiting = first.then(|| Arc::clone(&showing));
        let latest = showing;
        Self {
            id,
            wish,
            limits,
            outbox,
            writer,
            eye,
            news,
            sent,
            latest,
            waiting,
            last: Instant::now(),
            cause: None,
            stale: first,
        }
    }

    /// Tells until it is cancelled. Begins when the answer to the request is on its way.
    pub(crate) async fn run(mut self, begin: oneshot::Receiver<()>, handle: Handle) {
        // A dropped sender says the same as a message: the answer has left.
        begin.await.ok();
        // The first snapshot does not wait for the interval.
        let mut due = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = handle.cancel.cancelled() => return,
                () = handle.resync.notified() => self.renew(),
                news = self.news.recv() => match news {
                    Ok(News::Signal(told)) => self.signal(&told, &handle).await,
                    Ok(News::Graph(showing)) => {
                        self.note_cause(&showing.cause);
                        self.waiting = Some(showing);
                        due = self.last + self.interval();
                    }
                    Err(broadcast::error::RecvError::Lagged(count)) => self.lagged(count, &handle).await,
                    Err(broadcast::error::RecvError::Closed) => return,
                },
                () = tokio::time::sleep_until(due), if self.waiting.is_some() => self.state(&handle).await,
            }
        }
    }

    fn interval(&self) -> Duration {
        Duration::from_millis(self.wish.min_interval_ms.as_ref().map_or(0, |count| count.0))
    }

    /// Of several causes the one that is somebody's doing counts.
    fn note_cause(&mut self, cause: &DeltaCause) {
        let weight = |cause: &DeltaCause| match cause.by {
            ChangedBy::Agent => 2,
            ChangedBy::User => 1,
            ChangedBy::App | ChangedBy::Unknown => 0,
        };
        if self.cause.as_ref().is_none_or(|known| weight(cause) >= weight(known)) {
            self.cause = Some(cause.clone());
        }
    }

    /// The observer lost something: it begins anew with the page as it is.
    fn renew(&mut self) {
        self.stale = true;
        if self.waiting.is_none() {
            self.waiting = Some(Arc::clone(&self.latest));
        }
    }

    /// Waits for the reader; none when the subscription ended meanwhile.
    async fn room(&mut self, handle: &Handle) -> Option<()> {
        tokio::select! {
            biased;
            () = handle.cancel.cancelled() => None,
            waited = self.outbox.room() => {
                self.stale |= waited;
                Some(())
            }
        }
    }

    async fn lagged(&mut self, count: u64, handle: &Handle) {
        self.stale = true;
        let mut payload = serde_json::Map::new();
        payload.insert("count".to_owned(), json!(count));
        let body = WebSignalBody::Custom { name: "signals.lost".into(), payload: Some(JsonObject(payload)) };
        self.signal(&Told::new(WebSignal { base: WebSignalBase::default(), body }), handle).await;
    }

    async fn signal(&mut self, told: &Told, handle: &Handle) {
        if !wants(self.wish.signals.as_ref(), &told.signal)
            || self.room(handle).await.is_none()
            || !told.claim()
        {
            return;
        }
        let sealed = self.writer.event("web.signal", &WebSignalPayload { signal: told.signal.clone() });
        self.outbox.push_about(&self.id, sealed.text);
    }

    async fn state(&mut self, handle: &Handle) {
        if self.room(handle).await.is_none() {
            return;
        }
        let Some(showing) = self.waiting.take() else { return };
        self.last = Instant::now();
        let now = narrow(&showing.graph, &options(&self.wish));
        self.latest = Arc::clone(&showing);
        let first = self.stale && self.wish.initial_snapshot == Some(true);
        if self.wish.deltas == Some(false) && !first {
            self.sent = now;
            return;
        }
        let fits = |sealed: &Sealed| sealed.text.len() as u64 <= self.limits.max_message_bytes;
        let delta = self.delta(&now).map(|delta| self.writer.event("web.state.delta", &delta)).filter(fits);
        if let Some(delta) = delta {
            self.outbox.push_about(&self.id, delta.text);
        } else {
            let seal = |payload: &_| self.writer.event("web.state.snapshot", payload);
            self.outbox.push_about(&self.id, snapshot(&now, Some(&self.id), self.limits, seal).text);
        }
        self.eye.show(&showing);
        self.cause = None;
        self.stale = false;
        self.sent = now;
    }

    /// The step from what the observer has; none when it needs a snapshot.
    fn delta(&self, now: &PageGraph) -> Option<WebStateDeltaPayload> {
        if self.stale {
            return None;
        }
        let Difference::Delta(ops) = diff(&self.sent, now) else { return None };
        if ops.len() * 2 > now.elements().count().max(2) {
            return None;
        }
        Some(WebStateDeltaPayload {
            subscription_id: Some(self.id.clone()),
            base_revision: self.sent.revision.clone(),
            revision: now.revision.clone(),
            seq: now.seq,
            ts: now.ts.clone(),
            ops,
            cause: self.cause.clone(),
        })
    }
}

fn options(wish: &WebStateObservePayload) -> SnapshotOptions {
    wish.options.clone().unwrap_or_default()
}

fn wants(filter: Option<&SignalFilter>, signal: &WebSignal) -> bool {
    match filter {
        None | Some(SignalFilter::Choice(SignalChoice::All)) => true,
        Some(SignalFilter::Choice(SignalChoice::None)) => false,
        Some(SignalFilter::Kinds(kinds)) => kinds.iter().any(|kind| kind.as_str() == signal.body.tag()),
    }
}

/// A snapshot that is no larger than a message may be: what does not fit is cut off, and the graph says so.
pub(crate) fn snapshot(
    graph: &PageGraph,
    subscription: Option<&CompactString>,
    limits: Limits,
    seal: impl Fn(&WebStateSnapshotPayload) -> Sealed,
) -> Sealed {
    let mut most = graph.elements().count() as u64;
    let mut shown = graph.clone();
    loop {
        let payload = WebStateSnapshotPayload {
            snapshot: Some(shown),
            not_modified: None,
            subscription_id: subscription.cloned(),
        };
        let sealed = seal(&payload);
        if sealed.text.len() as u64 <= limits.max_message_bytes || most <= 1 {
            return sealed;
        }
        most /= 2;
        let fewer = SnapshotOptions { max_elements: Some(Positive(most)), ..SnapshotOptions::default() };
        shown = narrow(graph, &fewer);
    }
}
