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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use uiap_model::shape::inspect::{MISSING, UNKNOWN_MEMBER, WRONG_KIND};

    use super::*;
    use crate::source::{Limits, SourceFile, parse_source};

    /// Reads the codes from the model's own text, so that a new one cannot be forgotten here.
    #[test]
    fn every_code_of_the_model_has_a_paragraph() {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../uiap-model/src")];
        let mut count = 0;
        while let Some(next) = open.pop() {
            for entry in std::fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for code in text.split("Code(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    count += 1;
                    assert!(Code::parse(code).is_some(), "{code} of {}", path.display());
                }
            }
        }
        assert!(count > 40, "{count} codes");
    }

    #[test]
    fn a_problem_is_shown_at_its_value_its_key_or_its_parent() {
        let text = "kind: App\nspec:\n  appId: 7\n  apId: x\n";
        let file = SourceFile::new("app.yaml", text);
        let doc = parse_source(&file, &Limits::DEFAULT).doc.unwrap();
        let shown = |code, pointer: &str| {
            let found = diagnostic(&Problem::error(code, pointer, "m"), &doc);
            file.slice(found.primary.span).to_owned()
        };
        assert_eq!(shown(WRONG_KIND, "/spec/appId"), "7");
        assert_eq!(shown(UNKNOWN_MEMBER, "/spec/apId"), "apId");
        assert_eq!(shown(MISSING, "/spec"), "spec");
        assert_eq!(shown(MISSING, ""), "kind: App");
    }
}
