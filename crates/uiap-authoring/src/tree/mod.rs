//! The edit layer over parsed sources: a tree whose untouched parts stay in the arena of their file.
//!
//! A patch thaws only the containers on its way. Everything keeps its place, so a value that an overlay brought
//! in still points at the overlay.

mod at;
mod canonical;

use std::borrow::Cow;
use std::rc::Rc;

pub(crate) use at::{At, Place};
pub(crate) use canonical::{write_canonical, write_canonical_without, write_key, write_text};

use crate::source::{Node, NodeKind};

/// A value, edited or not.
#[derive(Clone)]
pub(crate) enum Tree<'d> {
    /// As it stands in its file.
    Source(Node<'d>),
    /// A mapping that was thawed or made.
    Map(Box<MapTree<'d>>),
    /// A sequence that was thawed or made.
    Seq(Box<SeqTree<'d>>),
    /// Text that a build step made.
    Text(Box<TextTree<'d>>),
    /// A value that stands in many places, such as a text that many elements refer to.
    Shared(Rc<Tree<'d>>),
}

/// A thawed mapping.
#[derive(Clone)]
pub(crate) struct MapTree<'d> {
    /// The place that messages show.
    pub(crate) origin: Node<'d>,
    pub(crate) entries: Vec<(Cow<'d, str>, Tree<'d>)>,
}

/// A thawed sequence.
#[derive(Clone)]
pub(crate) struct SeqTree<'d> {
    /// The place that messages show.
    pub(crate) origin: Node<'d>,
    pub(crate) items: Vec<Tree<'d>>,
}

/// Text from a build step.
#[derive(Clone)]
pub(crate) struct TextTree<'d> {
    /// The place that messages show.
    pub(crate) origin: Node<'d>,
    pub(crate) text: String,
}

impl<'d> Tree<'d> {
    /// Text in place of `origin`.
    pub(crate) fn text(origin: Node<'d>, text: impl Into<String>) -> Self {
        Self::Text(Box::new(TextTree { origin, text: text.into() }))
    }

    /// A mapping in place of `origin`.
    pub(crate) fn map(origin: Node<'d>, entries: Vec<(Cow<'d, str>, Self)>) -> Self {
        Self::Map(Box::new(MapTree { origin, entries }))
    }

    /// A sequence in place of `origin`.
    pub(crate) fn seq(origin: Node<'d>, items: Vec<Self>) -> Self {
        Self::Seq(Box::new(SeqTree { origin, items }))
    }

    /// A handle for reading.
    pub(crate) fn at(&self) -> At<'_> {
        match self {
            Self::Source(node) => At::Node(*node),
            Self::Map(map) => At::Map(map),
            Self::Seq(seq) => At::Seq(seq),
            Self::Text(text) => At::Text(text),
            Self::Shared(tree) => tree.at(),
        }
    }

    /// The node that messages show.
    pub(crate) fn origin(&self) -> Node<'d> {
        match self {
            Self::Source(node) => *node,
            Self::Map(map) => map.origin,
            Self::Seq(seq) => seq.origin,
            Self::Text(text) => text.origin,
            Self::Shared(tree) => tree.origin(),
        }
    }

    /// Turns a container of the source into one that can change; scalars stay.
    fn thaw(&mut self) {
        if let Self::Shared(tree) = self {
            *self = Self::clone(tree);
        }
        if let Self::Source(node) = *self {
            match node.kind() {
                NodeKind::Map => {
                    let entries =
                        node.entries().map(|(key, value)| (Cow::Borrowed(key), Self::Source(value)));
                    *self = Self::map(node, entries.collect());
                }
                NodeKind::Seq => *self = Self::seq(node, node.items().map(Self::Source).collect()),
                _ => {}
            }
        }
    }

    /// The members of a mapping, for changes.
    pub(crate) fn map_mut(&mut self) -> Option<&mut MapTree<'d>> {
        self.thaw();
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// The items of a sequence, for changes.
    pub(crate) fn seq_mut(&mut self) -> Option<&mut SeqTree<'d>> {
        self.thaw();
        if let Self::Seq(seq) = self { Some(seq) } else { None }
    }

    /// A member, for changes.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.map_mut()?.get_mut(key)
    }

    /// One step of a pointer, for changes.
    pub(crate) fn step_mut(&mut self, token: &str) -> Option<&mut Self> {
        self.thaw();
        match self {
            Self::Map(map) => map.get_mut(token),
            Self::Seq(seq) => seq.items.get_mut(array_index(token)?),
            _ => None,
        }
    }
}

impl<'d> MapTree<'d> {
    /// A member.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Tree<'d>> {
        self.entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets or adds a member.
    pub(crate) fn set(&mut self, key: &str, value: Tree<'d>) {
        match self.get_mut(key) {
            Some(slot) => *slot = value,
            None => self.entries.push((Cow::Owned(key.to_owned()), value)),
        }
    }

    /// Takes a member away.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Tree<'d>> {
        let at = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(at).1)
    }
}

/// RFC 6901 indices have no sign and no leading zero.
pub(crate) fn array_index(token: &str) -> Option<usize> {
    let plain = !token.is_empty()
        && token.bytes().all(|byte| byte.is_ascii_digit())
        && (token == "0" || !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}
