//! What the suite needs on a fresh machine, and how to get it.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository::execute_with;

/// Installs what is missing.
pub(crate) fn ensure() -> Result<()> {
    if !answers("cargo", &["nextest", "--version"]) {
        println!("installing cargo-nextest");
        execute_with("cargo", &["install", "cargo-nextest", "--locked"], &[])?;
    }
    if !has_chromium() {
        install_chromium()?;
    }
    Ok(())
}

fn answers(program: &str, args: &[&str]) -> bool {
    let status = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn has_chromium() -> bool {
    ["chromium", "chromium-browser", "google-chrome"].iter().any(|name| answers(name, &["--version"]))
}

fn install_chromium() -> Result<()> {
    if !answers("apt-get", &["--version"]) {
        bail!("chromium is missing; install it with the system's package manager and run the suite again");
    }
    println!("installing chromium");
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    let install = || -> Result<()> {
        execute_with("apt-get", &["update", "-q"], &quiet)?;
        execute_with(
            "apt-get",
            &["install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-liberation"],
            &quiet,
        )
    };
    // Package mirrors hiccup: one more try, then the error stands.
    if let Err(first) = install() {
        eprintln!("{first:#}; trying once more");
        install().context("installing chromium")?;
    }
    Ok(())
}
