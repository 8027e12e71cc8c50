//! Packages from the first file to the registry, through the binary.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Run, uiap, uiap_with_input};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn registry() -> String {
    repository().join("fixtures/packages/registry").to_string_lossy().into_owned()
}

/// A copy of the Videoland package that a test may change.
pub(crate) fn videoland(folder: &TempDir) -> PathBuf {
    let target = folder.path().join("videoland");
    copy(&repository().join("fixtures/packages/videoland"), &target);
    target
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn edit(path: &Path, from: &str, to: &str) {
    let before = fs::read_to_string(path).unwrap();
    assert!(before.contains(from), "{from} is not in {}", path.display());
    fs::write(path, before.replacen(from, to, 1)).unwrap();
}

fn build(package: &Path, more: &[&str]) -> Run {
    let registry = registry();
    uiap(&[&["build", text(package), "--registry", &registry, "--out", "-"], more].concat())
}

#[test]
fn a_new_package_checks_builds_and_is_formatted() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    let run = uiap(&["init", text(&package), "--url", "https://shop.example.com"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("uiap check"), "{}", run.err);
    assert_eq!(uiap(&["check", text(&package)]).code, 0);
    assert_eq!(uiap(&["fmt", "--check", text(&package)]).code, 0);
    for channel in ["dev", "staging", "prod"] {
        let run = build(&package, &["--channel", channel]);
        assert_eq!(
            (run.code, run.json()["packageId"].as_str()),
            (0, Some("shop.uiap")),
            "{channel}: {}",
            run.err
        );
    }
    let again = uiap(&["init", text(&package)]);
    assert_eq!(again.code, 6);
    assert!(again.err.contains("is there already"), "{}", again.err);
}

#[test]
fn a_folder_name_that_cannot_be_an_id_asks_for_one() {
    let folder = TempDir::new().unwrap();
    let run = uiap(&["init", text(folder.path()), "--app", "a b"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`a b` cannot be an app id") && run.err.contains("--app"), "{}", run.err);
}

#[test]
fn check_shows_every_mistake_of_every_file_with_its_place() {
    let folder = TempDir::new().unwrap();
    let package = videoland(&folder);
    edit(&package.join("app.uiap.yaml"), "defaultLocale:", "defaultLocal:");
    edit(&package.join("package.uiap.yaml"), "kind: Package", "kind: Pakage");
    let run = uiap(&["check", text(&package), "--registry", &registry()]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("package.uiap.yaml:3:7"), "{}", run.out);
    edit(&package.join("package.uiap.yaml"), "kind: Pakage", "kind: Package");
    let run = uiap(&["check", text(&package), "--registry", &registry(), "--json"]);
    assert_eq!(run.code, 1);
    let shown = run.out.clone();
    assert!(shown.contains("defaultLocal") && shown.contains("did you mean `defaultLocale`"), "{shown}");
}

#[test]
fn a_folder_that_is_not_there_is_told_apart_from_a_mistake() {
    for args in [&["check", "nowhere"][..], &["build", "nowhere"], &["fmt", "nowhere"], &["lock", "nowhere"]]
    {
        let run = uiap(args);
        assert_eq!(run.code, 6, "{args:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("nowhere"), "{args:?}: {}", run.err);
    }
    let run =
        uiap(&["check", text(&repository().join("fixtures/packages/videoland")), "--registry", "nowhere"]);
    assert_eq!(run.code, 6);
    assert!(run.err.contains("registry `nowhere`"), "{}", run.err);
}

#[test]
fn two_builds_give_the_same_bytes_and_the_lock_is_written_once() {
    let folder = TempDir::new().unwrap();
    let package = videoland(&folder);
    let first = build(&package, &["--channel", "staging", "--environment", "staging"]);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    assert!(package.join("uiap.lock").exists() && first.err.contains("uiap.lock"), "{}", first.err);
    let second = build(&package, &["--channel", "staging", "--environment", "staging", "--locked"]);
    assert_eq!(second.code, 0, "{}", second.err);
    assert_eq!(first.out, second.out);
    assert!(!second.err.contains("uiap.lock"), "{}", second.err);
    fs::remove_file(package.join("uiap.lock")).unwrap();
    let third = build(&package, &["--channel", "staging", "--locked"]);
    assert_eq!(third.code, 1);
    assert!(third.out.contains("UIAP-A078"), "{}", third.out);
}

#[test]
fn a_gate_that_fails_leaves_the_old_bundle_alone() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package)]);
    let bundle = folder.path().join("bundle.json");
    let args = ["build", text(&package), "--channel", "prod", "--out", text(&bundle)];
    assert_eq!(uiap(&args).code, 0);
    let before = fs::read(&bundle).unwrap();
    edit(&package.join("reviews/approvals.uiap.yaml"), "state: approved", "state: rejected");
    let run = uiap(&args);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert_eq!(fs::read(&bundle).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a temporary file was left");
}

#[test]
fn the_build_report_tells_what_happened() {
    let folder = TempDir::new().unwrap();
    let package = videoland(&folder);
    let report = folder.path().join("report.json");
    let run = build(&package, &["--channel", "prod", "--build-report", text(&report)]);
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["steps"].as_array().unwrap().len(), 10);
    assert!(!report["patches"].as_array().unwrap().is_empty());
    assert!(report["inputs"].as_array().unwrap().iter().all(|input| input["digest"].is_string()));
}

#[test]
fn diff_names_changes_and_demands_a_version_that_rose_far_enough() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package), "--app", "shop"]);
    let old = folder.path().join("old.json");
    uiap(&["build", text(&package), "--channel", "dev", "--out", text(&old)]);
    let same = uiap(&["diff", text(&old), text(&package), "--channel", "dev", "--require-bump"]);
    assert_eq!(same.code, 0, "{}", same.err);
    assert!(same.out.contains("say the same"), "{}", same.out);
    edit(&package.join("bindings/routes.uiap.yaml"), "id: home", "id: start");
    let run = uiap(&["diff", text(&old), text(&package), "--channel", "dev"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("major") && run.out.contains("home"), "{}", run.out);
    let run = uiap(&["diff", text(&old), text(&package), "--channel", "dev", "--require-bump"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("is not enough"), "{}", run.err);
    let run = uiap(&["diff", text(&old), text(&package), "--channel", "dev", "--json"]);
    assert_eq!(run.json()["level"], "major");
    assert_eq!(run.json()["enough"], false);
}

#[test]
fn a_file_that_is_no_bundle_is_never_no_changes() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.json");
    fs::write(&file, "{}").unwrap();
    let run = uiap(&["diff", text(&file), text(&file)]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no compiled bundle"), "{}", run.err);
}

#[test]
fn explain_follows_a_value_through_an_overlay_to_the_file_that_wrote_it() {
    let package = repository().join("fixtures/packages/videoland");
    let path = "/policies/default/document/defaults/onUnknownAction";
    let run = uiap(&["explain", path, text(&package), "--registry", &registry(), "--channel", "prod"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("overlays/prod.uiap.yaml:"), "{}", run.out);
    let nothing = uiap(&["explain", "/elements/nobody", text(&package), "--registry", &registry()]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.err.contains("nothing at `/elements/nobody`"), "{}", nothing.err);
}

#[test]
fn fmt_writes_one_look_and_tells_what_it_did() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.uiap.yaml");
    fs::write(&file, "kind:   App  # what\napiVersion: uiap.authoring/v0.1\n").unwrap();
    let run = uiap(&["fmt", "--check", text(&file)]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("would change"), "{}", run.err);
    assert_eq!(uiap(&["fmt", text(&file)]).code, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "apiVersion: uiap.authoring/v0.1\nkind: App  # what\n");
    assert_eq!(uiap(&["fmt", "--check", text(&file)]).code, 0);
    let run = uiap_with_input(&["fmt", "-"], b"a:    1\n");
    assert_eq!((run.code, run.out.as_str()), (0, "a: 1\n"));
    fs::write(&file, "a: [1\n").unwrap();
    let run = uiap(&["fmt", text(&file)]);
    assert_eq!(run.code, 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "a: [1\n");
}

#[test]
fn review_status_tells_what_stands_in_the_way() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package)]);
    let run = uiap(&["review", "status", text(&package), "--channel", "prod"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("nothing stands in the way"), "{}", run.out);
    edit(&package.join("reviews/approvals.uiap.yaml"), "state: approved", "state: in_review");
    let run = uiap(&["review", "status", text(&package), "--channel", "prod", "--open"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("app.core") && run.out.contains("cannot be published"), "{}", run.out);
}

#[test]
fn publish_refuses_another_content_under_one_version() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package), "--app", "shop"]);
    let store = folder.path().join("store");
    let bundle = || uiap(&["build", text(&package), "--channel", "prod", "--out", "-"]).out;
    let publish =
        |bundle: &str| uiap_with_input(&["publish", "-", "--to", text(&store), "--json"], bundle.as_bytes());
    let first = bundle();
    assert_eq!(publish(&first).json()["state"], "added");
    assert_eq!(publish(&first).json()["state"], "unchanged");
    edit(&package.join("app.uiap.yaml"), "displayName: \"shop\"", "displayName: \"Shop\"");
    let run = publish(&bundle());
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.err.contains("raise the version"), "{}", run.err);
    let layout: Value = serde_json::from_slice(&fs::read(store.join("oci-layout")).unwrap()).unwrap();
    assert_eq!(layout["imageLayoutVersion"], "1.0.0");
    let damaged = first.replacen("shop", "shup", 1);
    assert!(publish(&damaged).err.contains("its content has"), "{}", publish(&damaged).err);
}

fn discovery() -> Value {
    let seen = json!([{ "source": "dom", "refId": "ev_1" }]);
    let sure = "high";
    json!({
        "modelVersion": "0.1", "spec": "uiap.discovery",
        "run": { "runId": "run_42", "startedAt": "2026-03-26T14:00:00.000Z", "status": "completed", "environmentId": "local" },
        "environment": { "environmentId": "local", "baseUrl": "http://127.0.0.1:8080" },
        "routeCatalog": { "routes": [
            { "routeId": "videos", "urls": ["http://127.0.0.1:8080/videos"], "discoveredBy": seen, "confidence": sure },
        ] },
        "scopeCatalog": { "scopes": [] },
        "elementCatalog": { "elements": [
            { "stableId": "video.create", "semanticKey": "videos/create", "role": "button", "names": ["Create"], "discoveredBy": seen, "confidence": sure },
            { "stableId": "video.odd", "semanticKey": "videos/odd", "role": "button", "discoveredBy": seen, "confidence": "low" },
        ] },
        "actionCatalog": { "actions": [] },
        "transitionGraph": { "states": [], "edges": [] },
        "reviewQueue": { "items": [] },
        "coverage": {
            "seedsTotal": 0, "seedsVisited": 0, "routesDiscovered": 1, "scopesDiscovered": 0, "elementsDiscovered": 2,
            "actionsDiscovered": 0, "workflowCandidatesDiscovered": 0, "opaqueRegions": 0, "unresolvedTransitions": 0, "reviewItems": 0,
            "confidenceSummary": { "high": 2, "medium": 0, "low": 1 }
        }
    })
}

#[test]
fn an_import_names_what_it_takes_and_promotes_nothing() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package), "--app", "shop"]);
    let file = folder.path().join("run.discovery.json");
    fs::write(&file, discovery().to_string()).unwrap();
    let run = uiap(&["import", text(&file), "--into", text(&package)]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let import = fs::read_to_string(package.join("discovery/run_42.uiap.yaml")).unwrap();
    assert!(import.contains("\"video.create\"") && import.contains("mode: copy"), "{import}");
    assert!(import.contains("reason: \"the run was not sure of it\""), "{import}");
    assert_eq!(uiap(&["fmt", "--check", text(&package)]).code, 0);
    let check = uiap(&["check", text(&package)]);
    assert_eq!(check.code, 0, "{}", check.out);
    let bundle = uiap(&["build", text(&package), "--channel", "dev", "--out", "-"]);
    assert!(
        bundle.out.contains("video.create") && !bundle.out.contains("video.odd"),
        "{}{}",
        bundle.out,
        bundle.err
    );
    let prod = uiap(&["review", "status", text(&package), "--channel", "prod"]);
    assert_eq!(prod.code, 1, "what nobody has reviewed went to production: {}", prod.out);
    let again = uiap(&["import", text(&file), "--into", text(&package)]);
    assert_eq!(again.code, 6);
    assert!(again.err.contains("imported before"), "{}", again.err);
}

#[test]
fn an_import_of_a_broken_package_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package), "--app", "shop"]);
    let mut broken = discovery();
    broken["run"]["runId"] = json!("../../evil");
    let file = folder.path().join("run.discovery.json");
    fs::write(&file, broken.to_string()).unwrap();
    let run = uiap(&["import", text(&file), "--into", text(&package)]);
    assert_eq!(run.code, 1, "{}", run.err);
    broken["routeCatalog"] = json!({});
    fs::write(&file, broken.to_string()).unwrap();
    assert_eq!(uiap(&["import", text(&file), "--into", text(&package)]).code, 1);
    assert!(!package.join("discovery").exists());
}

#[test]
fn the_lock_command_writes_and_updates_the_lock() {
    let folder = TempDir::new().unwrap();
    let package = videoland(&folder);
    let run = uiap(&["lock", text(&package), "--registry", &registry(), "--json"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(run.json()["changed"], true);
    let run = uiap(&["lock", text(&package), "--registry", &registry(), "--json"]);
    assert_eq!(run.json()["changed"], false);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let run = uiap(&["lock", text(&package), "--registry", text(&empty)]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("UIAP-A070"), "{}", run.out);
}

/// Case: AUTH-169
#[test]
fn formatting_changes_no_bundle() {
    let folder = TempDir::new().unwrap();
    let package = videoland(&folder);
    let digest = |package: &Path| build(package, &["--channel", "prod"]).json()["digest"].clone();
    let before = digest(&package);
    for file in ["app.uiap.yaml", "policies/default.uiap.yaml", "bindings/elements.uiap.yaml"] {
        let path = package.join(file);
        let text = fs::read_to_string(&path).unwrap();
        let wide: String =
            text.lines().map(|line| format!("{}  \n\n\n", line.replacen(": ", ":    ", 1))).collect();
        fs::write(&path, format!("# kept\n{wide}")).unwrap();
    }
    assert_eq!(uiap(&["fmt", "--check", text(&package)]).code, 1);
    assert_eq!(uiap(&["fmt", text(&package)]).code, 0);
    assert_eq!(uiap(&["fmt", "--check", text(&package)]).code, 0);
    assert!(fs::read_to_string(package.join("app.uiap.yaml")).unwrap().starts_with("# kept\n"));
    assert_eq!(digest(&package), before);
}

/// Case: AUTH-173
#[test]
fn a_build_that_is_killed_leaves_the_old_bundle_or_the_new_one() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", text(&package), "--app", "shop"]);
    let out = folder.path().join("out/bundle.json");
    let args = ["build", text(&package), "--channel", "dev", "--out", text(&out)];
    assert_eq!(uiap(&args).code, 0);
    for round in 0..40_u64 {
        edit(&package.join("app.uiap.yaml"), "displayName: \"", "displayName: \"x");
        let mut child = crate::support::command()
            .args(args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // tidy: the moment of the kill is what the test varies
        std::thread::sleep(std::time::Duration::from_micros(round * 400));
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(&out).unwrap();
        uiap_authoring::release::open_bundle(&bytes).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}
