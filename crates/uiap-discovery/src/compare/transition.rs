//! Ways, told by the places that they join: states change their ids with everything on them.

use std::collections::{BTreeMap, BTreeSet};

use uiap_model::capability::TargetRef;
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::discovery::transition::DiscoveryStateNode;

use super::{Area, Change, ChangeKind, Detail};

/// From where, by what, on what.
type Way = (String, String, String);

pub(super) fn compare(old: &DiscoveryPackage, new: &DiscoveryPackage, changes: &mut Vec<Change>) {
    let (before, after) = (ways(old), ways(new));
    for (way, ends) in &before {
        match after.get(way) {
            None => changes.push(change(ChangeKind::Removed, way, ends)),
            Some(now) if now != ends => {
                let join = |ends: &BTreeSet<String>| ends.iter().cloned().collect::<Vec<_>>().join(", ");
                let detail = Detail { member: "leadsTo".to_owned(), before: join(ends), after: join(now) };
                changes.push(Change { details: vec![detail], ..change(ChangeKind::Changed, way, now) });
            }
            Some(_) => {}
        }
    }
    let fresh = after.iter().filter(|(way, _)| !before.contains_key(*way));
    changes.extend(fresh.map(|(way, ends)| change(ChangeKind::Added, way, ends)));
}

fn change(kind: ChangeKind, (from, action, target): &Way, ends: &BTreeSet<String>) -> Change {
    let to = ends.iter().cloned().collect::<Vec<_>>().join(", ");
    Change {
        area: Area::Transition,
        kind,
        id: format!("{from} {action} {target}"),
        label: format!("{target} in {from} leads to {to}"),
        details: Vec::new(),
    }
}

fn ways(package: &DiscoveryPackage) -> BTreeMap<Way, BTreeSet<String>> {
    let places: BTreeMap<&str, String> =
        package.transition_graph.states.iter().map(|state| (state.state_id.as_str(), place(state))).collect();
    let place = |id: &str| places.get(id).cloned().unwrap_or_default();
    let mut ways: BTreeMap<Way, BTreeSet<String>> = BTreeMap::new();
    for edge in &package.transition_graph.edges {
        let target = edge.target.as_ref().map_or_else(|| edge.via_action_id.to_string(), told);
        let way = (place(&edge.from_state_id), edge.via_action_id.to_string(), target);
        ways.entry(way).or_default().insert(place(&edge.to_state_id));
    }
    ways
}

fn place(state: &DiscoveryStateNode) -> String {
    let mut out = state.route_id.as_deref().unwrap_or("?").to_owned();
    for modal in state.modal_stack.iter().flatten() {
        out.push_str(&format!(" › {modal}"));
    }
    out
}

fn told(target: &TargetRef) -> String {
    match target {
        TargetRef::StableId { value } => value.to_string(),
        TargetRef::Scope { value } => value.to_string(),
        TargetRef::Route { value } => value.to_string(),
        TargetRef::Custom { value } => value.to_string(),
        TargetRef::Semantic { role, name, .. } => {
            format!("{role} `{}`", crate::fingerprint::normalised_name(name.as_deref().unwrap_or_default()))
        }
    }
}
