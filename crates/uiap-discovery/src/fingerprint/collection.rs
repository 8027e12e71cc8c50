//! Which elements belong to the items of a collection, and which areas are only repetitions of one another.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use uiap_model::capability::UIRole;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

use crate::menu::Menus;

/// So many areas of one shape beside each other are the items of a collection.
const REPEATED: usize = 3;

/// A graph, indexed for the questions that a fingerprint asks.
pub(super) struct Index<'a> {
    elements: HashMap<&'a str, (&'a ElementNode, &'a ScopeNode)>,
    scopes: HashMap<&'a str, &'a ScopeNode>,
    header_rows: HashSet<&'a str>,
    repeated: HashSet<&'a str>,
    menus: Menus<'a>,
}

impl<'a> Index<'a> {
    pub(super) fn new(graph: &'a PageGraph) -> Self {
        let mut index = Self {
            elements: HashMap::new(),
            scopes: graph.scopes().map(|(_, scope)| (scope.id.as_str(), scope)).collect(),
            header_rows: HashSet::new(),
            repeated: HashSet::new(),
            menus: Menus::of(graph),
        };
        for (_, scope, element) in graph.elements() {
            index.elements.insert(element.instance_id.as_str(), (element, scope));
        }
        index.header_rows = graph.scopes().filter_map(|(_, scope)| header_row(scope)).collect();
        index.repeated = repeated(graph).flatten().map(|scope| scope.id.as_str()).collect();
        index
    }

    pub(super) fn parent(&self, scope: &ScopeNode) -> Option<&'a ScopeNode> {
        scope.parent_scope_id.as_ref().and_then(|id| self.scopes.get(id.as_str()).copied())
    }

    /// The scope and those around it, innermost first.
    pub(super) fn around(&self, scope: &'a ScopeNode) -> impl Iterator<Item = &'a ScopeNode> {
        // A cycle of parents ends the walk: no graph nests deeper than it has scopes.
        let most = self.scopes.len();
        std::iter::successors(Some(scope), |at| self.parent(at)).take(most)
    }

    /// The elements around one, innermost first.
    pub(super) fn ancestors(
        &self,
        element: &'a ElementNode,
    ) -> impl Iterator<Item = (&'a ElementNode, &'a ScopeNode)> {
        let step = |at: &ElementNode| {
            at.parent_instance_id.as_ref().and_then(|id| self.elements.get(id.as_str()).copied())
        };
        std::iter::successors(step(element), move |(at, _)| step(at)).take(64)
    }

    /// Whether an element belongs to an item of a collection: a row, an entry, or one of many areas of the same shape.
    pub(super) fn in_item(&self, scope: &'a ScopeNode, element: &'a ElementNode) -> bool {
        if self.around(scope).any(|around| self.repeated.contains(around.id.as_str())) {
            return true;
        }
        self.ancestors(element).any(|(around, home)| {
            is_item(&around.role)
                && is_collection(home)
                && !self.menus.is_menu(home)
                && !self.header_rows.contains(around.instance_id.as_str())
        })
    }

    pub(super) fn is_repeated(&self, scope: &ScopeNode) -> bool {
        self.repeated.contains(scope.id.as_str())
    }

    /// The nearest list or table around an element.
    pub(super) fn collection_of(&self, scope: &'a ScopeNode) -> Option<&'a ScopeNode> {
        self.around(scope).find(|scope| is_collection(scope))
    }

    /// What the columns of a table are called.
    pub(super) fn heads(&self, scope: &'a ScopeNode) -> impl Iterator<Item = &'a str> {
        scope
            .elements
            .iter()
            .filter(|element| {
                element.role == UIRole::Cell
                    && element
                        .parent_instance_id
                        .as_ref()
                        .is_some_and(|row| self.header_rows.contains(row.as_str()))
            })
            .filter_map(|element| element.name.as_deref())
    }
}

/// Areas of one shape beside each other, each group in the order of the page.
pub(crate) fn repeated(graph: &PageGraph) -> impl Iterator<Item = Vec<&ScopeNode>> {
    let mut groups: BTreeMap<(&str, &str, Vec<&str>), Vec<&ScopeNode>> = BTreeMap::new();
    for (_, scope) in graph.scopes().filter(|(_, scope)| can_repeat(scope)) {
        let roles: BTreeSet<&str> = scope.elements.iter().map(|element| element.role.as_str()).collect();
        let parent = scope.parent_scope_id.as_ref().map_or("", |id| id.as_str());
        let shape = (parent, scope.kind.as_str(), roles.into_iter().collect());
        groups.entry(shape).or_default().push(scope);
    }
    groups.into_values().filter(|members| members.len() >= REPEATED)
}

fn can_repeat(scope: &ScopeNode) -> bool {
    let kind =
        matches!(scope.kind, ScopeKind::Region | ScopeKind::Form | ScopeKind::List | ScopeKind::Custom);
    kind && scope.id.as_str().starts_with('~') && !scope.elements.is_empty()
}

pub(super) fn is_collection(scope: &ScopeNode) -> bool {
    matches!(scope.kind, ScopeKind::List | ScopeKind::Table)
}

fn is_item(role: &UIRole) -> bool {
    matches!(role, UIRole::Listitem | UIRole::Row | UIRole::Treeitem | UIRole::Option)
}

/// The first row, where the table has more rows than it counts as items.
fn header_row(scope: &ScopeNode) -> Option<&str> {
    if scope.kind != ScopeKind::Table {
        return None;
    }
    let mut rows = scope.elements.iter().filter(|element| element.role == UIRole::Row);
    let first = rows.next()?;
    let count = 1 + rows.count() as u64;
    let loaded =
        scope.collection.as_ref().and_then(|collection| collection.loaded).map_or(0, |loaded| loaded.0);
    let is_entity = first.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("entity"));
    (count > loaded && !is_entity).then(|| first.instance_id.as_str())
}
