//! Where the daemon is found: a directory that only its owner can enter.

use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Why there is no such place.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Neither a runtime directory nor a home.
    #[error("there is no place for a socket: neither XDG_RUNTIME_DIR nor HOME is set")]
    Homeless,
    /// Somebody else could get at it.
    #[error("`{0}` is not a directory that only you can enter; remove it, or make it so with chmod 700")]
    Open(PathBuf),
    /// The file system.
    #[error("`{path}`: {error}")]
    File {
        /// What.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// The directory of the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    directory: PathBuf,
}

impl Place {
    /// The user's own: in `$XDG_RUNTIME_DIR`, else in the cache.
    pub fn of_user() -> Result<Self, PlaceError> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let directory = variable("XDG_RUNTIME_DIR")
            .map(|runtime| runtime.join("uiap"))
            .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("uiap/run")))
            .or_else(|| variable("HOME").map(|home| home.join(".cache/uiap/run")));
        Self::at(&directory.ok_or(PlaceError::Homeless)?)
    }

    /// A directory, made when it is not there; refused when others can enter it.
    pub fn at(directory: &Path) -> Result<Self, PlaceError> {
        let failed = |error| PlaceError::File { path: directory.to_owned(), error };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
        let found = std::fs::symlink_metadata(directory).map_err(failed)?;
        let own = found.uid() == rustix::process::getuid().as_raw();
        if !found.is_dir() || !own || found.permissions().mode() & 0o077 != 0 {
            return Err(PlaceError::Open(directory.to_owned()));
        }
        Ok(Self { directory: directory.to_owned() })
    }

    /// Where the daemon listens.
    pub fn socket(&self) -> PathBuf {
        self.directory.join("daemon.sock")
    }

    /// Held by whoever starts a daemon, so that two starts end with one.
    pub fn lock(&self) -> PathBuf {
        self.directory.join("start.lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_others_can_enter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        assert!(Place::at(&own).is_ok());
        assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(Place::at(&shared), Err(PlaceError::Open(_))));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(matches!(Place::at(&link), Err(PlaceError::Open(_))));
    }
}
