//! Figures of docs/benchmarks.md, measured on the machine at hand.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::repository::{execute, root};

/// Builds the release binary, measures it, then runs the criterion benchmarks.
pub(crate) fn run() -> Result<()> {
    execute("cargo", &["build", "--release", "--quiet", "--package", "uiap"])?;
    let binary = root().join("target/release/uiap");
    let size = std::fs::metadata(&binary).context("the release binary")?.len();
    println!("release binary: {}.{} MB", size / 1_000_000, size / 100_000 % 10);
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..40 {
        let start = Instant::now();
        Command::new(&binary).arg("--version").stdout(Stdio::null()).status().context("uiap --version")?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    if let (Some(median), Some(slow)) = (times.get(times.len() / 2), times.get(times.len() * 95 / 100)) {
        println!("uiap --version: p50 {:.1} ms, p95 {:.1} ms", ms(*median), ms(*slow));
    }
    packages()?;
    execute(
        "cargo",
        &["run", "--release", "--quiet", "--package", "uiap-web", "--example", "capture_speed"],
    )?;
    execute("cargo", &["run", "--release", "--quiet", "--package", "uiap-web", "--example", "act_speed"])?;
    execute("cargo", &["bench", "--quiet", "--package", "uiap-runtime", "--bench", "journal"])?;
    execute("cargo", &["bench", "--quiet", "--package", "uiap-policy"])?;
    execute("cargo", &["bench", "--quiet", "--package", "uiap-model"])
}

/// Builds of many elements, and what the usual YAML loader takes for the same file where it is installed.
fn packages() -> Result<()> {
    let example =
        ["run", "--release", "--quiet", "--package", "uiap-authoring", "--example", "build_big", "--"];
    for args in [
        &["200", "12"][..],
        &["10000", "1"],
        &["100000", "1"],
        &["100000", "100"],
        &["100000", "1", "1000"],
        &["10000", "1", "0", "10000"],
        &["100000", "100", "warm"],
        &["100000", "1", "diff"],
    ] {
        println!("build_big {}", args.join(" "));
        execute("cargo", &[&example, args].concat())?;
    }
    let folder = tempfile::tempdir()?;
    let place = folder.path().to_string_lossy().into_owned();
    execute("cargo", &[&example[..], &["100000", "1", "write", &place]].concat())?;
    let script = "import glob,sys,time,yaml\n\
        name=max(glob.glob(sys.argv[1]+'/**/*.yaml',recursive=True),key=lambda n:len(open(n).read()))\n\
        t=time.process_time();yaml.load(open(name),Loader=yaml.CSafeLoader)\n\
        print('PyYAML C loader, the same file: %.1f s' % (time.process_time()-t))";
    match Command::new("python3").args(["-c", script, &place]).status() {
        Ok(status) if status.success() => {}
        _ => println!("PyYAML is not installed: not compared"),
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
