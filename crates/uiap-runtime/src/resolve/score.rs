//! How well a candidate fits: six factors, each visible in the report.

use serde::Serialize;
use serde_json::json;
use uiap_model::action::result::{ResolvedBy, ResolvedTarget};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionId, ScopeId};
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeNode};

use super::names;
use super::search::{Wanted, lies_in};

/// What speaks for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Factor {
    /// It lies where it was expected.
    Scope,
    /// It is what was expected.
    Role,
    /// It is called what was expected.
    Name,
    /// It has the id that was expected.
    StableId,
    /// It is near to what has the focus.
    Focus,
    /// The action is what it is there for.
    DefaultAction,
}

/// The factors of a candidate, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Factors {
    /// See [`Factor::Scope`].
    pub scope: f64,
    /// See [`Factor::Role`].
    pub role: f64,
    /// See [`Factor::Name`].
    pub name: f64,
    /// See [`Factor::StableId`].
    pub stable_id: f64,
    /// See [`Factor::Focus`].
    pub focus: f64,
    /// See [`Factor::DefaultAction`].
    pub default_action: f64,
}

/// An element that may be meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The element.
    pub target: ResolvedTarget,
    /// What speaks for it.
    pub factors: Factors,
    /// From 0 to 1.
    pub confidence: f64,
    /// For comparison with others; may be above 1.
    pub score: f64,
}

/// How much each factor weighs when candidates are compared. Each is more than [`MARGIN`]: alone it decides.
const WEIGHTS: Factors =
    Factors { scope: 0.25, role: 0.25, name: 0.3, stable_id: 0.5, focus: 0.15, default_action: 0.15 };

/// Candidates that are nearer to each other than this are not told apart.
pub(super) const MARGIN: f64 = 0.1;

impl Candidate {
    /// Weighs an element against what is wanted.
    pub(super) fn weigh(
        wanted: &Wanted<'_>,
        by: ResolvedBy,
        graph: &PageGraph,
        (document, scope, element): (&DocumentNode, &ScopeNode, &ElementNode),
    ) -> Self {
        let name = match (wanted.name, element.name.as_deref()) {
            (Some(wanted), Some(found)) => names::agreement(wanted, found),
            (Some(_), None) => 0.0,
            (None, _) => 1.0,
        };
        let yes = |fact: bool| if fact { 1.0 } else { 0.0 };
        let factors = Factors {
            scope: wanted.scope.map_or(1.0, |id| belonging(document, scope, id)),
            role: yes(wanted.role.is_none_or(|role| *role == element.role)),
            name,
            stable_id: yes(wanted.stable_id.is_some() && wanted.stable_id == element.stable_id.as_ref()),
            focus: nearness(graph, document, element),
            default_action: yes(is_default(element, wanted.action)),
        };
        let score = factors.scope * WEIGHTS.scope
            + factors.role * WEIGHTS.role
            + factors.name * WEIGHTS.name
            + factors.stable_id * WEIGHTS.stable_id
            + factors.focus * WEIGHTS.focus
            + factors.default_action * WEIGHTS.default_action;
        // What was asked for is what must agree; what nobody asked for lowers no confidence.
        let asked = [
            // Somewhere inside of the expected place is where it was expected.
            (wanted.scope.is_some(), if factors.scope > 0.0 { 1.0 } else { 0.0 }),
            (wanted.role.is_some(), factors.role),
            (wanted.name.is_some(), factors.name),
        ];
        let confidence =
            asked.iter().filter(|(asked, _)| *asked).map(|(_, value)| *value).fold(1.0, f64::min);
        let target = ResolvedTarget {
            by,
            instance_id: element.instance_id.clone(),
            stable_id: element.stable_id.clone(),
            document_id: document.document_id.clone(),
            scope_id: Some(scope.id.clone()),
            role: element.role.clone(),
            name: element.name.clone(),
            bbox: element.bbox.as_deref().cloned(),
        };
        Self { target, factors, confidence, score }
    }

    /// For reports.
    pub fn told(&self) -> JsonObject {
        let told = json!({
            "instanceId": self.target.instance_id,
            "stableId": self.target.stable_id,
            "scopeId": self.target.scope_id,
            "role": self.target.role,
            "name": self.target.name,
            "confidence": round(self.confidence),
            "score": round(self.score),
            "factors": self.factors,
        });
        JsonObject(told.as_object().cloned().unwrap_or_default())
    }
}

/// 1 in the expected scope itself, less in one that lies in it, 0 elsewhere.
fn belonging(document: &DocumentNode, scope: &ScopeNode, expected: &ScopeId) -> f64 {
    if scope.id == *expected {
        1.0
    } else if lies_in(document, scope, expected) {
        0.5
    } else {
        0.0
    }
}

fn round(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

fn is_default(element: &ElementNode, action: &ActionId) -> bool {
    element.default_action.as_ref() == Some(action)
}

/// 1 within a hand's breadth of what has the focus, 0 far from it or when nothing has it.
fn nearness(graph: &PageGraph, document: &DocumentNode, element: &ElementNode) -> f64 {
    const NEAR: f64 = 120.0;
    const FAR: f64 = 480.0;
    let Some(focus) = &graph.focus else { return 0.0 };
    let Some(id) = &focus.instance_id else { return 0.0 };
    if focus.document_id != document.document_id || *id == element.instance_id {
        return 0.0;
    }
    let holder = graph.elements().find(|(.., each)| each.instance_id == *id);
    let (Some(from), Some(to)) = (holder.and_then(|(.., each)| each.bbox.as_ref()), &element.bbox) else {
        return 0.0;
    };
    let centre =
        |at: &uiap_model::web::graph::DOMRectLike| (at.x.0 + at.width.0 / 2.0, at.y.0 + at.height.0 / 2.0);
    let ((x1, y1), (x2, y2)) = (centre(from), centre(to));
    let distance = (x2 - x1).hypot(y2 - y1);
    ((FAR - distance) / (FAR - NEAR)).clamp(0.0, 1.0)
}
