//! A person takes over: one wait with one end.

use compact_str::CompactString;
use uiap_model::policy::document::{HandoffPolicy, OnHandoffTimeout};
use uiap_model::policy::message::{HandoffCompletedPayload, HandoffOutcome, HandoffRequestPayload};

/// What the action that waits does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffStep {
    /// Goes on waiting.
    Wait,
    /// Verifies: the person says that it is done, or a signal says so. Only evidence makes it a success.
    Verify,
    /// Ends as cancelled, without effect.
    Cancel,
    /// Nobody asked this: ignored and logged.
    Ignore,
}

/// A wait for a person. Times are in milliseconds of one monotonic clock.
#[derive(Clone, Debug)]
pub struct HandoffWait {
    handoff_id: CompactString,
    ends_at: Option<u64>,
    on_timeout: OnHandoffTimeout,
    over: bool,
}

impl HandoffWait {
    /// Starts to wait for what was asked; the request's own time comes before the policy's.
    pub fn open(request: &HandoffRequestPayload, policy: Option<&HandoffPolicy>, now: u64) -> Self {
        let timeout = request.timeout_ms.or_else(|| policy.and_then(|policy| policy.timeout_ms));
        Self {
            handoff_id: request.handoff_id.clone(),
            ends_at: timeout.map(|timeout| now.saturating_add(timeout.0)),
            on_timeout: policy.and_then(|policy| policy.on_timeout).unwrap_or(OnHandoffTimeout::Cancel),
            over: false,
        }
    }

    /// A person or its client says how it ended.
    pub fn completed(&mut self, message: &HandoffCompletedPayload) -> HandoffStep {
        if self.over || message.handoff_id != self.handoff_id {
            return HandoffStep::Ignore;
        }
        match message.outcome {
            HandoffOutcome::Done => self.end(HandoffStep::Verify),
            HandoffOutcome::Declined => self.end(HandoffStep::Cancel),
            HandoffOutcome::Timeout => self.timed_out(),
        }
    }

    /// One of the signals in `resumeOn` was seen.
    pub fn signalled(&mut self) -> HandoffStep {
        if self.over { HandoffStep::Ignore } else { self.end(HandoffStep::Verify) }
    }

    /// Time passed.
    pub fn tick(&mut self, now: u64) -> HandoffStep {
        match self.ends_at {
            _ if self.over => HandoffStep::Ignore,
            Some(end) if now >= end => self.timed_out(),
            _ => HandoffStep::Wait,
        }
    }

    fn timed_out(&mut self) -> HandoffStep {
        match self.on_timeout {
            OnHandoffTimeout::Cancel => self.end(HandoffStep::Cancel),
            OnHandoffTimeout::Wait => HandoffStep::Wait,
        }
    }

    fn end(&mut self, step: HandoffStep) -> HandoffStep {
        self.over = true;
        step
    }
}
