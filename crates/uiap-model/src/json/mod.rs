//! JSON as the protocol wants it: no duplicate members, no numbers that lose digits, no `null` for "absent".

mod change;
mod member;
mod number;
mod shared;
mod value;
mod word;

pub use change::{Change, ExtensionChanges, Nullable};
pub(crate) use member::{
    FromMembers, KeySeed, Members, Rest, filled, keep_extension, keep_unknown, required,
};
pub use number::{Count, MAX_SAFE_INTEGER, Number, Positive};
pub use shared::Shared;
pub use value::{JsonObject, JsonValue};
pub(crate) use word::{read_literal, text, word, write_literal};
