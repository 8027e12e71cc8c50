//! Decisions of reviewers.

use compact_str::CompactString;
use uiap_model_derive::wire;

/// What a decision is about.
#[wire]
pub struct ReviewTarget {
    pub manifest_id: CompactString,
    pub path: Option<CompactString>,
    pub item_id: Option<CompactString>,
}

/// What was decided.
#[wire(case = "snake")]
pub enum DecisionState {
    Approved,
    Rejected,
    NeedsReview,
}

/// A decision.
#[wire]
pub struct ReviewDecision {
    pub target: ReviewTarget,
    pub state: DecisionState,
    pub by: CompactString,
    pub at: CompactString,
    pub comment: Option<CompactString>,
}

/// An exception, best with an end.
#[wire]
pub struct ReviewWaiver {
    pub target: ReviewTarget,
    pub reason: CompactString,
    pub by: CompactString,
    pub at: CompactString,
    pub expires_at: Option<CompactString>,
}

/// Decisions and exceptions; they never change content.
#[wire]
pub struct ReviewSetManifest {
    pub decisions: Vec<ReviewDecision>,
    pub waivers: Option<Vec<ReviewWaiver>>,
}
