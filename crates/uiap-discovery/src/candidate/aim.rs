//! Words for an element that outlive the page, and the way back from them. Spec: discovery-mapper §11.5 (locator rule).

use compact_str::CompactString;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

use super::pattern::{name_pattern, without_query};
use super::told;
use crate::record::{Aim, fact};

/// Names an element so that it can be found again in another window; `ordinal` of its scope have its role and name before it.
pub fn aim_at(scope: &ScopeNode, element: &ElementNode, ordinal: u32) -> Aim {
    Aim {
        stable_id: element.stable_id.clone(),
        role: word(&element.role),
        name: element.name.as_deref().unwrap_or_default().to_owned(),
        scope_id: Some(scope.id.clone()),
        ordinal,
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

/// The protocol's word for a role.
pub(super) fn word(role: &uiap_model::capability::UIRole) -> CompactString {
    CompactString::from(role.to_string())
}
