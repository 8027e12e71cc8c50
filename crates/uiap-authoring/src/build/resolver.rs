//! Chooses one version per package so that every import is satisfied, or tells why that cannot be.
//!
//! Depth first with the newest version first; a locked version goes before all others. On a conflict the last
//! choice is taken back. Decision D12: one version per package in the whole graph.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Session;
use super::finding::{AlsoAt, at_value};
use super::package::{self, Package};
use crate::diagnostic::{Diagnostic, Diagnostics, codes, did_you_mean};
use crate::files::PackageSource;
use crate::lock::Lock;
use crate::semver::{Range, Version};
use crate::source::Node;
use crate::tree::At;

/// More choices than this means that the constraints are hopeless.
const MAX_CHOICES: usize = 50_000;

/// A version of a package that could be read.
pub(crate) struct Candidate<'d> {
    pub(crate) version: Version,
    /// As the registry names it.
    pub(crate) label: String,
    pub(crate) source: Arc<dyn PackageSource>,
    pub(crate) package: Option<Package<'d>>,
    /// What reading its manifest said; shown when the version is chosen.
    pub(crate) diagnostics: Diagnostics,
}

/// Who wants which versions of a package.
#[derive(Clone)]
struct Requirement<'d> {
    package_id: &'d str,
    range: Range,
    by: String,
    node: Node<'d>,
}

struct Choice {
    package_id: String,
    open: Vec<usize>,
    requirements: usize,
    at: usize,
}

pub(crate) struct Resolver<'d, 'r> {
    lock: Option<&'r Lock>,
    candidates: Vec<Candidate<'d>>,
    by_package: HashMap<String, Vec<usize>>,
}

/// What was chosen.
pub(crate) struct Resolution<'d> {
    pub(crate) candidates: Vec<Candidate<'d>>,
    /// Package id to candidate.
    pub(crate) chosen: BTreeMap<String, usize>,
}

impl<'d, 'r> Resolver<'d, 'r> {
    pub(crate) fn new(lock: Option<&'r Lock>) -> Self {
        Self { lock, candidates: Vec::new(), by_package: HashMap::new() }
    }

    /// A version for every package, or nothing and a report.
    pub(crate) fn solve(
        mut self,
        session: &mut Session<'d, '_>,
        root: &Package<'d>,
    ) -> Option<Resolution<'d>> {
        let mut requirements = requirements_of(root);
        let mut chosen: BTreeMap<String, usize> = BTreeMap::new();
        let mut choices: Vec<Choice> = Vec::new();
        let mut conflict: Option<Diagnostic> = None;
        let (mut at, mut spent) = (0, 0);
        while let Some(wanted) = requirements.get(at).cloned() {
            if wanted.package_id == root.id {
                session.diagnostics.push(cycle_to_root(root, &wanted));
                return None;
            }
            let fits = match chosen.get(wanted.package_id) {
                Some(&index) => {
                    let fits = self.candidates.get(index).is_some_and(|c| wanted.range.contains(&c.version));
                    if fits {
                        at += 1;
                        continue;
                    }
                    false
                }
                None => true,
            };
            let mut open = Vec::new();
            if fits {
                open = self.fitting(session, wanted.package_id, &requirements);
            }
            spent += 1;
            if open.is_empty() || spent > MAX_CHOICES {
                let known = self.by_package.get(wanted.package_id).map_or(&[][..], Vec::as_slice);
                let found = self.explain(session, &wanted, &requirements, known);
                conflict.get_or_insert(found);
                if spent > MAX_CHOICES
                    || !self.take_back(&mut choices, &mut chosen, &mut requirements, &mut at)
                {
                    session.diagnostics.extend(conflict);
                    return None;
                }
                continue;
            }
            let first = open.remove(0);
            choices.push(Choice {
                package_id: wanted.package_id.to_owned(),
                open,
                requirements: requirements.len(),
                at,
            });
            self.choose(first, wanted.package_id, &mut chosen, &mut requirements);
            at += 1;
        }
        Some(Resolution { candidates: self.candidates, chosen })
    }

    fn choose(
        &self,
        index: usize,
        package_id: &str,
        chosen: &mut BTreeMap<String, usize>,
        requirements: &mut Vec<Requirement<'d>>,
    ) {
        chosen.insert(package_id.to_owned(), index);
        let package = self.candidates.get(index).and_then(|candidate| candidate.package.as_ref());
        requirements.extend(package.into_iter().flat_map(requirements_of));
    }

    /// Returns to the last choice that has an alternative.
    fn take_back(
        &self,
        choices: &mut Vec<Choice>,
        chosen: &mut BTreeMap<String, usize>,
        requirements: &mut Vec<Requirement<'d>>,
        at: &mut usize,
    ) -> bool {
        while let Some(mut choice) = choices.pop() {
            requirements.truncate(choice.requirements);
            chosen.remove(&choice.package_id);
            if !choice.open.is_empty() {
                let next = choice.open.remove(0);
                *at = choice.at + 1;
                let package_id = choice.package_id.clone();
                choices.push(choice);
                self.choose(next, &package_id, chosen, requirements);
                return true;
            }
        }
        false
    }

    /// Candidates that satisfy everything known so far, best first.
    fn fitting(
        &mut self,
        session: &mut Session<'d, '_>,
        package_id: &str,
        requirements: &[Requirement<'d>],
    ) -> Vec<usize> {
        let known = self.load(session, package_id);
        let locked =
            self.lock.and_then(|lock| lock.packages.get(package_id)).map(|entry| entry.version.as_str());
        let fits = |candidate: &Candidate<'_>| {
            let wanted = requirements.iter().filter(|wanted| wanted.package_id == package_id);
            let allowed = locked == Some(candidate.label.as_str()) || !is_deprecated(candidate);
            allowed && wanted.into_iter().all(|wanted| wanted.range.contains(&candidate.version))
        };
        let get = |index: &usize| self.candidates.get(*index);
        let mut open: Vec<usize> = known.into_iter().filter(|index| get(index).is_some_and(fits)).collect();
        open.sort_by(|a, b| match (get(a), get(b)) {
            (Some(a), Some(b)) => {
                let prefer = |c: &Candidate<'_>| locked == Some(c.label.as_str());
                prefer(b)
                    .cmp(&prefer(a))
                    .then(b.version.cmp_precedence(&a.version))
                    .then(a.label.cmp(&b.label))
            }
            _ => std::cmp::Ordering::Equal,
        });
        open
    }

    /// Reads the manifests of all versions of a package, once.
    fn load(&mut self, session: &mut Session<'d, '_>, package_id: &str) -> Vec<usize> {
        if let Some(known) = self.by_package.get(package_id) {
            return known.clone();
        }
        let mut known = Vec::new();
        for label in session.registry.versions(package_id) {
            let (Some(version), Some(source)) =
                (Version::parse(&label), session.registry.open(package_id, &label))
            else {
                continue;
            };
            let outer = std::mem::take(&mut session.diagnostics);
            let owner = format!("{package_id}@{label}");
            let path = ["package.uiap.yaml", "package.uiap.yml", "package.uiap.json"]
                .into_iter()
                .find(|path| source.list().iter().any(|listed| listed == path))
                .unwrap_or("package.uiap.yaml");
            let package = package::load_file(session, source.as_ref(), path, &owner);
            let diagnostics = std::mem::replace(&mut session.diagnostics, outer);
            known.push(self.candidates.len());
            self.candidates.push(Candidate { version, label, source, package, diagnostics });
        }
        self.by_package.insert(package_id.to_owned(), known.clone());
        known
    }

    /// Who asked for what, what there is, and what to do.
    fn explain(
        &self,
        session: &Session<'_, '_>,
        wanted: &Requirement<'d>,
        requirements: &[Requirement<'d>],
        known: &[usize],
    ) -> Diagnostic {
        let id = wanted.package_id;
        let place = At::Node(wanted.node.get("versionRange").unwrap_or(wanted.node));
        let mut versions: Vec<&Candidate<'_>> =
            known.iter().filter_map(|&index| self.candidates.get(index)).collect();
        versions.sort_by(|a, b| a.version.cmp_precedence(&b.version));
        if versions.is_empty() {
            let names = session.registry.package_ids();
            let place = At::Node(wanted.node.get("packageId").unwrap_or(wanted.node));
            let near = did_you_mean(id, names.iter().map(String::as_str));
            let help = near
                .map_or("name the folder of a registry that has it with `--registry`".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
            return at_value(
                codes::IMPORT_NOT_FOUND,
                place,
                format!("package `{id}` is not in any registry"),
            )
            .help(help);
        }
        let others: Vec<&Requirement<'_>> =
            requirements.iter().filter(|each| each.package_id == id).collect();
        let mut diagnostic = if others.len() > 1 {
            at_value(codes::IMPORT_CONFLICT, place, format!("no version of `{id}` satisfies everybody"))
        } else {
            let range = &wanted.range;
            at_value(codes::IMPORT_UNSATISFIED, place, format!("no version of `{id}` satisfies `{range}`"))
        };
        for each in others.iter().take(8) {
            let line = format!("{} needs `{id}` `{}`", each.by, each.range);
            if !std::ptr::eq(each.node.doc(), wanted.node.doc()) || each.node.span() != wanted.node.span() {
                let at = each.node.get("versionRange").unwrap_or(each.node);
                diagnostic = diagnostic.also(At::Node(at), line.clone());
            }
            diagnostic = diagnostic.note(line);
        }
        let labels: Vec<&str> = versions.iter().map(|candidate| candidate.label.as_str()).collect();
        diagnostic = diagnostic.note(format!("available: {}", labels.join(", ")));
        let in_range = |c: &&&Candidate<'_>| wanted.range.would_contain(&c.version);
        let help = match versions.iter().rev().find(in_range) {
            Some(pre) if !pre.version.pre.is_empty() => {
                format!("`{}` is a pre-release; name it in the range to accept it", pre.label)
            }
            Some(old) if is_deprecated(old) => {
                format!("`{}` is deprecated and not chosen for a new lock; widen the range", old.label)
            }
            _ => "widen a range, or publish a version that fits".to_owned(),
        };
        diagnostic.help(help)
    }
}

/// A version whose Package manifest is marked deprecated.
pub(crate) fn is_deprecated(candidate: &Candidate<'_>) -> bool {
    let root = candidate.package.as_ref().map(|package| package.root);
    let state = root.and_then(|root| root.get("metadata")).and_then(|metadata| metadata.get("reviewState"));
    state.and_then(Node::as_str) == Some("deprecated")
}

fn requirements_of<'d>(package: &Package<'d>) -> Vec<Requirement<'d>> {
    let by = format!("`{}` {}", package.id, package.version);
    let imports = package.imports.iter();
    let wanted = imports.map(|import| Requirement {
        package_id: import.package_id,
        range: import.range.clone(),
        by: by.clone(),
        node: import.node,
    });
    wanted.collect()
}

fn cycle_to_root(root: &Package<'_>, wanted: &Requirement<'_>) -> Diagnostic {
    let at = wanted.node.get("packageId").unwrap_or(wanted.node);
    let own = root
        .imports
        .iter()
        .any(|import| import.node.span() == wanted.node.span() && import.package_id == root.id);
    let message = if own {
        format!("package `{}` imports itself", root.id)
    } else {
        format!("import cycle: `{}` is imported by {}, which it imports itself", root.id, wanted.by)
    };
    let mut diagnostic = at_value(codes::IMPORT_CYCLE, At::Node(at), message);
    if !own {
        for import in &root.imports {
            diagnostic =
                diagnostic.also(At::Node(import.node.get("packageId").unwrap_or(import.node)), "the way in");
        }
    }
    diagnostic.help("move what both need into a third package")
}
