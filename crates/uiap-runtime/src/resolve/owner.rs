//! From what is seen to what takes the action: a text or a picture stands for the control around it.

use uiap_model::capability::{PrimitiveActionType, UIRole, semantics};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;

use super::names::plain;
use super::score::Candidate;
use super::search::{Place, Resolution, Wanted, by_leaf};

/// How certain it is at most that a control is meant by what it holds.
const HELD: f64 = 0.9;
/// The same where another control of the same name lies around it.
const CONTESTED: f64 = 0.7;
/// Elements that may lie around each other.
const MOST_DEEP: usize = 64;

/// A text or picture that can do nothing itself stands for the control that holds it: the innermost one.
pub(super) fn container(graph: &PageGraph, wanted: &Wanted<'_>, found: Resolution) -> Resolution {
    let leaf = &found.chosen;
    let Some(primitive) = wanted.primitive else { return found };
    let Some((.., element)) = holder(graph, &leaf.target.instance_id) else { return found };
    if semantics::accepts(primitive, &element.affordances) || !is_pointed_at(primitive) {
        return found;
    }
    let (path, mut owners) = owners(graph, wanted, primitive, leaf);
    if !owners.is_empty() {
        let owner = owners.remove(0);
        let rivals: Vec<Candidate> = owners.into_iter().filter(|outer| is_rival(&owner, outer)).collect();
        let doubt = if rivals.is_empty() { "" } else { "; what holds it could be meant as well" };
        let note = format!(
            "`{}` holds the `{}` that was named ({}){doubt}",
            owner.target.role,
            leaf.target.role,
            path.join(" < ")
        );
        let certainty = if rivals.is_empty() { HELD } else { CONTESTED };
        let chosen = Candidate { confidence: owner.confidence.min(certainty), ..owner };
        let others = rivals.into_iter().chain(found.others).collect();
        return Resolution { chosen, others, note: Some(note) };
    }
    if leaf.target.role == UIRole::Label
        && let Some(owner) = by_leaf(
            graph,
            &Wanted { role: Some(&UIRole::Label), name: leaf.target.name.as_deref(), ..*wanted },
        )
    {
        let note = format!("the label that was named stands for a `{}`", owner.target.role);
        return Resolution { chosen: owner, note: Some(note), ..found };
    }
    found
}

fn holder<'a>(graph: &'a PageGraph, id: &ElementInstanceId) -> Option<Place<'a>> {
    graph.elements().find(|(.., element)| element.instance_id == *id)
}

/// The way from what was named outwards, up to the innermost that takes the action, and all that take it, from there outwards.
fn owners(
    graph: &PageGraph,
    wanted: &Wanted<'_>,
    primitive: PrimitiveActionType,
    leaf: &Candidate,
) -> (Vec<String>, Vec<Candidate>) {
    let loose = Wanted { role: None, name: None, ..*wanted };
    let (mut path, mut owners) = (vec![leaf.target.role.to_string()], Vec::new());
    let mut at = Some(leaf.target.instance_id.clone());
    for _ in 0..MOST_DEEP {
        let parent = at
            .as_ref()
            .and_then(|id| holder(graph, id))
            .and_then(|(.., each)| each.parent_instance_id.clone());
        let Some(place) = parent.as_ref().and_then(|id| holder(graph, id)) else { break };
        let (.., element) = place;
        if owners.is_empty() {
            path.push(element.role.to_string());
        }
        if semantics::accepts(primitive, &element.affordances) {
            owners.push(Candidate::weigh(&loose, leaf.target.by, graph, place));
        }
        at = parent;
    }
    (path, owners)
}

/// Whether two controls, one inside of the other, cannot be told apart by what they are called.
fn is_rival(inner: &Candidate, outer: &Candidate) -> bool {
    let name = |each: &Candidate| each.target.name.as_deref().map(plain).unwrap_or_default();
    name(inner) == name(outer)
}

fn is_pointed_at(primitive: PrimitiveActionType) -> bool {
    use PrimitiveActionType as Action;
    matches!(
        primitive,
        Action::UiActivate | Action::UiToggle | Action::UiChoose | Action::UiExpand | Action::UiCollapse
    )
}
