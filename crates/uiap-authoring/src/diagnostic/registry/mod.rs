//! Every code with its title, its paragraph and an example. A number is never used twice.
//!
//! Each area has a file with a `declare!` table. To retire a code, move its number to `RETIRED`; the test
//! below keeps anybody from taking it again.

mod content;
mod model;
mod overlay;
mod package;
mod release;
mod syntax;

use std::fmt;

use serde::{Serialize, Serializer};

use super::finding::Severity;

/// The constants of all areas, one per code.
pub mod codes {
    pub use super::content::*;
    pub use super::model::*;
    pub use super::overlay::*;
    pub use super::package::*;
    pub use super::release::*;
    pub use super::syntax::*;
}

/// Who gives out the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Family {
    /// `UIAP-A…`: this crate.
    Authoring,
    /// `UIAP-M…`: the wire model.
    Model,
}

/// A stable identifier such as `UIAP-A012`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(Family, u16);

/// What the registry knows about a code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Usual severity.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// One paragraph: what it means, why it matters, what to do.
    pub explanation: &'static str,
    /// Input that provokes it.
    pub example: &'static str,
}

/// Numbers that were in use once. They stay out of use.
#[cfg(test)]
const RETIRED: &[u16] = &[];

const AREAS: &[&[Entry]] = &[
    syntax::ENTRIES,
    package::ENTRIES,
    overlay::ENTRIES,
    content::ENTRIES,
    release::ENTRIES,
    model::ENTRIES,
];

impl Code {
    const fn new(number: u16) -> Self {
        Self(Family::Authoring, number)
    }

    const fn model(number: u16) -> Self {
        Self(Family::Model, number)
    }

    /// The number behind the prefix.
    pub fn number(self) -> u16 {
        self.1
    }

    /// Reads `UIAP-A012`; case does not matter and the prefix may be left out (`A012`, `12`).
    pub fn parse(text: &str) -> Option<Self> {
        let upper = text.trim().to_ascii_uppercase();
        let rest = upper.strip_prefix("UIAP-").unwrap_or(&upper);
        let (family, digits) = match rest.strip_prefix('M') {
            Some(digits) => (Family::Model, digits),
            None => (Family::Authoring, rest.strip_prefix('A').unwrap_or(rest)),
        };
        let number = digits.parse().ok()?;
        explain(Self(family, number)).map(|entry| entry.code)
    }

    /// Usual severity.
    pub fn severity(self) -> Severity {
        explain(self).map_or(Severity::Error, |entry| entry.severity)
    }

    /// A few words.
    pub fn title(self) -> &'static str {
        explain(self).map_or("", |entry| entry.title)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.0 {
            Family::Authoring => 'A',
            Family::Model => 'M',
        };
        write!(f, "UIAP-{letter}{:03}", self.1)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The entry of a code, for `uiap explain`.
pub fn explain(code: Code) -> Option<&'static Entry> {
    entries().find(|entry| entry.code == code)
}

/// All entries, by number.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    AREAS.iter().flat_map(|area| area.iter())
}

/// Declares the codes of one area: a constant each, and the table `ENTRIES`.
macro_rules! declare {
    ($($name:ident = $number:literal $severity:ident $title:literal, $explanation:literal, $example:literal;)*) => {
        $crate::diagnostic::registry::declare! {
            new: $($name = $number $severity $title, $explanation, $example;)*
        }
    };
    ($family:ident: $($name:ident = $number:literal $severity:ident $title:literal, $explanation:literal, $example:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: $crate::diagnostic::registry::Code =
                $crate::diagnostic::registry::Code::$family($number);
        )*
        pub(super) const ENTRIES: &[$crate::diagnostic::registry::Entry] = &[$(
            $crate::diagnostic::registry::Entry {
                code: $name,
                severity: $crate::diagnostic::Severity::$severity,
                title: $title,
                explanation: $explanation,
                example: $example,
            },
        )*];
    };
}
use declare;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_no_retired_number_is_in_use() {
        let codes: Vec<Code> = entries().map(|entry| entry.code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        assert!(codes.iter().all(|code| !RETIRED.contains(&code.number())));
    }

    #[test]
    fn every_code_has_a_title_a_paragraph_and_an_example() {
        for entry in entries() {
            assert!(!entry.title.is_empty() && !entry.title.ends_with('.'), "{}", entry.code);
            assert!(entry.explanation.len() > 80 && entry.explanation.ends_with('.'), "{}", entry.code);
            assert!(!entry.example.is_empty(), "{}", entry.code);
        }
    }

    #[test]
    fn a_code_is_found_by_its_full_and_its_short_name() {
        let code = codes::DUPLICATE_KEY;
        assert_eq!(code.to_string(), "UIAP-A040");
        for text in ["UIAP-A040", "uiap-a040", "A040", "40"] {
            assert_eq!(Code::parse(text), Some(code));
        }
        assert_eq!(Code::parse("UIAP-A999"), None);
        assert_eq!(Code::parse("nonsense"), None);
    }
}
