//! `uiap.lock`: the exact version and content of every import, and of every discovery that is copied from.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::{Limits, Node, SourceFile, Span, parse_source};

/// The name of the file, next to the Package manifest.
pub const LOCK_FILE: &str = "uiap.lock";

/// The form of the file that this version writes and reads.
const LOCK_VERSION: i64 = 1;

/// Locked packages by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// One version per package.
    pub packages: BTreeMap<String, LockedPackage>,
    /// Digest of the discovery package behind every DiscoveryImport that copies, by manifest id.
    pub discoveries: BTreeMap<String, String>,
}

/// One locked package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedPackage {
    /// The exact version.
    pub version: String,
    /// Digest over the package's files.
    pub digest: String,
}

impl Lock {
    /// Reads a lock file.
    pub fn parse(file: &Arc<SourceFile>) -> Result<Self, Diagnostics> {
        let parsed = parse_source(file, &Limits::DEFAULT);
        let Some(doc) = parsed.doc.filter(|_| !parsed.diagnostics.has_errors()) else {
            return Err(parsed.diagnostics);
        };
        let broken = |span: Span, message: String| {
            Diagnostics::from(
                Diagnostic::new(codes::BAD_LOCK, message, file, span)
                    .help("delete the file and build again to write a new one"),
            )
        };
        let root = doc.root();
        if root.get("lockVersion").and_then(Node::as_i64) != Some(LOCK_VERSION) {
            return Err(broken(root.span(), format!("expected `lockVersion: {LOCK_VERSION}`")));
        }
        let mut packages = BTreeMap::new();
        for entry in root.get("packages").into_iter().flat_map(Node::items) {
            let text = |key: &str| entry.get(key).and_then(Node::as_str).map(str::to_owned);
            let (Some(id), Some(version), Some(digest)) =
                (text("packageId"), text("version"), text("digest"))
            else {
                return Err(broken(
                    entry.span(),
                    "an entry has `packageId`, `version` and `digest`".to_owned(),
                ));
            };
            packages.insert(id, LockedPackage { version, digest });
        }
        let mut discoveries = BTreeMap::new();
        for entry in root.get("discoveries").into_iter().flat_map(Node::items) {
            let text = |key: &str| entry.get(key).and_then(Node::as_str).map(str::to_owned);
            let (Some(id), Some(digest)) = (text("manifestId"), text("digest")) else {
                return Err(broken(entry.span(), "an entry has `manifestId` and `digest`".to_owned()));
            };
            discoveries.insert(id, digest);
        }
        Ok(Self { packages, discoveries })
    }

    /// The file: sorted, one fact per line, so that versions of it merge well.
    pub fn to_text(&self) -> String {
        let mut out = format!("# Written by `uiap build`. Do not edit.\nlockVersion: {LOCK_VERSION}\n");
        out.push_str(if self.packages.is_empty() { "packages: []\n" } else { "packages:\n" });
        for (id, LockedPackage { version, digest }) in &self.packages {
            // Writing to a string cannot fail.
            let _ = write!(out, "  - packageId: {id}\n    version: \"{version}\"\n    digest: {digest}\n");
        }
        if !self.discoveries.is_empty() {
            out.push_str("discoveries:\n");
        }
        for (id, digest) in &self.discoveries {
            let _ = write!(out, "  - manifestId: \"{id}\"\n    digest: {digest}\n");
        }
        out
    }
}
