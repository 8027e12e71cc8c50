//! The package: what belongs to it, what it needs, how it is released.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::bundle::BuildContext;
use crate::authoring::manifest::AuthoringKind;
use crate::authoring::overlay::ManifestSelector;
use crate::names::ProfileId;

/// An extension that the package needs.
#[wire]
pub struct ExtensionRange {
    pub id: CompactString,
    pub range: CompactString,
    pub required: Option<bool>,
}

/// SDKs that the package needs.
#[wire]
pub struct SdkRange {
    pub web: Option<CompactString>,
}

/// What the package fits to.
#[wire]
pub struct CompatibilitySpec {
    /// A range such as `>=0.1 <0.2`.
    pub uiap_core: CompactString,
    pub extensions: Option<Vec<ExtensionRange>>,
    pub sdk: Option<SdkRange>,
    pub app_versions: Option<Vec<CompactString>>,
}

/// The part of an import that is wanted.
#[wire]
pub struct ImportFilter {
    pub kinds: Option<Vec<AuthoringKind>>,
    pub manifest_ids: Option<Vec<CompactString>>,
}

/// Another package.
#[wire]
pub struct PackageImport {
    pub package_id: CompactString,
    pub version_range: CompactString,
    /// The name space of its manifests here.
    pub alias: CompactString,
    pub include: Option<ImportFilter>,
}

/// The kinds that a package may list.
#[wire(case = "pascal")]
pub enum LocalManifestKind {
    App,
    Capabilities,
    Bindings,
    Actions,
    PolicySet,
    WorkflowCatalog,
    LocalePack,
    Overlay,
    ReviewSet,
    DiscoveryImport,
}

/// A manifest of the package.
#[wire]
pub struct LocalManifestRef {
    pub id: CompactString,
    pub kind: LocalManifestKind,
    pub path: CompactString,
    /// True when left out.
    pub required: Option<bool>,
}

/// The only digest there is.
#[wire]
pub enum DigestAlgorithm {
    Sha256,
}

/// How the package is built.
#[wire]
pub struct BuildSpec {
    pub profile: Option<ProfileId>,
    pub out_dir: Option<CompactString>,
    pub default_context: Option<BuildContext>,
    /// Review warnings become errors.
    pub strict: Option<bool>,
    pub digest: Option<DigestAlgorithm>,
    pub emit_manifest_index: Option<bool>,
}

/// Where a release goes.
#[wire]
pub enum ReleaseChannel {
    Dev,
    Staging,
    Canary,
    Prod,
    Deprecated,
}

/// The least review state of a channel.
#[wire(case = "snake")]
pub enum RequiredReviewState {
    Approved,
    InReview,
    Draft,
}

/// The rules of a channel.
#[wire]
pub struct ReleaseChannelSpec {
    pub name: ReleaseChannel,
    pub selectors: Option<Vec<ManifestSelector>>,
    pub required_review_state: Option<RequiredReviewState>,
    pub allow_waivers: Option<bool>,
    pub forbid_generated_only: Option<bool>,
    pub require_digest: Option<bool>,
}

/// How the package is released.
#[wire]
pub struct PublishSpec {
    pub default_channel: Option<ReleaseChannel>,
    pub channels: Vec<ReleaseChannelSpec>,
}

/// The smallest unit that is versioned and released.
#[wire]
pub struct PackageManifest {
    pub package_id: CompactString,
    pub version: CompactString,
    pub compatibility: CompatibilitySpec,
    pub imports: Option<Vec<PackageImport>>,
    pub manifests: Vec<LocalManifestRef>,
    pub build: Option<BuildSpec>,
    pub publish: Option<PublishSpec>,
}
