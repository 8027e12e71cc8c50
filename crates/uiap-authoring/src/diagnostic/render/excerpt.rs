//! Cuts the lines around a finding out of a file, so that neither a long file nor a long line costs anything.

use std::ops::Range;
use std::sync::Arc;

use super::super::finding::{Diagnostic, Fix};
use crate::source::{SourceFile, Span};

/// Marks the end of the true position in a path.
pub(super) const SENTINEL: char = '\u{e000}';

/// Labels closer than this many lines share an excerpt.
const NEAR: u32 = 8;

/// A label over more lines than this is cut after its first line.
const TALL: u32 = 12;

/// How much of a long line is kept.
#[derive(Clone, Copy)]
struct Width {
    /// Lines up to this many bytes are kept from their start.
    long: usize,
    /// Bytes around the label that are kept of a longer line.
    context: usize,
}

/// The renderer fits labelled lines into the terminal, so much may be kept.
const LABELLED: Width = Width { long: 2_000, context: 120 };

/// The renderer prints changed lines as they are.
const CHANGED: Width = Width { long: 160, context: 40 };

/// A label within an excerpt.
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    pub(super) is_primary: bool,
}

/// Some consecutive lines of a file with labels.
pub(super) struct Excerpt {
    /// File name and true position, closed by the sentinel.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) first_line: u32,
    pub(super) marks: Vec<Mark>,
}

/// A label with the lines that it needs.
struct Target<'a> {
    file: &'a Arc<SourceFile>,
    span: Span,
    text: &'a str,
    is_primary: bool,
    lines: Range<u32>,
}

impl<'a> Target<'a> {
    fn new(file: &'a Arc<SourceFile>, span: Span, text: &'a str, is_primary: bool) -> Self {
        let span = visible(file, span);
        let first = file.position(span.start).line;
        let last = file.position(span.end).line;
        if last - first > TALL {
            let end = file.line_range(first).map_or(span.start as usize, |line| line.end);
            let span = Span::at(span.start as usize, end);
            return Self { file, span, text, is_primary, lines: first..first + 1 };
        }
        Self { file, span, text, is_primary, lines: first..last + 1 }
    }
}

/// The excerpts of a finding, the one with the primary label first. None when the file has no text.
pub(super) fn excerpts(diagnostic: &Diagnostic) -> Vec<Excerpt> {
    let primary = std::iter::once((&diagnostic.primary, true));
    let labels = primary.chain(diagnostic.secondary.iter().map(|label| (label, false)));
    let mut groups: Vec<Vec<Target<'_>>> = Vec::new();
    for (label, is_primary) in labels.filter(|(label, _)| !label.file.text().is_empty()) {
        let target = Target::new(&label.file, label.span, &label.text, is_primary);
        match groups.iter_mut().find(|group| group.iter().any(|other| is_near(other, &target))) {
            Some(group) => group.push(target),
            None => groups.push(vec![target]),
        }
    }
    groups.iter().filter_map(|group| cut(group, LABELLED)).collect()
}

impl Excerpt {
    /// The lines that a fix changes, when they lie close together in one file.
    pub(super) fn of_fix(fix: &Fix) -> Option<Self> {
        let first = fix.edits.first()?;
        let is_small =
            fix.edits.iter().all(|edit| edit.replacement.len().max(edit.span.len() as usize) <= CHANGED.long);
        if !is_small {
            return None;
        }
        let targets: Vec<Target<'_>> =
            fix.edits.iter().map(|edit| Target::new(&edit.file, edit.span, "", false)).collect();
        let together = targets.iter().all(|target| {
            target.file.name() == first.file.name() && targets.first().is_some_and(|t| is_near(t, target))
        });
        let whole = targets.iter().zip(&fix.edits).all(|(target, edit)| target.span == edit.span);
        if together && whole { cut(&targets, CHANGED) } else { None }
    }
}

fn is_near(a: &Target<'_>, b: &Target<'_>) -> bool {
    let lines = a.lines.start.max(b.lines.start).saturating_sub(a.lines.end.min(b.lines.end));
    let bytes = a.span.start.abs_diff(b.span.start) as usize;
    Arc::ptr_eq(a.file, b.file) && lines <= NEAR && bytes < LABELLED.long
}

/// Moves a place behind the last line back to its end, and both ends to whole characters.
fn visible(file: &SourceFile, span: Span) -> Span {
    let text = file.text();
    let mut start = (span.start as usize).min(text.len());
    if start == text.len() {
        start = text.trim_end_matches(['\n', '\r']).len();
        return Span::at(start, start);
    }
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    // A place that ends with a line break ends on its line.
    let inner = text.get(start..end).unwrap_or_default();
    let trimmed = inner.trim_end_matches(['\n', '\r']);
    if !trimmed.is_empty() {
        end = start + trimmed.len();
    }
    Span::at(start, end)
}

fn cut(targets: &[Target<'_>], width: Width) -> Option<Excerpt> {
    let head = targets.iter().find(|target| target.is_primary).or(targets.first())?;
    let first_line = targets.iter().map(|target| target.lines.start).min()?;
    let last_line = targets.iter().map(|target| target.lines.end).max()? - 1;
    let start = head.file.line_range(first_line)?.start;
    let end = head.file.line_range(last_line)?.end;
    let position = head.file.position(head.span.start);
    let path = format!("{}:{}:{}{SENTINEL}", head.file.name(), position.line, position.column);
    let window = window(head.file, start..end, targets, width);
    let lead = if window.start > start { "…" } else { "" };
    let tail = if window.end < end { "…" } else { "" };
    // The renderer takes care of other control characters. The dot is as long as what it replaces.
    let shown = head.file.text().get(window.clone())?.replace(|c| matches!(c, '\u{80}'..='\u{9f}'), "·");
    let text = format!("{lead}{shown}{tail}");
    let marks = targets
        .iter()
        .map(|target| {
            let place = |at: u32| (at as usize).clamp(window.start, window.end) - window.start + lead.len();
            Mark {
                range: place(target.span.start)..place(target.span.end),
                text: target.text.to_owned(),
                is_primary: target.is_primary,
            }
        })
        .collect();
    Some(Excerpt { path, text, first_line, marks })
}

/// The whole lines, or the surroundings of the labels when the lines are too long to print.
fn window(file: &SourceFile, lines: Range<usize>, targets: &[Target<'_>], width: Width) -> Range<usize> {
    if lines.len() <= width.long {
        return lines;
    }
    let text = file.text();
    let first = targets.iter().map(|target| target.span.start as usize).min().unwrap_or(lines.start);
    let last = targets.iter().map(|target| target.span.end as usize).max().unwrap_or(lines.end);
    let last = last.min(first + width.long);
    let mut start = first.saturating_sub(width.context).max(lines.start);
    let mut end = (last + width.context).min(lines.end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
