//! Suites whose tests share one browser run as one process each, beside all the others, which have a process per test.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repository::{execute, output, root};

/// The test binaries that start one browser for all of their tests.
const SHARING: &[&str] = &["uiap-web::it", "uiap-cdp::pages"];
/// Tests of one such binary that run at the same time: each has a context of its own, and most of them wait.
const ABREAST: &str = "4";

/// Runs every test of the workspace.
pub(crate) fn run() -> Result<()> {
    let listing = output(
        "cargo",
        &["nextest", "list", "--workspace", "--list-type", "binaries-only", "--message-format", "json"],
    )?;
    let listing: Value = serde_json::from_str(&listing)?;
    let started = SHARING.iter().map(|id| start(&listing, id)).collect::<Result<Vec<_>>>()?;
    let others: Vec<String> = SHARING.iter().map(|id| format!("not binary_id({id})")).collect();
    let rest =
        execute("cargo", &["nextest", "run", "--workspace", "--no-fail-fast", "-E", &others.join(" and ")]);
    let mut failed: Vec<String> = rest.err().map(|error| error.to_string()).into_iter().collect();
    for (id, mut child) in started {
        let status = child.wait().with_context(|| format!("waiting for `{id}`"))?;
        let told = fs::read_to_string(log(id)).with_context(|| format!("what `{id}` told"))?;
        let last = told.lines().rev().find(|line| line.starts_with("test result")).unwrap_or("no result");
        println!("   {id}: {last}");
        if !status.success() {
            println!("{told}");
            failed.push(format!("`{id}` failed"));
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("; "));
    }
    Ok(())
}

fn log(id: &str) -> PathBuf {
    root().join("target").join(format!("{}.log", id.replace("::", "-")))
}

fn start(listing: &Value, id: &'static str) -> Result<(&'static str, std::process::Child)> {
    let path = listing
        .pointer("/rust-binaries")
        .and_then(|binaries| binaries.get(id))
        .and_then(|binary| binary.get("binary-path"))
        .and_then(Value::as_str)
        .with_context(|| format!("there is no test binary `{id}`"))?;
    let package = id.split("::").next().unwrap_or(id);
    // Into a file: a pipe that nobody reads yet would hold the tests up.
    let told = fs::File::create(log(id)).with_context(|| format!("a file for what `{id}` tells"))?;
    let child = Command::new(PathBuf::from(path))
        .args(["--test-threads", ABREAST])
        .current_dir(root().join("crates").join(package))
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(told.try_clone()?)
        .stderr(told)
        .spawn()
        .with_context(|| format!("starting `{id}`"))?;
    Ok((id, child))
}
