//! The life of an action as tools outside of this protocol see it: five states, five kinds of actions. It follows from the trace;
//! there is no second machine.

use serde::Serialize;
use uiap_model::capability::PrimitiveActionType as Action;
use uiap_model::names::{ActionHandle, ActionId, ElementInstanceId};

use super::step::{Line, Step};
use crate::action::life::ActionState;

/// A word that names no state or kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not known here, expected one of {expected}")]
pub struct UnknownWord {
    found: String,
    expected: String,
}

/// How far an action is, in five words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleState {
    /// Its target was found and can be used.
    Resolved,
    /// It was handed on to be carried out.
    Dispatched,
    /// Its effect is waited for.
    PendingVerification,
    /// Its effect was seen.
    Verified,
    /// It was not, or never got that far.
    Failed,
}

impl LifecycleState {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Resolved, Self::Dispatched, Self::PendingVerification, Self::Verified, Self::Failed];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Dispatched => "dispatched",
            Self::PendingVerification => "pending_verification",
            Self::Verified => "verified",
            Self::Failed => "failed",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == text);
        known.ok_or_else(|| unknown(text, &Self::ALL.map(Self::as_str)))
    }
}

/// What kind of action it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionCategory {
    /// Elsewhere, or something brought into view.
    Navigation,
    /// Text or files.
    Input,
    /// One of several, or on and off.
    Selection,
    /// A pointer or a finger.
    Gesture,
    /// A value to be set.
    ControlAdjustment,
}

impl ActionCategory {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Navigation, Self::Input, Self::Selection, Self::Gesture, Self::ControlAdjustment];

    /// The kind of a primitive; actions of an app are gestures to whoever looks from outside.
    pub fn of(action: &ActionId) -> Self {
        let Some(primitive) = Action::parse(action.as_str()) else { return Self::Gesture };
        match primitive {
            Action::NavNavigate
            | Action::UiScroll
            | Action::UiScrollIntoView
            | Action::UiOpen
            | Action::UiClose
            | Action::UiFocus
            | Action::UiRead
            | Action::UiHighlight => Self::Navigation,
            Action::UiEnterText | Action::UiClearText | Action::UiUpload => Self::Input,
            Action::UiChoose | Action::UiToggle | Action::UiExpand | Action::UiCollapse => Self::Selection,
            Action::UiActivate | Action::UiHover | Action::UiSubmit | Action::AppInvoke => Self::Gesture,
            Action::UiSetValue => Self::ControlAdjustment,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Navigation => "navigation",
            Self::Input => "input",
            Self::Selection => "selection",
            Self::Gesture => "gesture",
            Self::ControlAdjustment => "control_adjustment",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| unknown(text, &Self::ALL.map(Self::as_str)))
    }
}

fn unknown(found: &str, all: &[&str]) -> UnknownWord {
    UnknownWord { found: found.to_owned(), expected: all.join(", ") }
}

/// A step of that life.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LifecycleSignal {
    /// The action; no other has it.
    pub action_id: ActionHandle,
    /// What it is done to.
    pub target_id: Option<ElementInstanceId>,
    /// What kind of action it is.
    pub action_type: ActionCategory,
    /// What it is for, where the requester said so.
    pub intent: Option<String>,
    /// Where it came from.
    pub from: Option<LifecycleState>,
    /// Where it is now.
    pub to: LifecycleState,
    /// Milliseconds since it was received.
    pub at_ms: f64,
    /// Whether its effect was seen, at the end.
    pub verification_result: Option<bool>,
    /// Why it failed, if it did.
    pub failure_reason: Option<String>,
}

/// The life in five words. What was recovered from is not told: the last attempt counts.
pub fn lifecycle(lines: &[Line]) -> Vec<LifecycleSignal> {
    let mut told = Telling::default();
    for line in lines {
        match &line.step {
            Step::Request { action_id, intent, .. } => {
                told.kind = Some(ActionCategory::of(action_id));
                told.intent.clone_from(intent);
            }
            Step::Resolved { target, .. } => told.target = Some(target.instance_id.clone()),
            Step::State { state } => told.enter(line, state),
            Step::Input { error: None, .. } => told.reach(line, LifecycleState::Dispatched),
            Step::Verdict { passed, .. } => told.verdict = Some(*passed),
            Step::Result { code, message, .. } => {
                let words = code.map(|code| format!("{code}: {}", message.as_deref().unwrap_or_default()));
                if let Some(last) = told.signals.last_mut() {
                    last.failure_reason = words;
                }
            }
            _ => {}
        }
    }
    told.signals
}

#[derive(Default)]
struct Telling {
    kind: Option<ActionCategory>,
    intent: Option<String>,
    target: Option<ElementInstanceId>,
    verdict: Option<bool>,
    signals: Vec<LifecycleSignal>,
}

impl Telling {
    fn enter(&mut self, line: &Line, state: &str) {
        match ActionState::parse(state) {
            Ok(ActionState::Executing | ActionState::WaitingForUser) => {
                self.reach(line, LifecycleState::Resolved);
            }
            Ok(ActionState::Verifying) => {
                self.reach(line, LifecycleState::Dispatched);
                self.reach(line, LifecycleState::PendingVerification);
            }
            Ok(ActionState::Succeeded) => self.reach(line, LifecycleState::Verified),
            Ok(ActionState::Failed | ActionState::Cancelled) => self.reach(line, LifecycleState::Failed),
            _ => {}
        }
    }

    fn reach(&mut self, line: &Line, to: LifecycleState) {
        let from = self.signals.last().map(|last| last.to);
        if from.is_some_and(|from| from >= to) {
            return;
        }
        let is_end = matches!(to, LifecycleState::Verified | LifecycleState::Failed);
        self.signals.push(LifecycleSignal {
            action_id: line.action_handle.clone(),
            target_id: self.target.clone(),
            action_type: self.kind.unwrap_or(ActionCategory::Gesture),
            intent: self.intent.clone(),
            from,
            to,
            at_ms: line.at_ms,
            verification_result: is_end.then(|| self.verdict.unwrap_or(false)),
            failure_reason: None,
        });
    }
}
