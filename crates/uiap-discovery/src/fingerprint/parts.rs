//! What a fingerprint is made of, and its hash.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One aspect of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The place.
    Route,
    /// Headings that are not data.
    Headings,
    /// Areas, with how many there are of each.
    Scopes,
    /// Controls by area, role, id and name.
    Controls,
    /// What lies on top, and what is opened from where.
    Modals,
    /// The structure of lists and tables.
    Collections,
    /// Forms that show mistakes.
    Validation,
    /// The main control of what lies on top, when the keyboard goes there.
    Focus,
    /// Values of fields, where the policy asks for them.
    Values,
    /// Toasts and spinners, where the policy asks for them.
    Transient,
}

impl Part {
    /// All of them, in the order in which they are hashed.
    pub const ALL: [Self; 10] = [
        Self::Route,
        Self::Headings,
        Self::Scopes,
        Self::Controls,
        Self::Modals,
        Self::Collections,
        Self::Validation,
        Self::Focus,
        Self::Values,
        Self::Transient,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Route => "place",
            Self::Headings => "headings",
            Self::Scopes => "areas",
            Self::Controls => "controls",
            Self::Modals => "what lies on top",
            Self::Collections => "lists and tables",
            Self::Validation => "mistakes shown",
            Self::Focus => "focus",
            Self::Values => "values",
            Self::Transient => "toasts and spinners",
        }
    }
}

/// Everything that went into a fingerprint, in words that a person can read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parts(BTreeMap<Part, BTreeSet<String>>);

impl Parts {
    /// Adds a fact.
    pub(super) fn add(&mut self, part: Part, fact: String) {
        self.0.entry(part).or_default().insert(fact);
    }

    /// The facts of one aspect, in order.
    pub fn of(&self, part: Part) -> impl Iterator<Item = &str> {
        self.0.get(&part).into_iter().flatten().map(String::as_str)
    }

    pub(super) fn digest(&self) -> CompactString {
        hash("fp", self, &Part::ALL)
    }

    /// Without the place and the headings: both name one thing where many are of a kind.
    pub(super) fn structure(&self) -> CompactString {
        let rest: Vec<Part> =
            Part::ALL.into_iter().filter(|part| !matches!(part, Part::Route | Part::Headings)).collect();
        hash("kind", self, &rest)
    }
}

fn hash(prefix: &str, parts: &Parts, wanted: &[Part]) -> CompactString {
    let mut hasher = Sha256::new();
    for part in wanted {
        hasher.update([0x1e]);
        hasher.update(part.name());
        for fact in parts.of(*part) {
            hasher.update([0x1f]);
            hasher.update(fact);
        }
    }
    let digest = hasher.finalize();
    let mut out = String::with_capacity(prefix.len() + 33);
    out.push_str(prefix);
    out.push('_');
    for byte in digest.iter().take(16) {
        out.push_str(&format!("{byte:02x}"));
    }
    CompactString::from(out)
}
