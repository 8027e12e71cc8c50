//! The page graph: documents, scopes in documents, elements in scopes.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::document::ModelVersion;
use crate::capability::{UIRole, UIState};
use crate::json::{Count, JsonObject, Number};
use crate::names::{DocumentId, ElementInstanceId, RevisionId, ScopeId, StableId, Timestamp};
use crate::web::element::ElementNode;

/// The kind of an area.
#[wire]
pub enum ScopeKind {
    Page,
    Region,
    Navigation,
    Form,
    Dialog,
    Drawer,
    Menu,
    Popover,
    Tabpanel,
    List,
    Table,
    Toolbar,
    Frame,
    Custom,
}

/// A box in CSS pixels, in the viewport of its document.
#[wire]
pub struct DOMRectLike {
    pub x: Number,
    pub y: Number,
    pub width: Number,
    pub height: Number,
}

/// Whether one can look inside.
#[wire]
pub enum BoundaryAccess {
    Open,
    /// Through a child that cooperates.
    Bridged,
    /// Not at all.
    Opaque,
}

/// Why one cannot look inside.
#[wire(case = "snake")]
pub enum OpaqueReason {
    CrossOrigin,
    ClosedShadow,
    Sandboxed,
    PixelSurface,
    Policy,
}

/// Where the semantics of an element come from.
#[wire]
pub enum SemanticSource {
    Annotation,
    Registry,
    Native,
    Aria,
    Text,
    Heuristic,
    Vision,
}

/// A place in the app.
#[wire]
pub struct RouteState {
    pub route_id: Option<CompactString>,
    pub url: CompactString,
    pub path: Option<CompactString>,
    pub title: Option<CompactString>,
    pub params: Option<BTreeMap<CompactString, CompactString>>,
}

/// Where the keyboard goes.
#[wire]
pub struct FocusState {
    pub document_id: DocumentId,
    pub instance_id: Option<ElementInstanceId>,
    pub scope_id: Option<ScopeId>,
}

/// The profile that this graph belongs to.
#[wire]
pub enum WebProfile {
    #[wire(name = "web@0.1")]
    V01,
}

/// The part of the page that is seen.
#[wire]
pub struct Viewport {
    pub width: Number,
    pub height: Number,
    pub scroll_x: Option<Number>,
    pub scroll_y: Option<Number>,
}

/// The page at one revision.
#[wire]
pub struct PageGraph {
    pub model_version: ModelVersion,
    pub profile: WebProfile,
    pub revision: RevisionId,
    /// Rises by one with each published revision.
    pub seq: Count,
    pub ts: Timestamp,
    pub route: RouteState,
    pub viewport: Option<Viewport>,
    pub locale: Option<CompactString>,
    pub root_document_id: DocumentId,
    /// The root first, then in document order.
    pub documents: Vec<DocumentNode>,
    /// Bottom to top.
    pub modal_stack: Option<Vec<ScopeId>>,
    pub focus: Option<FocusState>,
    /// A budget cut something off.
    pub truncated: Option<bool>,
    pub metadata: Option<JsonObject>,
}

/// The kind of a document.
#[wire]
pub enum DocumentKind {
    Root,
    Frame,
    Bridged,
}

/// A document of the page.
#[wire]
pub struct DocumentNode {
    pub document_id: DocumentId,
    pub kind: DocumentKind,
    pub url: Option<CompactString>,
    pub origin: Option<CompactString>,
    pub title: Option<CompactString>,
    pub parent_document_id: Option<DocumentId>,
    /// The frame element that holds it.
    pub host_instance_id: Option<ElementInstanceId>,
    pub access: BoundaryAccess,
    /// Needed when access is opaque.
    pub opaque_reason: Option<OpaqueReason>,
    /// Empty when access is opaque.
    pub scopes: Vec<ScopeNode>,
}

/// What a list or table holds, loaded or not.
#[wire]
pub struct Collection {
    pub total: Option<Count>,
    pub loaded: Option<Count>,
    pub item_role: Option<UIRole>,
    pub entity_type: Option<CompactString>,
}

/// A fault that a form shows.
#[wire]
pub struct ValidationIssue {
    pub instance_id: Option<ElementInstanceId>,
    pub stable_id: Option<StableId>,
    pub message: CompactString,
    pub code: Option<CompactString>,
}

/// An area of a document. Areas form a flat list; `parentScopeId` tells which lies in which.
#[wire]
pub struct ScopeNode {
    pub id: ScopeId,
    pub kind: ScopeKind,
    pub name: Option<CompactString>,
    pub stable_id: Option<StableId>,
    pub role: Option<UIRole>,
    pub parent_scope_id: Option<ScopeId>,
    pub state: Option<UIState>,
    pub access: Option<BoundaryAccess>,
    pub opaque_reason: Option<OpaqueReason>,
    pub collection: Option<Collection>,
    /// What a form is sent by.
    pub submit_target: Option<ElementInstanceId>,
    pub issues: Option<Vec<ValidationIssue>>,
    /// Each element stands in its innermost scope only. Revisions share the elements that did not change.
    pub elements: Vec<Arc<ElementNode>>,
    pub metadata: Option<JsonObject>,
}

impl PageGraph {
    /// Every scope with its document.
    pub fn scopes(&self) -> impl Iterator<Item = (&DocumentNode, &ScopeNode)> {
        self.documents.iter().flat_map(|document| document.scopes.iter().map(move |scope| (document, scope)))
    }

    /// Every element with its document and scope.
    pub fn elements(&self) -> impl Iterator<Item = (&DocumentNode, &ScopeNode, &ElementNode)> {
        self.scopes().flat_map(|(document, scope)| {
            scope.elements.iter().map(move |element| (document, scope, &**element))
        })
    }

    /// The scope of that id.
    pub fn scope(&self, id: &ScopeId) -> Option<&ScopeNode> {
        self.scopes().map(|(_, scope)| scope).find(|scope| scope.id == *id)
    }

    /// The one element of that stable id in any document; `None` when there is none or more than one.
    pub fn by_stable_id(&self, id: &StableId) -> Option<&ElementNode> {
        let mut hits = self
            .elements()
            .map(|(_, _, element)| element)
            .filter(|element| element.stable_id.as_ref() == Some(id));
        let first = hits.next()?;
        hits.next().is_none().then_some(first)
    }
}
