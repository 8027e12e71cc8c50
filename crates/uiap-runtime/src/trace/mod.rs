//! What happened to an action, step by step, as it happened. Bounded; told as lines of JSON or as a story.

mod diagnosis;
mod lifecycle;
mod link;
mod otel;
mod replay;
mod step;
mod story;

pub use diagnosis::{
    Diagnosis, Diagnostic, DiagnosticClass, Origin, Record, Relevance, RelevanceError, diagnose,
};
pub use lifecycle::{ActionCategory, LifecycleSignal, LifecycleState, UnknownWord, lifecycle};
pub(crate) use link::link;
pub use otel::spans;
pub use replay::{ReplayError, replay};
pub use step::{Line, Step};
pub use story::story;

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;
use uiap_model::names::ActionHandle;

use crate::clock;

/// Steps that are kept of one action; more are counted.
const MOST: usize = 1_000;

/// Writes down what happens to one action.
#[derive(Debug)]
pub struct Recorder {
    handle: ActionHandle,
    start: Instant,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    kept: Vec<Line>,
    dropped: u64,
}

impl Recorder {
    /// Begins now.
    pub fn new(handle: ActionHandle) -> Self {
        Self { handle, start: Instant::now(), lines: Mutex::default() }
    }

    /// Milliseconds from the beginning to then; negative when it was before.
    pub(crate) fn millis_until(&self, then: Instant) -> f64 {
        let after = then.saturating_duration_since(self.start).as_secs_f64();
        let before = self.start.saturating_duration_since(then).as_secs_f64();
        (after - before) * 1_000.0
    }

    /// Writes a step down.
    pub fn note(&self, step: Step) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // The end of an action is kept whatever came before.
        if lines.kept.len() >= MOST && !step.is_end() {
            lines.dropped += 1;
            return;
        }
        let at_ms = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of one action")]
        let at_ms = at_ms as f64 / 1_000.0;
        let seq = lines.kept.len() as u64 + lines.dropped + 1;
        lines.kept.push(Line { action_handle: self.handle.clone(), seq, at_ms, ts: clock::now(), step });
    }

    /// What was written down so far.
    pub fn lines(&self) -> Vec<Line> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = lines.kept.clone();
        if lines.dropped > 0
            && let Some(last) = told.last().cloned()
        {
            let note = format!("{} steps are not shown", lines.dropped);
            told.insert(told.len() - 1, Line { step: Step::Note { text: note }, ..last });
        }
        told
    }
}
