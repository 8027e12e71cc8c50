//! What an app declares compared with what it shows.

use crate::capability::document::CapabilityDocument;
use crate::capability::semantics;
use crate::capability::vocabulary::{PrimitiveActionType, UIAffordance, UIStateKey};
use crate::problem::{Code, Problem, Severity};
use crate::web::graph::PageGraph;

/// Shown, and not declared.
pub const EMITTED_UNDECLARED: Code = Code("UIAP-M090");
/// Declared, and never shown.
pub const UNCONFIRMED: Code = Code("UIAP-M091");
/// A declared action that nothing on any page can carry out.
pub const UNSUPPORTED: Code = Code("UIAP-M092");

/// Compares a document with every page that was seen.
pub fn compare(document: &CapabilityDocument, pages: &[PageGraph]) -> Vec<Problem> {
    let mut emitted: Vec<UIStateKey> = Vec::new();
    let mut offered: Vec<UIAffordance> = Vec::new();
    for (.., element) in pages.iter().flat_map(PageGraph::elements) {
        for key in element.state.keys() {
            if !emitted.contains(&key) {
                emitted.push(key);
            }
        }
        for affordance in element.affordances.iter() {
            if !offered.contains(affordance) {
                offered.push(affordance.clone());
            }
        }
    }
    let undeclared = emitted.iter().filter(|key| !document.state_keys.contains(key)).map(|key| {
        Problem::warning(
            EMITTED_UNDECLARED,
            "/stateKeys",
            format!("the app emits `{key}` and does not declare it"),
        )
        .help(format!("add `{key}` to `stateKeys`"))
    });
    let silent = document.state_keys.iter().enumerate().filter(|(_, key)| !emitted.contains(key)).map(
        |(index, key)| Problem {
            severity: Severity::Info,
            ..Problem::warning(UNCONFIRMED, format!("/stateKeys/{index}"), format!("`{key}` was never seen"))
        },
    );
    let unsupported = document.actions.iter().enumerate().filter_map(|(index, action)| {
        let primitive = PrimitiveActionType::parse(action.id.as_str())?;
        let anywhere = matches!(primitive, PrimitiveActionType::NavNavigate | PrimitiveActionType::AppInvoke);
        (!anywhere && !semantics::accepts(primitive, &offered)).then(|| {
            Problem::error(
                UNSUPPORTED,
                format!("/actions/{index}/id"),
                format!("`{}` is declared and nothing on any page supports it", action.id),
            )
            .help("remove it from `actions`")
        })
    });
    undeclared.chain(silent).chain(unsupported).collect()
}
