//! The part of the DevTools protocol that is typed: one file per domain, fields named as the protocol names them.
//!
//! What is not here stays callable by name, see [`Session::call_raw`](crate::Session::call_raw). The browser may be newer
//! than this crate, so enums keep strings that they do not know and results ignore fields that they do not know.

#![expect(missing_docs, reason = "fields and variants are the protocol's own; its reference describes them")]

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub mod accessibility;
pub mod browser;
pub mod dom;
pub mod dom_debugger;
pub mod dom_storage;
pub mod emulation;
pub mod fetch;
pub mod input;
pub mod inspector;
pub mod log;
pub mod network;
pub mod overlay;
pub mod page;
pub mod performance;
pub mod runtime;
pub mod storage;
pub mod target;

/// A call: its parameters are the value itself.
pub trait Method: Serialize {
    /// The name on the wire, such as `Page.navigate`.
    const NAME: &'static str;
    /// What the browser answers.
    type Result: DeserializeOwned;
}

/// An event of the browser: its parameters are the value itself.
pub trait ProtocolEvent: DeserializeOwned {
    /// The name on the wire, such as `Page.frameNavigated`.
    const NAME: &'static str;
}

/// The answer of a call that only says "done".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Empty {}

/// Decides which parameters stay off the wire: the protocol refuses `null` for a parameter that is not given.
trait Omit {
    fn omit(&self) -> bool {
        false
    }
}

impl<T> Omit for Option<T> {
    fn omit(&self) -> bool {
        self.is_none()
    }
}

impl<T> Omit for Vec<T> {}

macro_rules! always_sent {
    ($($ty:ty),* $(,)?) => { $(impl Omit for $ty {})* };
}
always_sent!(bool, f64, i64, u32, i32, u16, String, &str, serde_json::Value, serde_json::Map<String, serde_json::Value>);

/// Declares a call: `Name = "Domain.method" -> Result { parameters }`.
macro_rules! command {
    ($($(#[$meta:meta])* $name:ident $(<$lt:lifetime>)? = $method:literal -> $result:ty {
        $($(#[$field_meta:meta])* $field:ident: $ty:ty),* $(,)?
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Default, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name $(<$lt>)? {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "crate::protocol::Omit::omit")] pub $field: $ty,)*
        }
        impl $(<$lt>)? crate::protocol::Method for $name $(<$lt>)? {
            const NAME: &'static str = $method;
            type Result = $result;
        }
    )* };
}

/// Declares an event: `Name = "Domain.event" { parameters }`.
macro_rules! event {
    ($($(#[$meta:meta])* $name:ident = $method:literal {
        $($(#[$field_meta:meta])* $field:ident: $ty:ty),* $(,)?
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* }
        impl crate::protocol::ProtocolEvent for $name {
            const NAME: &'static str = $method;
        }
    )* };
}

/// Declares an object that the browser sends.
macro_rules! received {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ty),* $(,)? })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* }
    )* };
}

/// Declares an object that goes both ways, or only to the browser.
macro_rules! exchanged {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ty),* $(,)? })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "crate::protocol::Omit::omit")] pub $field: $ty,)*
        }
        impl crate::protocol::Omit for $name {}
    )* };
}

/// Declares a set of strings that stays open: the first is the default, an unknown one is kept in `Other`.
macro_rules! open_enum {
    ($($(#[$meta:meta])* $name:ident { $first:ident = $first_text:literal $(, $variant:ident = $text:literal)* $(,)? })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            #[default]
            $first,
            $($variant,)*
            Other(Box<str>),
        }
        impl $name {
            /// The string on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    Self::$first => $first_text,
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }
        }
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer).map(|text| Self::from(&*text))
            }
        }
        impl crate::protocol::Omit for $name {}
    )* };
}

/// Declares an identifier: opaque, cheap to clone.
macro_rules! identifier {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => { $(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(from = "String", into = "String")]
        pub struct $name(std::sync::Arc<str>);
        impl $name {
            /// The identifier as the browser wrote it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl Default for $name {
            fn default() -> Self {
                Self("".into())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::protocol::debug_identifier(stringify!($name), &self.0, f)
            }
        }
        impl crate::protocol::Omit for $name {}
    )* };
}

use {command, event, exchanged, identifier, open_enum, received};

fn debug_identifier(name: &str, id: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{name}({id})")
}
