//! What a build tells besides its findings: steps, patches, review states, coverage, gates.

use serde::Serialize;
use uiap_model::authoring::{BuildContext, GateResult};

use super::explain::Explanation;
use super::inputs::Input;

/// A step of the build. Spec: authoring §7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Step 1.
    LoadPackage,
    /// Step 2.
    ResolveImports,
    /// Step 3.
    LoadManifests,
    /// Step 4.
    ImportDiscovery,
    /// Step 5.
    ApplyOverlays,
    /// Step 6.
    ResolveLocales,
    /// Step 7.
    ApplyReview,
    /// Step 8.
    CheckReferences,
    /// Step 9.
    MakeBundle,
    /// Step 10.
    CheckGates,
}

/// What happened during a build.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildReport {
    /// Steps that ran, in order.
    pub steps: Vec<Step>,
    /// The context that was used.
    pub context: BuildContext,
    /// Resolved imports: `alias`, package, version.
    pub imports: Vec<ResolvedImport>,
    /// Manifests with their effective version.
    pub manifests: Vec<ManifestEntry>,
    /// Manifests that do not say where their content comes from.
    pub without_provenance: Vec<String>,
    /// Patches that were applied, in order.
    pub patches: Vec<AppliedPatch>,
    /// Effective review states.
    pub reviews: Vec<ReviewEntry>,
    /// Decisions that a later one replaced.
    pub overridden_decisions: Vec<OverriddenDecision>,
    /// Items that need a review because of where they come from.
    pub review_obligations: Vec<String>,
    /// Texts per supported locale.
    pub locales: Vec<LocaleCoverage>,
    /// What discovery imports did: accepted, linked, rejected.
    pub discovery: Vec<DiscoveryEntry>,
    /// What the gates of the channel said.
    pub gates: Option<GateResult>,
    /// Origin of the value that was asked for.
    pub explanation: Option<Explanation>,
    /// Every file that was read, with its digest, when asked for.
    pub inputs: Vec<Input>,
}

/// One resolved import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedImport {
    /// Name space here.
    pub alias: String,
    /// The package.
    pub package_id: String,
    /// The version that was chosen.
    pub version: String,
}

/// One manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestEntry {
    /// Qualified id.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// Its own version or that of its package.
    pub version: String,
    /// Origins that the manifest states.
    pub provenance: Vec<String>,
}

/// One applied patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedPatch {
    /// The overlay.
    pub overlay: String,
    /// The manifest that changed.
    pub manifest: String,
    /// Operation.
    pub op: String,
    /// Where.
    pub path: String,
    /// `file:line:column` of the patch.
    pub place: String,
}

/// The effective review state of a manifest or an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewEntry {
    /// The manifest.
    pub manifest_id: String,
    /// The item, unless the state is that of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<String>,
    /// The state in force.
    pub state: &'static str,
    /// Why: `decision`, `hint`, `metadata`, `default`.
    pub because: &'static str,
}

/// A decision that does not count any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverriddenDecision {
    /// What it was about.
    pub target: String,
    /// `state by whom at when`.
    pub earlier: String,
    /// The decision that counts.
    pub later: String,
}

/// How many texts a locale has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocaleCoverage {
    /// The locale.
    pub locale: String,
    /// Keys with a text in it.
    pub present: usize,
    /// Keys in all.
    pub total: usize,
}

/// What became of one finding of a discovery run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiscoveryEntry {
    /// `promote`, `copy`, `link`, `reject`.
    pub what: &'static str,
    /// Kind and id.
    pub item: String,
    /// The run, or the reason of a rejection.
    pub note: String,
}
