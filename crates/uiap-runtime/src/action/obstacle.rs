//! Whether the target can be used now, and how to get past what stands in the way.

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::capability::PrimitiveActionType as Action;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::{ElementNode, PageGraph};

use super::drive::Prepared;
use super::ending::Stop;
use super::live::Live;
use super::precondition::{self, Verdict as Ready};
use super::primitive::{self, Group};
use super::runtime::Core;
use crate::surface::{Reach, Surface};
use crate::verify::find;

/// What a look at the target gave.
pub(super) enum Readiness {
    Ready,
    Recover(String),
}

/// Whether the target can be acted on now. Where a person is asked first, a pointer's way is tried before.
pub(super) async fn ready<S: Surface>(
    core: &Core<S>,
    live: &Live,
    prepared: &Prepared,
    asks: bool,
) -> Result<Readiness, Stop> {
    live.control.check()?;
    let Some(element) = prepared.element() else { return Ok(Readiness::Ready) };
    let group = group(live);
    match standing(group, &prepared.graph, home(prepared), element) {
        Ready::Clear if asks && group == Group::Pointer => {
            reach(core, live, &element.instance_id).await.map(|()| Readiness::Ready)
        }
        // What a pointer needs is looked at once more when it is used.
        Ready::Clear => Ok(Readiness::Ready),
        Ready::Aim(obstacle) | Ready::Wait(obstacle) => {
            Ok(Readiness::Recover(precondition::told(obstacle).1.to_owned()))
        }
        Ready::Refuse(obstacle) => Err(refusal(obstacle)),
    }
}

pub(super) fn refusal(obstacle: uiap_model::web::interaction::Obstacle) -> Stop {
    let (check, words) = precondition::told(obstacle);
    Stop::before(RuntimeErrorCode::TargetNotInteractable, format!("the target cannot be used: {words}"))
        .with(&json!({ "check": check }))
}

pub(super) fn group(live: &Live) -> Group {
    match Action::parse(live.descriptor.id.as_str()) {
        Some(action) => primitive::group(action),
        None => Group::App,
    }
}

fn home(prepared: &Prepared) -> Option<&ScopeId> {
    prepared.target.as_ref()?.scope_id.as_ref()
}

/// Whether an element can be used, and the area in which it lies.
pub(super) fn standing(
    group: Group,
    graph: &PageGraph,
    scope: Option<&ScopeId>,
    element: &ElementNode,
) -> Ready {
    let own = precondition::check(group, element);
    if own != Ready::Clear || !matches!(group, Group::Pointer | Group::Text | Group::Value) {
        return own;
    }
    let mut at = scope;
    for _ in 0..32 {
        let Some(scope) = at.and_then(|id| graph.scope(id)) else { break };
        let busy =
            scope.state.as_ref().is_some_and(|state| state.busy == Some(true) || state.loading == Some(true));
        if busy {
            return Ready::Wait(uiap_model::web::interaction::Obstacle::Blocked);
        }
        at = scope.parent_scope_id.as_ref();
    }
    own
}

async fn reach<S: Surface>(core: &Core<S>, live: &Live, id: &ElementInstanceId) -> Result<(), Stop> {
    let refused = |check: &str, words: String, by: Option<String>| {
        Err(Stop::before(
            RuntimeErrorCode::TargetNotInteractable,
            format!("the target cannot be used: {words}"),
        )
        .with(&json!({ "check": check, "coveredBy": by })))
    };
    match live.control.until(core.surface.reach(id)).await?? {
        Reach::Clear => Ok(()),
        Reach::Covered(by) => {
            let what = by.clone().unwrap_or_else(|| "something".to_owned());
            refused("obscured", format!("{what} lies over it"), by)
        }
        Reach::Outside => refused("inViewport", "it cannot be brought into view".to_owned(), None),
        Reach::Hidden => refused("visible", "it cannot be seen".to_owned(), None),
        Reach::Moving => refused("stable", "it does not come to rest".to_owned(), None),
        Reach::Gone => {
            Err(Stop::before(RuntimeErrorCode::StaleTarget, "the target is not in the page any more"))
        }
    }
}

/// Waits for what may pass by itself, and tries what a pointer can do about the rest.
pub(super) async fn get_past<S: Surface>(
    core: &Core<S>,
    live: &Live,
    prepared: &Prepared,
) -> Result<(), Stop> {
    let end = Instant::now() + core.options.patience;
    let Some(target) = &prepared.target else { return Ok(()) };
    let group = group(live);
    loop {
        let mark = core.scene.mark();
        let graph = live.control.until(core.scene.look()).await??;
        let Some((_, element)) = find(&graph, &target.instance_id) else {
            return Err(Stop::before(
                RuntimeErrorCode::StaleTarget,
                "the target is not in the page any more",
            ));
        };
        let obstacle = match standing(group, &graph, target.scope_id.as_ref(), element) {
            Ready::Clear => return Ok(()),
            Ready::Aim(_) => match reach(core, live, &target.instance_id).await {
                Ok(()) => return Ok(()),
                Err(stop) => stop,
            },
            Ready::Refuse(obstacle) => return Err(refusal(obstacle)),
            Ready::Wait(obstacle) => refusal(obstacle),
        };
        let waited = tokio::time::timeout_at(end, core.scene.changed(mark));
        match live.control.until(waited).await? {
            Ok(changed) => changed?,
            Err(_) => return Err(obstacle),
        }
    }
}
