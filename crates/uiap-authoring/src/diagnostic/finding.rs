//! One finding: code, severity, message, places, and how to repair it.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::registry::Code;
use crate::source::{SourceFile, Span};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The result must not be used.
    Error,
    /// Suspicious, the result is usable.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a source with a few words about it.
#[derive(Clone)]
pub struct Label {
    /// Where the bytes are.
    pub file: Arc<SourceFile>,
    /// Which bytes.
    pub span: Span,
    /// What to say beside them; may be empty.
    pub text: String,
}

impl Label {
    /// A labelled place.
    pub fn new(file: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), span, text: text.into() }
    }

    /// `file:line:column`, the form that editors and terminals make clickable.
    pub fn place(&self) -> String {
        let position = self.file.position(self.span.start);
        format!("{}:{}:{}", self.file.name(), position.line, position.column)
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.place(), self.span.range(), self.text)
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.file.name() == other.file.name() && self.span == other.span && self.text == other.text
    }
}

/// One replacement in one file.
#[derive(Clone)]
pub struct Edit {
    /// The file to change.
    pub file: Arc<SourceFile>,
    /// What goes away; empty to insert.
    pub span: Span,
    /// What comes instead.
    pub replacement: String,
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} => {:?}", self.file.name(), self.span.range(), self.replacement)
    }
}

impl PartialEq for Edit {
    fn eq(&self, other: &Self) -> bool {
        self.file.name() == other.file.name()
            && self.span == other.span
            && self.replacement == other.replacement
    }
}

/// A repair that a tool may apply on request.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What the edits do, as an imperative.
    pub description: String,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix that replaces one range.
    pub fn replace(
        description: impl Into<String>,
        file: &Arc<SourceFile>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        let edit = Edit { file: Arc::clone(file), span, replacement: replacement.into() };
        Self { description: description.into(), edits: vec![edit] }
    }

    /// The text of `file` after the edits that concern it, or nothing when an edit does not fit the text.
    pub fn apply_to(&self, file: &SourceFile) -> Option<String> {
        let mut edits: Vec<&Edit> =
            self.edits.iter().filter(|edit| edit.file.name() == file.name()).collect();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let mut out = String::with_capacity(file.text().len());
        let mut done = 0;
        for edit in edits {
            out.push_str(file.text().get(done..edit.span.start as usize)?);
            out.push_str(&edit.replacement);
            done = edit.span.end as usize;
        }
        out.push_str(file.text().get(done..)?);
        Some(out)
    }
}

/// One finding about the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Stable identity of the kind of finding.
    pub code: Code,
    /// How bad it is; the code's own severity unless somebody changed it.
    pub severity: Severity,
    /// One lower-case sentence fragment with user input in backticks.
    pub message: String,
    /// The place to look at first.
    pub primary: Label,
    /// Other places that matter, such as the first of two duplicates.
    pub secondary: Vec<Label>,
    /// Background, each a fragment of its own.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// A repair that a tool can apply.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding with the severity that its code has in the registry.
    pub fn new(code: Code, message: impl Into<String>, file: &Arc<SourceFile>, span: Span) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label::new(file, span, ""),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Words beside the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place.
    #[must_use]
    pub fn secondary(mut self, file: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label::new(file, span, text));
        self
    }

    /// Background.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// What to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// How a tool can repair it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Another severity than the registry's, for a switch such as `--strict`.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Order of output: file, position, code, message. Independent of the order of discovery.
    pub fn output_order(&self, other: &Self) -> Ordering {
        let key = |d: &Self| (d.primary.span.start, d.primary.span.end, d.code);
        self.primary
            .file
            .name()
            .cmp(other.primary.file.name())
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.message.cmp(&other.message))
    }
}
