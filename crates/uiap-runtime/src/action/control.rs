//! The reins of a running action: its time, and whether somebody gave it up.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uiap_model::action::result::RuntimeErrorCode;

use super::ending::Stop;

/// Held by the action and by whoever may stop it. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    token: CancellationToken,
    reason: Arc<Mutex<Option<String>>>,
    deadline: Arc<Mutex<Instant>>,
    /// Whether the requester said how long it may take, waiting for people included.
    strict: bool,
}

impl Control {
    pub(crate) fn new(limit: Duration, strict: bool) -> Self {
        let deadline = Arc::new(Mutex::new(Instant::now() + limit));
        Self { token: CancellationToken::new(), reason: Arc::default(), deadline, strict }
    }

    /// The time that a person needs is not the action's own, unless the requester meant it to be.
    pub(crate) fn grant_time(&self, more: Duration) {
        if !self.strict {
            *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) += more;
        }
    }

    /// Asks the action to stop at the next safe point.
    pub(crate) fn cancel(&self, reason: Option<&str>) {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = reason.map(str::to_owned);
        self.token.cancel();
    }

    pub(crate) fn deadline(&self) -> Instant {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error as soon as the action shall not go on.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.token.is_cancelled() {
            return Err(self.cancelled());
        }
        if Instant::now() >= self.deadline() { Err(late()) } else { Ok(()) }
    }

    /// Waits for something that may be left at any time.
    pub(crate) async fn until<T>(&self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.token.cancelled() => Err(self.cancelled()),
            done = work => Ok(done),
            () = tokio::time::sleep_until(self.deadline()) => Err(late()),
        }
    }

    /// Waits for something that must not be left half-way, unless it hangs beyond the action's time.
    pub(crate) async fn through<T>(&self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::time::timeout_at(self.deadline(), work).await.map_err(|_| late())
    }

    fn cancelled(&self) -> Stop {
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let message = reason.unwrap_or_else(|| "the action was cancelled".to_owned());
        Stop::before(RuntimeErrorCode::Cancelled, message)
    }
}

fn late() -> Stop {
    Stop::before(RuntimeErrorCode::Timeout, "the action's time is over")
}
