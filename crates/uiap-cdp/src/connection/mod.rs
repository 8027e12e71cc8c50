//! One connection: calls go through one writer, everything that arrives goes through one reader that never waits.

mod attendant;
mod mend;
pub(crate) mod message;
mod reader;
mod registry;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::registry::Outcome;
pub(crate) use self::registry::Registry;
use self::writer::Outgoing;
use crate::attach::AutoAttach;
use crate::error::{CallError, CallErrorKind, DisconnectReason, Exit};
use crate::event::BrowserEvent;
use crate::protocol::browser::{BrowserContextId, GetVersion};
use crate::protocol::page::Navigate;
use crate::protocol::target::{AttachToTarget, CreateTarget, SessionId, SetAutoAttach, TargetId};
use crate::protocol::{Method, runtime};
use crate::session::{Session, SessionCore};
use crate::transport::{Sink, Source};

/// Calls that wait to be written; beyond it callers wait.
const OUTGOING: usize = 256;
/// How long a browser or page may take for the simplest answer before it counts as hanging.
const PROBE: Duration = Duration::from_secs(2);

const BLANK: &str = "about:blank";

#[derive(Clone)]
pub(crate) struct Connection {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Arc<Registry>,
    outgoing: mpsc::Sender<Outgoing>,
    chores: mpsc::UnboundedSender<Chore>,
    limit: Duration,
    auto_attach: AutoAttach,
    stop: CancellationToken,
    probing: AtomicBool,
}

/// What the reader and destructors, which cannot wait, leave to the attendant. As many as there are targets and contexts.
pub(crate) enum Chore {
    Prepare(Arc<SessionCore>),
    AttachPopup { target: TargetId },
    Dispose(BrowserContextId),
}

impl Connection {
    /// Starts the tasks of a connection. `exit` is set when the browser process is known to have ended.
    pub(crate) fn start(
        source: Source,
        sink: Sink,
        exit: Option<watch::Receiver<Option<Exit>>>,
        auto_attach: AutoAttach,
        limit: Duration,
    ) -> Self {
        let registry = Arc::new(Registry::new());
        let stop = CancellationToken::new();
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let (chores, todo) = mpsc::unbounded_channel();
        let follow_popups = !auto_attach.everything();
        let reader = reader::Reader::new(Arc::clone(&registry), chores.clone(), follow_popups, stop.clone());
        tokio::spawn(writer::run(sink, queue, Arc::clone(&registry), stop.clone()));
        tokio::spawn(reader.run(source, exit));
        let inner =
            Inner { registry, outgoing, chores, limit, auto_attach, stop, probing: AtomicBool::new(false) };
        let connection = Self { inner: Arc::new(inner) };
        tokio::spawn(attendant::run(connection.clone(), todo));
        connection
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub(crate) fn limit(&self) -> Duration {
        self.inner.limit
    }

    /// Ends the connection from this side. Everything in flight fails at once.
    pub(crate) fn shut_down(&self, reason: &DisconnectReason) {
        self.inner.registry.disconnect(reason);
        self.inner.stop.cancel();
    }

    /// Ends the connection when it is dropped, unless it is disarmed.
    pub(crate) fn end_guard(&self) -> DropGuard {
        self.inner.stop.clone().drop_guard()
    }

    /// Leaves something to the attendant; without one there is nothing left to do.
    pub(crate) fn leave(&self, chore: Chore) {
        drop(self.inner.chores.send(chore));
    }

    pub(crate) fn session(&self, core: Arc<SessionCore>) -> Session {
        Session::new(self.clone(), core)
    }

    pub(crate) async fn call<M: Method>(
        &self,
        session: Option<&SessionCore>,
        method: &M,
        limit: Option<Duration>,
    ) -> Result<M::Result, CallError> {
        self.call_named(session, M::NAME, method, limit).await
    }

    pub(crate) async fn call_named<R: DeserializeOwned>(
        &self,
        session: Option<&SessionCore>,
        method: &str,
        params: &(impl Serialize + ?Sized),
        limit: Option<Duration>,
    ) -> Result<R, CallError> {
        let start = std::time::Instant::now();
        let call = self.open(session, method, params)?;
        let answer = call.complete(limit.unwrap_or(self.inner.limit)).await?;
        tracing::trace!(method, took = ?start.elapsed(), "call");
        read(session, method, &answer)
    }

    /// Opens a call without sending it yet.
    pub(crate) fn open<'a>(
        &'a self,
        session: Option<&'a SessionCore>,
        method: &'a str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<OpenCall<'a>, CallError> {
        let failed = |kind| CallError::new(method, session.map(SessionCore::place), false, kind);
        if session.is_some_and(SessionCore::is_crashed) && needs_renderer(method) {
            return Err(failed(CallErrorKind::Crashed));
        }
        let (id, outcome) = self.registry().open(session).map_err(|severed| failed(severed.into()))?;
        let guard = Guard { registry: &self.inner.registry, id };
        let frame = message::encode(id, method, params, session.map(|core| &core.id))
            .map_err(|error| failed(CallErrorKind::Encode(error)))?;
        Ok(OpenCall { connection: self, session, method, frame: Some(frame), outcome, guard })
    }

    /// What makes the browser, or a session, attach to its targets by itself.
    pub(crate) fn children() -> SetAutoAttach {
        // Held back in any case: Chromium never finishes a popup that is attached to without, and its opener hangs.
        SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true, filter: None }
    }

    /// The same for the browser as a whole, when its pages are all ours.
    pub(crate) fn auto_attach(&self) -> Option<SetAutoAttach> {
        self.inner.auto_attach.everything().then(Self::children)
    }

    pub(crate) async fn open_page(
        &self,
        url: &str,
        context: Option<BrowserContextId>,
    ) -> Result<Session, CallError> {
        let everything = self.inner.auto_attach.everything();
        let first_url = if everything { url } else { BLANK };
        let create = CreateTarget { url: first_url, browser_context_id: context, ..Default::default() };
        let target = self.call(None, &create, None).await?.target_id;
        if everything {
            return self.await_session(&target, CreateTarget::NAME).await;
        }
        // Nobody holds this page back, so it goes to its address only when its session is prepared.
        let session = self.attach(target).await?;
        if url != BLANK {
            session.call(Navigate { url, ..Default::default() }).await?;
        }
        Ok(session)
    }

    pub(crate) async fn attach(&self, target_id: TargetId) -> Result<Session, CallError> {
        let attach = AttachToTarget { target_id, flatten: true };
        self.call(None, &attach, None).await?;
        self.await_session(&attach.target_id, AttachToTarget::NAME).await
    }

    /// Waits for a session of a target that was asked for.
    async fn await_session(&self, target: &TargetId, method: &str) -> Result<Session, CallError> {
        let waiting = self.registry().await_session(target);
        let kind = match timeout(self.inner.limit, waiting).await {
            Ok(Ok(core)) => return Ok(self.session(core)),
            Ok(Err(_)) => {
                self.registry().ended().map_or(CallErrorKind::Detached, CallErrorKind::Disconnected)
            }
            Err(_) => CallErrorKind::TimedOut(self.inner.limit),
        };
        Err(CallError::new(method, None, true, kind))
    }

    /// After a timeout: is it the call, the page or the browser? One question at a time is enough.
    fn suspect(&self, session: Option<&SessionCore>) {
        if self.inner.probing.swap(true, Ordering::AcqRel) {
            return;
        }
        let (connection, session) = (self.clone(), session.map(|core| core.id.clone()));
        tokio::spawn(async move {
            connection.probe(session).await;
            connection.inner.probing.store(false, Ordering::Release);
        });
    }

    async fn probe(&self, session: Option<SessionId>) {
        let core = session.as_ref().and_then(|id| self.registry().session(id));
        let page = async {
            let question = runtime::Evaluate { expression: "1", ..Default::default() };
            match &core {
                Some(core) => self.answers(Some(core), &question).await,
                None => true,
            }
        };
        let (browser, page) = tokio::join!(self.answers(None, &GetVersion {}), page);
        if !browser {
            self.registry().events.publish(None, &BrowserEvent::Unresponsive(None));
        } else if !page {
            self.registry().events.publish(None, &BrowserEvent::Unresponsive(session));
        }
    }

    async fn answers<M: Method>(&self, session: Option<&SessionCore>, question: &M) -> bool {
        let Ok(call) = self.open(session, M::NAME, question) else { return true };
        let silent = call.exchange(PROBE).await;
        !matches!(silent, Err(error) if matches!(error.kind(), CallErrorKind::TimedOut(_)))
    }
}

/// Whether only a renderer can answer. After a crash the browser would keep such a call until there is another one.
fn needs_renderer(method: &str) -> bool {
    const DOMAINS: [&str; 5] = ["Accessibility.", "DOM.", "DOMDebugger.", "Input.", "Runtime."];
    const METHODS: [&str; 4] =
        ["Page.captureScreenshot", "Page.createIsolatedWorld", "Page.getFrameTree", "Page.getLayoutMetrics"];
    DOMAINS.iter().any(|domain| method.starts_with(domain)) || METHODS.contains(&method)
}

/// Reads the answer of a call.
pub(crate) fn read<R: DeserializeOwned>(
    session: Option<&SessionCore>,
    method: &str,
    answer: &[u8],
) -> Result<R, CallError> {
    let failed = |kind| CallError::new(method, session.map(SessionCore::place), true, kind);
    match message::decode_reply(answer) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(refusal)) => {
            let data = refusal.data.map(|data| data.as_str().map_or_else(|| data.to_string(), str::to_owned));
            Err(failed(CallErrorKind::Refused { code: refusal.code, message: refusal.message, data }))
        }
        Err(error) => Err(failed(CallErrorKind::Decode(error))),
    }
}

/// A call between its opening and its answer. Dropping it cancels.
pub(crate) struct OpenCall<'a> {
    connection: &'a Connection,
    session: Option<&'a SessionCore>,
    method: &'a str,
    frame: Option<Vec<u8>>,
    outcome: oneshot::Receiver<Outcome>,
    guard: Guard<'a>,
}

struct Guard<'a> {
    registry: &'a Registry,
    id: u64,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.registry.abandon(self.id);
    }
}

impl OpenCall<'_> {
    /// Hands the call to the writer, waiting while its queue is full.
    pub(crate) async fn enqueue(&mut self) {
        if let Some(frame) = self.frame.take() {
            let outgoing = Outgoing { id: self.guard.id, frame };
            // Without a writer the connection has ended, and the outcome says how.
            drop(self.connection.inner.outgoing.send(outgoing).await);
        }
    }

    /// Sends and waits; a timeout sets off the search for its cause.
    async fn complete(self, limit: Duration) -> Result<Vec<u8>, CallError> {
        let (connection, session) = (self.connection, self.session);
        let answer = self.exchange(limit).await;
        if let Err(error) = &answer
            && matches!(error.kind(), CallErrorKind::TimedOut(_))
        {
            connection.suspect(session);
        }
        answer
    }

    /// Sends and waits.
    pub(crate) async fn exchange(mut self, limit: Duration) -> Result<Vec<u8>, CallError> {
        let exchanged = timeout(limit, async {
            self.enqueue().await;
            (&mut self.outcome).await
        });
        let (kind, sent) = match exchanged.await {
            Ok(Ok(Ok(answer))) => return Ok(answer),
            Ok(Ok(Err(cut))) => (cut.why.into(), cut.sent),
            Ok(Err(_)) => (CallErrorKind::Disconnected(self.ended()), true),
            Err(_) => (CallErrorKind::TimedOut(limit), self.guard.registry.is_sent(self.guard.id)),
        };
        Err(CallError::new(self.method, self.session.map(SessionCore::place), sent, kind))
    }

    fn ended(&self) -> DisconnectReason {
        self.guard.registry.ended().unwrap_or(DisconnectReason::Closed)
    }
}
