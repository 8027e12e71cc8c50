//! A folder for temporary files that is given to one program: who was started with it, and what is left in it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So long the end of a browser may take.
const SOON: Duration = Duration::from_secs(5);

/// The folder. Programs are told of it by `TMPDIR`, and so is everybody whom they start.
pub(crate) struct Den(tempfile::TempDir);

impl Den {
    pub(crate) fn new() -> Self {
        // A short path: browsers make sockets below it.
        Self(tempfile::Builder::new().prefix("k").rand_bytes(5).tempdir_in("/tmp").unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn processes(&self) -> Vec<u32> {
        let sign = format!("TMPDIR={}\0", self.path().display());
        let ids = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |id: &u32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.windows(sign.len()).any(|window| window == sign.as_bytes())
        };
        ids.filter(is_ours).collect()
    }

    /// No process outlives the program.
    pub(crate) fn assert_nobody_is_left(&self) {
        let began = Instant::now();
        while let processes = self.processes()
            && !processes.is_empty()
        {
            assert!(began.elapsed() < SOON, "left are {processes:?}");
            // tidy: whose parent is dead cannot be waited for, only looked for; bounded by SOON
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// No file does.
    pub(crate) fn assert_nothing_is_left(&self) {
        assert_eq!(files(self.path()), [] as [PathBuf; 0], "files are left");
    }
}

/// Files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
