//! For people: the excerpt with the place underlined, in the manner of rustc.

use std::fmt::Write;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet, normalize_untrusted_str,
};

use super::super::finding::{Diagnostic, Fix, Severity};
use super::excerpt::{Excerpt, SENTINEL, excerpts};
use super::{Diagnostics, tally};

/// How to print for people.
#[derive(Clone, Copy, Debug)]
pub struct Human {
    /// Colours by ANSI escapes.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// How many findings are printed; the rest is counted.
    pub limit: usize,
}

impl Default for Human {
    fn default() -> Self {
        Self { color: false, width: 120, limit: Diagnostics::SHOWN }
    }
}

impl Human {
    /// All findings with a blank line between them, and a count at the end.
    pub fn render(&self, diagnostics: &Diagnostics) -> String {
        let mut out = String::new();
        for diagnostic in diagnostics.shown(self.limit) {
            out.push_str(&self.render_one(diagnostic));
            out.push_str("\n\n");
        }
        let Some(tally) = tally(diagnostics) else { return out };
        let shown = diagnostics.shown(self.limit).len();
        out.push_str(&tally);
        if shown < diagnostics.total() {
            // Writing to a string cannot fail.
            let _ = write!(out, " ({shown} shown)");
        }
        out.push('\n');
        out
    }

    /// One finding without a final line break.
    pub fn render_one(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let code = diagnostic.code.to_string();
        let title = level.primary_title(harmless(&diagnostic.message)).id(code);
        let places = excerpts(diagnostic);
        let patch = diagnostic.fix.as_ref().and_then(Excerpt::of_fix);
        let mut main = if places.is_empty() {
            title.element(Origin::path(harmless(diagnostic.primary.file.name())))
        } else {
            Group::with_title(title).elements(places.iter().map(snippet))
        };
        let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(harmless(note)));
        main = main.elements(notes);
        let help = diagnostic.help.as_deref();
        if let (None, Some(help)) = (&patch, help) {
            main = main.element(Level::HELP.message(harmless(help)));
        }
        let mut report = vec![main];
        if let (Some(excerpt), Some(fix)) = (&patch, &diagnostic.fix) {
            report.push(suggestion(excerpt, fix, help));
        }
        strip_sentinels(&self.renderer().render(&report))
    }

    fn renderer(&self) -> Renderer {
        if self.color { Renderer::styled() } else { Renderer::plain() }.term_width(self.width)
    }
}

fn snippet(excerpt: &Excerpt) -> Snippet<'_, Annotation<'_>> {
    let annotations = excerpt.marks.iter().map(|mark| {
        let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!mark.text.is_empty()).then(|| harmless(&mark.text));
        kind.span(mark.range.clone()).label(label)
    });
    Snippet::source(&*excerpt.text)
        .line_start(excerpt.first_line as usize)
        .path(harmless(&excerpt.path))
        .annotations(annotations)
}

fn suggestion<'a>(excerpt: &'a Excerpt, fix: &'a Fix, help: Option<&'a str>) -> Group<'a> {
    let patches = excerpt
        .marks
        .iter()
        .zip(&fix.edits)
        .map(|(mark, edit)| Patch::new(mark.range.clone(), &*edit.replacement));
    let title = harmless(help.unwrap_or(&fix.description));
    Level::HELP
        .secondary_title(title)
        .element(Snippet::source(&*excerpt.text).line_start(excerpt.first_line as usize).patches(patches))
}

/// Text from a source or from a file name must not steer the terminal.
fn harmless(text: &str) -> String {
    let is_c1 = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    normalize_untrusted_str(text).replace(is_c1, "\u{fffd}")
}

/// The renderer counts columns in the excerpt, which may begin in the middle of a long line. Paths therefore
/// carry the true position and a sentinel; what the renderer adds behind it is dropped.
fn strip_sentinels(text: &str) -> String {
    let mut parts = text.split(SENTINEL);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    }
    out
}
