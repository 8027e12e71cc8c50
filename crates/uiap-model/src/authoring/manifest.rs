//! The form that every manifest has.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::{
    ActionsManifest, AppManifest, BindingsManifest, CapabilitiesManifest, DiscoveryImportManifest,
    LocalePackManifest, OverlayManifest, PackageManifest, PolicySetManifest, ReviewSetManifest,
    WorkflowCatalogManifest,
};
use crate::names::{ManifestId, Timestamp};

/// The version of the manifest format.
#[wire]
pub enum ApiVersion {
    #[wire(name = "uiap.authoring/v0.1")]
    V01,
}

/// What a manifest holds.
#[wire(case = "pascal")]
pub enum AuthoringKind {
    Package,
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

/// What an owner does.
#[wire]
pub enum OwnerRole {
    Owner,
    Maintainer,
    Reviewer,
    Approver,
}

/// Who answers for a manifest.
#[wire]
pub struct OwnerRef {
    pub id: CompactString,
    pub role: Option<OwnerRole>,
    pub contact: Option<CompactString>,
}

/// Who wrote a manifest.
#[wire]
pub enum ManifestSource {
    Manual,
    Generated,
    Mixed,
    Imported,
}

/// How far a manifest was approved.
#[wire(case = "snake")]
pub enum ReviewState {
    Draft,
    Generated,
    InReview,
    Approved,
    Rejected,
    Deprecated,
}

/// What is known of a manifest.
#[wire]
pub struct ManifestMetadata {
    /// Unique within the package.
    pub id: ManifestId,
    pub title: Option<CompactString>,
    pub description: Option<CompactString>,
    /// Needed by a Package.
    pub version: Option<CompactString>,
    pub package_id: Option<CompactString>,
    pub labels: Option<BTreeMap<CompactString, CompactString>>,
    pub tags: Option<Vec<CompactString>>,
    pub owners: Option<Vec<OwnerRef>>,
    pub source: Option<ManifestSource>,
    pub review_state: Option<ReviewState>,
}

/// Where content comes from.
#[wire]
pub enum ProvenanceSource {
    Manual,
    Discovery,
    Import,
    Generated,
    #[wire(name = "runtime-trace")]
    RuntimeTrace,
}

/// One origin.
#[wire]
pub struct ProvenanceRecord {
    pub source: ProvenanceSource,
    pub r#ref: Option<CompactString>,
    pub note: Option<CompactString>,
    pub at: Option<Timestamp>,
}

/// What tools add to a manifest.
#[wire]
pub struct ManifestStatus {
    pub provenance: Option<Vec<ProvenanceRecord>>,
    pub warnings: Option<Vec<CompactString>>,
    pub digest: Option<CompactString>,
}

/// Writes the document type of one kind.
macro_rules! document {
    ($(#[doc = $doc:literal])+ $name:ident, $kind:ident { $word:ident }, $spec:ty) => {
        /// The only kind of its document.
        #[wire(case = "pascal")]
        pub enum $kind {
            $word,
        }

        $(#[doc = $doc])+
        #[wire]
        pub struct $name {
            pub api_version: ApiVersion,
            pub kind: $kind,
            pub metadata: ManifestMetadata,
            pub spec: $spec,
            pub status: Option<ManifestStatus>,
        }
    };
}

document!(
    /// The root of a package.
    PackageDocument, PackageKind { Package }, PackageManifest
);
document!(
    /// The app that a package speaks of.
    AppDocument, AppKind { App }, AppManifest
);
document!(
    /// Capabilities written by hand.
    CapabilitiesDocument, CapabilitiesKind { Capabilities }, CapabilitiesManifest
);
document!(
    /// Routes, scopes and elements.
    BindingsDocument, BindingsKind { Bindings }, BindingsManifest
);
document!(
    /// Actions.
    ActionsDocument, ActionsKind { Actions }, ActionsManifest
);
document!(
    /// Policies.
    PolicySetDocument, PolicySetKind { PolicySet }, PolicySetManifest
);
document!(
    /// Workflows.
    WorkflowCatalogDocument, WorkflowCatalogKind { WorkflowCatalog }, WorkflowCatalogManifest
);
document!(
    /// Texts.
    LocalePackDocument, LocalePackKind { LocalePack }, LocalePackManifest
);
document!(
    /// Changes for an environment, a channel, a tenant or a role.
    OverlayDocument, OverlayKind { Overlay }, OverlayManifest
);
document!(
    /// Approvals and waivers.
    ReviewSetDocument, ReviewSetKind { ReviewSet }, ReviewSetManifest
);
document!(
    /// Findings that are taken over.
    DiscoveryImportDocument, DiscoveryImportKind { DiscoveryImport }, DiscoveryImportManifest
);
