//! The part of a graph that somebody asked for. Spec: web-profile, SnapshotOptions.

use uiap_model::names::{DocumentId, ScopeId};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, PageGraph, ScopeNode};

/// Elements when nobody says how many.
const USUAL_ELEMENTS: u64 = 500;

/// Whether a graph that is observed can answer, or the page must be asked.
pub(crate) fn needs_capture(options: &SnapshotOptions) -> bool {
    options.include_hidden == Some(true) || options.include_bbox == Some(true)
}

/// The asked part of a graph. An unknown scope or document selects nothing.
pub(crate) fn narrow(graph: &PageGraph, options: &SnapshotOptions) -> PageGraph {
    let mut part = graph.clone();
    for document in &mut part.documents {
        if !wants_document(options, &document.document_id) {
            document.scopes.clear();
            continue;
        }
        select_scopes(document, options.scopes.as_deref());
    }
    if options.include_options == Some(false) {
        strip_options(&mut part);
    }
    let most = options.max_elements.as_ref().map_or(USUAL_ELEMENTS, |most| most.0);
    cut(&mut part, usize::try_from(most).unwrap_or(usize::MAX));
    part
}

fn wants_document(options: &SnapshotOptions, id: &DocumentId) -> bool {
    options.documents.as_ref().is_none_or(|documents| documents.contains(id))
}

/// Keeps the scopes that were asked for, with what lies inside them.
fn select_scopes(document: &mut DocumentNode, wanted: Option<&[ScopeId]>) {
    let Some(wanted) = wanted else { return };
    let mut kept: Vec<ScopeId> = Vec::new();
    let inside = |scope: &ScopeNode, kept: &[ScopeId]| {
        wanted.contains(&scope.id)
            || scope.parent_scope_id.as_ref().is_some_and(|parent| kept.contains(parent))
    };
    // A parent may stand after its child: repeat until nothing is added.
    loop {
        let more = document.scopes.iter().find(|scope| !kept.contains(&scope.id) && inside(scope, &kept));
        let Some(more) = more else { break };
        kept.push(more.id.clone());
    }
    document.scopes.retain(|scope| kept.contains(&scope.id));
}

fn strip_options(graph: &mut PageGraph) {
    let scopes = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
    for element in scopes.flat_map(|scope| &mut scope.elements) {
        if element.options.is_some() {
            std::sync::Arc::make_mut(element).options = None;
        }
    }
}

fn cut(graph: &mut PageGraph, most: usize) {
    let mut left = most;
    let mut cut = false;
    for scope in graph.documents.iter_mut().flat_map(|document| &mut document.scopes) {
        cut |= scope.elements.len() > left;
        scope.elements.truncate(left);
        left -= scope.elements.len();
    }
    if cut {
        graph.truncated = Some(true);
    }
}
