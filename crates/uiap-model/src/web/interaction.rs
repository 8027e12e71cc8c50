//! Whether an element can be used now, told by its state alone.

use crate::capability::UIRole;
use crate::web::element::ElementNode;

/// Why an element cannot be used. It is there; that is not the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Not part of the page any more.
    Detached,
    /// Not seen.
    Hidden,
    /// Switched off.
    Disabled,
    /// There, and not usable at present.
    Blocked,
    /// Still moving.
    Moving,
    /// Covered by something else; a click would hit that.
    Covered,
    /// Cannot be typed into.
    NotEditable,
    /// May be read only.
    ReadOnly,
}

/// What stands in the way of a click. What is not known does not.
pub fn pointer_obstacle(element: &ElementNode) -> Option<Obstacle> {
    let state = &element.state;
    let checks = [
        (!element.web.attached, Obstacle::Detached),
        (state.visible == Some(false), Obstacle::Hidden),
        (state.enabled == Some(false), Obstacle::Disabled),
        (state.blocked == Some(true), Obstacle::Blocked),
        (element.web.stable == Some(false), Obstacle::Moving),
        (state.obscured == Some(true), Obstacle::Covered),
    ];
    first(checks)
}

/// What stands in the way of typing.
pub fn text_obstacle(element: &ElementNode) -> Option<Obstacle> {
    let state = &element.state;
    let by_role = matches!(
        element.role,
        UIRole::Textbox
            | UIRole::Textarea
            | UIRole::Searchbox
            | UIRole::Combobox
            | UIRole::Spinbutton
            | UIRole::Datepicker
            | UIRole::Timepicker
    );
    let editable = state.editable.unwrap_or(by_role);
    let checks = [
        (!element.web.attached, Obstacle::Detached),
        (state.readonly == Some(true), Obstacle::ReadOnly),
        (!editable, Obstacle::NotEditable),
        (state.enabled == Some(false), Obstacle::Disabled),
        (state.blocked == Some(true), Obstacle::Blocked),
    ];
    first(checks)
}

fn first<const N: usize>(checks: [(bool, Obstacle); N]) -> Option<Obstacle> {
    checks.into_iter().find(|(found, _)| *found).map(|(_, obstacle)| obstacle)
}
