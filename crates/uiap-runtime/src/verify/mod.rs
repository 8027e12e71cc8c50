//! Whether an action worked: only what was seen after it was carried out counts. Spec: action-runtime, 12.

mod attempt;
mod check;
mod entity;
mod evidence;
mod expectation;
mod facts;
mod property;

pub(crate) use attempt::{Attempt, find, is_level, still_holds, verify};
pub use check::Check;
pub(crate) use check::custom as custom_signal;
pub(crate) use evidence::is_ambient;
pub use evidence::{Evidence, Surprise, is_meaningful};
pub use expectation::{Combine, Expectation};
pub use facts::{Facts, Obliged, Sighted};

use uiap_model::action::verification::VerificationOutcome;
use uiap_model::capability::SuccessSignal;
use uiap_model::json::Positive;
use uiap_model::names::RevisionId;

use crate::action::FailureClass;

/// What a look at the page after an action gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it worked.
    pub passed: bool,
    /// What speaks for it.
    pub observed: Vec<SuccessSignal>,
    /// What was expected and not seen.
    pub missing: Vec<SuccessSignal>,
    /// What speaks against it.
    pub surprises: Vec<Surprise>,
    /// How it failed, if it did.
    pub class: Option<FailureClass>,
    /// Why, in words.
    pub reason: String,
    /// The page that was looked at last.
    pub revision: RevisionId,
    /// What it rests on.
    pub facts: Facts,
    /// Whether the app certainly did nothing: it refused the input and told so.
    pub refused: bool,
    /// Requests that the action caused and that nobody had answered when it was judged.
    pub pending: Vec<String>,
}

impl Verdict {
    /// As the protocol tells it.
    pub fn outcome(&self, expectation: &Expectation) -> VerificationOutcome {
        VerificationOutcome {
            passed: self.passed,
            policy: expectation.policy,
            observed: self.observed.clone(),
            missing: (!self.missing.is_empty()).then(|| self.missing.clone()),
            timeout_ms: Some(Positive(expectation.timeout_ms())),
        }
    }
}
