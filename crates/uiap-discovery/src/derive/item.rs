//! What the entries of a collection are called when they are taken together: one name for all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use uiap_model::capability::UIRole;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

use super::name::{scope_id, slug};
use crate::fingerprint::{normalised_name, without_moment};

/// What stands for the part of a name that differs from entry to entry.
pub(crate) const ANY: &str = "*";

/// Labels of the elements of a page: the name, or for entries of a collection what they have in common.
pub(crate) struct Labels<'a> {
    items: HashMap<&'a str, Option<String>>,
}

impl<'a> Labels<'a> {
    pub(crate) fn of(graph: &'a PageGraph) -> Self {
        let homes: HashMap<&str, (&ElementNode, &ScopeNode)> = graph
            .elements()
            .map(|(_, scope, element)| (element.instance_id.as_str(), (element, scope)))
            .collect();
        let item_of = |element: &'a ElementNode| {
            let up = |at: &ElementNode| {
                at.parent_instance_id.as_ref().and_then(|id| homes.get(id.as_str()).copied())
            };
            std::iter::successors(up(element), |(at, _)| up(at)).take(64).find(|(around, home)| {
                matches!(around.role, UIRole::Listitem | UIRole::Row | UIRole::Treeitem)
                    && matches!(home.kind, ScopeKind::List | ScopeKind::Table)
                    && !is_head(around, home)
            })
        };
        let mut groups: BTreeMap<(&str, &str), Vec<&'a ElementNode>> = BTreeMap::new();
        let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (_, scope, element) in graph.elements() {
            if let Some((item, _)) = item_of(element) {
                let home = scope_id(scope.id.as_str());
                groups.entry((home, element.role.as_str())).or_default().push(element);
                entries.entry(home).or_default().insert(item.instance_id.as_str());
            }
        }
        let mut items = HashMap::new();
        for ((home, _), members) in groups {
            label_group(&members, entries.get(home).map_or(1, BTreeSet::len), &mut items);
        }
        Self { items }
    }

    /// Whether it belongs to an entry.
    pub(crate) fn is_item(&self, element: &ElementNode) -> bool {
        self.items.contains_key(element.instance_id.as_str())
    }

    /// What it is called; empty for what has no name.
    pub(crate) fn label(&self, element: &ElementNode) -> String {
        match self.items.get(element.instance_id.as_str()) {
            Some(Some(shared)) => shared.clone(),
            Some(None) => ANY.to_owned(),
            None => label_of(element.name.as_deref().unwrap_or_default()),
        }
    }
}

/// What stands for all names that begin with a word.
pub(super) fn beginning(word: &str) -> String {
    let word = slug(word);
    if word.is_empty() { ANY.to_owned() } else { format!("{word}-{ANY}") }
}

/// What a name says, without the date and the time in it: they will be others tomorrow.
pub(super) fn label_of(name: &str) -> String {
    match without_moment(name) {
        Some(rest) if rest.is_empty() => ANY.to_owned(),
        Some(rest) => format!("{}-{ANY}", slug(&rest)),
        None => slug(name),
    }
}

/// The head of a table is no entry: its first row, where there are more rows than entries.
fn is_head(row: &ElementNode, table: &ScopeNode) -> bool {
    let rows = || table.elements.iter().filter(|each| each.role == UIRole::Row);
    let loaded =
        table.collection.as_ref().and_then(|collection| collection.loaded).map_or(0, |loaded| loaded.0);
    let entity = row.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("entity"));
    table.kind == ScopeKind::Table
        && !entity
        && rows().next().is_some_and(|first| first.instance_id == row.instance_id)
        && rows().count() as u64 > loaded
}

/// Names that several entries share, whole or by their first word, stay; the rest is data.
fn label_group<'a>(
    members: &[&'a ElementNode],
    entries: usize,
    items: &mut HashMap<&'a str, Option<String>>,
) {
    let first = |element: &ElementNode| {
        normalised_name(element.name.as_deref().unwrap_or_default())
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mut counts: BTreeMap<String, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for element in members {
        let (count, names) = counts.entry(first(element)).or_default();
        *count += 1;
        names.insert(element.name.as_deref().unwrap_or_default());
    }
    // A word that begins the same thing is there in most entries; one that begins data is there by accident.
    let least = entries.div_ceil(2).max(2).min(entries);
    for element in members {
        let word = first(element);
        let (count, names) = counts.get(&word).map_or((0, 1), |(count, names)| (*count, names.len()));
        let label = match (word.is_empty(), count >= least, names) {
            (true, ..) => Some(String::new()),
            (_, true, 1) => Some(label_of(element.name.as_deref().unwrap_or_default())),
            (_, true, _) => Some(beginning(&word)),
            _ => None,
        };
        items.insert(element.instance_id.as_str(), label);
    }
}
