//! The steps of a trace.

use serde::{Deserialize, Serialize};
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ActionStatus, ResolvedTarget, RuntimeErrorCode};
use uiap_model::action::verification::VerificationPolicy;
use uiap_model::capability::{ExecutionMode, SuccessSignal};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionHandle, ActionId, RevisionId, Timestamp};
use uiap_model::policy::PolicyEffect;

use crate::verify::Facts;

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a line of a trace")]
pub struct Line {
    /// The action that it belongs to.
    pub action_handle: ActionHandle,
    /// Its number.
    pub seq: u64,
    /// Milliseconds since the action was received, by a clock that never jumps.
    pub at_ms: f64,
    /// The time of day.
    pub ts: Option<Timestamp>,
    /// What happened.
    #[serde(flatten)]
    pub step: Step,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Step {
    /// It was asked for. Arguments are covered.
    Request {
        /// What.
        action_id: ActionId,
        /// With what.
        args: Option<JsonObject>,
        /// What for, where the requester said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        intent: Option<String>,
    },
    /// It is in another state.
    State {
        /// As the spec writes it.
        state: String,
    },
    /// A target was found.
    Resolved {
        /// Which.
        target: ResolvedTarget,
        /// How certain.
        confidence: f64,
        /// What else was considered.
        others: Vec<JsonObject>,
        /// What led to it.
        note: Option<String>,
        /// The page in which it was looked for.
        revision: RevisionId,
    },
    /// The policy was asked.
    Decision {
        /// What it says.
        effect: PolicyEffect,
        /// By which rules.
        rules: Vec<String>,
        /// Why.
        reasons: Vec<String>,
    },
    /// A person was asked, or answered.
    Confirmation {
        /// What happened.
        event: String,
    },
    /// Something was sent.
    Input {
        /// In which way.
        mode: ExecutionMode,
        /// What.
        command: String,
        /// What the page noticed of it.
        outcome: JsonObject,
        /// Why it did not work.
        error: Option<String>,
    },
    /// Something was seen.
    Signal {
        /// What kind.
        signal: String,
        /// How it belongs to the action: `caused` where the browser tells, else `window`.
        link: String,
        /// In short.
        text: String,
        /// The place in the app's scripts that asked for it, as `address:line`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// Changes of the page were seen.
    Changes {
        /// The page after them.
        revision: RevisionId,
        /// How many elements.
        elements: u64,
        /// How many of them change by themselves.
        ambient: u64,
    },
    /// What was expected, and whether it was seen: enough to come to the same verdict again.
    Expected {
        /// As it was asked for.
        policy: VerificationPolicy,
        /// How many must be seen: `none`, `any`, `all`, `least`.
        combine: String,
        /// What was seen.
        observed: Vec<SuccessSignal>,
        /// What was not.
        missing: Vec<SuccessSignal>,
        /// What spoke against it.
        against: Vec<String>,
        /// Whether a new revision was needed and not there.
        stuck: bool,
        /// What the verdict rests on.
        facts: Box<Facts>,
    },
    /// The verdict.
    Verdict {
        /// Whether it worked.
        passed: bool,
        /// How it failed.
        class: Option<String>,
        /// In words.
        reason: String,
        /// The page that was looked at last.
        revision: RevisionId,
    },
    /// Anything else that helps to understand.
    Note {
        /// In words.
        text: String,
    },
    /// It is over.
    Result {
        /// How it ended.
        status: ActionStatus,
        /// Why, if not well.
        code: Option<RuntimeErrorCode>,
        /// In words.
        message: Option<String>,
        /// Whether the app was changed.
        side_effect_state: SideEffectState,
    },
}

impl Step {
    pub(super) fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Verdict { .. } | Self::Result { .. } | Self::Expected { .. } | Self::State { .. }
        )
    }
}
