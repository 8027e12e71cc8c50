//! Sessions that nobody uses any more: found by the time of their last use, never while somebody is in them.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::tabs::Session;
use super::{Inner, Sessions};

/// A session and when it was used last. Empty once the session was closed.
#[derive(Debug)]
pub(super) struct Slot {
    session: Arc<tokio::sync::Mutex<Option<Session>>>,
    used: Arc<Mutex<Instant>>,
}

impl Slot {
    pub(super) fn new(session: Session) -> Self {
        Self {
            session: Arc::new(tokio::sync::Mutex::new(Some(session))),
            used: Arc::new(Mutex::new(Instant::now())),
        }
    }

    /// Enters when nobody else is in it; none when it was closed.
    pub(super) async fn enter(&self) -> Option<Visit> {
        let guard = Arc::clone(&self.session).lock_owned().await;
        guard.is_some().then(|| Visit { session: guard, used: Arc::clone(&self.used) })
    }

    /// Takes the session out, for good.
    pub(super) async fn leave(&self) -> Option<Session> {
        self.session.lock().await.take()
    }

    /// Takes the session out when it is due and nobody is in it; else tells when it will be.
    fn leave_if_idle(&self, idle: Duration) -> Result<Option<Session>, Instant> {
        let due = *self.used.lock().unwrap_or_else(PoisonError::into_inner) + idle;
        let now = Instant::now();
        if due > now {
            return Err(due);
        }
        match self.session.try_lock() {
            Ok(mut session) => Ok(session.take()),
            Err(_) => Err(now + idle),
        }
    }
}

/// Somebody in a session. The time of the last use is when they leave.
#[derive(Debug)]
pub(super) struct Visit {
    session: OwnedMutexGuard<Option<Session>>,
    used: Arc<Mutex<Instant>>,
}

impl Deref for Visit {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().unwrap_or_else(|| unreachable!("a visit begins only where there is a session"))
    }
}

impl DerefMut for Visit {
    fn deref_mut(&mut self) -> &mut Session {
        self.session.as_mut().unwrap_or_else(|| unreachable!("a visit begins only where there is a session"))
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Closes idle sessions of one client. Ends with them.
#[derive(Debug)]
pub(super) struct Reaper(JoinHandle<()>);

impl Drop for Reaper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Reaper {
    pub(super) fn start(sessions: Weak<Inner>) -> Self {
        Self(tokio::spawn(async move {
            let mut due = Instant::now();
            loop {
                tokio::time::sleep_until(due).await;
                let Some(inner) = sessions.upgrade() else { return };
                due = Sessions { inner }.reap().await;
            }
        }))
    }
}

impl Sessions {
    /// Closes what is idle; tells when the next one can be.
    async fn reap(&self) -> Instant {
        let idle = self.inner.pool.options().idle;
        let mut next = Instant::now() + idle;
        let mut over = Vec::new();
        self.slots().retain(|handle, slot| match slot.leave_if_idle(idle) {
            Ok(session) => {
                tracing::info!(session = %handle, "closed: nobody used it");
                over.extend(session);
                false
            }
            Err(due) => {
                next = next.min(due);
                true
            }
        });
        for session in over {
            session.end().await;
        }
        next
    }
}
