//! Everything that CI runs, the quick checks first.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::repository::{execute, execute_with, root};
use crate::{codegen, layers, requirements, shared_browser, tidy, tools};

/// Runs all steps and reports every one that failed.
pub(crate) fn run(install: bool) -> Result<()> {
    type Step = (&'static str, fn() -> Result<()>);
    let steps: &[Step] = &[
        ("format", || execute("cargo", &["fmt", "--all", "--check"])),
        ("tidy", tidy::run),
        ("layers", layers::run),
        ("clippy", || {
            execute("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
        }),
        ("tests", shared_browser::run),
        ("doc tests", || execute("cargo", &["test", "--workspace", "--doc", "--quiet"])),
        ("documentation", || {
            let deny = [("RUSTDOCFLAGS", "-D warnings")];
            execute_with("cargo", &["doc", "--workspace", "--no-deps", "--quiet"], &deny)
        }),
        ("generated files", || codegen::run(true)),
        ("requirements", check_requirements),
    ];
    if install {
        tools::ensure()?;
    }
    let mut failed = Vec::new();
    for (name, step) in steps {
        println!("── {name}");
        let start = Instant::now();
        let result = step();
        let seconds = start.elapsed().as_secs_f32();
        match result {
            Ok(()) => println!("   {name}: ok, {seconds:.1} s"),
            Err(error) => {
                println!("   {name}: FAILED after {seconds:.1} s: {error:#}");
                failed.push(*name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    println!("all {} steps passed", steps.len());
    Ok(())
}

/// Modules that are finished; each MUST and SHOULD of theirs has a test.
const FINISHED: &[&str] = &["authoring", "capability"];

fn check_requirements() -> Result<()> {
    let dir = root().join("../shared/requirements");
    if !dir.is_dir() {
        println!("   skipped: the requirement files are not beside the project");
        return Ok(());
    }
    requirements::run(&requirements::Options {
        dir,
        json: false,
        require: vec!["MUST".into(), "SHOULD".into()],
        files: FINISHED.iter().map(|&name| name.to_owned()).collect(),
    })
}
