//! The app.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::JsonObject;
use crate::policy::PolicyGrant;

/// A place where the app runs.
#[wire]
pub struct AppEnvironment {
    pub id: CompactString,
    pub base_urls: Option<Vec<CompactString>>,
    pub labels: Option<BTreeMap<CompactString, CompactString>>,
}

/// A kind of person who uses it.
#[wire]
pub struct AppPrincipalProfile {
    pub id: CompactString,
    pub roles: Option<Vec<CompactString>>,
    pub grants: Option<Vec<PolicyGrant>>,
    pub description: Option<CompactString>,
}

/// How the app keeps its routes.
#[wire]
pub enum RoutingMode {
    History,
    Hash,
    Custom,
}

/// How routes are known.
#[wire]
pub struct AppRoutingConfig {
    pub mode: Option<RoutingMode>,
    pub route_provider_ref: Option<CompactString>,
}

/// How the SDK is set up.
#[wire]
pub struct AppSDKConfig {
    pub annotation_prefix: Option<CompactString>,
    pub route_provider_ref: Option<CompactString>,
    pub overlay_enabled: Option<bool>,
}

/// The app as its authors see it.
#[wire]
pub struct AppManifest {
    pub app_id: CompactString,
    pub display_name: CompactString,
    pub default_locale: Option<CompactString>,
    pub supported_locales: Option<Vec<CompactString>>,
    pub environments: Option<Vec<AppEnvironment>>,
    pub principal_profiles: Option<Vec<AppPrincipalProfile>>,
    pub routing: Option<AppRoutingConfig>,
    pub sdk: Option<AppSDKConfig>,
    pub metadata: Option<JsonObject>,
}
