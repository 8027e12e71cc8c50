//! Short ways to write documents, questions and situations.

use serde_json::{Value, json};
use uiap_model::authoring::{BuildContext, ElementBinding};
use uiap_model::capability::ActionDescriptor;
use uiap_model::policy::{PolicyDecision, PolicyEffect, PolicyGrant, PolicyReason, PolicyRequest};
use uiap_model::web::ElementNode;
use uiap_policy::{Limits, Policies, Refusal, Situation};

/// A context that says nothing.
pub(crate) fn anywhere() -> BuildContext {
    serde_json::from_value(json!({})).unwrap()
}

/// A document: `members` on top of the shortest valid one.
pub(crate) fn document(members: Value) -> Value {
    let mut document =
        json!({ "modelVersion": "0.1", "id": "app", "defaults": { "onUnknownAction": "deny" } });
    merge(&mut document, members);
    document
}

/// Compiles documents.
pub(crate) fn compile(documents: &[Value]) -> Result<Policies, Refusal> {
    Policies::from_values(documents, &anywhere())
}

/// Compiles one document out of its members.
pub(crate) fn policies(members: Value) -> Policies {
    compile(&[document(members)]).unwrap()
}

/// A document with these rules.
pub(crate) fn rules(rules: Value) -> Policies {
    policies(json!({ "rules": rules }))
}

/// A question of an agent with these grants.
pub(crate) fn ask(action: &str, grants: &[&str]) -> Value {
    json!({ "principal": { "type": "agent", "id": "agent-1", "grants": grants }, "actionId": action })
}

/// A question with more members.
pub(crate) fn ask_with(action: &str, grants: &[&str], members: Value) -> PolicyRequest {
    let mut request = ask(action, grants);
    merge(&mut request, members);
    serde_json::from_value(request).unwrap()
}

/// Puts the members of one object over those of another, member by member.
pub(crate) fn merge(into: &mut Value, from: Value) {
    let Value::Object(members) = from else { panic!("an object is needed") };
    for (name, value) in members {
        match into.get_mut(&name) {
            Some(there) if there.is_object() && value.is_object() => merge(there, value),
            _ => {
                into[name] = value;
            }
        }
    }
}

/// What the app side knows, owned.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) descriptor: Option<ActionDescriptor>,
    pub(crate) binding: Option<ElementBinding>,
    pub(crate) element: Option<ElementNode>,
    pub(crate) route: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) workflow: Option<String>,
    pub(crate) mode: Option<uiap_model::capability::ExecutionMode>,
    pub(crate) limits: Limits,
}

impl World {
    pub(crate) fn situation(&self) -> Situation<'_> {
        Situation {
            descriptor: self.descriptor.as_ref(),
            binding: self.binding.as_ref(),
            element: self.element.as_ref(),
            route_id: self.route.as_deref(),
            scope_id: self.scope.as_deref(),
            workflow_id: self.workflow.as_deref(),
            execution_mode: self.mode,
            limits: self.limits,
        }
    }

    /// An action that the app declares.
    pub(crate) fn declaring(action: &str, level: &str, side_effect: Option<&str>) -> Self {
        let mut value = json!({
            "id": action, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"],
            "risk": { "level": level },
        });
        if let Some(effect) = side_effect {
            value["metadata"] = json!({ "sideEffect": effect });
        }
        Self { descriptor: Some(serde_json::from_value(value).unwrap()), ..Self::default() }
    }

    /// An element of the page.
    pub(crate) fn element(members: Value) -> Self {
        Self { element: Some(element(members)), ..Self::default() }
    }

    /// An element as the contract describes it.
    pub(crate) fn bound(members: Value) -> Self {
        let mut value = json!({ "id": "thing", "match": [] });
        merge(&mut value, members);
        Self { binding: Some(serde_json::from_value(value).unwrap()), ..Self::default() }
    }
}

/// An element: `members` on top of a plain button.
pub(crate) fn element(members: Value) -> ElementNode {
    let mut value = json!({
        "instanceId": "e1", "role": "button", "affordances": ["read"], "state": {}, "web": { "attached": true },
        "source": "annotation",
    });
    merge(&mut value, members);
    serde_json::from_value(value).unwrap()
}

/// Decides in that world.
pub(crate) fn decide(policies: &Policies, request: &PolicyRequest, world: &World) -> PolicyDecision {
    policies.decide("d-1".into(), request, &world.situation())
}

/// The effect for a declared safe action without side effects that matter: everything but the rules allows it.
pub(crate) fn effect_of_rules(policies: &Policies, members: Value) -> PolicyEffect {
    let world = World::declaring("video.list", "safe", Some("none"));
    decide(policies, &ask_with("video.list", &["admin"], members), &world).effect
}

/// The missing grants.
pub(crate) fn missing(decision: &PolicyDecision) -> Vec<&str> {
    decision.missing_grants.iter().flatten().map(PolicyGrant::as_str).collect()
}

/// Whether the decision gives that reason.
pub(crate) fn gives(decision: &PolicyDecision, reason: PolicyReason) -> bool {
    decision.reasons.contains(&reason)
}

/// The refusal of a document, as (pointer, allowed values, text).
pub(crate) fn refusal(members: Value) -> (String, Vec<String>, String) {
    let refusal = compile(&[document(members)]).expect_err("the document is refused");
    let problem = &refusal.problems()[0];
    (problem.pointer.clone(), problem.allowed.clone(), problem.to_string())
}
