//! What changed between two bundles, by rule, and how far the version must rise for it. Spec: authoring §11.

mod actions;
mod app;
mod items;
mod pair;
mod policy;
mod sources;
mod workflows;

use std::collections::BTreeSet;
use std::thread;

use serde::Serialize;
use serde_json::Value;

pub use self::sources::{SourcesError, diff_sources};
use crate::release::{BundleDoc, BundleError, open_bundle};
use crate::semver::Version;
use crate::source::Node;

/// How grave a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Texts, metadata, corrections.
    Patch,
    /// Additions.
    Minor,
    /// Breaks what others rely on.
    Major,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// Stable id of the rule, such as `BC03`.
    pub rule: &'static str,
    /// How grave it is.
    pub level: Level,
    /// Where, as a pointer into the old bundle; empty when it is new.
    pub before: String,
    /// Where, as a pointer into the new bundle; empty when it is gone.
    pub after: String,
    /// What changed.
    pub message: String,
}

/// Why two bundles cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// The old one.
    #[error("the old bundle cannot be used: {0}")]
    Old(#[source] BundleError),
    /// The new one.
    #[error("the new bundle cannot be used: {0}")]
    New(#[source] BundleError),
}

/// Compares two bundles. A bundle that cannot be read is an error, never "no changes".
pub fn diff_bundles(old: &[u8], new: &[u8]) -> Result<Vec<Change>, DiffError> {
    let (old, new) = thread::scope(|scope| {
        let other = scope.spawn(|| open_bundle(old));
        let new = open_bundle(new);
        let old = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (old, new)
    });
    Ok(diff_opened(&old.map_err(DiffError::Old)?, &new.map_err(DiffError::New)?))
}

/// Compares two bundles that were opened before.
pub fn diff_opened(old: &BundleDoc, new: &BundleDoc) -> Vec<Change> {
    compare(old.root(), new.root())
}

/// Compares two bundles that are known to be whole.
pub fn diff_values(old: &Value, new: &Value) -> Result<Vec<Change>, DiffError> {
    let old = BundleDoc::of_value(old).map_err(DiffError::Old)?;
    let new = BundleDoc::of_value(new).map_err(DiffError::New)?;
    Ok(diff_opened(&old, &new))
}

fn compare(old: Node<'_>, new: Node<'_>) -> Vec<Change> {
    let data_classes = policy::data_classes(old).chain(policy::data_classes(new)).collect();
    let mut out = Collector { changes: Vec::new(), data_classes };
    items::compare(old, new, &mut out);
    app::compare(old, new, &mut out);
    policy::compare(old, new, &mut out);
    out.changes.sort();
    out.changes.dedup();
    out.changes
}

/// The gravest change.
pub fn level(changes: &[Change]) -> Option<Level> {
    changes.iter().map(|change| change.level).max()
}

/// A version that did not rise far enough.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("version `{old}` to `{new}` is not enough for a {needed} change; {rules}")]
pub struct BumpTooSmall {
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
    /// What the changes ask for: major, minor or patch.
    pub needed: String,
    /// The rules that ask for it.
    pub rules: String,
}

/// Checks that the version rose far enough. Below 1.0.0 a breaking change raises the minor number. Decision D30.
pub fn require_bump(old: &str, new: &str, changes: &[Change]) -> Result<(), BumpTooSmall> {
    let Some(level) = level(changes) else { return Ok(()) };
    let risen = Version::parse(old).zip(Version::parse(new)).and_then(|(old, new)| rise(&old, &new));
    let early = Version::parse(old).is_some_and(|version| version.major == 0);
    let needed = match level {
        Level::Major if early => Level::Minor,
        Level::Minor if early => Level::Patch,
        other => other,
    };
    if risen.is_some_and(|risen| risen >= needed) {
        return Ok(());
    }
    let word = |level: Level| match level {
        Level::Major => "major",
        Level::Minor => "minor",
        Level::Patch => "patch",
    };
    let mut rules: Vec<String> = changes
        .iter()
        .filter(|change| change.level == level)
        .map(|c| format!("{} {}", c.rule, c.message))
        .collect();
    rules.truncate(5);
    Err(BumpTooSmall {
        old: old.to_owned(),
        new: new.to_owned(),
        needed: word(needed).to_owned(),
        rules: rules.join("; "),
    })
}

fn rise(old: &Version, new: &Version) -> Option<Level> {
    if new.cmp_precedence(old).is_le() {
        return None;
    }
    Some(match () {
        () if new.major > old.major => Level::Major,
        () if new.minor > old.minor => Level::Minor,
        () => Level::Patch,
    })
}

/// Gathers changes.
#[derive(Default)]
struct Collector {
    changes: Vec<Change>,
    /// The data classes that some policy of either bundle looks at.
    data_classes: BTreeSet<String>,
}

impl Collector {
    fn add(
        &mut self,
        rule: &'static str,
        before: impl Into<String>,
        after: impl Into<String>,
        message: impl Into<String>,
    ) {
        let level = match rule.get(..2) {
            Some("BC") => Level::Major,
            Some("MI") => Level::Minor,
            _ => Level::Patch,
        };
        self.changes.push(Change {
            rule,
            level,
            before: before.into(),
            after: after.into(),
            message: message.into(),
        });
    }
}
