//! Manifests that are lists: capabilities, actions, policies, workflows, texts.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::overlay::ManifestSelector;
use crate::capability::{ActionDescriptor, CapabilityDocument};
use crate::policy::PolicyDocument;
use crate::workflow::WorkflowDefinition;

/// Capabilities written by hand.
#[wire]
pub struct CapabilitiesManifest {
    pub document: CapabilityDocument,
}

/// Who carries an action out.
#[wire]
pub enum ImplementationKind {
    SdkHandler,
    ServerAction,
    ExternalDriver,
    None,
}

/// Where an action is carried out.
#[wire]
pub struct ActionImplementationRef {
    pub kind: ImplementationKind,
    pub r#ref: Option<CompactString>,
}

/// An action and its implementation.
#[wire]
pub struct AuthoredAction {
    #[wire(flatten)]
    pub descriptor: ActionDescriptor,
    pub implementation: Option<ActionImplementationRef>,
    pub selectors: Option<Vec<ManifestSelector>>,
}

/// Actions.
#[wire]
pub struct ActionsManifest {
    pub actions: Vec<AuthoredAction>,
}

/// A policy and when it is active.
#[wire]
pub struct ScopedPolicyDocument {
    pub id: CompactString,
    pub selector: Option<ManifestSelector>,
    pub document: PolicyDocument,
}

/// Policies.
#[wire]
pub struct PolicySetManifest {
    pub policies: Vec<ScopedPolicyDocument>,
}

/// How far a workflow was looked at.
#[wire]
pub enum WorkflowReviewLevel {
    Draft,
    Candidate,
    Approved,
}

/// Hints for reviewers.
#[wire]
pub struct WorkflowReviewHints {
    pub level: Option<WorkflowReviewLevel>,
    pub high_risk: Option<bool>,
    pub generated_from_discovery: Option<bool>,
}

/// A workflow and when it is active.
#[wire]
pub struct AuthoredWorkflow {
    pub selector: Option<ManifestSelector>,
    pub review: Option<WorkflowReviewHints>,
    pub definition: WorkflowDefinition,
}

/// Workflows.
#[wire]
pub struct WorkflowCatalogManifest {
    pub workflows: Vec<AuthoredWorkflow>,
}

/// One text.
#[wire]
pub struct LocaleMessage {
    pub default: CompactString,
    pub by_locale: Option<BTreeMap<CompactString, CompactString>>,
}

/// Texts of one subject.
#[wire]
pub struct LocaleNamespace {
    pub messages: BTreeMap<CompactString, LocaleMessage>,
}

/// Texts.
#[wire]
pub struct LocalePackManifest {
    pub namespaces: BTreeMap<CompactString, LocaleNamespace>,
}
