//! A person is asked, and answers; the asker never does.

use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;
use uiap_model::names::ActionHandle;
use uiap_policy::confirmation::{Grant, GrantRefusal, Party, PendingConfirmation};

/// Why an answer does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// There is no such action.
    #[error("there is no action `{0}` in this session")]
    Unknown(ActionHandle),
    /// It does not wait for an answer.
    #[error("action `{0}` waits for no confirmation")]
    NotWaiting(ActionHandle),
    /// The answer is not one that counts.
    #[error(transparent)]
    Refused(#[from] GrantRefusal),
}

/// What was answered.
#[derive(Debug)]
pub(super) enum Answer {
    Yes(Grant),
    No(Option<String>),
}

/// The question of one action, while it is open.
#[derive(Debug, Default)]
pub(super) struct Question(Mutex<Option<Open>>);

#[derive(Debug)]
struct Open {
    pending: PendingConfirmation,
    reply: oneshot::Sender<Answer>,
}

impl Question {
    pub(super) fn open(&self, pending: PendingConfirmation) -> oneshot::Receiver<Answer> {
        let (reply, answer) = oneshot::channel();
        *self.lock() = Some(Open { pending, reply });
        answer
    }

    pub(super) fn close(&self) {
        *self.lock() = None;
    }

    /// Milliseconds in which it can still be answered; none when nothing is asked.
    pub(super) fn left(&self, now: u64) -> Option<u64> {
        self.lock().as_ref().map(|open| open.pending.left(now))
    }

    pub(super) fn grant(
        &self,
        handle: &ActionHandle,
        by: &Party,
        authorised: bool,
        now: u64,
    ) -> Result<(), AnswerError> {
        let mut open = self.lock();
        let question = open.as_mut().ok_or_else(|| AnswerError::NotWaiting(handle.clone()))?;
        let grant = question.pending.grant(by, authorised, now)?;
        if let Some(question) = open.take() {
            // An action that ended meanwhile needs no answer.
            drop(question.reply.send(Answer::Yes(grant)));
        }
        Ok(())
    }

    pub(super) fn deny(
        &self,
        handle: &ActionHandle,
        by: &Party,
        authorised: bool,
        reason: Option<&str>,
        now: u64,
    ) -> Result<(), AnswerError> {
        let mut open = self.lock();
        let question = open.as_mut().ok_or_else(|| AnswerError::NotWaiting(handle.clone()))?;
        question.pending.deny(by, authorised, now)?;
        if let Some(question) = open.take() {
            drop(question.reply.send(Answer::No(reason.map(str::to_owned))));
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
