//! What the protocol's own actions do to the world when nobody declares it. Spec: policy-extension, primitive side effects.

use uiap_model::capability::PrimitiveActionType as Action;
use uiap_model::policy::SideEffectClass;

/// The side effect of a primitive by itself; `unknown` where it depends on the target.
pub fn of_primitive(action: Action) -> SideEffectClass {
    match action {
        Action::UiRead | Action::UiHighlight => SideEffectClass::None,
        Action::UiFocus
        | Action::UiHover
        | Action::UiScroll
        | Action::UiScrollIntoView
        | Action::UiExpand
        | Action::UiCollapse
        | Action::UiOpen
        | Action::UiClose => SideEffectClass::UiOnly,
        Action::NavNavigate => SideEffectClass::Navigation,
        Action::UiEnterText
        | Action::UiClearText
        | Action::UiSetValue
        | Action::UiChoose
        | Action::UiToggle
        | Action::UiUpload => SideEffectClass::Draft,
        Action::UiActivate | Action::UiSubmit | Action::AppInvoke => SideEffectClass::Unknown,
    }
}
