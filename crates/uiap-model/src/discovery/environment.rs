//! Where a run explores, as whom, how far, and what it may do.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, JsonObject, Positive};
use crate::names::ActionId;
use crate::policy::PolicyGrant;
use crate::workflow::condition::FlagValue;

/// How the run logs in.
#[wire(case = "snake")]
pub enum AuthMode {
    Manual,
    Seeded,
    SessionReuse,
}

/// The size of the window.
#[wire]
pub struct WindowSize {
    pub width: Positive,
    pub height: Positive,
}

/// As whom a run explores.
#[wire]
pub struct DiscoveryPrincipalProfile {
    pub id: CompactString,
    pub roles: Option<Vec<CompactString>>,
    pub grants: Option<Vec<PolicyGrant>>,
    pub description: Option<CompactString>,
}

/// How far a run goes.
#[wire]
pub struct DiscoveryBudget {
    pub max_states: Option<Count>,
    pub max_transitions: Option<Count>,
    pub max_depth: Option<Count>,
    pub max_runtime_ms: Option<Count>,
    pub max_per_route: Option<Count>,
}

/// How bold a run is.
#[wire(case = "snake")]
pub enum SafetyMode {
    /// Executes nothing.
    ObserveOnly,
    /// Executes what can be undone and stays inside.
    SafeExplore,
    /// Executes test actions in a controlled tenant.
    SandboxWrite,
}

/// What a run may do.
#[wire]
pub struct DiscoverySafetyPolicy {
    pub default_mode: SafetyMode,
    pub allow_external_effects: Option<bool>,
    pub allow_destructive_actions: Option<bool>,
    pub allow_auth_flows: Option<bool>,
    pub allow_payment_flows: Option<bool>,
}

/// Where a run explores.
#[wire]
pub struct DiscoveryEnvironment {
    pub environment_id: CompactString,
    pub base_url: CompactString,
    pub locale: Option<CompactString>,
    pub viewport: Option<WindowSize>,
    pub auth_mode: Option<AuthMode>,
    pub principal_profiles: Option<Vec<DiscoveryPrincipalProfile>>,
    pub feature_flags: Option<BTreeMap<CompactString, FlagValue>>,
    pub budgets: Option<DiscoveryBudget>,
    pub safety: Option<DiscoverySafetyPolicy>,
    pub metadata: Option<JsonObject>,
}

/// Where a run begins.
#[wire(tag = "kind")]
pub enum DiscoverySeed {
    Route { route_id: CompactString },
    Url { url: CompactString },
    Menu { label: CompactString },
    Action { action_id: ActionId },
    Workflow { workflow_id: CompactString },
    Documentation { r#ref: CompactString },
}
