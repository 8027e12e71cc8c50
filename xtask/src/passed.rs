//! What passed, and has not changed since, is not run again. A fresh checkout knows nothing and runs everything.
//!
//! A test depends on its own binary, on the `uiap` binary where its package starts it, on every tracked file that is not Rust (fixtures, schemas,
//! pages), and on the browser. Each is told by its length and the time of its last change, as a build tool does.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

use crate::repository::{output, root};

/// What the variables of this kind change is never remembered.
const KNOBS: &[&str] = &["UIAP_", "KILLS", "CRASH_KILLS", "FAULTS"];

/// The memory of earlier runs: what was looked at, and the state of the world in which it passed.
pub(crate) struct Passed {
    known: BTreeMap<String, u64>,
    /// Whether what is known is believed.
    trusted: bool,
    /// Whether what passes now says anything about the usual run.
    usual: bool,
}

impl Passed {
    /// What is known; nothing when everything shall run.
    pub(crate) fn read(everything: bool) -> Self {
        let turned = std::env::vars()
            .any(|(name, _)| KNOBS.iter().any(|knob| name.starts_with(knob)) && name != "UIAP_CHROMIUM");
        let known = fs::read_to_string(place())
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Self { known, trusted: !everything && !turned, usual: !turned }
    }

    /// Whether it passed in exactly this world.
    pub(crate) fn covers(&self, what: &str, world: u64) -> bool {
        self.trusted && self.known.get(what) == Some(&world)
    }

    /// It passed; from now on it is known.
    pub(crate) fn note(&mut self, what: &str, world: u64) -> Result<()> {
        if !self.usual {
            return Ok(());
        }
        self.known.insert(what.to_owned(), world);
        fs::create_dir_all(root().join("target"))?;
        fs::write(place(), serde_json::to_string_pretty(&self.known)?).context("remembering what passed")
    }

    /// It failed: nothing is known of it any more.
    pub(crate) fn forget(&mut self, what: &str) -> Result<()> {
        if self.known.remove(what).is_none() {
            return Ok(());
        }
        fs::write(place(), serde_json::to_string_pretty(&self.known)?).context("remembering what passed")
    }
}

fn place() -> PathBuf {
    root().join("target/passed.json")
}

/// Which files of the repository something depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// All of them.
    All,
    /// Those that no compiler looks at.
    Data,
}

/// The state of the world: tracked files of this kind, the browser, what lies beside the project.
pub(crate) fn world(files: Files) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    let listing = output("git", &["ls-files", "--cached", "--others", "--exclude-standard"])?;
    for name in listing.lines().filter(|name| files == Files::All || !name.ends_with(".rs")) {
        name.hash(&mut hasher);
        stamp(&root().join(name)).hash(&mut hasher);
    }
    let browser = ["chromium", "chromium-browser", "google-chrome"].iter();
    let versions: Vec<_> = browser.filter_map(|name| output(name, &["--version"]).ok()).collect();
    versions.hash(&mut hasher);
    std::env::var("UIAP_CHROMIUM").ok().hash(&mut hasher);
    output("rustc", &["--version"])?.hash(&mut hasher);
    root().join("../shared").is_dir().hash(&mut hasher);
    Ok(hasher.finish())
}

/// The world with some more files in it.
pub(crate) fn with(world: u64, more: &[&Path]) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    for path in more {
        stamp(path).hash(&mut hasher);
    }
    hasher.finish()
}

/// Length and time of the last change; nothing where there is no such file.
fn stamp(path: &Path) -> Option<(u64, u128)> {
    let about = fs::metadata(path).ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((about.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_is_another_world() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("binary");
        fs::write(&file, "one").unwrap();
        let first = with(1, &[&file]);
        assert_eq!(with(1, &[&file]), first);
        assert_ne!(with(2, &[&file]), first);
        fs::write(&file, "two!").unwrap();
        assert_ne!(with(1, &[&file]), first);
    }

    #[test]
    fn only_the_same_world_is_covered_and_everything_means_everything() {
        let known = BTreeMap::from([("a".to_owned(), 7)]);
        let passed = Passed { known: known.clone(), trusted: true, usual: true };
        assert!(passed.covers("a", 7));
        assert!(!passed.covers("a", 8) && !passed.covers("b", 7));
        assert!(!Passed { known, trusted: false, usual: true }.covers("a", 7));
    }
}
