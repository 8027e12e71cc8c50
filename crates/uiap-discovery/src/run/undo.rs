//! What takes a step back without leaving the page: turning off what was turned on, choosing what was chosen before.

use uiap_model::capability::UIRole;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::{ElementNode, PageGraph};

use super::compare::opens_layer;
use crate::candidate::{aim_at, find};
use crate::ground::{Deed, Step};

/// The same as a step, for the log of decisions: it is written down before it is done.
pub(super) fn way_back(step: &Step, before: &PageGraph, after: &PageGraph) -> Option<Step> {
    let (deed, target) = undo(step, before, after)?;
    let (_, scope, element) = after.elements().find(|(.., each)| each.instance_id == target)?;
    Some(Step { deed, aim: Some(aim_at(scope, element, 0)), sealed: false, drafts: Vec::new() })
}

/// What to do, and to what. None where Escape is the better guess.
pub(super) fn undo(step: &Step, before: &PageGraph, after: &PageGraph) -> Option<(Deed, ElementInstanceId)> {
    if step.sealed || opens_layer(before, after) {
        return None;
    }
    let aim = step.aim.as_ref()?;
    let (was, is) = (find(before, aim)?, find(after, aim)?);
    let same = |deed: Deed| Some((deed, is.instance_id.clone()));
    match &step.deed {
        Deed::Toggle => same(Deed::Toggle),
        Deed::Activate if is.role == UIRole::Tab => {
            let chosen = chosen_tab(before, was)?;
            let again = after.elements().map(|(.., each)| each).find(|each| is_same(each, chosen))?;
            Some((Deed::Activate, again.instance_id.clone()))
        }
        Deed::Activate | Deed::Open
            if was.state.expanded == Some(false) && is.state.expanded == Some(true) =>
        {
            same(step.deed.clone())
        }
        Deed::Activate if was.state.pressed.is_some() && was.state.pressed != is.state.pressed => {
            same(Deed::Activate)
        }
        Deed::Choose { .. } => {
            let options = was.options.iter().flatten();
            let value = options.into_iter().find(|option| option.selected == Some(true))?.value.to_string();
            same(Deed::Choose { value })
        }
        Deed::EnterText { .. } => {
            let text = was.state.text_value.as_deref().unwrap_or_default().to_owned();
            same(Deed::EnterText { text })
        }
        _ => None,
    }
}

/// The tab that was chosen beside this one.
fn chosen_tab<'a>(graph: &'a PageGraph, tab: &ElementNode) -> Option<&'a ElementNode> {
    let mut scopes = graph.scopes().map(|(_, scope)| scope);
    let home = scopes.find(|scope| scope.elements.iter().any(|each| each.instance_id == tab.instance_id))?;
    let chosen = home.elements.iter().find(|each| {
        each.role == UIRole::Tab
            && each.state.selected == Some(true)
            && each.parent_instance_id == tab.parent_instance_id
    });
    chosen.map(|each| &**each)
}

fn is_same(one: &ElementNode, other: &ElementNode) -> bool {
    one.instance_id == other.instance_id
        || (one.role == other.role && one.name == other.name && one.stable_id == other.stable_id)
}
