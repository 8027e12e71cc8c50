//! Messages of the discovery extension.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::discovery::environment::{DiscoveryEnvironment, DiscoverySeed};
use crate::discovery::package::{DiscoveryPackage, DiscoveryRunStatus};
use crate::json::Count;

/// Payload of the request `uiap.discovery.plan`.
#[wire]
pub struct DiscoveryPlanPayload {
    pub environment: DiscoveryEnvironment,
    pub seeds: Option<Vec<DiscoverySeed>>,
}

/// A seed that is not used.
#[wire]
pub struct RejectedSeed {
    pub seed: DiscoverySeed,
    pub reason: CompactString,
}

/// Payload of the response `uiap.discovery.planned`.
#[wire]
pub struct DiscoveryPlannedPayload {
    pub run_id: CompactString,
    pub estimated_seed_count: Option<Count>,
    pub accepted_seeds: Option<Vec<DiscoverySeed>>,
    pub rejected_seeds: Option<Vec<RejectedSeed>>,
}

/// Payload of the request `uiap.discovery.start`.
#[wire]
pub struct DiscoveryStartPayload {
    pub run_id: CompactString,
}

/// Where a run stands when it has started.
#[wire]
pub enum StartedStatus {
    Preparing,
    Seeding,
    Exploring,
}

/// Payload of the response `uiap.discovery.started`.
#[wire]
pub struct DiscoveryStartedPayload {
    pub run_id: CompactString,
    pub status: StartedStatus,
}

/// Payload of the event `uiap.discovery.progress`.
#[wire]
pub struct DiscoveryProgressPayload {
    pub run_id: CompactString,
    pub status: DiscoveryRunStatus,
    pub current_seed: Option<DiscoverySeed>,
    pub current_route_id: Option<CompactString>,
    pub current_state_id: Option<CompactString>,
    pub visited_states: Option<Count>,
    pub visited_transitions: Option<Count>,
    pub discovered_routes: Option<Count>,
    pub discovered_actions: Option<Count>,
    pub discovered_workflow_candidates: Option<Count>,
    pub note: Option<CompactString>,
}

/// Payload of the request `uiap.discovery.pause`.
#[wire]
pub struct DiscoveryPausePayload {
    pub run_id: CompactString,
    pub reason: Option<CompactString>,
}

/// The only status of [`DiscoveryPausedPayload`].
#[wire]
pub enum PausedStatus {
    Paused,
}

/// Payload of the response `uiap.discovery.paused`.
#[wire]
pub struct DiscoveryPausedPayload {
    pub run_id: CompactString,
    pub status: PausedStatus,
}

/// Payload of the request `uiap.discovery.resume`.
#[wire]
pub struct DiscoveryResumePayload {
    pub run_id: CompactString,
}

/// Payload of the response `uiap.discovery.resumed`.
#[wire]
pub struct DiscoveryResumedPayload {
    pub run_id: CompactString,
    pub status: DiscoveryRunStatus,
}

/// Payload of the request `uiap.discovery.cancel`.
#[wire]
pub struct DiscoveryCancelPayload {
    pub run_id: CompactString,
    pub reason: Option<CompactString>,
}

/// The only status of [`DiscoveryCancelledPayload`].
#[wire]
pub enum CancelledStatus {
    Cancelled,
}

/// Payload of the response `uiap.discovery.cancelled`.
#[wire]
pub struct DiscoveryCancelledPayload {
    pub run_id: CompactString,
    pub status: CancelledStatus,
}

/// How a run ended.
#[wire]
pub enum DiscoveryEnd {
    Completed,
    Failed,
    Cancelled,
}

/// Payload of the event `uiap.discovery.result`.
#[wire]
pub struct DiscoveryResultPayload {
    pub run_id: CompactString,
    pub status: DiscoveryEnd,
    pub package: DiscoveryPackage,
}

/// Payload of the request `uiap.discovery.package.get`.
#[wire]
pub struct DiscoveryPackageGetPayload {
    pub run_id: CompactString,
}

/// Payload of the response `uiap.discovery.package`.
#[wire]
pub struct DiscoveryPackagePayload {
    pub package: DiscoveryPackage,
}
