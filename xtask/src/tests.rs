//! All tests. Suites whose tests share one browser run as one process each, beside all the others, which have a process per test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::compile::{cargo, cargo_output};
use crate::passed::{Files, Passed, with, world};
use crate::repository::root;

/// The test binaries that start one browser for all of their tests.
const SHARING: &[&str] = &["uiap-web::it", "uiap-cdp::pages"];
/// Tests of one such binary that run at the same time: each has a context of its own, and most of them wait.
const ABREAST: &str = "4";

/// A test binary: where it is, and the world that it depends on.
struct Suite {
    binary: PathBuf,
    world: u64,
}

/// Runs every test of the workspace that did not pass before in the same world.
pub(crate) fn run(passed: &mut Passed) -> Result<()> {
    let suites = suites()?;
    let due: BTreeMap<&str, &Suite> = suites
        .iter()
        .map(|(id, suite)| (id.as_str(), suite))
        .filter(|(id, suite)| !passed.covers(id, suite.world))
        .collect();
    if due.len() < suites.len() {
        println!(
            "   {} of {} test binaries passed before and did not change; `--all` runs them too",
            suites.len() - due.len(),
            suites.len()
        );
    }
    let (sharing, others): (Vec<&str>, Vec<&str>) = due.keys().partition(|id| SHARING.contains(id));
    let begin = |id| Ok((id, start(&due.get(id).context("it is due")?.binary, id)?));
    let started = sharing.into_iter().map(begin).collect::<Result<Vec<_>>>()?;
    let mut failed = nextest(&others)?;
    for (id, child) in started {
        if !finish(id, child)? {
            failed.push(id.to_owned());
        }
    }
    for (id, suite) in due {
        if failed.iter().any(|each| each == id) {
            passed.forget(id)?;
        } else {
            passed.note(id, suite.world)?;
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join(", "));
    }
    Ok(())
}

/// Builds all test binaries and tells what each depends on.
fn suites() -> Result<BTreeMap<String, Suite>> {
    let listing = cargo_output(&[
        "nextest",
        "list",
        "--workspace",
        "--list-type",
        "binaries-only",
        "--message-format",
        "json",
    ])?;
    let listing: Value = serde_json::from_str(&listing)?;
    let binaries =
        listing.pointer("/rust-binaries").and_then(Value::as_object).context("no test binaries")?;
    let data = world(Files::Data)?;
    let product = mine("target/debug/uiap");
    let suite = |(id, about): (&String, &Value)| {
        let binary = about.get("binary-path").and_then(Value::as_str).context("a test binary has a path")?;
        let binary = PathBuf::from(binary);
        let mut more: Vec<&Path> = vec![&binary];
        if package(id) == "uiap" {
            more.push(&product);
        }
        let world = with(data, &more);
        Ok((id.clone(), Suite { binary, world }))
    };
    binaries.iter().map(suite).collect()
}

/// Runs these binaries with a process per test; gives those with a test that failed.
fn nextest(ids: &[&str]) -> Result<Vec<String>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let report = mine("target/nextest/default/junit.xml");
    if report.exists() {
        fs::remove_file(&report)?;
    }
    let filter: Vec<String> = ids.iter().map(|id| format!("binary_id(={id})")).collect();
    let ran = cargo(&[
        "nextest",
        "run",
        "--test-threads",
        &side_by_side(),
        "--workspace",
        "--no-fail-fast",
        "--no-tests=pass",
        "-E",
        &filter.join(" | "),
    ]);
    let Err(error) = ran else { return Ok(Vec::new()) };
    // Without a report nobody knows which of them failed.
    let report = fs::read_to_string(&report).with_context(|| error.to_string())?;
    let failed = failures(&report);
    Ok(if failed.is_empty() { ids.iter().map(|&id| id.to_owned()).collect() } else { failed })
}

/// One more than there are cores: most tests wait for a browser now and then.
fn side_by_side() -> String {
    (std::thread::available_parallelism().map_or(1, usize::from) + 1).to_string()
}

/// The binaries with failures in a JUnit report.
fn failures(report: &str) -> Vec<String> {
    let attribute = |line: &str, name: &str| {
        let rest = line.split_once(&format!(" {name}=\""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let broken = |line: &&str| {
        ["failures", "errors"].iter().any(|name| attribute(line, name).is_some_and(|count| count != "0"))
    };
    let suites = report.split('<').filter(|tag| tag.starts_with("testsuite "));
    suites.filter(broken).filter_map(|tag| attribute(tag, "name")).collect()
}

fn start(binary: &Path, id: &str) -> Result<Child> {
    // Into a file: a pipe that nobody reads yet would hold the tests up.
    let told = fs::File::create(log(id)).with_context(|| format!("a file for what `{id}` tells"))?;
    Command::new(binary)
        .args(["--test-threads", ABREAST])
        .current_dir(root().join("crates").join(package(id)))
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(told.try_clone()?)
        .stderr(told)
        .spawn()
        .with_context(|| format!("starting `{id}`"))
}

/// Waits for a suite of one process and tells how it went.
fn finish(id: &str, mut child: Child) -> Result<bool> {
    let status = child.wait().with_context(|| format!("waiting for `{id}`"))?;
    let told = fs::read_to_string(log(id)).with_context(|| format!("what `{id}` told"))?;
    let last = told.lines().rev().find(|line| line.starts_with("test result")).unwrap_or("no result");
    println!("   {id}: {last}");
    if !status.success() {
        println!("{told}");
    }
    Ok(status.success())
}

fn log(id: &str) -> PathBuf {
    mine("target").join(format!("{}.log", id.replace("::", "-")))
}

fn package(id: &str) -> &str {
    id.split("::").next().unwrap_or(id)
}

fn mine(path: &str) -> PathBuf {
    root().join(path)
}

#[cfg(test)]
mod example {
    use super::failures;

    #[test]
    fn a_report_tells_which_binaries_failed() {
        let report = r#"<testsuites name="run" tests="3" failures="1" errors="0">
            <testsuite name="a::it" tests="2" disabled="0" errors="0" failures="1"><testcase name="x"/></testsuite>
            <testsuite name="b" tests="1" disabled="0" errors="0" failures="0"/>
            <testsuite name="c" tests="1" disabled="0" errors="2" failures="0"/></testsuites>"#;
        assert_eq!(failures(report), ["a::it", "c"]);
    }
}
