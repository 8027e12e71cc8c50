//! Stands in for `rustdoc` while cargo runs the doc tests: each crate is documented first, with every warning an error, from what is compiled already.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::compile::{cargo_with, tool};
use crate::repository::root;

/// Names the real `rustdoc` to the one that stands in for it.
const REAL: &str = "XTASK_RUSTDOC";

/// Documents every library, and runs its doc tests.
pub(crate) fn check() -> Result<()> {
    let stand_in = root().join("target/debug/xtask");
    let env = [("RUSTDOC", stand_in), (REAL, tool("rustdoc")?)];
    cargo_with(&["test", "--workspace", "--doc", "--quiet"], &env)
}

/// What the stand-in does, when this process is one.
pub(crate) fn stand_in() -> Option<Result<ExitCode>> {
    let real = PathBuf::from(std::env::var_os(REAL)?);
    Some(run(&real, std::env::args_os().skip(1).collect()))
}

fn run(real: &PathBuf, args: Vec<OsString>) -> Result<ExitCode> {
    if let Some(documenting) = documenting(&args) {
        let status = Command::new(real).args(documenting).status().context("cannot run `rustdoc`")?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    let status = Command::new(real).args(args).status().context("cannot run `rustdoc`")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The arguments of a call for doc tests, turned into those that document the same crate; nothing for any other call.
fn documenting(args: &[OsString]) -> Option<Vec<OsString>> {
    if !args.iter().any(|arg| arg == "--test") {
        return None;
    }
    let mut out: Vec<OsString> = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        match text.as_ref() {
            "--test" | "--no-run" => {}
            "--test-run-directory" | "--test-args" | "--test-builder" => {
                rest.next();
            }
            _ if text.starts_with("--test-") => {}
            _ => out.push(arg.clone()),
        }
    }
    let place = root().join("target/doc").into_os_string();
    out.extend(["--out-dir".into(), place, "-D".into(), "warnings".into()]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_for_doc_tests_becomes_one_that_documents() {
        let call = [
            "--crate-name",
            "a",
            "--test",
            "src/lib.rs",
            "--test-run-directory",
            "/a",
            "--extern",
            "b=b.rlib",
        ];
        let call: Vec<OsString> = call.iter().map(OsString::from).collect();
        let made = documenting(&call).unwrap();
        assert_eq!(
            made[..5],
            ["--crate-name", "a", "src/lib.rs", "--extern", "b=b.rlib"].map(OsString::from)
        );
        assert!(made.ends_with(&["-D".into(), "warnings".into()]));
        assert_eq!(documenting(&["-vV".into()]), None);
    }
}
