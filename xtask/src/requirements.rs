//! Which normative statements have a test that names them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::repository::text_files;

/// What to look at and what to insist on.
pub(crate) struct Options {
    pub(crate) dir: PathBuf,
    pub(crate) json: bool,
    pub(crate) require: Vec<String>,
    pub(crate) files: Vec<String>,
}

/// One statement.
struct Requirement {
    id: String,
    level: String,
}

/// Prints the state of each file and fails when something demanded is missing.
pub(crate) fn run(options: &Options) -> Result<()> {
    let named = named_by_tests()?;
    let mut report = Vec::new();
    let mut known = BTreeSet::new();
    for (file, requirements) in load(options)? {
        known.extend(requirements.iter().map(|each| each.id.clone()));
        let mut levels: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
        for requirement in requirements {
            let (total, missing) = levels.entry(requirement.level).or_default();
            *total += 1;
            if !named.requirements.contains(&requirement.id) {
                missing.push(requirement.id);
            }
        }
        report.push((file, levels));
    }
    let complete = options.files.is_empty();
    let strays: Vec<&String> =
        named.requirements.iter().filter(|id| complete && !known.contains(*id)).collect();
    if options.json {
        print_json(&report, &named, &strays);
    } else {
        print_table(&report, &named, &strays);
    }
    let lacking: Vec<String> = report
        .iter()
        .flat_map(|(_, levels)| levels)
        .filter(|(level, _)| options.require.iter().any(|wanted| is_of(level, wanted)))
        .flat_map(|(_, (_, missing))| missing.clone())
        .collect();
    if !lacking.is_empty() {
        bail!("{} requirements have no test: {}", lacking.len(), lacking.join(", "));
    }
    if !strays.is_empty() {
        bail!("tests name requirements that do not exist: {strays:?}");
    }
    Ok(())
}

/// `MUST` means `MUST NOT` too.
fn is_of(level: &str, wanted: &str) -> bool {
    level == wanted || level.strip_prefix(wanted) == Some(" NOT")
}

type Levels = BTreeMap<String, (usize, Vec<String>)>;

fn print_table(report: &[(String, Levels)], named: &Named, strays: &[&String]) {
    for (file, levels) in report {
        for (level, (total, missing)) in levels {
            let done = total - missing.len();
            println!("   {file:<12} {level:<10} {done:>4} of {total:>4}");
            for chunk in missing.chunks(8) {
                println!("      no test: {}", chunk.join(" "));
            }
        }
    }
    println!("   {} cases named", named.cases.len());
    for stray in strays {
        println!("   named and not known: {stray}");
    }
}

fn print_json(report: &[(String, Levels)], named: &Named, strays: &[&String]) {
    let files: Vec<_> = report
        .iter()
        .map(|(file, levels)| {
            let levels: BTreeMap<_, _> = levels
                .iter()
                .map(|(level, (total, missing))| {
                    (level, json!({ "total": total, "named": total - missing.len(), "missing": missing }))
                })
                .collect();
            json!({ "file": file, "levels": levels })
        })
        .collect();
    println!("{:#}", json!({ "files": files, "cases": named.cases, "unknown": strays }));
}

/// Reads the files: a list of entries that begin with `- id:` and have a `level:`.
fn load(options: &Options) -> Result<Vec<(String, Vec<Requirement>)>> {
    let folder =
        std::fs::read_dir(&options.dir).with_context(|| format!("reading {}", options.dir.display()))?;
    let mut paths = folder.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut out = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml")) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !options.files.is_empty() && !options.files.contains(&name) {
            continue;
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let mut entries: Vec<Requirement> = Vec::new();
        for line in text.lines() {
            if let Some(id) = line.strip_prefix("- id:") {
                entries.push(Requirement { id: id.trim().to_owned(), level: String::new() });
            } else if let Some(level) = line.strip_prefix("  level:")
                && let Some(last) = entries.last_mut()
            {
                level.trim().clone_into(&mut last.level);
            }
        }
        out.push((name, entries));
    }
    if out.is_empty() {
        bail!("no requirement file in {}", options.dir.display());
    }
    Ok(out)
}

/// Ids that stand in the doc comment of a test.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) requirements: BTreeSet<String>,
    cases: BTreeSet<String>,
}

/// Everything that tests name.
pub(crate) fn named_by_tests() -> Result<Named> {
    let mut out = Named::default();
    for (_, text) in text_files(&[".rs"])? {
        let mut pending: Vec<(bool, String)> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(id) = line.strip_prefix("/// Requirement:") {
                pending.push((true, id.trim().to_owned()));
            } else if let Some(id) = line.strip_prefix("/// Case:") {
                pending.push((false, id.trim().to_owned()));
            } else if line.starts_with("#[") && line.contains("test") {
                for (requirement, id) in pending.drain(..) {
                    if requirement {
                        out.requirements.insert(id)
                    } else {
                        out.cases.insert(id)
                    };
                }
            } else if !line.starts_with("///") && !line.starts_with("#[") {
                pending.clear();
            }
        }
    }
    Ok(out)
}
