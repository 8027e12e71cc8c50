//! Compares a document with a shape and reports every fault, not only the first.

use super::{Field, Kind, Literal, Literals, OneOf, Record, Shape, Tagged, Tree, View, Words};
use crate::names::Extension;
use crate::pointer::Path;
use crate::problem::{Code, Problem};
use crate::suggest;

/// A mandatory member is not there.
pub const MISSING: Code = Code("UIAP-M001");
/// A member that nobody knows, in a place where that is a mistake.
pub const UNKNOWN_MEMBER: Code = Code("UIAP-M002");
/// A value of the wrong kind.
pub const WRONG_KIND: Code = Code("UIAP-M003");
/// A word outside of its vocabulary.
pub const UNKNOWN_VALUE: Code = Code("UIAP-M004");
/// A string or number that breaks its rule.
pub const BAD_FORMAT: Code = Code("UIAP-M005");
/// A list with too few items.
pub const TOO_FEW: Code = Code("UIAP-M006");

/// No run reports more than this; a document with more faults is wrong as a whole.
const MOST_PROBLEMS: usize = 10_000;

/// What happens to members that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// On the wire: tolerated, a newer peer may have sent them.
    Wire,
    /// In files written by people: an error, most probably a slip of the pen.
    Authored,
}

/// Every way in which `tree` differs from `shape`.
pub fn inspect<'t, T: Tree<'t>>(tree: T, shape: Shape, strictness: Strictness) -> Vec<Problem> {
    let mut inspector = Inspector { strictness, problems: Vec::new() };
    inspector.value(tree, shape, &Path::ROOT);
    inspector.problems
}

struct Inspector {
    strictness: Strictness,
    problems: Vec<Problem>,
}

impl Inspector {
    fn report(&mut self, problem: Problem) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn value<'t, T: Tree<'t>>(&mut self, tree: T, shape: Shape, path: &Path<'_>) {
        let view = tree.view();
        match (shape, view) {
            (Shape::Any, _)
            | (Shape::Null | Shape::Nullable(_), View::Null)
            | (Shape::Bool, View::Bool(_))
            | (Shape::Object, View::Map(_)) => {}
            (Shape::Text(rule), View::Text(text)) => {
                if !(rule.accepts)(text) {
                    self.report(Problem::error(
                        BAD_FORMAT,
                        path.pointer(),
                        format!("expected {}, found {}", rule.expected, quoted(text)),
                    ));
                }
            }
            (Shape::Number(rule), View::Number(number)) => {
                let fits = (!rule.integer || number.fract() == 0.0)
                    && rule.min.is_none_or(|min| number >= min)
                    && rule.max.is_none_or(|max| number <= max);
                if !fits {
                    self.report(Problem::error(
                        BAD_FORMAT,
                        path.pointer(),
                        format!("expected {}, found {number}", rule.expected),
                    ));
                }
            }
            (Shape::Words(words), View::Text(text)) => self.word(words, text, path),
            (Shape::Literals(literals), view) => self.literal(literals, &view, path),
            (Shape::List(item), View::List(items)) => {
                for (index, each) in items.enumerate() {
                    self.value(each, item(), &path.index(index));
                }
            }
            (Shape::Map { key, value }, View::Map(entries)) => {
                for (name, each) in entries {
                    let at = path.key(name);
                    self.key(name, key(), &at);
                    self.value(each, value(), &at);
                }
            }
            (Shape::Record(record), View::Map(entries)) => self.record::<T>(record, entries, path),
            (Shape::Tagged(tagged), View::Map(entries)) => {
                let entries: Vec<(&str, T)> = entries.collect();
                self.tagged(tagged, &[], false, &entries, path);
            }
            (Shape::OneOf(one_of), _) => self.one_of(tree, one_of, path),
            (Shape::Nullable(inner), _) => self.value(tree, inner(), path),
            (shape, view) => self.wrong_kind(expected(shape), view.kind(), path),
        }
    }

    fn wrong_kind(&mut self, wanted: &str, found: Kind, path: &Path<'_>) {
        let mut problem = Problem::error(
            WRONG_KIND,
            path.pointer(),
            format!("expected {wanted}, found {}", found.with_article()),
        );
        if found == Kind::Null {
            problem = problem.help("leave the member out instead of setting it to null");
        } else if found == Kind::Number && wanted.starts_with("a string") {
            problem = problem.help("put the value in quotes");
        }
        self.report(problem);
    }

    fn word(&mut self, words: &Words, text: &str, path: &Path<'_>) {
        if words.values.contains(&text) || (words.open && Extension::parse(text).is_some()) {
            return;
        }
        let mut problem =
            Problem::error(UNKNOWN_VALUE, path.pointer(), format!("{} is no {}", quoted(text), words.name))
                .allowed(words.values);
        let listed = list(words.values);
        let extension = if words.open { " extensions start with `x.`" } else { "" };
        problem = match suggest::nearest(text, words.values.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?{extension}")),
            None => problem.help(format!("expected {listed};{extension}").trim_end_matches(';').to_owned()),
        };
        self.report(problem);
    }

    fn literal<'t, T: Tree<'t>>(&mut self, literals: &Literals, view: &View<'t, T>, path: &Path<'_>) {
        let fits = literals.values.iter().any(|literal| match (literal, view) {
            (Literal::Bool(wanted), View::Bool(found)) => wanted == found,
            (Literal::Text(wanted), View::Text(found)) => wanted == found,
            _ => false,
        });
        if fits {
            return;
        }
        let values: Vec<String> = literals.values.iter().map(Literal::to_string).collect();
        let found = match view {
            View::Text(text) => quoted(text),
            View::Bool(value) => format!("`{value}`"),
            other => other.kind().with_article().to_owned(),
        };
        self.report(
            Problem::error(
                UNKNOWN_VALUE,
                path.pointer(),
                format!("expected one of {}, found {found}", list(&values)),
            )
            .allowed(&values),
        );
    }

    fn key(&mut self, name: &str, shape: Shape, path: &Path<'_>) {
        match shape {
            Shape::Text(rule) if !(rule.accepts)(name) => self.report(Problem::error(
                BAD_FORMAT,
                path.pointer(),
                format!("expected {} as the member's name, found {}", rule.expected, quoted(name)),
            )),
            Shape::Words(words) => self.word(words, name, path),
            _ => {}
        }
    }

    fn record<'t, T: Tree<'t>>(&mut self, record: &Record, entries: T::Entries, path: &Path<'_>) {
        if record.flattened.is_empty() {
            self.members(&Members::of(record.own), record.extensions, entries, path);
            return;
        }
        let (fields, union) = record.members();
        let entries: Vec<(&str, T)> = entries.collect();
        if let Some(tagged) = union {
            self.tagged(tagged, &fields, record.extensions, &entries, path);
        } else {
            let members = Members { own: &[], more: &fields, tag: None };
            self.members(&members, record.extensions, entries.into_iter(), path);
        }
    }

    fn tagged<'t, T: Tree<'t>>(
        &mut self,
        tagged: &Tagged,
        shared: &[&'static Field],
        extensions: bool,
        entries: &[(&'t str, T)],
        path: &Path<'_>,
    ) {
        let names: Vec<&str> = tagged.variants.iter().map(|variant| variant.value).collect();
        let Some((_, tag)) = entries.iter().find(|(key, _)| *key == tagged.tag) else {
            self.report(
                Problem::error(MISSING, path.pointer(), format!("`{}` is missing", tagged.tag))
                    .help(format!("add `{}`: {}", tagged.tag, list(&names)))
                    .allowed(&names),
            );
            return;
        };
        let at = path.key(tagged.tag);
        let text = match tag.view() {
            View::Text(text) => text,
            other => return self.wrong_kind(&format!("a string, {}", list(&names)), other.kind(), &at),
        };
        let Some(variant) = tagged.variants.iter().find(|variant| variant.value == text) else {
            let help = match suggest::nearest(text, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? expected {}", list(&names)),
                None => format!("expected {}", list(&names)),
            };
            self.report(
                Problem::error(
                    UNKNOWN_VALUE,
                    at.pointer(),
                    format!("{} is no `{}` of {}", quoted(text), tagged.tag, tagged.name),
                )
                .help(help)
                .allowed(&names),
            );
            return;
        };
        let members = Members { own: variant.fields, more: shared, tag: Some(tagged.tag) };
        self.members(&members, extensions, entries.iter().copied(), path);
    }

    fn members<'t, T: Tree<'t>>(
        &mut self,
        members: &Members<'_>,
        extensions: bool,
        entries: impl Iterator<Item = (&'t str, T)>,
        path: &Path<'_>,
    ) {
        let mut seen: u128 = 0;
        for (key, node) in entries {
            let at = path.key(key);
            match members.find(key) {
                Some((index, field)) => {
                    seen |= 1u128.checked_shl(index).unwrap_or(0);
                    self.value(node, (field.shape)(), &at);
                    self.count(field, node, &at);
                }
                None if members.tag == Some(key) => {}
                None if extensions && Extension::parse(key).is_some() => {}
                None if extensions || self.strictness == Strictness::Authored => {
                    self.unknown_member(members, key, extensions, &at);
                }
                None => {}
            }
        }
        for (index, field) in members.all().enumerate() {
            let bit = u32::try_from(index).ok().and_then(|index| 1u128.checked_shl(index)).unwrap_or(0);
            if field.required && seen & bit == 0 {
                self.report(
                    Problem::error(MISSING, path.pointer(), format!("`{}` is missing", field.name))
                        .help(format!("add `{}`, {}", field.name, expected((field.shape)()))),
                );
            }
        }
    }

    fn count<'t, T: Tree<'t>>(&mut self, field: &Field, node: T, path: &Path<'_>) {
        if field.min == 0 {
            return;
        }
        if let View::List(mut items) = node.view()
            && items.next().is_none()
        {
            self.report(Problem::error(
                TOO_FEW,
                path.pointer(),
                format!("`{}` needs at least one item", field.name),
            ));
        }
    }

    fn unknown_member(&mut self, members: &Members<'_>, key: &str, extensions: bool, path: &Path<'_>) {
        let names: Vec<&str> = members.all().map(|field| field.name).chain(members.tag).collect();
        let suffix = if extensions { " extensions start with `x.`" } else { "" };
        let help = match suggest::nearest(key, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?{suffix}"),
            None => format!("expected {};{suffix}", list(&names)).trim_end_matches(';').to_owned(),
        };
        self.report(
            Problem::error(UNKNOWN_MEMBER, path.pointer(), format!("unknown member {}", quoted(key)))
                .help(help)
                .allowed(&names),
        );
    }

    fn one_of<'t, T: Tree<'t>>(&mut self, tree: T, one_of: &OneOf, path: &Path<'_>) {
        let kind = tree.view().kind();
        let mut best: Option<Vec<Problem>> = None;
        for shape in one_of.forms(self.strictness).filter(|shape| kinds(*shape).contains(&kind)) {
            let mut attempt = Inspector { strictness: self.strictness, problems: Vec::new() };
            attempt.value(tree, shape, path);
            if attempt.problems.is_empty() {
                return;
            }
            if best.as_ref().is_none_or(|found| attempt.problems.len() < found.len()) {
                best = Some(attempt.problems);
            }
        }
        if let Some(problems) = best {
            for problem in problems {
                self.report(problem);
            }
            return;
        }
        let mut wanted: Vec<&str> = Vec::new();
        for each in one_of.forms(self.strictness).map(expected) {
            if !wanted.contains(&each) {
                wanted.push(each);
            }
        }
        self.wrong_kind(&wanted.join(" or "), kind, path);
    }
}

/// The members that an object may have.
struct Members<'a> {
    own: &'static [Field],
    more: &'a [&'static Field],
    tag: Option<&'static str>,
}

impl Members<'_> {
    fn of(own: &'static [Field]) -> Self {
        Self { own, more: &[], tag: None }
    }

    fn all(&self) -> impl Iterator<Item = &'static Field> {
        self.own.iter().chain(self.more.iter().copied())
    }

    fn find(&self, key: &str) -> Option<(u32, &'static Field)> {
        (0u32..).zip(self.all()).find(|(_, field)| field.name == key)
    }
}

impl std::fmt::Display for Literal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::Text(text) => write!(out, "\"{text}\""),
        }
    }
}

/// The form in words.
fn expected(shape: Shape) -> &'static str {
    match shape {
        Shape::Any => "a value",
        Shape::Null => "null",
        Shape::Bool => "a boolean",
        Shape::Text(rule) => rule.expected,
        Shape::Number(rule) => rule.expected,
        Shape::Words(_) => "a string",
        Shape::Literals(_) => "one of a few values",
        Shape::List(_) => "a list",
        Shape::Map { .. } | Shape::Object | Shape::Record(_) | Shape::Tagged(_) => "an object",
        Shape::OneOf(one_of) => one_of.of.first().map_or("a value", |shape| expected(shape())),
        Shape::Nullable(inner) => expected(inner()),
    }
}

/// The kinds of value that can have the form.
fn kinds(shape: Shape) -> Vec<Kind> {
    match shape {
        Shape::Any => vec![Kind::Null, Kind::Bool, Kind::Number, Kind::Text, Kind::List, Kind::Map],
        Shape::Null => vec![Kind::Null],
        Shape::Bool => vec![Kind::Bool],
        Shape::Text(_) | Shape::Words(_) => vec![Kind::Text],
        Shape::Number(_) => vec![Kind::Number],
        Shape::Literals(_) => vec![Kind::Bool, Kind::Text],
        Shape::List(_) => vec![Kind::List],
        Shape::Map { .. } | Shape::Object | Shape::Record(_) | Shape::Tagged(_) => vec![Kind::Map],
        Shape::OneOf(one_of) => one_of.of.iter().flat_map(|shape| kinds(shape())).collect(),
        Shape::Nullable(inner) => kinds(inner()).into_iter().chain([Kind::Null]).collect(),
    }
}

/// Input in backticks, cut to a readable length.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}

/// `a`, `b` or `c`; long lists are cut.
pub(crate) fn list<T: AsRef<str>>(values: &[T]) -> String {
    const MOST: usize = 60;
    let shown: Vec<String> = values.iter().take(MOST).map(|value| format!("`{}`", value.as_ref())).collect();
    let rest = values.len().saturating_sub(MOST);
    match shown.split_last() {
        _ if rest > 0 => format!("{} and {rest} more", shown.join(", ")),
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => "nothing".to_owned(),
    }
}
