//! Step 4: take over what discovery imports accept, and nothing else. Spec: authoring §5.10; decisions D27, D28.

use std::collections::{BTreeMap, HashMap, HashSet};

use uiap_model::authoring::AuthoringKind;

use super::Session;
use super::cache::Entry;
use super::finding::{AlsoAt, at_file, at_value};
use super::items::{Finding, FindingKind, binding};
use super::manifest::{Discovered, ManifestSet};
use super::manifests::note_input;
use super::package::{Package, unsafe_path};
use super::report::DiscoveryEntry;
use crate::diagnostic::{Diagnostic, Severity, codes, did_you_mean};
use crate::files::{PackageSource, ReadError, check_path};
use crate::lock::Lock;
use crate::source::Node;
use crate::tree::{At, Tree};

/// Applies the discovery imports of the package itself.
pub(crate) fn apply<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    set: &mut ManifestSet<'d>,
) {
    apply_in(session, source, set, "", "");
}

/// Applies the discovery imports of one package.
pub(crate) fn apply_in<'d>(
    session: &mut Session<'d, '_>,
    source: &dyn PackageSource,
    set: &mut ManifestSet<'d>,
    prefix: &str,
    owner: &str,
) {
    for index in 0..set.manifests.len() {
        let Some(manifest) = set.manifests.get(index) else { continue };
        if manifest.kind != AuthoringKind::DiscoveryImport || manifest.prefix != prefix {
            continue;
        }
        let Some(spec) = manifest.source_spec() else { continue };
        let status = manifest.doc.root().get("status");
        let id = manifest.id.clone();
        if let Some(package) = load(session, (source, owner), &id, spec, status) {
            let import = Import { spec, package, run: run_id(package).unwrap_or_default(), prefix };
            import.apply(session, set);
        }
    }
}

/// A copy is of one state of the discovery: the first build that copies locks it, and another state is refused.
pub(crate) fn lock_copies(session: &mut Session<'_, '_>, package: &Package<'_>, lock: &mut Option<Lock>) {
    let copied = std::mem::take(&mut session.copied);
    let known = lock.as_ref().map(|lock| lock.discoveries.clone()).unwrap_or_default();
    for (id, (digest, place)) in &copied {
        if let Some(old) = known.get(id).filter(|old| *old != digest) {
            session.diagnostics.push(
                Diagnostic::new(
                    codes::DISCOVERY_CHANGED,
                    format!("`{id}` copies from a discovery that is not what was locked"),
                    &place.file,
                    place.span,
                )
                .severity(Severity::Error)
                .note(format!("locked: {old}"))
                .note(format!("found: {digest}"))
                .help("a copy does not follow later runs; look at the changes, then lock again"),
            );
            return;
        }
    }
    let new: BTreeMap<String, String> = copied.into_iter().map(|(id, (digest, _))| (id, digest)).collect();
    if new == known {
        return;
    }
    if session.options.locked {
        let place = At::Node(package.get("manifests").unwrap_or(package.spec));
        session.diagnostics.push(
            at_value(codes::LOCK_OUTDATED, place, "the lock file is out of date, and it must not be changed")
                .help("build once without `--locked` and commit `uiap.lock`"),
        );
    } else if !session.diagnostics.has_errors() {
        lock.get_or_insert_default().discoveries = new;
    }
}

fn run_id(package: Node<'_>) -> Option<&str> {
    package.get("run")?.get("runId")?.as_str()
}

/// Reads the discovery package that an import names.
fn load<'d>(
    session: &mut Session<'d, '_>,
    (source, owner): (&dyn PackageSource, &str),
    id: &str,
    spec: Node<'d>,
    status: Option<Node<'d>>,
) -> Option<Node<'d>> {
    let origin = spec.get("source")?;
    let (reference, run) = (origin.get("ref"), origin.get("runId"));
    let path = match (reference.and_then(Node::as_str), run.and_then(Node::as_str)) {
        (Some(path), _) => path.to_owned(),
        (None, Some(run)) => format!("discovery/{run}.discovery.json"),
        (None, None) => {
            session.diagnostics.push(
                at_value(
                    codes::NO_DISCOVERY_SOURCE,
                    At::Node(origin),
                    "`source` names neither `ref` nor `runId`",
                )
                .help("add `ref` with the path of the discovery package"),
            );
            return None;
        }
    };
    let at = reference.or(run).unwrap_or(origin);
    if let Err(fault) = check_path(&path) {
        unsafe_path(at, &path, fault, &mut session.diagnostics);
        return None;
    }
    let entry: &'d Entry = match session.store.fetch(source, owner, &path) {
        Ok(entry) => session.arena.alloc(entry),
        Err(ReadError::Unusable(diagnostic)) => {
            session.diagnostics.push(*diagnostic);
            return None;
        }
        Err(error) => {
            let message = format!("cannot read the discovery package `{path}`: {error}");
            session.diagnostics.push(at_value(codes::NO_DISCOVERY_SOURCE, At::Node(at), message));
            return None;
        }
    };
    let digest = entry.digest();
    let recorded = status.and_then(|status| status.get("digest"));
    let copies = spec.get("accept").into_iter().flat_map(Node::items);
    let copies = copies.filter_map(|rule| rule.get("mode")).any(|mode| mode.as_str() == Some("copy"));
    if copies && recorded.is_none() {
        session.copied.insert(id.to_owned(), (digest.to_owned(), At::Node(at).place()));
    }
    if let Some(recorded) = recorded.filter(|recorded| recorded.as_str() != Some(digest)) {
        let severity = if copies { Severity::Error } else { Severity::Warning };
        session.diagnostics.push(
            at_value(
                codes::DISCOVERY_CHANGED,
                At::Node(recorded),
                format!("`{path}` changed since it was accepted"),
            )
            .severity(severity)
            .note(format!("now {digest}"))
            .help("look at the changes, then record the new digest"),
        );
    }
    let judged = session.store.discovery(entry);
    session.diagnostics.append(judged.diagnostics.clone());
    let doc = judged.doc.as_ref().filter(|_| !judged.broken)?;
    note_input(session, owner, &path, entry);
    check_run(session, doc.root(), run);
    judged.sound.then(|| doc.root())
}

fn check_run(session: &mut Session<'_, '_>, package: Node<'_>, wanted: Option<Node<'_>>) {
    let found = run_id(package);
    if let Some(at) = wanted
        && at.as_str() != found
    {
        let message = format!("the package is of run `{}`, not `{}`", found.unwrap_or("?"), at.raw());
        session.diagnostics.push(at_value(codes::WRONG_RUN, At::Node(at), message));
    }
    if found.is_none_or(str::is_empty) {
        let message = "the discovery package names no run, so nothing can be traced back to it";
        session.diagnostics.push(at_file(codes::WRONG_RUN, package.doc().file(), message));
    }
}

/// Ids by manifest and list, so that each finding is looked up and not searched for.
type KnownIds = HashMap<(usize, &'static str), HashSet<String>>;

/// One discovery import at work.
struct Import<'d, 'p> {
    spec: Node<'d>,
    package: Node<'d>,
    run: &'d str,
    prefix: &'p str,
}

impl<'d> Import<'d, '_> {
    fn apply(&self, session: &mut Session<'d, '_>, set: &mut ManifestSet<'d>) {
        let rejected = self.rejected(session);
        let mut overruled = HashSet::new();
        let mut known = KnownIds::new();
        for rule in self.spec.get("accept").into_iter().flat_map(Node::items) {
            let Some(kind) = rule.get("kind").and_then(Node::as_str).and_then(FindingKind::parse) else {
                continue;
            };
            let findings = self.findings(kind);
            for (finding, named) in chosen(session, rule, kind, &findings) {
                let key = (kind, finding.id.to_owned());
                if let Some(&reject) = rejected.get(&key) {
                    if overruled.insert(key) && named.is_some() {
                        let message =
                            format!("{kind} `{}` is accepted and rejected; it stays out", finding.id);
                        session.diagnostics.push(
                            at_value(codes::ACCEPTED_AND_REJECTED, At::Node(named.unwrap_or(rule)), message)
                                .also(At::Node(reject), "rejected here"),
                        );
                    }
                    continue;
                }
                let at = named.unwrap_or_else(|| rule.get("targetManifestId").unwrap_or(rule));
                self.take(session, set, rule, (at, finding), &mut known);
            }
        }
    }

    /// What the rejection rules name.
    fn rejected(&self, session: &mut Session<'d, '_>) -> HashMap<(FindingKind, String), Node<'d>> {
        let mut out = HashMap::new();
        for rule in self.spec.get("reject").into_iter().flat_map(Node::items) {
            let Some(kind) = rule.get("kind").and_then(Node::as_str).and_then(FindingKind::parse) else {
                continue;
            };
            let reason = rule.get("reason").and_then(Node::as_str).unwrap_or("no reason given");
            let findings = self.findings(kind);
            for (finding, named) in chosen(session, rule, kind, &findings) {
                let item = format!("{kind} {}", finding.id);
                session.report.discovery.push(DiscoveryEntry {
                    what: "reject",
                    item,
                    note: reason.to_owned(),
                });
                out.insert((kind, finding.id.to_owned()), named.unwrap_or(rule));
            }
        }
        out
    }

    fn findings(&self, kind: FindingKind) -> Vec<Finding<'d>> {
        let [catalog, list] = kind.catalog();
        let items =
            self.package.get(catalog).and_then(|catalog| catalog.get(list)).into_iter().flat_map(Node::items);
        items.filter_map(|node| Finding::new(kind, node)).collect()
    }

    fn take(
        &self,
        session: &mut Session<'d, '_>,
        set: &mut ManifestSet<'d>,
        rule: Node<'d>,
        (at, finding): (Node<'d>, &Finding<'d>),
        known: &mut KnownIds,
    ) {
        let mode = rule.get("mode").and_then(Node::as_str).unwrap_or("link");
        let Some(target) = self.target(session, set, rule, finding.kind) else { return };
        let item = format!("{} {}", finding.kind, finding.id);
        if finding.kind == FindingKind::ReviewItem {
            session.report.review_obligations.push(format!("discovery {}: {}", self.run, finding.id));
            return;
        }
        let what = match mode {
            "promote" => "promote",
            "copy" => "copy",
            _ => "link",
        };
        session.report.discovery.push(DiscoveryEntry { what, item, note: self.run.to_owned() });
        if what == "link" {
            return;
        }
        if let Err(diagnostic) = self.add(set, target, (at, finding), what, known) {
            session.diagnostics.push(*diagnostic);
        }
    }

    /// The manifest that takes the content, of the right kind.
    fn target(
        &self,
        session: &mut Session<'d, '_>,
        set: &ManifestSet<'d>,
        rule: Node<'d>,
        kind: FindingKind,
    ) -> Option<usize> {
        let at = rule.get("targetManifestId")?;
        let id = at.as_str()?;
        let Some(target) = set.find(id, self.prefix) else {
            let mut diagnostic =
                at_value(codes::UNKNOWN_MANIFEST, At::Node(at), format!("there is no manifest `{id}`"));
            diagnostic.help =
                session.diagnostics.takes_guesses().then(|| set.hint(id, self.prefix)).flatten();
            session.diagnostics.push(diagnostic);
            return None;
        };
        let wanted = kind.manifest();
        let found = set.manifests.get(target).map(|manifest| manifest.kind);
        if wanted.is_some() && found != wanted {
            let message = format!(
                "a {kind} goes into a {}, `{id}` is a {}",
                wanted.map(|kind| kind.as_str()).unwrap_or_default(),
                found.map(|kind| kind.as_str()).unwrap_or_default()
            );
            session.diagnostics.push(at_value(codes::WRONG_TARGET_KIND, At::Node(at), message));
            return None;
        }
        Some(target)
    }

    fn add(
        &self,
        set: &mut ManifestSet<'d>,
        target: usize,
        (at, finding): (Node<'d>, &Finding<'d>),
        mode: &'static str,
        known: &mut KnownIds,
    ) -> Result<(), Box<Diagnostic>> {
        if finding.lacks_stable_id() {
            let message = format!("element `{}` has no stable id", finding.id);
            return Err(Box::new(
                at_value(codes::NO_STABLE_ID, At::Node(at), message)
                    .help("give it an id in the app, or write the binding by hand"),
            ));
        }
        let prefix = annotation_prefix(set);
        let new = binding(finding, self.run, mode, &prefix);
        let Some(manifest) = set.manifests.get_mut(target) else { return Ok(()) };
        let list = finding.kind.list();
        let identity = super::schema::identity_of(list);
        let items = || manifest.spec().into_iter().flat_map(|spec| spec.list(list));
        let id_of = |item: At<'_>| item.descend(identity).and_then(At::as_str).map(str::to_owned);
        let ids = known.entry((target, list)).or_insert_with(|| items().filter_map(id_of).collect());
        let is_known = !ids.insert(finding.stable_id().to_owned());
        let mut twins = items().filter(|item| {
            is_known && item.descend(identity).and_then(At::as_str) == Some(finding.stable_id())
        });
        if let Some(twin) = is_known.then(|| twins.next()).flatten() {
            if same_content(twin, new.at()) {
                return Ok(());
            }
            return Err(Box::new(
                at_value(
                    codes::DISCOVERY_COLLISION,
                    At::Node(at),
                    format!("`{}` is already there and differs from the discovery", finding.stable_id()),
                )
                .also(twin, "the binding that is there")
                .help("change the binding by hand, or with an overlay"),
            ));
        }
        manifest.touch();
        let id = manifest.id.clone();
        if let Some(spec) = manifest.tree.get_mut("spec").and_then(Tree::map_mut) {
            match spec.get_mut(list).and_then(Tree::seq_mut) {
                Some(seq) => seq.items.push(new),
                None => spec.set(list, Tree::seq(finding.node, vec![new])),
            }
        }
        set.discovered.push(Discovered {
            manifest: id,
            item: finding.stable_id().to_owned(),
            run: self.run.to_owned(),
            doubtful: finding.is_doubtful(),
            place: At::Node(at).place(),
        });
        Ok(())
    }
}

/// The findings that a rule means: those it lists, or all of the kind.
fn chosen<'f, 'd>(
    session: &mut Session<'d, '_>,
    rule: Node<'d>,
    kind: FindingKind,
    findings: &'f [Finding<'d>],
) -> Vec<(&'f Finding<'d>, Option<Node<'d>>)> {
    let Some(ids) = rule.get("ids") else {
        let at = At::Node(rule.get("kind").unwrap_or(rule));
        let message =
            format!("the rule names no ids and means all {} findings of kind `{kind}`", findings.len());
        session.diagnostics.push(at_value(codes::ACCEPTS_ALL, at, message));
        return findings.iter().map(|finding| (finding, None)).collect();
    };
    let by_id: HashMap<&str, &Finding<'d>> = findings.iter().map(|finding| (finding.id, finding)).collect();
    let mut out = Vec::new();
    for node in ids.items() {
        let id = node.as_str().unwrap_or_default();
        if let Some(finding) = by_id.get(id) {
            out.push((*finding, Some(node)));
            continue;
        }
        let names = || did_you_mean(id, findings.iter().map(|finding| finding.id));
        let near = session.diagnostics.takes_guesses().then(names).flatten();
        let message = format!("the package has no {kind} `{id}`");
        session.diagnostics.push(at_value(codes::UNKNOWN_FINDING, At::Node(node), message).meant(near));
    }
    out
}

/// Equal apart from where it comes from.
fn same_content(old: At<'_>, new: At<'_>) -> bool {
    let keys = |at: At<'_>| at.entries().filter(|(key, _)| *key != "metadata").count();
    keys(old) == keys(new)
        && old
            .entries()
            .filter(|(key, _)| *key != "metadata")
            .all(|(key, value)| new.get(key).is_some_and(|other| value.same(other)))
}

fn annotation_prefix(set: &ManifestSet<'_>) -> String {
    let spec = set.app().and_then(super::manifest::Manifest::spec);
    let stated = spec.and_then(|spec| spec.descend(&["sdk", "annotationPrefix"])).and_then(At::as_str);
    stated.unwrap_or("data-uiap-").to_owned()
}
