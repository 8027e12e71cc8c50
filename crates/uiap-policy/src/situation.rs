//! What the app side brings to a question: contract, live element, place, limits of the platform.

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::authoring::ElementBinding;
use uiap_model::capability::{ActionDescriptor, ExecutionMode, UIRole};
use uiap_model::json::JsonObject;
use uiap_model::policy::{PolicyRequest, SideEffectClass};
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason, SemanticSource};
use uiap_model::web::{DocumentNode, ElementNode, ScopeNode};

/// Limits of browser and platform; no rule loosens them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The target lies behind a boundary that nobody can look through.
    pub opaque_target: bool,
    /// The target lies in a closed shadow root.
    pub closed_shadow: bool,
    /// Only a real gesture of a person can do it.
    pub user_activation: bool,
}

impl Limits {
    /// The limits of what lies in that document and scope.
    pub fn of(document: &DocumentNode, scope: Option<&ScopeNode>) -> Self {
        let document = (Some(document.access), document.opaque_reason);
        let scope = scope.map_or((None, None), |scope| (scope.access, scope.opaque_reason));
        let opaque =
            [document, scope].into_iter().filter(|(access, _)| *access == Some(BoundaryAccess::Opaque));
        let mut limits = Self::default();
        for (_, reason) in opaque {
            limits.closed_shadow |= reason == Some(OpaqueReason::ClosedShadow);
            limits.opaque_target |= reason != Some(OpaqueReason::ClosedShadow);
        }
        limits
    }
}

/// What the app side knows when a question is asked: the contract, the live element and where it stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation<'a> {
    /// The action as declared; `None` for one that nobody declared.
    pub descriptor: Option<&'a ActionDescriptor>,
    /// The element as the contract describes it.
    pub binding: Option<&'a ElementBinding>,
    /// The element as it is now.
    pub element: Option<&'a ElementNode>,
    /// Where the app is.
    pub route_id: Option<&'a str>,
    /// The scope that holds the element.
    pub scope_id: Option<&'a str>,
    /// How the runtime is going to do it.
    pub execution_mode: Option<ExecutionMode>,
    /// The workflow on whose behalf the runtime acts.
    pub workflow_id: Option<&'a str>,
    /// What the platform forbids.
    pub limits: Limits,
}

/// Facts that contradict each other or cannot be read; the answer is then the one for errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    /// The descriptor is of another action.
    #[error("the descriptor is of `{found}`, the request asks for `{asked}`")]
    OtherAction {
        /// What was asked for.
        asked: CompactString,
        /// What the descriptor describes.
        found: CompactString,
    },
    /// The binding is of another element.
    #[error("the binding is of `{binding}`, the element is `{element}`")]
    OtherElement {
        /// The element's stable id.
        element: CompactString,
        /// The binding's.
        binding: CompactString,
    },
    /// A declared side effect is no word of the vocabulary.
    #[error("the {place} declares the side effect `{found}`, which is none")]
    SideEffect {
        /// Who declares it.
        place: &'static str,
        /// What it says.
        found: String,
    },
    /// More words than any honest source has.
    #[error("the {place} lists {count} words, more than {MOST_WORDS}")]
    TooMany {
        /// Who lists them.
        place: &'static str,
        /// How many.
        count: usize,
    },
}

/// More tags or classes than this are no description but an attack.
pub(crate) const MOST_WORDS: usize = 256;

/// Whether the app's own code vouches for the element's semantics; markup in the page does not.
pub(crate) fn is_registered(element: &ElementNode) -> bool {
    element.source == SemanticSource::Registry
}

/// Whether what is typed there is hidden on the screen.
pub(crate) fn is_password(element: &ElementNode) -> bool {
    element.state.obscured == Some(true) && element.state.editable != Some(false) && holds_text(&element.role)
}

fn holds_text(role: &UIRole) -> bool {
    matches!(
        role,
        UIRole::Textbox | UIRole::Textarea | UIRole::Searchbox | UIRole::Combobox | UIRole::Spinbutton
    )
}

/// The parts must speak of the same action and the same element.
pub(crate) fn check_identity(request: &PolicyRequest, situation: &Situation<'_>) -> Result<(), FactError> {
    if let Some(descriptor) = situation.descriptor
        && descriptor.id != request.action_id
    {
        return Err(FactError::OtherAction {
            asked: request.action_id.as_str().into(),
            found: descriptor.id.as_str().into(),
        });
    }
    let stable_id = situation.element.and_then(|element| element.stable_id.as_ref());
    match (situation.binding, stable_id) {
        (Some(binding), Some(element)) if binding.id != *element => Err(FactError::OtherElement {
            element: element.as_str().into(),
            binding: binding.id.as_str().into(),
        }),
        _ => Ok(()),
    }
}

fn effect_value(metadata: Option<&JsonObject>) -> Option<&Value> {
    let members = &metadata?.0;
    members.get("sideEffect").or_else(|| members.get("sideEffectClass"))
}

/// The declared side effect as it is written.
pub(crate) fn effect_text(metadata: Option<&JsonObject>) -> Option<&str> {
    effect_value(metadata)?.as_str()
}

/// The side effect that somebody declares in metadata.
pub(crate) fn declared_effect(
    place: &'static str,
    metadata: Option<&JsonObject>,
) -> Result<Option<SideEffectClass>, FactError> {
    let Some(value) = effect_value(metadata) else { return Ok(None) };
    match value.as_str().and_then(SideEffectClass::parse) {
        Some(effect) => Ok(Some(effect)),
        None => Err(FactError::SideEffect { place, found: value.to_string() }),
    }
}
