//! A cheap handle on one value of an edited tree, and the ways to read it.

use std::sync::Arc;

use serde_json::Value;
use uiap_model::shape;

use super::{MapTree, SeqTree, TextTree, Tree, array_index};
use crate::source::{Entries, Items, Node, NodeKind, SourceFile, Span, parse_pointer};

/// A value of an edited tree.
#[derive(Clone, Copy)]
pub(crate) enum At<'t> {
    Node(Node<'t>),
    Map(&'t MapTree<'t>),
    Seq(&'t SeqTree<'t>),
    Text(&'t TextTree<'t>),
}

/// A place in a file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Span,
}

impl<'t> At<'t> {
    /// What the value is.
    pub(crate) fn kind(self) -> NodeKind {
        match self {
            Self::Node(node) => node.kind(),
            Self::Map(_) => NodeKind::Map,
            Self::Seq(_) => NodeKind::Seq,
            Self::Text(_) => NodeKind::Str,
        }
    }

    /// The text of a string.
    pub(crate) fn as_str(self) -> Option<&'t str> {
        match self {
            Self::Node(node) => node.as_str(),
            Self::Text(text) => Some(&text.text),
            Self::Map(_) | Self::Seq(_) => None,
        }
    }

    /// A boolean.
    pub(crate) fn as_bool(self) -> Option<bool> {
        if let Self::Node(node) = self { node.as_bool() } else { None }
    }

    /// Number of members or items.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Node(node) => node.len(),
            Self::Map(map) => map.entries.len(),
            Self::Seq(seq) => seq.items.len(),
            Self::Text(_) => 0,
        }
    }

    /// A member of a mapping.
    pub(crate) fn get(self, key: &str) -> Option<At<'t>> {
        match self {
            Self::Node(node) => node.get(key).map(At::Node),
            Self::Map(map) => map.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.at()),
            Self::Seq(_) | Self::Text(_) => None,
        }
    }

    /// The text of a member.
    pub(crate) fn text(self, key: &str) -> Option<&'t str> {
        self.get(key).and_then(At::as_str)
    }

    /// Down a way of member names.
    pub(crate) fn descend(self, keys: &[&str]) -> Option<At<'t>> {
        keys.iter().try_fold(self, |at, key| at.get(key))
    }

    /// An item of a sequence.
    pub(crate) fn item(self, index: usize) -> Option<At<'t>> {
        match self {
            Self::Node(node) => node.item(index).map(At::Node),
            Self::Seq(seq) => seq.items.get(index).map(Tree::at),
            Self::Map(_) | Self::Text(_) => None,
        }
    }

    /// One step of a pointer.
    pub(crate) fn step(self, token: &str) -> Option<At<'t>> {
        match self.kind() {
            NodeKind::Map => self.get(token),
            NodeKind::Seq => self.item(array_index(token)?),
            _ => None,
        }
    }

    /// The value that a pointer names, or the nearest value above it and false.
    pub(crate) fn locate(self, pointer: &str) -> (At<'t>, bool) {
        let mut at = self;
        for token in parse_pointer(pointer).unwrap_or_default() {
            match at.step(&token) {
                Some(next) => at = next,
                None => return (at, false),
            }
        }
        (at, true)
    }

    /// Items of a sequence; nothing for other values.
    pub(crate) fn items(self) -> AtItems<'t> {
        match self {
            Self::Node(node) => AtItems::Nodes(node.items()),
            Self::Seq(seq) => AtItems::Trees(seq.items.iter()),
            Self::Map(_) | Self::Text(_) => AtItems::Trees([].iter()),
        }
    }

    /// Members of a mapping; nothing for other values.
    pub(crate) fn entries(self) -> AtEntries<'t> {
        match self {
            Self::Node(node) => AtEntries::Nodes(node.entries()),
            Self::Map(map) => AtEntries::Trees(map.entries.iter()),
            Self::Seq(_) | Self::Text(_) => AtEntries::Trees([].iter()),
        }
    }

    /// The items of a member that is a sequence.
    pub(crate) fn list(self, key: &str) -> AtItems<'t> {
        self.get(key).map_or(AtItems::Trees([].iter()), At::items)
    }

    /// The node whose place messages show.
    pub(crate) fn origin(self) -> Node<'t> {
        match self {
            Self::Node(node) => node,
            Self::Map(map) => map.origin,
            Self::Seq(seq) => seq.origin,
            Self::Text(text) => text.origin,
        }
    }

    /// The file that the value came from.
    pub(crate) fn file(self) -> &'t Arc<SourceFile> {
        self.origin().doc().file()
    }

    /// The range to underline: the value, or the key of a missing value.
    pub(crate) fn span(self) -> Span {
        let node = self.origin();
        match node.key_span() {
            Some(key) if node.span().is_empty() => key,
            _ => node.span(),
        }
    }

    /// The key's range, or the value's for an item of a list.
    pub(crate) fn key_span(self) -> Span {
        let node = self.origin();
        node.key_span().unwrap_or_else(|| node.span())
    }

    /// Where the value stands.
    pub(crate) fn place(self) -> Place {
        Place { file: Arc::clone(self.file()), span: self.span() }
    }

    /// Whether two values hold the same data, whatever the order of members.
    pub(crate) fn same(self, other: At<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (NodeKind::Map, NodeKind::Map) => {
                self.len() == other.len()
                    && self
                        .entries()
                        .all(|(key, value)| other.get(key).is_some_and(|other| value.same(other)))
            }
            (NodeKind::Seq, NodeKind::Seq) => {
                self.len() == other.len() && self.items().zip(other.items()).all(|(a, b)| a.same(b))
            }
            (NodeKind::Str, NodeKind::Str) => self.as_str() == other.as_str(),
            (a, b) => a == b && self.to_value() == other.to_value(),
        }
    }

    /// The same data as a JSON value; for parts that are few and need a typed look.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Node(node) => node.to_value(),
            Self::Text(text) => Value::String(text.text.clone()),
            Self::Seq(_) => Value::Array(self.items().map(At::to_value).collect()),
            Self::Map(_) => {
                Value::Object(self.entries().map(|(key, value)| (key.to_owned(), value.to_value())).collect())
            }
        }
    }
}

/// Walks a sequence.
pub(crate) enum AtItems<'t> {
    Nodes(Items<'t>),
    Trees(std::slice::Iter<'t, Tree<'t>>),
}

impl<'t> Iterator for AtItems<'t> {
    type Item = At<'t>;

    fn next(&mut self) -> Option<At<'t>> {
        match self {
            Self::Nodes(nodes) => nodes.next().map(At::Node),
            Self::Trees(trees) => trees.next().map(Tree::at),
        }
    }
}

/// Walks a mapping.
pub(crate) enum AtEntries<'t> {
    Nodes(Entries<'t>),
    Trees(std::slice::Iter<'t, (std::borrow::Cow<'t, str>, Tree<'t>)>),
}

impl<'t> Iterator for AtEntries<'t> {
    type Item = (&'t str, At<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Nodes(nodes) => nodes.next().map(|(key, node)| (key, At::Node(node))),
            Self::Trees(trees) => trees.next().map(|(key, tree)| (key.as_ref(), tree.at())),
        }
    }
}

impl<'t> shape::Tree<'t> for At<'t> {
    type Items = AtItems<'t>;
    type Entries = AtEntries<'t>;

    fn view(self) -> shape::View<'t, Self> {
        match self.kind() {
            NodeKind::Null => shape::View::Null,
            NodeKind::Bool => shape::View::Bool(self.as_bool().unwrap_or_default()),
            NodeKind::Int | NodeKind::Float => {
                shape::View::Number(self.origin().as_f64().unwrap_or(f64::NAN))
            }
            NodeKind::Str => shape::View::Text(self.as_str().unwrap_or_default()),
            NodeKind::Seq => shape::View::List(self.items()),
            NodeKind::Map => shape::View::Map(self.entries()),
        }
    }
}
