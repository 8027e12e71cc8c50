//! Words for an element that outlive the page, and the way back from them. Spec: discovery-mapper §11.5 (locator rule).

use compact_str::CompactString;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

use super::pattern::{name_pattern, without_query};
use super::told;
use crate::record::{Aim, fact};

/// Names an element so that it can be found again in another window.
pub fn aim_at(graph: &PageGraph, scope: &ScopeNode, element: &ElementNode) -> Aim {
    let name = element.name.as_deref().unwrap_or_default();
    let twins = graph
        .elements()
        .filter(|(_, at, each)| at.id == scope.id && is_like(each, &element.role, name))
        .position(|(.., each)| each.instance_id == element.instance_id);
    Aim {
        stable_id: element.stable_id.clone(),
        role: word(&element.role),
        name: name.to_owned(),
        scope_id: Some(scope.id.clone()),
        ordinal: u32::try_from(twins.unwrap_or_default()).unwrap_or(u32::MAX),
        href: told(element, fact::HREF).map(|href| without_query(href).to_owned()),
    }
}

/// The element that an aim means: by its stable id, else by role, name and scope, else by the name with its numbers taken out.
pub fn find<'a>(graph: &'a PageGraph, aim: &Aim) -> Option<&'a ElementNode> {
    if let Some(found) = aim.stable_id.as_ref().and_then(|id| graph.by_stable_id(id)) {
        return Some(found);
    }
    let here = || {
        graph.elements().filter(|(_, scope, element)| {
            aim.scope_id.as_ref().is_none_or(|id| *id == scope.id) && word(&element.role) == aim.role
        })
    };
    let nth = usize::try_from(aim.ordinal).unwrap_or(usize::MAX);
    let exact =
        here().filter(|(.., element)| element.name.as_deref().unwrap_or_default() == aim.name).nth(nth);
    let rough = || {
        let wanted = name_pattern(&aim.name);
        here()
            .filter(|(.., element)| name_pattern(element.name.as_deref().unwrap_or_default()) == wanted)
            .nth(nth)
    };
    exact.or_else(rough).map(|(.., element)| element)
}

fn is_like(element: &ElementNode, role: &uiap_model::capability::UIRole, name: &str) -> bool {
    element.role == *role && element.name.as_deref().unwrap_or_default() == name
}

/// The protocol's word for a role.
pub(super) fn word(role: &uiap_model::capability::UIRole) -> CompactString {
    CompactString::from(role.to_string())
}
