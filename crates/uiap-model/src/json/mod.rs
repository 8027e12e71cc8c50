//! JSON as the protocol wants it: no duplicate members, no numbers that lose digits, no `null` for "absent".

mod change;
mod member;
mod number;
mod shared;
mod value;
mod word;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use change::{Change, ExtensionChanges, Nullable};
pub(crate) use member::{
    FromMembers, KeySeed, Members, Rest, filled, keep_extension, keep_unknown, required,
};
pub use number::{Count, MAX_SAFE_INTEGER, Number, Positive};
pub use shared::Shared;
pub use value::{JsonObject, JsonValue};
pub(crate) use word::{read_literal, text, word, write_literal};

/// Reads what a value holds, without taking it. Everybody reads this way: every other way would bring another decoder of every type along.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(value)
}
