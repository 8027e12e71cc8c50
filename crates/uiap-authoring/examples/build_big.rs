//! Measures a build of many elements: `build_big <elements> <files> [overlays] [errors] [check|warm|diff|write DIR]`.
//!
//! `check` leaves the bundle out, `warm` edits one file between checks, `diff` compares two bundles, `write` only
//! writes the package to a directory, for other tools.
#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::fmt::Write;
use std::time::Instant;

use uiap_authoring::build::{BuildOptions, Cache, build};
use uiap_authoring::diff::diff_bundles;
use uiap_authoring::files::{MemorySource, NoRegistry};

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let at = |index: usize, default: usize| numbers.get(index).copied().unwrap_or(default);
    let (elements, files, overlays, errors) = (at(0, 100_000), at(1, 1).max(1), at(2, 0), at(3, 0));
    let source = package(elements, files, overlays, errors);
    let bytes: usize = source.iter().map(|(_, bytes)| bytes.len()).sum();
    let has = |word: &str| std::env::args().any(|each| each == word);
    if has("write") {
        return write(&source);
    }
    if has("warm") {
        return warm(source, files);
    }
    if has("diff") {
        return diff(&source);
    }
    let options =
        BuildOptions { check_only: has("check"), keep_going: has("check"), ..BuildOptions::default() };
    for round in 0..3 {
        let start = Instant::now();
        let built = build(&source, &NoRegistry, &options);
        let took = start.elapsed();
        let size = built.bundle.as_ref().map_or(0, |bundle| bundle.bytes.len());
        println!(
            "round {round}: {elements} elements in {files} files, {overlays} overlays, {:.1} MB in, {:.1} MB out, {} findings, {took:.0?}, {}",
            mega(bytes),
            mega(size),
            built.diagnostics.total(),
            memory().unwrap_or_default(),
        );
    }
}

/// One file changes between two checks, as in an editor.
fn warm(mut source: MemorySource, files: usize) {
    let options = BuildOptions { check_only: true, keep_going: true, ..BuildOptions::default() };
    let mut cache = Cache::new();
    cache.build(&source, &NoRegistry, &options);
    for round in 0..10 {
        let path = format!("elements{}.uiap.yaml", (round * 7) % files);
        let text = source
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, bytes)| bytes.to_vec())
            .unwrap_or_default();
        let edited = String::from_utf8_lossy(&text).replacen("role: button", "role: buton", 1);
        for (what, text) in [("mistake", edited.into_bytes()), ("repair", text)] {
            source.insert(&path, text);
            let start = Instant::now();
            let built = cache.build(&source, &NoRegistry, &options);
            println!("{what} in {path}: {} findings, {:.1?}", built.diagnostics.total(), start.elapsed());
        }
    }
}

fn diff(source: &MemorySource) {
    let bytes = |source: &MemorySource| {
        build(source, &NoRegistry, &BuildOptions::default())
            .bundle
            .map(|bundle| bundle.bytes)
            .unwrap_or_default()
    };
    let mut edited = source.clone();
    for (path, text) in source.iter() {
        edited.insert(path, String::from_utf8_lossy(text).replacen("risk: confirm", "risk: safe", 100));
    }
    let (old, new) = (bytes(source), bytes(&edited));
    for _ in 0..3 {
        let start = Instant::now();
        match diff_bundles(&old, &new) {
            Ok(found) => {
                println!(
                    "{} changes, {:.0?}, {}",
                    found.len(),
                    start.elapsed(),
                    memory().unwrap_or_default()
                );
            }
            Err(error) => println!("{error}"),
        }
    }
}

fn write(source: &MemorySource) {
    let folder = std::path::PathBuf::from(std::env::args().next_back().unwrap_or_default());
    for (path, bytes) in source.iter() {
        if let Err(error) = std::fs::write(folder.join(path), bytes) {
            println!("{path}: {error}");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|line| line.starts_with("VmHWM")).map(str::to_owned)
}

fn envelope(kind: &str, id: &str) -> String {
    format!("apiVersion: uiap.authoring/v0.1\nkind: {kind}\nmetadata:\n  id: {id}\nspec:\n")
}

fn package(elements: usize, files: usize, overlays: usize, errors: usize) -> MemorySource {
    let mut source = MemorySource::new();
    let mut list = String::new();
    let mut add = |source: &mut MemorySource, id: &str, kind: &str, spec: &str| {
        let path = format!("{id}.uiap.yaml");
        // Writing to a string cannot fail.
        let _ = writeln!(list, "    - {{ id: {id}, kind: {kind}, path: {path} }}");
        source.insert(&path, envelope(kind, id) + spec);
    };
    add(&mut source, "app", "App", "  appId: big\n  displayName: Big\n");
    add(
        &mut source,
        "scopes",
        "Bindings",
        "  routes:\n    - id: r\n      match: [{ kind: path, value: /r }]\n  scopes:\n    - { id: s, kind: form }\n",
    );
    add(
        &mut source,
        "texts",
        "LocalePack",
        "  namespaces: { n: { messages: { k: { default: Name, byLocale: { de: Name } } } } }\n",
    );
    let share = elements.div_ceil(files);
    for file in 0..files {
        let mut spec = String::from("  elements:\n");
        for index in (file * share)..((file + 1) * share).min(elements) {
            let scope = if index < errors { "nowhere" } else { "s" };
            let _ = write!(
                spec,
                "    - id: element.number.{index}\n      scopeId: {scope}\n      routeIds:\n        - r\n      role: button\n      \
                 name:\n        ref: n.k\n        fallback: Name of the element\n      match:\n        - by: annotation\n          \
                 attr: data-uiap-id\n          value: element.number.{index}\n        - by: semantic\n          role: button\n          \
                 name: Name of the element\n          scopeId: s\n      risk: confirm\n"
            );
        }
        add(&mut source, &format!("elements{file}"), "Bindings", &spec);
    }
    for overlay in 0..overlays {
        let mut spec = String::from("  selector: {}\n  patches:\n");
        for patch in 0..100 {
            let index = (overlay * 100 + patch) % elements.max(1);
            let _ = writeln!(
                spec,
                "    - {{ manifestId: elements0, path: /spec/elements/{index}/risk, op: replace, value: blocked }}"
            );
        }
        add(&mut source, &format!("overlay{overlay}"), "Overlay", &spec);
    }
    let package = envelope("Package", "package").replace("spec:", "  version: 0.1.0\nspec:")
        + "  packageId: big.uiap\n  version: 0.1.0\n  compatibility: { uiapCore: \">=0.1 <0.2\" }\n  manifests:\n"
        + &list;
    source.insert("package.uiap.yaml", package);
    source
}
