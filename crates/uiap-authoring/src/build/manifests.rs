//! Step 3: read the manifests that the package lists, and only these. Spec: authoring §3, §4.1.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use uiap_model::authoring::AuthoringKind;

use super::Session;
use super::cache::{Entry, Store};
use super::finding::{AlsoAt, at_file, at_value, focus};
use super::identity;
use super::inputs::Input;
use super::manifest::{Instance, Manifest, ManifestSet};
use super::package::{ManifestRef, Package, check_package_id};
use crate::diagnostic::{Diagnostics, Severity, codes, did_you_mean};
use crate::files::{PackageSource, ReadError};
use crate::semver::Version;
use crate::source::{Node, SourceDoc, SourceFile};
use crate::tree::{At, Tree};

/// A file that a package lists, read and checked.
pub(crate) struct LoadedFile<'d> {
    pub(crate) id: &'d str,
    pub(crate) kind: AuthoringKind,
    pub(crate) path: String,
    /// Absent for an optional file that is not there, and for one that cannot be read.
    pub(crate) entry: Option<&'d Entry>,
    pub(crate) doc: Option<&'d SourceDoc>,
    pub(crate) missing: bool,
}

impl<'d> LoadedFile<'d> {
    /// The manifest under a prefix.
    pub(crate) fn manifest(&self, prefix: &str, package: &Package<'d>) -> Option<Manifest<'d>> {
        let (entry, doc) = (self.entry?, self.doc?);
        let version = doc.root().get("metadata").and_then(|metadata| metadata.get("version"));
        Some(Manifest {
            id: format!("{prefix}{}", self.id),
            prefix: prefix.to_owned(),
            kind: self.kind,
            tree: Tree::Source(doc.root()),
            doc,
            entry,
            version: version.and_then(Node::as_str).unwrap_or(package.version).to_owned(),
            included: true,
            patched: false,
            instance: Instance::new(),
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
        let entry = manifest.entry();
        if entry.provenance.is_empty() && !manifest.is_imported() {
            session.report.without_provenance.push(entry.id.clone());
        }
        session.report.manifests.push(entry);
    }
    check_apps(session, package, &set);
    set
}

/// What a worker brings back from one file.
enum Read {
    Found(Arc<Entry>),
    /// Not there or not readable, and whether it may be.
    Lost(Diagnostics, bool),
}

/// Reads every listed file, in parallel where there are several.
pub(crate) fn read_all<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    package: &Package<'d>,
    owner: &str,
) -> Vec<LoadedFile<'d>> {
    let mut out = Vec::new();
    for (reference, read) in package.manifests.iter().zip(read_each(session.store, source, package, owner)) {
        let mut file = LoadedFile {
            id: reference.id,
            kind: reference.kind,
            path: reference.path.clone(),
            entry: None,
            doc: None,
            missing: false,
        };
        match read {
            Read::Found(entry) => {
                let entry: &'d Entry = session.arena.alloc(entry);
                let judged = session.store.manifest(entry);
                session.diagnostics.append(judged.diagnostics.clone());
                file.entry = Some(entry);
                file.doc = judged.doc.as_ref();
                if let Some(doc) = file.doc {
                    check_identity(session, reference, doc, package);
                    note_input(session, owner, &reference.path, entry);
                }
            }
            Read::Lost(diagnostics, may_be_missing) => {
                session.diagnostics.append(diagnostics);
                file.missing = may_be_missing;
            }
        }
        out.push(file);
    }
    out
}

/// Remembers a file for the provenance, when that is asked for.
pub(crate) fn note_input(session: &mut Session<'_, '_>, owner: &str, path: &str, entry: &Entry) {
    if session.options.provenance {
        let digest = entry.digest().to_owned();
        session.inputs.push(Input { package: owner.to_owned(), path: path.to_owned(), digest });
    }
}

/// Files that a wrong path may have meant: listed once, and not for every one of a thousand wrong paths.
#[derive(Default)]
struct Strays {
    listed: OnceLock<Vec<String>>,
    guesses: AtomicUsize,
}

impl Strays {
    fn near(&self, source: &dyn PackageSource, path: &str) -> Option<String> {
        if self.guesses.fetch_add(1, Ordering::Relaxed) >= Diagnostics::SHOWN {
            return None;
        }
        let listed = self.listed.get_or_init(|| source.list());
        did_you_mean(path, listed.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// The files in the order of the list, whichever worker was first.
fn read_each(store: &Store, source: &dyn PackageSource, package: &Package<'_>, owner: &str) -> Vec<Read> {
    let (list, strays) = (&package.manifests, Strays::default());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8).min(list.len());
    if list.len() < 4 || workers == 1 {
        return list.iter().map(|reference| read(store, source, reference, owner, &strays)).collect();
    }
    let next = AtomicUsize::new(0);
    let slots: Vec<OnceLock<Read>> = list.iter().map(|_| OnceLock::new()).collect();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((slot, reference)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    slots.get(index).zip(list.get(index))
                } {
                    slot.get_or_init(|| read(store, source, reference, owner, &strays));
                }
            });
        }
    });
    slots.into_iter().filter_map(OnceLock::into_inner).collect()
}

fn read(
    store: &Store,
    source: &dyn PackageSource,
    reference: &ManifestRef<'_>,
    owner: &str,
    strays: &Strays,
) -> Read {
    match store.fetch(source, owner, &reference.path) {
        Ok(entry) => {
            store.manifest(&entry);
            Read::Found(entry)
        }
        Err(error) => {
            let mut diagnostics = Diagnostics::new();
            let may_be_missing = report_unreadable(error, source, reference, strays, &mut diagnostics);
            Read::Lost(diagnostics, may_be_missing)
        }
    }
}

/// True when the file may be missing.
fn report_unreadable(
    error: ReadError,
    source: &dyn PackageSource,
    reference: &ManifestRef<'_>,
    strays: &Strays,
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
            let near = strays.near(source, path);
            diagnostics.push(
                at_value(codes::MANIFEST_MISSING, at, format!("`{path}` does not exist"))
                    .meant(near.as_deref())
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
