//! `uiap check`.

use uiap_authoring::build::{Built, Cache};

use super::{Opened, open, watch};
use crate::cli::Check;
use crate::command::findings;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Check, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut cache = Cache::new();
    let package = &args.package;
    if args.watch {
        return watch::run(package, terminal, || once(args, terminal, &mut cache).map(drop));
    }
    once(args, terminal, &mut cache)
}

fn once(args: &Check, terminal: &Terminal, cache: &mut Cache) -> anyhow::Result<Exit> {
    let mut opened = open(&args.package.dir, &args.package.sources, Some(&args.context))?;
    opened.options.keep_going = true;
    opened.options.check_only = true;
    opened.options.strict = args.report.strict;
    let built = build(cache, opened);
    findings::print(&built.diagnostics, args.report.format, terminal, &fine(&built))?;
    Ok(if built.diagnostics.has_errors() { Exit::Found } else { Exit::Ok })
}

/// Builds; faults of the lock file stand beside the rest.
pub(crate) fn build(cache: &mut Cache, opened: Opened) -> Built {
    let mut built = cache.build(&opened.source, &opened.registry, &opened.options);
    if !opened.lock_faults.is_empty() {
        built.bundle = None;
        built.diagnostics.append(opened.lock_faults);
        built.diagnostics.sort();
    }
    built
}

fn fine(built: &Built) -> String {
    let count = built.report.manifests.len();
    let plural = if count == 1 { "" } else { "s" };
    let channel =
        built.report.context.channel.map_or_else(String::new, |channel| format!(" for {}", channel.as_str()));
    format!("no mistakes in {count} manifest{plural}{channel}\n")
}
