//! Processes that nobody owns any more: telling whether an owner lives, and ending browsers that outlived theirs.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// How long killed processes may take to die.
const DYING: Duration = Duration::from_secs(1);

/// Whether a process has this id.
pub(super) fn exists(pid: u32) -> bool {
    to_pid(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// When a process began, in the kernel's ticks; none when it is gone, a zombie, or the system does not tell.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything; what follows it does not.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Kills every process that was started on this profile, whose path nobody else can have, and waits until they are gone.
pub(super) fn kill_users_of(profile: &Path) {
    let users = users_of(profile);
    for pid in &users {
        tracing::debug!(pid, profile = %profile.display(), "killing a browser without an owner");
        if let Some(Err(error)) = to_pid(*pid).map(|pid| kill_process(pid, Signal::KILL)) {
            tracing::debug!(pid, %error, "it was gone, or is not ours");
        }
    }
    let begin = Instant::now();
    // They are nobody's children here, so nothing but looking tells when they are gone.
    while users.iter().any(|pid| start_time(*pid).is_some()) && begin.elapsed() < DYING {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn users_of(profile: &Path) -> Vec<u32> {
    let mut value = b"=".to_vec();
    value.extend_from_slice(profile.as_os_str().as_encoded_bytes());
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| has_switch(*pid, &value)).collect()
}

/// Whether an argument such as `--user-data-dir=…` or `--database=…/Crash Reports` has this value.
fn has_switch(pid: u32, value: &[u8]) -> bool {
    let names =
        |argument: &[u8]| argument.starts_with(b"--") && memchr::memmem::find(argument, value).is_some();
    std::fs::read(format!("/proc/{pid}/cmdline"))
        .is_ok_and(|arguments| arguments.split(|byte| *byte == 0).any(names))
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start() {
        let own = start_time(std::process::id());
        assert!(own.is_some());
        assert_eq!(own, start_time(std::process::id()));
        assert_ne!(own, start_time(1));
        assert!(exists(std::process::id()));
    }

    #[test]
    fn a_zombie_is_dead() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let options = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(pid), options).unwrap();
        assert_eq!(start_time(child.id()), None);
        child.wait().unwrap();
    }
}
