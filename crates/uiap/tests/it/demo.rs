//! `uiap demo`: serves, checks, and stops when told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::den::Den;
use crate::support::{command, uiap};

#[test]
fn the_demo_checks_its_own_contract() {
    let run = uiap(&["demo", "--check"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("the capability document is valid"), "{}", run.err);
    let report = uiap(&["--json", "demo", "--check"]).json();
    assert_eq!(report["valid"], true);
    assert!(report["actions"].as_u64().unwrap() >= 3);
}

#[test]
fn the_demo_serves_on_loopback_until_it_is_interrupted() {
    let mut child =
        command().args(["--json", "demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let report: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let address =
        report["app"].as_str().unwrap().trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let page = get(&address, "/");
    assert!(page.contains("200 OK") && page.contains("Videoland"), "{page}");
    assert!(get(&address, "/.well-known/uiap/capabilities.json").contains("\"modelVersion\""));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(TcpStream::connect(&address).is_err(), "nobody listens any more");
}

/// Somebody who has nothing but the binary sees the app mapped, reported, made a contract of and used, and finds everything again.
#[test]
fn the_demo_tells_the_whole_story_and_leaves_nothing_but_its_files() {
    let (den, folder) = (Den::new(), tempfile::tempdir().unwrap());
    let out = folder.path().join("story");
    let began = Instant::now();
    let mut child = command()
        .args(["demo", "--out", out.to_str().unwrap()])
        .env("TMPDIR", den.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let data = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        text
    });
    let mut told = String::new();
    let mut took = None;
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        told.push_str(&line);
        told.push('\n');
        if took.is_none() && line.contains("still runs at http://127.0.0.1:") {
            took = Some(began.elapsed());
            let id = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        }
    }
    let status = child.wait().unwrap();
    let data = data.join().unwrap();
    let took = took.unwrap_or_else(|| panic!("the story has no end: {told}{data}"));
    println!("told in {:.1} s", took.as_secs_f32());
    assert!(status.success() && told.contains("stopped"), "{status}: {told}");
    assert!(took < Duration::from_mins(1), "{took:?}: {told}");
    // Every step is a command, and everything that came of it is where the story says.
    for step in ["discover", "report", "init", "import", "build", "act"] {
        assert!(told.contains(&format!("$ uiap {step} ")), "{step} is not told: {told}");
    }
    for (name, file) in [
        ("report", "map/report.html"),
        ("findings", "map/package.json"),
        ("contract", "contract"),
        ("bundle", "bundle.json"),
        ("trace", "team.jsonl"),
    ] {
        let path = out.join(file);
        assert!(path.exists(), "{file} is missing");
        let line = told.lines().find(|line| line.trim_start().starts_with(name) && line.contains(file));
        assert!(line.is_some_and(|line| line.contains(path.to_str().unwrap())), "{name}: {told}");
    }
    let report = std::fs::read_to_string(out.join("map/report.html")).unwrap();
    assert!(report.contains("Videoland") && report.contains("nav.videos"), "the report shows the app");
    let bundle: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("bundle.json")).unwrap()).unwrap();
    assert!(bundle.to_string().contains("nav.videos"), "what was found is in the bundle");
    let checked = uiap(&["check", out.join("contract").to_str().unwrap()]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    assert!(data.contains("verdict: verified, seen") && told.contains("seen to work"), "{data}{told}");
    den.assert_nobody_is_left();
    den.assert_nothing_is_left();
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = uiap(&["demo", "--check", "--port", &port]);
    assert_eq!(run.code, 6);
    assert!(run.err.contains(&port) && run.err.contains("hint:"), "{}", run.err);
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}
