//! Commands that work on packages, and what they share: opening a package, its lock, its options.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod fmt;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod lock;
pub(crate) mod origin;
pub(crate) mod publish;
pub(crate) mod review;
mod watch;

use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use uiap_authoring::build::BuildOptions;
use uiap_authoring::diagnostic::Diagnostics;
use uiap_authoring::files::{DirectoryRegistry, DirectorySource};
use uiap_authoring::instant::Instant;
use uiap_authoring::lock::{LOCK_FILE, Lock};
use uiap_authoring::source::{Limits, SourceFile};
use uiap_model::authoring::BuildContext;

use crate::cli::{Context, Sources};
use crate::exit::{Exit, Failure};

/// A package on disk with everything that a build of it reads.
pub(crate) struct Opened {
    pub(crate) source: DirectorySource,
    pub(crate) registry: DirectoryRegistry,
    pub(crate) options: BuildOptions,
    /// What is wrong with the lock file.
    pub(crate) lock_faults: Diagnostics,
}

/// Opens a package folder. Only a folder that is not there is an error; the rest is for the build to tell.
pub(crate) fn open(dir: &Path, sources: &Sources, context: Option<&Context>) -> anyhow::Result<Opened> {
    if !dir.is_dir() {
        return Err(Failure {
            exit: Exit::File,
            message: format!("`{}` is no folder", dir.display()),
            hint: Some(format!("`uiap init {}` starts a package there", dir.display())),
        }
        .into());
    }
    for registry in &sources.registries {
        if !registry.is_dir() {
            return Err(Failure {
                exit: Exit::File,
                message: format!("the registry `{}` is no folder", registry.display()),
                hint: Some("it holds packages as ID/VERSION/package.uiap.yaml".to_owned()),
            }
            .into());
        }
    }
    let (lock, lock_faults) = read_lock(dir);
    let options = BuildOptions {
        context: context.map(build_context).unwrap_or_default(),
        now: Some(sources.now.unwrap_or_else(present)),
        lock,
        locked: sources.locked,
        last_overlay_wins: context.is_some_and(|context| context.last_overlay_wins),
        ..BuildOptions::default()
    };
    Ok(Opened {
        source: DirectorySource::new(dir),
        registry: DirectoryRegistry::new(sources.registries.iter().cloned()),
        options,
        lock_faults,
    })
}

fn present() -> Instant {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    Instant::from_unix(i64::try_from(seconds).unwrap_or(i64::MAX))
}

fn build_context(context: &Context) -> BuildContext {
    let text = |value: &Option<String>| value.as_deref().map(Into::into);
    BuildContext {
        environment: text(&context.environment),
        channel: context.channel,
        locale: text(&context.locale),
        tenant_id: text(&context.tenant),
        principal_profile: text(&context.profile),
        app_version: text(&context.app_version),
    }
}

fn read_lock(dir: &Path) -> (Option<Lock>, Diagnostics) {
    let path = dir.join(LOCK_FILE);
    if !path.exists() {
        return (None, Diagnostics::new());
    }
    match SourceFile::load(&path, &Limits::DEFAULT).map(|file| Lock::parse(&file)) {
        Ok(Ok(lock)) => (Some(lock), Diagnostics::new()),
        Ok(Err(faults)) => (None, faults),
        Err(fault) => (None, Diagnostics::from(*fault)),
    }
}

/// Writes the lock when it changed; says whether it did.
pub(crate) fn write_lock(dir: &Path, before: Option<&Lock>, after: Option<&Lock>) -> anyhow::Result<bool> {
    let Some(after) = after.filter(|after| Some(*after) != before) else { return Ok(false) };
    if before.is_none() && after.packages.is_empty() {
        return Ok(false);
    }
    let path = dir.join(LOCK_FILE);
    uiap_authoring::release::write_atomically(&path, after.to_text().as_bytes())
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(true)
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}
