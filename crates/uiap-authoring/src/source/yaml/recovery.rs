//! More than one syntax error per run.
//!
//! After a mistake, the entry that holds it is blanked out and the rest is read again. Blanking keeps every
//! offset, and takes whole entries by indentation, so that the rest does not fail because of what is missing.

use std::sync::Arc;

use saphyr_parser::ScanError;

use super::events::{self, Refusal};
use super::fast::{self, Stop};
use super::places::Places;
use crate::diagnostic::{Diagnostic, Diagnostics, codes, shown};
use crate::source::file::SourceFile;
use crate::source::limits::Limits;
use crate::source::span::Span;

/// Bytes that may be read again in total, which bounds the time that a large broken file takes.
const BUDGET: usize = 2 * 1024 * 1024;

/// Reports the first syntax error and those that can be told apart from it.
pub(super) fn report(
    file: &Arc<SourceFile>,
    limits: &Limits,
    stop: Stop,
    error: &ScanError,
    diagnostics: &mut Diagnostics,
) {
    let mut current = finding(file, file.text(), stop, error);
    let mut text = file.text().to_owned();
    let mut budget = BUDGET;
    for _ in 1..limits.max_syntax_errors {
        let start = current.primary.span.start as usize;
        diagnostics.push(current);
        let Some(left) = budget.checked_sub(text.len()) else { return };
        budget = left;
        text = blank_entry(text, start);
        let Err((stop, _)) = fast::parse(file, &text, limits) else { return };
        let Err(Refusal::Syntax(error)) = events::parse(file, &text, limits) else { return };
        current = finding(file, &text, stop, &error);
        if current.primary.span.start as usize <= start {
            return;
        }
    }
    diagnostics.push(current);
}

/// Our own words where there are any; they name the habit behind the mistake.
fn finding(file: &Arc<SourceFile>, text: &str, stop: Stop, error: &ScanError) -> Diagnostic {
    match stop {
        Stop::Mistake(diagnostic) => *diagnostic,
        Stop::Unsupported | Stop::Reported => of_scan_error(file, text, error),
    }
}

/// Replaces the entry that begins on the line of `at` by spaces: that line and those indented below it.
fn blank_entry(text: String, at: usize) -> String {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |line_break| line_break + 1);
    let indent = indentation(text.get(start..).unwrap_or_default());
    let mut end = next_line(&text, start);
    // How deep a line with tabs belongs is unknown, so nothing is taken along with it.
    let has_tab = text.get(start..).is_some_and(|line| line.trim_start_matches(' ').starts_with('\t'));
    let indent = if has_tab { usize::MAX } else { indent };
    while let Some(rest) = text.get(end..).filter(|rest| !rest.is_empty()) {
        let line = rest.split('\n').next().unwrap_or_default();
        let trimmed = line.trim_start();
        // A closing bracket on a line of its own belongs to the entry as well.
        let belongs = trimmed.is_empty()
            || indentation(line) > indent
            || (indentation(line) == indent && trimmed.starts_with([']', '}']));
        if !belongs {
            break;
        }
        end = next_line(&text, end);
    }
    let mut bytes = text.into_bytes();
    for byte in bytes.get_mut(start..end).unwrap_or_default() {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    // Only whole lines were replaced, so the text is still valid.
    String::from_utf8(bytes).unwrap_or_default()
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |line_break| at + line_break + 1)
}

/// A finding from an error of the complete parser.
fn of_scan_error(file: &Arc<SourceFile>, text: &str, error: &ScanError) -> Diagnostic {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let at = Places::new(text, body).byte(error.marker());
    let end = text.get(at..).and_then(|rest| rest.chars().next()).map_or(at, |c| at + c.len_utf8());
    let span = Span::at(at, end);
    if error.info().contains("unknown anchor") {
        return unknown_anchor(file, text, at);
    }
    if error.info().contains("an anchor or alias") {
        let message = format!("unquoted text cannot start with `{}`", text.get(at..end).unwrap_or_default());
        return Diagnostic::new(codes::RESERVED_CHARACTER, message, file, span)
            .help("put the text into quotes");
    }
    if error.info().contains("recursion limit") {
        return Diagnostic::new(codes::TOO_DEEP, "nesting is too deep", file, span)
            .help("flatten the structure; manifests need fewer than twenty levels");
    }
    let reason = error.info().trim_start_matches("while ").replace('"', "`");
    Diagnostic::new(codes::YAML_SYNTAX, format!("invalid YAML: {reason}"), file, span)
        .label("reading stopped here")
        .help("check the indentation and the quotes here and on the lines above")
}

fn unknown_anchor(file: &Arc<SourceFile>, text: &str, at: usize) -> Diagnostic {
    let alias = text.get(at..).unwrap_or_default();
    let alias = alias.split([' ', '\t', '\n', '\r', ',', ']', '}']).next().unwrap_or_default();
    let span = Span::at(at, at + alias.len());
    Diagnostic::new(
        codes::UNKNOWN_ANCHOR,
        format!("alias `{}` has no anchor above it", shown(alias)),
        file,
        span,
    )
    .help("quote the text if it is meant to start with `*`")
}
