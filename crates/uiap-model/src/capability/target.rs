//! What an action or a signal points to.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::vocabulary::UIRole;
use crate::names::{ScopeId, StableId, TargetText};

/// A target in the words of the contract.
#[wire(tag = "by")]
pub enum TargetRef {
    /// By the id that the app gave it.
    StableId { value: StableId },
    /// A logical area.
    Scope { value: ScopeId },
    /// A place in the app.
    Route { value: TargetText },
    /// By what it is and what it is called.
    Semantic { role: UIRole, name: Option<CompactString>, scope: Option<ScopeId> },
    /// In the app's own words.
    Custom { value: CompactString },
}
