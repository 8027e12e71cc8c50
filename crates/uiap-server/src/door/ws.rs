//! `ws@0.1`: one text frame is one envelope; one connection is one session.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::{FuturesUnordered, SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{mpsc, watch};
use uiap_model::core::{CoreErrorCode, ErrorPayload};

use super::gatekeeper::Proof;
use super::{Hall, SUBPROTOCOL, posts};
use crate::protocol::outbox::{From, Next};
use crate::protocol::{Arrival, Credential, Farewell, Holder, Outcome, Reply, Sender, Session, Visitor};

/// How long a peer may take to begin.
const HELLO: Duration = Duration::from_secs(10);
/// How long one frame may take to be written.
const WRITING: Duration = Duration::from_secs(30);
/// Malformed messages in a row before the peer is let go.
const MOST_FAULTS: usize = 16;
/// Answers that wait to be written.
const REPLIES: usize = 64;

const UNSUPPORTED: (u16, &str) = (1003, "text frames only");
const TOO_LARGE: (u16, &str) = (1009, "the message is too large");
const DONE: (u16, &str) = (1000, "the session has ended");
const GOING: (u16, &str) = (1001, "the server is shutting down");
const PROTOCOL: (u16, &str) = (4400, "too many malformed messages");
const NOT_INITIALISED: (u16, &str) = (4401, "session.initialize comes first");
const UNAUTHENTICATED: (u16, &str) = (4403, "a valid token is needed");
const SILENT: (u16, &str) = (4408, "no heartbeat");
const SUPERSEDED: (u16, &str) = (4409, "another connection holds the session");

type Ending = (u16, &'static str);

pub(super) async fn upgrade(
    State(hall): State<Hall>,
    Extension(Proof(credential)): Extension<Proof>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let message = "this path takes WebSocket connections";
        return posts::fail(&hall, &ErrorPayload::new(CoreErrorCode::InvalidEnvelope, message));
    };
    let most = usize::try_from(hall.house.limits().max_message_bytes).unwrap_or(usize::MAX);
    let upgrade = upgrade.protocols([SUBPROTOCOL]).max_message_size(most).max_frame_size(most);
    if upgrade.selected_protocol().is_none() {
        let message = format!("the subprotocol `{SUBPROTOCOL}` must be offered");
        return posts::fail(&hall, &ErrorPayload::new(CoreErrorCode::InvalidEnvelope, message));
    }
    if hall.house.is_closing() {
        let error =
            ErrorPayload::new(CoreErrorCode::Unavailable, "the server is shutting down").retry_after(5_000);
        return posts::fail(&hall, &error);
    }
    let token = hall.tasks.token();
    upgrade.on_upgrade(async move |socket| {
        Connection { hall, credential }.serve(socket).await;
        drop(token);
    })
}

struct Connection {
    hall: Hall,
    credential: Option<Credential>,
}

impl Connection {
    async fn serve(self, socket: WebSocket) {
        let (mut sink, mut stream) = socket.split();
        let link = self.hall.house.link();
        let farewell = watch::Sender::new(None);
        let holder = Holder::Link { number: link, farewell: farewell.clone() };
        let begun = tokio::select! {
            () = self.hall.cancel.cancelled() => Err(Some(GOING)),
            begun = self.begin(&mut sink, &mut stream, holder) => begun,
        };
        let session = match begun {
            Ok(session) => session,
            Err(ending) => return close(&mut sink, ending).await,
        };
        let (replies, waiting) = mpsc::channel(REPLIES);
        let writer = tokio::spawn(write(sink, waiting, Arc::clone(&session), farewell.subscribe()));
        let ending = read(&mut stream, &session, link, &replies, &writer).await;
        drop(replies.send(Outgoing::Close(ending)).await);
        drop(replies);
        session.lost(link);
        if let Err(error) = writer.await {
            tracing::error!(%error, "a connection's writer failed");
        }
    }

    /// Waits for the first message and opens the session.
    async fn begin(
        &self,
        sink: &mut SplitSink<WebSocket, Message>,
        stream: &mut SplitStream<WebSocket>,
        holder: Holder,
    ) -> Result<Arc<Session>, Option<Ending>> {
        for _ in 0..MOST_FAULTS {
            let message =
                tokio::time::timeout(HELLO, stream.next()).await.map_err(|_| Some(NOT_INITIALISED))?;
            let Some(text) = incoming(message)? else { continue };
            let visitor = Visitor { credential: self.credential.clone(), holder: holder.clone() };
            let (reply, session) = match self.hall.house.welcome(text.as_bytes(), visitor) {
                Arrival::Opened(session, reply) => (reply, Some(session)),
                Arrival::Refused(reply) => (reply, None),
                Arrival::Early(_) => return Err(Some(NOT_INITIALISED)),
            };
            let refused = reply.sealed.fault.as_ref().is_some_and(|fault| fault.code == "unauthenticated");
            send(sink, &reply.sealed.text).await.map_err(|()| None)?;
            match session {
                Some(session) => return Ok(session),
                None if refused => return Err(Some(UNAUTHENTICATED)),
                None => {}
            }
        }
        Err(Some(PROTOCOL))
    }
}

/// The text of a frame; none for frames that mean nothing here. An error ends the connection, with a word or without.
fn incoming(
    message: Option<Result<Message, axum::Error>>,
) -> Result<Option<axum::extract::ws::Utf8Bytes>, Option<Ending>> {
    match message {
        Some(Ok(Message::Text(text))) => Ok(Some(text)),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Binary(_))) => Err(Some(UNSUPPORTED)),
        Some(Ok(Message::Close(_))) | None => Err(None),
        Some(Err(error)) => {
            let large = error.to_string().contains("too long") || error.to_string().contains("too large");
            tracing::debug!(%error, "a connection could not be read");
            Err(large.then_some(TOO_LARGE))
        }
    }
}

/// What the writer is handed.
enum Outgoing {
    Reply(Reply),
    Close(Option<Ending>),
}

/// Reads until the connection ends; says how it is to be closed. Requests are worked on side by side.
async fn read(
    stream: &mut SplitStream<WebSocket>,
    session: &Arc<Session>,
    link: u64,
    replies: &mpsc::Sender<Outgoing>,
    writer: &tokio::task::JoinHandle<()>,
) -> Option<Ending> {
    let mut open = FuturesUnordered::new();
    let most = usize::try_from(session.agreement().limits.max_message_bytes).unwrap_or(usize::MAX);
    let mut faults = 0;
    loop {
        tokio::select! {
            Some(outcome) = open.next() => {
                let Outcome::Reply(reply) = outcome else { continue };
                let malformed = reply.sealed.fault.as_ref().is_some_and(|fault| is_malformed(fault.code.as_str()));
                faults = if malformed { faults + 1 } else { 0 };
                if replies.send(Outgoing::Reply(reply)).await.is_err() {
                    return None;
                }
                if faults > MOST_FAULTS {
                    return Some(PROTOCOL);
                }
            }
            () = replies.closed() => return None,
            message = stream.next(), if !writer.is_finished() => match incoming(message) {
                Ok(Some(text)) if text.len() > most => return Some(TOO_LARGE),
                Ok(Some(text)) => {
                    let session = Arc::clone(session);
                    open.push(async move { session.receive(text.as_bytes(), &Sender::Link(link)).await });
                }
                Ok(None) => {}
                Err(ending) => return ending,
            },
        }
    }
}

fn is_malformed(code: &str) -> bool {
    matches!(code, "invalid_json" | "invalid_envelope")
}

/// Writes answers first, then what the session tells by itself, until one of them ends.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut replies: mpsc::Receiver<Outgoing>,
    session: Arc<Session>,
    mut farewell: watch::Receiver<Option<Farewell>>,
) {
    let mut reader = session.outbox().reader(From::Waiting);
    let ending = loop {
        let sent = tokio::select! {
            biased;
            outgoing = replies.recv() => match outgoing {
                Some(Outgoing::Reply(reply)) => send(&mut sink, &reply.sealed.text).await,
                Some(Outgoing::Close(ending)) => break ending,
                None => break None,
            },
            why = dismissed(&mut farewell) => {
                break Some(if why == Farewell::Superseded { SUPERSEDED } else { SILENT });
            }
            next = reader.next() => match next {
                Next::Message(number, text) => {
                    let sent = send(&mut sink, &text).await;
                    if sent.is_err() {
                        reader.give_back(number);
                    }
                    sent
                }
                Next::Gap => {
                    session.resync();
                    Ok(())
                }
                Next::Superseded => break Some(SUPERSEDED),
                Next::End => break Some(if session.is_house_closing() { GOING } else { DONE }),
            },
        };
        if sent.is_err() {
            break None;
        }
    };
    drop(reader);
    close(&mut sink, ending).await;
}

/// Waits until the connection is let go.
async fn dismissed(farewell: &mut watch::Receiver<Option<Farewell>>) -> Farewell {
    let why = farewell.wait_for(Option::is_some).await.ok().and_then(|why| *why);
    match why {
        Some(why) => why,
        None => std::future::pending().await,
    }
}

async fn send(sink: &mut SplitSink<WebSocket, Message>, text: &str) -> Result<(), ()> {
    let sending = sink.send(Message::text(text));
    tokio::time::timeout(WRITING, sending).await.map_err(drop)?.map_err(drop)
}

async fn close(sink: &mut SplitSink<WebSocket, Message>, ending: Option<Ending>) {
    let frame = ending.map(|(code, reason)| CloseFrame { code, reason: reason.into() });
    // A peer that is gone needs no word.
    drop(tokio::time::timeout(WRITING, sink.send(Message::Close(frame))).await);
}
