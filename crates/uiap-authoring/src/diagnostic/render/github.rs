//! Workflow commands: annotations on the changed lines of a pull request.

use std::fmt::Write;

use super::super::finding::Severity;
use super::{Diagnostics, positions, story};

/// One `::error …::` line per finding, at most `limit` of them.
pub fn render(diagnostics: &Diagnostics, limit: usize) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.shown(limit) {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let (start, end) = positions(&diagnostic.primary);
        let file = property(diagnostic.primary.file.name());
        let mut place = format!("file={file},line={},endLine={},col={}", start.line, end.line, start.column);
        // The end column is only understood within one line.
        if start.line == end.line {
            // Writing to a string cannot fail.
            let _ = write!(place, ",endColumn={}", end.column);
        }
        let title = property(&format!("{} {}", diagnostic.code, diagnostic.code.title()));
        let _ = writeln!(out, "::{command} {place},title={title}::{}", data(&story(diagnostic)));
    }
    out
}

/// Escapes the text behind the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
