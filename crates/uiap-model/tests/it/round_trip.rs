//! Decoding and encoding again, for each type of the tables.

use serde_json::Value;
use uiap_model::document::round_trip;

/// Decodes and encodes again.
pub(crate) type RoundTrip = fn(&Value) -> Result<Value, String>;

macro_rules! kinds {
    ($($name:literal $module:literal $title:literal $strictness:ident $type:ty
        $(, check $check:expr)? $(, check_value $raw:expr)? $(, marks [$($mark:expr),+])?;)+) => {
        const KINDS: &[(&str, RoundTrip)] = &[$(($name, round_trip::<$type>)),+];
    };
}

macro_rules! messages {
    ($($name:literal $kinds:ident $payload:ty $(=> $($answer:literal)|+)? $(, check $check:expr)?;)+) => {
        const MESSAGES: &[(&str, RoundTrip)] = &[$(($name, round_trip::<$payload>)),+];
    };
}

uiap_model::every_kind!(kinds);
uiap_model::every_message!(messages);

fn find(table: &[(&str, RoundTrip)], name: &str) -> RoundTrip {
    table.iter().find(|(each, _)| *each == name).unwrap_or_else(|| panic!("no type for {name}")).1
}

pub(crate) fn of_kind(name: &str) -> RoundTrip {
    find(KINDS, name)
}

pub(crate) fn of_message(name: &str) -> RoundTrip {
    find(MESSAGES, name)
}
