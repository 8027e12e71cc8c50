//! Whole builds: the example package with edited files never panics, and cached builds say what fresh ones say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_authoring::build::{BuildOptions, Cache, build};
use uiap_authoring::diff::diff_bundles;
use uiap_authoring::files::{MemoryRegistry, MemorySource};
use uiap_authoring::instant::Instant;
use uiap_model::authoring::{BuildContext, ReleaseChannel};

macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        [$(($path, include_str!(concat!("../../../../fixtures/packages/", $folder, "/", $path)))),+]
    };
}

const PACKAGE: [(&str, &str); 10] = files!("videoland":
    "package.uiap.yaml", "app.uiap.yaml", "actions/core.uiap.yaml", "bindings/elements.uiap.yaml",
    "bindings/routes.uiap.yaml", "locales/common.uiap.yaml", "overlays/prod.uiap.yaml",
    "policies/default.uiap.yaml", "reviews/approvals.uiap.yaml", "workflows/onboarding.uiap.yaml",
);

const BASE: [(&str, &str); 3] = files!("registry/uiap.shared.base/0.1.0":
    "package.uiap.yaml", "actions/core.uiap.yaml", "policies/safety.uiap.yaml",
);

/// Words that make an edit meet a rule.
const WORDS: &[&str] = &[
    "replace", "merge", "append", "remove", "upsert", "base:actions.core", "definition.id", "/spec/workflows/0",
    "/metadata/id", "approved", "rejected", "null", "[]", "{}", "&a", "*a", "prod", "9007199254740993", "de_CH",
    "selector: {}", "- id: x", "kind: Overlay", "../../etc/passwd", "\u{202e}", "^0.1.0", "~2", "ref: a.b",
];

/// Takes edits from the input until it ends.
struct Edits<'a>(&'a [u8]);

impl Edits<'_> {
    fn next(&mut self) -> Option<usize> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(usize::from(*first))
    }

    fn apply(&mut self, text: &mut String) -> Option<()> {
        let (kind, at, more) = (self.next()?, self.next()? << 8 | self.next()?, self.next()?);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            lines.push(String::new());
        }
        let count = lines.len();
        let line = at % count;
        match kind % 6 {
            0 => drop(lines.remove(line)),
            1 => lines.insert(line, WORDS[more % WORDS.len()].to_owned()),
            2 => lines.swap(line, more % count),
            3 => {
                let copy = lines.get(line).cloned().unwrap_or_default();
                lines.insert(more % (count + 1), copy);
            }
            4 => {
                if let Some((key, _)) = lines[line].split_once(": ") {
                    lines[line] = format!("{key}: {}", WORDS[more % WORDS.len()]);
                }
            }
            _ => {
                let line = &mut lines[line];
                let cut = line.char_indices().map(|(at, _)| at).nth(more % (line.chars().count() + 1));
                line.truncate(cut.unwrap_or(line.len()));
            }
        }
        *text = lines.join("\n") + "\n";
        Some(())
    }
}

fn source(files: &[(&str, String)]) -> MemorySource {
    files.iter().fold(MemorySource::new(), |source, (path, text)| source.with(path, text.as_str()))
}

fuzz_target!(|data: &[u8]| {
    let owned = |files: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect()
    };
    let (mut package, mut base) = (owned(&PACKAGE), owned(&BASE));
    let mut edits = Edits(data);
    let channel = if edits.next().is_some_and(|byte| byte % 2 == 0) { "prod" } else { "staging" };
    while let Some(file) = edits.next() {
        let file = file % (package.len() + base.len());
        let count = package.len();
        let text = if file < count { &mut package[file].1 } else { &mut base[file - count].1 };
        if edits.apply(text).is_none() {
            break;
        }
    }
    let registry = MemoryRegistry::new().with("uiap.shared.base", "0.1.0", source(&base));
    let context = BuildContext { channel: ReleaseChannel::parse(channel), ..BuildContext::default() };
    let mut options = BuildOptions {
        context,
        now: Instant::parse("2026-04-01T00:00:00Z"),
        keep_going: true,
        explain: Some("/workflows/0/steps/0".to_owned()),
        ..BuildOptions::default()
    };
    let (old, new) = (source(&owned(&PACKAGE)), source(&package));
    let mut cache = Cache::new();
    let before = cache.build(&old, &registry, &options);
    let warm = cache.build(&new, &registry, &options);
    let cold = build(&new, &registry, &options);
    assert_eq!(warm.bundle, cold.bundle);
    assert!(warm.diagnostics.iter().eq(cold.diagnostics.iter()), "a cached build says something else");
    if let (Some(before), Some(after)) = (&before.bundle, &cold.bundle) {
        assert!(diff_bundles(&before.bytes, &after.bytes).is_ok());
    }
    options.check_only = true;
    options.explain = None;
    let looked = build(&new, &registry, &options);
    assert_eq!(looked.diagnostics.total(), cold.diagnostics.total(), "a check says something else");
});
