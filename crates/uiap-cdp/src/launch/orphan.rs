//! Processes that nobody owns any more: telling whether an owner lives, and ending browsers that outlived theirs.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group, test_kill_process};

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

/// Kills every process that was started on this directory, whose path nobody else can have, and waits until they are gone.
pub(super) fn kill_users_of(directory: &Path) {
    let users = users_of(directory);
    for pid in users.iter().filter_map(|pid| to_pid(*pid)) {
        tracing::debug!(%pid, directory = %directory.display(), "killing a browser without an owner");
        if let Err(error) = kill(pid) {
            tracing::debug!(%pid, %error, "it was gone, or is not ours");
        }
    }
    let begin = Instant::now();
    // They are nobody's children here, so nothing but looking tells when they are gone.
    while users.iter().any(|pid| start_time(*pid).is_some()) && begin.elapsed() < DYING {
        // tidy: the end of a process that is not our child can only be looked for; bounded by DYING
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A browser leads a group. The group also holds a helper that is just being started and does not yet say what for.
fn kill(pid: Pid) -> rustix::io::Result<()> {
    match getpgid(Some(pid)) {
        Ok(group) if group == pid => kill_process_group(group, Signal::KILL),
        _ => kill_process(pid, Signal::KILL),
    }
}

fn users_of(directory: &Path) -> Vec<u32> {
    let mut value = b"=".to_vec();
    value.extend_from_slice(directory.as_os_str().as_encoded_bytes());
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| has_switch(*pid, &value)).collect()
}

/// Whether an argument such as `--user-data-dir=…` or `--database=…/Crash Reports` has this value.
fn has_switch(pid: u32, value: &[u8]) -> bool {
    let names = |argument: &[u8]| {
        let end = memchr::memmem::find(argument, value).map(|at| at + value.len());
        let rest = end.and_then(|end| argument.get(end..));
        argument.starts_with(b"--") && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
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
