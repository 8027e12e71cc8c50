//! Seeds out of an earlier package: the addresses of its routes.

use uiap_model::discovery::DiscoveryPackage;

use super::Offer;

/// One address for each route that the package knows.
pub fn offers(package: &DiscoveryPackage) -> Vec<Offer> {
    let routes = package.route_catalog.routes.iter();
    routes
        .filter_map(|route| route.urls.as_ref()?.first())
        .map(|url| Offer::url(url, "previousPackage"))
        .collect()
}
