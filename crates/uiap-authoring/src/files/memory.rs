//! A package that lives in memory: tests, editors, archives that somebody else unpacked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{PackageSource, ReadError, is_manifest_name, plain_path};
use crate::source::{Limits, SourceFile};

/// Files by path.
#[derive(Clone, Debug, Default)]
pub struct MemorySource {
    files: BTreeMap<String, Vec<u8>>,
    prefix: String,
}

impl MemorySource {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same files, shown in messages under a folder.
    #[must_use]
    pub fn shown_under(mut self, folder: &str) -> Self {
        self.prefix = format!("{folder}/");
        self
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn with(mut self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.insert(path, text);
        self
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: &str, text: impl Into<Vec<u8>>) {
        self.files.insert(plain_path(path), text.into());
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(&plain_path(path));
    }

    /// Whether there is a file at a path.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(&plain_path(path))
    }

    /// Every file with its bytes, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }
}

impl PackageSource for MemorySource {
    fn read(&self, path: &str, _: &Limits) -> Result<Arc<SourceFile>, ReadError> {
        let bytes = self.files.get(&plain_path(path)).ok_or(ReadError::Missing)?;
        SourceFile::from_bytes(self.display_name(path), bytes.clone()).map_err(ReadError::Unusable)
    }

    fn holds(&self, path: &str, text: &str) -> bool {
        self.files.get(&plain_path(path)).is_some_and(|bytes| bytes == text.as_bytes())
    }

    fn list(&self) -> Vec<String> {
        self.files.keys().filter(|path| is_manifest_name(path)).cloned().collect()
    }

    fn display_name(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }
}
