//! `uiap lock`.

use serde_json::json;
use uiap_authoring::build::{Cache, Step};
use uiap_authoring::diagnostic::Diagnostics;

use super::{check, open, write_lock};
use crate::cli::{Format, Lock};
use crate::command::findings;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Lock, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut opened = open(&args.package.dir, &args.package.sources, None)?;
    let before = opened.options.lock.clone();
    if args.update {
        opened.options.lock = None;
        opened.lock_faults = Diagnostics::new();
    }
    opened.options.check_only = true;
    let built = check::build(&mut Cache::new(), opened);
    // The step behind the imports begins only when all of them are found; the rest is what `check` tells.
    if !built.report.steps.contains(&Step::LoadManifests) {
        findings::print(&built.diagnostics, Format::Human, terminal, "")?;
        return Ok(Exit::Found);
    }
    let changed =
        !args.package.sources.locked && write_lock(&args.package.dir, before.as_ref(), built.lock.as_ref())?;
    let packages = built.lock.map(|lock| lock.packages).unwrap_or_default();
    if terminal.json {
        let list: Vec<_> = packages
            .iter()
            .map(|(id, each)| json!({ "packageId": id, "version": each.version, "digest": each.digest }))
            .collect();
        Terminal::data(&format!("{:#}\n", json!({ "changed": changed, "packages": list })))?;
        return Ok(Exit::Ok);
    }
    for (id, each) in &packages {
        Terminal::say(&format!("{id} {} {}", terminal.strong(&each.version), terminal.dim(&each.digest)));
    }
    Terminal::say(match (changed, packages.is_empty()) {
        (true, _) => "uiap.lock is written",
        (false, true) => "nothing is imported",
        (false, false) => "uiap.lock is up to date",
    });
    Ok(Exit::Ok)
}
