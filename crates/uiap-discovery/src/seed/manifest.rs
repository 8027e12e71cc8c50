//! Seeds out of manifests of the app: the routes that they name, and where their workflows begin.

use compact_str::CompactString;
use uiap_model::authoring::RouteMatcher;
use uiap_model::authoring::bundle::UIAPCompiledBundle;
use uiap_model::discovery::DiscoverySeed;
use uiap_model::workflow::WorkflowDefinition;

use super::{MANIFEST, Offer};
use crate::plan::Known;

/// What a compiled package of manifests knows of its app, added to what is known; every route is a place to begin at.
pub fn offers(bundle: &UIAPCompiledBundle, known: &mut Known) -> Vec<Offer> {
    let mut offers = Vec::new();
    for route in bundle.bindings.iter().flat_map(|bindings| bindings.routes.iter().flatten()) {
        let address = route.r#match.iter().find_map(|matcher| match matcher {
            RouteMatcher::Path { value } | RouteMatcher::UrlPattern { value } => Some(value),
            _ => None,
        });
        if let Some(address) = address {
            known.routes.entry(route.id.clone()).or_insert_with(|| address.to_string());
        }
        offers.push(Offer::new(DiscoverySeed::Route { route_id: route.id.clone() }, MANIFEST));
    }
    for workflow in bundle.workflows.iter().flatten() {
        let (id, begins) = beginning(workflow);
        known.workflows.entry(id).or_insert(begins);
    }
    offers
}

/// A workflow and the route at which it begins; none where it may begin anywhere.
pub fn beginning(workflow: &WorkflowDefinition) -> (CompactString, String) {
    let route = workflow.routes.iter().flatten().next();
    (workflow.id.clone(), route.map(ToString::to_string).unwrap_or_default())
}
