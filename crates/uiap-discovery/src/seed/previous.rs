//! Seeds out of an earlier package: the addresses at which its routes were seen.

use uiap_model::discovery::DiscoveryPackage;

use super::Offer;
use crate::plan::Known;

/// What an earlier package knows of its app, added to what is known; an address of each route is a place to begin at. A pattern is
/// no address: only what was seen is opened.
pub fn offers(package: &DiscoveryPackage, known: &mut Known) -> Vec<Offer> {
    let mut offers = Vec::new();
    for route in &package.route_catalog.routes {
        let metadata = route.metadata.as_ref().and_then(|metadata| metadata.0.get("examples")?.as_array());
        let examples = metadata.into_iter().flatten().filter_map(serde_json::Value::as_str);
        let patterns = route
            .urls
            .iter()
            .flatten()
            .map(compact_str::CompactString::as_str)
            .filter(|url| !url.contains("/:"));
        // What was covered is no address any more.
        let Some(address) = examples.chain(patterns).find(|address| !address.contains('[')) else { continue };
        known.routes.entry(route.route_id.clone()).or_insert_with(|| address.to_owned());
        offers.push(Offer::url(address, "previousPackage"));
    }
    for workflow in package.workflow_candidates.iter().flat_map(|catalog| &catalog.workflows) {
        if let Some(route) = workflow.route_ids.iter().flatten().next() {
            known.workflows.entry(workflow.id.clone()).or_insert_with(|| route.to_string());
        }
    }
    offers
}
