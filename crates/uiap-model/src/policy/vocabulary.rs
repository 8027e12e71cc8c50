//! The words that policies are written in.

use compact_str::CompactString;
use uiap_model_derive::wire;

/// Who acts.
#[wire]
pub enum PrincipalType {
    User,
    Agent,
    Bridge,
    Observer,
    System,
}

/// What a principal may do.
#[wire(open)]
pub enum PolicyGrant {
    /// Read the interface, change nothing.
    Observe,
    /// Highlight, focus, navigate.
    Guide,
    /// Fill in what can be taken back.
    Draft,
    /// Act in the usual way.
    Act,
    /// Act with privileges.
    Admin,
    #[wire(name = "read.sensitive")]
    ReadSensitive,
    #[wire(name = "read.secret")]
    ReadSecret,
    #[wire(name = "write.sensitive")]
    WriteSensitive,
    Billing,
    Identity,
    Security,
}

/// Who acts, and with which rights.
#[wire]
pub struct PolicyPrincipal {
    #[wire(name = "type")]
    pub principal_type: PrincipalType,
    pub id: CompactString,
    pub roles: Option<Vec<CompactString>>,
    pub grants: Option<Vec<PolicyGrant>>,
}

/// How delicate data is.
#[wire(open)]
pub enum DataClass {
    Public,
    Internal,
    Personal,
    Sensitive,
    Credential,
    Secret,
    Payment,
    Health,
    Legal,
}

/// What an action does to the world.
#[wire(open, case = "snake")]
pub enum SideEffectClass {
    None,
    UiOnly,
    Navigation,
    Draft,
    DataWrite,
    ExternalEffect,
    IdentityChange,
    SecurityChange,
    BillingChange,
    Destructive,
    Irreversible,
    Unknown,
}

/// What a policy says, in rising strictness.
#[wire]
pub enum PolicyEffect {
    Allow,
    Confirm,
    /// A person must do it.
    Handoff,
    Deny,
}

/// Why a policy says so.
#[wire(case = "snake")]
pub enum PolicyReason {
    Default,
    Rule,
    RiskLevel,
    MissingGrant,
    DataClass,
    SideEffect,
    UnknownAction,
    PlatformBoundary,
    OpaqueTarget,
    EvaluationError,
}

/// What becomes of delicate data.
#[wire]
pub enum RedactionMode {
    None,
    Partial,
    Mask,
    Hash,
    Remove,
}

/// How much is written down.
#[wire]
pub enum AuditLevel {
    None,
    Metadata,
    Full,
}
