//! One package, one digest: whatever the order of files, the threads, the clock, the language and the folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use uiap_authoring::build::{BuildOptions, Cache, build};
use uiap_authoring::files::{DirectorySource, MemorySource, NoRegistry, PackageSource, ReadError};
use uiap_authoring::source::{Limits, SourceFile};

use crate::support::{ELEMENT, Pkg, action, policy, workflow};

fn pkg() -> Pkg {
    let overlay = "selector: {}\npatches: [ { manifestId: b, path: /spec/elements, op: append, value: { id: zoom, match: [ { by: text, text: Z } ] } } ]";
    Pkg::new()
        .with("b", "Bindings", ELEMENT)
        .with(
            "c",
            "Bindings",
            "elements:\n  - { id: ärger-free, match: [ { by: text, text: \"Ä\" } ] }\n"
                .replace("ä", "a")
                .as_str(),
        )
        .with("a", "Actions", &format!("actions: [ {}, {} ]", action("x.do"), action("x.be")))
        .with("p", "PolicySet", &policy("p", "deny"))
        .with("w", "WorkflowCatalog", &workflow("w"))
        .with("o", "Overlay", overlay)
        .with(
            "l",
            "LocalePack",
            "namespaces: { n: { messages: { k: { default: \"İstanbul ß\", byLocale: { tr: x, de: y } } } } }",
        )
}

/// A source that lists its files in another order every time and answers slowly in places.
struct Shuffled {
    files: MemorySource,
    seed: u64,
}

impl PackageSource for Shuffled {
    fn read(&self, path: &str, limits: &Limits) -> Result<Arc<SourceFile>, ReadError> {
        for _ in 0..(self.seed ^ path.len() as u64) % 7 {
            thread::yield_now();
        }
        self.files.read(path, limits)
    }

    fn list(&self) -> Vec<String> {
        let mut list = self.files.list();
        let mut state = self.seed | 1;
        for at in (1..list.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            list.swap(at, usize::try_from(state >> 33).unwrap() % (at + 1));
        }
        list
    }

    fn display_name(&self, path: &str) -> String {
        self.files.display_name(path)
    }
}

/// The files, with the lines of the manifest list in another order and other line endings.
fn variant(seed: u64) -> Shuffled {
    let mut files = MemorySource::new();
    for (path, bytes) in pkg().source().iter() {
        let mut text = String::from_utf8(bytes.to_vec()).unwrap();
        if path == "package.uiap.yaml" {
            // The overlay keeps its place behind the manifests; the rest of the list may turn.
            let mut lines: Vec<&str> = text.lines().filter(|line| line.contains("- { id:")).collect();
            let rest: Vec<&str> = text.lines().filter(|line| !line.contains("- { id:")).collect();
            let count = lines.len();
            lines.rotate_left(usize::try_from(seed).unwrap() % count);
            text = format!("{}\n{}\n", rest.join("\n"), lines.join("\n"));
        }
        if seed % 3 == 1 {
            text = text.replace('\n', "\r\n");
        }
        if seed % 5 == 2 {
            text = format!("\u{feff}{text}");
        }
        files.insert(path, text);
    }
    Shuffled { files, seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) }
}

/// Requirement: AUTH-2-05
/// Case: AUTH-157
#[test]
fn a_thousand_builds_give_one_digest() {
    let expected = pkg().build().bundle.unwrap();
    let digests: BTreeSet<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8u64)
            .map(|worker| {
                scope.spawn(move || {
                    let mut cache = Cache::new();
                    let digest = |round: u64| {
                        let (source, options) = (variant(worker * 125 + round), pkg().options);
                        let built = if round.is_multiple_of(4) {
                            cache.build(&source, &NoRegistry, &options)
                        } else {
                            build(&source, &NoRegistry, &options)
                        };
                        built.bundle.unwrap().digest
                    };
                    (0..125).map(digest).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(digests, BTreeSet::from([expected.digest]));
}

/// Only in a process of its own: prints the digest of the package in the folder that the variable names.
#[test]
fn digest_of_the_folder_in_the_environment() {
    if let Some(folder) = std::env::var_os("UIAP_TEST_FOLDER") {
        let built = build(&DirectorySource::new(Path::new(&folder)), &NoRegistry, &BuildOptions::default());
        println!("digest={}", built.bundle.unwrap().digest);
    }
}

/// Case: AUTH-157
#[test]
fn time_zone_language_folder_and_cores_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a folder");
    std::fs::create_dir(&root).unwrap();
    for (path, bytes) in pkg().source().iter() {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    let digest = |folder: &Path, shown: &str, zone: &str, language: &str| {
        let out = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "determinism::digest_of_the_folder_in_the_environment", "--nocapture"])
            .current_dir(folder)
            .env("UIAP_TEST_FOLDER", shown)
            .env("TZ", zone)
            .envs([("LANG", language), ("LC_ALL", language), ("LANGUAGE", language)])
            .env("SOURCE_DATE_EPOCH", "0")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.split("digest=").nth(1).unwrap_or_else(|| panic!("{text}")).lines().next().unwrap().to_owned()
    };
    let whole = root.to_string_lossy().into_owned();
    let found: BTreeSet<String> = [
        digest(&root, ".", "UTC", "C"),
        digest(folder.path(), "a folder", "Asia/Kolkata", "tr_TR.UTF-8"),
        digest(Path::new("/"), &whole, "America/St_Johns", "de_DE.UTF-8"),
    ]
    .into();
    assert_eq!(found, BTreeSet::from([pkg().build().bundle.unwrap().digest]));
}
