//! The folder of a discovery package: the package itself, the graphs, the pictures, the decisions.

use std::path::{Path, PathBuf};

use uiap_discovery::record::DecisionRecord;
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::web::PageGraph;

use crate::exit::{Exit, Failure};

/// A package with what lies beside it.
pub(crate) struct Folder {
    pub(crate) package: DiscoveryPackage,
    pub(crate) path: PathBuf,
}

/// Makes a folder for a package. What an app shows may be private: a folder that was not there is its owner's alone.
pub(crate) fn make(path: &Path) -> std::io::Result<()> {
    let mut maker = std::fs::DirBuilder::new();
    maker.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.create(path)
}

/// Whether a path is a discovery package: its folder, or the file.
pub(crate) fn is_discovery(path: &Path) -> bool {
    let file = if path.is_dir() { path.join("package.json") } else { path.to_owned() };
    // The beginning is enough: the package says what it is in its first members.
    let Ok(bytes) = std::fs::read(file) else { return false };
    let head = bytes.get(..bytes.len().min(400)).unwrap_or_default();
    String::from_utf8_lossy(head).contains("uiap.discovery")
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (file, folder) = if path.is_dir() {
            (path.join("package.json"), path.to_owned())
        } else {
            (path.to_owned(), path.parent().map(Path::to_owned).unwrap_or_default())
        };
        let text = std::fs::read_to_string(&file).map_err(|error| Failure {
            exit: Exit::File,
            message: format!("cannot read `{}`: {error}", file.display()),
            hint: Some("`uiap discover URL --out DIR` makes a discovery package".to_owned()),
        })?;
        let package: DiscoveryPackage = serde_json::from_str(&text).map_err(|error| Failure {
            exit: Exit::Found,
            message: format!("`{}` is no discovery package: {error}", file.display()),
            hint: Some(format!("`uiap validate --as DiscoveryPackage {}` shows every fault", file.display())),
        })?;
        Ok(Self { package, path: folder })
    }

    /// The graph of a state, where it was kept.
    pub(crate) fn graph(&self, reference: &str) -> Option<PageGraph> {
        let text = std::fs::read_to_string(self.inside(reference)?).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The bytes of a file of the folder.
    pub(crate) fn bytes(&self, reference: &str) -> Option<Vec<u8>> {
        std::fs::read(self.inside(reference)?).ok()
    }

    /// A path inside of the folder; what leads out of it is not followed.
    fn inside(&self, reference: &str) -> Option<PathBuf> {
        let relative = Path::new(reference);
        let plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        plain.then(|| self.path.join(relative))
    }

    /// What was weighed; empty where it was not kept.
    pub(crate) fn decisions(&self) -> Vec<DecisionRecord> {
        let text = std::fs::read_to_string(self.path.join("decisions.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
