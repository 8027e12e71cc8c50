//! Changes of the page graph and how they are applied: all of them or none.

use std::collections::HashMap;
use std::sync::Arc;

use uiap_model_derive::wire;

use crate::json::Nullable;
use crate::names::{DocumentId, ElementInstanceId, RevisionId, ScopeId};
use crate::web::element::{ElementNode, ElementPatch};
use crate::web::graph::{
    BoundaryAccess, Collection, DocumentNode, FocusState, OpaqueReason, PageGraph, RouteState, ScopeKind,
    ScopeNode, ValidationIssue,
};
use crate::web::message::WebStateDeltaPayload;

/// A scope in a delta; without `elements` it keeps the ones it has.
#[wire]
pub struct ScopeUpsert {
    pub id: ScopeId,
    pub kind: ScopeKind,
    pub name: Option<compact_str::CompactString>,
    pub stable_id: Option<crate::names::StableId>,
    pub role: Option<crate::capability::UIRole>,
    pub parent_scope_id: Option<ScopeId>,
    pub state: Option<crate::capability::UIState>,
    pub access: Option<BoundaryAccess>,
    pub opaque_reason: Option<OpaqueReason>,
    pub collection: Option<Collection>,
    pub submit_target: Option<ElementInstanceId>,
    pub issues: Option<Vec<ValidationIssue>>,
    pub elements: Option<Vec<Arc<ElementNode>>>,
    pub metadata: Option<crate::json::JsonObject>,
}

/// One change. Ids that nobody knows make the whole delta invalid.
#[wire(tag = "op", case = "dotted")]
pub enum WebDeltaOp {
    RouteSet {
        route: RouteState,
    },
    FocusSet {
        focus: Nullable<FocusState>,
    },
    #[wire(name = "modalStack.set")]
    ModalStackSet {
        modal_stack: Vec<ScopeId>,
    },
    /// New documents come last.
    DocumentUpsert {
        document: Box<DocumentNode>,
    },
    DocumentRemove {
        document_id: DocumentId,
    },
    /// New scopes come last.
    ScopeUpsert {
        document_id: DocumentId,
        scope: Box<ScopeUpsert>,
    },
    /// Its elements go with it.
    ScopeRemove {
        document_id: DocumentId,
        scope_id: ScopeId,
    },
    /// Comes after the element `after`, first when it is `null`, in its old place or last when it is left out.
    /// An element that stands in another scope of the document moves.
    ElementUpsert {
        document_id: DocumentId,
        scope_id: ScopeId,
        element: Arc<ElementNode>,
        after: Option<Nullable<ElementInstanceId>>,
    },
    ElementPatch {
        document_id: DocumentId,
        instance_id: ElementInstanceId,
        patch: Box<ElementPatch>,
    },
    ElementRemove {
        document_id: DocumentId,
        instance_id: ElementInstanceId,
    },
}

/// Why a delta was dropped. The consumer asks for a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeltaError {
    /// It belongs to another revision.
    #[error("the delta changes revision `{wanted}`, the graph is at `{present}`; ask for a snapshot")]
    WrongBase {
        /// Revision that the delta names.
        wanted: RevisionId,
        /// Revision of the graph.
        present: RevisionId,
    },
    /// It speaks of something that is not there.
    #[error("operation {index}: there is no {what} `{id}`; ask for a snapshot")]
    UnknownId {
        /// Position of the operation.
        index: usize,
        /// Document, scope or element.
        what: &'static str,
        /// Its id.
        id: String,
    },
}

/// The graph after the delta; the given one stays as it is.
pub fn apply(graph: &PageGraph, delta: &WebStateDeltaPayload) -> Result<PageGraph, DeltaError> {
    if delta.base_revision != graph.revision {
        return Err(DeltaError::WrongBase {
            wanted: delta.base_revision.clone(),
            present: graph.revision.clone(),
        });
    }
    let mut editor = Editor::new(graph.clone());
    for (index, op) in delta.ops.iter().enumerate() {
        editor.apply(op).map_err(|(what, id)| DeltaError::UnknownId { index, what, id: id.to_owned() })?;
    }
    let mut graph = editor.finish();
    graph.revision = delta.revision.clone();
    graph.seq = delta.seq;
    graph.ts = delta.ts.clone();
    Ok(graph)
}

/// What is missing: document, scope or element, and its id.
type Missing<'a> = (&'static str, &'a str);

/// A graph under change. Elements lie in slots that are linked in order, so that an insertion moves nothing.
struct Editor {
    graph: PageGraph,
    documents: Vec<DocumentEdit>,
}

struct DocumentEdit {
    id: DocumentId,
    scopes: Vec<ScopeEdit>,
    /// Element to scope and slot; built when the first element is touched.
    index: Option<HashMap<ElementInstanceId, (usize, usize)>>,
}

#[derive(Default)]
struct ScopeEdit {
    slots: Vec<Slot>,
    first: Option<usize>,
    last: Option<usize>,
}

struct Slot {
    element: Arc<ElementNode>,
    alive: bool,
    before: Option<usize>,
    after: Option<usize>,
}

impl Editor {
    fn new(mut graph: PageGraph) -> Self {
        let documents = graph.documents.iter_mut().map(DocumentEdit::open).collect();
        Self { graph, documents }
    }

    fn finish(mut self) -> PageGraph {
        for (document, edit) in self.graph.documents.iter_mut().zip(self.documents) {
            for (scope, edit) in document.scopes.iter_mut().zip(edit.scopes) {
                scope.elements = edit.close();
            }
        }
        self.graph
    }

    fn apply<'a>(&mut self, op: &'a WebDeltaOp) -> Result<(), Missing<'a>> {
        match op {
            WebDeltaOp::RouteSet { route } => self.graph.route = route.clone(),
            WebDeltaOp::FocusSet { focus } => self.graph.focus.clone_from(&focus.0),
            WebDeltaOp::ModalStackSet { modal_stack } => self.graph.modal_stack = Some(modal_stack.clone()),
            WebDeltaOp::DocumentUpsert { document } => self.document_upsert(document),
            WebDeltaOp::DocumentRemove { document_id } => {
                let at = self.document(document_id)?;
                self.graph.documents.remove(at);
                self.documents.remove(at);
            }
            WebDeltaOp::ScopeUpsert { document_id, scope } => {
                let (nodes, edit) = self.parts(document_id)?;
                edit.scope_upsert(nodes, scope);
            }
            WebDeltaOp::ScopeRemove { document_id, scope_id } => {
                let (nodes, edit) = self.parts(document_id)?;
                let at = scope_at(nodes, scope_id)?;
                nodes.remove(at);
                edit.scopes.remove(at);
                edit.index = None;
            }
            WebDeltaOp::ElementUpsert { document_id, scope_id, element, after } => {
                let (nodes, edit) = self.parts(document_id)?;
                let scope = scope_at(nodes, scope_id)?;
                edit.element_upsert(scope, element, after.as_ref())?;
            }
            WebDeltaOp::ElementPatch { document_id, instance_id, patch } => {
                let (_, edit) = self.parts(document_id)?;
                let (scope, slot) = edit.find(instance_id)?;
                if let Some(slot) = edit.scopes.get_mut(scope).and_then(|scope| scope.slots.get_mut(slot)) {
                    (**patch).clone().apply(Arc::make_mut(&mut slot.element));
                }
            }
            WebDeltaOp::ElementRemove { document_id, instance_id } => {
                let (_, edit) = self.parts(document_id)?;
                edit.find(instance_id)?;
                edit.take_out(instance_id);
            }
        }
        Ok(())
    }

    fn document<'a>(&self, id: &'a DocumentId) -> Result<usize, Missing<'a>> {
        self.documents.iter().position(|document| document.id == *id).ok_or(("document", id.as_str()))
    }

    fn parts<'a>(
        &mut self,
        id: &'a DocumentId,
    ) -> Result<(&mut Vec<ScopeNode>, &mut DocumentEdit), Missing<'a>> {
        let at = self.document(id)?;
        let node = self.graph.documents.get_mut(at).map(|document| &mut document.scopes);
        node.zip(self.documents.get_mut(at)).ok_or(("document", id.as_str()))
    }

    fn document_upsert(&mut self, document: &DocumentNode) {
        let mut node = document.clone();
        let edit = DocumentEdit::open(&mut node);
        let at = self.documents.iter().position(|each| each.id == document.document_id);
        let place = at.and_then(|at| self.graph.documents.get_mut(at).zip(self.documents.get_mut(at)));
        if let Some((old_node, old_edit)) = place {
            *old_node = node;
            *old_edit = edit;
        } else {
            self.graph.documents.push(node);
            self.documents.push(edit);
        }
    }
}

fn scope_at<'a>(scopes: &[ScopeNode], id: &'a ScopeId) -> Result<usize, Missing<'a>> {
    scopes.iter().position(|scope| scope.id == *id).ok_or(("scope", id.as_str()))
}

impl DocumentEdit {
    /// Takes the elements out of the nodes for the time of the change.
    fn open(document: &mut DocumentNode) -> Self {
        let scopes = document
            .scopes
            .iter_mut()
            .map(|scope| ScopeEdit::open(std::mem::take(&mut scope.elements)))
            .collect();
        Self { id: document.document_id.clone(), scopes, index: None }
    }

    fn index(&mut self) -> &mut HashMap<ElementInstanceId, (usize, usize)> {
        let scopes = &self.scopes;
        self.index.get_or_insert_with(|| {
            let mut index = HashMap::with_capacity(scopes.iter().map(|scope| scope.slots.len()).sum());
            for (at, scope) in scopes.iter().enumerate() {
                for (slot, entry) in scope.slots.iter().enumerate().filter(|(_, entry)| entry.alive) {
                    index.insert(entry.element.instance_id.clone(), (at, slot));
                }
            }
            index
        })
    }

    fn find<'a>(&mut self, id: &'a ElementInstanceId) -> Result<(usize, usize), Missing<'a>> {
        self.index().get(id).copied().ok_or(("element", id.as_str()))
    }

    fn take_out(&mut self, id: &ElementInstanceId) {
        if let Some((scope, slot)) = self.index().remove(id)
            && let Some(scope) = self.scopes.get_mut(scope)
        {
            scope.unlink(slot);
        }
    }

    fn scope_upsert(&mut self, nodes: &mut Vec<ScopeNode>, scope: &ScopeUpsert) {
        let at = nodes.iter().position(|node| node.id == scope.id);
        if let Some(elements) = &scope.elements {
            for element in elements {
                self.take_out(&element.instance_id);
            }
            let edit = ScopeEdit::open(elements.clone());
            match at.and_then(|at| self.scopes.get_mut(at)) {
                Some(place) => *place = edit,
                None => self.scopes.push(edit),
            }
            self.index = None;
        } else if at.is_none() {
            self.scopes.push(ScopeEdit::default());
        }
        let node = scope.clone().into_scope(Vec::new());
        match at.and_then(|at| nodes.get_mut(at)) {
            Some(place) => *place = node,
            None => nodes.push(node),
        }
    }

    fn element_upsert<'a>(
        &mut self,
        scope: usize,
        element: &Arc<ElementNode>,
        after: Option<&'a Nullable<ElementInstanceId>>,
    ) -> Result<(), Missing<'a>> {
        let old = self.index().get(&element.instance_id).copied();
        let place = match after {
            None => match old {
                Some((at, slot)) if at == scope => {
                    if let Some(slot) = self.scopes.get_mut(scope).and_then(|scope| scope.slots.get_mut(slot))
                    {
                        slot.element = Arc::clone(element);
                    }
                    return Ok(());
                }
                _ => self.scopes.get(scope).and_then(|scope| scope.last),
            },
            Some(Nullable(None)) => None,
            Some(Nullable(Some(id))) if *id == element.instance_id => {
                return Err(("other element", id.as_str()));
            }
            Some(Nullable(Some(id))) => {
                let (at, slot) = self.find(id)?;
                if at != scope {
                    return Err(("element in that scope", id.as_str()));
                }
                Some(slot)
            }
        };
        self.take_out(&element.instance_id);
        if let Some(edit) = self.scopes.get_mut(scope) {
            let slot = edit.link(Arc::clone(element), place);
            self.index().insert(element.instance_id.clone(), (scope, slot));
        }
        Ok(())
    }
}

impl ScopeUpsert {
    /// What is said of a scope, without its elements.
    pub fn head(scope: &ScopeNode) -> Self {
        Self {
            id: scope.id.clone(),
            kind: scope.kind,
            name: scope.name.clone(),
            stable_id: scope.stable_id.clone(),
            role: scope.role.clone(),
            parent_scope_id: scope.parent_scope_id.clone(),
            state: scope.state.clone(),
            access: scope.access,
            opaque_reason: scope.opaque_reason,
            collection: scope.collection.clone(),
            submit_target: scope.submit_target.clone(),
            issues: scope.issues.clone(),
            elements: None,
            metadata: scope.metadata.clone(),
        }
    }

    /// The scope with these elements; its own are left out.
    pub fn into_scope(self, elements: Vec<Arc<ElementNode>>) -> ScopeNode {
        ScopeNode {
            id: self.id,
            kind: self.kind,
            name: self.name,
            stable_id: self.stable_id,
            role: self.role,
            parent_scope_id: self.parent_scope_id,
            state: self.state,
            access: self.access,
            opaque_reason: self.opaque_reason,
            collection: self.collection,
            submit_target: self.submit_target,
            issues: self.issues,
            elements,
            metadata: self.metadata,
        }
    }
}

impl ScopeEdit {
    fn open(elements: Vec<Arc<ElementNode>>) -> Self {
        let count = elements.len();
        let slots = elements
            .into_iter()
            .enumerate()
            .map(|(at, element)| Slot {
                element,
                alive: true,
                before: at.checked_sub(1),
                after: (at + 1 < count).then_some(at + 1),
            })
            .collect();
        Self { slots, first: (count > 0).then_some(0), last: count.checked_sub(1) }
    }

    fn unlink(&mut self, slot: usize) {
        let Some(entry) = self.slots.get_mut(slot) else { return };
        entry.alive = false;
        let (before, after) = (entry.before.take(), entry.after.take());
        match before.and_then(|before| self.slots.get_mut(before)) {
            Some(entry) => entry.after = after,
            None => self.first = after,
        }
        match after.and_then(|after| self.slots.get_mut(after)) {
            Some(entry) => entry.before = before,
            None => self.last = before,
        }
    }

    /// Puts the element after the slot, or first.
    fn link(&mut self, element: Arc<ElementNode>, place: Option<usize>) -> usize {
        let slot = self.slots.len();
        let after = match place {
            Some(place) => self.slots.get(place).and_then(|entry| entry.after),
            None => self.first,
        };
        self.slots.push(Slot { element, alive: true, before: place, after });
        match place.and_then(|place| self.slots.get_mut(place)) {
            Some(entry) => entry.after = Some(slot),
            None => self.first = Some(slot),
        }
        match after.and_then(|after| self.slots.get_mut(after)) {
            Some(entry) => entry.before = Some(slot),
            None => self.last = Some(slot),
        }
        slot
    }

    fn close(self) -> Vec<Arc<ElementNode>> {
        let mut order = Vec::with_capacity(self.slots.len());
        let mut at = self.first;
        while let Some(slot) = at {
            order.push(slot);
            at = self.slots.get(slot).and_then(|entry| entry.after);
        }
        let in_place =
            order.len() == self.slots.len() && order.iter().enumerate().all(|(at, slot)| at == *slot);
        if in_place {
            return self.slots.into_iter().map(|slot| slot.element).collect();
        }
        let mut slots: Vec<Option<Arc<ElementNode>>> =
            self.slots.into_iter().map(|slot| Some(slot.element)).collect();
        order.into_iter().filter_map(|slot| slots.get_mut(slot).and_then(Option::take)).collect()
    }
}
