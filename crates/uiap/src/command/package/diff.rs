//! `uiap diff`.

use std::path::Path;

use serde_json::json;
use uiap_authoring::build::Cache;
use uiap_authoring::diff::{self, Change, Level};
use uiap_authoring::files::DirectorySource;
use uiap_authoring::release::{BundleDoc, open_bundle};
use uiap_authoring::source::{Limits, Node};

use super::{check, open, read};
use crate::cli::{Diff, Format};
use crate::command::discovery::compare;
use crate::command::discovery::folder::is_discovery;
use crate::command::findings;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Diff, terminal: &Terminal) -> anyhow::Result<Exit> {
    if is_discovery(&args.old) || is_discovery(&args.new) {
        return compare::run(args, terminal);
    }
    let Some(old) = side(&args.old, args, terminal)? else { return Ok(Exit::Found) };
    let Some(new) = side(&args.new, args, terminal)? else { return Ok(Exit::Found) };
    let mut changes = diff::diff_opened(&old, &new);
    if args.old.is_dir() && args.new.is_dir() {
        // Layout and provenance are not in the bundles.
        let (old, new) = (DirectorySource::new(&args.old), DirectorySource::new(&args.new));
        changes.extend(diff::diff_sources(&old, &new, &Limits::DEFAULT)?);
        changes.sort();
    }
    let version =
        |bundle: &BundleDoc| bundle.root().get("version").and_then(Node::as_str).unwrap_or("?").to_owned();
    let bump = diff::require_bump(&version(&old), &version(&new), &changes);
    if terminal.json {
        let report = json!({
            "old": version(&old), "new": version(&new), "level": diff::level(&changes), "enough": bump.is_ok(), "changes": changes,
        });
        Terminal::data(&format!("{report:#}\n"))?;
    } else {
        Terminal::data(&table(&changes, &version(&old), &version(&new), terminal))?;
    }
    match bump {
        Err(error) if args.require_bump => Err(Failure {
            exit: Exit::Found,
            message: error.to_string(),
            hint: Some(format!("raise `version` of the package by one {} step", error.needed)),
        }
        .into()),
        _ => Ok(Exit::Ok),
    }
}

/// A bundle, from its file or from its package; nothing when the package has errors, which are printed.
fn side(path: &Path, args: &Diff, terminal: &Terminal) -> anyhow::Result<Option<BundleDoc>> {
    let bytes = if path.is_dir() {
        let opened = open(path, &args.sources, Some(&args.context))?;
        let built = check::build(&mut Cache::new(), opened);
        let Some(bundle) = built.bundle else {
            findings::print(&built.diagnostics, Format::Human, terminal, "")?;
            return Ok(None);
        };
        bundle.bytes
    } else {
        read(path)?
    };
    let bundle = open_bundle(&bytes).map_err(|error| Failure {
        exit: Exit::Found,
        message: format!("`{}`: {error}", path.display()),
        hint: None,
    })?;
    Ok(Some(bundle))
}

fn table(changes: &[Change], old: &str, new: &str, terminal: &Terminal) -> String {
    let mut out = String::new();
    for level in [Level::Major, Level::Minor, Level::Patch] {
        for change in changes.iter().filter(|change| change.level == level) {
            let word = match level {
                Level::Major => terminal.bad("major"),
                Level::Minor => terminal.strong("minor"),
                Level::Patch => "patch".to_owned(),
            };
            out.push_str(&format!("{word} {} {}\n", change.rule, change.message));
            for (sign, place) in [('-', &change.before), ('+', &change.after)] {
                if !place.is_empty() {
                    out.push_str(&terminal.dim(&format!("      {sign} {place}")));
                    out.push('\n');
                }
            }
        }
    }
    let count = |level: Level| changes.iter().filter(|change| change.level == level).count();
    if changes.is_empty() {
        out.push_str(&format!("{old} and {new} say the same\n"));
    } else {
        out.push_str(&format!(
            "{old} → {new}: {} major, {} minor, {} patch\n",
            count(Level::Major),
            count(Level::Minor),
            count(Level::Patch)
        ));
    }
    out
}
