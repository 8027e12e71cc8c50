//! A cheap handle on one node, and the ways to read it.

use std::fmt;

use serde_json::Value;

use super::doc::{SourceDoc, Tag, unpack};
use super::span::Span;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Nothing.
    Null,
    /// True or false.
    Bool,
    /// A whole number that fits 64 bits.
    Int,
    /// Any other number.
    Float,
    /// Text.
    Str,
    /// A list.
    Seq,
    /// Named members.
    Map,
}

impl NodeKind {
    /// A noun for messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Int => "integer",
            Self::Float => "number",
            Self::Str => "string",
            Self::Seq => "list",
            Self::Map => "object",
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A number as it is stored. What was written is [`Node::raw`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Fits `i64`.
    Int(i64),
    /// Above `i64::MAX`.
    UInt(u64),
    /// Everything else.
    Float(f64),
}

/// A handle on one node: a reference and an index.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    doc: &'a SourceDoc,
    index: u32,
}

impl<'a> Node<'a> {
    pub(super) fn new(doc: &'a SourceDoc, index: u32) -> Self {
        Self { doc, index }
    }

    pub(super) fn index(self) -> u32 {
        self.index
    }

    /// The document that the node belongs to.
    pub fn doc(self) -> &'a SourceDoc {
        self.doc
    }

    /// What the node is.
    pub fn kind(self) -> NodeKind {
        self.data().tag.kind()
    }

    /// Where the value stands. A missing value (`key:`) has an empty range behind the colon.
    pub fn span(self) -> Span {
        self.data().value
    }

    /// Where the key stands, for a member of a mapping.
    pub fn key_span(self) -> Option<Span> {
        let data = self.data();
        (data.key_form != super::doc::Form::Absent).then_some(data.key)
    }

    /// The key, for a member of a mapping.
    pub fn key(self) -> Option<&'a str> {
        self.doc.key_text(self.index, &self.data())
    }

    /// What was written for the value, quotes and all.
    pub fn raw(self) -> &'a str {
        self.doc.file.slice(self.span())
    }

    /// Whether the value is null or missing.
    pub fn is_null(self) -> bool {
        self.data().tag == Tag::Null
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<&'a str> {
        let data = self.data();
        (data.tag == Tag::Str).then(|| self.doc.value_text(&data))
    }

    /// A boolean.
    pub fn as_bool(self) -> Option<bool> {
        let data = self.data();
        (data.tag == Tag::Bool).then_some(data.payload != 0)
    }

    /// A number of any kind.
    pub fn as_number(self) -> Option<Number> {
        let data = self.data();
        match data.tag {
            Tag::Int => Some(Number::Int(data.payload.cast_signed())),
            Tag::UInt => Some(Number::UInt(data.payload)),
            Tag::Float => Some(Number::Float(f64::from_bits(data.payload))),
            _ => None,
        }
    }

    /// A whole number that fits `i64`.
    pub fn as_i64(self) -> Option<i64> {
        match self.as_number()? {
            Number::Int(n) => Some(n),
            Number::UInt(_) | Number::Float(_) => None,
        }
    }

    /// A whole number that fits `u64`.
    pub fn as_u64(self) -> Option<u64> {
        match self.as_number()? {
            Number::Int(n) => u64::try_from(n).ok(),
            Number::UInt(n) => Some(n),
            Number::Float(_) => None,
        }
    }

    /// Any number. Whole numbers are exact: those that a double cannot hold do not get into a tree unreported.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers that would lose precision are reported on parsing"
    )]
    pub fn as_f64(self) -> Option<f64> {
        Some(match self.as_number()? {
            Number::Int(n) => n as f64,
            Number::UInt(n) => n as f64,
            Number::Float(n) => n,
        })
    }

    /// Number of members; 0 for a scalar.
    pub fn len(self) -> usize {
        let data = self.data();
        match data.tag {
            Tag::Seq | Tag::Map => unpack(data.payload).1 as usize,
            _ => 0,
        }
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Members of a mapping in the order of the text; nothing for other nodes.
    pub fn entries(self) -> Entries<'a> {
        Entries { items: self.members_if(Tag::Map) }
    }

    /// Elements of a sequence; nothing for other nodes.
    pub fn items(self) -> Items<'a> {
        self.members_if(Tag::Seq)
    }

    /// Members of a mapping or elements of a sequence.
    pub fn children(self) -> Items<'a> {
        let data = self.data();
        match data.tag {
            Tag::Seq | Tag::Map => self.members_if(data.tag),
            _ => Items { doc: self.doc, next: 0, end: 0, left: 0 },
        }
    }

    /// The member with this key; of a key that was written twice, the first.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        let data = self.data();
        if data.tag != Tag::Map {
            return None;
        }
        match self.doc.member_list(&data) {
            Some(list) => self.search(list, key),
            None => self.entries().find(|(name, _)| *name == key).map(|(_, node)| node),
        }
    }

    /// The element at a position of a sequence.
    pub fn item(self, position: usize) -> Option<Node<'a>> {
        let data = self.data();
        if data.tag != Tag::Seq {
            return None;
        }
        match self.doc.member_list(&data) {
            Some(list) => list.get(position).map(|&index| Node::new(self.doc, index)),
            None => self.items().nth(position),
        }
    }

    /// The same data as a JSON value.
    pub fn to_value(self) -> Value {
        let data = self.data();
        match data.tag {
            Tag::Null => Value::Null,
            Tag::Bool => Value::Bool(data.payload != 0),
            Tag::Int => Value::from(data.payload.cast_signed()),
            Tag::UInt => Value::from(data.payload),
            Tag::Float => Value::from(f64::from_bits(data.payload)),
            Tag::Str => Value::String(self.doc.value_text(&data).to_owned()),
            Tag::Seq => Value::Array(self.items().map(Node::to_value).collect()),
            Tag::Map => {
                let mut map = serde_json::Map::with_capacity(self.len());
                for (key, node) in self.entries() {
                    map.entry(key).or_insert_with(|| node.to_value());
                }
                Value::Object(map)
            }
        }
    }

    pub(super) fn data(self) -> super::doc::NodeData {
        self.doc.data(self.index)
    }

    fn members_if(self, tag: Tag) -> Items<'a> {
        let data = self.data();
        let matches = data.tag == tag;
        let (next, end) = if matches { (self.index + 1, data.next) } else { (0, 0) };
        Items { doc: self.doc, next, end, left: if matches { self.len() } else { 0 } }
    }

    fn search(self, list: &[u32], key: &str) -> Option<Node<'a>> {
        let key_of = |index: u32| Node::new(self.doc, index).key().unwrap_or_default();
        let at = list.partition_point(|&index| key_of(index) < key);
        let node = Node::new(self.doc, *list.get(at)?);
        (node.key() == Some(key)).then_some(node)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.kind(), self.span().range(), self.raw())
    }
}

/// Walks the members of a container.
#[derive(Clone)]
pub struct Items<'a> {
    doc: &'a SourceDoc,
    next: u32,
    end: u32,
    left: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node::new(self.doc, self.next);
        // A subtree holds at least its own node; `max` keeps the walk finite whatever the arena says.
        self.next = node.data().next.max(self.next + 1);
        self.left = self.left.saturating_sub(1);
        Some(node)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// Walks the members of a mapping with their keys.
#[derive(Clone)]
pub struct Entries<'a> {
    items: Items<'a>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.items.next()?;
        Some((node.key().unwrap_or_default(), node))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// Two nodes are equal when they hold the same data; places do not matter.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.data(), other.data());
        match (a.tag, b.tag) {
            (Tag::Seq, Tag::Seq) => self.items().eq(other.items()),
            (Tag::Map, Tag::Map) => self.entries().eq(other.entries()),
            (Tag::Str, Tag::Str) => self.as_str() == other.as_str(),
            (left, right) => left == right && a.payload == b.payload,
        }
    }
}
