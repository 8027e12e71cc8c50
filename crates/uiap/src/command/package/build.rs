//! `uiap build`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};
use uiap_authoring::build::{Built, Bundle, Cache};
use uiap_authoring::release::write_atomically;

use super::{check, open, watch, write_lock};
use crate::cli::{Build, Format};
use crate::command::findings;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Build, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut cache = Cache::new();
    if args.watch {
        return watch::run(&args.package, terminal, || once(args, terminal, &mut cache).map(drop));
    }
    once(args, terminal, &mut cache)
}

fn once(args: &Build, terminal: &Terminal, cache: &mut Cache) -> anyhow::Result<Exit> {
    let mut opened = open(&args.package.dir, &args.package.sources, Some(&args.context))?;
    opened.options.strict = args.report.strict;
    opened.options.provenance = args.told.is_some();
    let before = opened.options.lock.clone();
    let built = check::build(cache, opened);
    if let Some(path) = &args.told {
        let report = serde_json::to_vec_pretty(&built.report)?;
        write(path, &report)?;
    }
    show(&built, args, terminal)?;
    let Some(bundle) = &built.bundle else { return Ok(Exit::Found) };
    let target = target(args, bundle)?;
    if target == Path::new("-") {
        Terminal::data(std::str::from_utf8(&bundle.bytes)?)?;
    } else {
        write(&target, &bundle.bytes)?;
        told(&built, bundle, &target, terminal)?;
    }
    if !args.package.sources.locked && write_lock(&args.package.dir, before.as_ref(), built.lock.as_ref())? {
        Terminal::say(&format!("{} uiap.lock", terminal.dim("updated")));
    }
    Ok(Exit::Ok)
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_atomically(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Findings go to stderr when the bundle goes to stdout; a failed build has nothing else to print.
fn show(built: &Built, args: &Build, terminal: &Terminal) -> anyhow::Result<()> {
    if built.bundle.is_none() {
        return findings::print(&built.diagnostics, args.report.format, terminal, "");
    }
    if built.diagnostics.is_empty() {
        return Ok(());
    }
    if args.report.format == Format::Human {
        Terminal::say(
            findings::text(&built.diagnostics, Format::Human, &terminal.for_people(), "").trim_end(),
        );
        return Ok(());
    }
    findings::print(&built.diagnostics, args.report.format, terminal, "")
}

fn target(args: &Build, bundle: &Bundle) -> anyhow::Result<PathBuf> {
    if let Some(path) = &args.out {
        return Ok(path.clone());
    }
    let value: Value = serde_json::from_slice(&bundle.bytes)?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("package").to_owned();
    Ok(PathBuf::from(format!("{}-{}.bundle.json", text("packageId"), text("version"))))
}

fn told(built: &Built, bundle: &Bundle, target: &Path, terminal: &Terminal) -> anyhow::Result<()> {
    if terminal.json {
        let report = json!({
            "bundle": target, "digest": bundle.digest, "bytes": bundle.bytes.len(),
            "context": built.report.context, "manifests": built.report.manifests.len(),
            "gates": built.report.gates, "locales": built.report.locales,
        });
        return Terminal::data(&format!("{report:#}\n"));
    }
    let size = bundle.bytes.len().div_ceil(1024);
    Terminal::say(&format!("{} {} ({size} KB)", terminal.good("built"), target.display()));
    Terminal::say(&terminal.dim(&bundle.digest));
    for coverage in built.report.locales.iter().filter(|coverage| coverage.present < coverage.total) {
        let missing = coverage.total - coverage.present;
        Terminal::say(&format!("{}: {missing} of {} texts are missing", coverage.locale, coverage.total));
    }
    Ok(())
}
