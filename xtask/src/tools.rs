//! What the suite needs on a fresh machine, and how to get it.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository::{execute, execute_with, root};

/// Installs what is missing.
pub(crate) fn ensure() -> Result<()> {
    if !answers("cargo", &["nextest", "--version"]) {
        println!("installing cargo-nextest");
        execute_with("cargo", &["install", "cargo-nextest", "--locked"], &[])?;
    }
    if !has_chromium() {
        install(&["chromium", "fonts-liberation"])?;
    }
    // Without it the tests that use it say that they were skipped.
    if let Err(error) = fetch_mcp_sdk() {
        println!("the official MCP client is not there ({error:#}); the tests that use it are skipped");
    }
    Ok(())
}

/// The official client of the Model Context Protocol, which drives the demo app in a test, and the protocol's conformance suite.
fn fetch_mcp_sdk() -> Result<()> {
    let place = root().join("crates/uiap/tests/mcp-sdk");
    let packages = place.join("node_modules/@modelcontextprotocol");
    if packages.join("sdk").is_dir() && packages.join("conformance").is_dir() {
        return Ok(());
    }
    if !answers("npm", &["--version"]) {
        install(&["nodejs", "npm"])?;
    }
    let place = place.to_string_lossy();
    let quiet = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"];
    execute("npm", &[&["install"], &quiet[..], &[&place]].concat())
}

fn answers(program: &str, args: &[&str]) -> bool {
    let status = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn has_chromium() -> bool {
    ["chromium", "chromium-browser", "google-chrome"].iter().any(|name| answers(name, &["--version"]))
}

fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" and ");
    if !answers("apt-get", &["--version"]) {
        bail!("{names} are missing; install them with the system's package manager and run the suite again");
    }
    println!("installing {names}");
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    let install = || -> Result<()> {
        execute_with("apt-get", &["update", "-q"], &quiet)?;
        let how = ["install", "-y", "-q", "--no-install-recommends"];
        execute_with("apt-get", &[&how, packages].concat(), &quiet)
    };
    // Package mirrors hiccup: one more try, then the error stands.
    if let Err(first) = install() {
        eprintln!("{first:#}; trying once more");
        install().with_context(|| format!("installing {names}"))?;
    }
    Ok(())
}
