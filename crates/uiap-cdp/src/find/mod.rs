//! Finding a browser on this machine: what the user names, what is installed, what other tools downloaded.

mod places;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use self::version::ChromiumVersion;

/// The variables that name a browser, first come first served.
const VARIABLES: [&str; 3] = ["UIAP_CHROMIUM", "CHROME_PATH", "CHROME"];

/// A browser that could be launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The program.
    pub path: PathBuf,
    /// Who led to it.
    pub origin: Origin,
    /// Whether it can show a window.
    pub flavour: Flavour,
    /// Its version, when it was asked and answered.
    pub version: Option<ChromiumVersion>,
}

/// Who led to a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The caller named it.
    Explicit,
    /// This environment variable names it.
    Variable(&'static str),
    /// It is on the search path.
    SearchPath,
    /// It lies where its installer puts it.
    Installed,
    /// Playwright downloaded it.
    Playwright,
    /// Puppeteer downloaded it.
    Puppeteer,
}

/// What a browser can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// Windows and headless.
    Full,
    /// Headless only.
    HeadlessShell,
}

/// The system whose habits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and its relatives.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// What finding looks at, so that it can be looked at differently.
pub trait Surroundings {
    /// The system.
    fn system(&self) -> System;
    /// An environment variable.
    fn variable(&self, name: &str) -> Option<OsString>;
    /// Whether there is anything at this path.
    fn exists(&self, path: &Path) -> bool;
    /// Whether this is a file that can be run.
    fn is_executable(&self, path: &Path) -> bool;
    /// The names in a directory; none when it cannot be read.
    fn names_in(&self, directory: &Path) -> Vec<String>;
}

/// The machine that this runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThisMachine;

impl Surroundings for ThisMachine {
    fn system(&self) -> System {
        match std::env::consts::OS {
            "macos" => System::MacOs,
            "windows" => System::Windows,
            _ => System::Linux,
        }
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    #[cfg(unix)]
    fn is_executable(&self, path: &Path) -> bool {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }

    #[cfg(not(unix))]
    fn is_executable(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn names_in(&self, directory: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

/// Why there is no browser to launch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// What was named cannot be run.
    #[error("`{}`{} {problem}", path.display(), origin_note(*origin))]
    Unusable {
        /// As named.
        path: PathBuf,
        /// Who named it.
        origin: Origin,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Nothing was named and nothing was found.
    #[error("no Chromium found; install Chromium or Google Chrome, or set UIAP_CHROMIUM to the program")]
    Nothing,
}

fn origin_note(origin: Origin) -> String {
    match origin {
        Origin::Variable(name) => format!(" (named by {name})"),
        _ => String::new(),
    }
}

/// Every browser in order of preference, each once. What is named stands first; a download of the newest version stands
/// before older ones; what cannot show a window stands last.
pub fn candidates(explicit: Option<&Path>, surroundings: &impl Surroundings) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let all = named(explicit, surroundings).into_iter().chain(places::everywhere(surroundings));
    for candidate in all.filter(|candidate| surroundings.is_executable(&candidate.path)) {
        if !found.iter().any(|known| known.path == candidate.path) {
            found.push(candidate);
        }
    }
    found.sort_by_key(|candidate| (!is_named(candidate), candidate.flavour == Flavour::HeadlessShell));
    found
}

/// Every browser on this machine with its version.
pub async fn find_all(explicit: Option<&Path>) -> Vec<Candidate> {
    let mut found = candidates(explicit, &ThisMachine);
    for candidate in &mut found {
        candidate.version = version::ask(&candidate.path).await;
    }
    found
}

/// The browser to launch. One that was named is used or refused, never replaced.
pub(crate) fn executable(explicit: Option<&Path>, headless: bool) -> Result<PathBuf, FindError> {
    choose(explicit, headless, &ThisMachine)
}

fn choose(
    explicit: Option<&Path>,
    headless: bool,
    surroundings: &impl Surroundings,
) -> Result<PathBuf, FindError> {
    if let Some(Candidate { path, origin, .. }) = named(explicit, surroundings) {
        let usable = surroundings.is_executable(&path);
        let problem =
            if surroundings.exists(&path) { "is not a program that can be run" } else { "does not exist" };
        return if usable { Ok(path) } else { Err(FindError::Unusable { path, origin, problem }) };
    }
    let fits = |candidate: &Candidate| headless || candidate.flavour == Flavour::Full;
    candidates(None, surroundings).into_iter().find(fits).map(|found| found.path).ok_or(FindError::Nothing)
}

fn is_named(candidate: &Candidate) -> bool {
    matches!(candidate.origin, Origin::Explicit | Origin::Variable(_))
}

/// What the caller or else a variable names. A bare name is looked for on the search path.
fn named(explicit: Option<&Path>, surroundings: &impl Surroundings) -> Option<Candidate> {
    let variable = |name: &'static str| {
        let value = surroundings.variable(name).filter(|value| !value.is_empty())?;
        Some((PathBuf::from(value), Origin::Variable(name)))
    };
    let explicit = explicit.map(|path| (path.to_owned(), Origin::Explicit));
    let (path, origin) = explicit.or_else(|| VARIABLES.into_iter().find_map(variable))?;
    let bare = path.components().count() == 1 && !path.is_absolute();
    let on_path = bare.then(|| places::on_search_path(&path, surroundings)).flatten();
    let path = on_path.unwrap_or(path);
    let flavour = places::flavour_of(&path);
    Some(Candidate { path, origin, flavour, version: None })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    struct Pretended {
        system: System,
        variables: BTreeMap<&'static str, &'static str>,
        programs: BTreeSet<PathBuf>,
    }

    impl Surroundings for Pretended {
        fn system(&self) -> System {
            self.system
        }

        fn variable(&self, name: &str) -> Option<OsString> {
            self.variables.get(name).map(Into::into)
        }

        fn exists(&self, path: &Path) -> bool {
            self.is_executable(path)
        }

        fn is_executable(&self, path: &Path) -> bool {
            self.programs.contains(path)
        }

        fn names_in(&self, directory: &Path) -> Vec<String> {
            let below = self.programs.iter().filter_map(|path| path.strip_prefix(directory).ok());
            let names: BTreeSet<_> = below.filter_map(|rest| rest.components().next()).collect();
            names.into_iter().map(|name| name.as_os_str().to_str().unwrap().to_owned()).collect()
        }
    }

    fn check(
        system: System,
        variables: &[(&'static str, &'static str)],
        programs: &[&str],
        expected: &[(&str, Origin)],
    ) {
        let pretended = Pretended {
            system,
            variables: variables.iter().copied().collect(),
            programs: programs.iter().map(PathBuf::from).collect(),
        };
        let found = candidates(None, &pretended);
        let found: Vec<_> = found.iter().map(|found| (found.path.to_str().unwrap(), found.origin)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_search_path_comes_before_usual_places_and_each_program_once() {
        check(
            System::Linux,
            &[("PATH", "/usr/local/bin:/usr/bin"), ("HOME", "/home/u")],
            &[
                "/usr/bin/google-chrome",
                "/usr/bin/chromium",
                "/opt/google/chrome/chrome",
                "/snap/bin/chromium",
            ],
            &[
                ("/usr/bin/chromium", Origin::SearchPath),
                ("/usr/bin/google-chrome", Origin::SearchPath),
                ("/snap/bin/chromium", Origin::Installed),
                ("/opt/google/chrome/chrome", Origin::Installed),
            ],
        );
    }

    #[test]
    fn downloads_are_taken_newest_first_and_shells_last() {
        check(
            System::Linux,
            &[("HOME", "/h")],
            &[
                "/h/.cache/ms-playwright/chromium-999/chrome-linux/chrome",
                "/h/.cache/ms-playwright/chromium-1187/chrome-linux/chrome",
                "/h/.cache/ms-playwright/chromium_headless_shell-1200/chrome-linux/headless_shell",
                "/h/.cache/ms-playwright/firefox-1490/firefox/firefox",
                "/h/.cache/puppeteer/chrome/linux-99.0.4844.51/chrome-linux64/chrome",
                "/h/.cache/puppeteer/chrome/linux-131.0.6778.85/chrome-linux64/chrome",
            ],
            &[
                ("/h/.cache/ms-playwright/chromium-1187/chrome-linux/chrome", Origin::Playwright),
                ("/h/.cache/ms-playwright/chromium-999/chrome-linux/chrome", Origin::Playwright),
                ("/h/.cache/puppeteer/chrome/linux-131.0.6778.85/chrome-linux64/chrome", Origin::Puppeteer),
                ("/h/.cache/puppeteer/chrome/linux-99.0.4844.51/chrome-linux64/chrome", Origin::Puppeteer),
                (
                    "/h/.cache/ms-playwright/chromium_headless_shell-1200/chrome-linux/headless_shell",
                    Origin::Playwright,
                ),
            ],
        );
    }

    #[test]
    fn other_systems_have_other_places() {
        check(
            System::MacOs,
            &[("HOME", "/Users/u")],
            &[
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                "/Users/u/Library/Caches/ms-playwright/chromium-1/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
            ],
            &[
                ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", Origin::Installed),
                (
                    "/Users/u/Library/Caches/ms-playwright/chromium-1/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
                    Origin::Playwright,
                ),
            ],
        );
        check(
            System::Windows,
            &[("PROGRAMFILES", "C:/Program Files"), ("LOCALAPPDATA", "C:/Users/u/AppData/Local")],
            &[
                "C:/Program Files/Google/Chrome/Application/chrome.exe",
                "C:/Users/u/AppData/Local/ms-playwright/chromium-7/chrome-win/chrome.exe",
            ],
            &[
                ("C:/Program Files/Google/Chrome/Application/chrome.exe", Origin::Installed),
                (
                    "C:/Users/u/AppData/Local/ms-playwright/chromium-7/chrome-win/chrome.exe",
                    Origin::Playwright,
                ),
            ],
        );
    }

    #[test]
    fn what_is_named_is_used_or_refused() {
        let mut pretended = Pretended {
            system: System::Linux,
            variables: [("PATH", "/bin"), ("CHROME", "my-chrome")].into(),
            programs: ["/bin/chromium", "/bin/my-chrome"].map(PathBuf::from).into(),
        };
        assert_eq!(choose(None, true, &pretended).unwrap(), Path::new("/bin/my-chrome"));
        assert_eq!(
            choose(Some(Path::new("/bin/chromium")), true, &pretended).unwrap(),
            Path::new("/bin/chromium")
        );
        pretended.variables.insert("UIAP_CHROMIUM", "/nowhere");
        let refused = choose(None, true, &pretended).unwrap_err().to_string();
        assert_eq!(refused, "`/nowhere` (named by UIAP_CHROMIUM) does not exist");
    }

    #[test]
    fn a_window_needs_more_than_a_shell() {
        let shell = "/h/.cache/ms-playwright/chromium_headless_shell-1/chrome-linux/headless_shell";
        let pretended = Pretended {
            system: System::Linux,
            variables: [("HOME", "/h")].into(),
            programs: [PathBuf::from(shell)].into(),
        };
        assert_eq!(choose(None, true, &pretended).unwrap(), Path::new(shell));
        assert!(matches!(choose(None, false, &pretended), Err(FindError::Nothing)));
    }
}
