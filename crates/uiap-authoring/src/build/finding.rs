//! Diagnostics about values of an edited tree.

use std::sync::Arc;

use uiap_model::problem::{Problem, Severity as ProblemSeverity};

use crate::diagnostic::{Code, Diagnostic, Severity, codes};
use crate::source::{NodeKind, SourceFile, Span};
use crate::tree::At;

/// A finding at a value.
pub(crate) fn at_value(code: Code, at: At<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, message, at.file(), focus(at))
}

/// A finding about a file as a whole.
pub(crate) fn at_file(code: Code, file: &Arc<SourceFile>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, message, file, Span::default())
}

/// More places and words for values of an edited tree.
pub(crate) trait AlsoAt {
    /// A second place.
    fn also(self, at: At<'_>, text: impl Into<String>) -> Diagnostic;
    /// "did you mean", when there is a candidate.
    fn meant(self, candidate: Option<&str>) -> Diagnostic;
}

impl AlsoAt for Diagnostic {
    fn also(self, at: At<'_>, text: impl Into<String>) -> Self {
        self.secondary(at.file(), focus(at), text)
    }

    fn meant(self, candidate: Option<&str>) -> Self {
        match candidate {
            Some(candidate) => self.help(format!("did you mean `{candidate}`?")),
            None => self,
        }
    }
}

/// What to underline: a scalar itself, the key of a block, the first line of a block without a key.
pub(crate) fn focus(at: At<'_>) -> Span {
    if !matches!(at.kind(), NodeKind::Map | NodeKind::Seq) {
        return at.span();
    }
    let node = at.origin();
    if let Some(key) = node.key_span() {
        return key;
    }
    let span = node.span();
    let length = at.file().slice(span).find('\n').and_then(|length| u32::try_from(length).ok());
    Span::new(span.start, length.map_or(span.end, |length| span.start + length))
}

/// A problem of the model in a tree that may be edited.
pub(crate) fn problem_at(problem: &Problem, root: At<'_>) -> Diagnostic {
    let (at, exact) = root.locate(&problem.pointer);
    let code = Code::parse(problem.code.0).unwrap_or(codes::MODEL_FAULT);
    let unknown = problem.code == uiap_model::shape::inspect::UNKNOWN_MEMBER;
    let span = if exact && !unknown { focus(at) } else { at.key_span() };
    let mut out =
        Diagnostic::new(code, problem.message.clone(), at.file(), span).severity(match problem.severity {
            ProblemSeverity::Error => Severity::Error,
            ProblemSeverity::Warning => Severity::Warning,
            ProblemSeverity::Info => Severity::Info,
        });
    if let Some(related) = &problem.related {
        out = out.also(root.locate(&related.pointer).0, related.message.clone());
    }
    if !problem.pointer.is_empty() {
        out = out.note(format!("at `{}`", problem.pointer));
    }
    match &problem.help {
        Some(help) => out.help(help.clone()),
        None => out,
    }
}

/// A short form of a value for messages.
pub(crate) fn shown(at: At<'_>) -> String {
    let mut text = at.to_value().to_string();
    if text.chars().count() > 60 {
        text = text.chars().take(57).collect::<String>() + "…";
    }
    text
}
