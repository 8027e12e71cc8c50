//! A trace says enough to come to the same verdict again: by the same rules, from the facts that were written down.

use super::step::{Line, Step};

/// Why a trace does not hold together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The verdict is not the one that follows from what was seen.
    #[error("line {line}: the verdict is `{told}`, from what was seen follows `{found}`")]
    OtherVerdict {
        /// Which line.
        line: u64,
        /// What it tells.
        told: bool,
        /// What follows.
        found: bool,
    },
    /// There is nothing that the verdict could rest on.
    #[error("line {line}: a verdict without anything that was seen")]
    Unfounded {
        /// Which line.
        line: u64,
    },
    /// Steps are not in order.
    #[error("line {line}: it comes before the line ahead of it")]
    Disorder {
        /// Which line.
        line: u64,
    },
    /// The action goes on after its end.
    #[error("line {line}: the action was over")]
    AfterTheEnd {
        /// Which line.
        line: u64,
    },
}

/// Draws the verdict again; `None` when the action never came that far.
pub fn replay(lines: &[Line]) -> Result<Option<bool>, ReplayError> {
    let mut seen = None;
    let mut verdict = None;
    let mut last = (0, 0.0);
    let mut over = false;
    for line in lines {
        // An answer that came too late and what was noticed afterwards change nothing.
        if over && !matches!(line.step, Step::Confirmation { .. } | Step::Note { .. }) {
            return Err(ReplayError::AfterTheEnd { line: line.seq });
        }
        if line.seq < last.0 || line.at_ms < last.1 {
            return Err(ReplayError::Disorder { line: line.seq });
        }
        last = (line.seq, line.at_ms);
        match &line.step {
            Step::Expected { facts, .. } => seen = Some(facts.verdict()),
            Step::Verdict { passed, .. } => {
                let Some(found) = seen else { return Err(ReplayError::Unfounded { line: line.seq }) };
                if found != *passed {
                    return Err(ReplayError::OtherVerdict { line: line.seq, told: *passed, found });
                }
                verdict = Some(*passed);
            }
            Step::Result { .. } => over = true,
            _ => {}
        }
    }
    Ok(verdict)
}
