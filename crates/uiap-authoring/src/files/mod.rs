//! Where the files of a package come from: a directory, an archive, memory, a registry of published versions.
//!
//! Paths are relative to the package root, separated by `/`, and never leave it.

mod archive;
mod directory;
mod memory;
mod registry;

use std::sync::Arc;

pub use archive::{ArchiveError, ArchiveSource};
pub use directory::DirectorySource;
pub use memory::MemorySource;
pub use registry::{DirectoryRegistry, MemoryRegistry, NoRegistry, PackageRegistry};

use crate::diagnostic::Diagnostic;
use crate::source::{Limits, SourceFile};

/// The files of one package.
pub trait PackageSource: Send + Sync {
    /// Reads one file.
    fn read(&self, path: &str, limits: &Limits) -> Result<Arc<SourceFile>, ReadError>;

    /// Whether a file still holds this text. Cheaper than reading it where the source can compare in place.
    fn holds(&self, path: &str, text: &str) -> bool {
        let limits = Limits { max_bytes: u32::try_from(text.len()).unwrap_or(u32::MAX), ..Limits::DEFAULT };
        self.read(path, &limits).is_ok_and(|file| file.text() == text)
    }

    /// Every manifest-like file (`*.uiap.yaml`, `.yml`, `.json`), sorted.
    fn list(&self) -> Vec<String>;

    /// How messages name a file that cannot be read.
    fn display_name(&self, path: &str) -> String;
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// The path or a link in it leads out of the package.
    #[error("the path leads out of the package")]
    Outside,
    /// Unreadable, too large, or not UTF-8.
    #[error("{}", .0.message)]
    Unusable(Box<Diagnostic>),
}

/// What is wrong with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing there.
    #[error("the path is empty")]
    Empty,
    /// `/etc/passwd`, `C:\x`.
    #[error("the path is absolute")]
    Absolute,
    /// `https://…`.
    #[error("the path is a URL")]
    Url,
    /// `../x`.
    #[error("the path leaves the package")]
    Outside,
    /// `a\b`.
    #[error("the path contains a backslash")]
    Backslash,
}

/// Whether a path stays inside its package on every platform.
pub fn check_path(path: &str) -> Result<(), PathFault> {
    let has_drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    if path.is_empty() {
        Err(PathFault::Empty)
    } else if path.contains("://") || path.starts_with("data:") || path.starts_with("file:") {
        Err(PathFault::Url)
    } else if path.starts_with('/') || has_drive || path.starts_with('\\') {
        Err(PathFault::Absolute)
    } else if path.contains('\\') {
        Err(PathFault::Backslash)
    } else if path.split('/').any(|part| part == "..") {
        Err(PathFault::Outside)
    } else {
        Ok(())
    }
}

/// The same file has one name: no `.` parts, no doubled separators.
pub fn plain_path(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// Whether a file name looks like a manifest.
pub fn is_manifest_name(path: &str) -> bool {
    [".uiap.yaml", ".uiap.yml", ".uiap.json"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_could_leave_the_package_are_refused() {
        assert_eq!(check_path("/etc/passwd"), Err(PathFault::Absolute));
        assert_eq!(check_path("C:\\x"), Err(PathFault::Absolute));
        assert_eq!(check_path("C:/x"), Err(PathFault::Absolute));
        assert_eq!(check_path("a/../../x"), Err(PathFault::Outside));
        assert_eq!(check_path("https://example.com/a.yaml"), Err(PathFault::Url));
        assert_eq!(check_path("a\\b"), Err(PathFault::Backslash));
        assert_eq!(check_path(""), Err(PathFault::Empty));
        assert_eq!(check_path("a/b..c/d.yaml"), Ok(()));
    }
}
