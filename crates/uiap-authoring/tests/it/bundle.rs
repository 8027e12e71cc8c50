//! Step 9: one set of bytes for one set of manifests.

use serde_json::Value;
use uiap_authoring::build::build;
use uiap_authoring::diagnostic::codes;
use uiap_authoring::files::{DirectorySource, MemorySource, NoRegistry};
use uiap_authoring::release::{BundleError, open_bundle, verify_bundle, write_atomically};
use uiap_model::document;

use crate::support::{ELEMENT, Look, Pkg, action, ok, policy, workflow};

fn pkg() -> Pkg {
    Pkg::new()
        .with("b", "Bindings", ELEMENT)
        .with("a", "Actions", &format!("actions: [ {} ]", action("x.do")))
        .with("p", "PolicySet", &policy("p", "deny"))
        .with("w", "WorkflowCatalog", &workflow("w"))
        .with(
            "l",
            "LocalePack",
            "namespaces: { n: { messages: { k: { default: \"Zeile\\nzwei \u{1F600}\" } } } }",
        )
}

/// Requirement: AUTH-12-02
/// Requirement: AUTH-12-03
/// Requirement: AUTH-12-04
/// Requirement: AUTH-13-05
/// Requirement: AUTH-13-10
/// Requirement: AUTH-2-01
/// Case: AUTH-158
/// Case: AUTH-160
#[test]
fn a_bundle_is_canonical_sealed_and_valid() {
    let built = pkg().build();
    let json = ok(&built);
    let bundle = built.bundle.unwrap();
    assert_eq!(uiap_model::digest::canonical(&json).unwrap(), bundle.bytes);
    let problems = document::validate(&json, document::kind("UIAPCompiledBundle").unwrap());
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(json["digest"], bundle.digest.as_str());
    verify_bundle(&bundle.bytes).unwrap();
    let text = String::from_utf8(bundle.bytes).unwrap();
    assert!(["\"imports\"", "\"patches\"", "\"ref\":\"n"].iter().all(|word| !text.contains(word)));
    let edited = text.replace("\"deny\"", "\"allow\"");
    assert!(matches!(verify_bundle(edited.as_bytes()), Err(BundleError::WrongDigest { .. })));
    let manifest = br#"{ "apiVersion": "uiap.authoring/v0.1", "kind": "App" }"#;
    assert!(verify_bundle(manifest).unwrap_err().to_string().contains("build its package"));
    for member in ["packageId", "version", "profile", "buildContext", "compatibility", "app"] {
        let mut lacking = json.clone();
        lacking.as_object_mut().unwrap().remove(member);
        assert!(
            !document::validate(&lacking, document::kind("UIAPCompiledBundle").unwrap()).is_empty(),
            "{member}"
        );
    }
}

/// Requirement: AUTH-2-03
/// Requirement: AUTH-2-05
/// Requirement: AUTH-13-03
/// Case: AUTH-008
/// Case: AUTH-157
#[test]
fn order_style_and_line_endings_of_the_sources_do_not_matter() {
    let base = pkg().build().bundle.unwrap();
    for _ in 0..20 {
        assert_eq!(pkg().build().bundle.unwrap(), base);
    }
    let source = pkg().source();
    let mut windows = MemorySource::new();
    for (path, bytes) in source.iter() {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        windows.insert(path, format!("\u{feff}{}", text.replace('\n', "\r\n")));
    }
    let built = build(&windows, &NoRegistry, &pkg().options);
    assert_eq!(built.bundle.unwrap(), base);
    let mut styled = source.clone();
    styled.insert("b.uiap.yaml", "# a comment\nspec:\n  elements:\n  - match:\n    - value: 'save'\n      by: annotation\n      attr: \"data-uiap-id\"\n    id: save\nkind: Bindings\nmetadata: {id: b}\napiVersion: uiap.authoring/v0.1\n");
    assert_eq!(build(&styled, &NoRegistry, &pkg().options).bundle.unwrap(), base);
    let shuffled = Pkg::empty()
        .with("w", "WorkflowCatalog", &workflow("w"))
        .with(
            "l",
            "LocalePack",
            "namespaces: { n: { messages: { k: { default: \"Zeile\\nzwei \u{1F600}\" } } } }",
        )
        .with("p", "PolicySet", &policy("p", "deny"))
        .with("b", "Bindings", ELEMENT)
        .with("a", "Actions", &format!("actions: [ {} ]", action("x.do")))
        .with("app", "App", crate::support::APP);
    assert_eq!(shuffled.build().bundle.unwrap(), base);
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in source.iter() {
        std::fs::write(folder.path().join(path), bytes).unwrap();
    }
    let disk = build(&DirectorySource::new(folder.path()), &NoRegistry, &pkg().options).bundle.unwrap();
    assert_eq!(disk, base);
    let text = String::from_utf8(disk.bytes).unwrap();
    assert!(!text.contains(&*folder.path().to_string_lossy()));
}

/// Case: AUTH-016
#[test]
fn json_and_yaml_give_the_same_bundle() {
    let mut source = pkg().source();
    let spec: Value = serde_json::json!({ "apiVersion": "uiap.authoring/v0.1", "kind": "Bindings", "metadata": { "id": "b" },
        "spec": { "elements": [ { "id": "save", "match": [ { "by": "annotation", "attr": "data-uiap-id", "value": "save" } ] } ] } });
    let package = source.iter().find(|(path, _)| *path == "package.uiap.yaml").unwrap().1.to_vec();
    let package = String::from_utf8(package).unwrap().replace("b.uiap.yaml", "b.uiap.json");
    source.insert("package.uiap.yaml", package);
    source.insert("b.uiap.json", spec.to_string());
    source.remove("b.uiap.yaml");
    let built = build(&source, &NoRegistry, &pkg().options);
    ok(&built);
    assert_eq!(built.bundle.unwrap(), pkg().build().bundle.unwrap());
}

/// Case: AUTH-161
#[test]
fn a_file_is_replaced_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out/bundle.json");
    write_atomically(&path, b"old").unwrap();
    pkg().build().bundle.unwrap().write_to(&path).unwrap();
    verify_bundle(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir_all(path.join("in the way")).unwrap();
    assert!(write_atomically(&path, b"new").is_err());
    assert_eq!(std::fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
}

/// Requirement: AUTH-2-06
/// Requirement: AUTH-12-01
#[test]
fn a_loader_takes_bundles_and_refuses_everything_else_by_name() {
    let built = pkg().build();
    let json = ok(&built);
    let bundle = open_bundle(&built.bundle.unwrap().bytes).unwrap();
    assert_eq!(bundle.text("/actions/0/implementation/ref"), Some("app.x.do"));
    let refused = |bytes: &[u8]| open_bundle(bytes).unwrap_err().to_string();
    for (path, bytes) in pkg().source().iter() {
        assert!(refused(bytes).contains("build its package first"), "{path}");
    }
    assert!(
        refused(br#"{ "apiVersion": "uiap.authoring/v0.1", "kind": "App" }"#)
            .contains("build its package first")
    );
    for member in ["packageId", "version", "profile", "buildContext", "compatibility", "app"] {
        let mut lacking = json.clone();
        lacking.as_object_mut().unwrap().remove(member);
        let told = refused(lacking.to_string().as_bytes());
        assert!(told.contains(&format!("`{member}` is missing")), "{told}");
    }
    let mut wrong = json.clone();
    wrong["actions"][0]["kind"] = "x".into();
    assert!(refused(wrong.to_string().as_bytes()).contains("/actions/0/kind"));
    assert!(refused(b"[]").contains("an object"));
    assert!(refused(b"{\"a\":").contains("no JSON"));
}

/// Case: AUTH-168
#[test]
fn the_listed_inputs_are_all_there_is_to_build_the_same_again() {
    let base =
        Pkg::named("demo.base", "0.1.0").with("more", "Actions", &format!("actions: [ {} ]", action("y.do")));
    let rule = "source: { ref: d/run.json }\naccept: [ { kind: element, ids: [one], targetManifestId: b, mode: promote } ]";
    let pkg = pkg()
        .import("base", &base, "*")
        .with("d", "DiscoveryImport", rule)
        .file("d/run.json", &crate::discovery::package(&[crate::discovery::element("one")]))
        .file("stray.uiap.yaml", "never read\n");
    let first = pkg.clone().options(|options| options.provenance = true).build();
    let inputs = &first.report.inputs;
    let named = |package: &str, path: &str| inputs.iter().any(|i| i.package == package && i.path == path);
    assert!(
        named("", "d/run.json")
            && named("", "package.uiap.yaml")
            && named("demo.base@0.1.0", "more.uiap.yaml")
    );
    assert!(!named("", "stray.uiap.yaml"));
    let source = pkg.source();
    let mut again = MemorySource::new();
    for input in inputs.iter().filter(|input| input.package.is_empty()) {
        let (_, bytes) = source.iter().find(|(path, _)| *path == input.path).unwrap();
        assert_eq!(uiap_model::digest::sha256(bytes).to_string(), input.digest, "{}", input.path);
        again.insert(&input.path, bytes);
    }
    assert_eq!(build(&again, &pkg.registry, &pkg.options).bundle, first.bundle);
}

#[test]
fn every_input_is_listed_with_its_digest_when_asked_for() {
    let built = pkg().options(|options| options.provenance = true).build();
    let paths: Vec<&str> = built.report.inputs.iter().map(|input| input.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "package.uiap.yaml",
            "app.uiap.yaml",
            "b.uiap.yaml",
            "a.uiap.yaml",
            "p.uiap.yaml",
            "w.uiap.yaml",
            "l.uiap.yaml"
        ]
    );
    assert!(built.report.inputs.iter().all(|input| input.digest.starts_with("sha256:")));
    assert!(pkg().build().report.inputs.is_empty());
}

#[test]
fn ten_thousand_mistakes_are_all_counted() {
    let elements: String = (0..10_000)
        .map(|index| {
            format!("  - {{ id: e{index}, scopeId: nowhere, match: [ {{ by: text, text: T }} ] }}\n")
        })
        .collect();
    let built = Pkg::new().with("b", "Bindings", &format!("elements:\n{elements}")).build();
    assert_eq!(built.count(codes::UNKNOWN_REFERENCE), 10_000);
}
