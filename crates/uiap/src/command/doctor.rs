//! `uiap doctor`: is there a browser, does it start, how long does it take.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;
use uiap_cdp::find::{Candidate, Flavour, Origin, find_all};
use uiap_cdp::{Browser, LaunchOptions};

use crate::cli::Doctor;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// A browser that started.
struct Started {
    product: String,
    launch: Duration,
    page: Duration,
}

pub(crate) fn run(args: &Doctor, terminal: &Terminal) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(examine(args, terminal))
}

async fn examine(args: &Doctor, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut candidates = find(args).await;
    let mut installed = None;
    if candidates.is_empty() && args.fix {
        installed = Some(install().await?);
        candidates = find(args).await;
    }
    let chosen = candidates.first().cloned();
    let started = match &chosen {
        Some(candidate) => Some(start(candidate).await),
        None => None,
    };
    let ready = matches!(started, Some(Ok(_)));
    if terminal.json {
        print_json(&candidates, started.as_ref(), ready, installed.as_deref())?;
    } else {
        print_human(terminal, &candidates, started.as_ref());
    }
    Ok(if ready { Exit::Ok } else { Exit::Environment })
}

/// Every browser, or the one that was named, whether it looks like one or not: its start will tell.
async fn find(args: &Doctor) -> Vec<Candidate> {
    let found = find_all(args.browser.as_deref()).await;
    let Some(path) = &args.browser else { return found };
    let named = found.into_iter().find(|candidate| candidate.origin == Origin::Explicit);
    let unproved =
        || Candidate { path: path.clone(), origin: Origin::Explicit, flavour: Flavour::Full, version: None };
    vec![named.unwrap_or_else(unproved)]
}

async fn start(candidate: &Candidate) -> anyhow::Result<Started> {
    let begin = Instant::now();
    let options = LaunchOptions { executable: Some(candidate.path.clone()), ..LaunchOptions::default() };
    let browser = Browser::launch(options).await.context("headless start failed")?;
    let launch = begin.elapsed();
    let page = browser.new_page("about:blank").await.context("the browser opens no page")?;
    drop(page);
    let page = begin.elapsed();
    let product = browser.version().product.clone();
    browser.close().await;
    Ok(Started { product, launch, page })
}

fn print_json(
    candidates: &[Candidate],
    started: Option<&anyhow::Result<Started>>,
    ready: bool,
    installed: Option<&str>,
) -> anyhow::Result<()> {
    let found: Vec<_> = candidates
        .iter()
        .map(|each| {
            json!({ "path": each.path, "origin": origin(each.origin), "version": each.version.map(|version| version.to_string()) })
        })
        .collect();
    let browser = match started {
        Some(Ok(started)) => json!({
            "version": started.product, "headless": true, "launchMs": ms(started.launch), "firstPageMs": ms(started.page)
        }),
        Some(Err(error)) => json!({ "headless": false, "error": format!("{error:#}") }),
        None => serde_json::Value::Null,
    };
    let hint = (!ready).then(how_to_install);
    let report = json!({
        "ready": ready, "uiap": env!("CARGO_PKG_VERSION"), "candidates": found, "browser": browser,
        "installedWith": installed, "hint": hint
    });
    Terminal::data(&format!("{report:#}\n"))
}

fn print_human(terminal: &Terminal, candidates: &[Candidate], started: Option<&anyhow::Result<Started>>) {
    Terminal::say(&format!("{} {}", terminal.strong("uiap"), env!("CARGO_PKG_VERSION")));
    for candidate in candidates {
        let version =
            candidate.version.map_or_else(|| "unknown version".to_owned(), |version| version.to_string());
        let origin = terminal.dim(&format!("({})", origin(candidate.origin)));
        Terminal::say(&format!("  found    {} {version} {origin}", candidate.path.display()));
    }
    match started {
        Some(Ok(started)) => {
            Terminal::say(&format!(
                "  starts   {} headless in {:.0} ms, first page after {:.0} ms",
                started.product,
                ms(started.launch),
                ms(started.page)
            ));
            Terminal::say(&terminal.good("ready"));
        }
        Some(Err(error)) => {
            Terminal::say(&format!("  {} {error:#}", terminal.bad("fails   ")));
            terminal.hint("run `uiap -v doctor` for what the browser said");
        }
        None => {
            Terminal::say(&terminal.bad("no Chromium was found"));
            terminal.hint(&how_to_install());
        }
    }
}

/// Who led to a browser, in words.
fn origin(origin: Origin) -> String {
    match origin {
        Origin::Explicit => "named on the command line".to_owned(),
        Origin::Variable(name) => format!("named by {name}"),
        Origin::SearchPath => "on PATH".to_owned(),
        Origin::Installed => "installed".to_owned(),
        Origin::Playwright => "downloaded by Playwright".to_owned(),
        Origin::Puppeteer => "downloaded by Puppeteer".to_owned(),
        _ => "found".to_owned(),
    }
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

/// A package manager and how it installs Chromium.
struct Manager {
    program: &'static str,
    steps: &'static [&'static [&'static str]],
}

const MANAGERS: &[Manager] = &[
    Manager { program: "apt-get", steps: &[&["update"], &["install", "-y", "chromium"]] },
    Manager { program: "dnf", steps: &[&["install", "-y", "chromium"]] },
    Manager { program: "pacman", steps: &[&["-Sy", "--noconfirm", "chromium"]] },
    Manager { program: "brew", steps: &[&["install", "--cask", "chromium"]] },
];

impl Manager {
    fn here() -> Option<&'static Self> {
        MANAGERS.iter().find(|manager| on_path(manager.program).is_some())
    }

    /// Homebrew installs for one person, all others for the machine.
    fn needs_root(&self) -> bool {
        self.program != "brew" && !is_root()
    }

    fn commands(&self) -> String {
        let sudo = if self.needs_root() { "sudo " } else { "" };
        let lines: Vec<String> =
            self.steps.iter().map(|step| format!("{sudo}{} {}", self.program, step.join(" "))).collect();
        lines.join(" && ")
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn is_root() -> bool {
    // The owner of our own process directory is the user we run as.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
    }
    #[cfg(not(unix))]
    false
}

fn how_to_install() -> String {
    match Manager::here() {
        Some(manager) => {
            format!("install it with `{}`, or set UIAP_CHROMIUM to a browser", manager.commands())
        }
        None => "install Chromium or Chrome, or set UIAP_CHROMIUM to its path".to_owned(),
    }
}

/// Installs Chromium; tells with which program.
async fn install() -> anyhow::Result<String> {
    let failure = |message: String| crate::exit::Failure {
        exit: Exit::Environment,
        message,
        hint: Some(how_to_install()),
    };
    let Some(manager) = Manager::here() else {
        return Err(failure("no package manager is known here".to_owned()).into());
    };
    if manager.needs_root() {
        return Err(failure(format!("`{}` needs administrator rights", manager.program)).into());
    }
    for step in manager.steps {
        Terminal::say(&format!("running  {} {}", manager.program, step.join(" ")));
        let status = tokio::process::Command::new(manager.program)
            .args(*step)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .await
            .with_context(|| format!("cannot run `{}`", manager.program))?;
        if !status.success() {
            return Err(failure(format!("`{} {}` failed ({status})", manager.program, step.join(" "))).into());
        }
    }
    Ok(manager.program.to_owned())
}
