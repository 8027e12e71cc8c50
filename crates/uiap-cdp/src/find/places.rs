//! Where browsers lie, system by system.

use std::path::{Path, PathBuf};

use super::{Candidate, Flavour, Origin, Surroundings, System};

const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "google-chrome-beta",
    "google-chrome-unstable",
    "brave-browser",
];

const LINUX: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
    "/var/lib/flatpak/exports/bin/com.google.Chrome",
];

const MAC_OS: &[&str] = &[
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
];

const WINDOWS: &[&str] = &[
    "Chromium/Application/chrome.exe",
    "Google/Chrome/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "Google/Chrome SxS/Application/chrome.exe",
];

/// The program within one download of Playwright or Puppeteer.
const DOWNLOADED: &[&str] = &[
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-linux-arm64/chrome",
    "chrome-linux/headless_shell",
    "chrome-headless-shell-linux64/chrome-headless-shell",
    "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
    "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-mac/headless_shell",
    "chrome-headless-shell-mac-arm64/chrome-headless-shell",
    "chrome-headless-shell-mac-x64/chrome-headless-shell",
    "chrome-win/chrome.exe",
    "chrome-win64/chrome.exe",
    "chrome-win/headless_shell.exe",
    "chrome-headless-shell-win64/chrome-headless-shell.exe",
];

/// Every place, in order of preference, whether or not something is there.
pub(super) fn everywhere(surroundings: &impl Surroundings) -> impl Iterator<Item = Candidate> {
    let on_path = NAMES.iter().filter_map(|name| on_search_path(Path::new(name), surroundings));
    let on_path = on_path.map(|path| candidate(path, Origin::SearchPath)).collect::<Vec<_>>();
    let installed = installed(surroundings).into_iter().map(|path| candidate(path, Origin::Installed));
    let playwright = playwright(surroundings).into_iter().map(|path| candidate(path, Origin::Playwright));
    let puppeteer = puppeteer(surroundings).into_iter().map(|path| candidate(path, Origin::Puppeteer));
    on_path.into_iter().chain(installed).chain(playwright).chain(puppeteer)
}

fn candidate(path: PathBuf, origin: Origin) -> Candidate {
    let flavour = flavour_of(&path);
    Candidate { path, origin, flavour, version: None }
}

/// Known by its file name.
pub(super) fn flavour_of(path: &Path) -> Flavour {
    match path.file_stem().and_then(|name| name.to_str()) {
        Some("headless_shell" | "chrome-headless-shell") => Flavour::HeadlessShell,
        _ => Flavour::Full,
    }
}

pub(super) fn on_search_path(name: &Path, surroundings: &impl Surroundings) -> Option<PathBuf> {
    let separator = if surroundings.system() == System::Windows { ';' } else { ':' };
    let path = surroundings.variable("PATH")?.into_string().ok()?;
    let directories = path.split(separator).filter(|directory| !directory.is_empty());
    directories.map(|directory| Path::new(directory).join(name)).find(|path| surroundings.is_executable(path))
}

fn installed(surroundings: &impl Surroundings) -> Vec<PathBuf> {
    let below =
        |root: PathBuf, places: &[&str]| places.iter().map(|place| root.join(place)).collect::<Vec<_>>();
    match surroundings.system() {
        System::Linux => LINUX.iter().map(PathBuf::from).collect(),
        System::MacOs => {
            let mut places = below("/Applications".into(), MAC_OS);
            places.extend(
                home(surroundings).into_iter().flat_map(|home| below(home.join("Applications"), MAC_OS)),
            );
            places
        }
        System::Windows => ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
            .into_iter()
            .filter_map(|name| surroundings.variable(name))
            .flat_map(|root| below(root.into(), WINDOWS))
            .collect(),
    }
}

fn home(surroundings: &impl Surroundings) -> Option<PathBuf> {
    let name = if surroundings.system() == System::Windows { "USERPROFILE" } else { "HOME" };
    surroundings.variable(name).map(PathBuf::from)
}

/// `chromium-1187` and `chromium_headless_shell-1187`, numbered by Playwright's own revision.
fn playwright(surroundings: &impl Surroundings) -> Vec<PathBuf> {
    let cache = || match surroundings.system() {
        System::Linux => Some(home(surroundings)?.join(".cache/ms-playwright")),
        System::MacOs => Some(home(surroundings)?.join("Library/Caches/ms-playwright")),
        System::Windows => Some(PathBuf::from(surroundings.variable("LOCALAPPDATA")?).join("ms-playwright")),
    };
    let chosen =
        surroundings.variable("PLAYWRIGHT_BROWSERS_PATH").filter(|path| path != "0").map(PathBuf::from);
    let Some(root) = chosen.or_else(cache) else { return Vec::new() };
    let is_chromium =
        |name: &String| name.starts_with("chromium-") || name.starts_with("chromium_headless_shell-");
    downloads(&root, surroundings.names_in(&root).into_iter().filter(is_chromium))
}

/// `chrome/linux-131.0.6778.85` and `chrome-headless-shell/…`, numbered by version.
fn puppeteer(surroundings: &impl Surroundings) -> Vec<PathBuf> {
    let chosen = surroundings.variable("PUPPETEER_CACHE_DIR").map(PathBuf::from);
    let Some(root) = chosen.or_else(|| Some(home(surroundings)?.join(".cache/puppeteer"))) else {
        return Vec::new();
    };
    ["chrome", "chrome-headless-shell"]
        .into_iter()
        .map(|product| root.join(product))
        .flat_map(|product| downloads(&product, surroundings.names_in(&product).into_iter()))
        .collect()
}

/// The programs of all downloads in a directory, the newest first.
fn downloads(root: &Path, names: impl Iterator<Item = String>) -> Vec<PathBuf> {
    let mut names: Vec<String> = names.collect();
    names.sort_by_key(|name| std::cmp::Reverse(numbers(name)));
    names
        .iter()
        .flat_map(|name| DOWNLOADED.iter().map(move |program| root.join(name).join(program)))
        .collect()
}

/// `linux-131.0.6778.85` → 131, 0, 6778, 85.
fn numbers(name: &str) -> Vec<u64> {
    let version = name.rsplit_once('-').map_or(name, |(_, version)| version);
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}
