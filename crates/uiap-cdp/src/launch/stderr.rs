//! What a browser says before it dies, kept within bounds, and what it usually means.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much of the last output is kept.
const KEPT: usize = 32 << 10;

/// The end of a stream that is read to its end whatever happens.
#[derive(Debug, Default)]
pub(super) struct Tail {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    kept: VecDeque<u8>,
    ended: bool,
}

impl Tail {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads until the last process that holds the other end is gone.
    pub(super) fn drain(&self, mut stream: impl Read) {
        let mut chunk = [0; 4096];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => self.keep(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }

    fn keep(&self, bytes: &[u8]) {
        let mut state = self.lock();
        state.kept.extend(bytes);
        let excess = state.kept.len().saturating_sub(KEPT);
        state.kept.drain(..excess);
    }

    pub(super) fn text(&self) -> String {
        let kept: Vec<u8> = self.lock().kept.iter().copied().collect();
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Waits for the end of the stream, which is the end of every process that wrote to it. False: it has not come.
    pub(super) fn wait_end(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        while !state.ended {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// What can be done about a browser that did not start, judged by what it said.
pub(super) fn hint(said: &str) -> Option<&'static str> {
    const HINTS: &[(&[&str], &str)] = &[
        (
            &[
                "Missing X server",
                "cannot open display",
                "Unable to open X display",
                "The platform failed to initialize",
            ],
            "there is no display: run headless, or set DISPLAY or WAYLAND_DISPLAY",
        ),
        (
            &["error while loading shared libraries"],
            "install the named library, or the browser by its package",
        ),
        (
            &["Running as root without --no-sandbox"],
            "the browser runs as root with its sandbox: run as another user, or turn the sandbox off",
        ),
        (
            &["No usable sandbox", "setuid sandbox", "Failed to move to new namespace"],
            "the system does not allow the browser's sandbox: allow unprivileged user namespaces, or turn the sandbox off",
        ),
        (
            &[
                "existing browser session",
                "ProcessSingleton",
                "SingletonLock",
                "profile appears to be in use",
            ],
            "another browser uses this profile: close it, or use another user data directory",
        ),
        (&["No space left on device", "ENOSPC"], "the disk or /dev/shm is full"),
        (
            &["Cannot create profile", "Failed to create user data dir"],
            "the user data directory cannot be written",
        ),
        (
            &["unrecognized option", "invalid option", "Unknown option"],
            "the program does not look like Chromium",
        ),
    ];
    HINTS.iter().find(|(signs, _)| signs.iter().any(|sign| said.contains(sign))).map(|(_, hint)| *hint)
}

/// The last lines, without the chatter that every start without a desktop brings.
pub(super) fn last_lines(said: &str) -> String {
    const LINES: usize = 12;
    let telling =
        |line: &&str| !line.trim().is_empty() && !line.contains("/dbus/") && !line.contains(":dbus/");
    let lines: Vec<_> = said.lines().filter(telling).collect();
    lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        let output = "x".repeat(3 * KEPT) + "the end";
        tail.drain(output.as_bytes());
        assert_eq!(tail.text().len(), KEPT);
        assert!(tail.text().ends_with("the end"));
        assert!(tail.wait_end(Duration::ZERO));
    }

    #[test]
    fn an_open_stream_has_no_end() {
        assert!(!Tail::default().wait_end(Duration::from_millis(1)));
    }

    #[test]
    fn known_words_bring_a_hint() {
        assert!(hint("ERROR: Missing X server or $DISPLAY").is_some_and(|hint| hint.contains("headless")));
        assert!(hint("chrome: error while loading shared libraries: libnss3.so").is_some());
        assert!(hint("[1:1:FATAL] No usable sandbox!").is_some_and(|hint| hint.contains("sandbox")));
        assert_eq!(hint("all is well"), None);
    }

    #[test]
    fn chatter_is_left_out() {
        assert_eq!(last_lines("[ERROR:dbus/bus.cc:405] Failed\n\nFATAL: real\n"), "FATAL: real");
    }
}
