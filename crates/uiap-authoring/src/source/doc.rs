//! The arena behind a parsed source.
//!
//! Nodes lie in the order of the text, a container directly before its members, and each node knows where its
//! subtree ends. That makes a node 32 bytes, members free to walk, and a copy of a subtree a copy of a slice.

use std::sync::Arc;

use super::file::SourceFile;
use super::node::{Node, NodeKind};
use super::span::Span;

/// How the characters of a key or a string are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// There are none: an element of a sequence has no key.
    #[default]
    Absent,
    /// The span itself.
    Verbatim,
    /// The span without the quotes around it.
    Quoted,
    /// In the side buffer, because escapes or folding changed them.
    Decoded,
}

/// What a node holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tag {
    #[default]
    Null,
    Bool,
    /// `payload` is an `i64`.
    Int,
    /// `payload` is a `u64` above `i64::MAX`.
    UInt,
    /// `payload` is the bits of an `f64`.
    Float,
    /// With [`Form::Decoded`], `payload` is a packed range of the side buffer.
    Str,
    /// `payload` packs the member count and the start of the member list, see [`Container`].
    Seq,
    /// As [`Tag::Seq`].
    Map,
}

impl Tag {
    pub(super) fn kind(self) -> NodeKind {
        match self {
            Self::Null => NodeKind::Null,
            Self::Bool => NodeKind::Bool,
            Self::Int | Self::UInt => NodeKind::Int,
            Self::Float => NodeKind::Float,
            Self::Str => NodeKind::Str,
            Self::Seq => NodeKind::Seq,
            Self::Map => NodeKind::Map,
        }
    }
}

/// One node: 32 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeData {
    pub(super) key: Span,
    pub(super) value: Span,
    pub(super) payload: u64,
    /// Index after the last node of this subtree.
    pub(super) next: u32,
    pub(super) tag: Tag,
    pub(super) key_form: Form,
    pub(super) form: Form,
}

/// A pair of 32-bit numbers in one payload.
pub(super) fn pack(high: u32, low: u32) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

/// The reverse of [`pack`].
#[expect(clippy::cast_possible_truncation, reason = "the halves are what is wanted")]
pub(super) fn unpack(payload: u64) -> (u32, u32) {
    ((payload >> 32) as u32, payload as u32)
}

/// Containers with at least this many members get a member list, so that reaching one member of a long
/// sequence or of a large mapping does not walk all the others. Smaller mappings are checked for duplicates pair by
/// pair, larger ones by sorting their list.
pub(super) const LISTED: u32 = 32;

/// Marks a container without a member list.
pub(super) const UNLISTED: u32 = u32::MAX;

/// A key whose text lies in the side buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedKey {
    pub(super) node: u32,
    pub(super) range: Span,
}

/// A parsed source: the tree, and the file it came from.
#[derive(Debug)]
pub struct SourceDoc {
    pub(super) file: Arc<SourceFile>,
    pub(super) nodes: Vec<NodeData>,
    /// Text that differs from the source because of escapes and folding.
    pub(super) decoded: String,
    /// Ascending by node.
    pub(super) decoded_keys: Vec<DecodedKey>,
    /// Member lists of large containers: of a sequence in order, of a mapping sorted by key.
    pub(super) members: Vec<u32>,
}

impl SourceDoc {
    /// The top of the tree.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    /// The file that was parsed.
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// Number of nodes in the tree.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the tree occupies besides the text of the file.
    pub fn heap_size(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeData>()
            + self.decoded.capacity()
            + self.decoded_keys.capacity() * size_of::<DecodedKey>()
            + self.members.capacity() * size_of::<u32>()
    }

    pub(super) fn data(&self, index: u32) -> NodeData {
        self.nodes.get(index as usize).copied().unwrap_or_default()
    }

    pub(super) fn key_text(&self, index: u32, data: &NodeData) -> Option<&str> {
        match data.key_form {
            Form::Absent => None,
            Form::Verbatim => Some(self.file.slice(data.key)),
            Form::Quoted => Some(self.file.slice(inside_quotes(data.key))),
            Form::Decoded => {
                let found = self.decoded_keys.binary_search_by_key(&index, |key| key.node).ok()?;
                self.decoded.get(self.decoded_keys.get(found)?.range.range())
            }
        }
    }

    pub(super) fn value_text(&self, data: &NodeData) -> &str {
        match data.form {
            Form::Quoted => self.file.slice(inside_quotes(data.value)),
            Form::Decoded => {
                let (start, end) = unpack(data.payload);
                self.decoded.get(start as usize..end as usize).unwrap_or_default()
            }
            Form::Verbatim | Form::Absent => self.file.slice(data.value),
        }
    }

    /// The member list of a large container.
    pub(super) fn member_list(&self, data: &NodeData) -> Option<&[u32]> {
        let (start, count) = unpack(data.payload);
        if start == UNLISTED {
            return None;
        }
        self.members.get(start as usize..start as usize + count as usize)
    }
}

pub(super) fn inside_quotes(span: Span) -> Span {
    Span::new(span.start + 1, span.end.saturating_sub(1))
}
