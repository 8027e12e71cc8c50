//! The life of an action: one state at a time, and only the steps that the spec allows can be written down. A step is a method of
//! the state that it leaves; it consumes that state.

use std::marker::PhantomData;
use std::sync::Arc;

use uiap_model::action::result::ActionStage;

/// The states of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionState {
    /// Taken in, nothing done yet.
    Received,
    /// Looking for the target.
    ResolvingTarget,
    /// Looking whether it can be done.
    CheckingPreconditions,
    /// A person is asked.
    AwaitingConfirmation,
    /// Doing it.
    Executing,
    /// Looking whether it worked.
    Verifying,
    /// A person does it.
    WaitingForUser,
    /// Trying to get past an obstacle.
    Recovering,
    /// It worked, and that was seen.
    Succeeded,
    /// It did not work, or nobody saw it work.
    Failed,
    /// Given up.
    Cancelled,
}

/// A word that names no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no state of an action, expected one of {expected}")]
pub struct UnknownState {
    found: String,
    expected: String,
}

impl ActionState {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Received,
        Self::ResolvingTarget,
        Self::CheckingPreconditions,
        Self::AwaitingConfirmation,
        Self::Executing,
        Self::Verifying,
        Self::WaitingForUser,
        Self::Recovering,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
    ];

    /// As the spec writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Received => "RECEIVED",
            Self::ResolvingTarget => "RESOLVING_TARGET",
            Self::CheckingPreconditions => "CHECKING_PRECONDITIONS",
            Self::AwaitingConfirmation => "AWAITING_CONFIRMATION",
            Self::Executing => "EXECUTING",
            Self::Verifying => "VERIFYING",
            Self::WaitingForUser => "WAITING_FOR_USER",
            Self::Recovering => "RECOVERING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Reads a state.
    pub fn parse(text: &str) -> Result<Self, UnknownState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| UnknownState {
            found: text.to_owned(),
            expected: Self::ALL.map(Self::as_str).join(", "),
        })
    }

    /// Whether nothing comes after it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }

    /// What is told of it while it lasts; states that begin or end an action are told by other messages.
    pub fn stage(self) -> Option<ActionStage> {
        Some(match self {
            Self::ResolvingTarget => ActionStage::ResolvingTarget,
            Self::CheckingPreconditions => ActionStage::CheckingPreconditions,
            Self::AwaitingConfirmation => ActionStage::AwaitingConfirmation,
            Self::Executing => ActionStage::Executing,
            Self::Verifying => ActionStage::Verifying,
            Self::WaitingForUser => ActionStage::WaitingForUser,
            Self::Recovering => ActionStage::Recovering,
            Self::Received | Self::Succeeded | Self::Failed | Self::Cancelled => return None,
        })
    }
}

/// Who is told of every step.
pub(crate) trait Chronicle: Send + Sync {
    /// The action is in another state now.
    fn entered(&self, state: ActionState);
}

/// An action in the state `S`.
pub(crate) struct Life<S> {
    chronicle: Arc<dyn Chronicle>,
    state: PhantomData<S>,
}

/// A state as a type.
pub(crate) trait State {
    const STATE: ActionState;
}

macro_rules! states {
    ($($name:ident),+) => {
        $(
            #[derive(Debug)]
            pub(crate) struct $name;
            impl State for $name {
                const STATE: ActionState = ActionState::$name;
            }
        )+
    };
}

states!(
    Received,
    ResolvingTarget,
    CheckingPreconditions,
    AwaitingConfirmation,
    Executing,
    Verifying,
    WaitingForUser,
    Recovering
);

/// Steps: from each state to those that may follow.
macro_rules! steps {
    ($($from:ident => $($step:ident -> $to:ident),+;)+) => {
        $(
            impl Life<$from> {
                $(
                    pub(crate) fn $step(self) -> Life<$to> {
                        self.enter()
                    }
                )+
            }
        )+
    };
}

steps! {
    Received => resolve -> ResolvingTarget;
    ResolvingTarget => check -> CheckingPreconditions;
    CheckingPreconditions => ask -> AwaitingConfirmation, execute -> Executing, recover -> Recovering, hand_over -> WaitingForUser;
    AwaitingConfirmation => execute -> Executing;
    Executing => verify -> Verifying, recover -> Recovering, hand_over -> WaitingForUser;
    WaitingForUser => verify -> Verifying;
    Recovering => resolve -> ResolvingTarget, check -> CheckingPreconditions;
}

impl Life<Received> {
    pub(crate) fn begin(chronicle: Arc<dyn Chronicle>) -> Self {
        chronicle.entered(ActionState::Received);
        Self { chronicle, state: PhantomData }
    }
}

impl<S> Life<S> {
    fn enter<T: State>(self) -> Life<T> {
        self.chronicle.entered(T::STATE);
        Life { chronicle: self.chronicle, state: PhantomData }
    }

    /// Ends without success; every state but the final ones may.
    pub(crate) fn fail(self) {
        self.chronicle.entered(ActionState::Failed);
    }

    /// Is given up; every state but the final ones may.
    pub(crate) fn cancel(self) {
        self.chronicle.entered(ActionState::Cancelled);
    }
}

impl Life<Verifying> {
    /// Success is only claimed after a look.
    pub(crate) fn succeed(self) {
        self.chronicle.entered(ActionState::Succeeded);
    }
}

/// Whether a step is one that the spec allows; for those who check a chronicle afterwards.
pub fn may_follow(from: ActionState, to: ActionState) -> bool {
    use ActionState as A;
    if from.is_final() {
        return false;
    }
    matches!(to, A::Failed | A::Cancelled)
        || matches!(
            (from, to),
            (A::Received, A::ResolvingTarget)
                | (A::ResolvingTarget, A::CheckingPreconditions)
                | (
                    A::CheckingPreconditions,
                    A::AwaitingConfirmation | A::Executing | A::Recovering | A::WaitingForUser
                )
                | (A::AwaitingConfirmation, A::Executing)
                | (A::Executing, A::Verifying | A::Recovering | A::WaitingForUser)
                | (A::Verifying, A::Succeeded)
                | (A::WaitingForUser, A::Verifying)
                | (A::Recovering, A::ResolvingTarget | A::CheckingPreconditions)
        )
}
