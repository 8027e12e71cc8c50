//! The requests of a page: what is under way, what was answered, and a way to wait until nothing is.

mod address;
mod cause;
mod exchange;
mod ledger;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Instant;

use futures_util::Stream as _;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use uiap_cdp::protocol::network::Enable;
use uiap_cdp::protocol::target::SessionId;
use uiap_cdp::{CallError, Session, SessionEvent, SessionEvents};

pub(crate) use self::address::redact;
pub use self::exchange::{Exchange, ExchangeId, Outcome, RequestCause};
pub use self::ledger::NetworkEvent;
use self::ledger::{CAUSES, EVENTS, Ledger};
use crate::acting::Acting;

/// Events that wait for one slow listener before it loses the oldest.
const LISTENER_QUEUE: usize = 1_024;
/// Bodies are not asked for, so the browser need not keep them.
const BODY_BUFFER: i64 = 0;

/// Follows the requests of a page and of further sessions. Dropping the last clone ends it.
#[derive(Debug, Clone)]
pub struct NetworkWatch {
    shared: Arc<Shared>,
    tasks: Arc<Tasks>,
}

#[derive(Debug)]
struct Shared {
    book: Mutex<Book>,
    /// Counts changes, so that a waiter that looks between two of them misses none.
    changes: watch::Sender<u64>,
    events: broadcast::Sender<NetworkEvent>,
    acting: Acting,
}

/// The ledger with its sources. Whoever reads first takes in what is waiting: what the browser said before it answered a call
/// is known when the answer is.
#[derive(Debug, Default)]
struct Book {
    ledger: Ledger,
    sources: Vec<(SessionId, SessionEvents)>,
}

#[derive(Debug, Default)]
struct Tasks(Mutex<Vec<JoinHandle<()>>>);

impl Drop for Tasks {
    fn drop(&mut self) {
        for task in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the ledger as it stands now.
    fn read<T>(&self, read: impl FnOnce(&Ledger) -> T) -> T {
        let mut book = self.book();
        let Book { ledger, sources } = &mut *book;
        for (session, events) in sources {
            while let Some(event) = events.try_next() {
                self.take(ledger, session, &event);
            }
        }
        read(ledger)
    }

    fn take(&self, ledger: &mut Ledger, session: &SessionId, event: &SessionEvent) {
        match event {
            SessionEvent::Event(event) => {
                for told in ledger.take(session, event, self.acting.get().as_ref(), Instant::now()) {
                    // Without a listener there is nobody to tell.
                    drop(self.events.send(told));
                }
                if CAUSES.contains(&event.method()) {
                    return;
                }
            }
            // The ends of what was open may be among what was lost.
            SessionEvent::Lagged(_) | SessionEvent::Crashed | SessionEvent::Detached(_) => {
                ledger.forget(session);
            }
            _ => return,
        }
        self.changes.send_modify(|count| *count += 1);
    }

    /// Takes events in as they come, until the session ends.
    async fn pump(self: Arc<Self>, session: SessionId) {
        poll_fn(|context| {
            let mut book = self.book();
            let Book { ledger, sources } = &mut *book;
            let Some((_, events)) = sources.iter_mut().find(|(each, _)| *each == session) else {
                return Poll::Ready(());
            };
            loop {
                match Pin::new(&mut *events).poll_next(context) {
                    Poll::Ready(Some(event)) => self.take(ledger, &session, &event),
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
        self.book().sources.retain(|(each, _)| *each != session);
    }
}

impl NetworkWatch {
    /// Follows the requests of a page from now on.
    pub async fn start(session: &Session) -> Result<Self, CallError> {
        let shared = Shared {
            book: Mutex::default(),
            changes: watch::Sender::new(0),
            events: broadcast::Sender::new(LISTENER_QUEUE),
            acting: Acting::default(),
        };
        let watch = Self { shared: Arc::new(shared), tasks: Arc::default() };
        watch.follow(session).await?;
        Ok(watch)
    }

    /// Follows a further session too, such as a frame in a process of its own.
    pub async fn follow(&self, session: &Session) -> Result<(), CallError> {
        let events = session.events_of(&EVENTS);
        let enable = Enable {
            max_total_buffer_size: Some(BODY_BUFFER),
            max_resource_buffer_size: Some(BODY_BUFFER),
            max_post_data_size: Some(BODY_BUFFER),
        };
        session.call(enable).await?;
        self.shared.book().sources.push((session.id().clone(), events));
        let task = tokio::spawn(Arc::clone(&self.shared).pump(session.id().clone()));
        self.tasks.0.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        Ok(())
    }

    /// What holds the page up now, oldest first. Sockets, event streams, media and requests that are open for long do not.
    pub fn in_flight(&self) -> Vec<Exchange> {
        self.shared.read(|ledger| ledger.in_flight(Instant::now()).cloned().collect())
    }

    /// Everything that is open, long-lived or not.
    pub fn open(&self) -> Vec<Exchange> {
        self.shared.read(|ledger| ledger.open().cloned().collect())
    }

    /// What was over last, oldest first; only so many are remembered.
    pub fn past(&self) -> Vec<Exchange> {
        self.shared.read(|ledger| ledger.past().cloned().collect())
    }

    /// What happens from now on. A listener that is too slow is told how much it missed.
    pub fn events(&self) -> broadcast::Receiver<NetworkEvent> {
        self.shared.events.subscribe()
    }

    /// The action that is under way, for whoever begins one.
    pub(crate) fn acting(&self) -> &Acting {
        &self.shared.acting
    }

    /// Counts the changes of what is open.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Waits until nothing holds the page up. It may never be; bound it.
    pub async fn idle(&self) {
        let mut changes = self.changes();
        loop {
            changes.mark_unchanged();
            let now = Instant::now();
            let Some(given_up) = self.shared.read(|ledger| ledger.next_given_up(now)) else { return };
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = tokio::time::sleep_until(given_up.into()) => {}
            }
        }
    }
}
