//! A session: takes messages as they come off the wire, whatever the wire is, and answers each request exactly once.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use compact_str::CompactString;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uiap_model::core::negotiation::{self, Agreement};
use uiap_model::core::registry::{self, Reading};
use uiap_model::core::{
    CoreErrorCode, Envelope, ErrorPayload, MessageKind, PeerInfo, PeerRef, SessionState,
    SessionTerminatedPayload, TerminateReason,
};
use uiap_model::names::{ActionHandle, MessageId, SessionId};
use uiap_policy::confirmation::Party;

use super::credential::Credential;
use super::diary::Diary;
use super::eye::Eye;
use super::house::House;
use super::ledger::{Entry, Ledger, Slot};
use super::letter::{Sealed, Writer, internal, now};
use super::outbox::Outbox;
use super::pace::Pace;
use super::standing::{Farewell, Holder, Patience, Sender, Standing};
use super::subscription;
use crate::secret::Token;

/// What becomes of a message.
#[derive(Debug)]
pub enum Outcome {
    /// It is answered.
    Reply(Reply),
    /// It was taken and is not answered.
    Silence,
    /// It makes no sense and is not answered, unless the binding answers everything.
    Dropped(Reply),
}

/// An answer. What follows from it begins when the answer is dropped, that is, when it is on its way.
#[derive(Debug)]
pub struct Reply {
    /// The message.
    pub sealed: Arc<Sealed>,
    pub(crate) _hold: Option<oneshot::Sender<()>>,
}

impl From<Sealed> for Reply {
    fn from(sealed: Sealed) -> Self {
        Self { sealed: Arc::new(sealed), _hold: None }
    }
}

/// A session.
pub struct Session {
    pub(crate) id: SessionId,
    pub(crate) owner: Credential,
    /// Who the peer says it is; nothing follows from it.
    pub(crate) peer: PeerInfo,
    /// When it began.
    pub(crate) since: String,
    /// What it asked for.
    pub(crate) diary: Mutex<Diary>,
    pub(crate) agreement: Agreement,
    pub(crate) resume_token: Token,
    pub(crate) house: Arc<House>,
    pub(crate) me: PeerRef,
    pub(crate) writer: Arc<Writer>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) eye: Arc<Eye>,
    pub(crate) subscriptions: Mutex<BTreeMap<CompactString, subscription::Handle>>,
    /// Requests of ours that wait for an answer.
    pub(crate) asked: Mutex<HashMap<String, ActionHandle>>,
    pub(crate) tasks: TaskTracker,
    pub(crate) cancel: CancellationToken,
    pub(crate) counter: AtomicU64,
    standing: Mutex<Standing>,
    /// Woken when time is to be reckoned anew.
    pub(crate) changed: Notify,
    ledger: Mutex<Ledger>,
    in_flight: AtomicUsize,
    pace: Mutex<Pace>,
}

/// What a session is made of.
pub(crate) struct Parts {
    pub(crate) id: SessionId,
    pub(crate) owner: Credential,
    pub(crate) peer: PeerInfo,
    pub(crate) agreement: Agreement,
    pub(crate) resume_token: Token,
    pub(crate) house: Arc<House>,
    pub(crate) me: PeerRef,
    pub(crate) eye: Arc<Eye>,
    pub(crate) tasks: TaskTracker,
    pub(crate) cancel: CancellationToken,
    pub(crate) holder: Holder,
    pub(crate) patience: Patience,
}

impl Session {
    pub(crate) fn new(parts: Parts) -> Arc<Self> {
        let writer = Writer::new(parts.agreement.version, Some(parts.id.clone()), parts.me.clone());
        Arc::new(Self {
            writer: Arc::new(writer),
            outbox: Arc::new(Outbox::new(parts.house.options.keep)),
            subscriptions: Mutex::default(),
            asked: Mutex::default(),
            counter: AtomicU64::new(1),
            standing: Mutex::new(Standing::new(parts.holder, parts.patience)),
            changed: Notify::new(),
            ledger: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            pace: Mutex::new(Pace::new(parts.house.options.rate)),
            id: parts.id,
            owner: parts.owner,
            peer: parts.peer,
            since: now(),
            diary: Mutex::default(),
            agreement: parts.agreement,
            resume_token: parts.resume_token,
            house: parts.house,
            me: parts.me,
            eye: parts.eye,
            tasks: parts.tasks,
            cancel: parts.cancel,
        })
    }

    /// Its name.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Where it stands.
    pub fn state(&self) -> SessionState {
        self.standing().state()
    }

    /// What both sides agreed on.
    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// What it tells by itself.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Whether it answers to that identity at all.
    pub fn belongs_to(&self, credential: &Credential) -> bool {
        self.owner == *credential
    }

    /// Whether it ended because the server does.
    pub fn is_house_closing(&self) -> bool {
        self.house.is_closing()
    }

    /// Whether it is spoken to message by message, and not over a connection.
    pub fn is_posted_to(&self) -> bool {
        matches!(self.standing().holder, Holder::Posts)
    }

    /// Takes a message.
    pub async fn receive(self: &Arc<Self>, bytes: &[u8], sender: &Sender<'_>) -> Outcome {
        let limits = self.agreement.limits;
        let envelope = match registry::read(bytes, limits) {
            Reading::Accepted(envelope) => envelope,
            Reading::Ignored(envelope) => return self.passed_over(&envelope, sender),
            Reading::Refused { error, correlation, answer } => {
                let reply = self.refuse(correlation.as_ref(), &error);
                return if answer { Outcome::Reply(reply) } else { Outcome::Dropped(reply) };
            }
        };
        if let Err(error) = self.admit(&envelope, sender) {
            let reply = self.refuse(Some(&envelope.id), &error);
            return match envelope.kind {
                MessageKind::Request => Outcome::Reply(reply),
                _ => Outcome::Dropped(reply),
            };
        }
        let beat = envelope.message_type == "session.heartbeat";
        self.standing().heard(!beat);
        self.changed.notify_one();
        match envelope.kind {
            MessageKind::Request => self.request(bytes, envelope).await,
            MessageKind::Response => self.response(&envelope),
            MessageKind::Event => self.event(&envelope),
            MessageKind::Error => {
                tracing::debug!(session = %self.id, "the peer answered with an error");
                Outcome::Silence
            }
        }
    }

    /// What nobody knows is a sign of life and nothing else.
    fn passed_over(&self, envelope: &Envelope, sender: &Sender<'_>) -> Outcome {
        if self.admit(envelope, sender).is_ok() {
            self.standing().heard(true);
            self.changed.notify_one();
        }
        Outcome::Silence
    }

    /// Whether a message may come in: the right session, from the right side, in the right version, for us.
    fn admit(&self, envelope: &Envelope, sender: &Sender<'_>) -> Result<(), ErrorPayload> {
        let error = |code, message: &str| Err(ErrorPayload::new(code, message));
        let other = envelope.session_id.as_ref().is_some_and(|id| *id != self.id);
        let standing = self.standing();
        if other || !standing.is_held_by(sender, &self.owner) {
            return error(CoreErrorCode::SessionNotFound, "there is no such session here");
        }
        if standing.state() != SessionState::Active {
            return error(CoreErrorCode::SessionNotActive, "the session is not active");
        }
        drop(standing);
        let initialize = envelope.message_type == "session.initialize";
        if envelope.uiap != self.agreement.version && !initialize {
            let message = format!("the session speaks version {}", self.agreement.version);
            let supported = vec![self.agreement.version.to_string()];
            return Err(
                ErrorPayload::new(CoreErrorCode::UnsupportedVersion, message).detail("supported", supported)
            );
        }
        if let Some(target) = &envelope.target
            && (target.role != self.me.role || target.id != self.me.id)
        {
            return error(CoreErrorCode::NotFound, "there is no such peer here");
        }
        self.selected(envelope)
    }

    /// Messages of an extension that was not selected are unknown.
    fn selected(&self, envelope: &Envelope) -> Result<(), ErrorPayload> {
        let name = negotiation::canonical_type(envelope.message_type.as_str());
        let mut segments = name.split('.');
        let (Some("uiap"), Some(extension)) = (segments.next(), segments.next()) else { return Ok(()) };
        let id = format!("uiap.{extension}");
        let known =
            self.agreement.extensions.iter().any(|each| negotiation::canonical(each.id.as_str()) == id);
        if known {
            return Ok(());
        }
        let message =
            format!("request `{}` belongs to an extension that was not selected", envelope.message_type);
        Err(ErrorPayload::new(CoreErrorCode::UnsupportedMessageType, message))
    }

    async fn request(self: &Arc<Self>, bytes: &[u8], envelope: Envelope) -> Outcome {
        let Some(digest) = digest(bytes) else {
            return Outcome::Reply(
                self.refuse(Some(&envelope.id), &internal("the message has no canonical form")),
            );
        };
        let entry = self.ledger().enter(&envelope.id, digest);
        let slot = match entry {
            Entry::New(slot) => slot,
            Entry::Known(pending) => {
                let sealed = pending.answer().await;
                let gave_up = || self.refuse(Some(&envelope.id), &internal("the first request was given up"));
                return Outcome::Reply(sealed.map_or_else(gave_up, |sealed| Reply { sealed, _hold: None }));
            }
            Entry::Clash => {
                let message = format!("the id `{}` was used for another message", envelope.id);
                let error = ErrorPayload::new(CoreErrorCode::DuplicateMessageId, message);
                return Outcome::Reply(self.refuse(Some(&envelope.id), &error));
            }
            Entry::Forgotten => {
                let message =
                    format!("the request `{}` was answered before; its answer is not kept", envelope.id);
                let error = ErrorPayload::new(CoreErrorCode::DuplicateMessageId, message);
                return Outcome::Reply(self.refuse(Some(&envelope.id), &error));
            }
        };
        if let Err(wait) = lock(&self.pace).step() {
            self.ledger().forget(&envelope.id);
            let error = ErrorPayload::new(CoreErrorCode::RateLimited, "too many requests").retry_after(wait);
            return Outcome::Reply(self.refuse(Some(&envelope.id), &error));
        }
        let Some(flight) = self.take_off() else {
            self.ledger().forget(&envelope.id);
            let message = format!("{} requests are open already", self.agreement.limits.max_in_flight);
            let error = ErrorPayload::new(CoreErrorCode::RateLimited, message).retry_after(1_000);
            return Outcome::Reply(self.refuse(Some(&envelope.id), &error));
        };
        self.carry_out(envelope, slot, flight).await
    }

    /// Works in a task of its own: whoever waits may go away, the work is done all the same.
    async fn carry_out(self: &Arc<Self>, envelope: Envelope, slot: Slot, flight: Flight) -> Outcome {
        let session = Arc::clone(self);
        let id = envelope.id.clone();
        let work = self.tasks.spawn(async move {
            let limit = Duration::from_millis(session.agreement.limits.request_timeout_ms);
            let inner = tokio::spawn({
                let session = Arc::clone(&session);
                let envelope = envelope.clone();
                async move { tokio::time::timeout(limit, session.handle(&envelope)).await }
            });
            let reply = match inner.await {
                Ok(Ok(reply)) => reply,
                Ok(Err(_)) => {
                    let message = format!("no answer within {} ms", limit.as_millis());
                    session.refuse(Some(&envelope.id), &ErrorPayload::new(CoreErrorCode::Timeout, message))
                }
                Err(error) => {
                    tracing::error!(%error, kind = %envelope.message_type, "a request could not be handled");
                    session.refuse(Some(&envelope.id), &internal("the request could not be handled"))
                }
            };
            let reply = session.fitting(&envelope.id, reply);
            slot.record(&reply.sealed);
            session.ledger().count(&envelope.id, reply.sealed.text.len());
            drop(flight);
            reply
        });
        match work.await {
            Ok(reply) => Outcome::Reply(reply),
            Err(_) => Outcome::Reply(self.refuse(Some(&id), &internal("the request could not be handled"))),
        }
    }

    /// An answer that is larger than a message may be is not sent.
    fn fitting(&self, to: &MessageId, reply: Reply) -> Reply {
        let (bytes, most) = (reply.sealed.text.len() as u64, self.agreement.limits.max_message_bytes);
        if bytes <= most {
            return reply;
        }
        let message = format!("the answer has {bytes} bytes, at most {most} are allowed");
        self.refuse(Some(to), &ErrorPayload::new(CoreErrorCode::PayloadTooLarge, message))
    }

    /// Remembers the answer to `session.initialize`, for a peer that asks twice.
    pub(crate) fn remember(&self, bytes: &[u8], id: &MessageId, sealed: &Arc<Sealed>) {
        if let Some(digest) = digest(bytes)
            && let Entry::New(slot) = self.ledger().enter(id, digest)
        {
            slot.record(sealed);
        }
    }

    pub(crate) fn refuse(&self, to: Option<&MessageId>, error: &ErrorPayload) -> Reply {
        self.writer.error(to, error).into()
    }

    fn take_off(self: &Arc<Self>) -> Option<Flight> {
        let most = usize::try_from(self.agreement.limits.max_in_flight).unwrap_or(usize::MAX);
        let rise = |open: usize| (open < most).then_some(open + 1);
        self.in_flight.fetch_update(Ordering::AcqRel, Ordering::Acquire, rise).ok()?;
        Some(Flight(Arc::clone(self)))
    }

    /// The connection is lost. A session that another connection holds by now is not touched.
    pub fn lost(&self, link: u64) {
        let mut standing = self.standing();
        if matches!(standing.holder, Holder::Link { number, .. } if number == link) {
            standing.turn(SessionState::Suspended);
        }
        drop(standing);
        self.changed.notify_one();
        self.house.ring();
    }

    pub(crate) fn suspend(&self) {
        let mut standing = self.standing();
        if standing.turn(SessionState::Suspended) {
            standing.dismiss(Farewell::HeartbeatLost);
        }
        drop(standing);
        self.house.ring();
    }

    /// Somebody resumed it: nothing that was told before can be relied on.
    pub(crate) fn resume(&self, holder: Holder, patience: Patience) {
        self.standing().taken_by(holder, patience);
        self.changed.notify_one();
        self.house.ring();
        self.resync();
    }

    /// Every subscription begins anew with a snapshot.
    pub fn resync(&self) {
        for handle in lock(&self.subscriptions).values() {
            handle.resync.notify_one();
        }
    }

    /// The owner ends it.
    pub fn terminate(&self, reason: TerminateReason, note: Option<&str>) {
        let payload = SessionTerminatedPayload { reason, note: note.map(CompactString::from) };
        if self.state() != SessionState::Closed {
            self.outbox.push(self.writer.event("session.terminated", &payload).text);
        }
        self.close();
    }

    /// Nothing leaves it any more but what was told already.
    pub(crate) fn close(&self) {
        self.standing().turn(SessionState::Closed);
        self.cancel.cancel();
        self.outbox.end();
        self.changed.notify_one();
    }

    pub(crate) fn party(&self) -> Party {
        self.owner.party(&self.id, &self.house.options.grants)
    }

    pub(crate) fn standing(&self) -> MutexGuard<'_, Standing> {
        lock(&self.standing)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }
}

/// An open request; dropping it makes room for another.
struct Flight(Arc<Session>);

impl Drop for Flight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The content of a message, whatever the order of its members.
fn digest(bytes: &[u8]) -> Option<uiap_model::names::Digest> {
    let value = uiap_model::parse::parse_value(bytes).ok()?;
    uiap_model::digest::digest(&value).ok()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.id).field("state", &self.state()).finish_non_exhaustive()
    }
}
