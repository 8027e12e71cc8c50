//! A scratch directory per browser, for its profile and its temporary files: private, and never there for longer than its owner,
//! even when that had no time to tidy up.
//!
//! Each lies in a directory of the user's own, carries the identity of its owner in its name, and is locked by its owner.
//! A later launch removes those whose owner is dead by both signs. The name alone would do within one process table, but
//! containers that share a directory do not share that table; the lock alone is not yet there in the moment of creation.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::orphan;

const PREFIX: &str = "s";
/// The longest path of a socket.
const SOCKET_PATH: usize = 103;
/// What Chromium adds to its directory for temporary files to get the path of its socket.
const SOCKET_NAME: &str = "/org.chromium.Chromium.XXXXXX/SingletonSocket";

/// Why there is no scratch directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchError {
    /// The directory for scratch directories belongs to somebody else or is no directory.
    #[error("`{}` cannot be used: {problem}; set TMPDIR to a directory of your own", path.display())]
    Untrusted {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no place for it.
    #[error("there is no place for a scratch directory")]
    Nowhere,
    /// The system refused.
    #[error("cannot create a scratch directory in `{}`: {error}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// The system's word.
        error: io::Error,
    },
}

/// A directory of our own. It must be [removed](Self::remove) when the browser is gone.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// In the first of these directories that can be used.
    pub(crate) fn create(roots: &[PathBuf]) -> Result<Self, ScratchError> {
        let mut refusal = None;
        for root in roots {
            match Self::create_in(root) {
                Ok(scratch) => return Ok(scratch),
                Err(error) => refusal = Some(error),
            }
        }
        Err(refusal.unwrap_or(ScratchError::Nowhere))
    }

    fn create_in(root: &Path) -> Result<Self, ScratchError> {
        prepare_root(root)?;
        Self::create_within(root).map_err(|error| ScratchError::Io { path: root.to_owned(), error })
    }

    fn create_within(root: &Path) -> io::Result<Self> {
        let prefix = Owner::this().prefix();
        let mut builder = tempfile::Builder::new();
        let directory =
            builder.prefix(&prefix).permissions(Permissions::from_mode(0o700)).tempdir_in(root)?;
        let lock = File::open(directory.path())?;
        lock.lock()?;
        let scratch = Self { path: directory.keep(), _lock: lock };
        fs::create_dir(scratch.data())?;
        fs::create_dir(scratch.path.join("t"))?;
        Ok(scratch)
    }

    /// For a profile.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("d")
    }

    /// For temporary files, unless the path is too long for the socket that Chromium makes there: then it must use another
    /// directory, where a killed browser leaves a little.
    pub(crate) fn temporary(&self) -> Option<PathBuf> {
        let path = self.path.join("t");
        (path.as_os_str().len() + SOCKET_NAME.len() <= SOCKET_PATH).then_some(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn remove(self) -> io::Result<()> {
        remove(&self.path, Duration::from_millis(500))
    }
}

/// Removes a directory that nobody may use any more. A dying browser can still write into it, which makes the removal fail:
/// then its last processes are ended first.
fn remove(path: &Path, limit: Duration) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match fs::remove_dir_all(path) {
            // Said of the directory itself, not of a file in it that vanished meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => return Ok(()),
            Err(_) if begin.elapsed() < limit => {
                orphan::kill_users_of(path);
                // tidy: a directory does not tell when its last writer is gone; bounded by the limit
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

/// The directories for the scratch directories of this user, the best first: in memory, where a browser starts and ends faster, when there
/// is plenty of it and nobody chose another place by TMPDIR.
pub(crate) fn default_roots() -> Vec<PathBuf> {
    let name = format!("uiap-chromium-{}", rustix::process::geteuid().as_raw());
    let memory = Path::new("/dev/shm");
    let in_memory = std::env::var_os("TMPDIR").is_none() && has_room(memory);
    in_memory.then(|| memory.join(&name)).into_iter().chain([std::env::temp_dir().join(&name)]).collect()
}

#[cfg(target_os = "linux")]
fn has_room(memory: &Path) -> bool {
    const PLENTY: u64 = 2 << 30;
    rustix::fs::statvfs(memory).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) >= PLENTY)
}

#[cfg(not(target_os = "linux"))]
fn has_room(_memory: &Path) -> bool {
    false
}

fn prepare_root(root: &Path) -> Result<(), ScratchError> {
    let failed = |error| ScratchError::Io { path: root.to_owned(), error };
    match fs::DirBuilder::new().mode(0o700).create(root) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    check_root(root)
}

/// Nobody else can have put something into it.
fn check_root(root: &Path) -> Result<(), ScratchError> {
    let failed = |error| ScratchError::Io { path: root.to_owned(), error };
    let untrusted = |problem| Err(ScratchError::Untrusted { path: root.to_owned(), problem });
    let metadata = fs::symlink_metadata(root).map_err(failed)?;
    if !metadata.is_dir() {
        return untrusted("it is no directory");
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return untrusted("it belongs to another user");
    }
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(root, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Removes what dead owners left, and ends browsers that still use it. Failures are left to the next time.
pub(crate) fn sweep(roots: &[PathBuf]) {
    let trusted = roots.iter().filter(|root| check_root(root).is_ok());
    for entry in trusted.filter_map(|root| fs::read_dir(root).ok()).flat_map(Iterator::flatten) {
        let path = entry.path();
        if !is_stale(&entry) {
            continue;
        }
        orphan::kill_users_of(&path);
        match remove(&path, Duration::from_secs(5)) {
            Ok(()) => tracing::debug!(path = %path.display(), "removed a stale directory"),
            Err(error) => tracing::debug!(path = %path.display(), %error, "stale directory stays for now"),
        }
    }
}

/// Whether this is such a directory, not a link to somewhere, and its owner is dead by both signs.
fn is_stale(entry: &fs::DirEntry) -> bool {
    let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let owner = entry.file_name().to_str().and_then(Owner::from_name);
    is_directory && owner.is_some_and(|owner| !owner.is_alive()) && is_unlocked(&entry.path())
}

fn is_unlocked(path: &Path) -> bool {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW;
    rustix::fs::open(path, flags | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty())
        .is_ok_and(|directory| File::from(directory).try_lock().is_ok())
}

/// A process, told from others that had or will have the same id by the time when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    pid: u32,
    /// None where the system does not tell.
    began: Option<u64>,
}

impl Owner {
    fn this() -> Self {
        let pid = std::process::id();
        Self { pid, began: orphan::start_time(pid) }
    }

    fn prefix(self) -> String {
        format!("{PREFIX}-{}-{}-", self.pid, self.began.unwrap_or(0))
    }

    fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.strip_prefix('-')?.splitn(3, '-');
        let pid = parts.next()?.parse().ok()?;
        let began = parts.next()?.parse().ok()?;
        parts.next()?;
        Some(Self { pid, began: (began > 0).then_some(began) })
    }

    fn is_alive(self) -> bool {
        match self.began {
            Some(began) => orphan::start_time(self.pid) == Some(began),
            None => orphan::exists(self.pid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path) -> Vec<String> {
        let entries = fs::read_dir(root).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_private_and_survives_the_sweep_while_its_owner_lives() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("root");
        let scratch = Scratch::create(std::slice::from_ref(&root)).unwrap();
        assert_eq!(fs::metadata(&root).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(scratch.path()).unwrap().mode() & 0o777, 0o700);
        sweep(std::slice::from_ref(&root));
        assert_eq!(names(&root).len(), 1);
        scratch.remove().unwrap();
        assert!(names(&root).is_empty());
    }

    #[test]
    fn the_sweep_takes_dead_owners_and_leaves_everything_else() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path();
        let this = Owner::this();
        let dead = format!("{PREFIX}-{}-{}-dead", this.pid, this.began.map_or(1, |began| began + 1));
        let locked = format!("{PREFIX}-{}-{}-locked", this.pid, this.began.map_or(1, |began| began + 2));
        let elsewhere = root.join("elsewhere");
        for name in [dead.as_str(), locked.as_str(), "elsewhere", "s-x-1-a", "s-1"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::write(elsewhere.join("kept"), "").unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join(&dead).join("inner-link")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join(format!("{dead}-link"))).unwrap();
        let lock = File::open(root.join(&locked)).unwrap();
        lock.lock().unwrap();

        sweep(&[root.to_owned()]);

        let mut expected =
            [format!("{dead}-link"), locked, "elsewhere".into(), "s-1".into(), "s-x-1-a".into()];
        expected.sort();
        assert_eq!(names(root), expected);
        assert!(elsewhere.join("kept").exists());
    }

    #[test]
    fn a_root_that_is_a_link_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(parent.path(), &link).unwrap();
        assert!(matches!(Scratch::create(std::slice::from_ref(&link)), Err(ScratchError::Untrusted { .. })));
        let second = parent.path().join("second");
        let scratch = Scratch::create(&[link, second.clone()]).unwrap();
        assert!(scratch.path().starts_with(second), "the next place is used");
    }

    #[test]
    fn a_lax_root_of_our_own_is_tightened() {
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), Permissions::from_mode(0o755)).unwrap();
        let scratch = Scratch::create(&[parent.path().to_owned()]).unwrap();
        assert_eq!(fs::metadata(parent.path()).unwrap().mode() & 0o777, 0o700);
        scratch.remove().unwrap();
    }
}
