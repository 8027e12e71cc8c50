//! `uiap import`.

use anyhow::Context;
use serde_json::json;
use uiap_authoring::import::{
    ImportError, ImportOptions, ImportPlan, Mode, NewManifest, add_manifests, plan,
};
use uiap_authoring::release::write_atomically;
use uiap_authoring::source::{Limits, SourceFile};

use crate::cli::{Format, Import, ImportMode};
use crate::command::findings;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Import, terminal: &Terminal) -> anyhow::Result<Exit> {
    let unreadable = |message: String| Failure { exit: Exit::File, message, hint: None };
    let found = if args.file.is_dir() { args.file.join("package.json") } else { args.file.clone() };
    let file =
        SourceFile::load(&found, &Limits::DEFAULT).map_err(|fault| unreadable(fault.message.clone()))?;
    let package_path = args.into.join("package.uiap.yaml");
    let package = SourceFile::load(&package_path, &Limits::DEFAULT).map_err(|fault| Failure {
        exit: Exit::File,
        message: format!("`{}`: {}", package_path.display(), fault.message),
        hint: Some(format!("`uiap init {}` starts a package", args.into.display())),
    })?;
    let mode = match args.mode {
        ImportMode::Copy => Mode::Copy,
        ImportMode::Link => Mode::Link,
    };
    let plan = match plan(&file, ImportOptions { mode, with_doubtful: args.with_doubtful }) {
        Ok(plan) => plan,
        Err(ImportError::Broken(faults)) => {
            findings::print(&faults, Format::Human, terminal, "")?;
            return Ok(Exit::Found);
        }
        Err(error) => {
            return Err(Failure { exit: Exit::Found, message: error.to_string(), hint: None }.into());
        }
    };
    let listed = add_manifests(&package, &plan.manifests).map_err(|error| Failure {
        exit: Exit::Found,
        message: error.to_string(),
        hint: None,
    })?;
    refuse_overwriting(args, &plan)?;
    write(args, &plan.package_path, file.text())?;
    for manifest in &plan.manifests {
        write(args, &manifest.path, &manifest.text)?;
    }
    // The list goes last: until then the package is what it was.
    write(args, "package.uiap.yaml", &listed)?;
    tell(args, &plan, terminal)
}

fn write(args: &Import, path: &str, text: &str) -> anyhow::Result<()> {
    let target = args.into.join(path);
    write_atomically(&target, text.as_bytes()).with_context(|| format!("cannot write `{}`", target.display()))
}

/// An import that was edited by hand is not replaced by a second run.
fn refuse_overwriting(args: &Import, plan: &ImportPlan) -> Result<(), Failure> {
    let there = |manifest: &&NewManifest| args.into.join(&manifest.path).exists();
    match plan.manifests.iter().find(there) {
        None => Ok(()),
        Some(manifest) => Err(Failure {
            exit: Exit::File,
            message: format!("`{}` is there already: this run was imported before", manifest.path),
            hint: Some("remove its files and its entries in package.uiap.yaml to import it anew".to_owned()),
        }),
    }
}

fn tell(args: &Import, plan: &ImportPlan, terminal: &Terminal) -> anyhow::Result<Exit> {
    let paths: Vec<&str> = std::iter::once(plan.package_path.as_str())
        .chain(plan.manifests.iter().map(|each| each.path.as_str()))
        .collect();
    if terminal.json {
        let left: Vec<_> =
            plan.left.iter().map(|(item, reason)| json!({ "item": item, "reason": reason })).collect();
        let taken: serde_json::Map<_, _> =
            plan.taken.iter().map(|(kind, count)| (kind.clone(), (*count).into())).collect();
        Terminal::data(&format!("{:#}\n", json!({ "written": paths, "taken": taken, "left": left })))?;
        return Ok(Exit::Ok);
    }
    for path in paths {
        Terminal::say(&format!("  {} {path}", terminal.good("new")));
    }
    let counts: Vec<String> = plan.taken.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    Terminal::say(&format!("taken: {}; left out: {}", counts.join(", "), plan.left.len()));
    let dir = args.into.display();
    Terminal::say(&format!("\nNext:\n  uiap check {dir}\n  uiap review status {dir} --open"));
    Ok(Exit::Ok)
}
