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
    execute("cargo", &["bench", "--quiet", "--package", "uiap-model"])
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
