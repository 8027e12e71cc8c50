//! Who waits for what: calls in flight, sessions, and the one place where they are failed when their ground is gone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::error::{CallErrorKind, DisconnectReason};
use crate::event::{BrowserEvent, DetachReason, SessionEvent};
use crate::protocol::target::{SessionId, TargetId, TargetInfo};
use crate::session::SessionCore;
use crate::subscription::Subscribers;
use crate::transport::MESSAGE_LIMIT;

/// The answer as text, or why there will be none.
pub(crate) type Outcome = Result<Vec<u8>, Cut>;

/// A call that was cut off, and whether it had left before.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) why: Severed,
    pub(crate) sent: bool,
}

/// Why a call in flight will not be answered.
#[derive(Debug, Clone)]
pub(crate) enum Severed {
    Detached,
    Crashed,
    Disconnected(DisconnectReason),
    TooLarge,
}

impl From<Severed> for CallErrorKind {
    fn from(severed: Severed) -> Self {
        match severed {
            Severed::Detached => Self::Detached,
            Severed::Crashed => Self::Crashed,
            Severed::Disconnected(reason) => Self::Disconnected(reason),
            Severed::TooLarge => Self::TooLarge(MESSAGE_LIMIT),
        }
    }
}

struct InFlight {
    session: Option<SessionId>,
    sent: bool,
    reply: oneshot::Sender<Outcome>,
}

#[derive(Default)]
struct State {
    ended: Option<DisconnectReason>,
    calls: HashMap<u64, InFlight>,
    sessions: HashMap<SessionId, Arc<SessionCore>>,
    awaited: HashMap<TargetId, Vec<oneshot::Sender<Arc<SessionCore>>>>,
}

pub(crate) struct Registry {
    next_id: AtomicU64,
    state: Mutex<State>,
    pub(crate) events: Subscribers<BrowserEvent>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { next_id: AtomicU64::new(1), state: Mutex::default(), events: Subscribers::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a call, unless its ground is gone already.
    pub(crate) fn open(
        &self,
        session: Option<&SessionCore>,
    ) -> Result<(u64, oneshot::Receiver<Outcome>), Severed> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, outcome) = oneshot::channel();
        let mut state = self.lock();
        if let Some(reason) = &state.ended {
            return Err(Severed::Disconnected(reason.clone()));
        }
        if session.is_some_and(|session| !state.sessions.contains_key(&session.id)) {
            return Err(Severed::Detached);
        }
        state.calls.insert(id, InFlight { session: session.map(|core| core.id.clone()), sent: false, reply });
        Ok((id, outcome))
    }

    /// Called right before a frame is written. False: nobody waits for it any more, so it must not be written.
    pub(crate) fn mark_sent(&self, id: u64) -> bool {
        self.lock().calls.get_mut(&id).map(|call| call.sent = true).is_some()
    }

    /// Whether a call that is still open has left.
    pub(crate) fn is_sent(&self, id: u64) -> bool {
        self.lock().calls.get(&id).is_none_or(|call| call.sent)
    }

    /// Forgets a call whose caller went away.
    pub(crate) fn abandon(&self, id: u64) {
        self.lock().calls.remove(&id);
    }

    pub(crate) fn answer(&self, id: u64, message: Vec<u8>) {
        let call = self.lock().calls.remove(&id);
        // The caller may have gone, before or between two instructions: then nobody wants the answer.
        if call.is_none_or(|call| call.reply.send(Ok(message)).is_err()) {
            tracing::trace!(id, "answer to an abandoned call");
        }
    }

    pub(crate) fn refuse_overlong(&self, id: u64) {
        let call = self.lock().calls.remove(&id);
        fail(call, &Severed::TooLarge);
    }

    pub(crate) fn attach(&self, core: &Arc<SessionCore>) {
        self.lock().sessions.insert(core.id.clone(), Arc::clone(core));
    }

    /// From here on the session may be used by others, unless it has ended. Told under the lock, so that its end is told later.
    pub(crate) fn announce(&self, core: &Arc<SessionCore>, attached: &BrowserEvent) {
        let mut state = self.lock();
        if !state.sessions.contains_key(&core.id) {
            return;
        }
        core.set_ready();
        for waiter in state.awaited.remove(&core.target_id).unwrap_or_default() {
            // Who no longer waits needs no session.
            drop(waiter.send(Arc::clone(core)));
        }
        self.events.publish(None, attached);
    }

    /// The session of a target, now or as soon as it is ready.
    pub(crate) fn await_session(&self, target: &TargetId) -> oneshot::Receiver<Arc<SessionCore>> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let present =
            state.sessions.values().find(|core| core.target_id == *target && core.is_ready()).cloned();
        match present {
            // The receiver is in our hand.
            Some(core) => drop(sender.send(core)),
            None if state.ended.is_some() => {}
            None => state.awaited.entry(target.clone()).or_default().push(sender),
        }
        receiver
    }

    pub(crate) fn session(&self, id: &SessionId) -> Option<Arc<SessionCore>> {
        self.lock().sessions.get(id).cloned()
    }

    pub(crate) fn sessions(&self) -> Vec<Arc<SessionCore>> {
        self.lock().sessions.values().filter(|core| core.is_ready()).cloned().collect()
    }

    /// Whether a session looks at this target.
    pub(crate) fn is_attached(&self, target: &TargetId) -> bool {
        self.lock().sessions.values().any(|core| core.target_id == *target)
    }

    pub(crate) fn update(&self, info: &TargetInfo) {
        for core in self.sessions_of(&info.target_id) {
            core.update(info);
        }
    }

    fn sessions_of(&self, target: &TargetId) -> Vec<Arc<SessionCore>> {
        self.lock().sessions.values().filter(|core| core.target_id == *target).cloned().collect()
    }

    /// Ends a session and every session that was attached through it.
    pub(crate) fn detach(&self, id: &SessionId, reason: &DetachReason) {
        let (core, children, calls) = {
            let mut state = self.lock();
            let Some(core) = state.sessions.remove(id) else { return };
            if !core.is_ready() {
                state.awaited.remove(&core.target_id);
            }
            let children: Vec<_> = state
                .sessions
                .values()
                .filter(|child| child.parent.as_ref() == Some(id))
                .map(|child| child.id.clone())
                .collect();
            (core, children, state.take_calls(id))
        };
        fail(calls, &Severed::Detached);
        for child in children {
            self.detach(&child, &DetachReason::Parent);
        }
        core.end(reason.clone());
        let detached = BrowserEvent::Detached {
            session_id: core.id.clone(),
            target_id: core.target_id.clone(),
            reason: reason.clone(),
        };
        self.events.publish(None, &detached);
    }

    /// Fails what waits for a renderer that is gone. The sessions live on: the target can be navigated again.
    pub(crate) fn crash(&self, target: &TargetId) {
        for core in self.sessions_of(target) {
            if core.set_crashed(true) {
                let calls = self.lock().take_calls(&core.id);
                fail(calls, &Severed::Crashed);
                core.events.publish(None, &SessionEvent::Crashed);
            }
        }
    }

    /// Nobody will wait for a session of this target in vain.
    pub(crate) fn forget_target(&self, target: &TargetId) {
        self.lock().awaited.remove(target);
    }

    /// An event was lost and nobody knows whose it was.
    pub(crate) fn lose_event(&self) {
        for core in self.sessions() {
            core.events.drop_one();
        }
        self.events.drop_one();
    }

    /// Ends everything, once: the first reason stays.
    pub(crate) fn disconnect(&self, reason: &DisconnectReason) {
        let (calls, sessions) = {
            let mut state = self.lock();
            if state.ended.is_some() {
                return;
            }
            state.ended = Some(reason.clone());
            state.awaited.clear();
            (std::mem::take(&mut state.calls), std::mem::take(&mut state.sessions))
        };
        fail(calls.into_values(), &Severed::Disconnected(reason.clone()));
        for core in sessions.into_values() {
            core.end(DetachReason::Disconnected(reason.clone()));
        }
        self.events.close(&BrowserEvent::Disconnected(reason.clone()));
    }

    pub(crate) fn ended(&self) -> Option<DisconnectReason> {
        self.lock().ended.clone()
    }
}

impl State {
    fn take_calls(&mut self, session: &SessionId) -> Vec<InFlight> {
        self.calls
            .extract_if(|_, call| call.session.as_ref() == Some(session))
            .map(|(_, call)| call)
            .collect()
    }
}

fn fail(calls: impl IntoIterator<Item = InFlight>, why: &Severed) {
    for call in calls {
        // A caller that went away needs no error.
        drop(call.reply.send(Err(Cut { why: why.clone(), sent: call.sent })));
    }
}
