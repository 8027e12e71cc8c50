//! The command line of a browser that works for a program: quiet, the same every time, and never slowed down.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::LaunchOptions;

/// Each of these is here for a reason; none of them weakens the sandbox or the rules between origins.
const ALWAYS: &[&str] = &[
    // Nothing on its own initiative over the network.
    "--disable-background-networking",
    "--disable-component-update",
    // What asks for updates and accounts all the same asks nobody: port 9 of this machine discards.
    "--component-updater=url-source=http://127.0.0.1:9/",
    "--gaia-url=http://127.0.0.1:9",
    "--allow-browser-signin=false",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    "--disable-quic",
    // Nothing that asks or greets.
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-default-apps",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-infobars",
    "--noerrdialogs",
    // No keychain of the user, no crash reports. (The switch that leaves the crash handler out altogether makes the network
    // process of Chromium 156 crash at every start.)
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    // The same today and tomorrow: no experiments.
    "--disable-field-trial-config",
    // A page works at full speed wherever its window is.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    // Every load is a load: pages do not come back from a cache of whole pages, and none is drawn in advance.
    "--disable-back-forward-cache",
    // No extensions, also none that a distribution adds.
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--allow-pre-commit-input",
    "--mute-audio",
    // The profile may lie in memory.
    "--disk-cache-size=67108864",
];

/// Features that talk to servers, draw in advance or start processes that nobody asked for.
const OFF: &[&str] = &[
    "AcceptCHFrame",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    // It holds a page's timers back after each input until a frame was drawn: for eyes, and 10 ms for whoever waits for the effect.
    "DeferRendererTasksAfterInput",
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading",
    "OptimizationHints",
    "PaintHolding",
    "PreloadTopChromeWebUI",
    "Prerender2",
    "SpareRendererForSitePerProcess",
    "Translate",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
];

const HEADLESS: &[&str] = &[
    "--headless",
    "--hide-scrollbars",
    // A desktop with a mouse, also on machines that have none: otherwise pages take it for a phone (`hover: none`).
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

/// What the machine demands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Host {
    /// The sandbox does not work for root.
    pub(super) root: bool,
    /// Pages crash when shared memory runs out, as it does early in most containers.
    pub(super) little_shared_memory: bool,
}

impl Host {
    pub(super) fn this() -> Self {
        Self { root: rustix::process::geteuid().is_root(), little_shared_memory: has_little_shared_memory() }
    }
}

#[cfg(target_os = "linux")]
fn has_little_shared_memory() -> bool {
    const ENOUGH: u64 = 512 << 20;
    rustix::fs::statvfs("/dev/shm").map_or(true, |shm| shm.f_blocks.saturating_mul(shm.f_frsize) < ENOUGH)
}

#[cfg(not(target_os = "linux"))]
fn has_little_shared_memory() -> bool {
    false
}

/// The whole command line. Options of the caller come last and win.
pub(super) fn arguments(options: &LaunchOptions, profile: &Path, host: Host) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ALWAYS.iter().map(Into::into).collect();
    if options.headless {
        arguments.extend(HEADLESS.iter().map(Into::into));
    }
    if host.root || !options.sandbox {
        arguments.push("--no-sandbox".into());
    }
    if host.little_shared_memory {
        arguments.push("--disable-dev-shm-usage".into());
    }
    let (width, height) = options.window_size;
    arguments.push(format!("--window-size={width},{height}").into());
    arguments.push(joined("--user-data-dir=", profile.as_os_str()));
    arguments.push("--remote-debugging-pipe".into());
    // Pages are opened on demand, which is faster than a first window that nobody asked for.
    arguments.push("--no-startup-window".into());
    let (features, others): (Vec<_>, Vec<_>) =
        options.args.iter().partition(|arg| disabled_features(arg).is_some());
    let more = features.iter().filter_map(|arg| disabled_features(arg));
    let off: Vec<&str> = OFF.iter().copied().chain(more).collect();
    arguments.push(format!("--disable-features={}", off.join(",")).into());
    arguments.extend(others.into_iter().map(Into::into));
    arguments
}

/// Chromium heeds only the last of several such switches, so the caller's are merged into ours.
fn disabled_features(argument: &str) -> Option<&str> {
    argument.strip_prefix("--disable-features=")
}

fn joined(switch: &str, value: &OsStr) -> OsString {
    let mut argument = OsString::from(switch);
    argument.push(value);
    argument
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(options: &LaunchOptions, root: bool) -> Vec<String> {
        let host = Host { root, little_shared_memory: root };
        let arguments = arguments(options, Path::new("/p"), host);
        arguments.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_sandbox_stays_unless_root_or_told_otherwise() {
        let options = LaunchOptions::default();
        assert!(!line(&options, false).contains(&"--no-sandbox".to_owned()));
        assert!(line(&options, true).contains(&"--no-sandbox".to_owned()));
        let without = LaunchOptions { sandbox: false, ..options };
        assert!(line(&without, false).contains(&"--no-sandbox".to_owned()));
    }

    #[test]
    fn little_shared_memory_is_not_used() {
        let options = LaunchOptions::default();
        assert!(!line(&options, false).contains(&"--disable-dev-shm-usage".to_owned()));
        assert!(line(&options, true).contains(&"--disable-dev-shm-usage".to_owned()));
    }

    #[test]
    fn features_of_the_caller_join_ours() {
        let options = LaunchOptions {
            args: vec!["--disable-features=Mine".into(), "--lang=de".into()],
            ..LaunchOptions::default()
        };
        let line = line(&options, false);
        let features: Vec<_> = line.iter().filter_map(|argument| disabled_features(argument)).collect();
        assert_eq!(features.len(), 1);
        assert!(features[0].contains("Translate") && features[0].ends_with(",Mine"));
        assert_eq!(line.last().map(String::as_str), Some("--lang=de"));
    }

    #[test]
    fn a_window_is_headless_or_not() {
        let headed = LaunchOptions { headless: false, ..LaunchOptions::default() };
        assert!(line(&LaunchOptions::default(), false).contains(&"--headless".to_owned()));
        assert!(!line(&headed, false).contains(&"--headless".to_owned()));
    }
}
