//! The lines of a page in order: scopes with what they hold, rows as one line, nothing said twice.

use std::collections::{HashMap, HashSet};

use uiap_model::capability::UIRole;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeKind, ScopeNode};

use super::escape::{harmless, quoted};
use super::line::{is_interactive, is_passage};

/// One line to be.
pub(super) struct Entry<'g> {
    pub(super) depth: usize,
    /// The entry that it stands below.
    pub(super) parent: Option<usize>,
    pub(super) document: &'g DocumentNode,
    pub(super) scope: Option<&'g ScopeNode>,
    pub(super) what: What<'g>,
}

pub(super) enum What<'g> {
    /// Header of a scope or frame.
    Header(String),
    Element {
        node: &'g ElementNode,
        /// What is left of its name when its parts speak for themselves.
        name: Option<String>,
    },
}

/// The page, or one scope of it with what lies inside.
pub(super) fn outline<'g>(graph: &'g PageGraph, only: Option<&ScopeId>) -> Vec<Entry<'g>> {
    let mut out = Vec::new();
    for document in &graph.documents {
        let mut drawer = Drawer {
            document,
            inner: inner_scopes(document),
            out: &mut out,
            modal: graph.modal_stack.as_deref(),
        };
        match only {
            Some(id) => {
                if let Some(scope) = document.scopes.iter().find(|scope| scope.id == *id) {
                    drawer.scope(scope, 0, None);
                }
            }
            None => drawer.document(),
        }
    }
    out
}

fn inner_scopes(document: &DocumentNode) -> HashMap<Option<&ScopeId>, Vec<&ScopeNode>> {
    let known: HashSet<&ScopeId> = document.scopes.iter().map(|scope| &scope.id).collect();
    let mut inner: HashMap<Option<&ScopeId>, Vec<&ScopeNode>> = HashMap::new();
    for scope in &document.scopes {
        let parent = scope.parent_scope_id.as_ref().filter(|id| known.contains(id) && **id != scope.id);
        inner.entry(parent).or_default().push(scope);
    }
    inner
}

struct Drawer<'g, 'o> {
    document: &'g DocumentNode,
    inner: HashMap<Option<&'g ScopeId>, Vec<&'g ScopeNode>>,
    modal: Option<&'g [ScopeId]>,
    out: &'o mut Vec<Entry<'g>>,
}

impl<'g> Drawer<'g, '_> {
    fn document(&mut self) {
        let parent = match self.document.kind {
            DocumentKind::Root => None,
            DocumentKind::Frame | DocumentKind::Bridged => {
                Some(self.header(frame_header(self.document), None, 0, None))
            }
        };
        let depth = usize::from(parent.is_some());
        for scope in self.inner.get(&None).cloned().unwrap_or_default() {
            self.scope(scope, depth, parent);
        }
    }

    fn header(
        &mut self,
        text: String,
        scope: Option<&'g ScopeNode>,
        depth: usize,
        parent: Option<usize>,
    ) -> usize {
        self.out.push(Entry { depth, parent, document: self.document, scope, what: What::Header(text) });
        self.out.len() - 1
    }

    fn scope(&mut self, scope: &'g ScopeNode, depth: usize, parent: Option<usize>) {
        // The graph is data from outside: scopes that contain each other must not hang us.
        if depth > 60 {
            return;
        }
        let plain = says_nothing(scope);
        let (depth, parent) = if plain {
            (depth, parent)
        } else {
            let header = self.header(scope_header(scope, self.modal), Some(scope), depth, parent);
            (depth + 1, Some(header))
        };
        Elements::new(self, scope).all(depth, parent);
        for inner in self.inner.get(&Some(&scope.id)).cloned().unwrap_or_default() {
            self.scope(inner, depth, parent);
        }
    }
}

/// Whether the header of a scope would tell nothing.
fn says_nothing(scope: &ScopeNode) -> bool {
    let unnamed = scope.name.as_deref().is_none_or(str::is_empty);
    let by_kind = scope.kind == ScopeKind::Page || (scope.kind == ScopeKind::Region && unnamed);
    let issues = scope.issues.as_ref().is_some_and(|issues| !issues.is_empty());
    by_kind && scope.access != Some(BoundaryAccess::Opaque) && scope.collection.is_none() && !issues
}

fn frame_header(document: &DocumentNode) -> String {
    let mut out = "frame".to_owned();
    if let Some(title) = document.title.as_deref().or(document.url.as_deref()) {
        out.push(' ');
        out.push_str(&quoted(title, 60));
    }
    if document.access == BoundaryAccess::Opaque {
        let why = document.opaque_reason.map_or("", |reason| reason.as_str());
        out.push_str(&format!(" [opaque: {why}]"));
    }
    out
}

fn scope_header(scope: &ScopeNode, modal: Option<&[ScopeId]>) -> String {
    let mut out = scope.kind.as_str().to_owned();
    if let Some(name) = scope.name.as_deref().filter(|name| !name.is_empty()) {
        out.push(' ');
        out.push_str(&quoted(name, 80));
    }
    if modal.is_some_and(|stack| stack.contains(&scope.id)) {
        out.push_str(" [modal]");
    }
    if scope.access == Some(BoundaryAccess::Opaque) {
        let why = scope.opaque_reason.map_or("", |reason| reason.as_str());
        out.push_str(&format!(" [opaque: {why}]"));
    }
    if let Some(collection) = &scope.collection {
        match (collection.loaded, collection.total) {
            (Some(loaded), Some(total)) if loaded < total => {
                out.push_str(&format!(" [{} of {} items]", loaded.0, total.0));
            }
            (Some(count), None) | (_, Some(count)) => out.push_str(&format!(" [{} items]", count.0)),
            _ => {}
        }
    }
    for issue in scope.issues.iter().flatten().filter(|issue| issue.instance_id.is_none()) {
        out.push_str(&format!(" [issue: {}]", harmless(&issue.message, 80)));
    }
    out
}

/// The elements of one scope, with who stands below whom.
struct Elements<'g, 'd, 'o> {
    drawer: &'d mut Drawer<'g, 'o>,
    scope: &'g ScopeNode,
    below: HashMap<&'g ElementInstanceId, Vec<&'g ElementNode>>,
    roots: Vec<&'g ElementNode>,
    /// Names of controls; a label that says the same is left out.
    named: HashSet<&'g str>,
}

impl<'g, 'd, 'o> Elements<'g, 'd, 'o> {
    fn new(drawer: &'d mut Drawer<'g, 'o>, scope: &'g ScopeNode) -> Self {
        let here: HashSet<&ElementInstanceId> =
            scope.elements.iter().map(|element| &element.instance_id).collect();
        let mut below: HashMap<&ElementInstanceId, Vec<&ElementNode>> = HashMap::new();
        let mut roots = Vec::new();
        let mut named = HashSet::new();
        for element in &scope.elements {
            match element
                .parent_instance_id
                .as_ref()
                .filter(|id| here.contains(id) && **id != element.instance_id)
            {
                Some(parent) => below.entry(parent).or_default().push(element),
                None => roots.push(&**element),
            }
            if is_interactive(element) {
                named.extend(element.name.as_deref().map(bare));
            }
        }
        Self { drawer, scope, below, roots, named }
    }

    fn all(mut self, depth: usize, parent: Option<usize>) {
        for root in std::mem::take(&mut self.roots) {
            self.element(root, depth, parent);
        }
    }

    fn children(&self, element: &ElementNode) -> Vec<&'g ElementNode> {
        self.below.get(&element.instance_id).cloned().unwrap_or_default()
    }

    fn element(&mut self, element: &'g ElementNode, depth: usize, parent: Option<usize>) {
        if depth > 80 {
            return;
        }
        let children = self.children(element);
        if element.role == UIRole::Row {
            return self.row(element, &children, depth, parent);
        }
        let name = element.name.as_deref().unwrap_or_default();
        if is_interactive(element) {
            let line = self.line(element, Some(name.to_owned()), depth, parent);
            for child in children {
                // What a control is made of is in its name.
                if is_interactive(child) || !name.contains(child.name.as_deref().unwrap_or_default()) {
                    self.element(child, depth + 1, Some(line));
                }
            }
            return;
        }
        // What the page announces is told, whether or not it has a name.
        if speaks(element) {
            let line = self.line(element, Some(name.to_owned()), depth, parent);
            for child in children.into_iter().filter(|child| is_interactive(child)) {
                self.element(child, depth + 1, Some(line));
            }
            return;
        }
        if children.is_empty() {
            let said = element.role == UIRole::Label && self.is_said(name);
            if !(said || name.is_empty() && is_silent(element)) {
                self.line(element, Some(name.to_owned()), depth, parent);
            }
            return;
        }
        match leftover(element, &children) {
            Some(rest) => {
                let line = self.line(element, Some(rest), depth, parent);
                for child in children {
                    self.element(child, depth + 1, Some(line));
                }
            }
            None => {
                for child in children {
                    self.element(child, depth, parent);
                }
            }
        }
    }

    /// Whether a control or the scope itself is called so.
    fn is_said(&self, text: &str) -> bool {
        self.named.contains(bare(text))
            || self.scope.name.as_deref().is_some_and(|name| bare(name) == bare(text))
    }

    /// A row says what its plain cells say; what can be used stands below it.
    fn row(&mut self, row: &'g ElementNode, cells: &[&'g ElementNode], depth: usize, parent: Option<usize>) {
        let (plain, full): (Vec<&ElementNode>, Vec<&'g ElementNode>) = cells
            .iter()
            .partition(|cell| !is_interactive(cell) && !self.below.contains_key(&cell.instance_id));
        let said: Vec<&str> =
            plain.iter().filter_map(|cell| cell.name.as_deref()).filter(|name| !name.is_empty()).collect();
        let name = if cells.is_empty() {
            row.name.as_deref().unwrap_or_default().to_owned()
        } else {
            said.join(" | ")
        };
        let line =
            (!name.is_empty() || is_interactive(row)).then(|| self.line(row, Some(name), depth, parent));
        let (depth, parent) = if line.is_some() { (depth + 1, line) } else { (depth, parent) };
        for cell in full {
            if is_interactive(cell) {
                self.element(cell, depth, parent);
            } else {
                for child in self.children(cell) {
                    self.element(child, depth, parent);
                }
            }
        }
    }

    fn line(
        &mut self,
        node: &'g ElementNode,
        name: Option<String>,
        depth: usize,
        parent: Option<usize>,
    ) -> usize {
        let entry = Entry {
            depth,
            parent,
            document: self.drawer.document,
            scope: Some(self.scope),
            what: What::Element { node, name },
        };
        self.drawer.out.push(entry);
        self.drawer.out.len() - 1
    }
}

/// Without the signs that forms put behind labels.
fn bare(name: &str) -> &str {
    name.trim_end_matches([':', '*', ' '])
}

/// Whether it says something by its content: a status, an alert, a toast.
fn speaks(element: &ElementNode) -> bool {
    matches!(element.role, UIRole::Status | UIRole::Alert | UIRole::Toast)
        && element.state.text_value.as_deref().is_some_and(|text| !text.trim().is_empty())
}

/// Nothing to tell by its presence alone.
fn is_silent(element: &ElementNode) -> bool {
    !matches!(
        element.role,
        UIRole::Progress | UIRole::Spinner | UIRole::Image | UIRole::Video | UIRole::Audio | UIRole::Canvas
    )
}

/// What a name says beyond the names of the parts.
fn leftover(element: &ElementNode, parts: &[&ElementNode]) -> Option<String> {
    let mut rest = element.name.as_deref().unwrap_or_default().to_owned();
    // In a sentence it is told where a part stood.
    let (gap, least) = if is_passage(element) { (" … ", 1) } else { (" ", 3) };
    for part in parts.iter().filter_map(|part| part.name.as_deref()).filter(|name| !name.is_empty()) {
        if let Some(at) = rest.find(part) {
            rest.replace_range(at..at + part.len(), gap);
        } else if let Some((at, _)) = rest.char_indices().find(|(at, _)| part.starts_with(&rest[*at..])) {
            // A long name was cut within that part.
            rest.truncate(at);
        }
    }
    let speaks = rest.chars().filter(|c| c.is_alphanumeric()).count() >= least;
    speaks.then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
}
