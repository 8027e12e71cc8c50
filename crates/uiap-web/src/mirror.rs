//! The graph that an observer holds, changed in place: a delta costs what it changes, whatever the page holds.

mod foresight;

use std::collections::HashMap;
use std::sync::Arc;

use uiap_model::json::Nullable;
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};
use uiap_model::web::delta::{DeltaError, ScopeUpsert, WebDeltaOp};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, RouteState, ScopeNode};

use self::foresight::Foresight;
use crate::observe::{TouchedElement, TouchedScope};

/// A graph with an index of its elements.
#[derive(Debug)]
pub(crate) struct Mirror {
    graph: PageGraph,
    places: HashMap<ElementInstanceId, Place>,
}

/// Where an element stands. The position is where it was last seen: others may have come before it since.
#[derive(Debug, Clone)]
struct Place {
    document: DocumentId,
    scope: ScopeId,
    position: usize,
}

/// What a delta touched, as it was and as it is.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) elements: Vec<TouchedElement>,
    pub(crate) scopes: Vec<TouchedScope>,
    pub(crate) route_before: Option<RouteState>,
}

type Missing = (&'static str, String);

impl Mirror {
    pub(crate) fn new(graph: PageGraph) -> Self {
        let mut mirror = Self { graph, places: HashMap::new() };
        let documents = mirror.graph.documents.iter();
        mirror.places = documents.flat_map(places_in).collect();
        mirror
    }

    pub(crate) fn graph(&self) -> &PageGraph {
        &self.graph
    }

    pub(crate) fn into_graph(self) -> PageGraph {
        self.graph
    }

    /// Applies a delta, all of it or nothing.
    pub(crate) fn apply(&mut self, delta: &WebStateDeltaPayload) -> Result<Touched, DeltaError> {
        if delta.base_revision != self.graph.revision {
            let (wanted, present) = (delta.base_revision.clone(), self.graph.revision.clone());
            return Err(DeltaError::WrongBase { wanted, present });
        }
        let unknown = |index: usize| move |(what, id): Missing| DeltaError::UnknownId { index, what, id };
        let mut foresight = Foresight::of(self);
        for (index, op) in delta.ops.iter().enumerate() {
            foresight.check(op).map_err(unknown(index))?;
        }
        let mut changes = Changes::default();
        for (index, op) in delta.ops.iter().enumerate() {
            self.one(op, &mut changes).map_err(unknown(index))?;
        }
        self.graph.revision = delta.revision.clone();
        self.graph.seq = delta.seq;
        self.graph.ts = delta.ts.clone();
        Ok(changes.finish(self))
    }

    fn one(&mut self, op: &WebDeltaOp, changes: &mut Changes) -> Result<(), Missing> {
        match op {
            WebDeltaOp::RouteSet { route } => {
                let before = std::mem::replace(&mut self.graph.route, route.clone());
                changes.route_before.get_or_insert(before);
            }
            WebDeltaOp::FocusSet { focus } => self.graph.focus.clone_from(&focus.0),
            WebDeltaOp::ModalStackSet { modal_stack } => self.graph.modal_stack = Some(modal_stack.clone()),
            WebDeltaOp::DocumentUpsert { document } => self.put_document(document, changes),
            WebDeltaOp::DocumentRemove { document_id } => self.take_document(document_id, changes)?,
            WebDeltaOp::ScopeUpsert { document_id, scope } => self.put_scope(document_id, scope, changes)?,
            WebDeltaOp::ScopeRemove { document_id, scope_id } => {
                self.take_scope(document_id, scope_id, changes)?;
            }
            WebDeltaOp::ElementUpsert { document_id, scope_id, element, after } => {
                self.put_element(document_id, scope_id, element, after.as_ref(), changes)?;
            }
            WebDeltaOp::ElementPatch { document_id, instance_id, patch } => {
                let element = self.element(document_id, instance_id)?;
                let before = Arc::clone(element);
                (**patch).clone().apply(Arc::make_mut(element));
                changes.element(document_id, instance_id, Some(before));
            }
            WebDeltaOp::ElementRemove { document_id, instance_id } => {
                let before = self
                    .take_element(document_id, instance_id)
                    .ok_or_else(|| ("element", instance_id.to_string()))?;
                changes.element(document_id, instance_id, Some(before));
            }
        }
        Ok(())
    }

    fn document(&mut self, id: &DocumentId) -> Result<&mut DocumentNode, Missing> {
        let mut documents = self.graph.documents.iter_mut();
        documents.find(|document| document.document_id == *id).ok_or_else(|| ("document", id.to_string()))
    }

    fn scope(&mut self, document: &DocumentId, id: &ScopeId) -> Result<&mut ScopeNode, Missing> {
        let mut scopes = self.document(document)?.scopes.iter_mut();
        scopes.find(|scope| scope.id == *id).ok_or_else(|| ("scope", id.to_string()))
    }

    /// The present position of an element in its scope.
    fn position(&mut self, document: &DocumentId, id: &ElementInstanceId) -> Option<(ScopeId, usize)> {
        let place = self.places.get(id).filter(|place| place.document == *document)?.clone();
        let scope = self.scope(&place.document, &place.scope).ok()?;
        let position = around(place.position, scope.elements.len())
            .find(|at| scope.elements.get(*at).is_some_and(|element| element.instance_id == *id))?;
        if position != place.position
            && let Some(place) = self.places.get_mut(id)
        {
            place.position = position;
        }
        Some((place.scope, position))
    }

    fn element(
        &mut self,
        document: &DocumentId,
        id: &ElementInstanceId,
    ) -> Result<&mut Arc<ElementNode>, Missing> {
        let missing = || ("element", id.to_string());
        let (scope, position) = self.position(document, id).ok_or_else(missing)?;
        self.scope(document, &scope)?.elements.get_mut(position).ok_or_else(missing)
    }

    fn take_element(&mut self, document: &DocumentId, id: &ElementInstanceId) -> Option<Arc<ElementNode>> {
        let (scope, position) = self.position(document, id)?;
        self.places.remove(id);
        let elements = &mut self.scope(document, &scope).ok()?.elements;
        (position < elements.len()).then(|| elements.remove(position))
    }

    fn put_element(
        &mut self,
        document: &DocumentId,
        scope: &ScopeId,
        element: &Arc<ElementNode>,
        after: Option<&Nullable<ElementInstanceId>>,
        changes: &mut Changes,
    ) -> Result<(), Missing> {
        self.scope(document, scope)?;
        let id = &element.instance_id;
        let stood = self.position(document, id);
        let before = self.take_element(document, id);
        changes.element(document, id, before);
        let last = self.scope(document, scope)?.elements.len();
        let position = match after {
            Some(Nullable(None)) => 0,
            Some(Nullable(Some(other))) => match self.position(document, other) {
                Some((home, position)) if home == *scope => position + 1,
                _ => return Err(("element in that scope", other.to_string())),
            },
            None => stood.filter(|(home, _)| home == scope).map_or(last, |(_, position)| position),
        };
        self.scope(document, scope)?.elements.insert(position.min(last), Arc::clone(element));
        let place = Place { document: document.clone(), scope: scope.clone(), position };
        self.places.insert(id.clone(), place);
        Ok(())
    }

    fn put_document(&mut self, document: &DocumentNode, changes: &mut Changes) {
        let old = self.graph.documents.iter().position(|each| each.document_id == document.document_id);
        if let Some(old) = old.and_then(|at| self.graph.documents.get_mut(at)) {
            let before = std::mem::replace(old, document.clone());
            self.forget(&before, changes);
        } else {
            self.graph.documents.push(document.clone());
        }
        for scope in &document.scopes {
            changes.scope(&document.document_id, &scope.id, None);
        }
        for (id, place) in places_in(document) {
            changes.element(&document.document_id, &id, None);
            self.places.insert(id, place);
        }
    }

    fn take_document(&mut self, id: &DocumentId, changes: &mut Changes) -> Result<(), Missing> {
        let at = self.graph.documents.iter().position(|document| document.document_id == *id);
        let at = at.ok_or_else(|| ("document", id.to_string()))?;
        let before = self.graph.documents.remove(at);
        self.forget(&before, changes);
        Ok(())
    }

    fn forget(&mut self, document: &DocumentNode, changes: &mut Changes) {
        for scope in &document.scopes {
            self.forget_scope(&document.document_id, scope, changes);
        }
    }

    fn forget_scope(&mut self, document: &DocumentId, scope: &ScopeNode, changes: &mut Changes) {
        changes.scope(document, &scope.id, Some(head(scope)));
        for element in &scope.elements {
            self.places.remove(&element.instance_id);
            changes.element(document, &element.instance_id, Some(Arc::clone(element)));
        }
    }

    fn put_scope(
        &mut self,
        document: &DocumentId,
        scope: &ScopeUpsert,
        changes: &mut Changes,
    ) -> Result<(), Missing> {
        let node = self.document(document)?;
        let old = node.scopes.iter().position(|each| each.id == scope.id);
        let place = if let Some(old) = old {
            old
        } else {
            node.scopes.push(scope.clone().into_scope(Vec::new()));
            node.scopes.len() - 1
        };
        let Some(present) = node.scopes.get_mut(place) else { return Ok(()) };
        let elements = std::mem::take(&mut present.elements);
        let before = std::mem::replace(present, scope.clone().into_scope(elements));
        changes.scope(document, &scope.id, old.map(|_| head(&before)));
        if let Some(elements) = &scope.elements {
            let old = std::mem::take(&mut self.scope(document, &scope.id)?.elements);
            for element in old {
                self.places.remove(&element.instance_id);
                changes.element(document, &element.instance_id.clone(), Some(element));
            }
            for element in elements {
                self.put_element(document, &scope.id, element, None, changes)?;
            }
        }
        Ok(())
    }

    fn take_scope(
        &mut self,
        document: &DocumentId,
        id: &ScopeId,
        changes: &mut Changes,
    ) -> Result<(), Missing> {
        let node = self.document(document)?;
        let at = node.scopes.iter().position(|scope| scope.id == *id);
        let at = at.ok_or_else(|| ("scope", id.to_string()))?;
        let before = node.scopes.remove(at);
        self.forget_scope(document, &before, changes);
        Ok(())
    }
}

fn places_in(document: &DocumentNode) -> impl Iterator<Item = (ElementInstanceId, Place)> {
    document.scopes.iter().flat_map(move |scope| {
        scope.elements.iter().enumerate().map(move |(position, element)| {
            let place = Place { document: document.document_id.clone(), scope: scope.id.clone(), position };
            (element.instance_id.clone(), place)
        })
    })
}

/// Positions from a guess outwards.
fn around(guess: usize, len: usize) -> impl Iterator<Item = usize> {
    let start = guess.min(len);
    (0..=len).flat_map(move |step| [start.checked_sub(step), (step > 0).then_some(start + step)]).flatten()
}

/// A scope without its elements.
fn head(scope: &ScopeNode) -> ScopeNode {
    ScopeUpsert::head(scope).into_scope(Vec::new())
}

/// What was there before the delta, noted when it is touched for the first time, in that order.
#[derive(Default)]
struct Changes {
    elements: Vec<(DocumentId, ElementInstanceId, Option<Arc<ElementNode>>)>,
    seen_elements: HashMap<ElementInstanceId, usize>,
    scopes: Vec<(DocumentId, ScopeId, Option<ScopeNode>)>,
    route_before: Option<RouteState>,
}

impl Changes {
    fn element(&mut self, document: &DocumentId, id: &ElementInstanceId, before: Option<Arc<ElementNode>>) {
        if self.seen_elements.contains_key(id) {
            return;
        }
        self.seen_elements.insert(id.clone(), self.elements.len());
        self.elements.push((document.clone(), id.clone(), before));
    }

    fn scope(&mut self, document: &DocumentId, id: &ScopeId, before: Option<ScopeNode>) {
        if !self.scopes.iter().any(|(home, each, _)| home == document && each == id) {
            self.scopes.push((document.clone(), id.clone(), before));
        }
    }

    fn finish(self, mirror: &mut Mirror) -> Touched {
        let elements = self.elements.into_iter().filter_map(|(document_id, id, before)| {
            let after = mirror.element(&document_id, &id).ok().map(|element| Arc::clone(element));
            (before.is_some() || after.is_some()).then_some(TouchedElement { document_id, before, after })
        });
        let elements = elements.collect();
        let scopes = self.scopes.into_iter().filter_map(|(document_id, id, before)| {
            let after = mirror.scope(&document_id, &id).ok().map(|scope| head(scope));
            (before.is_some() || after.is_some()).then_some(TouchedScope { document_id, before, after })
        });
        Touched { elements, scopes: scopes.collect(), route_before: self.route_before }
    }
}
