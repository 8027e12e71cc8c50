//! Everything that a verdict rests on, and how it follows. Written into the trace, so that anybody can draw it again.

use serde::{Deserialize, Serialize};
use uiap_model::capability::SuccessSignal;
use uiap_model::policy::decision::AnyOrAll;

use super::expectation::Combine;

/// A signal, and whether it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sighted {
    /// The signal.
    pub signal: SuccessSignal,
    /// Whether it was seen after the action.
    pub seen: bool,
    /// Whether it was not so before.
    pub new: bool,
}

/// Signals that a policy wants seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obliged {
    /// How many of them.
    pub how: AnyOrAll,
    /// The signals.
    pub signals: Vec<Sighted>,
}

/// What was known when the verdict was drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// How many of the signals must be seen.
    pub combine: Combine,
    /// The signals that were expected.
    pub signals: Vec<Sighted>,
    /// Whether one of them must be new.
    pub needs_news: bool,
    /// Whether the least was seen that makes sense for the action.
    pub least: bool,
    /// What a policy wants seen beside.
    pub obliged: Vec<Obliged>,
    /// Whether the page must have another revision.
    pub needs_revision: bool,
    /// Whether it has.
    pub advanced: bool,
    /// Kinds of what speaks against success.
    pub contradictions: Vec<String>,
    /// Whether any change at all would have counted, so that a refusal by the app counts for more.
    pub unspecific: bool,
    /// Whether it stayed so for as long as it must.
    pub held: bool,
}

impl Facts {
    /// Whether what was expected is there at this moment.
    pub fn is_satisfied(&self) -> bool {
        let news = !self.needs_news || self.signals.iter().any(|each| each.seen && each.new);
        let any = self.signals.iter().any(|each| each.seen);
        let all = self.signals.iter().all(|each| each.seen);
        let expected = match self.combine {
            Combine::None => true,
            Combine::Any => any && news,
            Combine::All => any && all && news,
            Combine::Least => self.least,
        };
        expected && self.obliged.iter().all(Obliged::is_met) && (self.advanced || !self.needs_revision)
    }

    /// Whether the app itself speaks against it.
    pub fn is_objected(&self) -> bool {
        self.unspecific && self.contradictions.iter().any(|kind| is_refusal(kind) || kind == "failedRequest")
    }

    /// Whether the page is not there to be judged.
    pub fn is_over(&self) -> bool {
        self.contradictions.iter().any(|kind| kind == "crash")
    }

    /// What follows.
    pub fn verdict(&self) -> bool {
        self.is_satisfied() && self.held && !self.is_objected() && !self.is_over()
    }
}

impl Obliged {
    fn is_met(&self) -> bool {
        match self.how {
            AnyOrAll::Any => self.signals.is_empty() || self.signals.iter().any(|each| each.seen),
            AnyOrAll::All => self.signals.iter().all(|each| each.seen),
        }
    }
}

/// Whether the app itself says that it did not work.
pub(super) fn is_refusal(kind: &str) -> bool {
    matches!(kind, "errorToast" | "validation" | "alert")
}
