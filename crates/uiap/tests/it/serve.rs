//! The server as a program: one line at the start, refusals with their reason, a clean end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{command, file, uiap};
use crate::web::Demo;

struct Serving {
    child: Child,
    line: Value,
}

impl Serving {
    fn start(args: &[&str]) -> Self {
        let mut child = command()
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, line: serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")) }
    }

    fn address(&self) -> String {
        let url = self.line["http"].as_str().unwrap();
        url.trim_start_matches("http://").split('/').next().unwrap().to_owned()
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (address, body) = (self.address(), body.to_string());
        let mut stream = TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn interrupt(mut self) -> Option<i32> {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

fn envelope(name: &str, id: &str, session: Option<&str>, payload: &Value) -> Value {
    let mut envelope = json!({
        "uiap": "0.1", "kind": "request", "type": name, "id": id, "ts": "2026-03-26T14:00:00.000Z",
        "source": { "role": "agent", "id": "t" }, "payload": payload,
    });
    if let Some(session) = session {
        envelope["sessionId"] = session.into();
    }
    envelope
}

#[test]
fn a_page_is_served_over_http_and_the_end_is_clean() {
    let demo = Demo::start();
    let serving = Serving::start(&["--url", &demo.at("/videos")]);
    let hello = json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "t" }, "supportedProfiles": ["web@0.1"],
    });
    let (status, opened) = serving.post("/uiap/sessions", &envelope("session.initialize", "i", None, &hello));
    assert_eq!(status, 201, "{opened}");
    let session = opened["sessionId"].as_str().unwrap();
    let path = format!("/uiap/sessions/{session}/messages");
    let (_, page) = serving.post(&path, &envelope("web.state.get", "g", Some(session), &json!({})));
    assert!(page["payload"]["snapshot"]["route"]["url"].as_str().unwrap().ends_with("/videos"), "{page}");
    let begun = Instant::now();
    assert_eq!(serving.interrupt(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn what_would_expose_the_machine_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = file(&folder, "tokens", b"0123456789abcdef0123456789\n");
    let path = tokens.to_str().unwrap();
    let open = uiap(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.code, 6);
    assert!(open.err.contains("--token-file"), "{}", open.err);
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o644)).unwrap();
    let readable = uiap(&["serve", "--token-file", path]);
    assert!(
        readable.err.contains("can be read by others") && readable.err.contains("chmod 600"),
        "{}",
        readable.err
    );
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    let without_word = uiap(&["serve", "--listen", "0.0.0.0:0", "--token-file", path]);
    assert!(without_word.err.contains("--beyond-loopback"), "{}", without_word.err);
    let wildcard = uiap(&["serve", "--listen", "127.0.0.1:0", "--client-origin", "*"]);
    assert!(wildcard.err.contains("name each origin"), "{}", wildcard.err);
    for origin in ["example.com", "file:///etc", "http://a@b"] {
        let refused = uiap(&["serve", "--allow-origin", origin]);
        assert_eq!(refused.code, 6, "{origin}: {}", refused.err);
        assert!(refused.err.contains(origin), "{}", refused.err);
    }
}

#[test]
fn policies_are_read_again_on_sighup_and_what_cannot_be_read_denies() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let good = |effect: &str| {
        json!({
            "modelVersion": "0.1", "id": "visits", "defaults": { "onUnknownAction": "deny" },
            "grants": [{ "sideEffect": "navigation", "requires": ["guide"] }],
            "rules": [{ "id": "all", "match": { "actions": ["nav.navigate"] }, "effect": effect }],
        })
        .to_string()
    };
    let path = file(&folder, "policy.json", good("allow").as_bytes());
    let serving = Serving::start(&["--url", &demo.at("/videos"), "--policy", path.to_str().unwrap()]);
    let hello = json!({
        "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "t" }, "supportedProfiles": ["web@0.1"],
        "extensions": [{ "id": "uiap.policy", "versions": ["0.1"] }],
    });
    let (_, opened) = serving.post("/uiap/sessions", &envelope("session.initialize", "i", None, &hello));
    let session = opened["sessionId"].as_str().unwrap();
    let messages = format!("/uiap/sessions/{session}/messages");
    let principal = &opened["payload"]["metadata"]["principal"];
    let mut asked = 0;
    let mut effect = || {
        asked += 1;
        let question = json!({ "request": { "principal": principal, "actionId": "nav.navigate" } });
        let (_, answer) = serving.post(
            &messages,
            &envelope("uiap.policy.evaluate", &format!("e{asked}"), Some(session), &question),
        );
        answer["payload"]["decision"]["effect"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    assert_eq!(effect(), "allow");
    for (text, expected) in
        [("{ this is no policy".to_owned(), "deny"), (good("confirm"), "confirm"), (good("allow"), "allow")]
    {
        std::fs::write(&path, text).unwrap();
        let id = rustix::process::Pid::from_raw(i32::try_from(serving.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::HUP).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while effect() != expected {
            assert!(Instant::now() < deadline, "still not {expected}");
        }
    }
    assert_eq!(serving.interrupt(), Some(0));
}

#[test]
fn the_operators_address_is_for_people_and_a_journal_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let mut child = command()
        .args(["serve", "--listen", "127.0.0.1:0", "--journal", journal.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let operator = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("operator: ")).unwrap();
    assert!(operator.contains("http://127.0.0.1:") && operator.contains("/#"), "{operator}");
    lines.by_ref().map(Result::unwrap).find(|line| line.contains("/uiap/ws")).unwrap();
    let second = uiap(&["serve", "--listen", "127.0.0.1:0", "--journal", journal.to_str().unwrap()]);
    assert!(second.code == 6 && second.err.contains("journal"), "{}", second.err);
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((child.wait().unwrap().code(), out.as_str()), (Some(0), ""), "nothing of it goes to stdout");
}
