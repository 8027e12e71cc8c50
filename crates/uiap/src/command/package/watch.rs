//! `--watch`: runs again whenever a file of the package or of a registry changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use notify::{EventKind, RecursiveMode, Watcher};
use uiap_authoring::files::is_manifest_name;

use crate::cli::Package;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Editors write a file in several steps; one run is enough for all of them.
const SETTLE: Duration = Duration::from_millis(20);

/// Runs once, then after each change, until the process is told to stop.
pub(super) fn run(
    package: &Package,
    terminal: &Terminal,
    mut once: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Exit> {
    let (sender, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // The receiver is gone when the program ends.
        let _ = sender.send(event);
    })
    .context("cannot watch files")?;
    let folders: Vec<PathBuf> =
        std::iter::once(&package.dir).chain(&package.sources.registries).cloned().collect();
    for folder in &folders {
        watcher
            .watch(folder, RecursiveMode::Recursive)
            .with_context(|| format!("cannot watch `{}`", folder.display()))?;
    }
    loop {
        let start = Instant::now();
        if let Err(error) = once() {
            terminal.error(&error);
        }
        let took = start.elapsed().as_millis();
        Terminal::say(&terminal.dim(&format!("{took} ms; watching {}, Ctrl-C ends", package.dir.display())));
        if !next(&changes)? {
            return Ok(Exit::Ok);
        }
    }
}

/// Waits for a change that matters, then for a short silence. False when the watcher ended.
fn next(changes: &mpsc::Receiver<notify::Result<notify::Event>>) -> anyhow::Result<bool> {
    loop {
        let Ok(event) = changes.recv() else { return Ok(false) };
        if !matters(&event.context("cannot watch files")?) {
            continue;
        }
        while let Ok(event) = changes.recv_timeout(SETTLE) {
            event.context("cannot watch files")?;
        }
        return Ok(true);
    }
}

/// Reading is no change, and what a build writes itself is no manifest.
fn matters(event: &notify::Event) -> bool {
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        is_manifest_name(&name) || name.ends_with(".discovery.json") || is_folder(path)
    };
    !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(source)
}

/// A folder that was moved in or away brings or takes manifests.
fn is_folder(path: &Path) -> bool {
    path.extension().is_none()
}
