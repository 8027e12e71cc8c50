//! MCP over HTTP: who may knock, which revisions are spoken, and that clients know nothing of each other.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use uiap_server::mcp::McpOptions;
use uiap_server::mcp::http::{HttpDoor, HttpOptions};
use uiap_server::protocol::Keyring;
use uiap_server::session::Pool;

use crate::site::{options, site};

const PAGES: &[(&str, &str)] = &[("/", "<!doctype html><title>Home</title><h1>Home</h1>")];
const TOKENS: [&str; 3] =
    ["first-agent-0123456789abcdef", "other-agent-0123456789abcdef", "approver-0123456789abcdefg"];

struct Reply {
    status: u16,
    session: Option<String>,
    text: String,
}

impl Reply {
    /// The message with an id, plain or as an event.
    fn message(&self) -> Value {
        let lines = self.text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut found = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        found.find(|value| value.get("id").is_some()).unwrap_or_else(|| panic!("{}", self.text))
    }
}

async fn send(address: SocketAddr, head: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut text = format!("{head} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        text.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
    }
    text.push_str(&format!("\r\n{body}"));
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A server that refuses before it reads may close early.
    let _ = stream.read_to_end(&mut answer).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let session = text
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    Reply { status, session, text }
}

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

async fn initialize(address: SocketAddr, version: &str, bearer: &str) -> Reply {
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string();
    send(address, "POST /mcp", &[ACCEPT, ("authorization", bearer)], &body).await
}

async fn tool(address: SocketAddr, session: &str, bearer: &str, name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string();
    let headers = [
        ACCEPT,
        ("authorization", bearer),
        ("mcp-session-id", session),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    send(address, "POST /mcp", &headers, &body).await.message()
}

/// A request of the newest revision, which stands alone.
async fn alone(address: SocketAddr, bearer: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 3, "method": method, "params": params }).to_string();
    let mut headers = vec![
        ACCEPT,
        ("authorization", bearer),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    send(address, "POST /mcp", &headers, &body).await.message()
}

async fn door(origin: &str) -> (Pool, HttpDoor) {
    let pool = Pool::new(options(origin));
    let keyring = Keyring::parse(&format!("{}\n{}\n{} approver\n", TOKENS[0], TOKENS[1], TOKENS[2])).unwrap();
    let http = HttpOptions { keyring, ..HttpOptions::default() };
    let door = HttpDoor::open(&pool, McpOptions::default(), http).await.unwrap();
    (pool, door)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_has_a_token_and_is_no_page_may_knock() {
    let (pool, door) = door("http://127.0.0.1:9").await;
    let address = door.address();
    let bearer = format!("Bearer {}", TOKENS[0]);
    assert_eq!(initialize(address, "2025-06-18", &bearer).await.status, 200);
    for wrong in ["", "Bearer nonsense-0123456789abcdef", TOKENS[0], "Basic Zm9v"] {
        assert_eq!(initialize(address, "2025-06-18", wrong).await.status, 401, "{wrong}");
    }
    let approver = format!("Bearer {}", TOKENS[2]);
    assert_eq!(initialize(address, "2025-06-18", &approver).await.status, 403);
    let own = format!("http://{address}");
    let strangers: [&[(&str, &str)]; 6] = [
        &[("host", "evil.example")],
        &[("host", "evil.example"), ("origin", "http://evil.example")],
        &[("origin", &own), ("origin", "http://evil.example")],
        &[("host", "127.0.0.1:1")],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
    ];
    for headers in strangers {
        let headers = [headers, &[ACCEPT, ("authorization", bearer.as_str())]].concat();
        assert_eq!(send(address, "POST /mcp", &headers, "{}").await.status, 403, "{headers:?}");
    }
    let own_page = [ACCEPT, ("authorization", bearer.as_str()), ("origin", own.as_str())];
    assert_ne!(send(address, "POST /mcp", &own_page, "{}").await.status, 403);
    let headers = [ACCEPT, ("authorization", bearer.as_str())];
    assert_eq!(send(address, "GET /other", &headers, "").await.status, 404);
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(2 << 20));
    assert_eq!(send(address, "POST /mcp", &headers, &long).await.status, 413);
    door.close().await;
    pool.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_revision_is_spoken_and_clients_know_nothing_of_each_other() {
    let origin = site(PAGES);
    let (pool, door) = door(&origin).await;
    let address = door.address();
    let (one, two) = (format!("Bearer {}", TOKENS[0]), format!("Bearer {}", TOKENS[1]));
    let mut ids = Vec::new();
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let hello = initialize(address, version, &one).await;
        assert_eq!(hello.message()["result"]["protocolVersion"], version, "{}", hello.text);
        ids.push(hello.session.clone().unwrap());
    }
    let opened = tool(address, &ids[0], &one, "open", json!({ "url": origin })).await;
    assert_eq!(opened["result"]["structuredContent"]["session"], "s1", "{opened}");
    let other = tool(address, &ids[1], &one, "snapshot", json!({ "session": "s1" })).await;
    assert_eq!(other["result"]["isError"], true, "{other}");
    let stolen = tool(address, &ids[0], &two, "snapshot", json!({ "session": "s1" })).await;
    assert!(stolen["error"]["message"].as_str().unwrap().contains("another token"), "{stolen}");
    // The end of a connection is the end of its sessions.
    assert_eq!(pool.taken(), 1);
    let headers = [("authorization", one.as_str()), ("mcp-session-id", ids[0].as_str())];
    assert!(send(address, "DELETE /mcp", &headers, "").await.status < 300);
    let begin = std::time::Instant::now();
    while pool.taken() > 0 {
        assert!(begin.elapsed() < std::time::Duration::from_secs(10), "its session is still there");
        tokio::task::yield_now().await;
    }
    // The newest revision knows no connection: handles are secrets, and another token does not get far with one.
    let listed = alone(address, &one, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(10), "{listed}");
    let opened =
        alone(address, &one, "tools/call", json!({ "name": "open", "arguments": { "url": origin } })).await;
    let handle = opened["result"]["structuredContent"]["session"]
        .as_str()
        .unwrap_or_else(|| panic!("{opened}"))
        .to_owned();
    let look = json!({ "name": "snapshot", "arguments": { "session": handle } });
    let mine = alone(address, &one, "tools/call", look.clone()).await;
    assert!(mine["result"]["content"][0]["text"].as_str().unwrap().contains("Home"), "{mine}");
    let theirs = alone(address, &two, "tools/call", look).await;
    assert_eq!(theirs["result"]["isError"], true, "{theirs}");
    door.close().await;
    pool.end().await;
}

#[tokio::test]
async fn a_door_that_others_can_reach_needs_a_token_and_a_word() {
    let pool = Pool::default();
    for beyond_loopback in [false, true] {
        let http =
            HttpOptions { listen: "0.0.0.0:0".parse().unwrap(), beyond_loopback, ..HttpOptions::default() };
        let refused = HttpDoor::open(&pool, McpOptions::default(), http).await.unwrap_err();
        assert!(refused.to_string().contains("--token-file"), "{refused}");
    }
}
