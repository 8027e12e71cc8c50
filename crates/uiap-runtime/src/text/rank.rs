//! What matters most when not everything fits: what is modal, then what has the focus or can be seen, controls before texts.

use std::collections::HashSet;

use uiap_model::capability::UIRole;
use uiap_model::names::ScopeId;
use uiap_model::web::{ElementNode, PageGraph};

use super::line::{is_heading, is_interactive};
use super::outline::{Entry, What};

/// The entries in the order in which they are taken; headers come with what they hold.
pub(super) fn order(graph: &PageGraph, entries: &[Entry<'_>]) -> Vec<usize> {
    let modal = top_modal(graph);
    let mut ranked: Vec<(u8, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| match &entry.what {
            What::Header(text) => text.contains("[opaque").then_some((3, at)),
            What::Element { node, .. } => {
                let outside = !modal.is_empty() && entry.scope.is_none_or(|scope| !modal.contains(&scope.id));
                Some((rank(node) + if outside { 10 } else { 0 }, at))
            }
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, at)| at).collect()
}

fn rank(element: &ElementNode) -> u8 {
    let seen = element.web.in_viewport != Some(false) && element.state.visible != Some(false);
    let urgent = matches!(element.role, UIRole::Alert | UIRole::Toast | UIRole::Status)
        || element.state.focused == Some(true)
        || (seen && is_heading(element));
    match (urgent, is_interactive(element), seen) {
        (true, ..) => 0,
        (_, true, true) => 1,
        (_, false, true) => 2,
        (_, true, false) => 3,
        (_, false, false) => 4,
    }
}

/// The modal scope on top with everything inside; empty when nothing is modal.
fn top_modal(graph: &PageGraph) -> HashSet<&ScopeId> {
    let Some(top) = graph.modal_stack.as_ref().and_then(|stack| stack.last()) else { return HashSet::new() };
    let mut inside = HashSet::from([top]);
    loop {
        let before = inside.len();
        for (_, scope) in graph.scopes() {
            if scope.parent_scope_id.as_ref().is_some_and(|parent| inside.contains(parent)) {
                inside.insert(&scope.id);
            }
        }
        if inside.len() == before {
            return inside;
        }
    }
}
