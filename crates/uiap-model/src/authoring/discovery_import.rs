//! Findings that are taken over, each by an explicit rule.

use compact_str::CompactString;
use uiap_model_derive::wire;

/// Where findings come from.
#[wire]
pub struct DiscoverySource {
    pub run_id: Option<CompactString>,
    pub r#ref: Option<CompactString>,
}

/// What a finding is.
#[wire]
pub enum DiscoveryItemKind {
    Route,
    Scope,
    Element,
    Action,
    WorkflowCandidate,
    ReviewItem,
}

/// How a finding is taken over.
#[wire]
pub enum AcceptanceMode {
    Copy,
    Promote,
    /// Stays evidence.
    Link,
}

/// What is taken over.
#[wire]
pub struct DiscoveryAcceptanceRule {
    pub kind: DiscoveryItemKind,
    pub ids: Option<Vec<CompactString>>,
    pub target_manifest_id: CompactString,
    pub mode: Option<AcceptanceMode>,
}

/// What is not.
#[wire]
pub struct DiscoveryRejectionRule {
    pub kind: DiscoveryItemKind,
    pub ids: Option<Vec<CompactString>>,
    pub reason: Option<CompactString>,
}

/// All rules of one import.
#[wire]
pub struct DiscoveryImportManifest {
    pub source: DiscoverySource,
    pub accept: Vec<DiscoveryAcceptanceRule>,
    pub reject: Option<Vec<DiscoveryRejectionRule>>,
}
