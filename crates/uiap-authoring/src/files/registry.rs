//! Published versions of packages, by name: `<dir>/<packageId>/<version>/package.uiap.yaml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::{DirectorySource, MemorySource, PackageSource, check_path};

/// Finds packages that a package imports. Order of the answers does not matter.
pub trait PackageRegistry: Send + Sync {
    /// Every version of a package, as its folder is named.
    fn versions(&self, package_id: &str) -> Vec<String>;

    /// The files of one version.
    fn open(&self, package_id: &str, version: &str) -> Option<Arc<dyn PackageSource>>;

    /// Names of known packages, for suggestions.
    fn package_ids(&self) -> Vec<String>;
}

/// No packages at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRegistry;

impl PackageRegistry for NoRegistry {
    fn versions(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn open(&self, _: &str, _: &str) -> Option<Arc<dyn PackageSource>> {
        None
    }

    fn package_ids(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Registry folders in the order of the search path; the first that has a version wins.
#[derive(Clone, Debug, Default)]
pub struct DirectoryRegistry {
    roots: Vec<PathBuf>,
}

impl DirectoryRegistry {
    /// The folders to search.
    pub fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { roots: roots.into_iter().collect() }
    }

    fn folders(path: &PathBuf) -> Vec<String> {
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let folders = entries.flatten().filter(|entry| entry.path().is_dir());
        folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

impl PackageRegistry for DirectoryRegistry {
    fn versions(&self, package_id: &str) -> Vec<String> {
        if check_path(package_id).is_err() || package_id.contains('/') {
            return Vec::new();
        }
        let mut found: Vec<String> =
            self.roots.iter().flat_map(|root| Self::folders(&root.join(package_id))).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn open(&self, package_id: &str, version: &str) -> Option<Arc<dyn PackageSource>> {
        let folders = self.roots.iter().map(|root| root.join(package_id).join(version));
        folders.into_iter().find(|folder| folder.is_dir()).map(|folder| {
            let source: Arc<dyn PackageSource> = Arc::new(DirectorySource::new(folder));
            source
        })
    }

    fn package_ids(&self) -> Vec<String> {
        let mut found: Vec<String> = self.roots.iter().flat_map(Self::folders).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Packages in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryRegistry {
    packages: BTreeMap<String, BTreeMap<String, MemorySource>>,
}

impl MemoryRegistry {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a version of a package.
    #[must_use]
    pub fn with(mut self, package_id: &str, version: &str, source: MemorySource) -> Self {
        let source = source.shown_under(&format!("{package_id}@{version}"));
        self.packages.entry(package_id.to_owned()).or_default().insert(version.to_owned(), source);
        self
    }
}

impl PackageRegistry for MemoryRegistry {
    fn versions(&self, package_id: &str) -> Vec<String> {
        self.packages.get(package_id).map(|versions| versions.keys().cloned().collect()).unwrap_or_default()
    }

    fn open(&self, package_id: &str, version: &str) -> Option<Arc<dyn PackageSource>> {
        let source: Arc<dyn PackageSource> = Arc::new(self.packages.get(package_id)?.get(version)?.clone());
        Some(source)
    }

    fn package_ids(&self) -> Vec<String> {
        self.packages.keys().cloned().collect()
    }
}
