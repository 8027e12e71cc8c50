//! Our crates are compiled once: the linter stands in for their compiler, and what it makes is what the tests run.
//!
//! `cargo clippy` and `cargo doc` would compile every dependency a second time, only to know its types. The linter is the compiler with more to say, so it can
//! do the real work; and `rustdoc` gets what was compiled for the tests when it is called for the doc tests (see `rustdoc.rs`).

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::{output, root};

/// Runs cargo with the linter as the compiler of our crates; a warning is an error.
pub(crate) fn cargo(args: &[&str]) -> Result<()> {
    cargo_with(args, &[])
}

/// The same with environment variables.
pub(crate) fn cargo_with(args: &[&str], env: &[(&str, PathBuf)]) -> Result<()> {
    let status = command(args)?.envs(env.iter().cloned()).status().context("cannot run `cargo`")?;
    if !status.success() {
        bail!("`cargo {}` failed ({status})", args.join(" "));
    }
    Ok(())
}

/// What such a cargo prints; what it complains of is shown as it comes.
pub(crate) fn cargo_output(args: &[&str]) -> Result<String> {
    let done =
        command(args)?.stderr(std::process::Stdio::inherit()).output().context("cannot run `cargo`")?;
    if !done.status.success() {
        bail!("`cargo {}` failed ({})", args.join(" "), done.status);
    }
    Ok(String::from_utf8(done.stdout)?)
}

/// A tool of the toolchain whose cargo runs this chore: the linter must be of the compiler's own version.
pub(crate) fn tool(name: &str) -> Result<PathBuf> {
    let beside = std::env::var_os("CARGO").map(|cargo| PathBuf::from(cargo).with_file_name(name));
    if let Some(found) = beside.filter(|path| path.is_file()) {
        return Ok(found);
    }
    let toolchain = output("rustc", &["--print", "sysroot"])?;
    Ok(PathBuf::from(toolchain.trim()).join("bin").join(name))
}

fn command(args: &[&str]) -> Result<Command> {
    let mut cargo = Command::new("cargo");
    // The linter takes its own arguments in this form, from `cargo clippy` too.
    let deny = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
    cargo.args(args).current_dir(root());
    cargo.env("RUSTC_WORKSPACE_WRAPPER", tool("clippy-driver")?).env("CLIPPY_ARGS", deny);
    // What makes the next compilation of one crate quicker makes the first of all of them slower.
    cargo.env("CARGO_INCREMENTAL", "0");
    Ok(cargo)
}
