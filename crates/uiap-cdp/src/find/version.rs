//! The version of a browser, as its program tells it.

use std::fmt;
use std::path::Path;

/// Four numbers, compared from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChromiumVersion(pub [u32; 4]);

impl ChromiumVersion {
    /// Finds a version in a line such as `Chromium 156.0.8078.79 built on Debian`, or in `Chrome/156.0.8078.79`.
    pub fn parse(text: &str) -> Option<Self> {
        text.split([' ', '/', '\n']).find_map(Self::parse_word)
    }

    fn parse_word(word: &str) -> Option<Self> {
        let mut numbers = word.split('.').map(str::parse);
        let version =
            [numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?];
        numbers.next().is_none().then_some(Self(version))
    }
}

impl fmt::Display for ChromiumVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build, patch] = self.0;
        write!(f, "{major}.{minor}.{build}.{patch}")
    }
}

/// Asks the program. None when it does not answer in time or as a browser does.
#[cfg(unix)]
pub(super) async fn ask(program: &Path) -> Option<ChromiumVersion> {
    use std::process::Stdio;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(5);

    let mut command = tokio::process::Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.process_group(0).kill_on_drop(true).spawn().ok()?;
    let group = child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
    if let Ok(output) = tokio::time::timeout(PATIENCE, child.wait_with_output()).await {
        return ChromiumVersion::parse(&String::from_utf8_lossy(&output.ok()?.stdout));
    }
    // The program is a child that is not reaped yet, so the group is still its own; a wrapper's children go with it.
    if let Some(Err(error)) =
        group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL))
    {
        tracing::debug!(%error, program = %program.display(), "it ended just now");
    }
    None
}

/// Asking opens a window here.
#[cfg(not(unix))]
pub(super) async fn ask(_program: &Path) -> Option<ChromiumVersion> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_ordered() {
        let debian = ChromiumVersion::parse("Chromium 156.0.8078.79 built on Debian GNU/Linux 12").unwrap();
        let chrome = ChromiumVersion::parse("Google Chrome 99.0.4844.51 \n").unwrap();
        assert_eq!(debian.to_string(), "156.0.8078.79");
        assert_eq!(ChromiumVersion::parse("HeadlessChrome/156.0.8078.79"), Some(debian));
        assert!(debian > chrome);
        assert_eq!(ChromiumVersion::parse("cat (GNU coreutils) 9.1"), None);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_that_is_no_browser_has_no_version() {
        assert_eq!(ask(Path::new("/bin/true")).await, None);
        assert_eq!(ask(Path::new("/nowhere")).await, None);
    }
}
