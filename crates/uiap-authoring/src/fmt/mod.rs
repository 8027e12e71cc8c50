//! One look for manifests. Only white space and the order of the top members change; comments and values stay as written.
//!
//! The result is checked before it is handed out: it must hold the same data and the same characters as the input. A file for
//! which that fails uses YAML that this formatter does not know, and is left as it is.

mod comments;
mod flow;
mod json;
mod yaml;

use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::source::{Format, Limits, SourceDoc, SourceFile, parse_source};

/// What formatting gave.
#[derive(Debug)]
pub enum Formatted {
    /// The file looks as it should.
    Unchanged,
    /// Its new text.
    Changed(String),
    /// It uses YAML that the formatter does not know, such as anchors or tags.
    Unknown,
    /// It has mistakes that must be mended first.
    Broken(Diagnostics),
}

/// Formats one file.
pub fn format(file: &Arc<SourceFile>) -> Formatted {
    let parsed = parse_source(file, &Limits::DEFAULT);
    let doc = match parsed.doc {
        Some(doc) if !parsed.diagnostics.has_errors() => doc,
        _ => return Formatted::Broken(parsed.diagnostics),
    };
    let text = match file.format() {
        Format::Json => json::write(doc.root()),
        Format::Yaml => yaml::write(&doc),
    };
    if text == file.text() {
        Formatted::Unchanged
    } else if is_same(&doc, &text) {
        Formatted::Changed(text)
    } else {
        Formatted::Unknown
    }
}

/// Whether the new text says the same with the same characters.
fn is_same(doc: &SourceDoc, text: &str) -> bool {
    let file = SourceFile::with_format(doc.file().name(), text, doc.file().format());
    let again = parse_source(&file, &Limits::DEFAULT);
    let same_data = again.doc.is_some_and(|again| again.root().to_value() == doc.root().to_value());
    same_data && characters(text) == characters(doc.file().text())
}

/// Every character but white space, in an order that does not depend on theirs.
fn characters(text: &str) -> Vec<char> {
    let mut all: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    all.sort_unstable();
    all
}
