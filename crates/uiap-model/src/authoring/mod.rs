//! Authoring: manifests as people write them and the bundle that is built from them. Spec: authoring-manifest (09).

pub mod app;
pub mod bindings;
pub mod bundle;
pub mod discovery_import;
pub mod manifest;
pub mod overlay;
pub mod package;
pub mod review;
pub mod sets;
pub mod text;

pub use app::AppManifest;
pub use bindings::{
    BindingsManifest, ElementBinding, ElementMatcher, RouteBinding, RouteMatcher, ScopeBinding,
};
pub use bundle::{BuildContext, GateResult, UIAPCompiledBundle};
pub use discovery_import::DiscoveryImportManifest;
pub use manifest::{ApiVersion, AuthoringKind, ManifestMetadata, ManifestStatus, ReviewState};
pub use overlay::{ManifestPatch, ManifestPatchOp, ManifestSelector, OverlayManifest};
pub use package::{
    BuildSpec, CompatibilitySpec, PackageImport, PackageManifest, PublishSpec, ReleaseChannel,
    ReleaseChannelSpec,
};
pub use review::{ReviewDecision, ReviewSetManifest, ReviewTarget, ReviewWaiver};
pub use sets::{
    ActionsManifest, AuthoredAction, AuthoredWorkflow, CapabilitiesManifest, LocalePackManifest,
    PolicySetManifest, ScopedPolicyDocument, WorkflowCatalogManifest,
};
pub use text::AuthoredText;
