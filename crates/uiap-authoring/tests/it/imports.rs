//! Step 2: imports, the versions that are chosen, the lock.

use std::path::PathBuf;

use uiap_authoring::build::{Step, build};
use uiap_authoring::diagnostic::codes;
use uiap_authoring::files::{DirectoryRegistry, MemoryRegistry, MemorySource, PackageRegistry};
use uiap_authoring::lock::Lock;
use uiap_authoring::source::SourceFile;

use crate::support::{APP, ELEMENT, Look, Pkg, Stopwatch, action, ok, only_errors};

fn base(version: &str) -> Pkg {
    Pkg::named("demo.base", version).with("actions", "Actions", &format!("actions: [ {} ]", action("nav.go")))
}

/// Requirement: AUTH-4.1-05
/// Requirement: AUTH-4.1-12
/// Requirement: AUTH-6.1-01
/// Requirement: AUTH-12-07
/// Case: AUTH-046
#[test]
fn the_newest_version_in_the_range_is_taken_and_named_by_its_alias() {
    let pkg = Pkg::new()
        .import("base", &base("0.1.0"), "^0.1.0")
        .available(&base("0.1.5"))
        .available(&base("0.2.0"));
    let built = pkg.build();
    let json = ok(&built);
    assert_eq!(built.report.imports[0].version, "0.1.5");
    assert_eq!(json["manifestIndex"], serde_json::json!(["app", "base:actions"]));
    assert_eq!(json["actions"][0]["id"], "nav.go");
    let none = Pkg::new().import("base", &base("0.1.0"), "^9.0.0").available(&base("0.2.0")).build();
    only_errors(&none, &[codes::IMPORT_UNSATISFIED]);
    assert!(none.story(codes::IMPORT_UNSATISFIED).contains("available: 0.1.0, 0.2.0"));
}

/// Requirement: AUTH-1-01
/// Requirement: AUTH-7-03
#[test]
fn a_missing_import_stops_the_build_before_local_manifests_are_read() {
    let spec = "imports: [ { packageId: demo.bsae, versionRange: \"^0.1.0\", alias: base } ]";
    let pkg = Pkg::new().with("broken", "Bindings", "elements: 7").spec(spec).available(&base("0.1.0"));
    let built = pkg.build();
    only_errors(&built, &[codes::IMPORT_NOT_FOUND]);
    assert!(built.story(codes::IMPORT_NOT_FOUND).contains("did you mean `demo.base`?"));
    assert_eq!(built.report.steps, [Step::LoadPackage, Step::ResolveImports]);
    let found =
        Pkg::new().with("broken", "Bindings", "elements: 7").import("base", &base("0.1.0"), "^0.1.0").build();
    assert!(found.has(codes::WRONG_KIND));
}

/// Requirement: AUTH-6.2-01
/// Requirement: AUTH-4.1-13
/// Case: AUTH-041
/// Case: AUTH-042
/// Case: AUTH-044
#[test]
fn aliases_are_plain_and_unique() {
    let twice = Pkg::new().import("base", &base("0.1.0"), "*").import("base", &base("0.1.0"), "*").build();
    only_errors(&twice, &[codes::DUPLICATE_ALIAS]);
    assert_eq!(twice.others(codes::DUPLICATE_ALIAS).len(), 1);
    for alias in ["\"a:b\"", "\"\""] {
        let built = Pkg::new().import(alias, &base("0.1.0"), "*").build();
        assert!(built.has(codes::BAD_ID) || built.has(codes::BAD_FORMAT), "{alias}");
    }
    let listed = "manifests:\n- { id: app, kind: App, path: app.uiap.yaml }\n- { id: \"base:actions\", kind: Actions, path: a.uiap.yaml }";
    let colon = Pkg::empty().import("base", &base("0.1.0"), "*").spec(listed).build();
    assert!(colon.has(codes::BAD_ID));
}

/// Requirement: AUTH-6.2-02
/// Case: AUTH-043
/// Case: AUTH-091
/// Case: AUTH-053
#[test]
fn imported_manifests_are_named_with_their_alias_and_no_deeper() {
    let patch = |id: &str| {
        let overlay = format!(
            "selector: {{}}\npatches: [ {{ manifestId: \"{id}\", path: /spec/actions/0/title, op: merge, value: {{}} }} ]"
        );
        Pkg::new().import("base", &base("0.1.0"), "*").with("o", "Overlay", &overlay).build()
    };
    let bare = patch("actions");
    only_errors(&bare, &[codes::UNKNOWN_MANIFEST]);
    assert!(bare.story(codes::UNKNOWN_MANIFEST).contains("use `base:actions`"));
    let deep = patch("base:deep:actions");
    assert!(deep.story(codes::UNKNOWN_MANIFEST).contains("private"));
}

/// Requirement: AUTH-4.1-04
/// Case: AUTH-051
/// Case: AUTH-052
#[test]
fn a_filter_leaves_out_what_it_does_not_name() {
    let base = base("0.1.0").with("b", "Bindings", ELEMENT);
    let with = |include: &str| {
        let spec = format!(
            "imports: [ {{ packageId: demo.base, versionRange: \"*\", alias: base, include: {include} }} ]"
        );
        Pkg::new().spec(&spec).available(&base)
    };
    let kinds = ok(&with("{ kinds: [Actions] }").build());
    assert_eq!(kinds["manifestIndex"], serde_json::json!(["app", "base:actions"]));
    assert!(kinds.get("bindings").is_none());
    let ids = ok(&with("{ manifestIds: [b] }").build());
    assert_eq!(ids["manifestIndex"], serde_json::json!(["app", "base:b"]));
    let both = with("{ kinds: [Actions], manifestIds: [b] }").build();
    assert!(both.has(codes::EMPTY_IMPORT));
    only_errors(&with("{ manifestIds: [bb] }").build(), &[codes::UNKNOWN_MANIFEST]);
    assert!(with("{ kinds: [Action] }").build().has(codes::UNKNOWN_VALUE));
    let overlay = "selector: {}\npatches: [ { manifestId: \"base:b\", path: /spec/elements/0/risk, op: merge, value: {} } ]";
    let hidden = with("{ kinds: [Actions] }").with("o", "Overlay", overlay).build();
    only_errors(&hidden, &[codes::EXCLUDED_MANIFEST]);
    assert!(hidden.others(codes::EXCLUDED_MANIFEST)[0].starts_with("package.uiap.yaml:"));
}

/// Requirement: AUTH-6.2-05
/// Case: AUTH-048
#[test]
fn cycles_are_refused_with_their_chain() {
    let a = Pkg::named("demo.a", "1.0.0");
    let b = Pkg::named("demo.b", "1.0.0");
    let a_full = a.clone().import("b", &b, "*");
    let b_full = b.clone().import("a", &a, "*");
    let built = Pkg::new().import("a", &a_full, "*").available(&a_full).available(&b_full).build();
    only_errors(&built, &[codes::IMPORT_CYCLE]);
    assert!(built.story(codes::IMPORT_CYCLE).contains("demo.a → demo.b → demo.a"));
    let own =
        Pkg::new().spec("imports: [ { packageId: demo.uiap, versionRange: \"*\", alias: me } ]").build();
    only_errors(&own, &[codes::IMPORT_CYCLE]);
    let c = Pkg::named("demo.c", "1.0.0").with("x", "Bindings", ELEMENT);
    let chain = b.import("c", &c, "*");
    let chained = Pkg::new().import("b", &chain, "*").available(&c);
    let json = ok(&chained.build());
    assert_eq!(json["bindings"]["elements"][0]["id"], "save");
}

/// Case: AUTH-047
#[test]
fn a_diamond_needs_one_version_and_tells_who_wants_what() {
    let left = Pkg::named("demo.left", "1.0.0").import("base", &base("0.1.0"), "^0.1.0");
    let right = |range: &str| Pkg::named("demo.right", "1.0.0").import("base", &base("0.2.0"), range);
    let root = |range: &str| {
        let pkg = Pkg::new().import("left", &left, "*").import("right", &right(range), "*");
        pkg.available(&base("0.1.0")).available(&base("0.2.0")).build()
    };
    let conflict = root("^0.2.0");
    only_errors(&conflict, &[codes::IMPORT_CONFLICT]);
    let story = conflict.story(codes::IMPORT_CONFLICT);
    assert!(story.contains("`demo.left` 1.0.0 needs `demo.base` `^0.1.0`"), "{story}");
    assert!(story.contains("`demo.right` 1.0.0 needs `demo.base` `^0.2.0`"), "{story}");
    assert!(story.lines().count() <= 15);
    assert!(!conflict.others(codes::IMPORT_CONFLICT).is_empty());
    ok(&root(">=0.1.0 <0.3.0"));
}

/// Case: AUTH-049
/// Case: AUTH-050
#[test]
fn pre_releases_are_named_and_twins_are_refused() {
    let pre = Pkg::new().import("base", &base("0.2.0-rc.1"), "^0.2.0").build();
    assert!(pre.story(codes::IMPORT_UNSATISFIED).contains("pre-release"));
    ok(&Pkg::new().import("base", &base("0.2.0-rc.1"), ">=0.2.0-rc.1").build());
    let other = base("0.1.0+b").with("more", "Bindings", ELEMENT);
    let twins = Pkg::new().import("base", &base("0.1.0+a"), "*").available(&other).build();
    only_errors(&twins, &[codes::AMBIGUOUS_BUILD]);
}

/// Case: AUTH-054
#[test]
fn a_package_in_the_wrong_folder_is_refused() {
    let mut pkg = Pkg::new().spec("imports: [ { packageId: demo.other, versionRange: \"*\", alias: base } ]");
    pkg.registry = MemoryRegistry::new().with("demo.other", "0.1.0", base("0.1.0").source());
    only_errors(&pkg.build(), &[codes::WRONG_PACKAGE]);
}

/// Requirement: AUTH-6.2-03
/// Requirement: AUTH-6.2-04
/// Requirement: AUTH-5.8-11
/// Case: AUTH-045
/// Case: AUTH-114
#[test]
fn imported_content_changes_by_overlay_only() {
    let local = |spec: &str| {
        Pkg::new().import("base", &base("0.1.0"), "*").with(
            "mine",
            "Actions",
            &format!("actions: [ {spec} ]"),
        )
    };
    let same = local(&action("nav.go")).build();
    ok(&same);
    assert!(same.has(codes::DEDUPLICATED));
    let differs = local(&action("nav.go").replace("level: safe", "level: confirm")).build();
    only_errors(&differs, &[codes::IMPLICIT_OVERRIDE]);
    assert!(differs.others(codes::IMPLICIT_OVERRIDE)[0].starts_with("demo.base@0.1.0/"));
    let patch = |value: &str| {
        format!(
            "selector: {{}}\npatches: [ {{ manifestId: \"base:actions\", path: /spec/actions/0/risk/level, op: replace, value: {value} }} ]"
        )
    };
    let own = base("0.1.0").with("o", "Overlay", &patch("blocked").replace("base:actions", "actions"));
    let built = Pkg::new().import("base", &own, "*").with("o", "Overlay", &patch("confirm")).build();
    assert_eq!(ok(&built)["actions"][0]["risk"]["level"], "confirm");
    assert!(built.has(codes::OVERLAY_OVER_IMPORT));
    assert_eq!(built.report.patches.len(), 2);
}

/// Requirement: AUTH-4.1-10
/// Case: AUTH-037
/// Case: AUTH-038
/// Case: AUTH-039
/// Case: AUTH-040
#[test]
fn an_imported_app_counts_and_a_second_one_does_not() {
    let base = Pkg::named("demo.base", "0.1.0").with("app", "App", APP);
    let bare = Pkg::empty().import("base", &base, "*").build();
    ok(&bare);
    assert!(bare.has(codes::APP_WITHOUT_OVERLAY));
    let overlay = "selector: {}\npatches: [ { manifestId: \"base:app\", path: /spec/displayName, op: replace, value: Mine } ]";
    let patched = Pkg::empty().import("base", &base, "*").with("o", "Overlay", overlay).build();
    assert_eq!(ok(&patched)["app"]["displayName"], "Mine");
    assert!(!patched.has(codes::APP_WITHOUT_OVERLAY));
    let two = Pkg::new().import("base", &base, "*").build();
    only_errors(&two, &[codes::SEVERAL_APPS]);
    assert!(two.story(codes::SEVERAL_APPS).contains("include.kinds"));
    let spec = "imports: [ { packageId: demo.base, versionRange: \"*\", alias: base, include: { kinds: [Actions] } } ]";
    let none = Pkg::empty().spec(spec).available(&base).build();
    assert!(none.has(codes::NO_APP));
    assert_eq!(none.others(codes::NO_APP).len(), 1);
}

/// Case: AUTH-055
/// Case: AUTH-056
/// Case: AUTH-057
/// Case: AUTH-059
/// Case: AUTH-060
#[test]
fn the_lock_holds_versions_and_content_still() {
    let pkg = Pkg::new().import("base", &base("0.1.0"), "^0.1.0");
    let first = pkg.build();
    let lock = first.lock.clone().unwrap();
    let text = lock.to_text();
    assert!(text.contains("packageId: demo.base") && text.contains("digest: sha256:"));
    let read = Lock::parse(&SourceFile::new("uiap.lock", text.as_str())).unwrap();
    assert_eq!(read, lock);
    let newer = pkg.clone().available(&base("0.1.5"));
    let locked = newer.clone().options(|options| options.lock = Some(read.clone())).build();
    assert_eq!(locked.report.imports[0].version, "0.1.0");
    assert_eq!(locked.lock.as_ref().unwrap().to_text(), text);
    let missing = pkg.clone().options(|options| options.locked = true).build();
    only_errors(&missing, &[codes::LOCK_OUTDATED]);
    let wider = Pkg::new().import("base", &base("0.2.0"), "^0.2.0").options(|options| {
        options.lock = Some(read.clone());
        options.locked = true;
    });
    only_errors(&wider.build(), &[codes::LOCK_OUTDATED]);
    let updated = wider.options(|options| options.locked = false).build();
    assert_eq!(updated.lock.unwrap().packages["demo.base"].version, "0.2.0");
    let edited = Pkg::new().import("base", &base("0.1.0").with("more", "Bindings", ELEMENT), "^0.1.0");
    let edited = edited.options(|options| options.lock = Some(read.clone())).build();
    only_errors(&edited, &[codes::LOCK_DIGEST]);
    assert_eq!(edited.lock.unwrap(), read);
    let old = base("0.1.0").package_metadata("reviewState: deprecated");
    let locked = Pkg::new().import("base", &old, "*").options(|options| {
        let entry =
            uiap_authoring::lock::LockedPackage { version: "0.1.0".into(), digest: "sha256:other".into() };
        options.lock = Some(Lock { packages: [("demo.base".to_owned(), entry)].into(), ..Lock::default() });
    });
    assert!(locked.build().has(codes::DEPRECATED_IMPORT));
    let fresh = Pkg::new().import("base", &old, "*").build();
    assert!(fresh.story(codes::IMPORT_UNSATISFIED).contains("deprecated"));
}

/// Case: AUTH-058
#[test]
fn a_directory_registry_is_searched_in_order_and_never_online() {
    let folder = tempfile::tempdir().unwrap();
    let root: PathBuf = folder.path().join("demo.base").join("0.1.0");
    std::fs::create_dir_all(&root).unwrap();
    for (path, bytes) in base("0.1.0").source().iter() {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    let registry = DirectoryRegistry::new([folder.path().join("nothing"), folder.path().to_owned()]);
    assert_eq!(registry.versions("demo.base"), ["0.1.0"]);
    assert!(registry.versions("../demo.base").is_empty());
    let pkg = Pkg::new().import("base", &base("0.1.0"), "*");
    let built = build(&pkg.source(), &registry, &pkg.options);
    ok(&built);
    let empty = build(&pkg.source(), &DirectoryRegistry::new([]), &pkg.options);
    only_errors(&empty, &[codes::IMPORT_NOT_FOUND]);
}

/// Case: AUTH-057
#[test]
fn line_endings_of_a_locked_package_do_not_matter() {
    let unix = base("0.1.0");
    let lock = Pkg::new().import("base", &unix, "*").build().lock.unwrap();
    let mut windows = MemorySource::new();
    for (path, bytes) in unix.source().iter() {
        windows.insert(path, String::from_utf8(bytes.to_vec()).unwrap().replace('\n', "\r\n"));
    }
    let mut pkg = Pkg::new().import("base", &unix, "*").options(|options| options.lock = Some(lock));
    pkg.registry = MemoryRegistry::new().with("demo.base", "0.1.0", windows);
    ok(&pkg.build());
}

/// A lattice of two packages per layer, each importing both of the next: 2^12 ways lead to the bottom.
#[test]
fn many_ways_to_one_package_cost_no_more_than_the_packages() {
    let mut below: Vec<Pkg> = Vec::new();
    let mut registry: Vec<Pkg> = Vec::new();
    for layer in (0..12).rev() {
        let layer: Vec<Pkg> = ["left", "right"]
            .into_iter()
            .map(|side| {
                let id = format!("demo.{side}{layer}");
                let actions = format!("actions: [ {} ]", action(&format!("go.{side}{layer}")));
                let pkg = Pkg::named(&id, "0.1.0").with("actions", "Actions", &actions);
                below.iter().enumerate().fold(pkg, |pkg, (at, next)| pkg.import(&format!("n{at}"), next, "*"))
            })
            .collect();
        registry.extend(layer.iter().cloned());
        below = layer;
    }
    let top =
        below.iter().enumerate().fold(Pkg::new(), |pkg, (at, next)| pkg.import(&format!("t{at}"), next, "*"));
    let top = registry.iter().fold(top, Pkg::available);
    let start = Stopwatch::start();
    let built = top.build();
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let json = ok(&built);
    assert_eq!(json["actions"].as_array().unwrap().len(), 24);
    let index = json["manifestIndex"].as_array().unwrap();
    assert!(index.len() < 60, "{index:?}");
    assert!(index.contains(&"t0:actions".into()) && index.contains(&"t1:actions".into()), "{index:?}");
}

/// Two importers that change the same private package in different ways do not share one copy.
#[test]
fn a_package_that_one_importer_changed_is_a_package_of_its_own() {
    let base = base("0.1.0");
    let side = |id: &str, alias: &str, level: &str| {
        let overlay = format!(
            "selector: {{}}\npatches: [ {{ manifestId: {alias}:actions, path: /spec/actions/0/risk/level, op: replace, value: {level} }} ]"
        );
        Pkg::named(id, "0.1.0").import(alias, &base, "*").with("o", "Overlay", &overlay)
    };
    let (one, two) = (side("demo.one", "x", "confirm"), side("demo.two", "y", "confirm"));
    let same = Pkg::new().import("a", &one, "*").import("b", &two, "*").available(&base).build();
    assert_eq!(ok(&same)["actions"][0]["risk"]["level"], "confirm");
    let two = side("demo.two", "y", "blocked");
    let other = Pkg::new().import("a", &one, "*").import("b", &two, "*").available(&base).build();
    only_errors(&other, &[codes::ACTION_CONFLICT]);
}
