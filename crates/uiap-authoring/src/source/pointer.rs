//! JSON Pointers (RFC 6901) to nodes and back.

use std::fmt::Write;

use super::doc::SourceDoc;
use super::node::{Node, NodeKind};
use super::span::Span;

/// Where a pointer leads in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The key of the member, when the place is a member of a mapping.
    pub key_span: Option<Span>,
    /// The value.
    pub value_span: Span,
    /// False when the pointer names something that is not there; the spans are then those of the nearest
    /// ancestor that exists.
    pub exact: bool,
}

impl Location {
    fn of(node: Node<'_>, exact: bool) -> Self {
        Self { key_span: node.key_span(), value_span: node.span(), exact }
    }

    /// The range to underline: the value, or the key when there is no value or only an ancestor is there.
    pub fn focus(&self) -> Span {
        match self.key_span {
            Some(key) if !self.exact || self.value_span.is_empty() => key,
            _ => self.value_span,
        }
    }
}

/// Splits a pointer into its unescaped reference tokens. Nothing when the pointer is malformed: it must be
/// empty or begin with `/`, and `~` must be followed by `0` or `1`.
pub fn parse_pointer(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

/// Appends one reference token to a pointer, escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => match chars.next()? {
                '0' => out.push('~'),
                '1' => out.push('/'),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    Some(out)
}

impl<'a> Node<'a> {
    /// The node that a pointer names, seen from this one.
    pub fn pointer(self, pointer: &str) -> Option<Node<'a>> {
        parse_pointer(pointer)?.iter().try_fold(self, |node, token| node.step(token))
    }

    fn step(self, token: &str) -> Option<Node<'a>> {
        match self.kind() {
            NodeKind::Map => self.get(token),
            NodeKind::Seq => self.item(array_index(token)?),
            _ => None,
        }
    }

    /// The pointer from the root to this node.
    pub fn to_pointer(self) -> String {
        let mut pointer = String::new();
        let mut here = self.doc().root();
        while here.index() != self.index() {
            let Some((position, child)) = here.child_around(self.index()) else { break };
            match child.key() {
                Some(key) => push_token(&mut pointer, key),
                None => {
                    // Writing to a string cannot fail.
                    let _ = write!(pointer, "/{position}");
                }
            }
            here = child;
        }
        pointer
    }

    /// The member whose subtree holds `target`, with its position.
    fn child_around(self, target: u32) -> Option<(usize, Node<'a>)> {
        let data = self.data();
        if self.kind() == NodeKind::Seq
            && let Some(list) = self.doc().member_list(&data)
        {
            let position = list.partition_point(|&index| index <= target).checked_sub(1)?;
            return Some((position, Node::new(self.doc(), *list.get(position)?)));
        }
        self.children().enumerate().find(|(_, child)| child.data().next > target)
    }
}

/// RFC 6901 indices have no sign and no leading zero.
fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

impl SourceDoc {
    /// The node that a pointer names.
    pub fn pointer(&self, pointer: &str) -> Option<Node<'_>> {
        self.root().pointer(pointer)
    }

    /// Where a pointer leads. A member that is not there leads to its nearest ancestor that is; nothing comes
    /// back only for a malformed pointer.
    pub fn locate(&self, pointer: &str) -> Option<Location> {
        let mut node = self.root();
        for token in parse_pointer(pointer)? {
            match node.step(&token) {
                Some(child) => node = child,
                None => return Some(Location::of(node, false)),
            }
        }
        Some(Location::of(node, true))
    }
}
