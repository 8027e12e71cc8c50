//! Files by what they hold: each is read, parsed and judged once in a build, and once in many builds of a watcher.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use uiap_model::authoring::AuthoringKind;
use uiap_model::shape::Strictness;

use super::finding::{AlsoAt, at_file, at_value, problem_at};
use super::inputs::text_digest;
use super::references::Facts;
use super::{BuildOptions, Built, secrets};
use crate::diagnostic::{Diagnostics, codes, did_you_mean};
use crate::files::{PackageRegistry, PackageSource, ReadError};
use crate::fit;
use crate::source::{Limits, SourceDoc, SourceFile, parse_source};
use crate::tree::At;

/// Whose file, and which.
type Key = (String, String);

/// What earlier builds learnt about files, for builds that follow each other: an edited file costs its own size,
/// an untouched one a comparison of its text. Findings and bundles are those of a build without a cache.
///
/// ```
/// use uiap_authoring::build::{BuildOptions, Cache};
/// use uiap_authoring::files::{MemorySource, NoRegistry};
///
/// let mut cache = Cache::new();
/// let first = cache.build(&MemorySource::new(), &NoRegistry, &BuildOptions::default());
/// let again = cache.build(&MemorySource::new(), &NoRegistry, &BuildOptions::default());
/// assert_eq!(first.diagnostics.total(), again.diagnostics.total());
/// ```
#[derive(Default)]
pub struct Cache {
    kept: HashMap<Key, Arc<Entry>>,
    limits: Limits,
}

impl Cache {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Like [`build`](super::build()), with what earlier calls learnt. Files that this build does not use are forgotten.
    pub fn build(
        &mut self,
        source: &dyn PackageSource,
        registry: &dyn PackageRegistry,
        options: &BuildOptions,
    ) -> Built {
        if self.limits != options.limits {
            self.kept.clear();
            self.limits = options.limits;
        }
        let kept = std::mem::take(&mut self.kept);
        let store = Store { kept, is_kept: true, ..Store::new(options.limits) };
        let built = super::build_with(&store, source, registry, options);
        self.kept = store.fetched.into_inner().unwrap_or_else(PoisonError::into_inner);
        built
    }
}

/// The files of one build. Each is read once, so that a build sees one state of it.
pub(crate) struct Store {
    limits: Limits,
    kept: HashMap<Key, Arc<Entry>>,
    fetched: Mutex<HashMap<Key, Arc<Entry>>>,
    /// Whether another build follows that can use what this one learns.
    pub(crate) is_kept: bool,
}

impl Store {
    /// For a build that stands alone.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, kept: HashMap::new(), fetched: Mutex::default(), is_kept: false }
    }

    /// A file of the package `owner`, which is empty for the package that is built.
    pub(crate) fn fetch(
        &self,
        source: &dyn PackageSource,
        owner: &str,
        path: &str,
    ) -> Result<Arc<Entry>, ReadError> {
        let key = (owner.to_owned(), path.to_owned());
        if let Some(entry) = self.lock().get(&key) {
            return Ok(Arc::clone(entry));
        }
        let known = self.kept.get(&key).filter(|known| {
            known.file.name() == source.display_name(path) && source.holds(path, known.file.text())
        });
        let entry = match known {
            Some(known) => Arc::clone(known),
            None => Arc::new(Entry::new(source.read(path, &self.limits)?)),
        };
        self.lock().insert(key, Arc::clone(&entry));
        Ok(entry)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Entry>>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file as a manifest, parsed and judged.
    pub(crate) fn manifest<'e>(&self, entry: &'e Entry) -> &'e Judged {
        entry.manifest.get_or_init(|| judge(&entry.file, &self.limits, manifest_form))
    }

    /// The file as the package of a discovery run.
    pub(crate) fn discovery<'e>(&self, entry: &'e Entry) -> &'e Judged {
        entry.discovery.get_or_init(|| judge(&entry.file, &self.limits, discovery_form))
    }

    /// The file as a tree whose form nobody has looked at.
    pub(crate) fn plain<'e>(&self, entry: &'e Entry) -> &'e Judged {
        entry.plain.get_or_init(|| judge(&entry.file, &self.limits, |_, _| true))
    }
}

/// One file, and everything that follows from its text alone.
pub(crate) struct Entry {
    pub(crate) file: Arc<SourceFile>,
    digest: OnceLock<String>,
    manifest: OnceLock<Judged>,
    discovery: OnceLock<Judged>,
    plain: OnceLock<Judged>,
    /// What its elements refer to.
    pub(crate) element_facts: OnceLock<Facts>,
    /// The texts that it refers to; nothing when it holds texts of its own.
    pub(crate) text_refs: OnceLock<Option<Vec<String>>>,
}

impl Entry {
    fn new(file: Arc<SourceFile>) -> Self {
        Self {
            file,
            digest: OnceLock::new(),
            manifest: OnceLock::new(),
            discovery: OnceLock::new(),
            plain: OnceLock::new(),
            element_facts: OnceLock::new(),
            text_refs: OnceLock::new(),
        }
    }

    /// Digest of the text; line endings do not count.
    pub(crate) fn digest(&self) -> &str {
        self.digest.get_or_init(|| text_digest(&self.file))
    }
}

/// A parsed file with what there is to say about it.
pub(crate) struct Judged {
    pub(crate) doc: Option<SourceDoc>,
    pub(crate) diagnostics: Diagnostics,
    /// Whether the text itself has errors.
    pub(crate) broken: bool,
    /// Whether the form is right.
    pub(crate) sound: bool,
}

fn judge(file: &Arc<SourceFile>, limits: &Limits, form: fn(&SourceDoc, &mut Diagnostics) -> bool) -> Judged {
    let parsed = parse_source(file, limits);
    let broken = parsed.diagnostics.has_errors();
    let mut diagnostics = parsed.diagnostics;
    let sound = parsed.doc.as_ref().is_some_and(|doc| form(doc, &mut diagnostics));
    Judged { doc: parsed.doc, diagnostics, broken, sound }
}

/// The envelope, the form of its kind, and secrets.
fn manifest_form(doc: &SourceDoc, diagnostics: &mut Diagnostics) -> bool {
    let root = doc.root();
    secrets::look(doc, diagnostics);
    let Some(kind_at) = root.get("kind") else {
        diagnostics.push(
            at_file(codes::NO_KIND, doc.file(), "`kind` is missing")
                .help(format!("expected one of {}", AuthoringKind::NAMES.join(", "))),
        );
        return false;
    };
    let name = kind_at.as_str().unwrap_or_default();
    let Some(kind) = AuthoringKind::parse(name).and_then(|kind| uiap_model::document::kind(kind.as_str()))
    else {
        diagnostics.push(
            at_value(codes::NOT_A_KIND, At::Node(kind_at), format!("`{name}` is no kind of manifest"))
                .help(format!("expected one of {}", AuthoringKind::NAMES.join(", ")))
                .meant(did_you_mean(name, AuthoringKind::NAMES.iter().copied())),
        );
        return false;
    };
    let problems = fit::problems(root, (kind.shape)(), Strictness::Authored);
    diagnostics.extend(problems.iter().map(|problem| problem_at(problem, At::Node(root))));
    problems.is_empty()
}

fn discovery_form(doc: &SourceDoc, diagnostics: &mut Diagnostics) -> bool {
    let Some(kind) = uiap_model::document::kind("DiscoveryPackage") else { return false };
    let problems = fit::problems(doc.root(), (kind.shape)(), Strictness::Wire);
    diagnostics.extend(problems.iter().map(|problem| problem_at(problem, At::Node(doc.root()))));
    problems.is_empty()
}
