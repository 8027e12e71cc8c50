//! What a person has to look at, and how much was covered.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::discovery::evidence::EvidenceRef;
use crate::json::Count;
use crate::names::{ScopeId, StableId};

/// How urgent it is.
#[wire]
pub enum ReviewSeverity {
    Low,
    Medium,
    High,
}

/// What it is about.
#[wire(case = "snake")]
pub enum ReviewItemKind {
    MissingStableId,
    DuplicateName,
    AmbiguousTarget,
    OpaqueFrame,
    ClosedShadow,
    MissingSuccessSignal,
    UnsafeActionCandidate,
    InferredOnly,
    CoverageGap,
    WorkflowUncertain,
    Custom,
}

/// Something to look at.
#[wire]
pub struct ReviewItem {
    pub id: CompactString,
    pub severity: ReviewSeverity,
    pub kind: ReviewItemKind,
    pub route_id: Option<CompactString>,
    pub scope_id: Option<ScopeId>,
    pub stable_id: Option<StableId>,
    pub description: CompactString,
    pub evidence: Vec<EvidenceRef>,
    pub remediation: Option<CompactString>,
}

/// All of them.
#[wire]
pub struct ReviewQueue {
    pub items: Vec<ReviewItem>,
}

/// How sure the findings are.
#[wire]
pub struct ConfidenceSummary {
    pub high: Count,
    pub medium: Count,
    pub low: Count,
}

/// How much was covered; the numbers equal the catalogues.
#[wire]
pub struct CoverageReport {
    pub seeds_total: Count,
    pub seeds_visited: Count,
    pub routes_discovered: Count,
    pub scopes_discovered: Count,
    pub elements_discovered: Count,
    pub actions_discovered: Count,
    pub workflow_candidates_discovered: Count,
    pub opaque_regions: Count,
    pub unresolved_transitions: Count,
    pub review_items: Count,
    pub confidence_summary: Option<ConfidenceSummary>,
}

/// What a run does with an action.
#[wire]
pub enum DiscoveryActionEffect {
    Allow,
    Skip,
    Review,
    Deny,
}

/// Why.
#[wire(case = "snake")]
pub enum DiscoveryActionReason {
    Safe,
    UnknownSideEffect,
    Destructive,
    ExternalEffect,
    Credential,
    Payment,
    SecuritySensitive,
    BudgetExceeded,
    OpaqueBoundary,
    ManualOnly,
}

/// The decision before every action of a run.
#[wire]
pub struct DiscoveryActionPolicyDecision {
    pub effect: DiscoveryActionEffect,
    pub reason: DiscoveryActionReason,
}
