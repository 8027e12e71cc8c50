//! Routes, scopes, elements, actions and workflows as they were found.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::{
    ActionArgDescriptor, RiskDescriptor, SuccessSignal, TargetRef, UIAffordance, UIRole, UIStateKey,
};
use crate::discovery::evidence::{Confidence, EvidenceRef};
use crate::json::JsonObject;
use crate::names::{ActionId, ScopeId, StableId};
use crate::policy::{DataClass, SideEffectClass};
use crate::web::graph::ScopeKind;
use crate::workflow::{WorkflowCategory, WorkflowCondition, WorkflowParameter};

/// The routes that were found.
#[wire]
pub struct RouteCatalog {
    pub routes: Vec<DiscoveredRoute>,
}

/// A route.
#[wire]
pub struct DiscoveredRoute {
    pub route_id: CompactString,
    pub urls: Option<Vec<CompactString>>,
    pub titles: Option<Vec<CompactString>>,
    pub scopes: Option<Vec<ScopeId>>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub entry_actions: Option<Vec<CompactString>>,
    pub exit_signals: Option<Vec<SuccessSignal>>,
    pub metadata: Option<JsonObject>,
}

/// The scopes that were found.
#[wire]
pub struct ScopeCatalog {
    pub scopes: Vec<DiscoveredScope>,
}

/// A scope.
#[wire]
pub struct DiscoveredScope {
    pub scope_id: ScopeId,
    pub kind: ScopeKind,
    pub route_ids: Option<Vec<CompactString>>,
    pub parent_scope_id: Option<ScopeId>,
    pub names: Option<Vec<CompactString>>,
    pub stable_ids: Option<Vec<StableId>>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub metadata: Option<JsonObject>,
}

/// The elements that were found.
#[wire]
pub struct ElementCatalog {
    pub elements: Vec<DiscoveredElement>,
}

/// How far an element or workflow was looked at.
#[wire(case = "snake")]
pub enum FindingReviewState {
    Verified,
    Candidate,
    NeedsReview,
}

/// How far an action was looked at.
#[wire(case = "snake")]
pub enum ActionReviewState {
    Verified,
    Candidate,
    Unsafe,
    NeedsReview,
}

/// An element.
#[wire]
pub struct DiscoveredElement {
    pub stable_id: Option<StableId>,
    /// The identity as long as there is no stable id.
    pub semantic_key: CompactString,
    pub routes: Option<Vec<CompactString>>,
    pub scopes: Option<Vec<ScopeId>>,
    pub role: UIRole,
    pub names: Option<Vec<CompactString>>,
    pub meanings: Option<Vec<CompactString>>,
    pub state_keys: Option<Vec<UIStateKey>>,
    pub affordances: Option<Vec<UIAffordance>>,
    pub supported_actions: Option<Vec<ActionId>>,
    pub risk: Option<RiskDescriptor>,
    pub data_classes: Option<Vec<DataClass>>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub review_state: Option<FindingReviewState>,
    pub metadata: Option<JsonObject>,
}

/// The actions that were found.
#[wire]
pub struct ActionCatalog {
    pub actions: Vec<DiscoveredAction>,
}

/// The kind of an action that was found.
#[wire]
pub enum DiscoveredActionKind {
    Primitive,
    Domain,
    Candidate,
}

/// What an action works on.
#[wire]
pub struct ActionTargetPattern {
    pub role: Option<UIRole>,
    pub stable_id: Option<StableId>,
    pub meaning: Option<CompactString>,
    pub scope_id: Option<ScopeId>,
}

impl ActionTargetPattern {
    /// Whether it means this element: everything that it says holds.
    pub fn matches(&self, element: &DiscoveredElement) -> bool {
        let listed = |list: &Option<Vec<ScopeId>>, id: &ScopeId| list.iter().flatten().any(|each| each == id);
        let means = |text: &CompactString| element.meanings.iter().flatten().any(|each| each == text);
        self.role.as_ref().is_none_or(|role| *role == element.role)
            && self.stable_id.as_ref().is_none_or(|id| element.stable_id.as_ref() == Some(id))
            && self.meaning.as_ref().is_none_or(means)
            && self.scope_id.as_ref().is_none_or(|id| listed(&element.scopes, id))
    }
}

/// An action.
#[wire]
pub struct DiscoveredAction {
    pub id: ActionId,
    pub kind: DiscoveredActionKind,
    pub target_patterns: Option<Vec<ActionTargetPattern>>,
    pub routes: Option<Vec<CompactString>>,
    pub scopes: Option<Vec<ScopeId>>,
    pub args: Option<Vec<ActionArgDescriptor>>,
    pub risk: Option<RiskDescriptor>,
    pub side_effect_class: Option<SideEffectClass>,
    pub success_signals: Option<Vec<SuccessSignal>>,
    pub prerequisites: Option<Vec<WorkflowCondition>>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub review_state: Option<ActionReviewState>,
    pub metadata: Option<JsonObject>,
}

/// The workflows that were guessed.
#[wire]
pub struct WorkflowCandidateCatalog {
    pub workflows: Vec<DiscoveredWorkflowCandidate>,
}

/// The kind of a step.
#[wire]
pub enum SkeletonStepType {
    Instruction,
    Collect,
    Action,
    Ensure,
    Branch,
    Handoff,
    Complete,
}

/// A step in outline.
#[wire]
pub struct WorkflowStepSkeleton {
    #[wire(name = "type")]
    pub step_type: SkeletonStepType,
    pub action_id: Option<ActionId>,
    pub target: Option<TargetRef>,
    pub parameter_names: Option<Vec<CompactString>>,
    pub signals: Option<Vec<SuccessSignal>>,
}

/// A workflow in outline.
#[wire]
pub struct DiscoveredWorkflowCandidate {
    pub id: CompactString,
    pub title: Option<CompactString>,
    pub category: Option<WorkflowCategory>,
    pub route_ids: Option<Vec<CompactString>>,
    pub entry_conditions: Option<Vec<WorkflowCondition>>,
    pub required_inputs: Option<Vec<WorkflowParameter>>,
    pub step_skeleton: Vec<WorkflowStepSkeleton>,
    pub success_signals: Option<Vec<SuccessSignal>>,
    pub discovered_by: Vec<EvidenceRef>,
    pub confidence: Confidence,
    pub review_state: Option<FindingReviewState>,
    pub metadata: Option<JsonObject>,
}
