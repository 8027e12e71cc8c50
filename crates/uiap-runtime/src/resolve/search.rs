//! The search, in the spec's order: stable id, meaning by role and name, annotations, selectors.

use std::sync::Arc;

use compact_str::CompactString;
use serde_json::json;
use uiap_model::action::request::{ActionTarget, RequestTarget};
use uiap_model::action::result::{ResolvedBy, RuntimeErrorCode};
use uiap_model::capability::{PrimitiveActionType, UIRole, semantics};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionId, DocumentId, ElementInstanceId, ScopeId, StableId};
use uiap_model::web::graph::BoundaryAccess;
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeNode};

use super::Identity;
use super::boundary::{check_boundaries, opaque_host};
use super::names::{agreement, plain};
use super::owner::container;
use super::score::{Candidate, MARGIN};

/// Below this nothing is done.
pub const THRESHOLD: f64 = 0.6;

pub(super) type Place<'a> = (&'a DocumentNode, &'a ScopeNode, &'a ElementNode);

/// What is wanted of a target.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// What shall be done to it.
    pub action: &'a ActionId,
    /// The primitive behind it, where it is one.
    pub primitive: Option<PrimitiveActionType>,
    /// The id that the app gave it.
    pub stable_id: Option<&'a StableId>,
    /// What it is.
    pub role: Option<&'a UIRole>,
    /// What it is called.
    pub name: Option<&'a str>,
    /// Where it lies.
    pub scope: Option<&'a ScopeId>,
    /// In which document.
    pub document: Option<&'a DocumentId>,
}

/// A target that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// The element that is acted on.
    pub chosen: Candidate,
    /// Others that were considered.
    pub others: Vec<Candidate>,
    /// What led from the element that was named to the one that is acted on, if another.
    pub note: Option<String>,
}

/// Why no target was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ResolveError {
    /// The code of the protocol.
    pub code: RuntimeErrorCode,
    /// In words.
    pub message: String,
    /// What was considered.
    pub detail: Option<JsonObject>,
}

impl ResolveError {
    pub(super) fn new(code: RuntimeErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None }
    }

    fn among(mut self, candidates: &[Candidate]) -> Self {
        let shown: Vec<_> = candidates.iter().take(10).map(|each| each.told().0).collect();
        let detail = json!({ "candidates": shown, "count": candidates.len() });
        self.detail = detail.as_object().cloned().map(JsonObject);
        self
    }
}

/// Finds the element that is meant. `departed` tells what an instance was that is not there any more, `hinted` what a selector
/// of the platform means.
pub fn resolve(
    graph: &PageGraph,
    action: &ActionId,
    target: &ActionTarget,
    hinted: Option<&ElementInstanceId>,
    departed: impl Fn(&ElementInstanceId) -> Option<Identity>,
) -> Result<Resolution, ResolveError> {
    let primitive = PrimitiveActionType::parse(action.as_str());
    let mut wanted = Wanted {
        action,
        primitive,
        stable_id: None,
        role: target.expected_role.as_ref(),
        name: target.expected_name.as_deref(),
        scope: target.expected_scope_id.as_ref(),
        document: target.expected_document_id.as_ref(),
    };
    check_boundaries(graph, &wanted)?;
    let found = match &target.r#ref {
        Some(RequestTarget::InstanceId { value }) => by_instance(graph, &wanted, value, departed)?,
        Some(RequestTarget::StableId { value }) => {
            wanted.stable_id = Some(value);
            by_stable_id(graph, &wanted, value)?
        }
        Some(RequestTarget::Semantic { role, name, scope }) => {
            let asked = Wanted {
                role: Some(role),
                name: name.as_deref().or(wanted.name),
                scope: scope.as_ref().or(wanted.scope),
                ..wanted
            };
            if wanted.role.is_some_and(|expected| expected != role) {
                return Err(contradiction(&format!("`{role}` was asked for, and another role expected")));
            }
            let found = by_meaning(graph, &asked);
            contradicts(&wanted, found.first())?;
            found
        }
        Some(RequestTarget::Scope { value }) => by_scope(graph, &wanted, value)?,
        Some(RequestTarget::Custom { value }) => by_annotation(graph, &wanted, value),
        Some(RequestTarget::Route { .. }) => {
            return Err(ResolveError::new(
                RuntimeErrorCode::TargetNotFound,
                "a route is a target of `nav.navigate` only",
            ));
        }
        None => Vec::new(),
    };
    let found = if found.is_empty() { by_fallback(graph, &wanted, target, hinted)? } else { found };
    decide(graph, &wanted, found)
}

fn within<'a>(graph: &'a PageGraph, wanted: &'a Wanted<'_>) -> impl Iterator<Item = Place<'a>> {
    graph.elements().filter(move |(document, scope, _)| {
        wanted.document.is_none_or(|id| *id == document.document_id)
            && wanted.scope.is_none_or(|id| *id == scope.id || lies_in(document, scope, id))
    })
}

/// Whether a scope lies in another, at any depth.
pub(super) fn lies_in(document: &DocumentNode, scope: &ScopeNode, outer: &ScopeId) -> bool {
    let mut at = scope.parent_scope_id.as_ref();
    for _ in 0..document.scopes.len() {
        match at {
            Some(id) if id == outer => return true,
            Some(id) => {
                let parent = document.scopes.iter().find(|each| each.id == *id);
                at = parent.and_then(|parent| parent.parent_scope_id.as_ref());
            }
            None => return false,
        }
    }
    false
}

fn by_instance(
    graph: &PageGraph,
    wanted: &Wanted<'_>,
    id: &ElementInstanceId,
    departed: impl Fn(&ElementInstanceId) -> Option<Identity>,
) -> Result<Vec<Candidate>, ResolveError> {
    let known = departed(id);
    let present = graph.elements().find(|(.., element)| element.instance_id == *id);
    if let Some(place) = present {
        let found = Candidate::weigh(wanted, ResolvedBy::InstanceId, graph, place);
        let same = known.as_ref().is_none_or(|known| known.is_still(graph, id));
        match contradicts(wanted, Some(&found)) {
            Ok(()) if same => return Ok(vec![found]),
            Ok(()) => {}
            Err(error) => {
                let twins = by_expectation(graph, wanted, id);
                return if twins.len() == 1 { Ok(twins) } else { Err(stale(&error)) };
            }
        }
    }
    let gone = |what: &str| {
        let is = if present.is_some() { "has become another" } else { "is not in the page any more" };
        let message = format!("the element {is}{what}; look again before you act");
        ResolveError::new(RuntimeErrorCode::StaleTarget, message)
    };
    let Some(identity) = known else { return Err(gone("")) };
    if identity.was_one_of_several() {
        return Err(gone(", and nothing tells which of its equals is left"));
    }
    let heirs = identity.find(graph);
    let places = graph.elements().filter(|(.., element)| heirs.contains(&element.instance_id));
    let found: Vec<_> =
        places.map(|place| Candidate::weigh(wanted, ResolvedBy::Semantic, graph, place)).collect();
    match found.as_slice() {
        [heir] => {
            contradicts(wanted, Some(heir))?;
            Ok(found)
        }
        [] => Err(gone("")),
        // One of several equals: which of them it was, nobody can tell.
        several => Err(gone(", and several others look the same").among(several)),
    }
}

fn stale(error: &ResolveError) -> ResolveError {
    ResolveError::new(RuntimeErrorCode::StaleTarget, format!("{}; look again before you act", error.message))
}

/// Another element that is exactly what was expected of one that has become something else.
fn by_expectation(graph: &PageGraph, wanted: &Wanted<'_>, not: &ElementInstanceId) -> Vec<Candidate> {
    let (Some(role), Some(name)) = (wanted.role, wanted.name) else { return Vec::new() };
    let hits = within(graph, wanted).filter(|(.., element)| {
        element.instance_id != *not
            && element.role == *role
            && element.name.as_deref().is_some_and(|found| plain(found) == plain(name))
    });
    hits.map(|place| Candidate::weigh(wanted, ResolvedBy::Semantic, graph, place)).collect()
}

fn by_stable_id(
    graph: &PageGraph,
    wanted: &Wanted<'_>,
    id: &StableId,
) -> Result<Vec<Candidate>, ResolveError> {
    let hits = graph.elements().filter(|(.., element)| element.stable_id.as_ref() == Some(id));
    let found: Vec<_> =
        hits.map(|place| Candidate::weigh(wanted, ResolvedBy::StableId, graph, place)).collect();
    if found.is_empty() {
        return Ok(found);
    }
    let fitting: Vec<_> =
        found.iter().filter(|each| contradicts(wanted, Some(each)).is_ok()).cloned().collect();
    if fitting.is_empty() {
        contradicts(wanted, found.first())?;
    }
    Ok(fitting)
}

fn by_meaning(graph: &PageGraph, wanted: &Wanted<'_>) -> Vec<Candidate> {
    let hits = within(graph, wanted).filter(|(.., element)| {
        wanted.role.is_none_or(|role| *role == element.role)
            && wanted.name.is_none_or(|name| {
                element.name.as_deref().is_some_and(|found| agreement(name, found) >= THRESHOLD)
            })
    });
    let mut found: Vec<_> =
        hits.map(|place| Candidate::weigh(wanted, ResolvedBy::Semantic, graph, place)).collect();
    if found.is_empty()
        && let Some(leaf) = by_leaf(graph, wanted)
    {
        found.push(leaf);
    }
    found
}

/// A control that goes by the words of its label where it has another role than was asked for: text for its card, a label for its
/// field.
pub(super) fn by_leaf(graph: &PageGraph, wanted: &Wanted<'_>) -> Option<Candidate> {
    let name = wanted.name?;
    if wanted.role != Some(&UIRole::Label) {
        return None;
    }
    let primitive = wanted.primitive?;
    let mut owners = within(graph, wanted).filter(|(.., element)| {
        semantics::accepts(primitive, &element.affordances)
            && primitive != PrimitiveActionType::UiRead
            && element.name.as_deref().is_some_and(|found| agreement(name, found) >= THRESHOLD)
    });
    let owner = owners.next()?;
    if owners.next().is_some() {
        return None;
    }
    let asked = Wanted { role: None, ..*wanted };
    Some(Candidate::weigh(&asked, ResolvedBy::Semantic, graph, owner))
}

fn by_scope(graph: &PageGraph, wanted: &Wanted<'_>, id: &ScopeId) -> Result<Vec<Candidate>, ResolveError> {
    let Some((document, scope)) = graph.scopes().find(|(_, scope)| scope.id == *id) else {
        return Ok(Vec::new());
    };
    check_boundaries(graph, &Wanted { scope: Some(id), ..*wanted })?;
    let by = ResolvedBy::Annotation;
    let weigh = |element: &Arc<ElementNode>| Candidate::weigh(wanted, by, graph, (document, scope, element));
    let submit = scope.submit_target.as_ref();
    let chosen = scope
        .elements
        .iter()
        .filter(|element| {
            Some(&element.instance_id) == submit || element.default_action.as_ref() == Some(wanted.action)
        })
        .map(weigh)
        .collect::<Vec<_>>();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    // The submit button of a form may stand in a scope inside of it.
    let nested = graph.elements().filter(|(.., element)| Some(&element.instance_id) == submit);
    let nested: Vec<_> = nested.map(|place| Candidate::weigh(wanted, by, graph, place)).collect();
    if !nested.is_empty() {
        return Ok(nested);
    }
    // Where the scope itself is what is meant, any of its elements leads there; a pointer needs one that is named.
    let stands_for_scope = wanted.primitive.is_some_and(is_done_to_scopes);
    Ok(scope.elements.first().filter(|_| stands_for_scope).map(weigh).into_iter().collect())
}

fn by_annotation(graph: &PageGraph, wanted: &Wanted<'_>, meaning: &str) -> Vec<Candidate> {
    let hits = within(graph, wanted).filter(|(.., element)| {
        element.meaning.as_deref().is_some_and(|found| plain(found) == plain(meaning))
            || element.default_action.as_ref().is_some_and(|action| action.as_str() == meaning)
    });
    let found = hits.map(|place| Candidate::weigh(wanted, ResolvedBy::Annotation, graph, place));
    found.filter(|each| contradicts(wanted, Some(each)).is_ok()).collect()
}

/// When what was named is not there: role and name that were expected, then annotations, then a selector.
fn by_fallback(
    graph: &PageGraph,
    wanted: &Wanted<'_>,
    target: &ActionTarget,
    hinted: Option<&ElementInstanceId>,
) -> Result<Vec<Candidate>, ResolveError> {
    if wanted.role.is_some() && wanted.name.is_some() {
        let found = by_meaning(graph, wanted);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let words: Option<CompactString> = match &target.r#ref {
        Some(RequestTarget::StableId { value }) => Some(value.as_str().into()),
        Some(RequestTarget::Semantic { name, .. }) => name.clone(),
        _ => None,
    };
    let words = words.or_else(|| target.expected_name.clone());
    if let Some(words) = words {
        let found = by_annotation(graph, wanted, &words);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    if let Some(id) = hinted
        && let Some(place) = graph.elements().find(|(.., element)| element.instance_id == *id)
    {
        let found = Candidate::weigh(wanted, ResolvedBy::RuntimeHint, graph, place);
        contradicts(wanted, Some(&found))?;
        return Ok(vec![found]);
    }
    Ok(Vec::new())
}

/// What was expected must be so.
fn contradicts(wanted: &Wanted<'_>, found: Option<&Candidate>) -> Result<(), ResolveError> {
    let Some(found) = found else { return Ok(()) };
    let target = &found.target;
    if let Some(role) = wanted.role.filter(|role| **role != target.role) {
        return Err(contradiction(&format!("it is a `{}`, expected `{role}`", target.role)));
    }
    if let Some(name) = wanted.name
        && agreement(name, target.name.as_deref().unwrap_or_default()) < THRESHOLD
    {
        let is = target.name.as_deref().unwrap_or("nothing");
        return Err(contradiction(&format!("it is called `{is}`, expected `{name}`")));
    }
    if let Some(scope) = wanted.scope.filter(|_| found.factors.scope == 0.0) {
        return Err(contradiction(&format!("it does not lie in `{scope}`")));
    }
    if let Some(document) = wanted.document.filter(|id| **id != target.document_id) {
        return Err(contradiction(&format!("it lies in `{}`, expected `{document}`", target.document_id)));
    }
    Ok(())
}

fn contradiction(what: &str) -> ResolveError {
    ResolveError::new(
        RuntimeErrorCode::TargetNotFound,
        format!("the target is not what was expected: {what}"),
    )
}

/// Among several that fit equally well each is the one that is meant with a share of the certainty only.
fn shared_confidence(mut all: Vec<Candidate>) -> Vec<Candidate> {
    let best = all.first().map_or(0.0, |first| first.score);
    let equals = all.iter().filter(|each| best - each.score < MARGIN).count().max(1);
    #[expect(clippy::cast_precision_loss, reason = "a page has not so many elements")]
    let share = 1.0 / equals as f64;
    for each in all.iter_mut().filter(|each| best - each.score < MARGIN) {
        each.confidence *= share;
    }
    all
}

/// One clear winner, or none.
fn decide(
    graph: &PageGraph,
    wanted: &Wanted<'_>,
    mut found: Vec<Candidate>,
) -> Result<Resolution, ResolveError> {
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| a.target.instance_id.cmp(&b.target.instance_id))
    });
    let mut found = found.into_iter();
    let Some(chosen) = found.next() else { return Err(not_found(graph, wanted)) };
    let others: Vec<_> = found.collect();
    if others.first().is_some_and(|next| chosen.score - next.score < MARGIN) {
        let all: Vec<_> = std::iter::once(chosen).chain(others).collect();
        let all = shared_confidence(all);
        let count = all.len();
        return Err(ResolveError::new(
            RuntimeErrorCode::TargetAmbiguous,
            format!("{count} elements fit equally well: say which one is meant, by its ref or instance id, or by its scope"),
        )
        .among(&all));
    }
    if let Some(code) = graph
        .elements()
        .find(|(.., element)| element.instance_id == chosen.target.instance_id)
        .and_then(|(.., element)| opaque_host(graph, element))
    {
        return Err(ResolveError::new(code, "what lies behind this element cannot be looked into"));
    }
    let found = Resolution { chosen, others, note: None };
    Ok(container(graph, wanted, found))
}

fn is_done_to_scopes(primitive: PrimitiveActionType) -> bool {
    use PrimitiveActionType as Action;
    matches!(primitive, Action::UiSubmit | Action::UiClose | Action::UiScroll)
}

fn not_found(graph: &PageGraph, wanted: &Wanted<'_>) -> ResolveError {
    let error =
        ResolveError::new(RuntimeErrorCode::TargetNotFound, "no element of the page is what was asked for");
    let loose = Wanted { role: None, ..*wanted };
    let near: Vec<_> = match wanted.name {
        None => Vec::new(),
        Some(name) => graph
            .elements()
            .filter(|(.., element)| {
                element.name.as_deref().is_some_and(|found| agreement(name, found) >= THRESHOLD)
            })
            .map(|place| Candidate::weigh(&loose, ResolvedBy::Semantic, graph, place))
            .collect(),
    };
    let hidden = graph.documents.iter().filter(|each| each.access == BoundaryAccess::Opaque).count();
    let message = match (near.is_empty(), hidden) {
        (false, _) => {
            "no element of the page is what was asked for; some have that name in another role or place"
        }
        (true, 0) => "no element of the page is what was asked for",
        (true, _) => "no element of the page is what was asked for; parts of the page cannot be looked into",
    };
    ResolveError { message: message.to_owned(), ..error }.among(&near)
}
