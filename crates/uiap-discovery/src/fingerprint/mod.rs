//! What makes a state this state and no other: one hash, told by the page alone.
//!
//! Taken in are the place, the scopes, the controls by role and name, what lies on top, the structure of collections and whether a
//! form shows mistakes. Left out is what comes and goes: numbers, dates, generated ids, toasts, spinners, rows, pagers, advertising.
//! Nothing is compared with another state, so that the order of discovery cannot matter.

pub(crate) mod collection;
mod explain;
mod page;
mod parts;
mod words;

use compact_str::CompactString;
use uiap_model::discovery::transition::StateFingerprintPolicy;
use uiap_model::web::PageGraph;

pub use explain::{PartDifference, explain};
pub use parts::{Part, Parts};
pub use words::{normalised as normalised_name, without_moment};

/// The fingerprint of a state, with what it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hash.
    pub hash: CompactString,
    /// The hash of what the page is made of, whatever its address and its headings: pages of one kind share it.
    pub structure: CompactString,
    /// What went into it.
    pub parts: Parts,
}

impl Fingerprint {
    /// The id of the state: the same in every run.
    pub fn state_id(&self) -> CompactString {
        let digits = self.hash.strip_prefix("fp_").unwrap_or(&self.hash);
        CompactString::from(format!("st_{}", digits.get(..12).unwrap_or(digits)))
    }
}

/// Takes the fingerprint of a page.
pub fn of(graph: &PageGraph, policy: &StateFingerprintPolicy) -> Fingerprint {
    let parts = page::read(graph, policy);
    Fingerprint { hash: parts.digest(), structure: parts.structure(), parts }
}

/// The policy that holds where nobody says another: collections by structure, no values, no toasts, no spinners.
pub fn default_policy() -> StateFingerprintPolicy {
    StateFingerprintPolicy {
        include_text_values: Some(false),
        include_collections: Some(true),
        ignore_transient_toasts: Some(true),
        ignore_spinners: Some(true),
    }
}
