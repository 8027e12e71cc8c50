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
    fn start() -> Self {
        Self::with(&json!({}))
    }

    fn with(capabilities: &Value) -> Self {
        Self::of(command().arg("mcp").stderr(Stdio::null()), capabilities)
    }

    /// One that tells everything it can into a file.
    pub(crate) fn logging(log: &Path) -> Self {
        let log = File::create(log).unwrap();
        Self::of(command().args(["-vvv", "mcp"]).stderr(log), &json!({}))
    }

    fn of(command: &mut Command, capabilities: &Value) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client =
            Self { child, input, output, last: 0, asked: Vec::new(), agrees: false, heard: String::new() };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "test", "version": "0" } });
        let info = client.call("initialize", hello);
        assert_eq!(info["result"]["serverInfo"]["name"], "uiap", "{info}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
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
    let mut client = Client::start();
    let tools = client.call("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() <= 12 && tools.iter().all(|tool| tool["annotations"].is_object()), "{tools:?}");
    let (failed, text) = client.tool("open", json!({ "url": demo.at("/videos/new") }));
    assert!(!failed && text.starts_with("session s1\n<page rev_"), "{text}");
    let (_, text) = client.tool("snapshot", json!({ "session": "s1", "budget": 300 }));
    assert!(text.contains("more in scope"), "{text}");
    let (_, text) = client.tool("find", json!({ "role": "textbox", "name": "title" }));
    assert!(text.contains("- textbox \"Title\" [ref="), "{text}");
    let (_, first) = client.tool("snapshot", json!({ "changes": true }));
    assert!(first.starts_with("<page"), "{first}");
    let (_, next) = client.tool("snapshot", json!({ "changes": true }));
    assert!(next.starts_with("<change") && next.len() < 400, "{next}");
    let (failed, text) = client.tool("close", json!({ "session": "s1" }));
    assert!(!failed && text == "closed s1", "{text}");
}

#[test]
fn what_cannot_be_done_is_told_and_the_server_lives() {
    let mut client = Client::start();
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
    let mut client = Client::start();
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
    let mut mute = Client::start();
    mute.tool("open", json!({ "url": demo.at("/team") }));
    let (failed, text) = mute.tool("act", order.clone());
    assert!(failed && text.contains("a person has to agree"), "{text}");
    let mut client = Client::with(&json!({ "elicitation": {} }));
    client.tool("open", json!({ "url": demo.at("/team") }));
    let (failed, text) = client.tool("act", order.clone());
    assert!(failed && text.contains("confirmation_denied"), "{text}");
    assert!(client.asked[0].contains("team.invite"), "{:?}", client.asked);
    client.agrees = true;
    let (failed, text) = client.tool("act", order);
    assert!(!failed && text.starts_with("verified team.invite"), "{text}");
    assert_eq!(client.asked.len(), 2);
}
