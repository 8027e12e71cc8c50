//! The guide for those who write a client shows a whole session. It is one that took place: a client in another language runs it here
//! again, and the guide has to tell of the same messages. `UIAP_BLESS=1` writes it anew.

use std::path::Path;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::HouseOptions;
use uiap_server::serve::{ServeOptions, Server};

const PAGE: &str = "<!doctype html><title>Counter</title><main><h1>Counter</h1><button onclick='n.textContent = ++window.c'>Add</button><script>window.c = 0</script><p role=status>Count <b id=n>0</b></p></main>";
const BEGIN: &str = "<!-- log: written by the test `guide` -->\n```text\n";
const END: &str = "```\n<!-- end of log -->";

async fn counter() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = [0; 4_096];
                if stream.read(&mut head).await.is_ok_and(|count| count > 0) {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{PAGE}",
                        PAGE.len()
                    );
                    stream.write_all(head.as_bytes()).await.ok();
                }
            });
        }
    });
    origin
}

/// What happens once in every such session, in its order: who says what. What a page tells by itself comes when it comes.
fn skeleton(log: &str) -> Vec<(String, String)> {
    let lines = log.lines().filter_map(|line| line.split_once(' '));
    let read = lines.map(|(arrow, text)| match serde_json::from_str::<Value>(text) {
        Ok(message) => {
            let event = if message["kind"] == "event" { "event " } else { "" };
            (arrow.to_owned(), format!("{event}{}", message["type"].as_str().unwrap_or_default()))
        }
        Err(_) => (arrow.to_owned(), text.to_owned()),
    });
    read.filter(|(arrow, kind)| arrow == "→" || !kind.starts_with("event ") || kind == "event action.result")
        .collect()
}

/// Takes out what is different every time, and what belongs to this machine.
fn plain(log: &str, origin: &str, session: &str) -> String {
    let mut text = String::new();
    for line in log.replace(origin, "http://127.0.0.1:8080").replace(session, "sess_1").lines() {
        let mut line = line.to_owned();
        for (begin, put) in [("\"ts\": \"", "2026-03-26T14:00:00.000Z"), ("\"resumeToken\": \"", "…")] {
            let mut from = 0;
            while let Some(at) = line[from..].find(begin).map(|at| from + at + begin.len()) {
                let end = at + line[at..].find('"').unwrap();
                line.replace_range(at..end, put);
                from = at + put.len();
            }
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guide_tells_of_a_session_that_takes_place() {
    let origin = counter().await;
    let server = Server::start(ServeOptions {
        reach: Reach::only([&origin]).unwrap(),
        house: HouseOptions { start: Some(format!("{origin}/").into()), ..HouseOptions::default() },
        browsers: BrowserOptions { most: 1, ..BrowserOptions::default() },
        ..ServeOptions::default()
    })
    .await
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/independent.py");
    let address = server.address().to_string();
    let mut client = tokio::process::Command::new("python3");
    let run = client.arg(script).arg(address).arg(&path).output().await.unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(out.trim(), "fine", "{err}");
    server.close().await;
    let log = std::fs::read_to_string(path).unwrap();
    let opened: Value =
        log.lines().find_map(|line| serde_json::from_str(line.strip_prefix("← ")?).ok()).unwrap();
    let log = plain(&log, &origin, opened["sessionId"].as_str().unwrap());

    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/uiap-client.md");
    let text = std::fs::read_to_string(&guide).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the guide has a place for the log");
    let (shown, after) = rest.split_once(END).expect("the log has an end");
    if std::env::var_os("UIAP_BLESS").is_some() {
        std::fs::write(&guide, format!("{before}{BEGIN}{log}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(skeleton(shown), skeleton(&log), "run it with UIAP_BLESS=1 and look at what changed");
    assert!(skeleton(shown).len() >= 18, "it is a whole session");
}
