//! The bookkeeping of requests: pure, bounded, told one event at a time.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use uiap_cdp::Event;
use uiap_cdp::protocol::ProtocolEvent;
use uiap_cdp::protocol::network::{
    DataReceived, LoaderId, LoadingFailed, LoadingFinished, RequestId, RequestWillBeSent, ResourceType,
    Response, ResponseReceived, WebSocketClosed,
};
use uiap_cdp::protocol::page::{
    FrameDetached, FrameId, FrameNavigated, FrameRequestedNavigation, LoadEventFired,
};
use uiap_cdp::protocol::runtime::BindingCalled;
use uiap_cdp::protocol::target::SessionId;
use uiap_model::names::ActionHandle;

use super::address::redact;
use super::cause::Causes;
use super::exchange::{Exchange, ExchangeId, Outcome, RequestCause};

/// Exchanges under way that are followed; beyond that the oldest are given up.
const MAX_OPEN: usize = 2_000;
/// Exchanges that are remembered after their end.
const MAX_PAST: usize = 500;

/// The events that the ledger understands.
pub(crate) const EVENTS: [&str; 11] = [
    RequestWillBeSent::NAME,
    ResponseReceived::NAME,
    DataReceived::NAME,
    LoadingFinished::NAME,
    LoadingFailed::NAME,
    WebSocketClosed::NAME,
    FrameNavigated::NAME,
    FrameDetached::NAME,
    BindingCalled::NAME,
    FrameRequestedNavigation::NAME,
    LoadEventFired::NAME,
];

/// Those that say who caused something, and nothing of the requests themselves. An observed page that never rests calls all the time.
pub(crate) const CAUSES: [&str; 3] =
    [BindingCalled::NAME, FrameRequestedNavigation::NAME, LoadEventFired::NAME];

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
    causes: Causes,
}

impl Ledger {
    /// Takes an event in; what it means comes back. `acting` is the action that is under way.
    pub(crate) fn take(
        &mut self,
        session: &SessionId,
        event: &Event,
        acting: Option<&ActionHandle>,
        now: Instant,
    ) -> Vec<NetworkEvent> {
        self.causes.take(session, event, acting);
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
            if main {
                let document = id(RequestId::from(navigated.frame.loader_id.as_str()));
                let cause = self.find(&document).and_then(|document| document.cause.clone());
                self.causes.arrived(session, &navigated.frame.loader_id, cause);
            }
            self.replaced(session, &navigated.frame.id, Some(&navigated.frame.loader_id), main, now)
        } else if let Some(gone) = event.read::<FrameDetached>() {
            self.replaced(session, &gone.frame_id, None, false, now)
        } else if let Some(asked) = event.read::<FrameRequestedNavigation>() {
            self.announced(session, &asked);
            Vec::new()
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

    /// A document that a handler asked for. Who loads it may have told of it first.
    fn announced(&mut self, session: &SessionId, asked: &FrameRequestedNavigation) {
        let url = redact(&asked.url);
        let cause = self.causes.announce(session, &asked.frame_id, &url);
        let is_meant = |each: &&mut Exchange| {
            each.kind == ResourceType::Document
                && each.id.session == *session
                && each.frame.as_ref() == Some(&asked.frame_id)
                && each.url == url
        };
        if let (Some(cause), Some(document)) = (cause, self.open.values_mut().find(is_meant)) {
            document.cause = Some(cause);
        }
    }

    fn find(&self, id: &ExchangeId) -> Option<&Exchange> {
        self.open.get(id).or_else(|| self.past.iter().rev().find(|each| each.id == *id))
    }

    /// Whose doing a request is. One that follows from another follows its cause; others are who runs now.
    fn cause(&self, id: &ExchangeId, sent: &RequestWillBeSent) -> Option<ActionHandle> {
        if sent.redirect_response.is_some() {
            return self.find(id)?.cause.clone();
        }
        if let Some(request) = &sent.initiator.request_id {
            let first = ExchangeId { session: id.session.clone(), request: request.clone() };
            return self.find(&first)?.cause.clone();
        }
        self.causes.of(&id.session, sent)
    }

    fn sent(&mut self, id: ExchangeId, sent: &RequestWillBeSent, now: Instant) -> Vec<NetworkEvent> {
        let cause = self.cause(&id, sent);
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
            cause,
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
        self.causes.forget(session);
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A ledger of one page in which an action is under way.
    struct Told {
        ledger: Ledger,
        acting: Option<ActionHandle>,
    }

    impl Told {
        fn new() -> Self {
            Self { ledger: Ledger::default(), acting: ActionHandle::parse("act_1") }
        }

        fn event(&mut self, method: &str, params: &Value) {
            let event = Event::made_up(method, &params.to_string());
            let now = Instant::now();
            self.ledger.take(&SessionId::from("s"), &event, self.acting.as_ref(), now);
        }

        /// The beginning or the end of the task of an input.
        fn mark(&mut self, payload: &str) {
            let call = json!({ "name": "uiapCall", "payload": payload, "executionContextId": 1 });
            self.event(BindingCalled::NAME, &call);
        }

        fn sends(&mut self, id: &str, loader: &str, kind: &str, more: &Value) {
            let mut sent = json!({
                "requestId": id, "loaderId": loader, "documentURL": "http://h/", "timestamp": 1.0, "wallTime": 1.0, "type": kind,
                "request": { "url": format!("http://h/{id}"), "method": "GET", "headers": {} }, "initiator": { "type": "script" },
                "frameId": "main", "hasUserGesture": true,
            });
            for (name, value) in more.as_object().unwrap() {
                sent[name] = value.clone();
            }
            self.event(RequestWillBeSent::NAME, &sent);
        }

        fn fetches(&mut self, id: &str) {
            self.sends(id, "old", "Fetch", &json!({}));
        }

        fn announces(&mut self, url: &str) {
            let asked = json!({ "frameId": "main", "reason": "anchorClick", "url": url, "disposition": "currentTab" });
            self.event(FrameRequestedNavigation::NAME, &asked);
        }

        fn arrives(&mut self, loader: &str) {
            let frame = json!({ "id": "main", "loaderId": loader, "url": "http://h/", "securityOrigin": "http://h", "mimeType": "text/html" });
            self.event(FrameNavigated::NAME, &json!({ "frame": frame }));
        }

        fn cause(&self, id: &str) -> Option<&str> {
            let id = ExchangeId { session: SessionId::from("s"), request: RequestId::from(id) };
            self.ledger.find(&id).unwrap().cause.as_ref().map(ActionHandle::as_str)
        }
    }

    #[test]
    fn what_is_sent_between_the_marks_of_an_input_is_its_doing_and_nothing_else() {
        let mut told = Told::new();
        told.fetches("before");
        told.mark("input+");
        told.fetches("within");
        told.mark("o1");
        told.fetches("still");
        told.mark("input-");
        told.fetches("after");
        told.acting = None;
        told.mark("input+");
        told.fetches("nobody");
        assert_eq!((told.cause("within"), told.cause("still")), (Some("act_1"), Some("act_1")));
        for id in ["before", "after", "nobody"] {
            assert_eq!(told.cause(id), None, "{id}: a gesture alone says nothing");
        }
    }

    #[test]
    fn what_follows_from_a_request_follows_its_cause() {
        let mut told = Told::new();
        told.fetches("poll");
        told.mark("input+");
        told.fetches("asked");
        // Told by another process, whenever it comes.
        let of = |id: &str| json!({ "initiator": { "type": "preflight", "requestId": id } });
        told.sends("check-poll", "old", "Other", &of("poll"));
        told.mark("input-");
        told.sends("check-asked", "old", "Other", &of("asked"));
        let answer = json!({ "url": "http://h/asked", "status": 302, "statusText": "", "headers": {}, "mimeType": "", "encodedDataLength": 0.0 });
        told.sends("asked", "old", "Fetch", &json!({ "redirectResponse": answer }));
        let causes = ["check-poll", "check-asked", "asked"].map(|id| told.cause(id));
        assert_eq!(causes, [None, Some("act_1"), Some("act_1")]);
        assert_eq!(told.ledger.past().next().unwrap().outcome, Outcome::Redirected);
    }

    #[test]
    fn a_document_is_the_doing_of_the_handler_that_asked_for_it_and_so_is_what_it_loads() {
        // The request may be told before or after it was asked for, and after the end of the input.
        for first in [true, false] {
            let mut told = Told::new();
            told.mark("input+");
            if first {
                told.sends("next", "next", "Document", &json!({}));
            }
            told.announces("http://h/next#part");
            told.mark("input-");
            if !first {
                told.sends("next", "next", "Document", &json!({}));
            }
            told.fetches("poll");
            told.event(LoadEventFired::NAME, &json!({ "timestamp": 1.0 }));
            told.arrives("next");
            told.sends("part", "next", "Fetch", &json!({}));
            told.event(LoadEventFired::NAME, &json!({ "timestamp": 1.0 }));
            told.sends("later", "next", "Fetch", &json!({}));
            let causes = ["next", "poll", "part", "later"].map(|id| told.cause(id));
            assert_eq!(causes, [Some("act_1"), None, Some("act_1"), None]);
        }
    }

    #[test]
    fn a_document_that_a_timer_asked_for_is_nobodys_doing() {
        let mut told = Told::new();
        told.mark("input+");
        told.announces("http://h/elsewhere");
        told.mark("input-");
        told.announces("http://h/next");
        told.sends("next", "next", "Document", &json!({}));
        told.arrives("next");
        told.sends("part", "next", "Fetch", &json!({}));
        assert_eq!(["next", "part"].map(|id| told.cause(id)), [None, None]);
    }

    #[test]
    fn an_input_whose_document_went_away_is_over() {
        let mut told = Told::new();
        told.mark("input+");
        told.arrives("next");
        told.sends("fetched", "next", "Fetch", &json!({}));
        assert_eq!(told.cause("fetched"), None);
        told.mark("input+");
        told.ledger.forget(&SessionId::from("s"));
        told.fetches("unknown");
        assert_eq!(told.cause("unknown"), None);
    }
}
