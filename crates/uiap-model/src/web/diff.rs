//! The fewest operations that turn one graph into another.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::json::Nullable;
use crate::names::{DocumentId, ElementInstanceId, ScopeId};
use crate::web::delta::{ScopeUpsert, WebDeltaOp};
use crate::web::element::{ElementNode, ElementPatch};
use crate::web::graph::{DocumentNode, PageGraph, ScopeNode};

/// How to bring a consumer from one graph to another.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// By these operations.
    Delta(Vec<WebDeltaOp>),
    /// Only by a new snapshot: something changed that no operation can say.
    Snapshot(&'static str),
}

/// Compares two graphs: no operation for what stayed, one for each element that was added, removed, moved or changed.
pub fn diff(old: &PageGraph, new: &PageGraph) -> Difference {
    if let Some(reason) = beyond_operations(old, new) {
        return Difference::Snapshot(reason);
    }
    let mut ops = Vec::new();
    if old.route != new.route {
        ops.push(WebDeltaOp::RouteSet { route: new.route.clone() });
    }
    documents(old, new, &mut ops);
    if old.modal_stack != new.modal_stack {
        ops.push(WebDeltaOp::ModalStackSet { modal_stack: new.modal_stack.clone().unwrap_or_default() });
    }
    if old.focus != new.focus {
        ops.push(WebDeltaOp::FocusSet { focus: Nullable(new.focus.clone()) });
    }
    Difference::Delta(ops)
}

fn beyond_operations(old: &PageGraph, new: &PageGraph) -> Option<&'static str> {
    let changes = [
        (old.root_document_id != new.root_document_id, "another root document"),
        (old.viewport != new.viewport, "another viewport"),
        (old.locale != new.locale, "another locale"),
        (old.truncated != new.truncated, "another budget"),
        (old.metadata != new.metadata, "other metadata"),
        (old.modal_stack.is_some() && new.modal_stack.is_none(), "no modal stack any more"),
    ];
    changes.into_iter().find(|(changed, _)| *changed).map(|(_, reason)| reason)
}

/// The longest beginning of `new` that stands in `old` in the same order: it can stay. New entries come last, so
/// whatever follows must be put there anew.
fn kept<K: Eq + std::hash::Hash>(old: &[K], new: &[K]) -> usize {
    let places: HashMap<&K, usize> = old.iter().enumerate().map(|(at, key)| (key, at)).collect();
    let mut least = 0;
    for (count, key) in new.iter().enumerate() {
        match places.get(key) {
            Some(at) if *at >= least => least = at + 1,
            _ => return count,
        }
    }
    new.len()
}

fn documents(old: &PageGraph, new: &PageGraph, ops: &mut Vec<WebDeltaOp>) {
    let old_ids: Vec<&DocumentId> = old.documents.iter().map(|document| &document.document_id).collect();
    let new_ids: Vec<&DocumentId> = new.documents.iter().map(|document| &document.document_id).collect();
    let stay = kept(&old_ids, &new_ids);
    let (staying, fresh) = new.documents.split_at_checked(stay).unwrap_or((&new.documents, &[]));
    let staying_ids: HashSet<&DocumentId> = staying.iter().map(|document| &document.document_id).collect();
    for document in old.documents.iter().filter(|document| !staying_ids.contains(&document.document_id)) {
        ops.push(WebDeltaOp::DocumentRemove { document_id: document.document_id.clone() });
    }
    let before: HashMap<&DocumentId, &DocumentNode> =
        old.documents.iter().map(|document| (&document.document_id, document)).collect();
    for document in staying {
        if let Some(before) = before.get(&document.document_id) {
            one_document(before, document, ops);
        }
    }
    ops.extend(
        fresh.iter().map(|document| WebDeltaOp::DocumentUpsert { document: Box::new(document.clone()) }),
    );
}

fn one_document(old: &DocumentNode, new: &DocumentNode, ops: &mut Vec<WebDeltaOp>) {
    if !same_frame(old, new) {
        ops.push(WebDeltaOp::DocumentUpsert { document: Box::new(new.clone()) });
        return;
    }
    let old_ids: Vec<&ScopeId> = old.scopes.iter().map(|scope| &scope.id).collect();
    let new_ids: Vec<&ScopeId> = new.scopes.iter().map(|scope| &scope.id).collect();
    let stay = kept(&old_ids, &new_ids);
    let (staying, fresh) = new.scopes.split_at_checked(stay).unwrap_or((&new.scopes, &[]));
    let staying_ids: HashSet<&ScopeId> = staying.iter().map(|scope| &scope.id).collect();
    let document_id = &new.document_id;
    for scope in old.scopes.iter().filter(|scope| !staying_ids.contains(&scope.id)) {
        ops.push(WebDeltaOp::ScopeRemove { document_id: document_id.clone(), scope_id: scope.id.clone() });
    }
    elements(old, document_id, staying, fresh, ops);
    for scope in fresh {
        let scope = upsert(scope, true);
        ops.push(WebDeltaOp::ScopeUpsert { document_id: document_id.clone(), scope: Box::new(scope) });
    }
}

/// Whether the documents differ at most in their scopes.
fn same_frame(old: &DocumentNode, new: &DocumentNode) -> bool {
    old.kind == new.kind
        && old.url == new.url
        && old.origin == new.origin
        && old.title == new.title
        && old.parent_document_id == new.parent_document_id
        && old.host_instance_id == new.host_instance_id
        && old.access == new.access
        && old.opaque_reason == new.opaque_reason
}

fn elements(
    old: &DocumentNode,
    document_id: &DocumentId,
    staying: &[ScopeNode],
    fresh: &[ScopeNode],
    ops: &mut Vec<WebDeltaOp>,
) {
    let before: HashMap<&ScopeId, &ScopeNode> = old.scopes.iter().map(|scope| (&scope.id, scope)).collect();
    let home: HashMap<&ElementInstanceId, Home<'_>> = staying
        .iter()
        .filter_map(|scope| before.get(&scope.id))
        .flat_map(|scope| {
            scope
                .elements
                .iter()
                .enumerate()
                .map(|(place, element)| (&element.instance_id, Home { scope: &scope.id, place, element }))
        })
        .collect();
    // Whatever lives on in any scope is moved or patched, not removed.
    let alive: HashSet<&ElementInstanceId> = staying
        .iter()
        .chain(fresh)
        .flat_map(|scope| scope.elements.iter().map(|element| &element.instance_id))
        .collect();
    let gone = staying
        .iter()
        .filter_map(|scope| before.get(&scope.id))
        .flat_map(|scope| &scope.elements)
        .filter(|element| !alive.contains(&element.instance_id));
    ops.extend(gone.map(|element| WebDeltaOp::ElementRemove {
        document_id: document_id.clone(),
        instance_id: element.instance_id.clone(),
    }));
    for scope in staying {
        let Some(old_scope) = before.get(&scope.id) else { continue };
        if !same_scope(old_scope, scope) {
            let scope = upsert(scope, false);
            ops.push(WebDeltaOp::ScopeUpsert { document_id: document_id.clone(), scope: Box::new(scope) });
        }
        one_scope(&home, document_id, scope, ops);
    }
}

/// Where an element stood before.
#[derive(Clone, Copy)]
struct Home<'a> {
    scope: &'a ScopeId,
    place: usize,
    element: &'a ElementNode,
}

fn one_scope(
    home: &HashMap<&ElementInstanceId, Home<'_>>,
    document_id: &DocumentId,
    scope: &ScopeNode,
    ops: &mut Vec<WebDeltaOp>,
) {
    let resident = |element: &ElementNode| {
        home.get(&element.instance_id).filter(|home| *home.scope == scope.id).copied()
    };
    let places = scope
        .elements
        .iter()
        .filter_map(|element| resident(element).map(|home| (&element.instance_id, home.place)))
        .collect::<Vec<_>>();
    let unmoved = unmoved(&places);
    let mut previous: Option<&ElementInstanceId> = None;
    for element in &scope.elements {
        match resident(element) {
            Some(old) if unmoved.contains(&element.instance_id) => {
                if let Some(patch) = ElementPatch::between(old.element, element) {
                    ops.push(WebDeltaOp::ElementPatch {
                        document_id: document_id.clone(),
                        instance_id: element.instance_id.clone(),
                        patch: Box::new(patch),
                    });
                }
            }
            _ => ops.push(WebDeltaOp::ElementUpsert {
                document_id: document_id.clone(),
                scope_id: scope.id.clone(),
                element: Arc::clone(element),
                after: Some(Nullable(previous.cloned())),
            }),
        }
        previous = Some(&element.instance_id);
    }
}

/// The largest set of elements whose order did not change: a longest rising run of their old places.
fn unmoved<'a>(entries: &[(&'a ElementInstanceId, usize)]) -> HashSet<&'a ElementInstanceId> {
    let mut tails: Vec<usize> = Vec::new();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(entries.len());
    let place = |at: usize| entries.get(at).map_or(0, |(_, place)| *place);
    for at in 0..entries.len() {
        let length = tails.partition_point(|tail| place(*tail) < place(at));
        parents.push(length.checked_sub(1).and_then(|before| tails.get(before).copied()));
        match tails.get_mut(length) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let mut out = HashSet::new();
    let mut at = tails.last().copied();
    while let Some(index) = at {
        out.extend(entries.get(index).map(|(id, _)| *id));
        at = parents.get(index).copied().flatten();
    }
    out
}

/// Whether the scopes differ at most in their elements.
fn same_scope(old: &ScopeNode, new: &ScopeNode) -> bool {
    upsert(old, false) == upsert(new, false)
}

fn upsert(scope: &ScopeNode, with_elements: bool) -> ScopeUpsert {
    ScopeUpsert { elements: with_elements.then(|| scope.elements.clone()), ..ScopeUpsert::head(scope) }
}
