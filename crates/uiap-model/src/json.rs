//! JSON as the protocol wants it: no duplicate members, no numbers that lose digits, no `null` for "absent".

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::names::Extension;
use crate::shape::{Literal, NumberRule, Shape, Wire};

/// The greatest whole number that every JSON reader keeps exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Any object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonObject(pub Map<String, Value>);

/// Any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonValue(pub Value);

/// A finite number.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Number(pub f64);

/// A whole number from 0 to 2^53 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u64);

/// A whole number from 1 to 2^53 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Positive(pub u64);

/// A value or an explicit `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nullable<T>(pub Option<T>);

/// A change of an optional member: a new value, or `null` to remove it.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<T> {
    /// The new value.
    Set(T),
    /// The member goes.
    Clear,
}

/// Changes of members under `x.`; `null` removes one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ExtensionChanges(pub BTreeMap<Extension, JsonValue>);

impl<T> Change<T> {
    /// The member after the change.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Clear => None,
        }
    }

    /// What turns `old` into `new`; `None` when they are equal.
    pub fn between(old: &Option<T>, new: &Option<T>) -> Option<Self>
    where
        T: Clone + PartialEq,
    {
        if old == new {
            return None;
        }
        Some(new.clone().map_or(Self::Clear, Self::Set))
    }
}

impl ExtensionChanges {
    /// Writes the changes into `target`.
    pub fn apply(self, target: &mut BTreeMap<Extension, JsonValue>) {
        for (name, JsonValue(value)) in self.0 {
            if value.is_null() {
                target.remove(&name);
            } else {
                target.insert(name, JsonValue(value));
            }
        }
    }

    /// What turns `old` into `new`.
    pub fn between(old: &BTreeMap<Extension, JsonValue>, new: &BTreeMap<Extension, JsonValue>) -> Self {
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        let set = new.iter().filter(|(name, value)| old.get(*name) != Some(*value));
        let cleared = gone.map(|name| (name.clone(), JsonValue(Value::Null)));
        Self(cleared.chain(set.map(|(name, value)| (name.clone(), value.clone()))).collect())
    }
}

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

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(output)
    }
}

impl Serialize for JsonValue {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(output)
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = JsonObject;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<JsonObject, A::Error> {
                read_map(access).map(JsonObject)
            }
        }
        input.deserialize_map(Object)
    }
}

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(StrictValue).map(JsonValue)
    }
}

/// Builds a value and refuses duplicate members and numbers beyond 2^53.
struct StrictValue;

impl<'de> DeserializeSeed<'de> for StrictValue {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        safe(value)?;
        Ok(Value::from(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        safe(value.unsigned_abs())?;
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        exact(value)?;
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(StrictValue)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        read_map(access).map(Value::Object)
    }
}

fn read_map<'de, A: MapAccess<'de>>(mut access: A) -> Result<Map<String, Value>, A::Error> {
    let mut map = Map::new();
    while let Some(key) = access.next_key::<String>()? {
        if map.contains_key(&key) {
            return Err(A::Error::custom(format_args!("duplicate member `{}`", key.escape_debug())));
        }
        let value = access.next_value_seed(StrictValue)?;
        map.insert(key, value);
    }
    Ok(map)
}

/// Refuses whole numbers that other readers would round.
fn safe<E: serde::de::Error>(value: u64) -> Result<(), E> {
    if value > MAX_SAFE_INTEGER {
        return Err(E::custom(format_args!("number `{value}` is beyond 2^53 and would lose digits")));
    }
    Ok(())
}

/// A long run of digits arrives as a float; it is refused like any other number beyond 2^53.
fn exact<E: serde::de::Error>(value: f64) -> Result<(), E> {
    if value.abs() <= MAX_SAFE {
        return Ok(());
    }
    Err(E::custom(format_args!("number `{value:e}` is beyond 2^53 and would lose digits")))
}

macro_rules! number {
    ($name:ident, $rule:expr, $from:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let number = input.deserialize_any(ReadNumber(PhantomData::<D::Error>))?;
                let rule: &NumberRule = &$rule;
                let fits = (!rule.integer || number.fract() == 0.0)
                    && rule.min.is_none_or(|min| number >= min)
                    && rule.max.is_none_or(|max| number <= max);
                if !fits {
                    return Err(D::Error::invalid_value(Unexpected::Float(number), &rule.expected));
                }
                Ok($from(number))
            }
        }

        impl Wire for $name {
            fn shape() -> Shape {
                const RULE: NumberRule = $rule;
                Shape::Number(&RULE)
            }
        }
    };
}

/// 2^53 - 1 as a float, which holds it exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

number!(
    Number,
    NumberRule {
        name: "",
        integer: false,
        min: Some(-MAX_SAFE),
        max: Some(MAX_SAFE),
        expected: "a number within 2^53"
    },
    Number
);
number!(
    Count,
    NumberRule {
        name: "",
        integer: true,
        min: Some(0.0),
        max: Some(MAX_SAFE),
        expected: "a whole number from 0 on"
    },
    |number| Count(whole(number))
);
number!(
    Positive,
    NumberRule {
        name: "",
        integer: true,
        min: Some(1.0),
        max: Some(MAX_SAFE),
        expected: "a whole number from 1 on"
    },
    |number| Positive(whole(number))
);

/// A number that was checked to be whole and within 0 to 2^53 - 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked by the rule just before"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

struct ReadNumber<E>(PhantomData<E>);

impl<E> Visitor<'_> for ReadNumber<E> {
    type Value = f64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number")
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 is refused first")]
    fn visit_u64<F: serde::de::Error>(self, value: u64) -> Result<f64, F> {
        safe(value)?;
        Ok(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 is refused first")]
    fn visit_i64<F: serde::de::Error>(self, value: i64) -> Result<f64, F> {
        safe(value.unsigned_abs())?;
        Ok(value as f64)
    }

    fn visit_f64<F: serde::de::Error>(self, value: f64) -> Result<f64, F> {
        exact(value)?;
        Ok(value)
    }
}

impl Serialize for Number {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() <= MAX_SAFE {
            output.serialize_i64(self.0 as i64)
        } else {
            output.serialize_f64(self.0)
        }
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_u64(self.0)
    }
}

impl Serialize for Positive {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_u64(self.0)
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Set(value) => value.serialize(output),
            Self::Clear => output.serialize_unit(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Ok(Option::<T>::deserialize(input)?.map_or(Self::Clear, Self::Set))
    }
}

impl Wire for JsonObject {
    fn shape() -> Shape {
        Shape::Object
    }
}

impl Wire for JsonValue {
    fn shape() -> Shape {
        Shape::Any
    }
}

impl<T: Wire> Wire for Nullable<T> {
    fn shape() -> Shape {
        Shape::Nullable(T::shape)
    }
}

impl<T: Wire> Wire for Change<T> {
    fn shape() -> Shape {
        Shape::Nullable(T::shape)
    }
}
