//! What makes an element the same one: not its place in the document, but what it is, what it is called and where it belongs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use compact_str::CompactString;
use uiap_model::capability::UIRole;
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId, StableId};
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeNode};

use crate::surface::Seen;

/// Elements that are remembered after they went.
const MOST: usize = 5_000;
/// Of these, as many as may leave at once.
const MOST_AT_ONCE: usize = 1_000;

/// An element by what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its document.
    pub document_id: DocumentId,
    /// Its scope.
    pub scope_id: ScopeId,
    /// The id that the app gave it.
    pub stable_id: Option<StableId>,
    /// What it is.
    pub role: UIRole,
    /// What it is called.
    pub name: Option<CompactString>,
    /// Roles and names of what it lies in, the nearest first.
    pub ancestors: Vec<(UIRole, Option<CompactString>)>,
    /// Its number among its equals in the scope.
    pub ordinal: usize,
    /// How many of them there were, itself included, that nothing told apart.
    pub equals: usize,
}

/// Elements by id, for as long as one page is looked through.
struct Index<'a>(HashMap<&'a ElementInstanceId, Place<'a>>);

type Place<'a> = (&'a DocumentNode, &'a ScopeNode, &'a ElementNode);

impl<'a> Index<'a> {
    fn new(graph: &'a PageGraph) -> Self {
        Self(graph.elements().map(|place| (&place.2.instance_id, place)).collect())
    }

    fn identity(&self, id: &ElementInstanceId) -> Option<Identity> {
        let (document, scope, element) = *self.0.get(id)?;
        let mine = self.ancestors(element);
        let alike: Vec<&Arc<ElementNode>> = scope
            .elements
            .iter()
            .filter(|each| is_alike(each, element) && self.ancestors(each) == mine)
            .collect();
        Some(Identity {
            document_id: document.document_id.clone(),
            scope_id: scope.id.clone(),
            stable_id: element.stable_id.clone(),
            role: element.role.clone(),
            name: element.name.clone(),
            ancestors: mine,
            ordinal: alike.iter().take_while(|each| each.instance_id != *id).count(),
            equals: alike.len(),
        })
    }

    /// What an element lies in, the nearest first: rows and list items tell equal buttons apart.
    fn ancestors(&self, element: &ElementNode) -> Vec<(UIRole, Option<CompactString>)> {
        const DEPTH: usize = 4;
        let mut chain = Vec::new();
        let mut at = element.parent_instance_id.as_ref();
        while let Some((.., parent)) = at.and_then(|id| self.0.get(id))
            && chain.len() < DEPTH
        {
            chain.push((parent.role.clone(), parent.name.clone()));
            at = parent.parent_instance_id.as_ref();
        }
        chain
    }
}

impl Identity {
    /// The identity of an element of this page.
    pub fn of(graph: &PageGraph, id: &ElementInstanceId) -> Option<Self> {
        Index::new(graph).identity(id)
    }

    /// The elements of the page that are what this one was. Its place among equals does not count: that is what changes.
    /// Where nothing told it from its equals, nothing tells which of them is left.
    pub fn find(&self, graph: &PageGraph) -> Vec<ElementInstanceId> {
        let index = Index::new(graph);
        let document = |each: &DocumentNode| each.document_id == self.document_id;
        let hits = graph.elements().filter(|(at, scope, element)| {
            document(at)
                && scope.id == self.scope_id
                && self.is_like(element)
                && index.ancestors(element) == self.ancestors
        });
        let hits: Vec<&ElementNode> = hits.map(|(.., element)| element).collect();
        let named: Vec<_> =
            hits.iter().filter(|each| self.stable_id.is_some() && each.stable_id == self.stable_id).collect();
        match named.as_slice() {
            [one] => vec![one.instance_id.clone()],
            _ => hits.iter().map(|element| element.instance_id.clone()).collect(),
        }
    }

    /// Whether an element of the page is still what it was: itself, and the row or item that it belongs to.
    pub fn is_still(&self, graph: &PageGraph, id: &ElementInstanceId) -> bool {
        let index = Index::new(graph);
        let Some((_, _, element)) = index.0.get(id) else { return false };
        self.is_like(element) && items(&index.ancestors(element)) == self.items()
    }

    /// The rows and items that it belongs to, the nearest first.
    pub fn items(&self) -> Vec<(UIRole, Option<CompactString>)> {
        items(&self.ancestors)
    }

    /// Whether one of several is left of which nobody knows which it was.
    pub fn was_one_of_several(&self) -> bool {
        self.equals > 1 && self.stable_id.is_none()
    }

    fn is_like(&self, element: &ElementNode) -> bool {
        let other_id =
            matches!((&self.stable_id, &element.stable_id), (Some(mine), Some(theirs)) if mine != theirs);
        !other_id && self.role == element.role && self.name == element.name
    }
}

/// Whether anybody would ask for it again: something can be done with it, or the app named it.
fn is_of_use(element: &ElementNode) -> bool {
    element.stable_id.is_some() || element.affordances.len() > 1
}

fn items(chain: &[(UIRole, Option<CompactString>)]) -> Vec<(UIRole, Option<CompactString>)> {
    chain.iter().filter(|(role, _)| is_item(role)).cloned().collect()
}

/// Whether it is one of many that look the same but for what they hold.
fn is_item(role: &UIRole) -> bool {
    matches!(role, UIRole::Row | UIRole::Listitem | UIRole::Treeitem | UIRole::Option | UIRole::Menuitem)
}

fn is_alike(one: &ElementNode, other: &ElementNode) -> bool {
    one.role == other.role && one.name == other.name
}

/// What elements were that are not there any more, the latest kept.
#[derive(Clone, Debug, Default)]
pub struct Departed {
    identities: HashMap<ElementInstanceId, Identity>,
    order: VecDeque<ElementInstanceId>,
}

impl Departed {
    /// What it was.
    pub fn get(&self, id: &ElementInstanceId) -> Option<Identity> {
        self.identities.get(id).cloned()
    }

    /// Remembers whoever left between the page before and what is seen now.
    pub(crate) fn note(&mut self, before: &PageGraph, seen: &Seen) {
        if seen.is_fresh && before.route.url != seen.graph.route.url {
            return;
        }
        let left = seen.elements.iter().filter(|touched| touched.after.is_none());
        let left = left.filter_map(|touched| touched.before.as_ref()).filter(|element| is_of_use(element));
        let mut left = left.map(|element| &element.instance_id).take(MOST_AT_ONCE).peekable();
        if left.peek().is_none() {
            return;
        }
        let index = Index::new(before);
        for id in left {
            if let Some(identity) = index.identity(id) {
                self.keep(id.clone(), identity);
            }
        }
    }

    fn keep(&mut self, id: ElementInstanceId, identity: Identity) {
        if self.order.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.identities.remove(&oldest);
        }
        if self.identities.insert(id.clone(), identity).is_none() {
            self.order.push_back(id);
        }
    }
}
