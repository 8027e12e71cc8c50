//! Step 1 and step 3: the package and the manifests that it lists.

use uiap_authoring::build::build;
use uiap_authoring::diagnostic::{Severity, codes};
use uiap_authoring::files::{DirectorySource, MemorySource, NoRegistry};

use crate::support::{APP, ELEMENT, Look, PUBLISH, Pkg, action, manifest, ok, only_errors, policy};

/// Requirement: AUTH-4.1-09
/// Requirement: AUTH-7-02
/// Case: AUTH-022
#[test]
fn a_package_has_exactly_one_package_manifest() {
    let none = build(&MemorySource::new(), &NoRegistry, &Pkg::new().options);
    only_errors(&none, &[codes::NO_PACKAGE]);
    assert!(none.story(codes::NO_PACKAGE).contains("found 0"));
    let two =
        Pkg::new().file("other.uiap.yaml", &manifest("other", "Package", "version: 1.0.0", "packageId: x"));
    let two = two.build();
    only_errors(&two, &[codes::SEVERAL_PACKAGES]);
    assert!(two.story(codes::SEVERAL_PACKAGES).contains("found 2"));
    assert_eq!(two.others(codes::SEVERAL_PACKAGES).len(), 1);
    ok(&Pkg::new().build());
}

/// Requirement: AUTH-3.1-03
/// Requirement: AUTH-11.1-01
/// Case: AUTH-023
/// Case: AUTH-024
/// Case: AUTH-006
#[test]
fn the_version_stands_twice_equals_itself_and_is_a_version() {
    let with = |metadata: &str, spec: &str| {
        let text = format!(
            "apiVersion: uiap.authoring/v0.1\nkind: Package\nmetadata:\n  id: p\n{metadata}spec:\n  packageId: p.q\n  version: {spec}\n  \
             compatibility: {{ uiapCore: \">=0.1 <0.2\" }}\n  manifests:\n  - {{ id: app, kind: App, path: app.uiap.yaml }}\n"
        );
        let source = MemorySource::new()
            .with("package.uiap.yaml", text)
            .with("app.uiap.yaml", manifest("app", "App", "", APP));
        build(&source, &NoRegistry, &Pkg::new().options)
    };
    ok(&with("  version: 1.0.0-rc.1+b5\n", "1.0.0-rc.1+b5"));
    only_errors(&with("", "0.1.0"), &[codes::NO_PACKAGE_VERSION]);
    only_errors(&with("  version: 0.1.0\n", "0.2.0"), &[codes::VERSION_MISMATCH]);
    assert_eq!(
        with("  version: 0.1.0\n", "0.2.0").others(codes::VERSION_MISMATCH),
        ["package.uiap.yaml:8:12"]
    );
    for bad in ["v1.0.0", "01.0.0", "latest", "1.0.0.0"] {
        only_errors(&with(&format!("  version: {bad}\n"), bad), &[codes::BAD_VERSION]);
    }
    let float = with("  version: \"0.1\"\n", "0.1");
    assert!(float.has(codes::WRONG_KIND));
    let fix = float.diagnostics.iter().find_map(|d| d.fix.clone()).unwrap();
    assert_eq!(fix.edits[0].replacement, "\"0.1\"");
}

/// Requirement: AUTH-3-01
/// Requirement: AUTH-3-02
/// Requirement: AUTH-3-03
/// Requirement: AUTH-13-01
/// Case: AUTH-013
/// Case: AUTH-014
/// Case: AUTH-015
/// Case: AUTH-017
/// Case: AUTH-020
/// Case: AUTH-021
#[test]
fn mistakes_in_the_envelope_are_named_at_their_place() {
    let good = manifest("b", "Bindings", "title: B\n", ELEMENT);
    let cases = [
        ("uiap.authoring/v0.1", "uiap.authoring/v0.2", codes::UNKNOWN_VALUE, "b.uiap.yaml:1:13"),
        ("apiVersion: uiap.authoring/v0.1\n", "", codes::MISSING_MEMBER, "b.uiap.yaml:1:1"),
        ("kind: Bindings", "kind: Binding", codes::NOT_A_KIND, "b.uiap.yaml:2:7"),
        ("kind: Bindings\n", "", codes::NO_KIND, "b.uiap.yaml:1:1"),
        ("title: B", "titel: B", codes::UNKNOWN_MEMBER, "b.uiap.yaml:5:3"),
        ("id: b\n", "id: \"\"\n", codes::BAD_FORMAT, "b.uiap.yaml:4:7"),
        ("title: B", "labels: { team: 7 }", codes::WRONG_KIND, "b.uiap.yaml:5:19"),
        ("title: B", "owners: [ { id: a, role: admin } ]", codes::UNKNOWN_VALUE, "b.uiap.yaml:5:28"),
        ("title: B", "reviewState: needs_review", codes::UNKNOWN_VALUE, "b.uiap.yaml:5:16"),
        ("title: B", "source: auto", codes::UNKNOWN_VALUE, "b.uiap.yaml:5:11"),
        ("title: B", "tags: x", codes::WRONG_KIND, "b.uiap.yaml:5:9"),
    ];
    for (from, to, code, place) in cases {
        let pkg = Pkg::new().with("b", "Bindings", ELEMENT);
        let built = pkg.file("b.uiap.yaml", "").build_with("b.uiap.yaml", &good.replacen(from, to, 1));
        assert!(built.has(code), "{to}: {:#?}", built.told(Severity::Error));
        assert_eq!(built.place(code), place, "{to}");
        assert!(built.bundle.is_none());
    }
}

pub(crate) trait BuildWith {
    fn build_with(&self, path: &str, text: &str) -> uiap_authoring::build::Built;
}

impl BuildWith for Pkg {
    /// Builds with one file replaced after everything else is written.
    fn build_with(&self, path: &str, text: &str) -> uiap_authoring::build::Built {
        let mut source = self.source();
        source.insert(path, text);
        build(&source, &self.registry, &self.options)
    }
}

/// Requirement: AUTH-4.1-07
/// Requirement: AUTH-3.1-02
/// Case: AUTH-018
/// Case: AUTH-019
/// Case: AUTH-025
#[test]
fn a_file_is_what_the_list_says() {
    let pkg = Pkg::new().with("b", "Bindings", ELEMENT);
    let kind = pkg.build_with("b.uiap.yaml", &manifest("b", "Actions", "", "actions: []"));
    assert_eq!(kind.place(codes::KIND_MISMATCH), "b.uiap.yaml:2:7");
    assert_eq!(kind.others(codes::KIND_MISMATCH).len(), 1);
    let id = pkg.build_with("b.uiap.yaml", &manifest("c", "Bindings", "", ELEMENT));
    assert!(id.others(codes::ID_MISMATCH)[0].starts_with("package.uiap.yaml:"));
    let same = pkg.build_with("b.uiap.yaml", &manifest("app", "Bindings", "", ELEMENT));
    assert!(same.has(codes::DUPLICATE_MANIFEST));
    let foreign = pkg.build_with("b.uiap.yaml", &manifest("b", "Bindings", "packageId: other", ELEMENT));
    only_errors(&foreign, &[codes::FOREIGN_MANIFEST]);
    let listed = Pkg::new().spec("manifests:\n- { id: app, kind: App, path: app.uiap.yaml }\n- { id: app, kind: App, path: b.uiap.yaml }");
    let listed = listed.file("app.uiap.yaml", &manifest("app", "App", "", APP)).build();
    assert!(listed.has(codes::DUPLICATE_MANIFEST));
}

/// Requirement: AUTH-4.1-06
/// Requirement: AUTH-4.1-08
/// Requirement: AUTH-7-04
/// Case: AUTH-026
/// Case: AUTH-028
/// Case: AUTH-029
/// Case: AUTH-031
#[test]
fn the_list_names_files_that_exist_once() {
    let list = |entry: &str| {
        let spec = format!("manifests:\n- {{ id: app, kind: App, path: app.uiap.yaml }}\n- {entry}\n");
        Pkg::empty().spec(&spec).file("app.uiap.yaml", &manifest("app", "App", "", APP))
    };
    let missing = list("{ id: b, kind: Bindings, path: nowhere.uiap.yaml }").build();
    only_errors(&missing, &[codes::MANIFEST_MISSING]);
    let optional = list("{ id: b, kind: Bindings, path: nowhere.uiap.yaml, required: false }").build();
    ok(&optional);
    assert!(optional.has(codes::OPTIONAL_MANIFEST_MISSING));
    let twice = list("{ id: b, kind: App, path: ./app.uiap.yaml }").build();
    assert!(twice.has(codes::DUPLICATE_PATH));
    let case = list("{ id: b, kind: App, path: App.uiap.yaml }").build();
    assert!(case.has(codes::PATH_CASE));
    let package = list("{ id: b, kind: Package, path: b.uiap.yaml }").build();
    assert!(package.has(codes::UNKNOWN_VALUE));
    let stray = Pkg::new().file("notes/x.uiap.yaml", "not: [even yaml");
    let with = stray.build();
    assert!(with.has(codes::STRAY_MANIFEST));
    assert_eq!(ok(&with), ok(&Pkg::new().build()));
    let overlay = list(
        "{ id: b, kind: Bindings, path: nowhere.uiap.yaml, required: false }\n- { id: o, kind: Overlay, path: o.uiap.yaml }",
    );
    let patch = "selector: {}\npatches: [ { manifestId: b, path: /spec/elements, op: append, value: {} } ]";
    let built = overlay.build_with("o.uiap.yaml", &manifest("o", "Overlay", "", patch));
    only_errors(&built, &[codes::UNKNOWN_MANIFEST]);
}

/// Requirement: AUTH-SEC-02
/// Case: AUTH-027
#[test]
fn a_path_never_leaves_the_package() {
    for path in
        ["/etc/passwd", "../outside.uiap.yaml", "a/../../b", "C:\\\\x.yaml", "https://example.com/a.yaml"]
    {
        let spec = format!("manifests:\n- {{ id: app, kind: App, path: \"{path}\" }}\n");
        let built = Pkg::empty().spec(&spec).build();
        assert!(built.has(codes::UNSAFE_PATH), "{path}");
    }
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("pkg");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(outer.path().join("secret.uiap.yaml"), manifest("app", "App", "", APP)).unwrap();
    for (path, bytes) in Pkg::new().source().iter().filter(|(path, _)| *path != "app.uiap.yaml") {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.path().join("secret.uiap.yaml"), root.join("app.uiap.yaml")).unwrap();
    let built = build(&DirectorySource::new(&root), &NoRegistry, &Pkg::new().options);
    #[cfg(unix)]
    assert!(built.has(codes::UNSAFE_PATH), "{:#?}", built.told(Severity::Error));
}

/// Requirement: AUTH-4.1-02
/// Requirement: AUTH-4.1-03
/// Case: AUTH-032
/// Case: AUTH-033
/// Case: AUTH-034
#[test]
fn compatibility_is_checked_against_what_the_tool_knows() {
    let with = |compatibility: &str| Pkg::new().spec(&format!("compatibility: {compatibility}"));
    ok(&with("{ uiapCore: \">=0.1 <0.2\" }").build());
    only_errors(&with("{ uiapCore: \">=0.2\" }").build(), &[codes::INCOMPATIBLE]);
    let bad = with("{ uiapCore: \">=0.1 abc\" }").build();
    only_errors(&bad, &[codes::BAD_RANGE]);
    assert_eq!(bad.quoted(codes::BAD_RANGE), "abc");
    let extension = |id: &str, required: bool| {
        with(&format!(
            "{{ uiapCore: \"^0.1\", extensions: [ {{ id: {id}, range: \"^0.1\", required: {required} }} ] }}"
        ))
        .build()
    };
    ok(&extension("uiap.policy", true));
    only_errors(&extension("uiap.polcy", true), &[codes::UNKNOWN_EXTENSION]);
    let optional = extension("uiap.other", false);
    ok(&optional);
    assert!(optional.has(codes::UNKNOWN_EXTENSION));
    let app = |versions: &str, app: &str| {
        with(&format!("{{ uiapCore: \"^0.1\", appVersions: {versions} }}"))
            .context(|context| context.app_version = Some(app.into()))
            .build()
    };
    ok(&app("[\"2026.03\"]", "2026.03"));
    ok(&app("[\"^1.2.0\"]", "1.4.0"));
    only_errors(&app("[\"2026.03\"]", "2026.04"), &[codes::INCOMPATIBLE]);
    assert!(app("[\"^1.0.0\"]", "new").has(codes::BAD_CONTEXT));
}

/// Requirement: AUTH-4.1-01
/// Requirement: AUTH-4.1-14
#[test]
fn the_package_needs_its_four_members_and_may_have_a_build_section() {
    let base = Pkg::new().source();
    let text =
        String::from_utf8(base.iter().find(|(path, _)| *path == "package.uiap.yaml").unwrap().1.to_vec())
            .unwrap();
    for line in ["packageId: demo.uiap", "version: 0.1.0\n  compat", "compatibility:", "manifests:"] {
        let name = line.split(':').next().unwrap();
        let broken: String = text.replace(&format!("  {name}:"), &format!("  x{name}:"));
        let built = Pkg::new().build_with("package.uiap.yaml", &broken);
        assert!(built.has(codes::MISSING_MEMBER), "{name}");
    }
    let plain = ok(&Pkg::new().build());
    let free = Pkg::new().spec("build: { anything: [1, 2], outDir: out }").build();
    assert_eq!(ok(&free), plain);
    assert!(free.told(Severity::Warning).iter().any(|line| line.contains("anything")));
    assert!(Pkg::new().spec("build: fast").build().has(codes::WRONG_KIND));
}

/// Requirement: AUTH-9-01
/// Requirement: AUTH-9-02
/// Requirement: AUTH-9-03
/// Requirement: AUTH-9-08
/// Requirement: AUTH-9-09
/// Requirement: AUTH-9-10
/// Case: AUTH-138
#[test]
fn channels_are_declared_once_and_production_is_strict() {
    let with = |publish: &str| Pkg::new().spec(&format!("publish: {publish}")).build();
    only_errors(&with("{ channels: [ { name: dev }, { name: dev } ] }"), &[codes::DUPLICATE_CHANNEL]);
    only_errors(
        &with("{ defaultChannel: dev, channels: [ { name: staging } ] }"),
        &[codes::UNDECLARED_CHANNEL],
    );
    assert!(with("{ channels: [ { name: production } ] }").has(codes::UNKNOWN_VALUE));
    assert!(with("{ defaultChannel: dev }").has(codes::MISSING_MEMBER));
    assert!(
        with("{ channels: [ { name: dev, requiredReviewState: generated } ] }").has(codes::UNKNOWN_VALUE)
    );
    assert!(with("{ channels: [ { name: dev, allowWaivers: \"yes\" } ] }").has(codes::WRONG_KIND));
    assert_eq!(
        with("{ channels: [ { name: prod, requiredReviewState: in_review } ] }").count(codes::LENIENT_PROD),
        2
    );
    let strict = "{ channels: [ { name: prod, requiredReviewState: approved, forbidGeneratedOnly: true }, { name: staging } ] }";
    assert!(!with(strict).has(codes::LENIENT_PROD));
    let undeclared = Pkg::new().spec(PUBLISH).channel("canary").build();
    only_errors(&undeclared, &[codes::UNDECLARED_CHANNEL]);
}

/// Requirement: AUTH-4.1-10
/// Requirement: AUTH-7.1-01
/// Case: AUTH-030
/// Case: AUTH-035
/// Case: AUTH-036
#[test]
fn there_is_exactly_one_app() {
    only_errors(&Pkg::empty().build(), &[codes::NO_APP]);
    let two = Pkg::new().with("app2", "App", APP).build();
    only_errors(&two, &[codes::SEVERAL_APPS]);
    assert_eq!(two.place(codes::SEVERAL_APPS), "app.uiap.yaml:2:7");
    assert_eq!(two.others(codes::SEVERAL_APPS), ["app2.uiap.yaml:2:7"]);
}

/// Requirement: AUTH-8-01
/// Requirement: AUTH-8-02
#[test]
fn the_context_is_completed_from_the_package_and_checked_against_the_app() {
    let app = "appId: demo\ndisplayName: Demo\nenvironments: [ { id: staging }, { id: prod } ]\nprincipalProfiles: [ { id: admin } ]\n";
    let pkg = Pkg::new().with_metadata("app", "App", "reviewState: approved", app).spec(PUBLISH);
    assert_eq!(ok(&pkg.build())["buildContext"]["channel"], "staging");
    let wrong = pkg.clone().context(|context| context.environment = Some("stagin".into())).build();
    only_errors(&wrong, &[codes::BAD_CONTEXT]);
    assert!(wrong.story(codes::BAD_CONTEXT).contains("did you mean `staging`?"));
    let profile = pkg.clone().context(|context| context.principal_profile = Some("root".into())).build();
    only_errors(&profile, &[codes::BAD_CONTEXT]);
    let locale = pkg.clone().context(|context| context.locale = Some("de_CH".into())).build();
    only_errors(&locale, &[codes::BAD_CONTEXT]);
    let set = pkg.spec("build: { defaultContext: { environment: prod } }").build();
    assert_eq!(ok(&set)["buildContext"]["environment"], "prod");
}

/// Requirement: AUTH-5.1-01
/// Requirement: AUTH-5.1-02
/// Requirement: AUTH-5.1-03
/// Requirement: AUTH-5.1-04
/// Requirement: AUTH-5.1-05
/// Case: AUTH-155
#[test]
fn the_app_is_checked_inside() {
    let app = |more: &str| Pkg::empty().with("app", "App", &format!("{APP}{more}")).build();
    assert!(Pkg::empty().with("app", "App", "appId: x").build().has(codes::MISSING_MEMBER));
    only_errors(&app("environments: [ { id: a }, { id: a } ]"), &[codes::DUPLICATE_NAME]);
    only_errors(&app("principalProfiles: [ { id: a }, { id: a } ]"), &[codes::DUPLICATE_NAME]);
    only_errors(&app("environments: [ { id: a, baseUrls: [ app.example.com ] } ]"), &[codes::BAD_URL]);
    assert!(app("environments: [ { } ]").has(codes::MISSING_MEMBER));
    assert!(app("routing: { mode: browser }").has(codes::UNKNOWN_VALUE));
    only_errors(&app("routing: { mode: custom, routeProviderRef: \"\" }"), &[codes::EMPTY_REFERENCE]);
    assert!(app("sdk: { overlayEnabled: \"yes\" }").has(codes::WRONG_KIND));
    let prefix = app("sdk: { annotationPrefix: data-x- }");
    ok(&prefix);
    assert!(prefix.has(codes::ANNOTATION_PREFIX));
}

/// Requirement: AUTH-4.1-11
/// Requirement: AUTH-13-02
#[test]
fn several_manifests_of_a_kind_are_merged() {
    let pkg = Pkg::new()
        .with("b1", "Bindings", ELEMENT)
        .with("b2", "Bindings", &ELEMENT.replace("save", "open"))
        .with("a1", "Actions", &format!("actions: [ {} ]", action("a.one")))
        .with("a2", "Actions", &format!("actions: [ {} ]", action("a.two")))
        .with("p1", "PolicySet", &policy("one", "deny"))
        .with("p2", "PolicySet", &policy("two", "allow"));
    let json = ok(&pkg.build());
    assert_eq!(json["bindings"]["elements"].as_array().unwrap().len(), 2);
    assert_eq!(json["actions"].as_array().unwrap().len(), 2);
    assert_eq!(json["policies"].as_array().unwrap().len(), 2);
}

/// Requirement: AUTH-3.1-04
/// Requirement: AUTH-13-09
#[test]
fn a_manifest_without_a_version_has_that_of_its_package() {
    let pkg = Pkg::new().with("b", "Bindings", ELEMENT).with_metadata(
        "c",
        "Bindings",
        "version: 0.4.2\n---status\nprovenance: [ { source: discovery, ref: run_7 } ]",
        "elements: []",
    );
    let built = pkg.build();
    let version =
        |id: &str| built.report.manifests.iter().find(|entry| entry.id == id).unwrap().version.clone();
    assert_eq!((version("b"), version("c")), ("0.1.0".to_owned(), "0.4.2".to_owned()));
    assert_eq!(built.report.manifests[2].provenance, ["discovery:run_7"]);
    let bad = Pkg::new().with_metadata("b", "Bindings", "version: one", ELEMENT).build();
    only_errors(&bad, &[codes::BAD_VERSION]);
}

/// Requirement: AUTH-10-01
/// Requirement: AUTH-10-02
#[test]
fn the_status_of_a_manifest_has_a_form_too() {
    let status = |status: &str| {
        Pkg::new().with_metadata("b", "Bindings", &format!("---status\n{status}"), ELEMENT).build()
    };
    ok(&status("provenance: [ { source: manual, note: by hand } ]"));
    assert!(status("provenance: [ { source: imported } ]").has(codes::UNKNOWN_VALUE));
    assert!(status("warnings: careful").has(codes::WRONG_KIND));
    assert!(status("mood: good").has(codes::UNKNOWN_MEMBER));
    assert!(status("provenance: [ { source: manual, at: yesterday } ]").has(codes::BAD_FORMAT));
}

/// Case: AUTH-162
/// Requirement: AUTH-SEC-01
/// Requirement: AUTH-SEC-04
#[test]
fn literal_secrets_are_noticed_and_references_to_them_are_fine() {
    let with = |metadata: &str| {
        let app = format!("{APP}metadata: {metadata}\n");
        Pkg::empty().with_metadata("app", "App", "reviewState: approved", &app).spec(PUBLISH)
    };
    let literal = with("{ apiKey: hunter2hunter2 }");
    assert!(literal.build().has(codes::SECRET));
    ok(&literal.build());
    only_errors(&literal.channel("prod").build(), &[codes::GATE_FAILED]);
    assert!(with("{ token: \"AKIAABCDEFGHIJKLMNOP\" }").build().has(codes::SECRET));
    assert!(!with("{ apiKey: \"vault://demo/api-key\" }").build().has(codes::SECRET));
}
