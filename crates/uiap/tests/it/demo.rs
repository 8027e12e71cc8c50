//! `uiap demo`: serves, checks, and stops when told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

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
