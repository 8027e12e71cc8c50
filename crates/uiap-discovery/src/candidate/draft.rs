//! Test data: what is written into the fields of a form before it is sent, where a tenant is there to be written to.

use uiap_model::capability::{Checked, UIRole};
use uiap_model::names::ScopeId;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

use super::{Candidate, has, told};
use crate::ground::{Deed, Draft};
use crate::record::fact;

/// What a field of a form is filled in with: something that says what it is, and that the browser takes for its kind.
fn sample(element: &ElementNode) -> &'static str {
    let by_role = || match element.role {
        UIRole::Spinbutton => "1",
        UIRole::Datepicker => "2030-01-02",
        UIRole::Timepicker => "12:00",
        _ => "Test",
    };
    match told(element, fact::TYPE) {
        Some("email") => "test@example.com",
        Some("url") => "https://example.com/",
        Some("tel") => "5550100",
        Some("number") => "1",
        Some("date") => "2030-01-02",
        Some("time") => "12:00",
        _ => by_role(),
    }
}

/// The form around something.
pub(crate) fn form<'a>(graph: &'a PageGraph, scope: Option<&'a ScopeNode>) -> Option<&'a ScopeId> {
    let outer = |inner: &&'a ScopeNode| graph.scope(inner.parent_scope_id.as_ref()?);
    // No scope is so deep, and none may be around itself.
    let around = std::iter::successors(scope, outer).take(32);
    around.into_iter().find(|scope| scope.kind == ScopeKind::Form).map(|scope| &scope.id)
}

/// Whether a candidate sends the form around it.
pub(crate) fn sends(candidate: &Candidate<'_>) -> bool {
    candidate.element.is_some_and(|element| has(element, fact::SUBMITS))
}

/// What a candidate would write into a form that lacks it; what is filled in or need not be is left as the app made it.
pub(crate) fn of(candidate: &Candidate<'_>) -> Option<Draft> {
    let element = candidate.element?;
    let state = &*element.state;
    let is_required = state.required == Some(true);
    let lacks = match candidate.step.deed {
        // What is in a field is covered, and that it is.
        Deed::EnterText { .. } => match state.text_value.as_deref() {
            Some(text) => text.is_empty(),
            None => is_required && element.redacted.is_none(),
        },
        Deed::Choose { .. } => is_required,
        Deed::Toggle => is_required && state.checked != Some(Checked::On),
        _ => false,
    };
    let deed = match &candidate.step.deed {
        Deed::EnterText { .. } => Deed::EnterText { text: sample(element).to_owned() },
        deed => deed.clone(),
    };
    let aim = candidate.step.aim.clone()?;
    lacks.then_some(Draft { deed, aim })
}
