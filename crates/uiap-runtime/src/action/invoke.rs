//! Actions of the app: by its own function, else by the element that stands for it.

use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::capability::ExecutionMode;
use uiap_model::json::JsonObject;
use uiap_model::web::{ElementNode, PageGraph};

use super::ending::Stop;
use super::hands::Hands;
use super::obstacle::refusal;
use super::perform::Performed;
use super::precondition::{self, Verdict as Ready};
use super::primitive::Group;
use crate::surface::{Command, Press, Surface};
use crate::verify::Check;

/// An action of the app: by its own function, else by the element that stands for it.
pub(super) async fn invoke<S: Surface>(
    hands: &mut Hands<'_, S>,
    element: Option<&ElementNode>,
    graph: &PageGraph,
) -> Result<Performed, Stop> {
    let action_id = hands.live.request.action_id.clone();
    let command = Command::Invoke {
        action_id: action_id.clone(),
        args: hands.live.args.clone(),
        handle: hands.live.handle.clone(),
    };
    let stands_for = |each: &ElementNode| each.default_action.as_ref() == Some(&action_id);
    let mut found = graph.elements().map(|(.., each)| each).filter(|each| stands_for(each));
    let button = match element {
        Some(element) => Some(element),
        None => found.next().filter(|_| found.next().is_none()),
    };
    let app_first = hands.modes.first() == Some(&ExecutionMode::AppAction);
    if app_first && let Some(performed) = by_function(hands, &command).await? {
        return Ok(performed);
    }
    if let Some(button) = button
        && let Some(performed) = by_click(hands, button).await?
    {
        return Ok(performed);
    }
    if !app_first && let Some(performed) = by_function(hands, &command).await? {
        return Ok(performed);
    }
    Err(Stop::before(
        RuntimeErrorCode::ExecutionModeUnavailable,
        format!("the app offers no function for `{action_id}`, and no element of the page stands for it"),
    ))
}

/// None when the app has no such function.
async fn by_function<S: Surface>(
    hands: &mut Hands<'_, S>,
    command: &Command,
) -> Result<Option<Performed>, Stop> {
    let done = hands.try_send(command).await?;
    Ok(done.map(|done| {
        let value = done.value.and_then(|value| value.as_object().cloned()).map(JsonObject);
        Performed { value, side_effect: done.side_effect, ..Performed::of(Check::Change) }
    }))
}

/// None when there is no way to click.
async fn by_click<S: Surface>(
    hands: &mut Hands<'_, S>,
    button: &ElementNode,
) -> Result<Option<Performed>, Stop> {
    // A function of the app looks for itself; a click must be one that a person could make.
    match precondition::check(Group::Pointer, button) {
        Ready::Clear | Ready::Aim(_) => {}
        Ready::Wait(obstacle) | Ready::Refuse(obstacle) => return Err(refusal(obstacle)),
    }
    let done = hands.try_send(&Command::Click(Press::on(button.instance_id.clone()))).await?;
    let watched = Some(button.instance_id.clone());
    Ok(done.map(|_| Performed { watched, ..Performed::of(Check::Change) }))
}
