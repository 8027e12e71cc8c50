//! How far an action came, and what a crash there means.

use uiap_model::action::SideEffectState;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::Idempotency;

/// How far an action came. What comes before the first input is one stage: nothing can have happened yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Asked for, resolved, checked or waiting for a person.
    Received,
    /// Input may have been sent.
    Dispatching,
    /// The surface took the input.
    Acknowledged,
    /// The signals of success were seen.
    Verified,
    /// It ended, and its result is stored.
    Done,
}

impl Stage {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Received, "received"),
        (Self::Dispatching, "dispatching"),
        (Self::Acknowledged, "acknowledged"),
        (Self::Verified, "verified"),
        (Self::Done, "done"),
    ];

    /// Its name in the file.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(stage, _)| *stage == self).map_or("done", |(_, name)| name)
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, each)| *each == name).map(|(stage, _)| *stage)
    }
}

/// How an action that a crash cut off ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashOutcome {
    /// Its status.
    pub status: ActionStatus,
    /// What is known of its effect.
    pub side_effect: SideEffectState,
    /// Whether asking again can do no harm.
    pub retryable: bool,
}

/// What follows when an action came so far and no further; `None` when it had ended.
pub fn outcome(stage: Stage, idempotency: Idempotency) -> Option<CrashOutcome> {
    let (status, side_effect, retryable) = match stage {
        Stage::Received => (ActionStatus::Failed, SideEffectState::None, true),
        Stage::Dispatching | Stage::Acknowledged => {
            (ActionStatus::Failed, SideEffectState::Unknown, idempotency == Idempotency::Idempotent)
        }
        Stage::Verified => (ActionStatus::Succeeded, SideEffectState::Applied, false),
        Stage::Done => return None,
    };
    Some(CrashOutcome { status, side_effect, retryable })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Idempotency; 3] =
        [Idempotency::Idempotent, Idempotency::Conditional, Idempotency::NonIdempotent];

    #[test]
    fn only_what_was_never_sent_counts_as_without_effect() {
        for kind in KINDS {
            for (stage, name) in Stage::ALL {
                assert_eq!(Stage::parse(name), Some(stage));
                let Some(outcome) = outcome(stage, kind) else {
                    assert_eq!(stage, Stage::Done);
                    continue;
                };
                let effect = outcome.side_effect;
                assert_eq!(effect == SideEffectState::None, stage < Stage::Dispatching, "{name}");
                assert_eq!(effect == SideEffectState::Applied, outcome.status == ActionStatus::Succeeded);
                let repeats = effect != SideEffectState::None && outcome.retryable;
                assert!(!repeats || kind == Idempotency::Idempotent, "{name} of {kind}");
            }
        }
    }
}
