//! Whether a delta speaks only of what is there, found out before anything is changed by it.

use std::collections::{HashMap, HashSet};

use uiap_model::json::Nullable;
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};
use uiap_model::web::DocumentNode;
use uiap_model::web::delta::{ScopeUpsert, WebDeltaOp};

use super::{Mirror, Missing};

/// What the operations so far would leave; what they did not touch is as in the mirror.
pub(super) struct Foresight<'a> {
    mirror: &'a Mirror,
    /// Documents that were put or taken: nothing of the mirror is left in them.
    documents: HashMap<DocumentId, bool>,
    scopes: HashMap<(DocumentId, ScopeId), bool>,
    /// Scopes whose elements of the mirror are gone.
    emptied: HashSet<(DocumentId, ScopeId)>,
    elements: HashMap<ElementInstanceId, Option<(DocumentId, ScopeId)>>,
}

impl<'a> Foresight<'a> {
    pub(super) fn of(mirror: &'a Mirror) -> Self {
        Self {
            mirror,
            documents: HashMap::new(),
            scopes: HashMap::new(),
            emptied: HashSet::new(),
            elements: HashMap::new(),
        }
    }

    /// What the operation needs must be there; afterwards it counts as done.
    pub(super) fn check(&mut self, op: &WebDeltaOp) -> Result<(), Missing> {
        match op {
            WebDeltaOp::RouteSet { .. } | WebDeltaOp::FocusSet { .. } | WebDeltaOp::ModalStackSet { .. } => {}
            WebDeltaOp::DocumentUpsert { document } => self.put_document(document),
            WebDeltaOp::DocumentRemove { document_id } => {
                self.document(document_id)?;
                self.clear_document(document_id, false);
            }
            WebDeltaOp::ScopeUpsert { document_id, scope } => self.put_scope(document_id, scope)?,
            WebDeltaOp::ScopeRemove { document_id, scope_id } => {
                self.scope(document_id, scope_id)?;
                let place = (document_id.clone(), scope_id.clone());
                self.empty(&place);
                self.scopes.insert(place, false);
            }
            WebDeltaOp::ElementUpsert { document_id, scope_id, element, after } => {
                self.scope(document_id, scope_id)?;
                let home = (document_id.clone(), scope_id.clone());
                if let Some(Nullable(Some(other))) = after {
                    let beside = *other != element.instance_id && self.place(other).as_ref() == Some(&home);
                    if !beside {
                        return Err(("element in that scope", other.to_string()));
                    }
                }
                self.elements.insert(element.instance_id.clone(), Some(home));
            }
            WebDeltaOp::ElementPatch { document_id, instance_id, .. } => {
                self.element(document_id, instance_id)?;
            }
            WebDeltaOp::ElementRemove { document_id, instance_id } => {
                self.element(document_id, instance_id)?;
                self.elements.insert(instance_id.clone(), None);
            }
        }
        Ok(())
    }

    fn document(&self, id: &DocumentId) -> Result<(), Missing> {
        let there = self.documents.get(id).copied().unwrap_or_else(|| {
            self.mirror.graph.documents.iter().any(|document| document.document_id == *id)
        });
        if there { Ok(()) } else { Err(("document", id.to_string())) }
    }

    fn scope(&self, document: &DocumentId, id: &ScopeId) -> Result<(), Missing> {
        self.document(document)?;
        let there = self.scopes.get(&(document.clone(), id.clone())).copied().unwrap_or_else(|| {
            let mut documents = self.mirror.graph.documents.iter();
            let kept = !self.documents.contains_key(document);
            kept && documents
                .any(|each| each.document_id == *document && each.scopes.iter().any(|scope| scope.id == *id))
        });
        if there { Ok(()) } else { Err(("scope", id.to_string())) }
    }

    fn element(&self, document: &DocumentId, id: &ElementInstanceId) -> Result<(), Missing> {
        let there = self.place(id).is_some_and(|(home, _)| home == *document);
        if there { Ok(()) } else { Err(("element", id.to_string())) }
    }

    fn place(&self, id: &ElementInstanceId) -> Option<(DocumentId, ScopeId)> {
        if let Some(place) = self.elements.get(id) {
            return place.clone();
        }
        let place = self.mirror.places.get(id)?;
        let home = (place.document.clone(), place.scope.clone());
        let gone = self.documents.contains_key(&home.0) || self.emptied.contains(&home);
        (!gone).then_some(home)
    }

    fn clear_document(&mut self, id: &DocumentId, there: bool) {
        self.documents.insert(id.clone(), there);
        self.scopes.retain(|(document, _), _| document != id);
        self.elements.retain(|_, place| place.as_ref().is_none_or(|(document, _)| document != id));
    }

    fn put_document(&mut self, document: &DocumentNode) {
        self.clear_document(&document.document_id, true);
        for scope in &document.scopes {
            let home = (document.document_id.clone(), scope.id.clone());
            self.scopes.insert(home.clone(), true);
            for element in &scope.elements {
                self.elements.insert(element.instance_id.clone(), Some(home.clone()));
            }
        }
    }

    fn put_scope(&mut self, document: &DocumentId, scope: &ScopeUpsert) -> Result<(), Missing> {
        self.document(document)?;
        let home = (document.clone(), scope.id.clone());
        if let Some(elements) = &scope.elements {
            self.empty(&home);
            for element in elements {
                self.elements.insert(element.instance_id.clone(), Some(home.clone()));
            }
        }
        self.scopes.insert(home, true);
        Ok(())
    }

    fn empty(&mut self, home: &(DocumentId, ScopeId)) {
        self.elements.retain(|_, place| place.as_ref() != Some(home));
        self.emptied.insert(home.clone());
    }
}
