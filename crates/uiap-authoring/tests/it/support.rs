//! Small packages in memory, and short ways to look at what became of them.

use std::time::{Duration, Instant as WallClock};

use serde_json::Value;
use uiap_authoring::build::{BuildOptions, Built, build};
use uiap_authoring::diagnostic::{Code, Severity};
use uiap_authoring::files::{MemoryRegistry, MemorySource};
use uiap_authoring::instant::Instant;
use uiap_model::authoring::{BuildContext, ReleaseChannel};

/// Time that this thread worked, so that a busy machine does not fail a test; where that is not known, time that passed.
pub(crate) struct Stopwatch {
    start: WallClock,
    worked: Option<u64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { start: WallClock::now(), worked: worked() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match (self.worked, worked()) {
            (Some(before), Some(now)) => Duration::from_nanos(now - before),
            _ => self.start.elapsed(),
        }
    }
}

fn worked() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// A package that is put together piece by piece.
#[derive(Clone)]
pub(crate) struct Pkg {
    id: String,
    version: String,
    manifests: Vec<(String, String, String, String)>,
    metadata: String,
    extra: String,
    files: MemorySource,
    pub(crate) registry: MemoryRegistry,
    pub(crate) options: BuildOptions,
}

/// An App that every small package can use.
pub(crate) const APP: &str = "appId: demo\ndisplayName: Demo\n";

impl Pkg {
    /// A package without manifests.
    pub(crate) fn empty() -> Self {
        Self::named("demo.uiap", "0.1.0")
    }

    pub(crate) fn named(id: &str, version: &str) -> Self {
        let options = BuildOptions { now: Instant::parse("2026-06-01T00:00:00Z"), ..BuildOptions::default() };
        Self {
            id: id.to_owned(),
            version: version.to_owned(),
            manifests: Vec::new(),
            metadata: String::new(),
            extra: String::new(),
            files: MemorySource::new(),
            registry: MemoryRegistry::new(),
            options,
        }
    }

    /// A package with an App.
    pub(crate) fn new() -> Self {
        Self::empty().with("app", "App", APP)
    }

    /// Adds a manifest; `spec` is YAML.
    pub(crate) fn with(self, id: &str, kind: &str, spec: &str) -> Self {
        self.with_metadata(id, kind, "", spec)
    }

    /// Adds a manifest with more metadata, such as `reviewState: approved`.
    pub(crate) fn with_metadata(mut self, id: &str, kind: &str, metadata: &str, spec: &str) -> Self {
        let place = self.manifests.iter().position(|(known, ..)| known == id);
        let entry = (id.to_owned(), kind.to_owned(), metadata.to_owned(), spec.to_owned());
        match place {
            Some(place) => self.manifests[place] = entry,
            None => self.manifests.push(entry),
        }
        self
    }

    /// Takes a manifest away.
    pub(crate) fn without(mut self, id: &str) -> Self {
        self.manifests.retain(|(known, ..)| known != id);
        self
    }

    /// More members of the package's spec, such as `publish:` or `imports:`.
    pub(crate) fn spec(mut self, yaml: &str) -> Self {
        self.extra.push_str(yaml);
        self.extra.push('\n');
        self
    }

    /// More metadata of the Package.
    pub(crate) fn package_metadata(mut self, yaml: &str) -> Self {
        self.metadata.push_str(yaml);
        self.metadata.push('\n');
        self
    }

    /// A file as it is.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path, text);
        self
    }

    /// An import of a package that is there.
    pub(crate) fn import(mut self, alias: &str, package: &Pkg, range: &str) -> Self {
        if !self.extra.contains("imports:") {
            self.extra.push_str("imports:\n");
        }
        let entry =
            format!("  - {{ packageId: {}, versionRange: \"{range}\", alias: {alias} }}\n", package.id);
        let at = self.extra.find("imports:\n").unwrap() + "imports:\n".len();
        let end = self.extra[at..]
            .lines()
            .take_while(|line| line.starts_with("  "))
            .fold(at, |end, line| end + line.len() + 1);
        self.extra.insert_str(end, &entry);
        self.available(package)
    }

    /// A package in the registry.
    pub(crate) fn available(mut self, package: &Pkg) -> Self {
        self.registry = self.registry.with(&package.id, &package.version, package.source());
        self
    }

    pub(crate) fn channel(mut self, channel: &str) -> Self {
        self.options.context.channel = Some(ReleaseChannel::parse(channel).unwrap());
        self
    }

    pub(crate) fn context(mut self, set: impl FnOnce(&mut BuildContext)) -> Self {
        set(&mut self.options.context);
        self
    }

    pub(crate) fn options(mut self, set: impl FnOnce(&mut BuildOptions)) -> Self {
        set(&mut self.options);
        self
    }

    /// The files.
    pub(crate) fn source(&self) -> MemorySource {
        let mut files = self.files.clone();
        let mut list = String::new();
        for (id, kind, metadata, spec) in &self.manifests {
            let path = format!("{id}.uiap.yaml");
            list.push_str(&format!("  - {{ id: {id}, kind: {kind}, path: {path} }}\n"));
            files.insert(&path, manifest(id, kind, metadata, spec));
        }
        let list = if list.is_empty() { " []\n".to_owned() } else { format!("\n{list}") };
        let core = if self.extra.contains("compatibility:") {
            ""
        } else {
            "compatibility: { uiapCore: \">=0.1 <0.2\" }\n"
        };
        let manifests = if self.extra.contains("\nmanifests:") || self.extra.starts_with("manifests:") {
            String::new()
        } else {
            format!("manifests:{list}")
        };
        let spec =
            format!("packageId: {}\nversion: {}\n{core}{manifests}{}", self.id, self.version, self.extra);
        let metadata = format!("version: {}\n{}", self.version, self.metadata);
        let package = manifest("package.main", "Package", &metadata, &spec);
        let mut all = MemorySource::new().with("package.uiap.yaml", package);
        for (path, bytes) in files.iter() {
            all.insert(path, bytes);
        }
        all
    }

    pub(crate) fn build(&self) -> Built {
        build(&self.source(), &self.registry, &self.options)
    }
}

/// A manifest in YAML.
pub(crate) fn manifest(id: &str, kind: &str, metadata: &str, spec: &str) -> String {
    let (metadata, status) = metadata.split_once("---status\n").unwrap_or((metadata, ""));
    let status = if status.is_empty() { String::new() } else { format!("status:\n{}", indent(status)) };
    format!(
        "apiVersion: uiap.authoring/v0.1\nkind: {kind}\nmetadata:\n  id: {id}\n{}spec:\n{}{status}",
        indent(metadata),
        indent(spec)
    )
}

fn indent(text: &str) -> String {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("  {line}\n")).collect()
}

/// Short ways to look at a result.
pub(crate) trait Look {
    /// Codes and messages of one severity.
    fn told(&self, severity: Severity) -> Vec<String>;
    /// Whether a code was reported.
    fn has(&self, code: Code) -> bool;
    /// How often a code was reported.
    fn count(&self, code: Code) -> usize;
    /// `file:line:column` of the first report of a code.
    fn place(&self, code: Code) -> String;
    /// What the first report of a code underlines.
    fn quoted(&self, code: Code) -> String;
    /// Places of the other labels of the first report of a code.
    fn others(&self, code: Code) -> Vec<String>;
    /// Message, notes and help of the first report of a code.
    fn story(&self, code: Code) -> String;
    /// The bundle as JSON; fails when there are errors.
    fn json(&self) -> Value;
}

impl Look for Built {
    fn told(&self, severity: Severity) -> Vec<String> {
        let wanted = self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
        wanted.map(|d| format!("{} {} {}", d.code, d.primary.place(), d.message)).collect()
    }

    fn has(&self, code: Code) -> bool {
        self.count(code) > 0
    }

    fn count(&self, code: Code) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.code == code).count()
    }

    fn place(&self, code: Code) -> String {
        find(self, code).primary.place()
    }

    fn quoted(&self, code: Code) -> String {
        let label = &find(self, code).primary;
        label.file.slice(label.span).to_owned()
    }

    fn others(&self, code: Code) -> Vec<String> {
        find(self, code).secondary.iter().map(uiap_authoring::diagnostic::Label::place).collect()
    }

    fn story(&self, code: Code) -> String {
        let found = find(self, code);
        let help = found.help.clone().unwrap_or_default();
        format!("{}\n{}\n{help}", found.message, found.notes.join("\n"))
    }

    fn json(&self) -> Value {
        let Some(bundle) = &self.bundle else { panic!("no bundle: {:#?}", self.told(Severity::Error)) };
        serde_json::from_slice(&bundle.bytes).unwrap()
    }
}

fn find(built: &Built, code: Code) -> &uiap_authoring::diagnostic::Diagnostic {
    let found = built.diagnostics.iter().find(|diagnostic| diagnostic.code == code);
    found.unwrap_or_else(|| {
        let all: Vec<String> =
            built.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
        panic!("{code} was not reported: {all:#?}")
    })
}

/// Fails unless exactly these errors were reported.
#[track_caller]
pub(crate) fn only_errors(built: &Built, codes: &[Code]) {
    let mut found: Vec<Code> =
        built.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
    found.sort();
    let mut wanted = codes.to_vec();
    wanted.sort();
    assert_eq!(found, wanted, "{:#?}", built.told(Severity::Error));
}

/// Fails when there is any error.
#[track_caller]
pub(crate) fn ok(built: &Built) -> Value {
    assert!(!built.diagnostics.has_errors(), "{:#?}", built.told(Severity::Error));
    built.json()
}

/// The publish section that most gate tests use.
pub(crate) const PUBLISH: &str = "publish:
  defaultChannel: staging
  channels:
    - { name: staging, requiredReviewState: in_review, allowWaivers: true }
    - { name: prod, requiredReviewState: approved, allowWaivers: false, forbidGeneratedOnly: true, requireDigest: true }
    - { name: dev, requiredReviewState: draft }";

/// A workflow catalogue with one workflow of one step.
pub(crate) fn workflow(id: &str) -> String {
    format!("workflows:\n  - definition: {}\n", definition(id, "0.1.0"))
}

/// A workflow definition in flow style.
pub(crate) fn definition(id: &str, version: &str) -> String {
    format!(
        "{{ id: {id}, version: {version}, title: {{ default: Title }}, category: task, startMode: manual, \
         interactionModes: [guide, assist, auto], initialStepId: intro, steps: [ \
         {{ id: intro, type: instruction, text: Hello, next: done }}, {{ id: done, type: complete }} ] }}"
    )
}

/// Bindings with one element.
pub(crate) const ELEMENT: &str =
    "elements:\n  - { id: save, match: [ { by: annotation, attr: data-uiap-id, value: save } ] }\n";

/// An action in flow style.
pub(crate) fn action(id: &str) -> String {
    format!(
        "{{ id: {id}, kind: domain, targetKinds: [none], executionModes: [appAction], risk: {{ level: safe }}, \
         success: [ {{ kind: toast.contains, text: ok }} ], implementation: {{ kind: sdkHandler, ref: app.{id} }} }}"
    )
}

/// A policy set with one policy.
pub(crate) fn policy(id: &str, unknown: &str) -> String {
    format!(
        "policies:\n  - {{ id: {id}, document: {{ modelVersion: \"0.1\", defaults: {{ onUnknownAction: {unknown} }} }} }}\n"
    )
}
