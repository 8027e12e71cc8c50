//! Gathers findings, counts all of them, keeps a bounded number, and hands them out in a stable order.

use super::finding::{Diagnostic, Severity};

/// How many findings are kept; the rest is only counted.
const KEPT: usize = 10_000;

/// How many findings a renderer shows unless told otherwise.
const SHOWN: usize = 200;

/// A list of findings.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    infos: usize,
}

impl Diagnostics {
    /// How many findings renderers show unless told otherwise.
    pub const SHOWN: usize = SHOWN;

    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one finding. Beyond 10,000 it is counted but not kept.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.count(diagnostic.severity, 1);
        if self.items.len() < KEPT {
            self.items.push(diagnostic);
        }
    }

    /// Adds everything from another list, its uncounted rest included.
    pub fn append(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
        let room = KEPT.saturating_sub(self.items.len());
        self.items.extend(other.items.into_iter().take(room));
    }

    /// Brings the findings into the order of output: file, position, code.
    pub fn sort(&mut self) {
        self.items.sort_by(Diagnostic::output_order);
    }

    /// The findings that are kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// The first `limit` findings.
    pub fn shown(&self, limit: usize) -> &[Diagnostic] {
        self.items.get(..limit).unwrap_or(&self.items)
    }

    /// How many findings were reported, kept or not.
    pub fn total(&self) -> usize {
        self.errors + self.warnings + self.infos
    }

    /// How many findings of one severity were reported.
    pub fn count_of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Info => self.infos,
        }
    }

    /// Whether at least one error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether a suggestion is still worth its price: it costs a pass over all names, and beyond the findings that are
    /// shown nobody reads it.
    pub(crate) fn takes_guesses(&self) -> bool {
        self.total() < SHOWN
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    fn count(&mut self, severity: Severity, n: usize) {
        match severity {
            Severity::Error => self.errors += n,
            Severity::Warning => self.warnings += n,
            Severity::Info => self.infos += n,
        }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut list = Self::new();
        list.push(diagnostic);
        list
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, iter: T) {
        iter.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(iter: T) -> Self {
        let mut list = Self::new();
        list.extend(iter);
        list
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
