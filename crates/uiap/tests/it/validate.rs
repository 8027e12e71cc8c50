//! `uiap validate`: what is right, what is wrong, and what is not even text.

use crate::support::{file, uiap, uiap_with_input};

fn validate(name: &str, text: &str, more: &[&str]) -> crate::support::Run {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, name, text.as_bytes());
    let mut args = vec!["validate"];
    args.extend(more);
    args.push(path.to_str().unwrap());
    uiap(&args)
}

const APP: &str = "apiVersion: uiap.authoring/v0.1
kind: App
metadata:
  id: app.core
spec:
  appId: videoland
  displayName: Videoland
";

#[test]
fn a_right_document_is_named_by_its_kind() {
    let run = validate("app.uiap.yaml", APP, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.ends_with("app.uiap.yaml: valid App\n"), "{}", run.out);
}

#[test]
fn yaml_and_json_of_the_same_content_are_judged_alike() {
    let json = r#"{ "apiVersion": "uiap.authoring/v0.1", "kind": "App", "metadata": { "id": "app.core" },
        "spec": { "appID": "videoland", "displayName": "Videoland" } }"#;
    let yaml = APP.replace("appId", "appID");
    let codes = |run: &crate::support::Run| -> Vec<String> {
        let found = run.json();
        let list = found["diagnostics"].as_array().unwrap();
        list.iter().map(|each| each["code"].as_str().unwrap().to_owned()).collect()
    };
    let from_json = validate("app.json", json, &["--json"]);
    let from_yaml = validate("app.yaml", &yaml, &["--json"]);
    assert_eq!(codes(&from_json), codes(&from_yaml));
    assert_eq!(codes(&from_json).len(), 2, "{}", from_json.out);
}

#[test]
fn all_faults_of_all_files_are_reported_in_one_run_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let bindings = "apiVersion: uiap.authoring/v0.1
kind: Bindings
metadata: { id: bindings.elements }
spec:
  elements:
    - id: video.title
      role: texbox
      match: [ { by: anotation, attr: data-uiap-id, value: video.title } ]
      rsk: safe
";
    let first = file(&folder, "bindings.yaml", bindings.as_bytes());
    let second = file(&folder, "app.yaml", APP.replace("  appId: videoland\n", "").as_bytes());
    let run = uiap(&["validate", first.to_str().unwrap(), second.to_str().unwrap()]);
    assert_eq!(run.code, 1);
    for expected in [
        "bindings.yaml:7:13",
        "did you mean `textbox`?",
        "bindings.yaml:8:22",
        "did you mean `annotation`?",
        "bindings.yaml:9",
        "did you mean `risk`?",
        "`appId` is missing",
        "4 errors",
    ] {
        assert!(run.out.contains(expected), "`{expected}` is not in\n{}", run.out);
    }
}

#[test]
fn a_wrong_kind_of_manifest_is_pointed_out() {
    let run = validate("app.yaml", &APP.replace("kind: App", "kind: Binding"), &[]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("did you mean `Bindings`?") && run.out.contains(":2:7"), "{}", run.out);
}

#[test]
fn a_document_that_does_not_give_itself_away_is_checked_as_told() {
    let target = r#"{ "by": "stableid", "value": "video.title" }"#;
    let unknown = validate("target.json", target, &[]);
    assert!(unknown.code == 1 && unknown.out.contains("--as KIND"), "{}", unknown.out);
    let told = validate("target.json", target, &["--as", "TargetRef"]);
    assert!(told.code == 1 && told.out.contains("did you mean `stableId`?"), "{}", told.out);
    let payload = validate("payload.json", r#"{ "actionId": "ui.activate" }"#, &["--as", "action.request"]);
    assert_eq!(payload.code, 0, "{}", payload.out);
    assert_eq!(validate("x.json", "{}", &["--as", "Nonsense"]).code, 2);
}

#[test]
fn standard_input_is_read() {
    let message = br#"{ "uiap": "0.1", "kind": "request", "type": "capabilities.get", "id": "m", "sessionId": "s",
        "ts": "2026-03-26T13:12:09Z", "source": { "role": "agent", "id": "a" }, "payload": { "ifRevisionNot": 7 } }"#;
    let run = uiap_with_input(&["validate", "-"], message);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("<stdin>:2") && run.out.contains("/payload/ifRevisionNot"), "{}", run.out);
}

#[test]
fn warnings_do_not_fail_unless_asked_to() {
    let document = videoland::CAPABILITIES.replace("\"web@0.1\"", "\"web\"");
    assert_eq!(validate("capabilities.json", &document, &[]).code, 0);
    let strict = validate("capabilities.json", &document, &["--strict"]);
    assert!(strict.code == 1 && strict.out.contains("UIAP-M102"), "{}", strict.out);
}

#[test]
fn other_formats_are_for_machines() {
    let sarif = validate("a.yaml", &APP.replace("kind: App", "kind: Ap"), &["--format", "sarif"]).json();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(validate("a.yaml", "a: [", &["--format", "junit"]).out.contains("<testsuite"));
    assert!(validate("a.yaml", "a: [", &["--format", "github"]).out.starts_with("::error "));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_still_checked() {
    let folder = tempfile::tempdir().unwrap();
    let good = file(&folder, "app.yaml", APP.as_bytes());
    let missing = folder.path().join("missing.yaml");
    let run = uiap(&[
        "validate",
        missing.to_str().unwrap(),
        folder.path().to_str().unwrap(),
        good.to_str().unwrap(),
    ]);
    assert_eq!(run.code, 6);
    assert!(run.out.contains("missing.yaml"), "{}", run.out);
}

/// Broken and hostile text: one clear error with its place, quickly.
#[test]
fn broken_text_never_breaks_the_program() {
    let deep = "[".repeat(100_000);
    let cases: [(&[u8], &str); 10] = [
        (b"{ \"a\": }", ":1:"),
        (b"{ \"a\": 1, \"a\": 2 }", "UIAP-A040"),
        (b"{ \"a\": \"\xff\" }", "UTF-8"),
        (b"{ \"a\": \"\x00\" }", "UIAP-A004"),
        (b"{ \"a\": \"\\ud800\" }", ":1:"),
        (b"{ \"a\": 9007199254740993 }", "2^53"),
        (deep.as_bytes(), "UIAP-A005"),
        (b"", "UIAP-A006"),
        (b"{} {}", ":1:"),
        (b"\x1f\x8b\x08\x00binary", "error"),
    ];
    for (text, expected) in cases {
        let start = std::time::Instant::now();
        let run = uiap_with_input(&["validate", "-"], text);
        assert_eq!(run.code, 1, "{}", run.out);
        assert!(run.out.contains(expected), "`{expected}` is not in {}", run.out);
        assert!(!run.err.contains("panicked"), "{}", run.err);
        assert!(start.elapsed().as_secs() < 10);
    }
}

#[test]
fn a_file_of_100_megabytes_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.json");
    std::fs::File::create(&path).unwrap().set_len(100 * 1024 * 1024).unwrap();
    let run = uiap(&["validate", path.to_str().unwrap()]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("UIAP-A002"), "{}", run.out);
}

/// The published manifests, where the specification lies beside the project.
#[test]
fn every_published_manifest_is_valid() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs/examples/videoland");
    if !folder.is_dir() {
        println!("skipped: the specification is not beside the project");
        return;
    }
    let names = [
        "package.uiap.yaml",
        "overlays/prod.uiap.yaml",
        "reviews/approvals.uiap.yaml",
        "workflows/onboarding.uiap.yaml",
    ];
    let paths: Vec<String> = names.iter().map(|name| folder.join(name).display().to_string()).collect();
    let mut args = vec!["validate"];
    args.extend(paths.iter().map(String::as_str));
    let run = uiap(&args);
    assert_eq!(run.code, 0, "{}", run.out);
    assert_eq!(run.out.matches(": valid ").count(), names.len(), "{}", run.out);
}
