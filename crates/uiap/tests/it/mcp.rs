//! The door for agents: the protocol spoken by hand over standard input and output.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::command;
use crate::web::Demo;

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    /// What its user was asked, and what the user says.
    asked: Vec<String>,
    agrees: bool,
    /// Everything that came out.
    pub(crate) heard: String,
}

impl Client {
    /// One that may open this app.
    fn start(app: &str) -> Self {
        Self::with(app, &json!({}))
    }

    fn with(app: &str, capabilities: &Value) -> Self {
        Self::of(command().args(["mcp", "--url", app]).stderr(Stdio::null()), capabilities)
    }

    /// One that tells everything it can into a file.
    pub(crate) fn logging(app: &str, log: &Path) -> Self {
        let log = File::create(log).unwrap();
        Self::of(command().args(["-vvv", "mcp", "--url", app]).stderr(log), &json!({}))
    }

    fn of(command: &mut Command, capabilities: &Value) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client =
            Self { child, input, output, last: 0, asked: Vec::new(), agrees: false, heard: String::new() };
        client.introduce("2025-06-18", "test", capabilities);
        client
    }

    fn introduce(&mut self, version: &str, name: &str, capabilities: &Value) {
        let hello = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": { "name": name, "version": "0" } });
        let info = self.call("initialize", hello);
        assert_eq!(info["result"]["serverInfo"]["name"], "uiap", "{info}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            self.heard.push_str(&line);
            if answer["method"] == "elicitation/create" {
                self.asked.push(answer["params"]["message"].as_str().unwrap().to_owned());
                let content = json!({ "agree": self.agrees });
                let result = json!({ "action": "accept", "content": content });
                self.send(&json!({ "jsonrpc": "2.0", "id": answer["id"], "result": result }));
                continue;
            }
            if answer["id"] == id {
                return answer;
            }
        }
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> (bool, String) {
        let answer = self.call("tools/call", json!({ "name": name, "arguments": arguments }));
        let result = &answer["result"];
        (result["isError"] == true, result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

#[test]
fn an_agent_opens_reads_searches_and_closes_a_page() {
    let demo = Demo::start();
    let mut client = Client::start(&demo.at("/"));
    let tools = client.call("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 10);
    for tool in &tools {
        for member in ["title", "annotations", "inputSchema", "outputSchema"] {
            assert!(!tool[member].is_null(), "{tool} has no {member}");
        }
    }
    let (failed, text) = client.tool("open", json!({ "url": demo.at("/videos/new") }));
    assert!(!failed && text.starts_with("session s1\n") && text.contains("\n<page rev_"), "{text}");
    let (_, text) = client.tool("snapshot", json!({ "session": "s1", "budget": 300 }));
    assert!(text.contains("more in scope"), "{text}");
    let (_, text) = client.tool("find", json!({ "role": "textbox", "name": "title" }));
    assert!(text.contains("- textbox \"Title\" [ref="), "{text}");
    let (_, first) = client.tool("snapshot", json!({ "changes": true }));
    assert!(
        first.starts_with("<change") && first.contains("unchanged"),
        "it was shown when it was opened: {first}"
    );
    let order = json!({ "do": "type", "role": "textbox", "name": "Title", "text": "Intro" });
    assert!(!client.tool("act", order).0);
    let (_, next) = client.tool("snapshot", json!({ "changes": true }));
    assert!(next.starts_with("<change") && next.len() < 400, "{next}");
    let (failed, text) = client.tool("close", json!({ "session": "s1" }));
    assert!(!failed && text == "closed s1", "{text}");
}

#[test]
fn what_cannot_be_done_is_told_and_the_server_lives() {
    let mut client = Client::start("http://127.0.0.1:9");
    let (failed, text) = client.tool("open", json!({ "url": "file:///etc/passwd" }));
    assert!(failed && text.contains("is not an http or https address"), "{text}");
    let (failed, text) = client.tool("snapshot", json!({ "session": "s9" }));
    assert!(failed && text.contains("there is no session `s9`"), "{text}");
    let wrong = client.call("tools/call", json!({ "name": "snapshot", "arguments": { "bugdet": 1 } }));
    assert!(wrong["error"]["message"].as_str().unwrap().contains("bugdet"), "{wrong}");
    let none = client.call("tools/call", json!({ "name": "click", "arguments": {} }));
    assert!(none["error"]["message"].as_str().unwrap().contains("there is no tool `click`"), "{none}");
}

/// The ref of the first line that begins so.
fn reference(text: &str, begins: &str) -> String {
    let line = text.lines().find(|line| line.trim_start().starts_with(begins));
    let line = line.unwrap_or_else(|| panic!("no `{begins}` in {text}"));
    line.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).unwrap().to_owned()
}

#[test]
fn an_agent_acts_and_is_told_what_came_of_it() {
    let demo = Demo::start();
    let mut client = Client::start(&demo.at("/"));
    let (_, page) = client.tool("open", json!({ "url": demo.at("/videos/new") }));
    let title = reference(&page, "- textbox \"Title\"");
    let (failed, text) = client.tool("act", json!({ "do": "type", "ref": title, "text": "Intro" }));
    assert!(!failed && text.starts_with("verified ui.enterText textbox \"Title\""), "{text}");
    assert!(text.contains("\"Intro\"") && text.len() < 600, "{text}");
    let (failed, text) = client
        .tool("act", json!({ "do": "click", "role": "link", "name": "Team", "expect": ["route:/team"] }));
    assert!(!failed && text.contains("route.changed"), "{text}");
    let (failed, text) = client.tool("act", json!({ "do": "click", "ref": title }));
    assert!(failed && text.contains("stale_target"), "{text}");
    let (failed, text) = client.tool("act", json!({ "do": "click", "ref": "e9999" }));
    assert!(failed && text.contains("there is no ref `e9999`"), "{text}");
    let (failed, text) = client.tool("wait", json!({ "expect": ["toast:never"], "timeout_ms": 200 }));
    assert!(failed && text.starts_with("not seen in time"), "{text}");
    let (_, text) = client.tool("actions", json!({}));
    assert!(text.contains("video.create(title: string"), "{text}");
    let (_, text) = client.tool("trace", json!({}));
    assert!(text.contains("RESOLVING_TARGET"), "{text}");
}

#[test]
fn a_person_is_asked_through_the_client_and_never_the_agent() {
    let demo = Demo::start();
    let order = json!({ "do": "team.invite", "args": { "name": "Ada", "email": "ada@videoland.example" } });
    let mut client = Client::with(&demo.at("/"), &json!({ "elicitation": {} }));
    client.tool("open", json!({ "url": demo.at("/team") }));
    let (failed, text) = client.tool("act", order.clone());
    assert!(failed && text.contains("confirmation_denied"), "{text}");
    assert!(client.asked[0].contains("team.invite"), "{:?}", client.asked);
    client.agrees = true;
    let (failed, text) = client.tool("act", order);
    assert!(!failed && text.starts_with("verified team.invite"), "{text}");
    assert_eq!(client.asked.len(), 2);
}

/// A client that cannot ask its user: the person answers at a page whose address only the person is told.
#[test]
fn a_person_is_asked_at_a_page_that_the_agent_cannot_see_or_reach() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut mute = Client::of(
        command().args(["mcp", "--url", &demo.at("/")]).stderr(File::create(&log).unwrap()),
        &json!({}),
    );
    mute.tool("open", json!({ "url": demo.at("/team") }));
    for (answer, agreed) in [("deny", false), ("grant", true)] {
        let person = std::thread::spawn({
            let (log, before) = (log.clone(), std::fs::read_to_string(&log).unwrap().len());
            move || answer_at(&log, before, answer)
        });
        let order =
            json!({ "do": "team.invite", "args": { "name": "Ada", "email": "ada@videoland.example" } });
        let said = mute.heard.len();
        let (failed, text) = mute.tool("act", order);
        let url = person.join().unwrap();
        assert_eq!(failed, !agreed, "{text}");
        assert!(agreed || text.contains("confirmation_denied"), "{text}");
        assert!(!mute.heard[said..].contains("/ask/"), "the agent was told where");
        let (failed, text) = mute.tool("open", json!({ "url": url }));
        assert!(failed && text.contains("no page may reach it"), "{text}");
        let (failed, text) = mute.tool("act", json!({ "do": "navigate", "text": url }));
        assert!(failed, "{text}");
    }
}

/// Waits for the next address in a log and answers the question there.
fn answer_at(log: &Path, before: usize, answer: &str) -> String {
    let begin = std::time::Instant::now();
    let url = loop {
        let text = std::fs::read_to_string(log).unwrap();
        if let Some(at) = text[before..].find("http://127.0.0.1:") {
            let rest = &text[before + at..];
            if let Some(end) = rest.find('\n') {
                break rest[..end].trim().to_owned();
            }
        }
        assert!(begin.elapsed().as_secs() < 60, "nobody was asked: {text}");
        std::thread::yield_now();
    };
    let rest = url.strip_prefix("http://").unwrap();
    let (address, path) = rest.split_at(rest.find('/').unwrap());
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let body = format!("answer={answer}");
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut stream, &mut told).unwrap();
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    url
}

#[test]
fn every_revision_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut child = command()
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client =
            Client { child, input, output, last: 0, asked: Vec::new(), agrees: false, heard: String::new() };
        client.introduce(version, "test", &json!({}));
        let spoken: Value = serde_json::from_str(client.heard.lines().next().unwrap()).unwrap();
        assert_eq!(spoken["result"]["protocolVersion"], version);
        let listed = client.call("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 10, "{listed}");
    }
}

/// The newest revision: no handshake, every request says who asks, and a question is a result.
#[test]
fn in_the_newest_revision_a_question_is_a_result_and_its_answer_another_call() {
    let demo = Demo::start();
    let mut child = command()
        .args(["mcp", "--url", &demo.at("/")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let input = child.stdin.take();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut client =
        Client { child, input, output, last: 0, asked: Vec::new(), agrees: false, heard: String::new() };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let found = client.call("server/discover", json!({ "_meta": meta }));
    assert!(found["result"]["instructions"].is_string(), "{found}");
    let mut tool = |name: &str, arguments: &Value, more: Value| {
        let mut params = json!({ "_meta": meta, "name": name, "arguments": arguments });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("tools/call", params)
    };
    tool("open", &json!({ "url": demo.at("/team") }), json!({}));
    let order = json!({ "do": "team.invite", "args": { "name": "Ada", "email": "ada@videoland.example" } });
    let asked = tool("act", &order, json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let message = &asked["result"]["inputRequests"]["agree"]["params"]["message"];
    assert!(message.as_str().unwrap().contains("team.invite"), "{asked}");
    let state = asked["result"]["requestState"].clone();
    let yes = json!({ "agree": { "action": "accept", "content": { "agree": true } } });
    let done = tool("act", &order, json!({ "requestState": state, "inputResponses": yes }));
    assert!(
        done["result"]["content"][0]["text"].as_str().unwrap().starts_with("verified team.invite"),
        "{done}"
    );
    let again = tool("act", &order, json!({ "requestState": state, "inputResponses": yes }));
    assert_eq!(again["result"]["isError"], true, "{again}");
}

#[test]
fn a_client_that_would_drop_the_text_gets_no_structured_content() {
    let demo = Demo::start();
    for (name, structured) in [("claude-code", false), ("inspector", true)] {
        let mut child = command()
            .args(["mcp", "--url", &demo.at("/")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client =
            Client { child, input, output, last: 0, asked: Vec::new(), agrees: false, heard: String::new() };
        client.introduce("2025-06-18", name, &json!({}));
        let listed = client.call("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"][0]["outputSchema"].is_object(), structured, "{listed}");
        let opened =
            client.call("tools/call", json!({ "name": "open", "arguments": { "url": demo.at("/team") } }));
        assert_eq!(opened["result"]["structuredContent"].is_object(), structured, "{opened}");
        assert!(opened["result"]["content"][0]["text"].as_str().unwrap().contains("<page"), "{opened}");
    }
}

#[test]
fn what_takes_long_is_told_of_and_can_be_cancelled() {
    let demo = Demo::start();
    let mut client = Client::start(&demo.at("/"));
    client.tool("open", json!({ "url": demo.at("/videos") }));
    let wait = json!({ "expect": ["toast:never"], "timeout_ms": 60_000 });
    client.last += 1;
    let id = client.last;
    let params = json!({ "name": "wait", "arguments": wait, "_meta": { "progressToken": "p1" } });
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    let mut line = String::new();
    client.output.read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], "p1", "{told}");
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    let begin = std::time::Instant::now();
    let (failed, text) = client.tool("snapshot", json!({}));
    assert!(!failed && begin.elapsed().as_secs() < 20, "{text}");
}

#[test]
fn links_are_listed_and_read() {
    let demo = Demo::start();
    let mut client = Client::start(&demo.at("/"));
    client.tool("open", json!({ "url": demo.at("/videos") }));
    let listed = client.call("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "uiap://session/s1/page", "{listed}");
    let templates = client.call("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 3, "{templates}");
    let read = client.call("resources/read", json!({ "uri": "uiap://session/s1/page" }));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().starts_with("<page"), "{read}");
    let none = client.call("resources/read", json!({ "uri": "uiap://session/s2/page" }));
    assert!(none["error"].is_object(), "{none}");
}
