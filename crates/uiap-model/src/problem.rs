//! A fault in a document: what is wrong, where, and what to do about it.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted; somebody should look.
    Warning,
    /// Worth knowing.
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        })
    }
}

/// The stable name of a kind of fault. A code is never given to anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Kind of fault.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where, as a JSON Pointer (RFC 6901); the parent for a missing member.
    pub pointer: String,
    /// Line and column, for text that is no JSON at all.
    pub position: Option<Position>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// A second place that belongs to it.
    pub related: Option<Related>,
    /// The values that would have been right, where they can be listed.
    pub allowed: Vec<String>,
}

/// A place in text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// A second place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub pointer: String,
    /// What is there.
    pub message: String,
}

impl Problem {
    /// An error at `pointer`.
    pub fn error(code: Code, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            pointer: pointer.into(),
            position: None,
            message: message.into(),
            help: None,
            related: None,
            allowed: Vec::new(),
        }
    }

    /// A warning at `pointer`.
    pub fn warning(code: Code, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, pointer, message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        self.related = Some(Related { pointer: pointer.into(), message: message.into() });
        self
    }

    /// Adds the values that would have been right.
    #[must_use]
    pub fn allowed<T: AsRef<str>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        self.allowed = values.into_iter().map(|value| value.as_ref().to_owned()).collect();
        self
    }

    /// Puts `prefix` before the pointers, for a part that was looked at by itself.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.pointer.insert_str(0, prefix);
        if let Some(related) = &mut self.related {
            related.pointer.insert_str(0, prefix);
        }
        self
    }

    /// Whether it makes the document invalid.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}[{}]", self.severity, self.code)?;
        match self.position {
            Some(Position { line, column }) => write!(out, " at line {line}, column {column}")?,
            None if self.pointer.is_empty() => write!(out, " at the root")?,
            None => write!(out, " at {}", self.pointer)?,
        }
        write!(out, ": {}", self.message)?;
        if let Some(related) = &self.related {
            write!(out, " ({}: {})", related.pointer, related.message)?;
        }
        if let Some(help) = &self.help {
            write!(out, "; {help}")?;
        }
        Ok(())
    }
}

/// Nothing in `problems` makes the document invalid.
pub fn acceptable(problems: &[Problem]) -> bool {
    !problems.iter().any(Problem::is_error)
}
