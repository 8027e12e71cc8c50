//! A package in a directory. Links that lead out of it are not followed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{PackageSource, ReadError, is_manifest_name, plain_path};
use crate::source::{Limits, SourceFile};

/// Deeper folders are not searched for manifests.
const MAX_DEPTH: usize = 16;

/// A directory with a package in it.
#[derive(Clone, Debug)]
pub struct DirectorySource {
    root: PathBuf,
}

impl DirectorySource {
    /// The package at `root`; messages show paths as `root` was written.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn walk(&self, folder: &str, depth: usize, found: &mut Vec<String>) {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return };
        for entry in entries.flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if kind.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') && name != "node_modules" {
                self.walk(&path, depth + 1, found);
            } else if !kind.is_dir() && is_manifest_name(&name) {
                found.push(path);
            }
        }
    }
}

impl DirectorySource {
    /// Where a file really is, unless that is outside.
    fn locate(&self, path: &str) -> Result<PathBuf, ReadError> {
        let full = self.root.join(plain_path(path));
        let real = match full.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReadError::Missing),
            Err(_) => full.clone(),
        };
        let inside = self.root.canonicalize().is_ok_and(|root| real.starts_with(root));
        if !inside {
            return Err(ReadError::Outside);
        }
        Ok(real)
    }
}

/// Compares piece by piece, so that an untouched file costs no memory.
fn same_bytes(path: &Path, mut expected: &[u8]) -> io::Result<bool> {
    let mut file = fs::File::open(path)?;
    if file.metadata()?.len() != expected.len() as u64 {
        return Ok(false);
    }
    let mut piece = vec![0; 64 * 1024];
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(expected.is_empty());
        }
        match (piece.get(..count), expected.split_at_checked(count)) {
            (Some(read), Some((part, rest))) if read == part => expected = rest,
            _ => return Ok(false),
        }
    }
}

impl PackageSource for DirectorySource {
    fn read(&self, path: &str, limits: &Limits) -> Result<Arc<SourceFile>, ReadError> {
        let real = self.locate(path)?;
        SourceFile::load_as(&real, &self.display_name(path), limits).map_err(ReadError::Unusable)
    }

    fn holds(&self, path: &str, text: &str) -> bool {
        self.locate(path).is_ok_and(|real| same_bytes(&real, text.as_bytes()).unwrap_or(false))
    }

    fn list(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.walk("", 0, &mut found);
        found.sort_unstable();
        found
    }

    fn display_name(&self, path: &str) -> String {
        let mut name = self.root.to_string_lossy().replace('\\', "/");
        if name == "." || name.is_empty() {
            return path.to_owned();
        }
        if !name.ends_with('/') {
            name.push('/');
        }
        name + path
    }
}
