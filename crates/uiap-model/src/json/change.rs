//! Changes of optional members: a new value, or `null` to remove.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::value::JsonValue;
use crate::names::Extension;
use crate::shape::{Shape, Wire};

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
