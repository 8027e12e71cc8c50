//! `uiap fmt`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use uiap_authoring::diagnostic::Diagnostics;
use uiap_authoring::files::{DirectorySource, PackageSource};
use uiap_authoring::fmt::{Formatted, format};
use uiap_authoring::release::write_atomically;
use uiap_authoring::source::{Limits, SourceFile};

use super::read;
use crate::cli::{Fmt, Format};
use crate::command::findings;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// What became of the files.
#[derive(Default)]
struct Outcome {
    changed: Vec<PathBuf>,
    unknown: Vec<PathBuf>,
    faults: Diagnostics,
    files: usize,
}

pub(crate) fn run(args: &Fmt, terminal: &Terminal) -> anyhow::Result<Exit> {
    if args.paths.iter().any(|path| path == Path::new("-")) {
        return standard_input(args, terminal);
    }
    let mut outcome = Outcome::default();
    for path in args.paths.iter().flat_map(|path| files(path)) {
        one(&path, args.check, &mut outcome)?;
    }
    if !outcome.faults.is_empty() {
        findings::print(&outcome.faults, Format::Human, terminal, "")?;
    }
    tell(args, &outcome, terminal)?;
    let failed = outcome.faults.has_errors() || (args.check && !outcome.changed.is_empty());
    Ok(if failed { Exit::Found } else { Exit::Ok })
}

fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    DirectorySource::new(path).list().into_iter().map(|file| path.join(file)).collect()
}

fn one(path: &Path, check: bool, outcome: &mut Outcome) -> anyhow::Result<()> {
    let file = SourceFile::load(path, &Limits::DEFAULT).map_err(|fault| Failure {
        exit: Exit::File,
        message: fault.message.clone(),
        hint: None,
    })?;
    outcome.files += 1;
    match format(&file) {
        Formatted::Unchanged => {}
        Formatted::Changed(text) => {
            if !check {
                write_atomically(path, text.as_bytes())
                    .with_context(|| format!("cannot write `{}`", path.display()))?;
            }
            outcome.changed.push(path.to_owned());
        }
        Formatted::Unknown => outcome.unknown.push(path.to_owned()),
        Formatted::Broken(faults) => outcome.faults.append(faults),
    }
    Ok(())
}

fn standard_input(args: &Fmt, terminal: &Terminal) -> anyhow::Result<Exit> {
    let file = SourceFile::from_bytes("<stdin>", read(Path::new("-"))?).map_err(|fault| Failure {
        exit: Exit::Found,
        message: fault.message.clone(),
        hint: None,
    })?;
    let formatted = format(&file);
    let changed = matches!(formatted, Formatted::Changed(_));
    match &formatted {
        Formatted::Changed(text) if !args.check => Terminal::data(text)?,
        Formatted::Broken(faults) => {
            Terminal::say(&findings::text(faults, Format::Human, &terminal.for_people(), ""));
            return Ok(Exit::Found);
        }
        _ if !args.check => Terminal::data(file.text())?,
        _ => {}
    }
    Ok(if changed && args.check { Exit::Found } else { Exit::Ok })
}

fn tell(args: &Fmt, outcome: &Outcome, terminal: &Terminal) -> anyhow::Result<()> {
    if terminal.json {
        let report = json!({
            "files": outcome.files, "changed": outcome.changed, "unknown": outcome.unknown,
            "broken": outcome.faults.has_errors(),
        });
        return Terminal::data(&format!("{report:#}\n"));
    }
    for path in &outcome.changed {
        let word = if args.check { "would change" } else { "formatted" };
        Terminal::say(&format!("{} {}", terminal.strong(word), path.display()));
    }
    for path in &outcome.unknown {
        Terminal::say(&format!(
            "{} {}: it uses YAML that the formatter does not know, such as anchors or tags",
            terminal.strong("left"),
            path.display()
        ));
    }
    let rest = outcome.files - outcome.changed.len() - outcome.unknown.len();
    Terminal::say(&terminal.dim(&format!("{rest} of {} files are fine", outcome.files)));
    Ok(())
}
