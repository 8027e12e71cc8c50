//! Two looks at a page: whether it is the same to the letter, and what an action changed.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use compact_str::{CompactString, format_compact};
use sha2::{Digest as _, Sha256};
use uiap_model::capability::UIRole;
use uiap_model::web::{ElementNode, PageGraph};

use crate::candidate::name_pattern;
use crate::ground::{Deed, Step};

/// The same for two pages that a person could not tell apart, whatever has the focus or the pointer.
pub(crate) fn likeness(graph: &PageGraph) -> u64 {
    let mut hasher = DefaultHasher::new();
    graph.route.url.hash(&mut hasher);
    for (document, scope) in graph.scopes() {
        document.document_id.hash(&mut hasher);
        scope.id.hash(&mut hasher);
        scope.name.hash(&mut hasher);
        for element in &scope.elements {
            element.role.to_string().hash(&mut hasher);
            element.name.hash(&mut hasher);
            element.stable_id.hash(&mut hasher);
            let state = &*element.state;
            (state.visible, state.enabled, state.blocked, state.selected, state.expanded, state.open)
                .hash(&mut hasher);
            (format!("{:?}", state.checked), &state.text_value, state.pressed).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// In words, what keeps two looks from being the same to the letter; for whoever wonders.
pub(crate) fn first_difference(one: &PageGraph, other: &PageGraph) -> String {
    let lines = |graph: &PageGraph| -> Vec<String> {
        let mut lines = vec![graph.route.url.to_string()];
        for (_, scope) in graph.scopes() {
            lines.push(format!("{} {:?}", scope.id, scope.name));
            lines.extend(scope.elements.iter().map(|element| {
                let state = &*element.state;
                format!(
                    "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    element.role,
                    element.name,
                    state.visible,
                    state.enabled,
                    state.blocked,
                    state.selected,
                    state.expanded,
                    state.text_value
                )
            }));
        }
        lines
    };
    let (one, other) = (lines(one), lines(other));
    let differs = one.iter().zip(&other).find(|(one, other)| one != other);
    match differs {
        Some((one, other)) => format!("`{one}` became `{other}`"),
        None => format!("{} lines became {}", one.len(), other.len()),
    }
}

/// What an action did: where it led, or what came and went. The same for the same effect in two states.
pub(crate) fn consequence(
    step: &Step,
    before: &PageGraph,
    after: &PageGraph,
    fingerprint: &str,
) -> CompactString {
    // A link does the same wherever it is pressed, also on the page that it leads to.
    let is_link = matches!(step.deed, Deed::Follow | Deed::Go { .. })
        && step.aim.as_ref().is_some_and(|aim| aim.href.is_some());
    let within = before.route.url.contains('#') || after.route.url.contains('#');
    let moved = before.route.path != after.route.path || before.route.route_id != after.route.route_id;
    if moved || (is_link && !within) {
        return format_compact!("to:{fingerprint}");
    }
    let (was, is) = (parts(before), parts(after));
    let mut hash = Sha256::new();
    for (sign, part) in
        is.difference(&was).map(|part| ("+", part)).chain(was.difference(&is).map(|part| ("-", part)))
    {
        hash.update(sign);
        hash.update(part);
    }
    let digest = hash.finalize();
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format_compact!("by:{digits}")
}

/// Whether a page shows more than before, or the same kind of page at another address.
pub(crate) fn is_longer(before: &PageGraph, after: &PageGraph) -> bool {
    /// So many more things are no chance.
    const MORE: usize = 5;
    let address = |graph: &PageGraph| graph.route.url.split('#').next().map(str::to_owned);
    address(before) != address(after) || after.elements().count() >= before.elements().count() + MORE
}

/// Whether something lies over the page that did not before.
pub(crate) fn opens_layer(before: &PageGraph, after: &PageGraph) -> bool {
    use uiap_model::web::ScopeKind::{Dialog, Drawer, Menu, Popover};
    let layers = |graph: &PageGraph| -> BTreeSet<String> {
        let all = graph.scopes().filter(|(_, scope)| matches!(scope.kind, Dialog | Drawer | Menu | Popover));
        all.map(|(_, scope)| scope.id.to_string()).collect()
    };
    before.route.path == after.route.path && !layers(after).is_subset(&layers(before))
}

/// Whether a page waits for something, or warns of something, that it did not before.
pub(crate) fn complains(before: &PageGraph, after: &PageGraph) -> bool {
    let signs = |graph: &PageGraph| -> BTreeSet<String> {
        let is_sign = |element: &ElementNode| {
            matches!(element.role, UIRole::Alert | UIRole::Spinner | UIRole::Progress)
                || element.state.busy == Some(true)
        };
        let all = graph.elements().filter(|(.., element)| is_sign(element));
        all.map(|(.., element)| format!("{} {:?}", element.role, element.name)).collect()
    };
    !signs(after).is_subset(&signs(before))
}

fn parts(graph: &PageGraph) -> BTreeSet<String> {
    let mut parts = BTreeSet::new();
    for (_, scope) in graph.scopes() {
        let name = name_pattern(scope.name.as_deref().unwrap_or_default());
        parts.insert(format!("{}|{name}", scope.kind));
        for element in scope.elements.iter().filter(|element| element.affordances.len() > 1) {
            let name = name_pattern(element.name.as_deref().unwrap_or_default());
            let state = &*element.state;
            parts.insert(format!(
                "{}|{}|{name}|{:?}|{:?}",
                scope.kind, element.role, state.selected, state.expanded
            ));
        }
    }
    parts
}
