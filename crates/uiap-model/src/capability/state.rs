//! The observable state of an element or a scope.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::vocabulary::UIStateKey;
use crate::json::{JsonValue, Number};
use crate::names::Extension;

/// Whether a control is on.
#[wire]
pub enum Checked {
    #[wire(value = true)]
    On,
    #[wire(value = false)]
    Off,
    /// Some of what it stands for.
    #[wire(name = "mixed")]
    Mixed,
}

/// In which sense an element is the current one.
#[wire]
pub enum Current {
    #[wire(value = false)]
    No,
    Page,
    Step,
    Location,
    Date,
    Time,
}

/// Whether a value is refused, and why.
#[wire]
pub enum Invalid {
    #[wire(value = false)]
    No,
    #[wire(value = true)]
    Yes,
    Grammar,
    Spelling,
}

/// What opens from an element.
#[wire]
pub enum HasPopup {
    #[wire(value = false)]
    No,
    Menu,
    Listbox,
    Dialog,
    Grid,
    Tree,
}

/// The direction in which an element runs.
#[wire]
pub enum Orientation {
    Horizontal,
    Vertical,
}

/// What is known of an element's state. A member that is absent is unknown, not false.
#[wire(patch = UIStatePatch)]
#[derive(Default)]
pub struct UIState {
    /// Whether a person can see it.
    pub visible: Option<bool>,
    pub enabled: Option<bool>,
    pub focusable: Option<bool>,
    pub focused: Option<bool>,
    pub editable: Option<bool>,
    pub readonly: Option<bool>,
    pub required: Option<bool>,
    pub busy: Option<bool>,
    pub loading: Option<bool>,
    /// There, and not usable at present.
    pub blocked: Option<bool>,
    pub selected: Option<bool>,
    pub checked: Option<Checked>,
    pub pressed: Option<bool>,
    pub expanded: Option<bool>,
    pub open: Option<bool>,
    pub modal: Option<bool>,
    pub hovered: Option<bool>,
    pub dragged: Option<bool>,
    pub current: Option<Current>,
    pub invalid: Option<Invalid>,
    pub multiline: Option<bool>,
    pub has_popup: Option<HasPopup>,
    pub orientation: Option<Orientation>,
    pub text_value: Option<CompactString>,
    pub numeric_value: Option<Number>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    pub step: Option<Number>,
    pub placeholder: Option<CompactString>,
    pub description: Option<CompactString>,
    /// Needs a policy decision of its own.
    pub sensitive: Option<bool>,
    /// Covered, or masked on purpose.
    pub obscured: Option<bool>,
    /// Members of vendors and apps.
    #[wire(extensions)]
    pub extensions: BTreeMap<Extension, JsonValue>,
}

impl UIState {
    /// The members that say something.
    pub fn keys(&self) -> Vec<UIStateKey> {
        let mut keys = Vec::new();
        if self.visible.is_some() {
            keys.push(UIStateKey::Visible);
        }
        if self.enabled.is_some() {
            keys.push(UIStateKey::Enabled);
        }
        if self.focusable.is_some() {
            keys.push(UIStateKey::Focusable);
        }
        if self.focused.is_some() {
            keys.push(UIStateKey::Focused);
        }
        if self.editable.is_some() {
            keys.push(UIStateKey::Editable);
        }
        if self.readonly.is_some() {
            keys.push(UIStateKey::Readonly);
        }
        if self.required.is_some() {
            keys.push(UIStateKey::Required);
        }
        if self.busy.is_some() {
            keys.push(UIStateKey::Busy);
        }
        if self.loading.is_some() {
            keys.push(UIStateKey::Loading);
        }
        if self.blocked.is_some() {
            keys.push(UIStateKey::Blocked);
        }
        if self.selected.is_some() {
            keys.push(UIStateKey::Selected);
        }
        if self.checked.is_some() {
            keys.push(UIStateKey::Checked);
        }
        if self.pressed.is_some() {
            keys.push(UIStateKey::Pressed);
        }
        if self.expanded.is_some() {
            keys.push(UIStateKey::Expanded);
        }
        if self.open.is_some() {
            keys.push(UIStateKey::Open);
        }
        if self.modal.is_some() {
            keys.push(UIStateKey::Modal);
        }
        if self.hovered.is_some() {
            keys.push(UIStateKey::Hovered);
        }
        if self.dragged.is_some() {
            keys.push(UIStateKey::Dragged);
        }
        if self.current.is_some() {
            keys.push(UIStateKey::Current);
        }
        if self.invalid.is_some() {
            keys.push(UIStateKey::Invalid);
        }
        if self.multiline.is_some() {
            keys.push(UIStateKey::Multiline);
        }
        if self.has_popup.is_some() {
            keys.push(UIStateKey::HasPopup);
        }
        if self.orientation.is_some() {
            keys.push(UIStateKey::Orientation);
        }
        if self.text_value.is_some() {
            keys.push(UIStateKey::TextValue);
        }
        if self.numeric_value.is_some() {
            keys.push(UIStateKey::NumericValue);
        }
        if self.min.is_some() {
            keys.push(UIStateKey::Min);
        }
        if self.max.is_some() {
            keys.push(UIStateKey::Max);
        }
        if self.step.is_some() {
            keys.push(UIStateKey::Step);
        }
        if self.placeholder.is_some() {
            keys.push(UIStateKey::Placeholder);
        }
        if self.description.is_some() {
            keys.push(UIStateKey::Description);
        }
        if self.sensitive.is_some() {
            keys.push(UIStateKey::Sensitive);
        }
        if self.obscured.is_some() {
            keys.push(UIStateKey::Obscured);
        }
        keys.extend(self.extensions.keys().cloned().map(UIStateKey::X));
        keys
    }

    /// Whether every member of `wanted` is there with the same value.
    pub fn satisfies(&self, wanted: &Self) -> bool {
        (wanted.visible.is_none() || wanted.visible == self.visible)
            && (wanted.enabled.is_none() || wanted.enabled == self.enabled)
            && (wanted.focusable.is_none() || wanted.focusable == self.focusable)
            && (wanted.focused.is_none() || wanted.focused == self.focused)
            && (wanted.editable.is_none() || wanted.editable == self.editable)
            && (wanted.readonly.is_none() || wanted.readonly == self.readonly)
            && (wanted.required.is_none() || wanted.required == self.required)
            && (wanted.busy.is_none() || wanted.busy == self.busy)
            && (wanted.loading.is_none() || wanted.loading == self.loading)
            && (wanted.blocked.is_none() || wanted.blocked == self.blocked)
            && (wanted.selected.is_none() || wanted.selected == self.selected)
            && (wanted.checked.is_none() || wanted.checked == self.checked)
            && (wanted.pressed.is_none() || wanted.pressed == self.pressed)
            && (wanted.expanded.is_none() || wanted.expanded == self.expanded)
            && (wanted.open.is_none() || wanted.open == self.open)
            && (wanted.modal.is_none() || wanted.modal == self.modal)
            && (wanted.hovered.is_none() || wanted.hovered == self.hovered)
            && (wanted.dragged.is_none() || wanted.dragged == self.dragged)
            && (wanted.current.is_none() || wanted.current == self.current)
            && (wanted.invalid.is_none() || wanted.invalid == self.invalid)
            && (wanted.multiline.is_none() || wanted.multiline == self.multiline)
            && (wanted.has_popup.is_none() || wanted.has_popup == self.has_popup)
            && (wanted.orientation.is_none() || wanted.orientation == self.orientation)
            && (wanted.text_value.is_none() || wanted.text_value == self.text_value)
            && (wanted.numeric_value.is_none() || wanted.numeric_value == self.numeric_value)
            && (wanted.min.is_none() || wanted.min == self.min)
            && (wanted.max.is_none() || wanted.max == self.max)
            && (wanted.step.is_none() || wanted.step == self.step)
            && (wanted.placeholder.is_none() || wanted.placeholder == self.placeholder)
            && (wanted.description.is_none() || wanted.description == self.description)
            && (wanted.sensitive.is_none() || wanted.sensitive == self.sensitive)
            && (wanted.obscured.is_none() || wanted.obscured == self.obscured)
            && wanted.extensions.iter().all(|(name, value)| self.extensions.get(name) == Some(value))
    }
}
