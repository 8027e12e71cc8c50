//! Strings with a rule, words of vocabularies, literals of mixed kinds.

use std::fmt;

use serde::de::{Unexpected, Visitor};
use serde::{Deserializer, Serializer};

use crate::shape::Literal;

/// Reads a word of a vocabulary.
pub(crate) fn word<'de, D: Deserializer<'de>, T>(
    input: D,
    parse: fn(&str) -> Option<T>,
    names: &'static [&'static str],
) -> Result<T, D::Error> {
    input.deserialize_str(Text { expected: "a word of the vocabulary", read: parse, names })
}

/// Reads a string by `read`.
pub(crate) fn text<'de, D: Deserializer<'de>, T>(
    input: D,
    expected: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    input.deserialize_str(Text { expected, read, names: &[] })
}

struct Text<F> {
    expected: &'static str,
    read: F,
    names: &'static [&'static str],
}

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        let Self { expected, read, names } = self;
        read(text).ok_or_else(|| {
            if names.is_empty() {
                E::invalid_value(Unexpected::Str(text), &expected)
            } else {
                E::unknown_variant(text, names)
            }
        })
    }
}

/// Reads one of a few values of mixed kinds.
pub(crate) fn read_literal<'de, D: Deserializer<'de>, T: Copy>(
    input: D,
    literals: &'static [(Literal, T)],
) -> Result<T, D::Error> {
    struct Read<T: 'static>(&'static [(Literal, T)]);
    impl<T: Copy> Visitor<'_> for Read<T> {
        type Value = T;
        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("one of a few values")
        }
        fn visit_bool<E: serde::de::Error>(self, found: bool) -> Result<T, E> {
            let hit = self.0.iter().find(|(literal, _)| *literal == Literal::Bool(found));
            hit.map(|(_, value)| *value).ok_or_else(|| E::invalid_value(Unexpected::Bool(found), &self))
        }
        fn visit_str<E: serde::de::Error>(self, found: &str) -> Result<T, E> {
            let hit =
                self.0.iter().find(|(literal, _)| matches!(literal, Literal::Text(text) if *text == found));
            hit.map(|(_, value)| *value).ok_or_else(|| E::invalid_value(Unexpected::Str(found), &self))
        }
    }
    input.deserialize_any(Read(literals))
}

/// Writes one of them.
pub(crate) fn write_literal<S: Serializer, T: PartialEq>(
    output: S,
    value: &T,
    literals: &'static [(Literal, T)],
) -> Result<S::Ok, S::Error> {
    match literals.iter().find(|(_, each)| each == value) {
        Some((Literal::Bool(flag), _)) => output.serialize_bool(*flag),
        Some((Literal::Text(text), _)) => output.serialize_str(text),
        None => Err(serde::ser::Error::custom("value without a literal")),
    }
}
