//! A value before and after, and the questions that the rules ask about it.

use std::collections::BTreeSet;

use super::Collector;
use crate::source::Node;
use crate::tree::At;

/// Whether two values hold the same data. Equal text is equal data, and in bundles that is the usual case.
pub(super) fn same(old: Option<Node<'_>>, new: Option<Node<'_>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => old.raw() == new.raw() || At::Node(old).same(At::Node(new)),
        (None, None) => true,
        _ => false,
    }
}

/// A value in a message: short.
pub(super) fn show(node: Option<Node<'_>>) -> String {
    node.map_or("nothing".to_owned(), |node| crate::build::shown(At::Node(node)))
}

/// The strings of a list.
pub(super) fn words(value: Option<Node<'_>>) -> BTreeSet<&str> {
    value.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect()
}

/// A value before and after.
#[derive(Clone)]
pub(super) struct Pair<'v> {
    pub(super) old: Node<'v>,
    pub(super) new: Node<'v>,
    /// Pointers to both.
    pub(super) before: String,
    pub(super) after: String,
}

impl<'v> Pair<'v> {
    /// Whether a member, or a member of a member, differs.
    pub(super) fn differs(&self, way: &[&str]) -> bool {
        !same(down(self.old, way), down(self.new, way))
    }

    /// Notes a change of a member.
    pub(super) fn change(&self, rule: &'static str, way: &[&str], what: &str, out: &mut Collector) {
        let (old, new) = (down(self.old, way), down(self.new, way));
        let message = format!("{what}: {} → {}", show(old), show(new));
        let pointer = |root: &str, value: Option<Node<'_>>| {
            value
                .map(|_| way.iter().fold(root.to_owned(), |at, key| format!("{at}/{key}")))
                .unwrap_or_default()
        };
        out.add(rule, pointer(&self.before, old), pointer(&self.after, new), message);
    }

    /// The strings of a list that went and that came.
    pub(super) fn moved(&self, key: &str) -> (Vec<&'v str>, Vec<&'v str>) {
        let (old, new) = (words(self.old.get(key)), words(self.new.get(key)));
        let gone = old.difference(&new).copied().collect();
        (gone, new.difference(&old).copied().collect())
    }

    /// Every member that either has.
    pub(super) fn members(&self) -> BTreeSet<&'v str> {
        self.old.entries().chain(self.new.entries()).map(|(key, _)| key).collect()
    }
}

/// Down a way of member names.
pub(super) fn down<'v>(node: Node<'v>, way: &[&str]) -> Option<Node<'v>> {
    way.iter().try_fold(node, |node, key| node.get(key))
}
