//! How an action ends when it does not succeed.

use serde::Serialize;
use serde_json::json;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ActionStatus, RuntimeErrorCode, RuntimeErrorDescriptor};
use uiap_model::json::JsonObject;

use crate::resolve::ResolveError;
use crate::surface::{DispatchError, DispatchErrorKind, SurfaceError};

/// The cause of a failure when the page, its window or the browser is gone.
pub const SURFACE_LOST: &str = "surface_lost";

/// Why an action ends before it succeeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The code of the protocol.
    pub code: RuntimeErrorCode,
    /// In words.
    pub message: String,
    /// More.
    pub detail: Option<JsonObject>,
    /// What is known of the effect.
    pub side_effect: SideEffectState,
    /// Set where the code alone does not tell.
    pub class: Option<FailureClass>,
}

/// The five ways to fail, as people and tools outside of this protocol sort them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The target was not found, not usable, or not certain enough.
    TargetResolution,
    /// The command was not taken.
    Dispatch,
    /// What was expected did not come in time.
    VerificationTimeout,
    /// Something else happened.
    UnexpectedStateDelta,
    /// Nothing happened at all.
    NoStateChange,
}

impl FailureClass {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::TargetResolution,
        Self::Dispatch,
        Self::VerificationTimeout,
        Self::UnexpectedStateDelta,
        Self::NoStateChange,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TargetResolution => "target_resolution",
            Self::Dispatch => "dispatch",
            Self::VerificationTimeout => "verification_timeout",
            Self::UnexpectedStateDelta => "unexpected_state_delta",
            Self::NoStateChange => "no_state_change",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }
}

impl Stop {
    /// Nothing was sent.
    pub fn before(code: RuntimeErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None, side_effect: SideEffectState::None, class: None }
    }

    /// Adds what is known.
    #[must_use]
    pub fn with(mut self, detail: &serde_json::Value) -> Self {
        self.detail = detail.as_object().cloned().map(JsonObject);
        self
    }

    /// Why, in a word that programs read, where the code alone does not tell.
    fn because(self, cause: Option<&str>) -> Self {
        match cause {
            Some(cause) => self.with(&json!({ "cause": cause })),
            None => self,
        }
    }

    /// How the action ends.
    pub fn status(&self) -> ActionStatus {
        match self.code {
            RuntimeErrorCode::Cancelled | RuntimeErrorCode::ConfirmationDenied => ActionStatus::Cancelled,
            _ => ActionStatus::Failed,
        }
    }

    /// Whether asking again may help. What may have had an effect is never called so.
    pub fn is_retryable(&self) -> bool {
        use RuntimeErrorCode as Code;
        self.side_effect == SideEffectState::None
            && matches!(
                self.code,
                Code::StaleTarget
                    | Code::TargetNotFound
                    | Code::TargetAmbiguous
                    | Code::TargetNotInteractable
                    | Code::Timeout
                    | Code::VerificationFailed
            )
    }

    /// The class of the failure; none for what was given up or forbidden.
    pub fn failure_class(&self) -> Option<FailureClass> {
        use RuntimeErrorCode as Code;
        self.class.or(match self.code {
            Code::TargetRequired
            | Code::TargetNotFound
            | Code::TargetAmbiguous
            | Code::StaleTarget
            | Code::TargetNotInteractable
            | Code::CrossOriginUnavailable
            | Code::ClosedShadowUnavailable => Some(FailureClass::TargetResolution),
            Code::ActionUnsupported
            | Code::ExecutionModeUnavailable
            | Code::UserActivationRequired
            | Code::InternalRuntimeError
            | Code::InvalidArgs
            | Code::UnsafeRetryRefused => Some(FailureClass::Dispatch),
            Code::VerificationFailed => Some(FailureClass::NoStateChange),
            Code::Timeout => Some(FailureClass::VerificationTimeout),
            Code::Cancelled | Code::ConfirmationDenied | Code::PolicyDenied => None,
        })
    }

    /// As the protocol tells it.
    pub fn descriptor(&self) -> RuntimeErrorDescriptor {
        let mut detail = self.detail.clone().unwrap_or_default();
        if let Some(class) = self.failure_class() {
            detail.0.insert("failureClass".to_owned(), json!(class));
        }
        if self.side_effect == SideEffectState::Unknown {
            let warning = "whether the app was changed is not known; look before anything is tried again";
            detail.0.insert("warning".to_owned(), json!(warning));
        }
        RuntimeErrorDescriptor {
            code: self.code,
            message: self.message.as_str().into(),
            retryable: Some(self.is_retryable()),
            detail: (!detail.0.is_empty()).then_some(detail),
        }
    }
}

impl From<ResolveError> for Stop {
    fn from(error: ResolveError) -> Self {
        Self { detail: error.detail, ..Self::before(error.code, error.message) }
    }
}

impl From<SurfaceError> for Stop {
    fn from(error: SurfaceError) -> Self {
        let code = match error {
            SurfaceError::Gone => RuntimeErrorCode::StaleTarget,
            _ => RuntimeErrorCode::InternalRuntimeError,
        };
        let cause = match error {
            SurfaceError::Closed(_) | SurfaceError::Crashed => Some(SURFACE_LOST),
            SurfaceError::Unresponsive(_) => Some("surface_unresponsive"),
            SurfaceError::Gone | SurfaceError::Fault(_) => None,
        };
        let stop = Self::before(code, error.to_string()).because(cause);
        Self { class: Some(FailureClass::Dispatch), ..stop }
    }
}

impl From<DispatchError> for Stop {
    fn from(error: DispatchError) -> Self {
        let code = match error.kind {
            DispatchErrorKind::Unreachable | DispatchErrorKind::Unsuitable => {
                RuntimeErrorCode::TargetNotInteractable
            }
            DispatchErrorKind::Gone => RuntimeErrorCode::StaleTarget,
            DispatchErrorKind::NeedsUser => RuntimeErrorCode::UserActivationRequired,
            DispatchErrorKind::Invalid => RuntimeErrorCode::InvalidArgs,
            DispatchErrorKind::Forbidden => RuntimeErrorCode::PolicyDenied,
            DispatchErrorKind::Absent => RuntimeErrorCode::TargetNotFound,
            DispatchErrorKind::AppFailed | DispatchErrorKind::Lost | DispatchErrorKind::Fault => {
                RuntimeErrorCode::InternalRuntimeError
            }
        };
        let side_effect = if error.without_effect { SideEffectState::None } else { SideEffectState::Unknown };
        let cause = match error.kind {
            DispatchErrorKind::Lost => Some(SURFACE_LOST),
            DispatchErrorKind::AppFailed => Some("app_failed"),
            _ => None,
        };
        let stop = Self { side_effect, ..Self::before(code, error.reason) }.because(cause);
        Self { class: Some(FailureClass::Dispatch), ..stop }
    }
}
