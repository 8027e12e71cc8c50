//! New entries in the manifest list of a package, written into the text so that everything else stays as it is.

use std::fmt::Write;
use std::sync::Arc;

use super::NewManifest;
use crate::source::{Limits, Node, SourceFile, parse_source};

/// Why the list cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The file has mistakes, or no list.
    #[error("`{0}` has no list `spec.manifests` that can be read")]
    NoList(String),
    /// `[a, b]` or an empty list.
    #[error("`spec.manifests` of `{0}` is not written with one entry a line; add the entries by hand")]
    NotBlock(String),
}

/// The text of a package manifest with these entries at the end of its list; entries that are there already stay single.
pub fn add_manifests(package: &Arc<SourceFile>, new: &[NewManifest]) -> Result<String, ListError> {
    let name = || package.name().to_owned();
    let parsed = parse_source(package, &Limits::DEFAULT);
    let doc =
        parsed.doc.filter(|_| !parsed.diagnostics.has_errors()).ok_or_else(|| ListError::NoList(name()))?;
    let list = doc.root().get("spec").and_then(|spec| spec.get("manifests"));
    let list = list.ok_or_else(|| ListError::NoList(name()))?;
    let text = package.text();
    let last = list.items().last().filter(|_| !list.raw().starts_with('['));
    let last = last.ok_or_else(|| ListError::NotBlock(name()))?;
    let known: Vec<&str> = list.items().filter_map(|item| item.get("id").and_then(Node::as_str)).collect();
    let start = text.get(..last.span().start as usize).unwrap_or_default().rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default();
    let dash = line.find('-').ok_or_else(|| ListError::NotBlock(name()))?;
    let indent = " ".repeat(dash);
    let end = last.span().end as usize;
    let end = text.get(end..).unwrap_or_default().find('\n').map_or(text.len(), |at| end + at + 1);
    let mut added = String::new();
    for manifest in new.iter().filter(|manifest| !known.contains(&manifest.id.as_str())) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            added,
            "{indent}- {{ id: {}, kind: {}, path: {} }}",
            manifest.id, manifest.kind, manifest.path
        );
    }
    let (before, after) = text.split_at_checked(end).unwrap_or((text, ""));
    let line_end = if before.ends_with('\n') || added.is_empty() { "" } else { "\n" };
    Ok(format!("{before}{line_end}{added}{after}"))
}
