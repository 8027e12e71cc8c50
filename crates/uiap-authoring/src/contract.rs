//! The bridge to the wire model: source trees as the inspector sees them, its problems as diagnostics.

use uiap_model::problem::{Problem, Severity as ProblemSeverity};
use uiap_model::shape::{Tree, View};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::{Entries, Items, Node, NodeKind, SourceDoc, Span};

impl<'t> Tree<'t> for Node<'t> {
    type Items = Items<'t>;
    type Entries = Entries<'t>;

    fn view(self) -> View<'t, Self> {
        match self.kind() {
            NodeKind::Null => View::Null,
            NodeKind::Bool => View::Bool(self.as_bool().unwrap_or_default()),
            NodeKind::Int | NodeKind::Float => View::Number(self.as_f64().unwrap_or(f64::NAN)),
            NodeKind::Str => View::Text(self.as_str().unwrap_or_default()),
            NodeKind::Seq => View::List(self.items()),
            NodeKind::Map => View::Map(self.entries()),
        }
    }
}

/// A problem of the model at its place in the source.
pub fn diagnostic(problem: &Problem, doc: &SourceDoc) -> Diagnostic {
    let unknown = problem.code == uiap_model::shape::inspect::UNKNOWN_MEMBER;
    let key = doc.pointer(&problem.pointer).and_then(Node::key_span).filter(|_| unknown);
    let span = key.unwrap_or_else(|| place(doc, &problem.pointer));
    let code = Code::parse(problem.code.0).unwrap_or(crate::diagnostic::codes::MODEL_FAULT);
    let mut out =
        Diagnostic::new(code, problem.message.clone(), doc.file(), span).severity(match problem.severity {
            ProblemSeverity::Error => Severity::Error,
            ProblemSeverity::Warning => Severity::Warning,
            ProblemSeverity::Info => Severity::Info,
        });
    if let Some(related) = &problem.related {
        let span = place(doc, &related.pointer);
        out = out.secondary(doc.file(), span, related.message.clone());
    }
    if !problem.pointer.is_empty() {
        out = out.note(format!("at `{}`", problem.pointer));
    }
    match &problem.help {
        Some(help) => out.help(help.clone()),
        None => out,
    }
}

/// What to underline for a pointer: the key of a whole block, the value of anything smaller.
fn place(doc: &SourceDoc, pointer: &str) -> Span {
    let Some(location) = doc.locate(pointer) else { return Span::empty(0) };
    let block = doc.pointer(pointer).is_some_and(|node| matches!(node.kind(), NodeKind::Seq | NodeKind::Map));
    match location.key_span {
        Some(key) if block || !location.exact => key,
        _ if block => first_line(doc, location.value_span),
        _ => location.focus(),
    }
}

/// A block without a key is shown by its first line.
fn first_line(doc: &SourceDoc, span: Span) -> Span {
    let text = doc.file().slice(span);
    let end = text.find('\n').unwrap_or(text.len());
    let end = u32::try_from(end).unwrap_or(0);
    Span::new(span.start, span.start + end)
}
