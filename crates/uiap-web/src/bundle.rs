//! The in-page script, built from `page/` and committed: building this crate needs no Node.

/// An expression whose value is a function: given the vocabulary, it makes the object that captures.
pub(crate) const SCRIPT: &str = include_str!("../page/dist/capture.js");
