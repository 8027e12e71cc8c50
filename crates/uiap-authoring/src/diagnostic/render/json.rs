//! The machine format: everything a finding holds, with offsets, lines and columns.
//!
//! The shape is described by [`SCHEMA`] and versioned; members are added, never changed.

use serde::Serialize;

use super::super::finding::{Diagnostic, Edit, Label, Severity};
use super::super::registry::Code;
use super::{Diagnostics, positions};

/// JSON Schema of the output.
pub const SCHEMA: &str = include_str!("diagnostics.schema.json");

/// Version of the output.
const VERSION: u32 = 1;

/// The kept findings as one JSON document with a final line break.
pub fn render(diagnostics: &Diagnostics) -> String {
    let report = Report {
        version: VERSION,
        diagnostics: diagnostics.iter().map(Finding::of).collect(),
        summary: Summary {
            errors: diagnostics.count_of(Severity::Error),
            warnings: diagnostics.count_of(Severity::Warning),
            infos: diagnostics.count_of(Severity::Info),
            total: diagnostics.total(),
            listed: diagnostics.iter().len(),
        },
    };
    // Strings and numbers only: there is nothing that could fail.
    let mut out = serde_json::to_string_pretty(&report).unwrap_or_default();
    out.push('\n');
    out
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    diagnostics: Vec<Finding<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    errors: usize,
    warnings: usize,
    infos: usize,
    total: usize,
    listed: usize,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: Code,
    severity: Severity,
    title: &'static str,
    message: &'a str,
    primary: Place<'a>,
    secondary: Vec<Place<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    fix: Option<Repair<'a>>,
}

impl<'a> Finding<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            title: diagnostic.code.title(),
            message: &diagnostic.message,
            primary: Place::of(&diagnostic.primary),
            secondary: diagnostic.secondary.iter().map(Place::of).collect(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_deref(),
            fix: diagnostic.fix.as_ref().map(|fix| Repair {
                description: &fix.description,
                edits: fix.edits.iter().map(Change::of).collect(),
            }),
        }
    }
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    start: Point,
    end: Point,
    label: &'a str,
}

#[derive(Serialize)]
struct Point {
    line: u32,
    column: u32,
    offset: u32,
}

impl<'a> Place<'a> {
    fn of(label: &'a Label) -> Self {
        let (start, end) = positions(label);
        Self {
            file: label.file.name(),
            start: Point { line: start.line, column: start.column, offset: label.span.start },
            end: Point { line: end.line, column: end.column, offset: label.span.end },
            label: &label.text,
        }
    }
}

#[derive(Serialize)]
struct Repair<'a> {
    description: &'a str,
    edits: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    file: &'a str,
    start: Point,
    end: Point,
    replacement: &'a str,
}

impl<'a> Change<'a> {
    fn of(edit: &'a Edit) -> Self {
        let start = edit.file.position(edit.span.start);
        let end = edit.file.position(edit.span.end);
        Self {
            file: edit.file.name(),
            start: Point { line: start.line, column: start.column, offset: edit.span.start },
            end: Point { line: end.line, column: end.column, offset: edit.span.end },
            replacement: &edit.replacement,
        }
    }
}
