//! What is built.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::app::AppManifest;
use crate::authoring::bindings::BindingsManifest;
use crate::authoring::package::{CompatibilitySpec, ReleaseChannel};
use crate::authoring::sets::{AuthoredAction, ScopedPolicyDocument};
use crate::capability::CapabilityDocument;
use crate::names::{Digest, ProfileId};
use crate::workflow::WorkflowDefinition;

/// For what a bundle is built.
#[wire]
#[derive(Default)]
pub struct BuildContext {
    pub environment: Option<CompactString>,
    pub channel: Option<ReleaseChannel>,
    pub locale: Option<CompactString>,
    pub tenant_id: Option<CompactString>,
    pub principal_profile: Option<CompactString>,
    pub app_version: Option<CompactString>,
}

/// One failure of a gate.
#[wire]
pub struct GateFailure {
    pub gate: CompactString,
    pub manifest_id: CompactString,
    pub item_id: Option<CompactString>,
    pub message: CompactString,
}

/// What the gates of a channel said.
#[wire]
pub struct GateResult {
    pub channel: ReleaseChannel,
    pub passed: bool,
    pub failures: Vec<GateFailure>,
}

/// The contract of an app for one context: no imports, overlays or references left.
#[wire]
pub struct UIAPCompiledBundle {
    pub package_id: CompactString,
    pub version: CompactString,
    pub profile: ProfileId,
    pub build_context: BuildContext,
    pub compatibility: CompatibilitySpec,
    pub app: AppManifest,
    pub capabilities: Option<CapabilityDocument>,
    pub bindings: Option<BindingsManifest>,
    pub actions: Option<Vec<AuthoredAction>>,
    pub policies: Option<Vec<ScopedPolicyDocument>>,
    pub workflows: Option<Vec<WorkflowDefinition>>,
    /// `namespace.key` to text.
    pub locales: Option<BTreeMap<CompactString, CompactString>>,
    pub manifest_index: Option<Vec<CompactString>>,
    pub digest: Option<Digest>,
}
