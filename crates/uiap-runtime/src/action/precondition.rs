//! Whether an element can be acted on now. Spec: action-runtime, 9.

use uiap_model::capability::UIRole;
use uiap_model::web::ElementNode;
use uiap_model::web::interaction::{Obstacle, pointer_obstacle, text_obstacle};

use super::primitive::Group;

/// What stands in the way, and whether it may go away by itself or by scrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Clear,
    /// Something that a pointer may get past: it moves, or is covered at present.
    Aim(Obstacle),
    /// Something that may pass.
    Wait(Obstacle),
    /// Something that stays.
    Refuse(Obstacle),
}

/// Looks at an element's state alone.
pub fn check(group: Group, element: &ElementNode) -> Verdict {
    let busy = element.state.busy == Some(true) || element.state.loading == Some(true);
    let obstacle = match group {
        Group::Pointer => pointer_obstacle(element),
        Group::Text => text_obstacle(element),
        Group::Value if takes_text(element) => text_obstacle(element),
        Group::Value => value_obstacle(element),
        Group::Look => (!element.web.attached).then_some(Obstacle::Detached),
        // What the app shows as switched off is so for its functions too.
        Group::App => value_obstacle(element).filter(|obstacle| *obstacle != Obstacle::ReadOnly),
        Group::Navigation => None,
    };
    match obstacle {
        None if busy && group != Group::Look => Verdict::Wait(Obstacle::Blocked),
        None => Verdict::Clear,
        Some(obstacle @ (Obstacle::Moving | Obstacle::Covered)) => Verdict::Aim(obstacle),
        Some(obstacle @ (Obstacle::Hidden | Obstacle::Disabled | Obstacle::Blocked)) => {
            Verdict::Wait(obstacle)
        }
        Some(obstacle) => Verdict::Refuse(obstacle),
    }
}

/// Whether a value is typed into it; others are moved, chosen or switched.
fn takes_text(element: &ElementNode) -> bool {
    !matches!(
        element.role,
        UIRole::Slider
            | UIRole::Checkbox
            | UIRole::Switch
            | UIRole::Radio
            | UIRole::Listbox
            | UIRole::Combobox
    )
}

fn value_obstacle(element: &ElementNode) -> Option<Obstacle> {
    let state = &element.state;
    let checks = [
        (!element.web.attached, Obstacle::Detached),
        (state.readonly == Some(true), Obstacle::ReadOnly),
        (state.enabled == Some(false), Obstacle::Disabled),
        (state.blocked == Some(true), Obstacle::Blocked),
    ];
    checks.into_iter().find(|(found, _)| *found).map(|(_, obstacle)| obstacle)
}

/// The check that failed, by its name and in words.
pub fn told(obstacle: Obstacle) -> (&'static str, &'static str) {
    match obstacle {
        Obstacle::Detached => ("attached", "it is not part of the page any more"),
        Obstacle::Hidden => ("visible", "it cannot be seen"),
        Obstacle::Disabled => ("enabled", "it is disabled"),
        Obstacle::Blocked => ("blocked", "it is not usable at present"),
        Obstacle::Moving => ("stable", "it does not come to rest"),
        Obstacle::Covered => ("obscured", "something lies over it"),
        Obstacle::NotEditable => ("editable", "it takes no text"),
        Obstacle::ReadOnly => ("readonly", "it may be read only"),
    }
}
