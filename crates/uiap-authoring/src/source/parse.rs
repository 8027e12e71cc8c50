//! The way in: one call for both grammars.

use std::sync::Arc;

use super::doc::SourceDoc;
use super::file::{Format, SourceFile};
use super::limits::Limits;
use super::{hidden, json, screen, yaml};
use crate::diagnostic::Diagnostics;

/// What came out of a source.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; missing when the text does not follow its grammar.
    ///
    /// A tree may come with errors: a duplicate key or a number that cannot be kept spoils the result, but the
    /// rest of the file can still be checked.
    pub doc: Option<SourceDoc>,
    /// Everything there is to say, in the order of the text.
    pub diagnostics: Diagnostics,
}

impl Parsed {
    pub(super) fn refused(diagnostics: Diagnostics) -> Self {
        Self { doc: None, diagnostics }
    }
}

/// Parses a source of either format. Never panics, never reads anything else.
pub fn parse_source(file: &Arc<SourceFile>, limits: &Limits) -> Parsed {
    if let Err(diagnostics) = screen::screen(file, limits) {
        return Parsed::refused(diagnostics);
    }
    let mut parsed = match file.format() {
        Format::Json => json::parse(file, limits),
        Format::Yaml => yaml::parse(file, limits),
    };
    if let Some(doc) = &parsed.doc {
        hidden::report(doc, &mut parsed.diagnostics);
    }
    parsed.diagnostics.sort();
    parsed
}
