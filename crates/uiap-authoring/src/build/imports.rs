//! Step 2: resolve the imports, each with its own imports and overlays first. Spec: authoring §6; decisions D10–D12.

use std::collections::{BTreeMap, HashMap};

use uiap_model::authoring::AuthoringKind;

use super::finding::{AlsoAt, at_value};
use super::inputs::text_digest;
use super::manifest::{Instance, Manifest, ManifestSet};
use super::manifests::{self, LoadedFile};
use super::package::{Import, Package};
use super::report::ResolvedImport;
use super::resolver::{Candidate, Resolution, Resolver, is_deprecated};
use super::{Session, discovery, overlays};
use crate::diagnostic::{codes, did_you_mean};
use crate::lock::{Lock, LockedPackage};
use crate::source::Node;
use crate::tree::At;

/// The manifests of all imports, under their aliases.
pub(crate) fn resolve<'d>(
    session: &mut Session<'d, '_>,
    package: &Package<'d>,
    lock: &mut Option<Lock>,
) -> ManifestSet<'d> {
    let mut set = ManifestSet::default();
    let Some(resolution) = Resolver::new(lock.as_ref()).solve(session, package) else {
        set.incomplete = true;
        return set;
    };
    let mut files = HashMap::new();
    let mut locked = BTreeMap::new();
    for (id, index) in &resolution.chosen {
        let Some(candidate) = resolution.candidates.get(*index) else { continue };
        let loaded = load_files(session, id, candidate);
        if let Some(package) = &candidate.package {
            let digest = content_digest(package, &loaded);
            locked.insert(id.clone(), LockedPackage { version: candidate.label.clone(), digest });
        }
        files.insert(id.as_str(), loaded);
    }
    check_builds(session, package, &resolution, &files);
    if find_cycle(session, package, &resolution) {
        set.incomplete = true;
        return set;
    }
    let discoveries = lock.as_ref().map(|lock| lock.discoveries.clone()).unwrap_or_default();
    check_lock(session, package, &resolution, lock, Lock { packages: locked, discoveries });
    let mut graph = Graph { resolution: &resolution, files: &files, done: HashMap::new() };
    for import in &package.imports {
        instantiate(session, import, "", &mut graph, &mut set);
        if let Some(candidate) =
            resolution.chosen.get(import.package_id).and_then(|i| resolution.candidates.get(*i))
        {
            session.report.imports.push(ResolvedImport {
                alias: import.alias.to_owned(),
                package_id: import.package_id.to_owned(),
                version: candidate.label.clone(),
            });
        }
    }
    set
}

fn load_files<'d>(session: &mut Session<'d, '_>, id: &str, candidate: &Candidate<'d>) -> Vec<LoadedFile<'d>> {
    session.diagnostics.append(candidate.diagnostics.clone());
    let Some(package) = &candidate.package else { return Vec::new() };
    if package.id != id {
        let at = package.spec.get("packageId").unwrap_or(package.spec);
        session.diagnostics.push(at_value(
            codes::WRONG_PACKAGE,
            At::Node(at),
            format!("the registry has this package as `{id}`, it calls itself `{}`", package.id),
        ));
    }
    let owner = format!("{id}@{}", candidate.label);
    manifests::read_all(session, candidate.source.as_ref(), package, &owner)
}

/// Digest over the files of a package; order of files and line endings do not count.
fn content_digest(package: &Package<'_>, files: &[LoadedFile<'_>]) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .filter_map(|file| Some(format!("{}\0{}\n", file.path, file.doc.and(file.entry)?.digest())))
        .collect();
    lines.push(format!("package\0{}\n", text_digest(package.root.doc().file())));
    lines.sort_unstable();
    uiap_model::digest::sha256(lines.concat().as_bytes()).to_string()
}

/// Two builds of one version must hold the same.
fn check_builds<'d>(
    session: &mut Session<'d, '_>,
    root: &Package<'d>,
    resolution: &Resolution<'d>,
    files: &HashMap<&str, Vec<LoadedFile<'d>>>,
) {
    for (id, &index) in &resolution.chosen {
        let Some(chosen) = resolution.candidates.get(index) else { continue };
        let twins = resolution.candidates.iter().enumerate().filter(|(other, candidate)| {
            *other != index
                && candidate.package.as_ref().is_some_and(|package| package.id == id)
                && candidate.version.same_precedence(&chosen.version)
        });
        for (_, twin) in twins {
            let (Some(package), Some(own)) = (&twin.package, &chosen.package) else { continue };
            let owner = format!("{id}@{}", twin.label);
            let loaded = manifests::read_all(session, twin.source.as_ref(), package, &owner);
            let mine = files.get(id.as_str()).map_or(&[][..], Vec::as_slice);
            if manifest_digests(&loaded) != manifest_digests(mine) {
                let at =
                    root.imports.iter().find(|import| import.package_id == id).map_or(own.root, |i| i.node);
                session.diagnostics.push(
                    at_value(
                        codes::AMBIGUOUS_BUILD,
                        At::Node(at),
                        format!(
                            "`{}` and `{}` of `{id}` are one version with different content",
                            chosen.label, twin.label
                        ),
                    )
                    .help("remove one of them from the registry"),
                );
            }
        }
    }
}

fn manifest_digests(files: &[LoadedFile<'_>]) -> Vec<String> {
    files.iter().filter_map(|file| Some(file.doc.and(file.entry)?.digest().to_owned())).collect()
}

/// Looks for a way from a package back to itself.
fn find_cycle<'d>(session: &mut Session<'d, '_>, root: &Package<'d>, resolution: &Resolution<'d>) -> bool {
    let package_of =
        |id: &str| resolution.chosen.get(id).and_then(|i| resolution.candidates.get(*i)?.package.as_ref());
    // 1: on the current way, 2: done.
    let mut state: HashMap<&str, u8> = HashMap::new();
    let mut way: Vec<(&Package<'d>, usize)> = vec![(root, 0)];
    while let Some((package, next)) = way.last_mut() {
        let package: &Package<'d> = package;
        let Some(import) = package.imports.get(*next) else {
            state.insert(package.id, 2);
            way.pop();
            continue;
        };
        *next += 1;
        match state.get(import.package_id) {
            Some(1) => {
                let mut names: Vec<&str> = way.iter().map(|(package, _)| package.id).collect();
                let from = names.iter().position(|id| *id == import.package_id).unwrap_or(0);
                names.push(import.package_id);
                let chain = names.get(from..).unwrap_or_default().join(" → ");
                let at = |import: &Import<'d>| At::Node(import.node.get("packageId").unwrap_or(import.node));
                let mut diagnostic =
                    at_value(codes::IMPORT_CYCLE, at(import), format!("import cycle: {chain}"));
                for (package, next) in way.iter().skip(from) {
                    if let Some(step) = next.checked_sub(1).and_then(|step| package.imports.get(step))
                        && step.node.span() != import.node.span()
                    {
                        diagnostic = diagnostic.also(at(step), format!("`{}` imports it here", package.id));
                    }
                }
                session.diagnostics.push(diagnostic.help("move what both need into a third package"));
                return true;
            }
            Some(_) => {}
            None => {
                if let Some(target) = package_of(import.package_id) {
                    state.insert(target.id, 1);
                    way.push((target, 0));
                }
            }
        }
    }
    false
}

fn check_lock(
    session: &mut Session<'_, '_>,
    package: &Package<'_>,
    resolution: &Resolution<'_>,
    lock: &mut Option<Lock>,
    new: Lock,
) {
    let place = At::Node(package.get("imports").unwrap_or(package.spec));
    let import_at = |id: &str| {
        package
            .imports
            .iter()
            .find(|import| import.package_id == id)
            .map_or(place, |import| At::Node(import.node))
    };
    for (id, fresh) in &new.packages {
        let old = lock.as_ref().and_then(|lock| lock.packages.get(id));
        if let Some(old) = old.filter(|old| old.version == fresh.version && old.digest != fresh.digest) {
            session.diagnostics.push(
                at_value(
                    codes::LOCK_DIGEST,
                    import_at(id),
                    format!("`{id}` {} is not what was locked", fresh.version),
                )
                .note(format!("locked: {}", old.digest))
                .note(format!("found: {}", fresh.digest))
                .help("find out why a published version changed; a lock is never adapted to that by itself"),
            );
        }
        let candidate = resolution.chosen.get(id).and_then(|index| resolution.candidates.get(*index));
        if candidate.is_some_and(is_deprecated) {
            session.diagnostics.push(at_value(
                codes::DEPRECATED_IMPORT,
                import_at(id),
                format!("`{id}` {} is deprecated", fresh.version),
            ));
        }
    }
    let unchanged = match lock.as_ref() {
        Some(lock) => *lock == new,
        None => new.packages.is_empty(),
    };
    if session.options.locked && !unchanged {
        let message = if lock.is_none() { "there is no lock file" } else { "the lock file is out of date" };
        session.diagnostics.push(
            at_value(codes::LOCK_OUTDATED, place, format!("{message}, and it must not be changed"))
                .help("build once without `--locked` and commit `uiap.lock`"),
        );
    } else if !unchanged && !session.diagnostics.has_errors() {
        *lock = Some(new);
    }
}

/// What has been chosen and read, and the packages that were put together already.
struct Graph<'g, 'd> {
    resolution: &'g Resolution<'d>,
    files: &'g HashMap<&'g str, Vec<LoadedFile<'d>>>,
    /// By package: the prefix it was put together under, and the result before any filter.
    done: HashMap<&'d str, (String, ManifestSet<'d>)>,
}

/// Adds the manifests of one import, with everything below it, under a prefix.
fn instantiate<'d>(
    session: &mut Session<'d, '_>,
    import: &Import<'d>,
    outer: &str,
    graph: &mut Graph<'_, 'd>,
    set: &mut ManifestSet<'d>,
) {
    let chosen = graph.resolution.chosen.get(import.package_id);
    let Some(candidate) = chosen.and_then(|index| graph.resolution.candidates.get(*index)) else { return };
    let Some(package) = &candidate.package else { return };
    let prefix = format!("{outer}{}:", import.alias);
    let known = graph.done.get(import.package_id).map(|(known, inner)| inner.renamed(known, &prefix));
    let mut inner = known.unwrap_or_else(|| {
        let inner = put_together(session, (import.package_id, package, candidate), &prefix, graph);
        graph.done.insert(import.package_id, (prefix.clone(), inner.clone()));
        inner
    });
    filter(session, import, &prefix, &mut inner);
    set.absorb(inner, &prefix);
}

/// A package with its imports, its discovery imports and its overlays. It is the same for everybody who imports it.
fn put_together<'d>(
    session: &mut Session<'d, '_>,
    (id, package, candidate): (&str, &Package<'d>, &Candidate<'d>),
    prefix: &str,
    graph: &mut Graph<'_, 'd>,
) -> ManifestSet<'d> {
    let mut inner = ManifestSet::default();
    for below in &package.imports {
        instantiate(session, below, prefix, graph, &mut inner);
    }
    for file in graph.files.get(id).into_iter().flatten() {
        if let Some(manifest) = file.manifest(prefix, package) {
            inner.push(manifest);
        } else if file.doc.is_none() {
            inner.absent.push(format!("{prefix}{}", file.id));
        }
    }
    let owner = format!("{id}@{}", candidate.label);
    discovery::apply_in(session, candidate.source.as_ref(), &mut inner, prefix, &owner);
    overlays::apply_in(session, &mut inner, prefix);
    inner
}

/// Leaves out what `include` does not name.
fn filter<'d>(session: &mut Session<'d, '_>, import: &Import<'d>, prefix: &str, set: &mut ManifestSet<'d>) {
    let Some(include) = import.node.get("include") else { return };
    let list =
        |key: &str| include.get(key).map(|list| list.items().filter_map(Node::as_str).collect::<Vec<_>>());
    let (kinds, ids) = (list("kinds"), list("manifestIds"));
    for node in include.get("manifestIds").into_iter().flat_map(Node::items) {
        let id = node.as_str().unwrap_or_default();
        if !set.index.contains_key(&format!("{prefix}{id}")) {
            let names: Vec<&str> = set.index.keys().filter_map(|name| name.strip_prefix(prefix)).collect();
            session.diagnostics.push(
                at_value(
                    codes::UNKNOWN_MANIFEST,
                    At::Node(node),
                    format!("package `{}` has no manifest `{id}`", import.package_id),
                )
                .meant(did_you_mean(id, names)),
            );
        }
    }
    let keeps = |manifest: &Manifest<'_>| {
        let own = manifest.id.strip_prefix(prefix).unwrap_or(&manifest.id);
        kinds.as_ref().is_none_or(|kinds| kinds.contains(&manifest.kind.as_str()))
            && ids.as_ref().is_none_or(|ids| ids.contains(&own))
    };
    let mut kept = 0;
    for manifest in &mut set.manifests {
        if keeps(manifest) {
            kept += usize::from(manifest.included);
        } else if manifest.kind != AuthoringKind::ReviewSet {
            manifest.included = false;
            manifest.instance = Instance::new();
            set.excluded.insert(manifest.id.clone(), At::Node(include).place());
        }
    }
    if kept == 0 {
        session.diagnostics.push(at_value(
            codes::EMPTY_IMPORT,
            At::Node(include),
            format!("`include` leaves nothing of package `{}`", import.package_id),
        ));
    }
}
