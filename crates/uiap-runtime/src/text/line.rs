//! One element as one line, without its indentation.

use uiap_model::capability::{Checked, Current, HasPopup, Invalid};
use uiap_model::capability::{RiskLevel, UIAffordance, UIRole};
use uiap_model::web::ElementNode;
use uiap_model::web::graph::SemanticSource;

use super::escape::{harmless, quoted};

/// Longer names are cut.
const NAME: usize = 100;
/// Longer passages are cut.
const PASSAGE: usize = 400;
/// Longer values are cut.
const VALUE: usize = 60;
/// More options are counted only.
const OPTIONS: usize = 8;

/// Whether something can be done with the element.
pub(super) fn is_interactive(element: &ElementNode) -> bool {
    element.affordances.iter().any(|each| !matches!(each, UIAffordance::Read | UIAffordance::Scroll))
}

/// Whether the element is a piece of the page's plain text.
pub(super) fn is_passage(element: &ElementNode) -> bool {
    element.role == UIRole::Label && element.source == SemanticSource::Text
}

/// Whether the element is a passage that heads others.
pub(super) fn is_heading(element: &ElementNode) -> bool {
    is_passage(element)
        && element.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("heading"))
}

/// What the element is called in front of its name.
pub(super) fn word(element: &ElementNode) -> &str {
    match (is_heading(element), is_passage(element)) {
        (true, _) => "heading",
        (_, true) => "text",
        _ => element.role.as_str(),
    }
}

/// `role "Name" [ref=e1] [state]: value`.
pub(super) fn write(element: &ElementNode, name: Option<&str>, reference: Option<&str>) -> String {
    let mut out = word(element).to_owned();
    let limit = if is_passage(element) { PASSAGE } else { NAME };
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        out.push(' ');
        out.push_str(&quoted(name, limit));
    } else if reference.is_some() {
        // A ref always stands behind a name, so that one pattern reads every line.
        out.push_str(" \"\"");
    }
    if let Some(reference) = reference {
        out.push_str(&format!(" [ref={reference}]"));
    }
    states(element, &mut out);
    value(element, &mut out);
    out
}

fn states(element: &ElementNode, out: &mut String) {
    let state = &element.state;
    let mut add = |word: &str| {
        out.push_str(" [");
        out.push_str(word);
        out.push(']');
    };
    for (on, word) in [
        (state.focused, "focused"),
        (state.selected, "selected"),
        (state.pressed, "pressed"),
        (state.required, "required"),
        (state.readonly, "readonly"),
        (state.busy, "busy"),
        (state.loading, "loading"),
        (state.blocked, "blocked"),
        (state.sensitive, "sensitive"),
        (state.obscured, "covered"),
    ] {
        if on == Some(true) {
            add(word);
        }
    }
    if state.enabled == Some(false) {
        add("disabled");
    }
    if state.visible == Some(false) {
        add("hidden");
    }
    match state.expanded {
        Some(true) => add("expanded"),
        Some(false) if state.has_popup.is_none_or(|popup| popup == HasPopup::No) => add("collapsed"),
        _ => {}
    }
    match state.checked {
        Some(Checked::On) => add("checked"),
        Some(Checked::Mixed) => add("mixed"),
        _ => {}
    }
    if state.current.is_some_and(|current| current != Current::No) {
        add("current");
    }
    if state.invalid.is_some_and(|invalid| invalid != Invalid::No) {
        match element.description.as_deref().or(state.description.as_deref()) {
            Some(why) => add(&format!("invalid: {}", harmless(why, VALUE))),
            None => add("invalid"),
        }
    }
    match element.risk.as_ref().map(|risk| risk.level) {
        Some(RiskLevel::Confirm) => add("risk=confirm"),
        Some(RiskLevel::Blocked) => add("risk=blocked"),
        _ => {}
    }
}

fn value(element: &ElementNode, out: &mut String) {
    let state = &element.state;
    // The options of an open list are elements themselves.
    let listed = element.role == UIRole::Listbox;
    if let Some(options) = element.options.as_ref().filter(|options| !options.is_empty() && !listed) {
        let label = |option: &uiap_model::web::element::ElementOption| harmless(&option.label, 30);
        let chosen: Vec<String> =
            options.iter().filter(|option| option.selected == Some(true)).map(label).collect();
        if !chosen.is_empty() {
            out.push_str(": ");
            out.push_str(&chosen.join(", "));
        }
        let shown: Vec<String> = options.iter().take(OPTIONS).map(label).collect();
        let more = options.len() - shown.len();
        out.push_str(&format!(" ({}", shown.join("|")));
        out.push_str(&if more > 0 { format!("|…{more} more)") } else { ")".to_owned() });
        return;
    }
    let shown = match (&state.text_value, &state.numeric_value) {
        (Some(text), _) if !text.is_empty() => quoted(text, VALUE),
        (_, Some(number)) => number.0.to_string(),
        _ => match &state.placeholder {
            Some(hint) if element.name.as_deref() != Some(hint.as_str()) => {
                format!("(hint: {})", harmless(hint, VALUE))
            }
            _ => return,
        },
    };
    // What a link or button says is its name; only fields have values.
    if !matches!(element.role, UIRole::Link | UIRole::Button | UIRole::Label) {
        out.push_str(": ");
        out.push_str(&shown);
    }
}
