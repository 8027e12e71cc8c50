//! Everything that CI runs, the quick checks first.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::passed::{Files, Passed, world};
use crate::repository::{execute, root};
use crate::{codegen, compile, layers, requirements, rustdoc, tests, tidy, tools};

/// A step: quick ones always run, long ones only when a file of the repository changed since they passed.
enum Step {
    Quick(fn() -> Result<()>),
    Long(fn() -> Result<()>),
    Tests,
}

const STEPS: &[(&str, Step)] = &[
    ("format", Step::Quick(|| execute("cargo", &["fmt", "--all", "--check"]))),
    ("tidy", Step::Quick(tidy::run)),
    ("layers", Step::Quick(layers::run)),
    ("lints", Step::Long(|| compile::cargo(&["test", "--no-run", "--workspace", "--all-targets"]))),
    ("tests", Step::Tests),
    ("documentation and its tests", Step::Long(rustdoc::check)),
    ("generated files", Step::Long(|| codegen::run(true))),
    ("requirements", Step::Quick(check_requirements)),
];

/// Runs all steps and reports every one that failed.
pub(crate) fn run(install: bool, everything: bool) -> Result<()> {
    if install {
        tools::ensure()?;
    }
    let mut passed = Passed::read(everything);
    let world = world(Files::All)?;
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("── {name}");
        let start = Instant::now();
        let result = match step {
            Step::Quick(step) => step(),
            Step::Long(_) if passed.covers(name, world) => {
                println!("   {name}: passed before, and no file changed since");
                continue;
            }
            Step::Long(step) => match step() {
                Ok(()) => passed.note(name, world),
                Err(error) => passed.forget(name).and(Err(error)),
            },
            Step::Tests => tests::run(&mut passed),
        };
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
    println!("all {} steps passed", STEPS.len());
    Ok(())
}

/// Modules that are finished; each MUST and SHOULD of theirs has a test.
const FINISHED: &[&str] =
    &["action", "authoring", "binding", "capability", "core", "discovery", "mobile", "policy", "web"];

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
