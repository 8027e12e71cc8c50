//! Typed structs straight from the tree: a serde deserializer over a node.
//!
//! It describes itself like a JSON value does, and an error remembers the node where it happened.

use std::fmt;

use serde::Deserializer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::decode_key::Key;
use super::doc::SourceDoc;
use super::node::{Entries, Items, Node, NodeKind, Number};
use super::span::Span;

/// Why a node does not fit a type, and where.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct DecodeError {
    message: String,
    place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    span: Span,
    pointer: String,
}

impl DecodeError {
    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The value that does not fit.
    pub fn span(&self) -> Span {
        self.place.as_ref().map_or(Span::default(), |place| place.span)
    }

    /// The pointer to the value that does not fit.
    pub fn pointer(&self) -> &str {
        self.place.as_ref().map_or("", |place| &place.pointer)
    }

    /// The innermost node on the way out is the one that does not fit.
    fn at(mut self, node: Node<'_>) -> Self {
        if self.place.is_none() {
            self.place = Some(Place { span: node.span(), pointer: node.to_pointer() });
        }
        self
    }
}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), place: None }
    }
}

impl SourceDoc {
    /// Decodes the whole document.
    pub fn decode<'de, T: de::Deserialize<'de>>(&'de self) -> Result<T, DecodeError> {
        self.root().decode()
    }
}

impl<'de> Node<'de> {
    /// Decodes this node.
    pub fn decode<T: de::Deserialize<'de>>(self) -> Result<T, DecodeError> {
        T::deserialize(self).map_err(|error| error.at(self))
    }

    fn unexpected(self) -> Unexpected<'de> {
        match self.kind() {
            NodeKind::Null => Unexpected::Other("null"),
            NodeKind::Bool => Unexpected::Bool(self.as_bool().unwrap_or_default()),
            NodeKind::Int | NodeKind::Float => match self.as_number() {
                Some(Number::Int(n)) => Unexpected::Signed(n),
                Some(Number::UInt(n)) => Unexpected::Unsigned(n),
                Some(Number::Float(n)) => Unexpected::Float(n),
                None => Unexpected::Other("number"),
            },
            NodeKind::Str => Unexpected::Str(self.as_str().unwrap_or_default()),
            NodeKind::Seq => Unexpected::Other("list"),
            NodeKind::Map => Unexpected::Other("object"),
        }
    }

    fn mismatch(self, expected: &dyn de::Expected) -> DecodeError {
        <DecodeError as de::Error>::invalid_type(self.unexpected(), expected).at(self)
    }

    fn visit_number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.as_number() {
            Some(Number::Int(n)) => match u64::try_from(n) {
                Ok(n) => visitor.visit_u64(n),
                Err(_) => visitor.visit_i64(n),
            },
            Some(Number::UInt(n)) => visitor.visit_u64(n),
            Some(Number::Float(n)) => visitor.visit_f64(n),
            None => Err(self.mismatch(&visitor)),
        }
        .map_err(|error| error.at(self))
    }

    fn visit_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mut access = Elements { items: self.items() };
        let value = visitor.visit_seq(&mut access).map_err(|error| error.at(self))?;
        if access.items.next().is_some() {
            let expected = Fewer { taken: self.len() - access.items.len() - 1 };
            return Err(<DecodeError as de::Error>::invalid_length(self.len(), &expected).at(self));
        }
        Ok(value)
    }

    fn visit_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mut access = Members { entries: self.entries(), value: None };
        let value = visitor.visit_map(&mut access).map_err(|error| error.at(self))?;
        if access.entries.next().is_some() {
            let expected = Fewer { taken: self.len() - access.entries.len() - 1 };
            return Err(<DecodeError as de::Error>::invalid_length(self.len(), &expected).at(self));
        }
        Ok(value)
    }
}

/// What a visitor that stopped early would have taken.
struct Fewer {
    taken: usize,
}

impl de::Expected for Fewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} members", self.taken)
    }
}

/// Methods that need one kind of node and refuse all others.
macro_rules! only {
    ($($method:ident($kind:pat) => $visit:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match self.kind() {
                $kind => {
                    let visit: fn(Self, V) -> Result<V::Value, DecodeError> = $visit;
                    visit(self, visitor).map_err(|error| error.at(self))
                }
                _ => Err(self.mismatch(&visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.kind() {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::Bool => visitor.visit_bool(self.as_bool().unwrap_or_default()),
            NodeKind::Int | NodeKind::Float => self.visit_number(visitor),
            NodeKind::Str => visitor.visit_borrowed_str(self.as_str().unwrap_or_default()),
            NodeKind::Seq => self.visit_seq(visitor),
            NodeKind::Map => self.visit_map(visitor),
        }
        .map_err(|error| error.at(self))
    }

    only! {
        deserialize_bool(NodeKind::Bool) => |node, v| v.visit_bool(node.as_bool().unwrap_or_default());
        deserialize_i8(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_i16(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_i32(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_i64(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_i128(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_u8(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_u16(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_u32(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_u64(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_u128(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_f32(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_f64(NodeKind::Int | NodeKind::Float) => |node, v| node.visit_number(v);
        deserialize_char(NodeKind::Str) => |node, v| v.visit_borrowed_str(node.as_str().unwrap_or_default());
        deserialize_str(NodeKind::Str) => |node, v| v.visit_borrowed_str(node.as_str().unwrap_or_default());
        deserialize_string(NodeKind::Str) => |node, v| v.visit_borrowed_str(node.as_str().unwrap_or_default());
        deserialize_identifier(NodeKind::Str) => |node, v| v.visit_borrowed_str(node.as_str().unwrap_or_default());
        deserialize_unit(NodeKind::Null) => |_, v| v.visit_unit();
        deserialize_seq(NodeKind::Seq) => Node::visit_seq;
        deserialize_map(NodeKind::Map) => Node::visit_map;
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.kind() {
            NodeKind::Str => self.deserialize_str(visitor),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
            .map_err(|error| error.at(self))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self).map_err(|error| error.at(self))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.kind() {
            NodeKind::Seq => self.visit_seq(visitor),
            NodeKind::Map => self.visit_map(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let access = match self.kind() {
            NodeKind::Str => Variant { name: self.as_str().unwrap_or_default(), node: self, value: None },
            NodeKind::Map if self.len() == 1 => match self.entries().next() {
                Some((name, value)) => Variant { name, node: self, value: Some(value) },
                None => return Err(self.mismatch(&visitor)),
            },
            NodeKind::Map => {
                let expected = &"an object with a single member";
                return Err(<DecodeError as de::Error>::invalid_value(self.unexpected(), expected).at(self));
            }
            _ => {
                let expected = &"a string or an object with a single member";
                return Err(<DecodeError as de::Error>::invalid_type(self.unexpected(), expected).at(self));
            }
        };
        visitor.visit_enum(access).map_err(|error| error.at(self))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}

struct Elements<'de> {
    items: Items<'de>,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(node) = self.items.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|error| error.at(node))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members<'de> {
    entries: Entries<'de>,
    value: Option<Node<'de>>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        let Some((key, node)) = self.entries.next() else { return Ok(None) };
        self.value = Some(node);
        seed.deserialize(Key(key)).map(Some).map_err(|error| error.at(node))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        match self.value.take() {
            Some(node) => seed.deserialize(node).map_err(|error| error.at(node)),
            None => Err(de::Error::custom("value asked for before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

struct Variant<'de> {
    name: &'de str,
    node: Node<'de>,
    value: Option<Node<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        let node = self.node;
        let name = seed
            .deserialize(BorrowedStrDeserializer::new(self.name))
            .map_err(|error: DecodeError| error.at(node))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.value {
            None => Ok(()),
            Some(node) if node.is_null() => Ok(()),
            Some(node) => Err(node.mismatch(&"no value")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        match self.value {
            Some(node) => seed.deserialize(node).map_err(|error| error.at(node)),
            None => Err(self.node.mismatch(&"an object with the value as its member")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        match self.value {
            Some(node) => node.deserialize_seq(visitor),
            None => Err(self.node.mismatch(&"an object with a list as its member")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.value {
            Some(node) => node.deserialize_struct("", fields, visitor),
            None => Err(self.node.mismatch(&"an object with an object as its member")),
        }
    }
}
