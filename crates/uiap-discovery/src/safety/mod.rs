//! What an action would do to the world, and whether a run may do it. Spec: discovery-mapper §13.
//!
//! Judging is pure and conservative: what is not known to be harmless is not done, what is declared outranks what is guessed, and
//! of several signs the gravest counts. Behind it stands a guard that holds back writes; it never has to.

pub mod address;
mod decide;
mod evidence;
pub mod lexicon;
mod probe;

use uiap_model::capability::ActionDescriptor;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};
use uiap_model::policy::SideEffectClass;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

pub use decide::Stance;
pub use evidence::{Area, Sign};
pub(crate) use evidence::{class_of_risk, gravity, is_grave, told};
pub use probe::may_probe;

/// What is about to be done.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The page.
    pub graph: &'a PageGraph,
    /// The area of the element.
    pub scope: Option<&'a ScopeNode>,
    /// What it would be done to; none for an action of the app.
    pub element: Option<&'a ElementNode>,
    /// What would be done: `ui.activate`, `nav.navigate`, … or the app's own action.
    pub action_id: &'a str,
    /// The actions that the app registered.
    pub actions: &'a [ActionDescriptor],
}

/// What is decided, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What it would do to the world.
    pub side_effect: SideEffectClass,
    /// Whether it is done.
    pub effect: DiscoveryActionEffect,
    /// The reason in the specification's words.
    pub reason: DiscoveryActionReason,
    /// The facts that led to it, in plain words.
    pub because: String,
}

/// Judges an action before it is done.
pub fn judge(subject: &Subject<'_>, stance: &Stance) -> Verdict {
    decide::decide(&evidence::weigh(subject, stance.origin()), subject.action_id, stance)
}

/// What an action would do to the world, whoever asks.
pub fn classify(subject: &Subject<'_>, origin: Option<&str>) -> Sign {
    evidence::weigh(subject, origin)
}
