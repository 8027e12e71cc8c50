//! Step 3: read the manifests that the package lists, and only these. Spec: authoring §3, §4.1.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread;

use uiap_model::authoring::AuthoringKind;
use uiap_model::problem::Problem;
use uiap_model::shape::Strictness;

use super::Session;
use super::finding::{AlsoAt, at_file, at_value, focus, problem_at};
use super::inputs::{Input, text_digest};
use super::manifest::{Manifest, ManifestSet};
use super::package::{ManifestRef, Package, check_package_id};
use super::{identity, secrets};
use crate::diagnostic::{Diagnostics, Severity, codes, did_you_mean};
use crate::files::{PackageSource, ReadError};
use crate::semver::Version;
use crate::source::{Limits, Node, SourceDoc, SourceFile, parse_source};
use crate::tree::{At, Tree};

/// A file that a package lists, read and checked.
pub(crate) struct LoadedFile<'d> {
    pub(crate) id: &'d str,
    pub(crate) kind: AuthoringKind,
    pub(crate) path: String,
    /// Absent for an optional file that is not there, and for one that cannot be read.
    pub(crate) doc: Option<&'d SourceDoc>,
    pub(crate) missing: bool,
}

impl<'d> LoadedFile<'d> {
    /// The manifest under a prefix.
    pub(crate) fn manifest(&self, prefix: &str, package: &Package<'d>) -> Option<Manifest<'d>> {
        let doc = self.doc?;
        let version = doc.root().get("metadata").and_then(|metadata| metadata.get("version"));
        Some(Manifest {
            id: format!("{prefix}{}", self.id),
            prefix: prefix.to_owned(),
            kind: self.kind,
            tree: Tree::Source(doc.root()),
            doc,
            version: version.and_then(Node::as_str).unwrap_or(package.version).to_owned(),
            included: true,
            changed: false,
        })
    }
}

/// Adds the local manifests to the imported ones.
pub(crate) fn load<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    package: &Package<'d>,
    mut set: ManifestSet<'d>,
) -> ManifestSet<'d> {
    let files = read_all(session, source, package, "");
    for file in &files {
        if let Some(manifest) = file.manifest("", package) {
            set.push(manifest);
        } else if file.missing {
            set.absent.push(file.id.to_owned());
        } else {
            set.incomplete = true;
        }
    }
    report_strays(session, source, package);
    for manifest in &set.manifests {
        session.report.manifests.push(manifest.entry());
    }
    check_apps(session, package, &set);
    set
}

/// What a worker brings back from one file.
struct Read {
    doc: Option<SourceDoc>,
    diagnostics: Diagnostics,
    problems: Vec<Problem>,
    missing: bool,
}

/// Reads every listed file, in parallel where there are several.
pub(crate) fn read_all<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    package: &Package<'d>,
    owner: &str,
) -> Vec<LoadedFile<'d>> {
    let limits = session.options.limits;
    let mut reads: Vec<Option<Read>> = Vec::new();
    reads.resize_with(package.manifests.len(), || None);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    let chunk = package.manifests.len().div_ceil(workers).max(1);
    if package.manifests.len() < 4 || workers == 1 {
        for (slot, reference) in reads.iter_mut().zip(&package.manifests) {
            *slot = Some(read(source, reference, &limits));
        }
    } else {
        thread::scope(|scope| {
            for (slots, references) in reads.chunks_mut(chunk).zip(package.manifests.chunks(chunk)) {
                scope.spawn(move || {
                    for (slot, reference) in slots.iter_mut().zip(references) {
                        *slot = Some(read(source, reference, &limits));
                    }
                });
            }
        });
    }
    let mut out = Vec::new();
    for (reference, read) in package.manifests.iter().zip(reads.into_iter().flatten()) {
        session.diagnostics.append(read.diagnostics);
        let mut doc: Option<&'d SourceDoc> = None;
        if let Some(parsed) = read.doc {
            let kept = &*session.arena.alloc(parsed);
            for problem in &read.problems {
                session.diagnostics.push(problem_at(problem, At::Node(kept.root())));
            }
            check_identity(session, reference, kept, package);
            secrets::look(kept, &mut session.diagnostics);
            if session.options.provenance {
                let digest = text_digest(kept.file());
                session.inputs.push(Input {
                    package: owner.to_owned(),
                    path: reference.path.clone(),
                    digest,
                });
            }
            doc = Some(kept);
        }
        out.push(LoadedFile {
            id: reference.id,
            kind: reference.kind,
            path: reference.path.clone(),
            doc,
            missing: read.missing,
        });
    }
    out
}

fn read(source: &dyn PackageSource, reference: &ManifestRef<'_>, limits: &Limits) -> Read {
    let mut diagnostics = Diagnostics::new();
    let file = match source.read(&reference.path, limits) {
        Ok(file) => file,
        Err(error) => {
            let missing = report_unreadable(error, source, reference, &mut diagnostics);
            return Read { doc: None, diagnostics, problems: Vec::new(), missing };
        }
    };
    let parsed = parse_source(&file, limits);
    let problems = match &parsed.doc {
        Some(doc) => check_form(doc, &mut diagnostics),
        None => Vec::new(),
    };
    diagnostics.append(parsed.diagnostics);
    Read { doc: parsed.doc, diagnostics, problems, missing: false }
}

/// True when the file may be missing.
fn report_unreadable(
    error: ReadError,
    source: &dyn PackageSource,
    reference: &ManifestRef<'_>,
    diagnostics: &mut Diagnostics,
) -> bool {
    let at = At::Node(reference.node.get("path").unwrap_or(reference.node));
    let path = &reference.path;
    match error {
        ReadError::Missing if !reference.required => {
            let message = format!("optional manifest `{path}` is not there");
            diagnostics.push(at_value(codes::OPTIONAL_MANIFEST_MISSING, at, message));
            return true;
        }
        ReadError::Missing => {
            let listed = source.list();
            let near = did_you_mean(path, listed.iter().map(String::as_str));
            diagnostics.push(
                at_value(codes::MANIFEST_MISSING, at, format!("`{path}` does not exist"))
                    .meant(near)
                    .note("a manifest that may be missing has `required: false`"),
            );
        }
        ReadError::Outside => diagnostics.push(
            at_value(codes::UNSAFE_PATH, at, format!("`{path}` is not allowed: it leads out of the package"))
                .help("links that leave the package root are not followed"),
        ),
        ReadError::Unusable(diagnostic) => diagnostics.push(*diagnostic),
    }
    false
}

/// The envelope and the form of its kind.
fn check_form(doc: &SourceDoc, diagnostics: &mut Diagnostics) -> Vec<Problem> {
    let root = doc.root();
    let Some(kind_at) = root.get("kind") else {
        diagnostics.push(
            at_file(codes::NO_KIND, doc.file(), "`kind` is missing")
                .help(format!("expected one of {}", AuthoringKind::NAMES.join(", "))),
        );
        return Vec::new();
    };
    let name = kind_at.as_str().unwrap_or_default();
    let Some(kind) = AuthoringKind::parse(name).and_then(|kind| uiap_model::document::kind(kind.as_str()))
    else {
        diagnostics.push(
            at_value(codes::NOT_A_KIND, At::Node(kind_at), format!("`{name}` is no kind of manifest"))
                .help(format!("expected one of {}", AuthoringKind::NAMES.join(", ")))
                .meant(did_you_mean(name, AuthoringKind::NAMES.iter().copied())),
        );
        return Vec::new();
    };
    crate::fit::problems(root, (kind.shape)(), Strictness::Authored)
}

/// The file says the same as the line of the package that names it.
fn check_identity(
    session: &mut Session<'_, '_>,
    reference: &ManifestRef<'_>,
    doc: &SourceDoc,
    package: &Package<'_>,
) {
    let root = doc.root();
    let diagnostics = &mut session.diagnostics;
    let metadata = root.get("metadata");
    let stated = |key: &str| reference.node.get(key).map_or(At::Node(reference.node), At::Node);
    if let Some(kind) = root.get("kind")
        && kind.as_str() != Some(reference.kind.as_str())
        && kind.as_str().is_some_and(|name| AuthoringKind::parse(name).is_some())
    {
        let found = kind.as_str().unwrap_or_default();
        let message =
            format!("the file has kind `{found}`, the package lists it as `{}`", reference.kind.as_str());
        diagnostics.push(
            at_value(codes::KIND_MISMATCH, At::Node(kind), message).also(stated("kind"), "listed here"),
        );
    }
    if let Some(id) = metadata.and_then(|metadata| metadata.get("id")) {
        identity::check(At::Node(id), diagnostics);
        if id.as_str().is_some_and(|text| text != reference.id) {
            let message =
                format!("the file has id `{}`, the package lists it as `{}`", id.raw(), reference.id);
            diagnostics
                .push(at_value(codes::ID_MISMATCH, At::Node(id), message).also(stated("id"), "listed here"));
        }
    }
    check_package_id(metadata.and_then(|metadata| metadata.get("packageId")), package.id, diagnostics);
    if let Some(version) = metadata.and_then(|metadata| metadata.get("version"))
        && let Some(text) = version.as_str().filter(|text| Version::parse(text).is_none())
    {
        diagnostics.push(
            at_value(codes::BAD_VERSION, At::Node(version), format!("`{text}` is no version"))
                .help("write three numbers such as `0.1.0`"),
        );
    }
    if root.get("status").and_then(|status| status.get("provenance")).is_none() && session.strict {
        let severity = Severity::Info;
        diagnostics.push(
            at_file(
                codes::NO_PROVENANCE,
                doc.file(),
                "the manifest does not say where its content comes from",
            )
            .severity(severity)
            .help("add `status.provenance`"),
        );
    }
}

/// Files that look like manifests and are not listed have no effect; better said than wondered about.
fn report_strays(session: &mut Session<'_, '_>, source: &dyn PackageSource, package: &Package<'_>) {
    let listed: HashSet<&str> = package.manifests.iter().map(|reference| reference.path.as_str()).collect();
    let own = package.root.doc().file().name().rsplit('/').next().unwrap_or_default();
    for path in source.list() {
        if !listed.contains(path.as_str()) && path != own && !path.contains("/package.uiap.") {
            let place: Arc<SourceFile> = SourceFile::without_text(source.display_name(&path));
            session.diagnostics.push(
                at_file(codes::STRAY_MANIFEST, &place, format!("`{path}` is not part of the package"))
                    .help("list it in `spec.manifests`, or move it away"),
            );
        }
    }
}

/// Exactly one App, here or imported. Spec: authoring §4.1, §7.1; decision D29.
fn check_apps(session: &mut Session<'_, '_>, package: &Package<'_>, set: &ManifestSet<'_>) {
    let apps: Vec<&Manifest<'_>> = set.of_kind(AuthoringKind::App).collect();
    let place = At::Node(package.get("manifests").unwrap_or(package.spec));
    match apps.as_slice() {
        [] if set.incomplete => {}
        [] => {
            let mut diagnostic = at_value(codes::NO_APP, place, "the package has no App");
            let hidden = set.manifests.iter().find(|m| m.kind == AuthoringKind::App && !m.included);
            diagnostic = match hidden.and_then(|app| set.excluded.get(&app.id).map(|place| (app, place))) {
                Some((app, place)) => diagnostic.secondary(
                    &place.file,
                    place.span,
                    format!("`{}` is left out by this filter", app.id),
                ),
                None => diagnostic.help("list a manifest of kind App, or import a package that has one"),
            };
            session.diagnostics.push(diagnostic);
        }
        [app] => {
            let targeted = || {
                let overlays = set.of_kind(AuthoringKind::Overlay).filter(|overlay| !overlay.is_imported());
                let patches =
                    overlays.flat_map(|o| o.spec().into_iter().flat_map(|spec| spec.list("patches")));
                patches.into_iter().any(|patch| patch.text("manifestId") == Some(app.id.as_str()))
            };
            if app.is_imported() && !targeted() {
                session.diagnostics.push(
                    at_value(
                        codes::APP_WITHOUT_OVERLAY,
                        place,
                        format!("the App `{}` is imported as it is", app.id),
                    )
                    .help("adapt it with an overlay, or write an App of your own"),
                );
            }
        }
        [first, rest @ ..] => {
            let mut diagnostic = at_value(
                codes::SEVERAL_APPS,
                first.at().get("kind").unwrap_or(first.at()),
                format!("found {} Apps, expected exactly one", apps.len()),
            );
            for app in rest {
                let at = app.at().get("kind").unwrap_or(app.at());
                diagnostic =
                    diagnostic.secondary(at.file(), focus(at), format!("`{}` is another App", app.id));
            }
            let imported = apps.iter().any(|app| app.is_imported());
            let help = if imported {
                "leave the imported App out: list the other kinds in `include.kinds` of the import"
            } else {
                "keep one App"
            };
            session.diagnostics.push(diagnostic.help(help));
        }
    }
    check_unique(session, set);
}

/// A manifest id stands for one manifest. The package's list is checked before; this is about the files.
fn check_unique(session: &mut Session<'_, '_>, set: &ManifestSet<'_>) {
    let mut seen: HashMap<(&str, &str), At<'_>> = HashMap::new();
    for manifest in &set.manifests {
        let Some(id) = manifest.at().descend(&["metadata", "id"]) else { continue };
        let Some(text) = id.as_str() else { continue };
        if let Some(first) = seen.insert((manifest.prefix.as_str(), text), id) {
            session.diagnostics.push(
                at_value(codes::DUPLICATE_MANIFEST, id, format!("manifest id `{text}` is used twice"))
                    .also(first, "first used here")
                    .help("ids are unique within a package"),
            );
        }
    }
}
