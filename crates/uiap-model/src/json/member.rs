//! Members of objects on their way into typed values.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::change::ExtensionChanges;
use super::value::{JsonObject, JsonValue};
use crate::names::Extension;

/// A member that must be there.
pub(crate) fn required<T, E: serde::de::Error>(slot: Option<T>, name: &'static str) -> Result<T, E> {
    slot.ok_or_else(|| E::missing_field(name))
}

/// A list with at least one item.
pub(crate) fn filled<T, E: serde::de::Error>(items: Vec<T>) -> Result<Vec<T>, E> {
    if items.is_empty() { Err(E::custom("needs at least one item")) } else { Ok(items) }
}

/// Reads the name of a member and finds its place.
pub(crate) struct KeySeed {
    /// The place of a known name.
    pub(crate) place: fn(&str) -> Option<usize>,
    /// Whether unknown names are wanted.
    pub(crate) keep: bool,
}

/// The name of a member.
pub(crate) enum Key {
    /// A known one.
    At(usize),
    /// One that nobody knows; empty where it is not wanted.
    Other(String),
}

impl Key {
    pub(crate) fn place(&self) -> Option<usize> {
        match self {
            Self::At(place) => Some(*place),
            Self::Other(_) => None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Key, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a member's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(match (self.place)(name) {
            Some(place) => Key::At(place),
            None if self.keep => Key::Other(name.to_owned()),
            None => Key::Other(String::new()),
        })
    }
}

/// Keeps a member under `x.` and refuses any other.
pub(crate) fn keep_extension<'de, A: MapAccess<'de>>(
    rest: &mut BTreeMap<Extension, JsonValue>,
    key: Key,
    access: &mut A,
) -> Result<(), A::Error> {
    let Key::Other(name) = key else { return Ok(()) };
    let Some(name) = Extension::parse(&name) else {
        return Err(A::Error::custom(format_args!("unknown member `{}`", name.escape_debug())));
    };
    let value = access.next_value()?;
    if rest.insert(name, value).is_some() {
        return Err(A::Error::custom("duplicate member"));
    }
    Ok(())
}

/// Keeps a member that nobody knows.
pub(crate) fn keep_unknown<'de, A: MapAccess<'de>>(
    rest: &mut Map<String, Value>,
    key: Key,
    access: &mut A,
) -> Result<(), A::Error> {
    let Key::Other(name) = key else { return Ok(()) };
    let JsonValue(value) = access.next_value()?;
    if rest.insert(name, value).is_some() {
        return Err(A::Error::custom("duplicate member"));
    }
    Ok(())
}

/// What a type makes of the members under `x.`.
pub(crate) trait Rest {
    fn from_rest(rest: BTreeMap<Extension, JsonValue>) -> Self;
}

impl Rest for BTreeMap<Extension, JsonValue> {
    fn from_rest(rest: BTreeMap<Extension, JsonValue>) -> Self {
        rest
    }
}

impl Rest for ExtensionChanges {
    fn from_rest(rest: BTreeMap<Extension, JsonValue>) -> Self {
        Self(rest)
    }
}

/// Members that were read before anybody knew what they are.
pub(crate) struct Members(Map<String, Value>);

/// A type that takes its members out of a larger object.
pub(crate) trait FromMembers: Sized {
    fn from_members<E: serde::de::Error>(members: &mut Members) -> Result<Self, E>;
}

impl Members {
    pub(crate) fn read<'de, D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        JsonObject::deserialize(input).map(|object| Self(object.0))
    }

    pub(crate) fn optional<T: DeserializeOwned, E: serde::de::Error>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, E> {
        match self.0.swap_remove(name) {
            Some(value) => T::deserialize(value).map(Some).map_err(E::custom),
            None => Ok(None),
        }
    }

    pub(crate) fn required<T: DeserializeOwned, E: serde::de::Error>(
        &mut self,
        name: &'static str,
    ) -> Result<T, E> {
        self.optional(name)?.ok_or_else(|| E::missing_field(name))
    }
}
