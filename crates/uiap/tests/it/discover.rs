//! `uiap discover`: a package in a directory, also when it is interrupted or the app is not there.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::uiap;
use crate::web::Demo;

fn package(out: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(out.join("package.json")).unwrap()).unwrap()
}

/// Requirement: DISC-1-01
/// Requirement: DISC-3-03
#[test]
fn a_small_run_leaves_a_package_that_is_valid_and_can_be_gone_on_with() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let base = demo.at("/team?quiet=1&heartbeat=0");
    let common = ["discover", base.as_str(), "--out", out.to_str().unwrap(), "--json"];
    let run = uiap(&[&common[..], &["--max-transitions", "3", "--browsers", "2"]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(run.json()["status"], "completed");
    let first = package(&out);
    let states = first["transitionGraph"]["states"].as_array().unwrap().len();
    assert_eq!(run.json()["states"], states, "the number of the package is told");
    let valid = uiap(&["validate", "--as", "DiscoveryPackage", out.join("package.json").to_str().unwrap()]);
    assert_eq!(valid.code, 0, "{}{}", valid.out, valid.err);
    for state in first["transitionGraph"]["states"].as_array().unwrap() {
        let id = state["stateId"].as_str().unwrap();
        assert!(out.join(format!("states/{id}.json")).is_file(), "{id} shows something");
        let picture = state["screenshotRef"].as_str().unwrap_or_default();
        assert!(picture.starts_with("screenshots/") && out.join(picture).is_file(), "{id} has a picture");
    }
    assert!(std::fs::read_to_string(out.join("decisions.jsonl")).unwrap().lines().count() > 3);
    let refused = uiap(&common);
    assert_eq!(refused.code, 6, "{}", refused.err);
    assert!(refused.err.contains("--resume"), "{}", refused.err);
    let stricter = uiap(&[&common[..], &["--resume", "--mode", "observe_only"]].concat());
    assert_eq!(stricter.code, 2, "{}{}", stricter.out, stricter.err);
    assert!(stricter.err.contains("safety.defaultMode"), "{}", stricter.err);
    let resumed = uiap(&[&common[..], &["--max-transitions", "6", "--resume"]].concat());
    assert_eq!(resumed.code, 0, "{}{}", resumed.out, resumed.err);
    let count = |package: &Value| package["transitionGraph"]["edges"].as_array().unwrap().len();
    assert!(count(&package(&out)) > count(&first), "it went on");
}

#[test]
fn an_app_that_is_not_there_is_told_and_a_package_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let flags = ["--flag", "new-editor=true", "--flag", "plan=pro", "--flag", "seats=3"];
    let run =
        uiap(&[&["discover", "http://127.0.0.1:9/", "--out", out.to_str().unwrap()], &flags[..]].concat());
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert_eq!(package(&out)["run"]["status"], "failed");
    let told = &package(&out)["environment"]["featureFlags"];
    assert_eq!(*told, serde_json::json!({ "new-editor": true, "plan": "pro", "seats": 3 }));
    let wrong = uiap(&["discover", "127.0.0.1:9", "--out", out.to_str().unwrap(), "--resume"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
}

/// Requirement: DISC-SEC-02
#[cfg(unix)]
#[test]
fn what_was_found_is_for_nobody_but_whoever_looked() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let run = uiap(&["discover", "http://127.0.0.1:9/", "--out", out.to_str().unwrap()]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(out.join("package.json").is_file());
    assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o077, 0, "others can look in");
}

#[test]
fn ctrl_c_ends_it_with_a_valid_package() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let mut child = Command::new(env!("CARGO_BIN_EXE_uiap"))
        .args(["discover", &demo.at("/dashboard?quiet=1"), "--out", out.to_str().unwrap(), "--no-pictures"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let began = Instant::now();
    let mut stopped = false;
    for line in lines {
        if !stopped && line.unwrap().contains("exploring") {
            let id = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
            stopped = true;
        }
    }
    let status = child.wait().unwrap();
    assert!(stopped && began.elapsed() < Duration::from_mins(2));
    assert_eq!(status.code(), Some(1), "cancelled");
    assert_eq!(package(&out)["run"]["status"], "cancelled");
}

/// Requirement: DISC-8-12
#[test]
fn writing_needs_a_tenant_that_is_there_for_it_and_going_on_needs_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let out = out.to_str().unwrap();
    let writing = uiap(&["discover", "http://127.0.0.1:9/", "--mode", "sandbox_write", "--out", out]);
    assert_eq!(writing.code, 2, "{}", writing.err);
    assert!(writing.err.contains("--controlled-tenant"), "{}", writing.err);
    let resumed = uiap(&["discover", "http://127.0.0.1:9/", "--resume", "--out", out]);
    assert_eq!(resumed.code, 6, "{}", resumed.err);
    assert!(resumed.err.contains("there is no run in"), "{}", resumed.err);
    assert!(!folder.path().join("map").exists(), "nothing is left behind");
}

/// Requirement: DISC-8-12
#[test]
fn a_tenant_that_is_there_for_it_is_written_to_and_nothing_is_deleted() {
    let (address, writes) = crate::topics::app();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    let args = ["--mode", "sandbox_write", "--controlled-tenant", "--no-pictures"];
    let run = uiap(&[&["discover", &address, "--out", out.to_str().unwrap()], &args[..]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let mut writes = writes.lock().unwrap().clone();
    writes.sort();
    let topics = ["/Invoices", "/Orders", "/Plants", "/Ships", "/Songs", "/Trains"];
    assert_eq!(writes, topics.map(|topic| format!("POST {topic}")), "each form once, and nothing else");
    assert_eq!(package(&out)["environment"]["safety"]["defaultMode"], "sandbox_write");
}

/// Neither we nor the browser speak to anybody else, whatever the environment offers as a way out.
///
/// Requirement: DISC-SEC-04
#[test]
fn a_run_asks_nobody_but_the_app() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("map");
    // Whoever would call out goes by here.
    let proxy = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_uiap"));
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(variable, &address);
    }
    let base = demo.at("/team?quiet=1&heartbeat=0");
    let args = ["discover", base.as_str(), "--out", out.to_str().unwrap(), "--max-transitions", "2"];
    let run = command.args(args).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    if let Ok((mut caller, _)) = proxy.accept() {
        caller.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let mut asked = [0; 200];
        let read = std::io::Read::read(&mut caller, &mut asked).unwrap_or(0);
        panic!("somebody was called: {}", String::from_utf8_lossy(&asked[..read]));
    }
}

/// Requirement: DISC-9.2-06
#[test]
fn an_earlier_package_of_another_version_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("package.json");
    std::fs::write(&old, r#"{"modelVersion":"9.9","spec":"uiap.discovery"}"#).unwrap();
    let out = folder.path().join("map");
    let args = ["--previous", old.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let run = uiap(&[&["discover", "http://127.0.0.1:9/"], &args[..]].concat());
    assert_ne!(run.code, 0);
    assert!(run.err.contains("9.9"), "{}", run.err);
}

/// What cannot be read is told with a reason, and the run goes on with what else there is.
///
/// Requirement: DISC-9.2-01
/// Requirement: DISC-9.2-05
#[test]
fn routes_of_manifests_are_visited_and_sources_that_cannot_be_read_are_told() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let base = demo.at("/team?quiet=1&heartbeat=0");
    let out = folder.path().join("map");
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages/videoland");
    let args =
        ["--manifest", manifest.to_str().unwrap(), "--mode", "observe_only", "--no-pictures", "--sitemap"];
    let common = ["discover", base.as_str(), "--out"];
    let run = uiap(&[&common[..], &[out.to_str().unwrap()], &args[..]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let seeds = package(&out)["run"]["seeds"].clone();
    let routes = seeds.as_array().unwrap().iter().filter(|seed| seed["kind"] == "route").count();
    assert!(routes >= 2, "{seeds}");
    assert!(run.err.contains("sitemap.xml") && run.err.contains("is not used"), "{}", run.err);
    let out = folder.path().join("other");
    let args = [
        "--manifest",
        "/nowhere/at/all",
        "--seed",
        "doc:missing.md",
        "--mode",
        "observe_only",
        "--no-pictures",
    ];
    let run = uiap(&[&common[..], &[out.to_str().unwrap()], &args[..]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let items = package(&out)["reviewQueue"]["items"].to_string();
    assert!(items.contains("/nowhere/at/all") && items.contains("it cannot be read"), "{items}");
    assert!(items.contains("missing.md") && items.contains("the document cannot be read"), "{items}");
}
