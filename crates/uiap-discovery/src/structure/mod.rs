//! What a state is made of: the graph that the app publishes, tied to what is seen in its DOM, or the DOM alone. The app's word counts
//! for what things are and what they are called; how they stand, and what can be done to them, is what is seen. Spec: discovery-mapper §11.2.

mod blend;
mod tie;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use uiap_model::json::JsonObject;
use uiap_model::names::ScopeId;
use uiap_model::problem::Severity;
use uiap_model::web::check::{check, without_secrets};
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeKind, ScopeNode};

use self::tie::{Ties, chain};
use crate::template::path_of;

/// The member of metadata that says where a graph, an area or an element comes from.
pub const STRUCTURE: &str = "structure";
/// The app publishes it, and it is seen.
pub const PROVIDER: &str = "provider";
/// It is seen; the app does not speak of it.
pub const DOM: &str = "dom";
/// The app publishes it, and nobody sees it: nothing is done to it.
pub const UNSEEN: &str = "unseen";

/// Where a state's structure comes from: [`PROVIDER`] or [`DOM`].
pub fn of(graph: &PageGraph) -> &'static str {
    match said(graph.metadata.as_ref()) {
        Some(PROVIDER) => PROVIDER,
        _ => DOM,
    }
}

/// What the metadata of something says of where it comes from.
pub(crate) fn said(metadata: Option<&JsonObject>) -> Option<&str> {
    metadata?.0.get(STRUCTURE)?.as_str()
}

/// Notes where something comes from.
fn note(metadata: &mut JsonObject, structure: &str) {
    metadata.0.insert(STRUCTURE.to_owned(), Value::from(structure));
}

/// The graph of a page of which the app publishes none, or none that can be used.
pub fn plain(mut seen: PageGraph) -> PageGraph {
    note(seen.metadata.get_or_insert_with(|| JsonObject(serde_json::Map::new())), DOM);
    seen
}

/// The published graph, tied to what is seen. What is wrong with it is told in words that follow "the app's own page graph".
pub fn woven(seen: &PageGraph, published: &PageGraph) -> Result<PageGraph, String> {
    let place = |graph: &PageGraph| path_of(graph.route.url.split('#').next().unwrap_or_default());
    if place(published) != place(seen) {
        return Err(format!("is one of `{}`, and not of this page", published.route.url));
    }
    let mut graph = seen.clone();
    let mut landings = HashMap::new();
    let mut unseen = 0;
    for document in graph.documents.iter_mut().filter(|each| each.access == BoundaryAccess::Open) {
        let Some(told) = counterpart(document, published) else { continue };
        if let Some(scope) = told.scopes.iter().find(|scope| lies_in_itself(told, scope)) {
            return Err(format!("has an area `{}` that lies in itself", scope.id));
        }
        let woven = Loom::new(document, told, &mut unseen).weave();
        landings.extend(woven.landings);
        document.scopes = woven.areas;
    }
    let landed = |id: &ScopeId| landings.get(id).unwrap_or(id).clone();
    graph.modal_stack = graph.modal_stack.map(|stack| stack.iter().map(landed).collect());
    if let Some(focus) = &mut graph.focus {
        focus.scope_id = focus.scope_id.as_ref().map(landed);
    }
    if let Some(route) = &published.route.route_id {
        graph.route.route_id = Some(route.clone());
    }
    note(graph.metadata.get_or_insert_with(|| JsonObject(serde_json::Map::new())), PROVIDER);
    let graph = without_secrets(graph);
    match check(&graph).into_iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => {
            Err(format!("does not fit what is seen at `{}`: {}", problem.pointer, problem.message))
        }
        None => Ok(graph),
    }
}

/// The published document for one that is seen: the root for the root, a frame by its address.
fn counterpart<'a>(seen: &DocumentNode, published: &'a PageGraph) -> Option<&'a DocumentNode> {
    let mut alike = published.documents.iter().filter(|told| {
        told.kind == seen.kind
            && (seen.kind == DocumentKind::Root || (seen.url.is_some() && told.url == seen.url))
    });
    let first = alike.next()?;
    alike.next().is_none().then_some(first)
}

fn lies_in_itself(document: &DocumentNode, scope: &ScopeNode) -> bool {
    chain(&document.scopes, &scope.id).count() > document.scopes.len()
}

/// Areas that decide what may be done inside: nothing leaves them because the app says so.
fn binds(scope: &ScopeNode) -> bool {
    use ScopeKind::{Dialog, Drawer, Form, Menu, Popover};
    matches!(scope.kind, Form | Dialog | Drawer | Menu | Popover)
}

/// A document as it was woven.
struct Woven {
    areas: Vec<ScopeNode>,
    /// Where each area that is seen went.
    landings: HashMap<ScopeId, ScopeId>,
}

/// Makes the areas of one document.
struct Loom<'a> {
    seen: &'a [ScopeNode],
    told: &'a [ScopeNode],
    ties: Ties<'a>,
    areas: Vec<ScopeNode>,
    unseen: &'a mut usize,
}

impl<'a> Loom<'a> {
    fn new(seen: &'a DocumentNode, told: &'a DocumentNode, unseen: &'a mut usize) -> Self {
        let ties = Ties::between(seen, told);
        Self { seen: &seen.scopes, told: &told.scopes, ties, areas: Vec::new(), unseen }
    }

    fn weave(mut self) -> Woven {
        for scope in self.told {
            let seen = self.ties.seen_scope(&scope.id, self.seen);
            self.areas.push(blend::scope(scope, seen));
        }
        for scope in self.seen.iter().filter(|scope| binds(scope)) {
            self.area(scope);
        }
        let mut tied = HashSet::new();
        for scope in self.told {
            for element in &scope.elements {
                let Some((home, seen)) = self.ties.seen_element(&element.instance_id) else {
                    *self.unseen += 1;
                    let element = blend::unseen(element, *self.unseen);
                    self.put(&scope.id, element);
                    continue;
                };
                tied.insert(&seen.instance_id);
                let home = if self.may_move(home, &scope.id) { scope.id.clone() } else { self.area(home) };
                self.put(&home, blend::element(element, seen));
            }
        }
        for scope in self.seen {
            for element in scope.elements.iter().filter(|element| !tied.contains(&element.instance_id)) {
                let home = self.area(scope);
                self.put(&home, blend::unspoken(element));
            }
        }
        let landings = self.seen.iter().map(|scope| (scope.id.clone(), self.landing(&scope.id))).collect();
        let parents: Vec<_> = self.areas.iter().map(|area| self.parent(area)).collect();
        for (area, parent) in self.areas.iter_mut().zip(parents) {
            area.parent_scope_id = parent;
        }
        Woven { areas: self.areas, landings }
    }

    /// Whether an element may stand where the app puts it: no form and no layer is left by that.
    fn may_move(&self, from: &ScopeNode, to: &ScopeId) -> bool {
        let mut around = chain(self.seen, &from.id).filter(|scope| binds(scope));
        around.all(|scope| {
            let told = self.ties.told_scope(&scope.id);
            told.is_some_and(|told| chain(self.told, to).any(|each| each.id == *told))
        })
    }

    /// The area for what stands in one that is seen: what the app makes of it, else itself.
    fn area(&mut self, seen: &ScopeNode) -> ScopeId {
        if let Some(told) = self.ties.told_scope(&seen.id) {
            return told.clone();
        }
        if !self.areas.iter().any(|area| area.id == seen.id) {
            self.areas.push(blend::unspoken_scope(seen));
        }
        seen.id.clone()
    }

    /// Where an area that is seen went: the nearest around it that is there.
    fn landing(&self, seen: &ScopeId) -> ScopeId {
        let mut around = chain(self.seen, seen);
        let found = around.find_map(|scope| self.ties.told_scope(&scope.id).or_else(|| self.has(&scope.id)));
        found.unwrap_or(seen).clone()
    }

    fn has(&self, id: &'a ScopeId) -> Option<&'a ScopeId> {
        self.areas.iter().any(|area| area.id == *id).then_some(id)
    }

    fn parent(&self, area: &ScopeNode) -> Option<ScopeId> {
        if self.told.iter().any(|told| told.id == area.id) {
            return area.parent_scope_id.clone();
        }
        let mut around = chain(self.seen, &area.id).skip(1);
        let found = around.find_map(|scope| self.ties.told_scope(&scope.id).or_else(|| self.has(&scope.id)));
        found.cloned()
    }

    fn put(&mut self, home: &ScopeId, element: ElementNode) {
        if let Some(area) = self.areas.iter_mut().find(|area| area.id == *home) {
            area.elements.push(Arc::new(element));
        }
    }
}
