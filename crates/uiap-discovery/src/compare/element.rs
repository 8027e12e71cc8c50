//! Elements: the same by id or key, or the same role and name elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::discovery::catalog::DiscoveredElement;

use crate::fingerprint::without_moment;

use super::{Area, Change, ChangeKind, Detail, Gone, Members, by_id, text, words};

pub(super) fn compare(
    old: &DiscoveryPackage,
    new: &DiscoveryPackage,
    gone: &Gone,
    changes: &mut Vec<Change>,
) {
    let index = |element: &DiscoveredElement| element.semantic_key.to_string();
    let before: BTreeMap<String, &DiscoveredElement> =
        old.element_catalog.elements.iter().map(|element| (index(element), element)).collect();
    let after: BTreeMap<String, &DiscoveredElement> =
        new.element_catalog.elements.iter().map(|element| (index(element), element)).collect();
    let mut found = Vec::new();
    by_id(
        Area::Element,
        &before,
        &after,
        label,
        |element| members(element, gone),
        &["routes", "scopes"],
        &mut found,
    );
    changes.extend(join_moves(found, &before, &after));
}

fn label(element: &DiscoveredElement) -> String {
    let name = element.names.iter().flatten().next().map(|name| format!(" `{name}`")).unwrap_or_default();
    format!("{}{name}", element.role)
}

fn repeats(element: &DiscoveredElement) -> bool {
    element.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("repeats"))
}

/// Its names without the dates and times in them, which tell when a run was made.
fn lasting_names(element: &DiscoveredElement) -> String {
    let names = element.names.iter().flatten();
    let lasting: BTreeSet<CompactString> =
        names.map(|name| without_moment(name).map_or_else(|| name.clone(), CompactString::from)).collect();
    words(Some(&lasting.into_iter().collect()))
}

fn members(element: &DiscoveredElement, gone: &Gone) -> Members {
    // The names of entries are data.
    let names = if repeats(element) { String::new() } else { lasting_names(element) };
    let risk = element.risk.as_ref().map(|risk| format!("{} {}", risk.level, words(risk.tags.as_ref())));
    vec![
        ("role", element.role.to_string()),
        ("names", names),
        ("meanings", words(element.meanings.as_ref())),
        ("supportedActions", words(element.supported_actions.as_ref())),
        ("risk", risk.unwrap_or_default()),
        ("dataClasses", words(element.data_classes.as_ref())),
        (
            "disabled",
            text(&element.metadata.as_ref().and_then(|metadata| metadata.0.get("disabled").cloned())),
        ),
        ("routes", gone.without(element.routes.as_ref())),
        ("scopes", gone.without(element.scopes.as_ref())),
    ]
}

/// One that went and one that came, of the same role and name and no other like them: it moved.
fn join_moves(
    found: Vec<Change>,
    before: &BTreeMap<String, &DiscoveredElement>,
    after: &BTreeMap<String, &DiscoveredElement>,
) -> Vec<Change> {
    let mut gone: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    let mut come: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    let mut out = Vec::new();
    for change in found {
        match change.kind {
            ChangeKind::Removed => gone.entry(change.label.clone()).or_default().push(change),
            ChangeKind::Added => come.entry(change.label.clone()).or_default().push(change),
            _ => out.push(change),
        }
    }
    for (label, mut removed) in gone {
        let added = come.remove(&label).unwrap_or_default();
        match (removed.as_mut_slice(), added.as_slice()) {
            ([old], [new]) if label.contains('`') => {
                let place = |map: &BTreeMap<String, &DiscoveredElement>, id: &str| {
                    map.get(id).map(|element| {
                        format!("{} / {}", words(element.routes.as_ref()), words(element.scopes.as_ref()))
                    })
                };
                let detail = Detail {
                    member: "place".to_owned(),
                    before: place(before, &old.id).unwrap_or_default(),
                    after: place(after, &new.id).unwrap_or_default(),
                };
                out.push(Change { kind: ChangeKind::Moved, details: vec![detail], ..new.clone() });
            }
            _ => {
                out.append(&mut removed);
                out.extend(added);
            }
        }
    }
    out.extend(come.into_values().flatten());
    out
}
