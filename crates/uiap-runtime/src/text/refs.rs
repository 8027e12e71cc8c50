//! Short names for elements: `e12`, in frames `f1e12`. One stays with its element for as long as the element lives.

use std::collections::HashMap;

use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::PageGraph;

/// More than this are kept only for elements that are still there.
const MOST: usize = 200_000;

/// The refs of one session.
#[derive(Debug, Clone, Default)]
pub struct Refs {
    names: HashMap<ElementInstanceId, String>,
    elements: HashMap<String, ElementInstanceId>,
    frames: HashMap<DocumentId, usize>,
    last: u64,
}

impl Refs {
    /// None given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The element that a ref stands for; `@e12` is `e12`.
    pub fn element(&self, text: &str) -> Option<&ElementInstanceId> {
        self.elements.get(text.strip_prefix('@').unwrap_or(text))
    }

    /// The ref of an element, if it has one.
    pub fn get(&self, id: &ElementInstanceId) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// The ref of an element; a new one when it has none.
    pub fn give(&mut self, graph: &PageGraph, document: &DocumentId, id: &ElementInstanceId) -> &str {
        if !self.names.contains_key(id) {
            self.make_room(graph);
            self.last += 1;
            let name = match self.frame(graph, document) {
                0 => format!("e{}", self.last),
                frame => format!("f{frame}e{}", self.last),
            };
            self.elements.insert(name.clone(), id.clone());
            self.names.insert(id.clone(), name);
        }
        self.names.get(id).map_or("", String::as_str)
    }

    /// 0 for the root document, then in the order in which frames were seen.
    fn frame(&mut self, graph: &PageGraph, document: &DocumentId) -> usize {
        if graph.root_document_id == *document {
            return 0;
        }
        let next = self.frames.len() + 1;
        *self.frames.entry(document.clone()).or_insert(next)
    }

    fn make_room(&mut self, graph: &PageGraph) {
        if self.names.len() < MOST {
            return;
        }
        let alive: std::collections::HashSet<&ElementInstanceId> =
            graph.elements().map(|(.., element)| &element.instance_id).collect();
        self.names.retain(|id, _| alive.contains(id));
        self.elements.retain(|_, id| alive.contains(id));
    }
}
