//! Policies and tables as files: read, and what is wrong with them told at its place.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use uiap_authoring::diagnostic::{Diagnostics, codes};
use uiap_authoring::source::{Limits, SourceDoc, SourceFile, parse_source};
use uiap_model::authoring::BuildContext;
use uiap_model::problem::Problem;
use uiap_policy::Policies;

use crate::cli::Format;
use crate::command::findings;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Files that cannot be used, and why.
pub(crate) enum Refused {
    /// They are no YAML or JSON, or cannot be read at all.
    Syntax(Diagnostics),
    /// They do not say what a policy or a table says.
    Content(Vec<Placed>),
}

/// A problem and its place.
pub(crate) struct Placed {
    place: String,
    problem: Problem,
}

/// A policy inside of a file.
struct Part {
    doc: usize,
    base: String,
}

impl Refused {
    /// Tells what is wrong.
    pub(crate) fn print(&self, terminal: &Terminal) -> anyhow::Result<Exit> {
        match self {
            Self::Syntax(found) => {
                findings::print(found, Format::Human, terminal, "")?;
                let unreadable = found.iter().any(|each| each.code == codes::UNREADABLE);
                Ok(if unreadable { Exit::File } else { Exit::Found })
            }
            Self::Content(problems) => {
                if terminal.json {
                    let list: Vec<Value> = problems.iter().map(Placed::as_json).collect();
                    Terminal::data(&format!("{:#}\n", json!({ "problems": list })))?;
                } else {
                    let text: String = problems.iter().map(|each| each.text(terminal)).collect();
                    Terminal::data(&text)?;
                    if let Some(first) = problems.first() {
                        terminal.hint(&format!("`uiap explain {}` tells more", first.problem.code));
                    }
                }
                Ok(Exit::Found)
            }
        }
    }
}

impl Placed {
    fn new(doc: &SourceDoc, problem: Problem) -> Self {
        let file = doc.file();
        let at = doc.locate(&problem.pointer).map_or(0, |location| location.focus().start);
        let position = file.position(at);
        Self { place: format!("{}:{}:{}", file.name(), position.line, position.column), problem }
    }

    fn as_json(&self) -> Value {
        let Problem { code, pointer, message, help, .. } = &self.problem;
        json!({ "code": code.0, "place": self.place, "pointer": pointer, "message": message, "help": help })
    }

    fn text(&self, terminal: &Terminal) -> String {
        let Problem { code, pointer, message, help, severity, .. } = &self.problem;
        let mut text =
            format!("{}: {message}\n --> {}\n", terminal.bad(&format!("{severity}[{code}]")), self.place);
        if !pointer.is_empty() {
            text.push_str(&format!("  = note: at `{pointer}`\n"));
        }
        if let Some(help) = help {
            text.push_str(&format!("  = help: {help}\n"));
        }
        text.push('\n');
        text
    }
}

/// Reads a file.
pub(super) fn load(path: &Path) -> Result<SourceDoc, Refused> {
    let file = SourceFile::load(path, &Limits::DEFAULT)
        .map_err(|finding| Refused::Syntax(Diagnostics::from(*finding)))?;
    let parsed = parse_source(&file, &Limits::DEFAULT);
    match parsed.doc {
        Some(doc) if !parsed.diagnostics.has_errors() => Ok(doc),
        _ => Err(Refused::Syntax(parsed.diagnostics)),
    }
}

/// What a document is refused for.
pub(super) fn refuse(doc: &SourceDoc, problems: Vec<Problem>) -> Refused {
    Refused::Content(problems.into_iter().map(|problem| Placed::new(doc, problem)).collect())
}

/// Reads and compiles policies: documents, and manifests that hold several.
pub(crate) fn load_policies(paths: &[PathBuf], context: &BuildContext) -> Result<Policies, Refused> {
    let docs = paths.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    let mut parts = Vec::new();
    let mut values = Vec::new();
    for (number, doc) in docs.iter().enumerate() {
        let set = doc.pointer("/spec/policies").filter(|_| doc.pointer("/kind").is_some());
        if let Some(set) = set {
            for (at, policy) in set.items().enumerate() {
                parts.push(Part { doc: number, base: format!("/spec/policies/{at}") });
                let mut value = policy.to_value();
                name_texts(&mut value);
                values.push(value);
            }
        } else {
            parts.push(Part { doc: number, base: String::new() });
            values.push(doc.root().to_value());
        }
    }
    Policies::from_values(&values, context).map_err(|refusal| {
        let placed = refusal.problems().iter().filter_map(|problem| place(problem, &parts, &docs));
        Refused::Content(placed.collect())
    })
}

/// A manifest may name its texts instead of writing them; a build puts them in. Here the name stands for the text.
fn name_texts(value: &mut Value) {
    match value {
        Value::Object(members) if members.len() == 1 && members.get("ref").is_some_and(Value::is_string) => {
            *value = members.remove("ref").unwrap_or_default();
        }
        Value::Object(members) => members.values_mut().for_each(name_texts),
        Value::Array(items) => items.iter_mut().for_each(name_texts),
        _ => {}
    }
}

/// Of several policies a problem names its own by a number in front; the pointer into the document stands behind it, below
/// `document` where the policy has a selector.
fn place(problem: &Problem, parts: &[Part], docs: &[SourceDoc]) -> Option<Placed> {
    let mut problem = problem.clone();
    let part = if parts.len() == 1 {
        parts.first()?
    } else {
        let rest = problem.pointer.strip_prefix('/')?;
        let (number, pointer) = rest.split_once('/').unwrap_or((rest, ""));
        let part = parts.get(number.parse::<usize>().ok()?)?;
        problem.pointer = if pointer.is_empty() { String::new() } else { format!("/{pointer}") };
        part
    };
    let doc = docs.get(part.doc)?;
    let below = format!("{}/document{}", part.base, problem.pointer);
    let plain = format!("{}{}", part.base, problem.pointer);
    let is_wrapped = doc.pointer(&format!("{}/document", part.base)).is_some();
    let already = problem.pointer.starts_with("/document") || problem.pointer == "/id";
    problem.pointer = if is_wrapped && !already { below } else { plain };
    Some(Placed::new(doc, problem))
}
