//! Where an assertion comes from.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::json::JsonObject;
use crate::names::Timestamp;

/// What an assertion rests on.
#[wire(case = "snake")]
pub enum EvidenceSource {
    Annotation,
    AppRegistry,
    Dom,
    Accessibility,
    VisibleText,
    Signal,
    Transition,
    Network,
    Screenshot,
    Vision,
    Documentation,
    ManualReview,
    Inferred,
}

/// A piece of evidence.
#[wire]
pub struct EvidenceRef {
    pub source: EvidenceSource,
    pub ref_id: CompactString,
    pub note: Option<CompactString>,
}

/// How sure an assertion is.
#[wire]
pub enum Confidence {
    High,
    Medium,
    Low,
}

/// A piece of evidence with what it holds.
#[wire]
pub struct EvidenceEntry {
    pub ref_id: CompactString,
    pub source: EvidenceSource,
    pub state_id: Option<CompactString>,
    pub at: Option<Timestamp>,
    pub digest: Option<CompactString>,
    pub uri: Option<CompactString>,
    pub data: Option<JsonObject>,
}

/// All evidence of a run.
#[wire]
pub struct EvidenceIndex {
    pub entries: Vec<EvidenceEntry>,
}
