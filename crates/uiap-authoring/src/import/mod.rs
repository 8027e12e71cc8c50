//! Findings of a discovery run taken into a package: the run as a file, a DiscoveryImport that names what is taken, manifests
//! that receive it. Nothing is promoted: what comes in this way still needs a review.

mod listing;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use crate::build::items::{Finding, FindingKind, is_passing};
use crate::diagnostic::Diagnostics;
use crate::source::{Limits, Node, SourceDoc, SourceFile, parse_source};

pub use listing::{ListError, add_manifests};

/// How findings are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As content that needs a review.
    Copy,
    /// As evidence only.
    Link,
}

/// What to take.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// How.
    pub mode: Mode,
    /// Also what the run itself was not sure of.
    pub with_doubtful: bool,
}

/// A manifest that an import adds to its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewManifest {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its path in the package.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What an import would write.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    /// Where the discovery package itself goes.
    pub package_path: String,
    /// New manifests.
    pub manifests: Vec<NewManifest>,
    /// How many findings are taken, by kind.
    pub taken: Vec<(String, usize)>,
    /// Findings that are left out, with the reason.
    pub left: Vec<(String, String)>,
}

/// Why nothing can be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file has mistakes.
    #[error("the discovery package has mistakes")]
    Broken(Diagnostics),
    /// Nothing to trace findings back to.
    #[error("the discovery package names no run, or one that cannot be a file name")]
    NoRun,
}

/// Plans the import of a discovery package.
pub fn plan(file: &Arc<SourceFile>, options: ImportOptions) -> Result<ImportPlan, ImportError> {
    let parsed = parse_source(file, &Limits::DEFAULT);
    let mut findings = parsed.diagnostics;
    let Some(doc) = parsed.doc.filter(|_| !findings.has_errors()) else {
        return Err(ImportError::Broken(findings));
    };
    if let Some(kind) = uiap_model::document::kind("DiscoveryPackage") {
        for problem in uiap_model::document::validate(&doc.root().to_value(), kind) {
            findings.push(crate::contract::diagnostic(&problem, &doc));
        }
    }
    if findings.has_errors() {
        return Err(ImportError::Broken(findings));
    }
    let run = run_id(&doc).ok_or(ImportError::NoRun)?;
    let mut sorter = Sorter {
        options,
        rules: String::new(),
        taken: Vec::new(),
        left: Vec::new(),
        rejected: String::new(),
        actions: BTreeSet::new(),
    };
    let target = |what: &str| format!("{what}.{run}");
    for (kind, word, what) in [
        (FindingKind::Route, "route", "bindings"),
        (FindingKind::Scope, "scope", "bindings"),
        (FindingKind::Element, "element", "bindings"),
        (FindingKind::Action, "action", "actions"),
        (FindingKind::WorkflowCandidate, "workflowCandidate", "workflows"),
        (FindingKind::ReviewItem, "reviewItem", "bindings"),
    ] {
        sorter.sort(doc.root(), kind, word, &target(what));
    }
    let package_path = format!("discovery/{run}.discovery.json");
    let digest = uiap_model::digest::sha256(file.text().replace("\r\n", "\n").as_bytes());
    let mut manifests = vec![NewManifest {
        id: target("discovery"),
        kind: "DiscoveryImport",
        path: format!("discovery/{run}.uiap.yaml"),
        text: format!(
            "{}spec:\n  source:\n    runId: {run}\n    ref: {package_path}\n  accept:\n{}{}status:\n  digest: {digest}\n",
            head("DiscoveryImport", &target("discovery")),
            if sorter.rules.is_empty() { "    []\n" } else { &sorter.rules },
            sorter.rejected
        ),
    }];
    for (kind, what, list) in [
        ("Bindings", "bindings", "  routes: []\n  scopes: []\n  elements: []\n"),
        ("Actions", "actions", "  actions: []\n"),
        ("WorkflowCatalog", "workflows", "  workflows: []\n"),
    ] {
        let id = target(what);
        let text = format!("{}spec:\n{list}", head(kind, &id));
        manifests.push(NewManifest { path: format!("{what}/{run}.uiap.yaml"), id, kind, text });
    }
    Ok(ImportPlan { package_path, manifests, taken: sorter.taken, left: sorter.left })
}

/// The run, when it can be part of ids and file names.
fn run_id(doc: &SourceDoc) -> Option<&str> {
    let run = doc.root().get("run")?.get("runId")?.as_str()?;
    let plain = run.len() <= 100
        && run.starts_with(|c: char| c.is_ascii_alphanumeric())
        && run.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !run.contains("..");
    plain.then_some(run)
}

fn head(kind: &str, id: &str) -> String {
    format!(
        "apiVersion: uiap.authoring/v0.1\nkind: {kind}\nmetadata:\n  id: {id}\n  source: generated\n  reviewState: generated\n"
    )
}

/// Sorts findings into those that are taken and those that are not.
struct Sorter {
    options: ImportOptions,
    rules: String,
    rejected: String,
    taken: Vec<(String, usize)>,
    left: Vec<(String, String)>,
    /// Actions that are taken.
    actions: BTreeSet<String>,
}

impl Sorter {
    fn sort(&mut self, package: Node<'_>, kind: FindingKind, word: &str, target: &str) {
        let [catalog, list] = kind.catalog();
        let items =
            package.get(catalog).and_then(|catalog| catalog.get(list)).into_iter().flat_map(Node::items);
        let (mut ids, mut out) = (Vec::new(), Vec::new());
        for finding in items.filter_map(|node| Finding::new(kind, node)) {
            match self.reason_against(&finding) {
                None => ids.push(finding.id.to_owned()),
                Some(reason) => out.push((finding.id.to_owned(), reason)),
            }
        }
        if kind == FindingKind::Action {
            self.actions.extend(ids.iter().cloned());
        }
        if !ids.is_empty() {
            // Writing to a string cannot fail.
            let mode = match (self.options.mode, kind) {
                (Mode::Copy, kind) if kind != FindingKind::ReviewItem => "copy",
                _ => "link",
            };
            let _ = write!(
                self.rules,
                "    - kind: {word}\n      targetManifestId: {target}\n      mode: {mode}\n      ids:\n"
            );
            for id in &ids {
                let _ = writeln!(self.rules, "        - {}", quoted(id));
            }
            self.taken.push((word.to_owned(), ids.len()));
        }
        for (id, reason) in out {
            if self.rejected.is_empty() {
                self.rejected.push_str("  reject:\n");
            }
            let _ = write!(
                self.rejected,
                "    - kind: {word}\n      ids: [{}]\n      reason: {}\n",
                quoted(&id),
                quoted(&reason)
            );
            self.left.push((format!("{word} {id}"), reason));
        }
    }

    /// An action of a workflow that neither the protocol nor the package has.
    fn missing_action<'d>(&self, workflow: Node<'d>) -> Option<&'d str> {
        let steps = workflow.get("stepSkeleton").into_iter().flat_map(Node::items);
        let mut actions = steps.filter_map(|step| step.get("actionId")?.as_str());
        actions.find(|id| {
            let of_protocol = ["ui.", "nav.", "app."].iter().any(|prefix| id.starts_with(prefix));
            !of_protocol && !self.actions.contains(*id)
        })
    }

    /// Why a finding stays out.
    fn reason_against(&self, finding: &Finding<'_>) -> Option<String> {
        let text = |key: &str| finding.node.get(key).and_then(Node::as_str);
        if text("reviewState") == Some("rejected") {
            return Some("rejected in the review of the run".to_owned());
        }
        if finding.kind == FindingKind::Action && text("kind") == Some("primitive") {
            return Some("every app has it".to_owned());
        }
        if finding.kind == FindingKind::Scope && is_passing(finding.id) {
            return Some("its id was made for this run only".to_owned());
        }
        if finding.kind == FindingKind::WorkflowCandidate
            && let Some(action) = self.missing_action(finding.node)
        {
            return Some(format!("it uses `{action}`, which is not taken"));
        }
        if finding.lacks_stable_id() {
            return Some("it has no stable id, and a binding needs one".to_owned());
        }
        let doubtful = finding.kind != FindingKind::ReviewItem && finding.is_doubtful();
        (doubtful && !self.options.with_doubtful).then(|| "the run was not sure of it".to_owned())
    }
}

/// A YAML scalar that is always a string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
