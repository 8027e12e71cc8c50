//! Step 1: find and read the Package manifest. Spec: authoring §4.1.

use std::collections::HashMap;
use std::sync::Arc;

use uiap_model::authoring::AuthoringKind;
use uiap_model::shape::Strictness;

use super::Session;
use super::cache::Entry;
use super::finding::{AlsoAt, at_file, at_value, problem_at};
use super::identity;
use super::manifests::note_input;
use super::selector;
use crate::diagnostic::{Diagnostics, Fix, Severity, codes};
use crate::files::{PackageSource, PathFault, ReadError, check_path, plain_path};
use crate::semver::{Range, Version};
use crate::source::{Node, NodeKind, SourceFile};
use crate::tree::At;

/// The version of the core protocol that bundles are built for.
const CORE: (u64, u64, u64) = (0, 1, 0);

/// Extensions that this implementation knows, all at version 0.1.
const EXTENSIONS: &[&str] = &["uiap.policy", "uicp.policy", "uiap.workflow", "uiap.discovery"];

/// A package as its manifest describes it.
pub(crate) struct Package<'d> {
    pub(crate) root: Node<'d>,
    pub(crate) spec: Node<'d>,
    pub(crate) id: &'d str,
    pub(crate) version: &'d str,
    pub(crate) imports: Vec<Import<'d>>,
    pub(crate) manifests: Vec<ManifestRef<'d>>,
}

/// One import.
pub(crate) struct Import<'d> {
    pub(crate) package_id: &'d str,
    pub(crate) range: Range,
    pub(crate) alias: &'d str,
    pub(crate) node: Node<'d>,
}

/// One line of the manifest list.
pub(crate) struct ManifestRef<'d> {
    pub(crate) id: &'d str,
    pub(crate) kind: AuthoringKind,
    pub(crate) path: String,
    pub(crate) required: bool,
    pub(crate) node: Node<'d>,
}

impl<'d> Package<'d> {
    /// A member of the spec.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'d>> {
        self.spec.get(key)
    }
}

/// Finds the manifest of the package at the root of `source` and reads it.
pub(crate) fn load<'d>(session: &mut Session<'d, '_>, source: &dyn PackageSource) -> Option<Package<'d>> {
    let file = find(session, source)?;
    load_file(session, source, &file, "")
}

/// Every file in the root that holds a Package; there must be exactly one.
fn find(session: &mut Session<'_, '_>, source: &dyn PackageSource) -> Option<String> {
    let listed = source.list();
    let roots = listed.into_iter().filter(|path| !path.contains('/'));
    let mut found = Vec::new();
    for path in roots {
        match session.store.fetch(source, "", &path) {
            Ok(entry) if is_package(&entry.file) => found.push((path, Arc::clone(&entry.file))),
            Err(ReadError::Unusable(diagnostic)) if path.starts_with("package.") => {
                session.diagnostics.push(*diagnostic);
                return None;
            }
            _ => {}
        }
    }
    match found.as_slice() {
        [(path, _)] => Some(path.clone()),
        [] => {
            let place = SourceFile::without_text(source.display_name("package.uiap.yaml"));
            session.diagnostics.push(
                at_file(codes::NO_PACKAGE, &place, "found 0 Package manifests, expected exactly one").help(
                    "write `package.uiap.yaml` in the root of the package, or create one with `uiap init`",
                ),
            );
            None
        }
        [(_, first), rest @ ..] => {
            let mut diagnostic = at_file(
                codes::SEVERAL_PACKAGES,
                first,
                format!("found {} Package manifests, expected exactly one", found.len()),
            );
            for (_, file) in rest {
                diagnostic =
                    diagnostic.secondary(file, crate::source::Span::default(), "another Package manifest");
            }
            session
                .diagnostics
                .push(diagnostic.help("keep one, and list other manifests in its `spec.manifests`"));
            None
        }
    }
}

/// A cheap look: a large manifest in the root is not parsed twice.
fn is_package(file: &SourceFile) -> bool {
    let is_kind = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['{', ',', '"', '\'', ' ']);
        let value = rest.strip_prefix("kind").map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
        value.and_then(|rest| rest.strip_prefix(':')).is_some_and(|value| {
            let word: String = value
                .trim_start_matches([' ', '"', '\''])
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            word == "Package"
        })
    };
    let indented = |line: &str| line.starts_with([' ', '\t']) && !file.text().trim_start().starts_with('{');
    let name = file.name().rsplit('/').next().unwrap_or_default();
    name.starts_with("package.uiap.")
        || file.text().lines().take(400).any(|line| !indented(line) && is_kind(line))
}

/// Reads one Package manifest; also used for imported packages.
pub(crate) fn load_file<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    path: &str,
    owner: &str,
) -> Option<Package<'d>> {
    let entry = match session.store.fetch(source, owner, path) {
        Ok(entry) => entry,
        Err(error) => {
            let place = SourceFile::without_text(source.display_name(path));
            session.diagnostics.push(match error {
                ReadError::Unusable(diagnostic) => *diagnostic,
                other => at_file(codes::UNREADABLE, &place, format!("cannot read `{path}`: {other}")),
            });
            return None;
        }
    };
    let entry: &'d Entry = session.arena.alloc(entry);
    note_input(session, owner, path, entry);
    let judged = session.store.plain(entry);
    session.diagnostics.append(judged.diagnostics.clone());
    let (doc, broken) = (judged.doc.as_ref()?, judged.broken);
    let sound = !broken && check_shape(doc.root(), &mut session.diagnostics);
    if !sound {
        return None;
    }
    let root = doc.root();
    let spec = root.get("spec")?;
    let package = Package {
        root,
        spec,
        id: spec.get("packageId")?.as_str()?,
        version: spec.get("version")?.as_str()?,
        imports: imports(spec, &mut session.diagnostics),
        manifests: manifest_refs(spec, &mut session.diagnostics),
    };
    check_names(&package, &mut session.diagnostics);
    check_compatibility(&package, &mut session.diagnostics);
    Some(package)
}

/// The form; unknown options of `build` are welcome with a warning (decision D3).
fn check_shape(root: Node<'_>, diagnostics: &mut Diagnostics) -> bool {
    let Some(kind) = uiap_model::document::kind("Package") else { return false };
    let mut sound = true;
    for problem in crate::fit::problems(root, (kind.shape)(), Strictness::Authored) {
        let mut diagnostic = problem_at(&problem, At::Node(root));
        let in_build = problem.pointer.starts_with("/spec/build/") && problem.code.0 == "UIAP-M002";
        if in_build {
            diagnostic = diagnostic.severity(Severity::Warning);
        }
        if problem.pointer.ends_with("/version") && root.pointer(&problem.pointer).is_some_and(is_number) {
            diagnostic = quote_version(diagnostic, root, &problem.pointer);
        }
        sound &= diagnostic.severity != Severity::Error;
        diagnostics.push(diagnostic);
    }
    sound
}

fn is_number(node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::Int | NodeKind::Float)
}

/// YAML reads `0.1` as a number; the repair is a pair of quotes.
fn quote_version(
    diagnostic: crate::diagnostic::Diagnostic,
    root: Node<'_>,
    pointer: &str,
) -> crate::diagnostic::Diagnostic {
    let Some(node) = root.pointer(pointer) else { return diagnostic };
    let quoted = format!("\"{}\"", node.raw());
    let fix = Fix::replace("quote the version", node.doc().file(), node.span(), quoted.clone());
    diagnostic.help(format!("quote it: {quoted}")).fix(fix)
}

fn imports<'d>(spec: Node<'d>, diagnostics: &mut Diagnostics) -> Vec<Import<'d>> {
    let mut aliases: HashMap<&str, Node<'_>> = HashMap::new();
    let mut out = Vec::new();
    for node in spec.get("imports").into_iter().flat_map(Node::items) {
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
        let (alias, package_id) = (text("alias"), text("packageId"));
        if let Some(at) = node.get("alias") {
            identity::check(At::Node(at), diagnostics);
            if let Some(first) = aliases.insert(alias, at) {
                diagnostics.push(
                    at_value(codes::DUPLICATE_ALIAS, At::Node(at), format!("alias `{alias}` is used twice"))
                        .also(At::Node(first), "first used here")
                        .help("give each import an alias of its own"),
                );
            }
        }
        let Some(range_at) = node.get("versionRange") else { continue };
        match Range::parse(text("versionRange")) {
            Ok(range) => out.push(Import { package_id, range, alias, node }),
            Err(error) => bad_range(range_at, &error, diagnostics),
        }
    }
    out
}

/// A range with a mistake, shown at its token.
fn bad_range(node: Node<'_>, error: &crate::semver::RangeError, diagnostics: &mut Diagnostics) {
    let span = node.span();
    let quote = u32::from(node.raw().starts_with(['"', '\'']));
    let start = span.start + quote + u32::try_from(error.offset).unwrap_or(0);
    let end = start + u32::try_from(error.token.len()).unwrap_or(0);
    let token = crate::source::Span::new(start, end.min(span.end));
    diagnostics.push(
        crate::diagnostic::Diagnostic::new(
            codes::BAD_RANGE,
            format!("`{}` is no version range: {error}", node.as_str().unwrap_or_default()),
            node.doc().file(),
            token,
        )
        .help("write a range such as `>=0.1 <0.2`, `^1.2.0` or `1.x`"),
    );
}

fn manifest_refs<'d>(spec: Node<'d>, diagnostics: &mut Diagnostics) -> Vec<ManifestRef<'d>> {
    let mut out: Vec<ManifestRef<'d>> = Vec::new();
    let mut ids: HashMap<&str, Node<'_>> = HashMap::new();
    let mut paths: HashMap<String, Node<'_>> = HashMap::new();
    for node in spec.get("manifests").into_iter().flat_map(Node::items) {
        let text = |key: &str| node.get(key).and_then(Node::as_str);
        let (Some(id), Some(kind), Some(path)) = (text("id"), text("kind"), text("path")) else { continue };
        let (Some(id_at), Some(path_at)) = (node.get("id"), node.get("path")) else { continue };
        identity::check(At::Node(id_at), diagnostics);
        if let Some(first) = ids.insert(id, id_at) {
            diagnostics.push(
                at_value(
                    codes::DUPLICATE_MANIFEST,
                    At::Node(id_at),
                    format!("manifest id `{id}` is listed twice"),
                )
                .also(At::Node(first), "first listed here"),
            );
        }
        if let Err(fault) = check_path(path) {
            unsafe_path(path_at, path, fault, diagnostics);
            continue;
        }
        let path = plain_path(path);
        check_same_file(&path, path_at, &mut paths, diagnostics);
        let Some(kind) = AuthoringKind::parse(kind) else { continue };
        let required = node.get("required").and_then(Node::as_bool).unwrap_or(true);
        out.push(ManifestRef { id, kind, path, required, node });
    }
    out
}

pub(crate) fn unsafe_path(at: Node<'_>, path: &str, fault: PathFault, diagnostics: &mut Diagnostics) {
    diagnostics.push(
        at_value(codes::UNSAFE_PATH, At::Node(at), format!("`{path}` is not allowed: {fault}"))
            .help("use a path below the package root, such as `bindings/elements.uiap.yaml`"),
    );
}

fn check_same_file<'d>(
    path: &str,
    at: Node<'d>,
    paths: &mut HashMap<String, Node<'d>>,
    diagnostics: &mut Diagnostics,
) {
    let folded = path.to_lowercase();
    let Some(first) = paths.insert(folded, at) else { return };
    let same = first.as_str().map(plain_path).as_deref() == Some(path);
    let (code, message) = if same {
        (codes::DUPLICATE_PATH, format!("`{path}` is listed twice"))
    } else {
        (codes::PATH_CASE, format!("`{path}` differs from another path only in case"))
    };
    diagnostics.push(at_value(code, At::Node(at), message).also(At::Node(first), "the other reference"));
}

fn check_names(package: &Package<'_>, diagnostics: &mut Diagnostics) {
    let at = |key: &str| package.spec.get(key).map(At::Node);
    let metadata = package.root.get("metadata");
    if let Some(id) = at("packageId") {
        identity::check(id, diagnostics);
        let stated = metadata.and_then(|metadata| metadata.get("packageId"));
        check_package_id(stated, package.id, diagnostics);
    }
    if let Some(id) = metadata.and_then(|metadata| metadata.get("id")) {
        identity::check(At::Node(id), diagnostics);
    }
    let Some(spec_version) = at("version") else { return };
    if Version::parse(package.version).is_none() {
        diagnostics.push(
            at_value(codes::BAD_VERSION, spec_version, format!("`{}` is no version", package.version))
                .help("write three numbers such as `0.1.0`, without `v` and without leading zeros"),
        );
    }
    match metadata.and_then(|metadata| metadata.get("version")) {
        None => {
            let place = metadata.map_or(At::Node(package.root), At::Node);
            diagnostics.push(
                at_value(codes::NO_PACKAGE_VERSION, place, "a Package states `metadata.version`")
                    .help(format!("add `version: {}` to `metadata`", package.version)),
            );
        }
        Some(version) if version.as_str() != Some(package.version) => diagnostics.push(
            at_value(
                codes::VERSION_MISMATCH,
                At::Node(version),
                format!("`metadata.version` is `{}`, `spec.version` is `{}`", version.raw(), package.version),
            )
            .also(spec_version, "the version of the package"),
        ),
        Some(_) => {}
    }
}

/// A manifest that says to which package it belongs says the truth.
pub(crate) fn check_package_id(stated: Option<Node<'_>>, package_id: &str, diagnostics: &mut Diagnostics) {
    if let Some(at) = stated
        && let Some(text) = at.as_str().filter(|text| *text != package_id)
    {
        diagnostics.push(at_value(
            codes::FOREIGN_MANIFEST,
            At::Node(at),
            format!("`metadata.packageId` is `{text}`, the package is `{package_id}`"),
        ));
    }
}

fn check_compatibility(package: &Package<'_>, diagnostics: &mut Diagnostics) {
    let Some(spec) = package.get("compatibility") else { return };
    let core = Version::new(CORE.0, CORE.1, CORE.2);
    if let Some(at) = spec.get("uiapCore")
        && let Some(range) = read_range(at, diagnostics)
        && !range.contains(&core)
    {
        diagnostics.push(at_value(
            codes::INCOMPATIBLE,
            At::Node(at),
            format!("the package needs core `{range}`, this tool builds for core {core}"),
        ));
    }
    for extension in spec.get("extensions").into_iter().flat_map(Node::items) {
        check_extension(extension, &core, diagnostics);
    }
    if let Some(at) = spec.get("sdk").and_then(|sdk| sdk.get("web")) {
        read_range(at, diagnostics);
    }
    for entry in spec.get("appVersions").into_iter().flat_map(Node::items) {
        selector::check_range(At::Node(entry), diagnostics);
    }
}

fn read_range(at: Node<'_>, diagnostics: &mut Diagnostics) -> Option<Range> {
    match Range::parse(at.as_str()?) {
        Ok(range) => Some(range),
        Err(error) => {
            bad_range(at, &error, diagnostics);
            None
        }
    }
}

fn check_extension(extension: Node<'_>, version: &Version, diagnostics: &mut Diagnostics) {
    let Some(id_at) = extension.get("id") else { return };
    let id = id_at.as_str().unwrap_or_default();
    let required = extension.get("required").and_then(Node::as_bool).unwrap_or(false);
    let range = extension.get("range").and_then(|at| Some((at, read_range(at, diagnostics)?)));
    let fault = if EXTENSIONS.contains(&id) {
        range.filter(|(_, range)| !range.contains(version)).map(|(at, range)| {
            (at, format!("extension `{id}` is known in version {version}, the package needs `{range}`"))
        })
    } else {
        Some((id_at, format!("extension `{id}` is not known")))
    };
    if let Some((at, message)) = fault {
        let severity = if required { Severity::Error } else { Severity::Warning };
        let known = EXTENSIONS.iter().copied();
        diagnostics.push(
            at_value(codes::UNKNOWN_EXTENSION, At::Node(at), message)
                .severity(severity)
                .meant(crate::diagnostic::did_you_mean(id, known)),
        );
    }
}
