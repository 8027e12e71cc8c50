//! A session: the line to one page, frame or worker.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::error::{CallError, Place};
use crate::event::{DetachReason, SessionEvent, SessionEvents};
use crate::protocol::target::{CloseTarget, DetachFromTarget, SessionId, TargetId, TargetInfo, TargetKind};
use crate::protocol::{Method, runtime};
use crate::subscription::{Capacity, Subscribers};

/// What is known about a session, whoever holds it.
pub(crate) struct SessionCore {
    pub(crate) id: SessionId,
    pub(crate) target_id: TargetId,
    pub(crate) kind: TargetKind,
    pub(crate) parent: Option<SessionId>,
    pub(crate) waiting: bool,
    pub(crate) events: Subscribers<SessionEvent>,
    info: Mutex<TargetInfo>,
    ready: AtomicBool,
    crashed: AtomicBool,
    ended: AtomicBool,
}

impl SessionCore {
    pub(crate) fn new(id: SessionId, info: TargetInfo, parent: Option<SessionId>, waiting: bool) -> Self {
        Self {
            id,
            target_id: info.target_id.clone(),
            kind: info.kind.clone(),
            parent,
            waiting,
            events: Subscribers::new(),
            info: Mutex::new(info),
            ready: AtomicBool::new(false),
            crashed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    fn info(&self) -> MutexGuard<'_, TargetInfo> {
        self.info.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn update(&self, info: &TargetInfo) {
        *self.info() = info.clone();
    }

    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Release);
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Whether this changed something.
    pub(crate) fn set_crashed(&self, crashed: bool) -> bool {
        self.crashed.swap(crashed, Ordering::AcqRel) != crashed
    }

    pub(crate) fn is_crashed(&self) -> bool {
        self.crashed.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self, reason: DetachReason) {
        self.ended.store(true, Ordering::Release);
        self.events.close(&SessionEvent::Detached(reason));
    }

    pub(crate) fn place(&self) -> Place {
        Place { session: self.id.clone(), url: self.info().url.clone() }
    }
}

/// A line to one page, frame or worker. Cheap to clone; dropping it closes nothing.
#[derive(Clone)]
pub struct Session {
    connection: Connection,
    core: Arc<SessionCore>,
}

impl Session {
    pub(crate) fn new(connection: Connection, core: Arc<SessionCore>) -> Self {
        Self { connection, core }
    }

    /// The session.
    pub fn id(&self) -> &SessionId {
        &self.core.id
    }

    /// What it looks at.
    pub fn target_id(&self) -> &TargetId {
        &self.core.target_id
    }

    /// The kind of what it looks at.
    pub fn kind(&self) -> &TargetKind {
        &self.core.kind
    }

    /// The session through which it was attached; none for one of the browser's own.
    pub fn parent(&self) -> Option<&SessionId> {
        self.core.parent.as_ref()
    }

    /// What the browser last said about the target.
    pub fn info(&self) -> TargetInfo {
        self.core.info().clone()
    }

    /// Whether the target was held back until [`resume`](Self::resume) when the session began.
    pub fn began_paused(&self) -> bool {
        self.core.waiting
    }

    /// Whether the session is still there.
    pub fn is_attached(&self) -> bool {
        !self.core.ended.load(Ordering::Acquire)
    }

    /// Whether the renderer crashed and has not come back.
    pub fn is_crashed(&self) -> bool {
        self.core.is_crashed()
    }

    /// Calls a method and waits for its answer, at most as long as the connection's limit.
    /// Dropping the future cancels: what has not left yet never will.
    pub async fn call<M: Method>(&self, method: M) -> Result<M::Result, CallError> {
        self.connection.call(Some(&self.core), &method, None).await
    }

    /// Calls a method with a limit of its own.
    pub async fn call_within<M: Method>(&self, method: M, limit: Duration) -> Result<M::Result, CallError> {
        self.connection.call(Some(&self.core), &method, Some(limit)).await
    }

    /// Calls a method that has no type here.
    pub async fn call_raw(&self, method: &str, params: &impl Serialize) -> Result<Box<RawValue>, CallError> {
        self.connection.call_named(Some(&self.core), method, params, None).await
    }

    /// All events from now on.
    pub fn events(&self) -> SessionEvents {
        self.core.events.subscribe(Capacity::default(), None)
    }

    /// The named events from now on, such as `&[page::FrameNavigated::NAME]`.
    pub fn events_of(&self, methods: &[&'static str]) -> SessionEvents {
        self.core.events.subscribe(Capacity::default(), Some(methods))
    }

    /// All events from now on, with a queue of another size.
    pub fn events_within(&self, capacity: Capacity) -> SessionEvents {
        self.core.events.subscribe(capacity, None)
    }

    /// Lets a target run that was held back at its start.
    pub async fn resume(&self) -> Result<(), CallError> {
        self.call(runtime::RunIfWaitingForDebugger {}).await.map(drop)
    }

    /// Closes the target itself.
    pub async fn close(&self) -> Result<(), CallError> {
        let close = CloseTarget { target_id: self.core.target_id.clone() };
        self.connection.call(None, &close, None).await.map(drop)
    }

    /// Ends the session and leaves the target alone.
    pub async fn detach(&self) -> Result<(), CallError> {
        let parent = self.core.parent.as_ref().and_then(|id| self.connection.registry().session(id));
        let detach = DetachFromTarget { session_id: self.core.id.clone() };
        self.connection.call(parent.as_deref(), &detach, None).await.map(drop)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({} {} {})", self.core.id, self.core.kind.as_str(), self.core.info().url)
    }
}
