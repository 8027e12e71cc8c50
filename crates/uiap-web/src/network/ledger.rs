//! The bookkeeping of requests: pure, bounded, told one event at a time.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use uiap_cdp::Event;
use uiap_cdp::protocol::ProtocolEvent;
use uiap_cdp::protocol::network::{
    DataReceived, LoaderId, LoadingFailed, LoadingFinished, RequestWillBeSent, Response, ResponseReceived,
    WebSocketClosed,
};
use uiap_cdp::protocol::page::{FrameDetached, FrameId, FrameNavigated};
use uiap_cdp::protocol::target::SessionId;

use super::address::redact;
use super::exchange::{Exchange, ExchangeId, Outcome, RequestCause};

/// Exchanges under way that are followed; beyond that the oldest are given up.
const MAX_OPEN: usize = 2_000;
/// Exchanges that are remembered after their end.
const MAX_PAST: usize = 500;

/// The events that the ledger understands.
pub(crate) const EVENTS: [&str; 8] = [
    RequestWillBeSent::NAME,
    ResponseReceived::NAME,
    DataReceived::NAME,
    LoadingFinished::NAME,
    LoadingFailed::NAME,
    WebSocketClosed::NAME,
    FrameNavigated::NAME,
    FrameDetached::NAME,
];

/// What happened to one exchange.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NetworkEvent {
    /// It was sent.
    Started(Exchange),
    /// Its status and headers came.
    Answered(Exchange),
    /// It is over; its outcome says how.
    Ended(Exchange),
}

impl NetworkEvent {
    /// The exchange.
    pub fn exchange(&self) -> &Exchange {
        match self {
            Self::Started(exchange) | Self::Answered(exchange) | Self::Ended(exchange) => exchange,
        }
    }
}

/// Requests under way and those that are over, as far as they are remembered.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    open: HashMap<ExchangeId, Exchange>,
    /// Open ones in the order in which they began.
    order: VecDeque<ExchangeId>,
    past: VecDeque<Exchange>,
    forgotten: u64,
}

impl Ledger {
    /// Takes an event in; what it means comes back.
    pub(crate) fn take(&mut self, session: &SessionId, event: &Event, now: Instant) -> Vec<NetworkEvent> {
        let id = |request| ExchangeId { session: session.clone(), request };
        if let Some(sent) = event.read::<RequestWillBeSent>() {
            self.sent(id(sent.request_id.clone()), &sent, now)
        } else if let Some(received) = event.read::<ResponseReceived>() {
            self.answered(&id(received.request_id.clone()), &received, now).into_iter().collect()
        } else if let Some(part) = event.read::<DataReceived>() {
            if let Some(exchange) = self.open.get_mut(&id(part.request_id)) {
                exchange.last_part = Some(now);
            }
            Vec::new()
        } else if let Some(finished) = event.read::<LoadingFinished>() {
            self.end(&id(finished.request_id), Outcome::Finished, now).into_iter().collect()
        } else if let Some(failed) = event.read::<LoadingFailed>() {
            let cancelled = failed.canceled == Some(true);
            let outcome = if cancelled { Outcome::Cancelled } else { Outcome::Failed(failed.error_text) };
            self.end(&id(failed.request_id), outcome, now).into_iter().collect()
        } else if let Some(closed) = event.read::<WebSocketClosed>() {
            self.end(&id(closed.request_id), Outcome::Finished, now).into_iter().collect()
        } else if let Some(navigated) = event.read::<FrameNavigated>() {
            let main = navigated.frame.parent_id.is_none();
            self.replaced(session, &navigated.frame.id, Some(&navigated.frame.loader_id), main, now)
        } else if let Some(gone) = event.read::<FrameDetached>() {
            self.replaced(session, &gone.frame_id, None, false, now)
        } else {
            Vec::new()
        }
    }

    /// Ends what belonged to a document that is no more: a renderer that went away does not tell.
    fn replaced(
        &mut self,
        session: &SessionId,
        frame: &FrameId,
        loader: Option<&LoaderId>,
        main: bool,
        now: Instant,
    ) -> Vec<NetworkEvent> {
        let is_over = |each: &Exchange| {
            each.id.session == *session
                && Some(&each.loader) != loader
                && (main || each.frame.as_ref() == Some(frame))
        };
        let over: Vec<_> = self.open().filter(|each| is_over(each)).map(|each| each.id.clone()).collect();
        over.iter().filter_map(|id| self.end(id, Outcome::Cancelled, now)).collect()
    }

    fn sent(&mut self, id: ExchangeId, sent: &RequestWillBeSent, now: Instant) -> Vec<NetworkEvent> {
        let mut told = Vec::new();
        if let Some(redirect) = &sent.redirect_response {
            told.extend(self.status(&id, redirect, now).map(NetworkEvent::Answered));
            told.extend(self.end(&id, Outcome::Redirected, now));
        }
        let exchange = Exchange {
            id: id.clone(),
            method: sent.request.method.clone(),
            url: redact(&sent.request.url),
            kind: sent.kind.clone().unwrap_or_default(),
            frame: sent.frame_id.clone(),
            loader: sent.loader_id.clone(),
            initiator: RequestCause::from(&sent.initiator),
            user_gesture: sent.has_user_gesture == Some(true),
            started: now,
            answered: None,
            ended: None,
            status: None,
            outcome: Outcome::Open,
            streams: false,
            last_part: None,
        };
        // What carries its content in itself needs no network and has no end that is told.
        if sent.request.url.starts_with("data:") {
            return told;
        }
        self.open.insert(id.clone(), exchange.clone());
        self.order.push_back(id);
        self.bound();
        told.push(NetworkEvent::Started(exchange));
        told
    }

    fn answered(
        &mut self,
        id: &ExchangeId,
        received: &ResponseReceived,
        now: Instant,
    ) -> Option<NetworkEvent> {
        self.status(id, &received.response, now).map(NetworkEvent::Answered)
    }

    fn status(&mut self, id: &ExchangeId, response: &Response, now: Instant) -> Option<Exchange> {
        let exchange = self.open.get_mut(id)?;
        exchange.status = Some(response.status);
        exchange.answered = Some(now);
        exchange.streams =
            matches!(response.mime_type.as_str(), "text/event-stream" | "multipart/x-mixed-replace");
        Some(exchange.clone())
    }

    fn end(&mut self, id: &ExchangeId, outcome: Outcome, now: Instant) -> Option<NetworkEvent> {
        let mut exchange = self.open.remove(id)?;
        if let Some(at) = self.order.iter().position(|each| each == id) {
            self.order.remove(at);
        }
        exchange.outcome = outcome;
        exchange.ended = Some(now);
        if self.past.len() == MAX_PAST {
            self.past.pop_front();
        }
        self.past.push_back(exchange.clone());
        Some(NetworkEvent::Ended(exchange))
    }

    /// Forgets what is open in a session: it ended, its document was replaced, or events were lost.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        self.open.retain(|id, _| id.session != *session);
        self.order.retain(|id| id.session != *session);
    }

    fn bound(&mut self) {
        while self.order.len() > MAX_OPEN {
            if let Some(id) = self.order.pop_front() {
                self.open.remove(&id);
                self.forgotten += 1;
            }
        }
    }

    /// What holds the page up at that moment, oldest first.
    pub(crate) fn in_flight(&self, now: Instant) -> impl Iterator<Item = &Exchange> {
        self.order
            .iter()
            .filter_map(|id| self.open.get(id))
            .filter(move |exchange| exchange.holds_until().is_some_and(|until| until > now))
    }

    /// When a request that holds the page up will cease to, if nothing happens to it.
    pub(crate) fn next_given_up(&self, now: Instant) -> Option<Instant> {
        self.in_flight(now).filter_map(Exchange::holds_until).min()
    }

    /// Everything that is open, long-lived or not, oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Exchange> {
        self.order.iter().filter_map(|id| self.open.get(id))
    }

    /// What is over, oldest first.
    pub(crate) fn past(&self) -> impl Iterator<Item = &Exchange> {
        self.past.iter()
    }
}
