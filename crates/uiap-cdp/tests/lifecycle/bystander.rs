//! An eye on the system: which processes and directories a browser has, and whether they are gone when they should be.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, kill_process};
use tempfile::TempDir;
use uiap_cdp::LaunchOptions;

/// What must be gone is gone within this time.
pub(crate) const SOON: Duration = Duration::from_secs(10);

/// A place for the profiles of one test, by which its browsers are known.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn options(&self) -> LaunchOptions {
        LaunchOptions { scratch_root: Some(self.root()), ..LaunchOptions::default() }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("profiles")
    }

    pub(crate) fn profiles(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.root()).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Every living process whose command line speaks of this place.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let root = self.root().to_str().unwrap().to_owned();
        processes().filter(|pid| command_line(*pid).contains(&root)).filter(|pid| is_alive(*pid)).collect()
    }

    /// The browsers themselves, without their helpers: each leads a group. The command line does not tell, for a helper has its
    /// browser's until it has become what it shall be.
    pub(crate) fn browsers(&self) -> Vec<u32> {
        let leads = |pid: &u32| {
            let pid = to_pid(*pid);
            getpgid(Some(pid)) == Ok(pid)
        };
        self.processes().into_iter().filter(leads).collect()
    }

    /// What a process of this place started itself.
    pub(crate) fn started_by(&self, parent: u32) -> Vec<u32> {
        let parent = parent.to_string();
        let is_child = |pid: &u32| status(*pid).is_some_and(|(_, of)| of == parent);
        self.processes().into_iter().filter(is_child).collect()
    }

    /// Waits until no process and no profile is left.
    pub(crate) fn wait_clean(&self) {
        self.wait_clean_but(0);
    }

    /// The same, when something else keeps that many profiles.
    pub(crate) fn wait_clean_but(&self, profiles: usize) {
        let begin = Instant::now();
        while !self.processes().is_empty() || self.profiles().len() > profiles {
            assert!(begin.elapsed() < SOON, "left: {:?} {:?}", self.describe(), self.profiles());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn describe(&self) -> Vec<String> {
        self.processes().into_iter().map(|pid| format!("{pid}: {:.200}", command_line(pid))).collect()
    }
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    kill_process(to_pid(pid), signal).unwrap();
}

fn to_pid(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

/// Children of this process that ended and were not reaped.
pub(crate) fn zombies() -> Vec<u32> {
    let own = std::process::id().to_string();
    let is_ours = |pid: &u32| matches!(status(*pid), Some((state, parent)) if state == "Z" && parent == own);
    processes().filter(is_ours).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn command_line(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

fn is_alive(pid: u32) -> bool {
    status(pid).is_some_and(|(state, _)| state != "Z")
}

/// State and parent.
fn status(pid: u32) -> Option<(String, String)> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}
