//! How far an agent may go by itself.

use compact_str::CompactString;
use uiap_model_derive::wire;

/// Whether an action may run. In rising strictness.
#[wire]
pub enum RiskLevel {
    /// By itself, within what was granted.
    Safe,
    /// After a person agreed.
    Confirm,
    /// Not by an agent.
    Blocked,
}

/// Why an action is risky.
#[wire(open, case = "snake")]
pub enum RiskTag {
    SensitiveData,
    Destructive,
    ExternalEffect,
    Privileged,
    Billing,
    Security,
    Identity,
    Legal,
    Irreversible,
}

impl RiskTag {
    /// Tags that never go together with `safe`.
    pub fn excludes_safe(&self) -> bool {
        matches!(self, Self::Destructive | Self::Billing | Self::Security | Self::Irreversible)
    }
}

/// The risk of an action or a target: the level steers, the tags tell why.
#[wire]
pub struct RiskDescriptor {
    pub level: RiskLevel,
    pub tags: Option<Vec<RiskTag>>,
    pub reason: Option<CompactString>,
}

/// The strictest of several levels; `safe` when there is none.
pub fn strictest(levels: impl IntoIterator<Item = RiskLevel>) -> RiskLevel {
    levels.into_iter().max().unwrap_or(RiskLevel::Safe)
}

/// What a level means for an agent that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// It may run.
    Autonomous,
    /// A person must agree first.
    NeedsConfirmation,
    /// It does not run, whatever anybody agreed to.
    Refused,
}

/// Decides by risk alone, as without the policy extension: outside of the granted scopes nothing runs.
pub fn gate(level: RiskLevel, within_granted_scopes: bool) -> Gate {
    match level {
        _ if !within_granted_scopes => Gate::Refused,
        RiskLevel::Safe => Gate::Autonomous,
        RiskLevel::Confirm => Gate::NeedsConfirmation,
        RiskLevel::Blocked => Gate::Refused,
    }
}
