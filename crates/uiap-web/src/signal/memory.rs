//! The little of a page's past that signals need: a delta says what changed, not how everything else stood.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use uiap_model::capability::{UIRole, UIState};
use uiap_model::json::Count;
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};
use uiap_model::web::delta::WebDeltaOp;
use uiap_model::web::{ElementNode, FocusState, PageGraph, RouteState, ScopeKind, ScopeNode};

/// A scope and the document in which it lies.
pub(super) type Place = (DocumentId, ScopeId);
/// An element and the document in which it stands.
pub(super) type Bearer = (DocumentId, ElementInstanceId);

/// What is kept of the revision before.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) route: Option<RouteState>,
    pub(super) modal_stack: Vec<ScopeId>,
    pub(super) focus: Option<Bearer>,
    /// Collections and how many things they held.
    pub(super) counts: BTreeMap<Place, u64>,
    /// Scopes that say of themselves that they are busy.
    pub(super) busy_scopes: BTreeSet<Place>,
    /// Elements that are busy, with the scope in which they stand.
    pub(super) busy_elements: HashMap<Bearer, Place>,
    /// Where elements stand that spoke once.
    homes: HashMap<Bearer, Place>,
}

impl Memory {
    pub(super) fn of(graph: &PageGraph) -> Self {
        let mut memory = Self::default();
        for (document, scope) in graph.scopes() {
            let place = (document.document_id.clone(), scope.id.clone());
            if scope.state.as_ref().is_some_and(says_busy) {
                memory.busy_scopes.insert(place.clone());
            }
            if let Some(count) = count(scope) {
                memory.counts.insert(place.clone(), count);
            }
            for each in scope.elements.iter().filter(|each| is_busy(each)) {
                memory.busy_elements.insert((place.0.clone(), each.instance_id.clone()), place.clone());
            }
        }
        memory.note(graph);
        memory
    }

    /// Keeps what can be read off the graph at no cost.
    pub(super) fn note(&mut self, graph: &PageGraph) {
        self.route = Some(graph.route.clone());
        self.modal_stack = graph.modal_stack.clone().unwrap_or_default();
        self.focus = holder(graph.focus.as_ref());
    }

    /// Follows elements that a delta put somewhere.
    pub(super) fn follow(&mut self, ops: &[WebDeltaOp]) {
        for op in ops {
            match op {
                WebDeltaOp::ElementUpsert { document_id, scope_id, element, .. } => {
                    let bearer = (document_id.clone(), element.instance_id.clone());
                    self.homes.entry(bearer).and_modify(|home| home.1 = scope_id.clone());
                }
                WebDeltaOp::DocumentRemove { document_id } => {
                    self.homes.retain(|bearer, _| bearer.0 != *document_id);
                }
                _ => {}
            }
        }
    }

    /// The scope in which an element stands, or stood when it was last asked for.
    pub(super) fn home(&mut self, graph: &PageGraph, bearer: &Bearer) -> Option<ScopeId> {
        if let Some(home) = self.homes.get(bearer) {
            return Some(home.1.clone());
        }
        let mut scopes = graph.scopes().filter(|(document, _)| document.document_id == bearer.0);
        let (_, scope) =
            scopes.find(|(_, scope)| scope.elements.iter().any(|each| each.instance_id == bearer.1))?;
        self.homes.insert(bearer.clone(), (bearer.0.clone(), scope.id.clone()));
        Some(scope.id.clone())
    }

    pub(super) fn forget(&mut self, bearer: &Bearer) {
        self.homes.remove(bearer);
    }

    pub(super) fn is_busy(&self, place: &Place) -> bool {
        self.busy_scopes.contains(place) || self.busy_elements.values().any(|each| each == place)
    }
}

/// Who has the keyboard; a graph that says nothing of it and one that says "the page itself" mean the same.
pub(super) fn holder(focus: Option<&FocusState>) -> Option<Bearer> {
    focus.and_then(|focus| focus.instance_id.clone().map(|id| (focus.document_id.clone(), id)))
}

pub(super) fn says_busy(state: &UIState) -> bool {
    state.busy == Some(true) || state.loading == Some(true)
}

pub(super) fn is_busy(element: &ElementNode) -> bool {
    says_busy(&element.state) || (element.role == UIRole::Spinner && element.state.visible != Some(false))
}

/// How many things a collection holds: by its own word, else by what is there.
pub(super) fn count(scope: &ScopeNode) -> Option<u64> {
    let said = scope.collection.as_ref();
    if let Some(Count(count)) = said.and_then(|said| said.total.or(said.loaded)) {
        return Some(count);
    }
    let role = match (said.and_then(|said| said.item_role.clone()), &scope.kind) {
        (Some(role), _) => role,
        (None, ScopeKind::Table) => UIRole::Row,
        (None, ScopeKind::List) => UIRole::Listitem,
        (None, _) => return None,
    };
    Some(scope.elements.iter().filter(|each| each.role == role).count() as u64)
}
