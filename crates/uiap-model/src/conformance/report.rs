//! What is claimed and what was found.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::{Count, Number};
use crate::names::{BindingId, Digest, ExtensionId, ProfileId, Timestamp};
use crate::version::Version;

/// A part that an implementation plays.
#[wire(case = "pascal")]
pub enum ConformanceRole {
    CoreEndpoint,
    CapabilityProvider,
    WebPublisher,
    WebConsumer,
    WebBridge,
    RuntimeExecutor,
    RuntimeController,
    RuntimePresenter,
    PolicyEngine,
    WebSDK,
    WorkflowEngine,
    DiscoveryMapper,
    AuthoringCompiler,
    HttpBinding,
    WebSocketBinding,
}

/// Who claims.
#[wire]
pub struct Implementation {
    pub name: CompactString,
    pub version: CompactString,
    pub vendor: Option<CompactString>,
}

/// An extension with its version.
#[wire]
pub struct ClaimedExtension {
    pub id: ExtensionId,
    pub version: Version,
}

/// What is claimed.
#[wire]
pub struct ConformanceClaim {
    pub claim_id: CompactString,
    pub implementation: Implementation,
    pub roles: Vec<ConformanceRole>,
    pub profiles: Option<Vec<ProfileId>>,
    pub extensions: Option<Vec<ClaimedExtension>>,
    pub bindings: Option<Vec<BindingId>>,
    pub composites: Option<Vec<CompactString>>,
    pub options: Option<BTreeMap<CompactString, bool>>,
}

/// How a case ended.
#[wire]
pub enum Verdict {
    Pass,
    Fail,
    Skip,
    Inconclusive,
    Error,
}

/// One case.
#[wire]
pub struct CaseResult {
    pub case_id: CompactString,
    pub verdict: Verdict,
    pub duration_ms: Number,
    pub message: Option<CompactString>,
    pub failed_step: Option<Count>,
    pub evidence: Option<Vec<CompactString>>,
}

/// Where the suite ran.
#[wire]
pub struct ReportEnvironment {
    pub os: Option<CompactString>,
    pub browser: Option<CompactString>,
    pub runtime: Option<CompactString>,
}

/// Cases by verdict.
#[wire]
pub struct Tally {
    pub pass: Count,
    pub fail: Count,
    pub other: Count,
}

/// The verdict on a role.
#[wire]
pub struct RoleVerdict {
    pub role: ConformanceRole,
    pub conformant: bool,
    pub required: Tally,
    pub recommended: Tally,
}

/// The verdict on a composite profile.
#[wire]
pub struct CompositeVerdict {
    pub composite: CompactString,
    pub conformant: bool,
}

/// The version of the report format.
#[wire]
pub enum ReportVersion {
    #[wire(name = "0.1")]
    V01,
}

/// What was found.
#[wire]
pub struct ConformanceReport {
    pub report_version: ReportVersion,
    pub suite_version: CompactString,
    pub generated_at: Timestamp,
    pub claim: ConformanceClaim,
    pub environment: ReportEnvironment,
    pub results: Vec<CaseResult>,
    pub role_verdicts: Vec<RoleVerdict>,
    pub composite_verdicts: Option<Vec<CompositeVerdict>>,
    pub conformant: bool,
    pub digest: Option<Digest>,
}
