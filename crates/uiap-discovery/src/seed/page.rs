//! Seeds out of the first page: routes that the app declares, and its navigation.

use compact_str::CompactString;
use uiap_model::capability::{PrimitiveActionType, UIRole};
use uiap_model::discovery::DiscoverySeed;
use uiap_model::web::graph::ScopeKind;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

use super::{ANNOTATION, Offer};
use crate::candidate::told;
use crate::record::fact;

/// What the page proposes. `judge` says why a link must not be followed, where it must not.
pub fn offers(
    graph: &PageGraph,
    routes: &[(CompactString, String)],
    judge: impl Fn(&ScopeNode, &ElementNode, &str) -> Option<String>,
) -> Vec<Offer> {
    let mut offers = Vec::new();
    if let Some(route_id) = &graph.route.route_id {
        let mut offer = Offer::new(DiscoverySeed::Route { route_id: route_id.clone() }, ANNOTATION);
        offer.refused = (!is_id(route_id)).then(|| format!("`{route_id}` is no name of a route"));
        offers.push(offer);
    }
    for (id, _) in routes.iter().filter(|(_, pattern)| !pattern.contains([':', '{', '*'])) {
        offers.push(Offer::new(DiscoverySeed::Route { route_id: id.clone() }, "registry"));
    }
    for (_, scope, element) in graph.elements() {
        for action_id in element.default_action.iter().chain(element.supported_actions.iter().flatten()) {
            if PrimitiveActionType::parse(action_id.as_str()).is_some() {
                continue;
            }
            let mut offer = Offer::new(DiscoverySeed::Action { action_id: action_id.clone() }, ANNOTATION);
            offer.refused = if is_id(action_id.as_str()) {
                judge(scope, element, action_id.as_str())
            } else {
                Some(format!("`{action_id}` is no name of an action"))
            };
            offers.push(offer);
        }
        if !is_navigation(graph, scope) || !matches!(element.role, UIRole::Link | UIRole::Menuitem) {
            continue;
        }
        let Some(href) = told(element, fact::HREF) else { continue };
        let mut offer = Offer::url(href.split('#').next().unwrap_or(href), "navigation");
        offer.refused = judge(scope, element, "nav.navigate");
        offers.push(offer);
    }
    offers
}

/// Whether an app could mean it: names are written without spaces.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|each| each.is_alphanumeric() || matches!(each, '.' | '_' | '-' | ':' | '/'))
}

/// Whether a scope is navigation or lies in it.
fn is_navigation(graph: &PageGraph, scope: &ScopeNode) -> bool {
    let mut at = Some(scope);
    for _ in 0..32 {
        let Some(scope) = at else { return false };
        if scope.kind == ScopeKind::Navigation {
            return scope.role != Some(UIRole::Pagination);
        }
        at = scope.parent_scope_id.as_ref().and_then(|id| graph.scope(id));
    }
    false
}
