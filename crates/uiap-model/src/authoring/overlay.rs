//! Changes that apply in some contexts only.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::package::ReleaseChannel;
use crate::json::JsonValue;
use crate::names::JsonPointer;

/// When something applies: every member must match, a list by any of its entries.
#[wire]
pub struct ManifestSelector {
    pub environments: Option<Vec<CompactString>>,
    pub channels: Option<Vec<ReleaseChannel>>,
    pub locales: Option<Vec<CompactString>>,
    pub tenant_ids: Option<Vec<CompactString>>,
    pub principal_profiles: Option<Vec<CompactString>>,
    pub app_version_ranges: Option<Vec<CompactString>>,
}

/// What a patch does.
#[wire]
pub enum ManifestPatchOp {
    Replace,
    Merge,
    Append,
    Remove,
    Upsert,
}

/// A change.
#[wire]
pub struct ManifestPatch {
    /// Local, or `alias:id`.
    pub manifest_id: CompactString,
    /// Relative to the whole document.
    pub path: JsonPointer,
    pub op: ManifestPatchOp,
    /// A dotted path inside the item, for `upsert`.
    pub match_key: Option<CompactString>,
    pub value: Option<JsonValue>,
}

/// Changes and when they apply.
#[wire]
pub struct OverlayManifest {
    pub selector: ManifestSelector,
    pub patches: Vec<ManifestPatch>,
}
