//! From a request to the element that it is done to.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::request::{ActionRequestPayload, ActionTarget, RequestTarget};
use uiap_model::action::result::{ActionStage, RuntimeErrorCode};
use uiap_model::action::verification::VerificationPolicy;
use uiap_model::capability::{PrimitiveActionType, semantics};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;

use super::drive::Prepared;
use super::ending::Stop;
use super::live::Live;
use super::obstacle::{group, standing};
use super::precondition::Verdict as Ready;
use super::runtime::Core;
use super::take_in;
use crate::resolve::{Identity, Resolution, resolve};
use crate::surface::{Hint, Surface};
use crate::trace::Step;
use crate::verify::find;

/// Below this an action runs only if what it does can be verified.
const FREELY: f64 = 0.8;

/// A target in what was seen last, where that was just now and nothing seems to have happened since: the surface sends nothing if something did.
pub(super) fn at_hand<S: Surface>(core: &Core<S>, live: &Live) -> Option<Prepared> {
    let may = core.surface.checks() && core.scene.is_current() && !take_in::is_hinted(&live.request);
    if !may || !is_aimed(&live.request) {
        return None;
    }
    let found = find_in(core, live, core.scene.graph(), None).ok()?;
    let scope = found.target.as_ref()?.scope_id.as_ref();
    let ready = standing(group(live), &found.graph, scope, found.element()?) == Ready::Clear;
    ready.then_some(Prepared { unchanged: true, ..found })
}

/// Looks, and finds the target in what is there now.
pub(super) async fn find_target<S: Surface>(core: &Core<S>, live: &Live) -> Result<Prepared, Stop> {
    let graph = live.control.until(core.scene.look()).await??;
    let hinted = hinted(core, live).await?;
    find_in(core, live, graph, hinted.as_ref())
}

fn find_in<S: Surface>(
    core: &Core<S>,
    live: &Live,
    graph: Arc<PageGraph>,
    hinted: Option<&ElementInstanceId>,
) -> Result<Prepared, Stop> {
    let at = Instant::now();
    let none =
        |graph| Prepared { graph, at, unchanged: false, target: None, identity: None, confidence: 1.0 };
    let Some(target) = wanted(live) else { return Ok(none(graph)) };
    let past = |id: &ElementInstanceId| {
        let seen = live.as_seen.as_ref().and_then(|seen| Identity::of(seen, id));
        seen.or_else(|| live.meant(id)).or_else(|| core.scene.departed(id))
    };
    let found = resolve(&graph, &live.request.action_id, &target, hinted, past)?;
    tell_resolution(live, &found, &graph);
    if found.chosen.confidence < crate::resolve::THRESHOLD {
        let message = format!("the target is not certain enough ({:.0} %)", found.chosen.confidence * 100.0);
        return Err(Stop::before(RuntimeErrorCode::TargetNotFound, message));
    }
    let unproved =
        live.request.verification.as_ref().and_then(|spec| spec.policy) == Some(VerificationPolicy::None);
    if found.chosen.confidence < FREELY && unproved {
        let message = format!(
            "the target is not certain enough ({:.0} %) for an action that nobody verifies",
            found.chosen.confidence * 100.0
        );
        return Err(Stop::before(RuntimeErrorCode::TargetNotFound, message));
    }
    if core.options.strict {
        made_for(live, &found, &graph)?;
    }
    let identity = Identity::of(&graph, &found.chosen.target.instance_id);
    if let Some(identity) = &identity {
        live.means(&found.chosen.target.instance_id, identity);
    }
    let confidence = found.chosen.confidence;
    Ok(Prepared { confidence, target: Some(found.chosen.target), identity, graph, at, unchanged: false })
}

/// Something that is merely seen is no target, where that is taken strictly.
fn made_for(live: &Live, found: &Resolution, graph: &PageGraph) -> Result<(), Stop> {
    let target = &found.chosen.target;
    let Some(primitive) = PrimitiveActionType::parse(live.request.action_id.as_str()) else { return Ok(()) };
    let Some((_, element)) = find(graph, &target.instance_id) else { return Ok(()) };
    if semantics::accepts(primitive, &element.affordances) {
        return Ok(());
    }
    let message = format!(
        "the target cannot be used: the `{}` takes no `{}`, and nothing that holds it does",
        target.role, live.request.action_id
    );
    Err(Stop::before(RuntimeErrorCode::TargetNotInteractable, message)
        .with(&json!({ "check": "actionable" })))
}

/// Whether the request means an element at all.
pub(super) fn is_aimed(request: &ActionRequestPayload) -> bool {
    let named = request.target.as_ref().is_some_and(|target| {
        let element = target.r#ref.as_ref().is_some_and(|by| !matches!(by, RequestTarget::Route { .. }));
        element || target.expected_role.is_some() || target.expected_name.is_some()
    });
    named || take_in::is_hinted(request)
}

fn wanted(live: &Live) -> Option<ActionTarget> {
    is_aimed(&live.request).then(|| {
        live.request.target.clone().unwrap_or(ActionTarget {
            r#ref: None,
            expected_role: None,
            expected_name: None,
            expected_scope_id: None,
            expected_document_id: None,
            allow_ambiguous: None,
        })
    })
}

fn tell_resolution(live: &Live, found: &Resolution, graph: &PageGraph) {
    live.found(&found.chosen.target);
    let detail = json!({ "candidate": found.chosen.told().0, "others": found.others.iter().take(5).map(|each| each.told().0).collect::<Vec<_>>() });
    live.progress(ActionStage::ResolvingTarget, found.note.clone(), Some(detail));
    live.trace.note(Step::Resolved {
        target: found.chosen.target.clone(),
        confidence: found.chosen.confidence,
        others: found.others.iter().take(5).map(crate::resolve::Candidate::told).collect(),
        note: found.note.clone(),
        revision: graph.revision.clone(),
    });
}

/// What a selector means, if the request brought one.
async fn hinted<S: Surface>(core: &Core<S>, live: &Live) -> Result<Option<ElementInstanceId>, Stop> {
    let metadata = live.request.metadata.as_ref();
    let Some(hints) = metadata.and_then(|metadata| metadata.0.get("hints")) else { return Ok(None) };
    let text = |name: &str| hints.get(name).and_then(|hint| hint.as_str()).map(str::to_owned);
    let hint = text("css").map(Hint::Css).or_else(|| text("xpath").map(Hint::XPath));
    let Some(hint) = hint else { return Ok(None) };
    Ok(live.control.until(core.surface.locate(&hint)).await??)
}
