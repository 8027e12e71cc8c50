//! The repository: where it is, which files it tracks, how its commands run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Files that git tracks or would track, with their text; binary files are left out.
pub(crate) fn text_files(endings: &[&str]) -> Result<Vec<(String, String)>> {
    let listing = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .context("git ls-files")?;
    let names = String::from_utf8(listing.stdout)?;
    let mut out = Vec::new();
    for name in names.lines().filter(|name| endings.iter().any(|ending| name.ends_with(ending))) {
        let path = root().join(name);
        if !path.is_file() {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| format!("reading {name}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            out.push((name.to_owned(), text));
        }
    }
    Ok(out)
}

/// Runs a command at the root and fails with it.
pub(crate) fn execute(program: &str, args: &[&str]) -> Result<()> {
    execute_with(program, args, &[])
}

/// The same with environment variables.
pub(crate) fn execute_with(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<()> {
    let status = Command::new(program)
        .args(args)
        .envs(env.iter().copied())
        .current_dir(root())
        .status()
        .with_context(|| format!("cannot run `{program}`"))?;
    if !status.success() {
        bail!("`{program} {}` failed ({status})", args.join(" "));
    }
    Ok(())
}

/// What a command prints.
pub(crate) fn output(program: &str, args: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(root())
        .output()
        .with_context(|| format!("cannot run `{program}`"))?;
    if !output.status.success() {
        bail!("`{program} {}` failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
