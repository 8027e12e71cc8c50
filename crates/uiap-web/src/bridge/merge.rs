//! The graph of a frame in the graph of its page, under names that meet no other.

use std::sync::Arc;

use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_model::web::{DocumentNode, ElementNode, PageGraph};

/// Between the id of a bridged document and the ids in it.
const SEPARATOR: char = ':';

/// Puts the graph of a frame in the place of its opaque document. Ids in it begin with the id of that document, so that they
/// meet no other.
pub fn merge(graph: &mut PageGraph, document_id: &DocumentId, inner: &PageGraph) {
    let Some(at) = graph.documents.iter().position(|document| document.document_id == *document_id) else {
        return;
    };
    let Some(place) = graph.documents.get(at).cloned() else { return };
    let within = Within { prefix: document_id.as_str(), root: &inner.root_document_id };
    let documents: Vec<_> =
        inner.documents.iter().map(|document| within.document(document, &place)).collect();
    graph.documents.splice(at..=at, documents);
    if let (Some(stack), Some(more)) = (&mut graph.modal_stack, &inner.modal_stack) {
        stack.extend(more.iter().map(|id| within.scope(id)));
    }
    // The keyboard is in the frame when the page says that it is at the frame element.
    let at_host = graph.focus.as_ref().is_some_and(|focus| focus.instance_id == place.host_instance_id);
    if let Some(focus) = inner.focus.as_ref().filter(|_| at_host) {
        let mut focus = focus.clone();
        focus.document_id = within.document_id(&focus.document_id);
        focus.instance_id = focus.instance_id.map(|id| within.element_id(&id));
        focus.scope_id = focus.scope_id.map(|id| within.scope(&id));
        graph.focus = Some(focus);
    }
    if inner.truncated == Some(true) {
        graph.truncated = Some(true);
    }
}

/// The name inside of a frame of what is told under this name outside; none for what is not in it.
pub(super) fn inner_name<'a>(document: &DocumentId, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(document.as_str())?.strip_prefix(SEPARATOR)
}

/// Names as they are told outside of a frame.
pub(super) struct Within<'a> {
    pub(super) prefix: &'a str,
    pub(super) root: &'a DocumentId,
}

impl Within<'_> {
    fn name(&self, id: &str) -> String {
        format!("{}{SEPARATOR}{id}", self.prefix)
    }

    pub(super) fn document_id(&self, id: &DocumentId) -> DocumentId {
        let own = if id == self.root { self.prefix.to_owned() } else { self.name(id.as_str()) };
        DocumentId::parse(&own).unwrap_or_else(|| id.clone())
    }

    pub(super) fn scope(&self, id: &ScopeId) -> ScopeId {
        ScopeId::parse(&self.name(id.as_str())).unwrap_or_else(|| id.clone())
    }

    pub(super) fn element_id(&self, id: &ElementInstanceId) -> ElementInstanceId {
        ElementInstanceId::parse(&self.name(id.as_str())).unwrap_or_else(|| id.clone())
    }

    fn document(&self, document: &DocumentNode, place: &DocumentNode) -> DocumentNode {
        let mut told = document.clone();
        told.document_id = self.document_id(&document.document_id);
        if document.document_id == *self.root {
            told.kind = DocumentKind::Bridged;
            told.access = BoundaryAccess::Bridged;
            told.parent_document_id.clone_from(&place.parent_document_id);
            told.host_instance_id.clone_from(&place.host_instance_id);
        } else {
            told.parent_document_id = told.parent_document_id.map(|id| self.document_id(&id));
            told.host_instance_id = told.host_instance_id.map(|id| self.element_id(&id));
        }
        for scope in &mut told.scopes {
            scope.id = self.scope(&scope.id);
            scope.parent_scope_id = scope.parent_scope_id.as_ref().map(|id| self.scope(id));
            scope.submit_target = scope.submit_target.as_ref().map(|id| self.element_id(id));
            for issue in scope.issues.iter_mut().flatten() {
                issue.instance_id = issue.instance_id.as_ref().map(|id| self.element_id(id));
            }
            for element in &mut scope.elements {
                *element = Arc::new(self.element(element));
            }
        }
        told
    }

    fn element(&self, element: &ElementNode) -> ElementNode {
        let mut told = element.clone();
        told.instance_id = self.element_id(&element.instance_id);
        told.parent_instance_id = element.parent_instance_id.as_ref().map(|id| self.element_id(id));
        told
    }
}
