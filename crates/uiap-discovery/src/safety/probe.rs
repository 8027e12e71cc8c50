//! Whether something that looks dangerous may be tried where nothing can come of it: many a "Delete" only opens a question.
//!
//! The press is none of what it is called: the place is sealed, so that nothing leaves it, and thrown away afterwards. It is
//! tried only where people are used to be asked first, never inside of the question itself.

use uiap_model::capability::UIRole;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};
use uiap_model::policy::SideEffectClass;

use super::evidence::control::{in_form, submits};
use super::evidence::told;
use super::{Stance, Subject, Verdict};
use crate::record::fact;

/// Whether a press that was refused may be tried in a sealed place, and why.
pub fn may_probe(subject: &Subject<'_>, verdict: &Verdict, stance: &Stance) -> Option<String> {
    let element = subject.element?;
    if !stance.probes() || subject.action_id != "ui.activate" || !is_asked_about(verdict) {
        return None;
    }
    let is_button = matches!(element.role, UIRole::Button | UIRole::Menuitem);
    // A button that says nothing of its type is none of a form here; what is drawn as one has no type.
    let is_plain = told(element, fact::TYPE).is_none_or(|kind| kind == "button");
    let leads = told(element, fact::HREF).is_some() || told(element, fact::DOWNLOAD).is_some();
    // Inside of a question the same word is the answer.
    if !is_button || !is_plain || leads || submits(subject, element) || in_form(subject) {
        return None;
    }
    let because = &verdict.because;
    Some(format!("{because}; pressed where nothing leaves the page, to see whether it asks first"))
}

/// What takes away or costs is asked about first; what ends the session, reaches people or touches secrets is left alone.
fn is_asked_about(verdict: &Verdict) -> bool {
    let refused = verdict.effect == DiscoveryActionEffect::Deny
        && matches!(verdict.reason, DiscoveryActionReason::Destructive | DiscoveryActionReason::Payment);
    let class = matches!(
        verdict.side_effect,
        SideEffectClass::Destructive | SideEffectClass::Irreversible | SideEffectClass::BillingChange
    );
    refused && class
}
