//! Findings to text, one file per audience.
//!
//! | audience | function |
//! |---|---|
//! | people | [`human::Human`] |
//! | tools and editors | [`json::render`] |
//! | code scanning | [`sarif::render`] |
//! | build servers | [`junit::render`] |
//! | GitHub workflows | [`github::render`] |
//!
//! All of them take the findings in the order in which they come; sort the list first.

mod excerpt;
pub mod github;
pub mod human;
pub mod json;
pub mod junit;
pub mod sarif;

use super::finding::{Diagnostic, Label, Severity};
use super::{Diagnostics, registry};
use crate::source::Position;

/// First and last position of a label.
fn positions(label: &Label) -> (Position, Position) {
    (label.file.position(label.span.start), label.file.position(label.span.end))
}

/// Everything that a finding says, without excerpts: message, labels, notes, help.
fn story(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![diagnostic.message.clone()];
    if !diagnostic.primary.text.is_empty() {
        lines.push(format!("{}: {}", diagnostic.primary.place(), diagnostic.primary.text));
    }
    lines.extend(diagnostic.secondary.iter().map(|label| format!("{}: {}", label.place(), label.text)));
    lines.extend(diagnostic.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

/// `2 errors, 1 warning`, or nothing when there is nothing to count.
fn tally(diagnostics: &Diagnostics) -> Option<String> {
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Info]
        .into_iter()
        .filter_map(|severity| {
            let count = diagnostics.count_of(severity);
            let plural = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{count} {severity}{plural}"))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
