//! What the policy says of an action, and the ways that are left to do it.

use serde_json::json;
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::capability::{ActionDescriptor, ExecutionMode, RiskLevel, RiskTag, TargetRef};
use uiap_model::names::ActionHandle;
use uiap_model::policy::audit::AuditEvent;
use uiap_model::policy::{PolicyDecision, PolicyEffect, PolicyRequest};
use uiap_model::web::PageGraph;
use uiap_model::workflow::LocalizedText;
use uiap_policy::audit::AuditDraft;
use uiap_policy::confirmation::Party;
use uiap_policy::{Limits, Situation, permits_mode};

use super::drive::Prepared;
use super::ending::Stop;
use super::live::Live;
use super::runtime::Core;
use crate::surface::Surface;
use crate::trace::Step;

/// The order in which ways to act are tried where neither app nor policy nor surface knows a better one.
const ORDER: [ExecutionMode; 5] = [
    ExecutionMode::AppAction,
    ExecutionMode::SemanticUi,
    ExecutionMode::ExternalDriver,
    ExecutionMode::InputSynthesis,
    ExecutionMode::VisionAssist,
];

/// What the policy is asked before a target is known.
fn question(by: &Party, request: &ActionRequestPayload, graph: &PageGraph) -> PolicyRequest {
    PolicyRequest {
        principal: by.principal.clone(),
        action_id: request.action_id.clone(),
        target: None,
        args: request.args.clone(),
        risk: None,
        side_effect: None,
        data_classes: None,
        route_id: None,
        scope_id: None,
        execution_mode: None,
        workflow_id: None,
        interaction_mode: None,
        revision: Some(graph.revision.clone()),
    }
}

impl<S: Surface> Core<S> {
    pub(super) fn ask(live: &Live, prepared: &Prepared) -> PolicyRequest {
        let target = prepared.target.as_ref().map(|target| match &target.stable_id {
            Some(id) => TargetRef::StableId { value: id.clone() },
            None => TargetRef::Semantic {
                role: target.role.clone(),
                name: target.name.clone(),
                scope: target.scope_id.clone(),
            },
        });
        let scope_id = prepared.target.as_ref().and_then(|target| target.scope_id.clone());
        PolicyRequest { target, scope_id, ..question(&live.by, &live.request, &prepared.graph) }
    }

    pub(super) fn situation<'a>(live: &'a Live, prepared: &'a Prepared) -> Situation<'a> {
        let place = prepared.target.as_ref().and_then(|target| {
            prepared.graph.elements().find(|(.., element)| element.instance_id == target.instance_id)
        });
        Situation {
            descriptor: Some(&live.descriptor),
            binding: None,
            element: place.map(|(.., element)| element),
            route_id: prepared.graph.route.route_id.as_deref(),
            scope_id: place.map(|(_, scope, _)| scope.id.as_str()),
            execution_mode: None,
            workflow_id: None,
            limits: place.map(|(document, scope, _)| Limits::of(document, Some(scope))).unwrap_or_default(),
        }
    }

    /// Asks the policy about an action whose facts are all known before anything is looked for: it has no target, or nobody may
    /// do it at all. The answer is there when it is a refusal.
    pub(super) fn refused_at_once(
        &self,
        by: &Party,
        request: &ActionRequestPayload,
        descriptor: &ActionDescriptor,
        handle: &ActionHandle,
    ) -> Option<PolicyDecision> {
        let blocked = descriptor.risk.level == RiskLevel::Blocked;
        if !blocked && super::aim::is_aimed(request) {
            return None;
        }
        let graph = self.scene.graph();
        let question = question(by, request, &graph);
        let situation = Situation {
            descriptor: Some(descriptor),
            route_id: graph.route.route_id.as_deref(),
            ..Situation::default()
        };
        let decision = self.policies().decide(format!("dec_{handle}").into(), &question, &situation);
        if decision.effect != PolicyEffect::Deny && !blocked {
            return None;
        }
        self.append(handle, AuditDraft::of_decision(AuditEvent::Decision, &question, &decision), None);
        Some(decision)
    }

    /// Asks the policy, and writes down what it says.
    pub(super) fn decide(&self, live: &Live, prepared: &Prepared) -> Result<PolicyDecision, Stop> {
        let request = Self::ask(live, prepared);
        let situation = Self::situation(live, prepared);
        let policies = self.policies();
        let decision = policies.decide(format!("dec_{}", live.handle).into(), &request, &situation);
        live.trace.note(Step::Decision {
            effect: decision.effect,
            rules: decision.matched_rules.iter().map(ToString::to_string).collect(),
            reasons: decision.reasons.iter().map(ToString::to_string).collect(),
        });
        let draft = AuditDraft::of_decision(AuditEvent::Decision, &request, &decision)
            .args(&live.args, &self.redactor(), &situation, &policies)
            .map_err(|error| Stop::before(RuntimeErrorCode::InternalRuntimeError, error.to_string()))?;
        self.write_down(live, prepared, draft);
        Ok(decision)
    }

    /// The ways in which this may be done, the one to try first first.
    pub(super) fn modes(&self, live: &Live, decision: &PolicyDecision) -> Result<Vec<ExecutionMode>, Stop> {
        let own = self.options.order.as_deref().or_else(|| self.surface.preference()).unwrap_or(&ORDER);
        let wished = live.request.preferred_execution_modes.as_deref().filter(|wished| !wished.is_empty());
        let tags = live.descriptor.risk.tags.as_deref().unwrap_or_default();
        let delicate = tags.iter().any(|tag| matches!(tag, RiskTag::Security | RiskTag::Identity));
        let offered = self.surface.modes();
        let usable = |mode: &ExecutionMode| {
            offered.contains(mode)
                && live.descriptor.execution_modes.contains(mode)
                && permits_mode(decision, *mode)
                && !(delicate && *mode == ExecutionMode::InputSynthesis)
        };
        let mut modes: Vec<ExecutionMode> = wished.unwrap_or(own).iter().copied().filter(usable).collect();
        // Pictures are looked at when nothing else is left, whatever anybody wishes.
        modes.sort_by_key(|mode| *mode == ExecutionMode::VisionAssist);
        if modes.first() == Some(&ExecutionMode::VisionAssist) {
            let others =
                own.iter().copied().filter(usable).filter(|mode| *mode != ExecutionMode::VisionAssist);
            let others: Vec<_> = others.collect();
            if !others.is_empty() {
                modes.splice(0..0, others);
            }
        }
        if modes.is_empty() {
            return Err(Stop::before(
                RuntimeErrorCode::ExecutionModeUnavailable,
                "none of the ways in which this action may be done is available",
            ));
        }
        Ok(modes)
    }
}

/// The policy says no.
pub(super) fn denied(decision: &PolicyDecision) -> Stop {
    let why = decision.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let said = decision.message.as_ref().map(|message| format!(": {}", plain(message))).unwrap_or_default();
    Stop::before(RuntimeErrorCode::PolicyDenied, format!("the policy refuses it ({why}){said}")).with(&json!({
        "decisionId": decision.decision_id, "matchedRules": decision.matched_rules, "missingGrants": decision.missing_grants,
    }))
}

/// Words for people.
pub(super) fn plain(text: &LocalizedText) -> String {
    match text {
        LocalizedText::Plain(text) => text.to_string(),
        LocalizedText::Translated(text) => text.default.to_string(),
    }
}
