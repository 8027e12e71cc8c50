//! Builds that follow each other with a cache say and give what builds without one do.

use uiap_authoring::build::{BuildOptions, Built, Cache, build};
use uiap_authoring::files::{DirectorySource, MemorySource, NoRegistry, PackageSource};
use uiap_authoring::source::Limits;

const HEAD: &str = "apiVersion: uiap.authoring/v0.1\n";

fn manifest(kind: &str, id: &str, spec: &str) -> String {
    format!("{HEAD}kind: {kind}\nmetadata:\n  id: {id}\nspec:\n{spec}")
}

fn element(id: &str, scope: &str, text: &str) -> String {
    format!(
        "    - id: {id}\n      scopeId: {scope}\n      name: {{ ref: {text} }}\n      \
         match: [{{ by: text, text: T }}]\n"
    )
}

fn elements(id: &str, list: &[(&str, &str, &str)]) -> String {
    let items: String = list.iter().map(|(id, scope, text)| element(id, scope, text)).collect();
    manifest("Bindings", id, &format!("  elements:\n{items}"))
}

fn package() -> MemorySource {
    let files = [
        ("app", "App"),
        ("scopes", "Bindings"),
        ("one", "Bindings"),
        ("two", "Bindings"),
        ("texts", "LocalePack"),
    ];
    let list: String = files
        .iter()
        .map(|(id, kind)| format!("    - {{ id: {id}, kind: {kind}, path: m/{id}.uiap.yaml }}\n"))
        .collect();
    let package = format!(
        "{HEAD}kind: Package\nmetadata: {{ id: package, version: 0.1.0 }}\nspec:\n  packageId: demo.uiap\n  \
         version: 0.1.0\n  compatibility: {{ uiapCore: \">=0.1 <0.2\" }}\n  manifests:\n{list}"
    );
    MemorySource::new()
        .with("package.uiap.yaml", package)
        .with("m/app.uiap.yaml", manifest("App", "app", "  appId: a\n  displayName: A\n"))
        .with(
            "m/scopes.uiap.yaml",
            manifest("Bindings", "scopes", "  scopes:\n    - { id: s, kind: form }\n"),
        )
        .with("m/one.uiap.yaml", elements("one", &[("a", "s", "n.k"), ("b", "s", "n.k")]))
        .with("m/two.uiap.yaml", elements("two", &[("c", "s", "n.k")]))
        .with("m/texts.uiap.yaml", texts("k"))
}

fn texts(key: &str) -> String {
    manifest(
        "LocalePack",
        "texts",
        &format!("  namespaces: {{ n: {{ messages: {{ {key}: {{ default: T }} }} }} }}\n"),
    )
}

fn words(built: &Built) -> Vec<String> {
    built.diagnostics.iter().map(|found| format!("{found:?}")).collect()
}

fn options(check_only: bool) -> BuildOptions {
    BuildOptions { check_only, keep_going: check_only, ..BuildOptions::default() }
}

/// Every edit that can change what another file means: names that appear, vanish and move between files.
#[test]
fn every_edit_gives_the_same_findings_and_bytes_as_a_fresh_build() {
    let edits: [(&str, String); 11] = [
        ("m/one.uiap.yaml", elements("one", &[("a", "s", "n.k"), ("b", "nowhere", "n.k")])),
        (
            "m/scopes.uiap.yaml",
            manifest("Bindings", "scopes", "  scopes:\n    - { id: nowhere, kind: form }\n"),
        ),
        (
            "m/scopes.uiap.yaml",
            manifest(
                "Bindings",
                "scopes",
                "  scopes:\n    - { id: s, kind: form }\n    - { id: a, kind: form }\n",
            ),
        ),
        ("m/texts.uiap.yaml", texts("other")),
        ("m/texts.uiap.yaml", texts("k")),
        // The same element in two files: the second is only looked at when the first goes.
        ("m/two.uiap.yaml", elements("two", &[("a", "elsewhere", "n.k")])),
        ("m/one.uiap.yaml", elements("one", &[("b", "s", "n.k")])),
        ("m/two.uiap.yaml", "spec: [broken".to_owned()),
        ("m/two.uiap.yaml", elements("two", &[("c", "s", "n.k"), ("bad id", "s", "n.gone")])),
        ("m/app.uiap.yaml", manifest("App", "app", "  appId: a\n  displayName: B\n")),
        ("m/two.uiap.yaml", elements("two", &[("c", "s", "n.k")])),
    ];
    for check_only in [false, true] {
        let (mut source, mut cache) = (package(), Cache::new());
        let mut told = 0;
        assert!(words(&cache.build(&source, &NoRegistry, &options(check_only))).is_empty());
        for (path, text) in &edits {
            source.insert(path, text.as_str());
            let warm = cache.build(&source, &NoRegistry, &options(check_only));
            let cold = build(&source, &NoRegistry, &options(check_only));
            assert_eq!(words(&warm), words(&cold), "after {path}: {text}");
            assert_eq!(warm.bundle, cold.bundle, "after {path}");
            assert_eq!(warm.bundle.is_some(), !check_only && !cold.diagnostics.has_errors());
            told += cold.diagnostics.total();
        }
        assert!(told > 8, "{told} findings are too few to show anything");
    }
}

/// Case: AUTH-172
#[test]
fn a_file_that_was_renamed_replaced_or_removed_on_disk_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("m")).unwrap();
    for (path, bytes) in package().iter() {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    let (source, mut cache) = (DirectorySource::new(root), Cache::new());
    let mut codes = || -> Vec<String> {
        let built = cache.build(&source, &NoRegistry, &options(false));
        built.diagnostics.iter().map(|found| found.code.to_string()).collect()
    };
    assert!(codes().is_empty());
    // Saved as editors do it: a new file takes the place of the old one, with the same length.
    let one = std::fs::read_to_string(root.join("m/one.uiap.yaml")).unwrap();
    std::fs::write(root.join("m/.swap"), one.replacen("scopeId: s", "scopeId: t", 1)).unwrap();
    std::fs::rename(root.join("m/.swap"), root.join("m/one.uiap.yaml")).unwrap();
    assert_eq!(codes(), [uiap_authoring::diagnostic::codes::UNKNOWN_REFERENCE.to_string()]);
    std::fs::write(root.join("m/one.uiap.yaml"), &one).unwrap();
    assert!(codes().is_empty());
    std::fs::rename(root.join("m/two.uiap.yaml"), root.join("m/three.uiap.yaml")).unwrap();
    let missing = [
        uiap_authoring::diagnostic::codes::STRAY_MANIFEST.to_string(),
        uiap_authoring::diagnostic::codes::MANIFEST_MISSING.to_string(),
    ];
    let found = codes();
    assert!(found.contains(&missing[1]), "{found:?}");
    std::fs::rename(root.join("m/three.uiap.yaml"), root.join("m/two.uiap.yaml")).unwrap();
    assert!(codes().is_empty());
}

#[test]
fn a_directory_compares_in_place_and_sees_every_difference() {
    let folder = tempfile::tempdir().unwrap();
    let text = "x".repeat(200_000);
    std::fs::write(folder.path().join("a.uiap.yaml"), &text).unwrap();
    let source = DirectorySource::new(folder.path());
    assert!(source.holds("a.uiap.yaml", &text));
    assert!(!source.holds("a.uiap.yaml", &(text.clone() + "x")));
    assert!(!source.holds("a.uiap.yaml", &text[1..]));
    assert!(!source.holds("a.uiap.yaml", &(text[1..].to_owned() + "y")));
    assert!(!source.holds("b.uiap.yaml", &text));
    assert!(source.read("a.uiap.yaml", &Limits::DEFAULT).is_ok());
}

/// A check looks at everything that a build looks at.
#[test]
fn a_check_of_the_example_says_what_its_build_says() {
    let fixtures = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages");
    let registry = uiap_authoring::files::DirectoryRegistry::new([fixtures.join("registry")]);
    let source = DirectorySource::new(fixtures.join("videoland"));
    for channel in ["staging", "prod"] {
        let mut options = BuildOptions { keep_going: true, ..BuildOptions::default() };
        options.context.channel = uiap_model::authoring::ReleaseChannel::parse(channel);
        let built = build(&source, &registry, &options);
        let checked = build(&source, &registry, &BuildOptions { check_only: true, ..options });
        assert_eq!(words(&checked), words(&built));
        assert!(built.bundle.is_some() && checked.bundle.is_none());
    }
}
