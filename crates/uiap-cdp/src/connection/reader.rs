//! The one task that reads: it sorts messages, keeps the table of sessions true, and never waits for a subscriber.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::message::{self, Incoming};
use super::{Chore, Registry};
use crate::error::{DisconnectReason, Exit};
use crate::event::{BrowserEvent, DetachReason, Event, SessionEvent};
use crate::protocol::target::{
    AttachedToTarget, DetachedFromTarget, SessionId, TargetCrashed, TargetCreated, TargetDestroyed,
    TargetInfoChanged,
};
use crate::protocol::{ProtocolEvent, inspector};
use crate::session::SessionCore;
use crate::transport::{Frame, Source};

/// The end of the stream and the end of the process are two signs of one death. The stream ends first, and the process within
/// a millisecond, or on a busy machine as soon as its last thread got a turn: this long is waited, to be able to say how it ended.
const DYING: Duration = Duration::from_millis(250);
/// How long a stream is read on after the process ended, for its last words.
const LAST_WORDS: Duration = Duration::from_millis(50);

pub(super) struct Reader {
    registry: Arc<Registry>,
    chores: mpsc::UnboundedSender<Chore>,
    follow_popups: bool,
    stop: CancellationToken,
}

impl Reader {
    pub(super) fn new(
        registry: Arc<Registry>,
        chores: mpsc::UnboundedSender<Chore>,
        follow_popups: bool,
        stop: CancellationToken,
    ) -> Self {
        Self { registry, chores, follow_popups, stop }
    }

    pub(super) async fn run(self, mut source: Source, exit: Option<watch::Receiver<Option<Exit>>>) {
        let _end = End { registry: Arc::clone(&self.registry), stop: self.stop.clone() };
        let reason = tokio::select! {
            () = self.stop.cancelled() => return,
            reason = self.read(&mut source, exit) => reason,
        };
        tracing::debug!(%reason, "disconnected");
        self.registry.disconnect(&reason);
    }

    async fn read(
        &self,
        source: &mut Source,
        exit: Option<watch::Receiver<Option<Exit>>>,
    ) -> DisconnectReason {
        let mut process = exit.clone();
        tokio::select! {
            reason = self.pump(source) => match (reason, process.as_mut()) {
                (DisconnectReason::EndOfStream, Some(process)) => {
                    let exit = timeout(DYING, exited(process)).await;
                    exit.map_or(DisconnectReason::EndOfStream, DisconnectReason::Exited)
                }
                (reason, _) => reason,
            },
            exit = gone(exit) => DisconnectReason::Exited(exit),
        }
    }

    async fn pump(&self, source: &mut Source) -> DisconnectReason {
        loop {
            let message = match source.next().await {
                Ok(Frame::Message(message)) => message,
                Ok(Frame::TooLarge(head)) => {
                    self.lose(&head);
                    continue;
                }
                Ok(Frame::End) => return DisconnectReason::EndOfStream,
                Err(error) => return DisconnectReason::Io(error.to_string().into()),
            };
            match message::classify(message) {
                Ok(Incoming::Reply { id, message }) => self.registry.answer(id, message),
                Ok(Incoming::Event { session, method, message, params }) => {
                    self.route(&Event::new(session, method, message, params));
                }
                Ok(Incoming::Unattributed(message)) => {
                    tracing::warn!(message = %String::from_utf8_lossy(&message), "the browser could not read a call");
                }
                Err(malformed) => return DisconnectReason::Malformed(malformed.to_string().into()),
            }
        }
    }

    fn lose(&self, head: &[u8]) {
        match message::leading_id(head) {
            Some(id) => self.registry.refuse_overlong(id),
            None => self.registry.lose_event(),
        }
    }

    /// The table of sessions is updated before anybody hears of the event, except for an end, which comes last.
    fn route(&self, event: &Event) {
        match event.method() {
            AttachedToTarget::NAME => {
                self.publish(event);
                self.attached(event);
            }
            DetachedFromTarget::NAME => {
                self.publish(event);
                if let Some(DetachedFromTarget { session_id }) = event.read() {
                    self.registry.detach(&session_id, &DetachReason::Target);
                }
            }
            inspector::TargetCrashed::NAME => {
                if let Some(core) = event.session().and_then(|id| self.registry.session(id)) {
                    self.registry.crash(&core.target_id);
                }
                self.publish(event);
            }
            inspector::TargetReloadedAfterCrash::NAME => {
                if let Some(core) = event.session().and_then(|id| self.registry.session(id)) {
                    core.set_crashed(false);
                }
                self.publish(event);
            }
            _ => self.target_event(event).unwrap_or_else(|| self.publish(event)),
        }
    }

    /// Events of the browser about targets have a form of their own for subscribers.
    fn target_event(&self, event: &Event) -> Option<()> {
        if event.session().is_some() {
            return None;
        }
        let told = match event.method() {
            TargetCreated::NAME => {
                let TargetCreated { target_info } = event.read()?;
                if self.follow_popups
                    && target_info.opener_id.as_ref().is_some_and(|id| self.registry.is_attached(id))
                {
                    drop(self.chores.send(Chore::AttachPopup { target: target_info.target_id.clone() }));
                }
                BrowserEvent::TargetCreated(target_info)
            }
            TargetInfoChanged::NAME => {
                let TargetInfoChanged { target_info } = event.read()?;
                self.registry.update(&target_info);
                BrowserEvent::TargetChanged(target_info)
            }
            TargetDestroyed::NAME => {
                let TargetDestroyed { target_id } = event.read()?;
                self.registry.forget_target(&target_id);
                BrowserEvent::TargetDestroyed(target_id)
            }
            TargetCrashed::NAME => {
                let TargetCrashed { target_id, status, error_code } = event.read()?;
                self.registry.crash(&target_id);
                BrowserEvent::TargetCrashed { target_id, status, error_code }
            }
            _ => return None,
        };
        self.registry.events.publish(Some(event.method()), &told);
        Some(())
    }

    fn attached(&self, event: &Event) {
        let Some(AttachedToTarget { session_id, target_info, waiting_for_debugger }) = event.read() else {
            return;
        };
        let parent = event.session().cloned();
        let core = Arc::new(SessionCore::new(session_id, target_info, parent, waiting_for_debugger));
        self.registry.attach(&core);
        // The attendant ends with the connection, and sessions with it.
        drop(self.chores.send(Chore::Prepare(core)));
    }

    fn publish(&self, event: &Event) {
        match event.session() {
            None => self.registry.events.publish(Some(event.method()), &BrowserEvent::Event(event.clone())),
            Some(id) => self.publish_to(id, event),
        }
    }

    fn publish_to(&self, id: &SessionId, event: &Event) {
        if let Some(core) = self.registry.session(id) {
            core.events.publish(Some(event.method()), &SessionEvent::Event(event.clone()));
        } else {
            tracing::trace!(session = %id, method = event.method(), "event of an unknown session");
        }
    }
}

async fn exited(process: &mut watch::Receiver<Option<Exit>>) -> Exit {
    match process.wait_for(Option::is_some).await {
        Ok(exit) => exit.unwrap_or(Exit::Unknown),
        Err(_) => Exit::Unknown,
    }
}

/// The end of the process, a moment later, so that what it wrote last is read first.
async fn gone(process: Option<watch::Receiver<Option<Exit>>>) -> Exit {
    let Some(mut process) = process else { return std::future::pending().await };
    let exit = exited(&mut process).await;
    // tidy: the pipe may still hold what the process wrote last; this is how long it may take to read it
    tokio::time::sleep(LAST_WORDS).await;
    exit
}

/// However the reader ends, also with its runtime, nobody is left waiting.
struct End {
    registry: Arc<Registry>,
    stop: CancellationToken,
}

impl Drop for End {
    fn drop(&mut self) {
        self.registry.disconnect(&DisconnectReason::Abandoned);
        self.stop.cancel();
    }
}
