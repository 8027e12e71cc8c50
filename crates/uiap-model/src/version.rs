//! `major.minor`, compared number by number.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::shape::{Shape, TextRule, Wire};

/// A version of the protocol or of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Versions with different major numbers never match.
    pub major: u32,
    /// Rises with every compatible change.
    pub minor: u32,
}

impl Version {
    /// The version that this crate describes.
    pub const CURRENT: Self = Self { major: 0, minor: 1 };

    const RULE: TextRule = TextRule {
        name: "Version",
        doc: "Major and minor number joined by a dot.",
        min: 0,
        max: None,
        pattern: Some("^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$"),
        accepts: |text| Self::parse(text).is_some(),
        expected: "a string with a version such as `0.1`",
    };

    /// Reads `major.minor`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: part(major)?, minor: part(minor)? })
    }
}

fn part(digits: &str) -> Option<u32> {
    let well_formed = !digits.is_empty()
        && digits.len() <= 9
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if well_formed { digits.parse().ok() } else { None }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        crate::json::text(input, Self::RULE.expected, Self::parse)
    }
}

impl Wire for Version {
    fn shape() -> Shape {
        Shape::Text(&Self::RULE)
    }
}
