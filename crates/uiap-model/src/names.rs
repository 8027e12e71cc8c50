//! Ids and other strings with a rule: each a type of its own, so that one cannot stand in for another.

use std::fmt;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::shape::{Shape, TextRule, Wire};

/// Writes a string type with a rule.
macro_rules! name {
    ($(#[doc = $doc:literal])+ $name:ident, $expected:literal, $min:literal..=$max:expr, $pattern:expr, $accepts:expr) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(CompactString);

        impl $name {
            const RULE: TextRule = TextRule {
                name: stringify!($name),
                doc: concat!($($doc),+),
                min: $min,
                max: $max,
                pattern: $pattern,
                accepts: |text| {
                    let max: Option<usize> = $max;
                    let inner: fn(&str) -> bool = $accepts;
                    long_enough(text, $min) && max.is_none_or(|max| short_enough(text, max)) && inner(text)
                },
                expected: $expected,
            };

            /// Reads the name; `None` when it breaks the rule.
            pub fn parse(text: &str) -> Option<Self> {
                (Self::RULE.accepts)(text).then(|| Self(CompactString::new(text)))
            }

            /// A name that is known to keep the rule, such as a constant of this crate.
            #[allow(dead_code, clippy::allow_attributes, reason = "written for every name, needed by some")]
            pub(crate) fn literal(text: &'static str) -> Self {
                debug_assert!((Self::RULE.accepts)(text), "{text}");
                Self(CompactString::const_new(text))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), out)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                output.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                crate::json::text(input, $expected, Self::parse)
            }
        }

        impl Wire for $name {
            fn shape() -> Shape {
                Shape::Text(&Self::RULE)
            }
        }
    };
    // An id: any text of at least one character.
    ($(#[doc = $doc:literal])+ $name:ident) => {
        name!($(#[doc = $doc])+ $name, "a non-empty string", 1..=None, None, |_| true);
    };
}

fn long_enough(text: &str, min: usize) -> bool {
    match min {
        0 => true,
        1 => !text.is_empty(),
        _ => text.chars().nth(min - 1).is_some(),
    }
}

fn short_enough(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().nth(max).is_none()
}

// Core
name!(
    /// Names a message; unique within its session.
    MessageId, "a string of 1 to 128 characters", 1..=Some(128), None, |_| true
);
name!(
    /// Names a session; assigned by its owner.
    SessionId, "a string of 1 to 128 characters", 1..=Some(128), None, |_| true
);
name!(
    /// Names an extension: `uiap.<name>` or `x.<vendor>.<name>`; `uicp.policy` is the former name of `uiap.policy`.
    ExtensionId, "an extension id such as `uiap.policy` or `x.acme.foo`", 1..=Some(128),
    Some("^(uiap|uicp)(\\.[A-Za-z0-9_-]+)+$|^x(\\.[A-Za-z0-9_-]+){2,}$"), is_extension_id
);
name!(
    /// Names the meaning of a message: lower-case segments joined by dots.
    MessageType, "dotted segments such as `session.initialize`", 1..=Some(128),
    Some("^[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)*$"), is_message_type
);
name!(
    /// A profile and its version, such as `web@0.1`.
    ProfileId, "a non-empty string such as `web@0.1`", 1..=Some(128), None, |_| true
);
name!(
    /// A binding and its version, such as `ws@0.1`.
    BindingId, "a binding with its version such as `ws@0.1`", 1..=Some(128),
    Some("^[a-z][a-z0-9._-]*@(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$"), is_binding_id
);
name!(
    /// Names a peer.
    PeerId, "a non-empty string of at most 128 characters", 1..=Some(128), None, |_| true
);
name!(
    /// An instant in UTC, ISO 8601.
    Timestamp, "an instant in UTC such as `2026-03-26T13:12:09.123Z`", 1..=Some(40),
    Some(TIMESTAMP_PATTERN), crate::time::is_timestamp
);
name!(
    /// A value under `x.`, owned by a vendor or an app.
    Extension, "a name such as `x.acme.card`", 3..=None, Some("^x\\.[!-~]+$"), is_extension
);
name!(
    /// A JSON Pointer (RFC 6901).
    JsonPointer, "a JSON Pointer such as `/payload/target`", 0..=None,
    Some("^(/([^~/]|~0|~1)*)*$"), is_pointer
);
name!(
    /// A digest: the algorithm and the value in hexadecimal digits.
    Digest, "a digest such as `sha256:` and 64 hexadecimal digits", 1..=None,
    Some("^sha256:[0-9a-f]{64}$"), is_digest
);

// Capability Model
name!(
    /// Names a thing of the app for good: chosen by the app, the same after every re-render.
    StableId
);
name!(
    /// Names a logical area such as a dialog or a form; generated ids start with `~`.
    ScopeId
);
name!(
    /// Names an action: a primitive such as `ui.activate`, or one of the app such as `video.create`.
    ActionId
);

name!(
    /// A target in words that are not an id.
    TargetText
);

// Web Profile
name!(
    /// Names a state of the page graph; opaque.
    RevisionId
);
name!(
    /// Names a document of the page: the root or a frame.
    DocumentId
);
name!(
    /// Names an element while it stays attached.
    ElementInstanceId
);

// Action Runtime
name!(
    /// Names a running action within its session.
    ActionHandle
);

// Authoring
name!(
    /// Names a manifest within its package; `:` is kept for imported ones.
    ManifestId, "a non-empty id without `:`", 1..=None, Some("^[^:]+$"), |text| !text.contains(':')
);

// Errors
name!(
    /// A code: one of Core's or one that an extension defines.
    ErrorCode
);
name!(
    /// Words for people; never empty.
    ErrorMessage
);

impl Digest {
    /// A digest that this crate computed itself.
    pub(crate) fn computed(text: String) -> Self {
        debug_assert!(is_digest(&text), "{text}");
        Self(CompactString::from(text))
    }
}

/// Month and day are checked by the pattern, leap days included.
const TIMESTAMP_PATTERN: &str = concat!(
    "^(",
    "[0-9]{4}-(",
    "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)",
    "|02-(0[1-9]|1[0-9]|2[0-8]))",
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29",
    ")T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]{1,9})?Z$"
);

fn is_extension(text: &str) -> bool {
    text.strip_prefix("x.").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_graphic()))
}

fn is_extension_id(text: &str) -> bool {
    let segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let mut segments = text.split('.');
    let least = match segments.next() {
        Some("uiap" | "uicp") => 1,
        Some("x") => 2,
        _ => return false,
    };
    let rest: Vec<&str> = segments.collect();
    rest.len() >= least && rest.into_iter().all(segment)
}

fn is_message_type(text: &str) -> bool {
    text.split('.').all(|segment| {
        segment.starts_with(|first: char| first.is_ascii_lowercase())
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
    })
}

fn is_binding_id(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, version)| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
            && crate::version::Version::parse(version).is_some()
    })
}

fn is_pointer(text: &str) -> bool {
    if !text.is_empty() && !text.starts_with('/') {
        return false;
    }
    text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| {
        hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_in_characters() {
        assert!(MessageId::parse(&"ä".repeat(128)).is_some());
        assert!(MessageId::parse(&"ä".repeat(129)).is_none());
        assert!(MessageId::parse("").is_none());
    }

    #[test]
    fn a_pointer_knows_its_two_escapes() {
        for good in ["", "/", "/a~0b/~1", "/spec/0"] {
            assert!(JsonPointer::parse(good).is_some(), "{good}");
        }
        for bad in ["a", "/a~2", "/a~"] {
            assert!(JsonPointer::parse(bad).is_none(), "{bad}");
        }
    }
}
