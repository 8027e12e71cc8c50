//! One manifest on its way through the steps, and the set that a package brings together.

use std::collections::HashMap;
use std::rc::Rc;

use uiap_model::authoring::AuthoringKind;

use super::cache::Entry;
use super::history::Step;
use super::report::{AppliedPatch, ManifestEntry};
use crate::diagnostic::did_you_mean;
use crate::source::{Node, SourceDoc};
use crate::tree::{At, Place, Tree};

/// A manifest.
#[derive(Clone)]
pub(crate) struct Manifest<'d> {
    /// `id`, or `alias:id` for an imported one.
    pub(crate) id: String,
    /// `""`, or `alias:`; what the manifest's own references are relative to.
    pub(crate) prefix: String,
    pub(crate) kind: AuthoringKind,
    /// The whole document as it stands after the steps so far.
    pub(crate) tree: Tree<'d>,
    /// The document as it was read.
    pub(crate) doc: &'d SourceDoc,
    /// Its file, with what is known about it.
    pub(crate) entry: &'d Entry,
    /// Its own version or that of its package.
    pub(crate) version: String,
    /// False for what an import filter left out; locale packs and reviews of the import still serve it.
    pub(crate) included: bool,
    /// Whether discovery or an overlay changed it.
    pub(crate) patched: bool,
    /// Equal for copies of one state of a manifest: the same import reached on two ways.
    pub(crate) instance: Instance,
}

/// An identity that every change renews.
#[derive(Clone)]
pub(crate) struct Instance(Rc<()>);

impl Instance {
    pub(crate) fn new() -> Self {
        Self(Rc::new(()))
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<'d> Manifest<'d> {
    /// Notes a change.
    pub(crate) fn touch(&mut self) {
        self.patched = true;
        self.instance = Instance::new();
    }

    /// The document.
    pub(crate) fn at(&self) -> At<'_> {
        self.tree.at()
    }

    /// The `spec` of the document.
    pub(crate) fn spec(&self) -> Option<At<'_>> {
        self.at().get("spec")
    }

    /// The `spec` as it was read.
    pub(crate) fn source_spec(&self) -> Option<Node<'d>> {
        self.doc.root().get("spec")
    }

    /// Whether it comes from another package.
    pub(crate) fn is_imported(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// For the report.
    pub(crate) fn entry(&self) -> ManifestEntry {
        let records = self.at().descend(&["status", "provenance"]).into_iter().flat_map(At::items);
        let origins = records.filter_map(|record| {
            let source = record.text("source")?;
            Some(record.text("ref").map_or(source.to_owned(), |reference| format!("{source}:{reference}")))
        });
        ManifestEntry {
            id: self.id.clone(),
            kind: self.kind.as_str().to_owned(),
            version: self.version.clone(),
            provenance: origins.collect(),
        }
    }
}

/// Everything that a package brings together: imported manifests first, then its own in the order of its list.
#[derive(Clone, Default)]
pub(crate) struct ManifestSet<'d> {
    pub(crate) manifests: Vec<Manifest<'d>>,
    pub(crate) index: HashMap<String, usize>,
    /// What import filters left out, with the filter's place.
    pub(crate) excluded: HashMap<String, Place>,
    /// Patches that imported packages applied to themselves: manifest and path.
    pub(crate) import_patches: HashMap<(String, String), AppliedPatch>,
    /// Manifests that an optional reference named and that are not there.
    pub(crate) absent: Vec<String>,
    /// What patches did, in order; kept only when somebody asks where a value comes from.
    pub(crate) history: Vec<Step<'d>>,
    /// Overlays that fit, as indices.
    pub(crate) applied_overlays: Vec<usize>,
    /// Workflows whose meaning an overlay changed: manifest, workflow, overlay.
    pub(crate) reinterpreted: Vec<(usize, String, usize)>,
    /// Whether a manifest could not be read at all.
    pub(crate) incomplete: bool,
    /// Items that came from discovery without a review of their own.
    pub(crate) discovered: Vec<Discovered>,
}

/// An item that a discovery import brought in.
#[derive(Clone, Debug)]
pub(crate) struct Discovered {
    pub(crate) manifest: String,
    pub(crate) item: String,
    pub(crate) run: String,
    /// Whether the discovery itself doubted it: unsafe or low confidence.
    pub(crate) doubtful: bool,
    pub(crate) place: Place,
}

impl<'d> ManifestSet<'d> {
    /// Takes over what an import brought. A private manifest that is here already, by another way and in the same
    /// state, is not taken twice: a lattice of imports has exponentially many ways.
    pub(crate) fn absorb(&mut self, mut inner: Self, prefix: &str) {
        let mut places: Vec<usize> = Vec::with_capacity(inner.manifests.len());
        for manifest in inner.manifests {
            let known = (manifest.prefix != prefix)
                .then(|| self.manifests.iter().position(|own| own.instance.same(&manifest.instance)))
                .flatten();
            places.push(known.unwrap_or(self.manifests.len()));
            if known.is_none() {
                self.push(manifest);
            }
        }
        let place = |index: usize| places.get(index).copied().unwrap_or(usize::MAX);
        for overlay in inner.applied_overlays.into_iter().map(place) {
            if !self.applied_overlays.contains(&overlay) {
                self.applied_overlays.push(overlay);
            }
        }
        let moved = inner.reinterpreted.into_iter();
        self.reinterpreted.extend(moved.map(|(manifest, id, overlay)| (place(manifest), id, place(overlay))));
        self.history.extend(inner.history.into_iter().map(|step| step.moved(place)));
        self.absent.append(&mut inner.absent);
        self.excluded.extend(inner.excluded);
        self.import_patches.extend(inner.import_patches);
        for found in inner.discovered {
            if self.index.contains_key(&found.manifest) {
                self.discovered.push(found);
            }
        }
    }

    /// The same set under another prefix.
    pub(crate) fn renamed(&self, old: &str, new: &str) -> Self {
        let rename =
            |id: &str| id.strip_prefix(old).map_or_else(|| id.to_owned(), |rest| format!("{new}{rest}"));
        let mut out = self.clone();
        for manifest in &mut out.manifests {
            manifest.id = rename(&manifest.id);
            manifest.prefix = rename(&manifest.prefix);
        }
        out.index =
            out.manifests.iter().enumerate().map(|(at, manifest)| (manifest.id.clone(), at)).collect();
        out.excluded = out.excluded.into_iter().map(|(id, place)| (rename(&id), place)).collect();
        let patches = out.import_patches.into_iter();
        out.import_patches = patches.map(|((id, path), patch)| ((rename(&id), path), patch)).collect();
        out.absent.iter_mut().for_each(|id| *id = rename(id));
        out.discovered.iter_mut().for_each(|found| found.manifest = rename(&found.manifest));
        out
    }

    /// Adds a manifest; the caller has checked the id.
    pub(crate) fn push(&mut self, manifest: Manifest<'d>) {
        self.index.insert(manifest.id.clone(), self.manifests.len());
        self.manifests.push(manifest);
    }

    /// Manifests of one kind that take part.
    pub(crate) fn of_kind(&self, kind: AuthoringKind) -> impl Iterator<Item = &Manifest<'d>> {
        self.manifests.iter().filter(move |manifest| manifest.kind == kind && manifest.included)
    }

    /// The one App, or the first of several.
    pub(crate) fn app(&self) -> Option<&Manifest<'d>> {
        self.of_kind(AuthoringKind::App).next()
    }

    /// Why a reference to a manifest leads nowhere: a help line.
    pub(crate) fn hint(&self, id: &str, prefix: &str) -> Option<String> {
        let wanted = format!("{prefix}{id}");
        if id.matches(':').count() > 1 {
            return Some(
                "imports of imports are private; change them in the package that imports them".to_owned(),
            );
        }
        let imported = self.manifests.iter().find(|m| m.is_imported() && m.id.rsplit(':').next() == Some(id));
        if let Some(imported) = imported {
            return Some(format!("use `{}`: imported manifests are named with their alias", imported.id));
        }
        let names = self.manifests.iter().filter(|m| m.included).map(|m| m.id.as_str());
        did_you_mean(&wanted, names).map(|near| format!("did you mean `{near}`?"))
    }

    /// The manifest that a reference from a package with this prefix means.
    pub(crate) fn find(&self, id: &str, prefix: &str) -> Option<usize> {
        if id.matches(':').count() > 1 {
            return None;
        }
        self.index.get(&format!("{prefix}{id}")).copied()
    }
}
