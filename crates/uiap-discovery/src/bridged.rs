//! Frames of other origins behind a bridge, as discovery contexts of their own: their documents get names that outlast a page, and what
//! is in them is mapped and left alone. Spec: discovery-mapper §12.3.

use std::collections::{BTreeMap, HashMap};

use compact_str::{CompactString, format_compact};
use uiap_model::names::{DocumentId, ScopeId};
use uiap_model::web::PageGraph;
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};

/// The graph with names for what is behind a bridge that are the same whenever the page is loaded: the frame's host in the place of a
/// number, with one of its own from the second frame of a host on.
pub fn named(mut graph: PageGraph) -> PageGraph {
    let names = names(&graph);
    if names.is_empty() {
        return graph;
    }
    let document = |id: &DocumentId| {
        let (frame, inner) = within(&names, id.as_str())?;
        DocumentId::parse(&if inner.is_empty() { frame.to_string() } else { format!("{frame}:{inner}") })
    };
    let scope = |id: &ScopeId| {
        let (frame, inner) = within(&names, id.as_str())?;
        // What the page's script made up keeps the sign of it.
        ScopeId::parse(&match inner.strip_prefix('~') {
            Some(made_up) => format!("~{frame}:{made_up}"),
            None => format!("{frame}:{inner}"),
        })
    };
    let rename = |id: &mut ScopeId| *id = scope(id).unwrap_or_else(|| id.clone());
    for each in &mut graph.documents {
        if let Some(own) = document(&each.document_id) {
            each.document_id = own;
            for inner in &mut each.scopes {
                inner.access = inner.access.or(Some(BoundaryAccess::Bridged));
            }
        }
        if let Some(parent) = &mut each.parent_document_id {
            *parent = document(parent).unwrap_or_else(|| parent.clone());
        }
        for inner in &mut each.scopes {
            rename(&mut inner.id);
            inner.parent_scope_id.iter_mut().for_each(rename);
        }
    }
    graph.modal_stack.iter_mut().flatten().for_each(rename);
    if let Some(focus) = &mut graph.focus {
        focus.document_id = document(&focus.document_id).unwrap_or_else(|| focus.document_id.clone());
        focus.scope_id.iter_mut().for_each(rename);
    }
    graph
}

/// The names of bridged frames by the ids that their documents have.
fn names(graph: &PageGraph) -> HashMap<CompactString, CompactString> {
    let mut counts: BTreeMap<CompactString, u32> = BTreeMap::new();
    let mut names = HashMap::new();
    for document in graph.documents.iter().filter(|document| document.kind == DocumentKind::Bridged) {
        let address = document.origin.as_deref().or(document.url.as_deref()).unwrap_or_default();
        let host = address.split_once("://").map_or(address, |(_, rest)| rest);
        let host = CompactString::from(host.split(['/', '?', '#']).next().unwrap_or_default());
        let count = counts.entry(host.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { host } else { format_compact!("{host}.{count}") };
        names.insert(CompactString::from(document.document_id.as_str()), name);
    }
    names
}

/// The bridged frame that an id lies in, and the id in there.
fn within<'a>(names: &'a HashMap<CompactString, CompactString>, id: &'a str) -> Option<(&'a str, &'a str)> {
    if let Some(name) = names.get(id) {
        return Some((name, ""));
    }
    let (document, inner) = id.split_once(':')?;
    Some((names.get(document)?, inner))
}
