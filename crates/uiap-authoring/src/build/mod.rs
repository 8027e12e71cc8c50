//! The ten steps of a build, one file each, in the order that the specification fixes. Spec: authoring §7.
//!
//! | step | file |
//! |---|---|
//! | 1 load package | `package` |
//! | 2 resolve imports | `imports` |
//! | 3 load local manifests | `manifests` |
//! | 4 apply discovery imports | `discovery` |
//! | 5 apply overlays | `overlays` |
//! | 6 resolve locale references | `locales` |
//! | 7 apply review status | `review` |
//! | 8 validate references | `references` |
//! | 9 generate the bundle | `bundle` |
//! | 10 check publish gates | `gates` |
//!
//! A step reports everything it finds. A build stops behind the first step with an error; with
//! [`BuildOptions::keep_going`] the later steps look at whatever is there, for a checker that shows all at once.

mod bundle;
mod cache;
mod capabilities;
mod conflict;
mod content;
mod context;
mod discovery;
mod explain;
mod finding;
mod gates;
mod history;
mod identity;
mod imports;
mod inputs;
pub(crate) mod items;
mod locales;
mod manifest;
mod manifests;
mod overlays;
mod package;
mod patch;
mod publishing;
mod references;
mod report;
mod resolver;
mod review;
mod schema;
mod secrets;
mod selector;
mod texts;
mod workflows;

use std::collections::BTreeMap;
use std::sync::Arc;

use typed_arena::Arena;
use uiap_model::authoring::BuildContext;

use crate::diagnostic::Diagnostics;
use crate::files::{PackageRegistry, PackageSource};
use crate::instant::Instant;
use crate::lock::Lock;
use crate::source::Limits;
use crate::tree::Place;

use self::cache::{Entry, Store};
pub use cache::Cache;
pub use explain::{Explanation, Origin};
pub(crate) use finding::shown;
pub use inputs::Input;
pub use report::{AppliedPatch, BuildReport, LocaleCoverage, ReviewEntry, Step};

/// What a build is asked for.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// For what; members that are absent come from the package.
    pub context: BuildContext,
    /// The time that waivers and decisions are compared with.
    pub now: Option<Instant>,
    /// The lock file as it stands.
    pub lock: Option<Lock>,
    /// Refuse a missing or outdated lock instead of updating it.
    pub locked: bool,
    /// Two overlays that disagree: the later one wins, with a warning.
    pub last_overlay_wins: bool,
    /// Review warnings become errors.
    pub strict: bool,
    /// Look at later steps even when an earlier one failed. No bundle comes of it.
    pub keep_going: bool,
    /// Findings only: everything is checked, gates too, and no bundle is written.
    pub check_only: bool,
    /// Say where the value at this bundle pointer comes from.
    pub explain: Option<String>,
    /// Also list every input with its digest.
    pub provenance: bool,
    /// Bounds of one source file.
    pub limits: Limits,
}

/// What a build gave.
#[derive(Debug)]
pub struct Built {
    /// The bundle; absent when there is any error or a gate failed.
    pub bundle: Option<Bundle>,
    /// Everything there is to say, in the order of output.
    pub diagnostics: Diagnostics,
    /// What happened on the way.
    pub report: BuildReport,
    /// The lock that belongs to the result; equal to the given one when nothing changed.
    pub lock: Option<Lock>,
}

/// A compiled bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Canonical JSON, digest included.
    pub bytes: Vec<u8>,
    /// `sha256:…` over the bundle without its digest.
    pub digest: String,
}

/// What the steps share.
pub(crate) struct Session<'d, 's> {
    pub(crate) arena: &'d Arena<Arc<Entry>>,
    pub(crate) store: &'s Store,
    pub(crate) registry: &'s dyn PackageRegistry,
    pub(crate) options: &'s BuildOptions,
    pub(crate) context: BuildContext,
    pub(crate) strict: bool,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) report: BuildReport,
    pub(crate) inputs: Vec<Input>,
    /// Digest of the discovery package behind every import that copies, by manifest id.
    pub(crate) copied: BTreeMap<String, (String, Place)>,
}

impl Session<'_, '_> {
    /// Opens a step; says whether it shall run.
    fn begin(&mut self, step: Step) -> bool {
        let goes_on = !self.diagnostics.has_errors() || self.options.keep_going;
        if goes_on {
            self.report.steps.push(step);
        }
        goes_on
    }
}

/// Builds a package for a context.
pub fn build(source: &dyn PackageSource, registry: &dyn PackageRegistry, options: &BuildOptions) -> Built {
    let store = Store::new(options.limits);
    build_with(&store, source, registry, options)
}

fn build_with(
    store: &Store,
    source: &dyn PackageSource,
    registry: &dyn PackageRegistry,
    options: &BuildOptions,
) -> Built {
    let arena = Arena::new();
    let mut session = Session {
        arena: &arena,
        store,
        registry,
        options,
        context: options.context.clone(),
        strict: options.strict,
        diagnostics: Diagnostics::new(),
        report: BuildReport::default(),
        inputs: Vec::new(),
        copied: BTreeMap::new(),
    };
    let mut lock = options.lock.clone();
    let bundle = run(&mut session, source, &mut lock);
    let mut diagnostics = session.diagnostics;
    diagnostics.sort();
    let mut report = session.report;
    report.context = session.context;
    report.inputs = session.inputs;
    let bundle = if diagnostics.has_errors() { None } else { bundle };
    Built { bundle, diagnostics, report, lock }
}

fn run(session: &mut Session<'_, '_>, source: &dyn PackageSource, lock: &mut Option<Lock>) -> Option<Bundle> {
    session.begin(Step::LoadPackage);
    let package = package::load(session, source)?;
    publishing::check(session, &package);
    if !session.begin(Step::ResolveImports) {
        return None;
    }
    let imported = imports::resolve(session, &package, lock);
    if !session.begin(Step::LoadManifests) {
        return None;
    }
    let mut set = manifests::load(session, source, &package, imported);
    if !session.begin(Step::ImportDiscovery) {
        return None;
    }
    discovery::apply(session, source, &mut set);
    discovery::lock_copies(session, &package, lock);
    if !session.begin(Step::ApplyOverlays) {
        return None;
    }
    overlays::apply(session, &mut set);
    if !session.begin(Step::ResolveLocales) {
        return None;
    }
    context::check(session, &package, &set);
    let catalog = locales::resolve(session, &mut set);
    if !session.begin(Step::ApplyReview) {
        return None;
    }
    let reviews = review::apply(session, &set);
    if !session.begin(Step::CheckReferences) || set.incomplete {
        return None;
    }
    let content = content::gather(session, &set);
    references::check(session, &set, &content);
    if !session.begin(Step::MakeBundle) {
        return None;
    }
    let bundle =
        (!session.options.check_only).then(|| bundle::make(session, &package, &set, &content, &catalog));
    if let Some(pointer) = &session.options.explain {
        let sources = explain::Sources {
            session,
            package: &package,
            set: &set,
            content: &content,
            catalog: &catalog,
            bundle: bundle.as_ref(),
        };
        session.report.explanation = sources.explain(pointer);
    }
    if session.begin(Step::CheckGates) {
        gates::check(session, &package, &set, &content, &reviews, bundle.as_ref());
    }
    bundle
}
