//! The official TypeScript client drives the Videoland task, and the protocol's own conformance suite asks its questions: implementations
//! that are not ours. Needs `node` and the packages; `cargo xtask test` installs them. Without them the tests say that they were skipped.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::support::{Run, command};
use crate::web::Demo;

/// The folder that holds `node_modules` with the client.
fn client() -> Option<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp-sdk");
    let told = std::env::var_os("UIAP_MCP_SDK").map(PathBuf::from);
    let found = told.into_iter().chain([own]).find(|folder| {
        let packages = folder.join("node_modules/@modelcontextprotocol");
        packages.join("sdk").is_dir() && packages.join("conformance").is_dir()
    });
    if found.is_none() {
        let message = "skipped: the official MCP client is not installed (`npm install` in crates/uiap/tests/mcp-sdk, or UIAP_MCP_SDK)";
        assert!(std::env::var_os("UIAP_NEED_MCP_SDK").is_none(), "{message}");
        // Also shown when the test passes, unless the output is captured.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{message}\n").as_bytes());
    }
    found
}

fn drive(folder: &std::path::Path, app: &str, kind: &str, end: &str) -> Run {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp-sdk/videoland.mjs");
    let app = app.trim_end_matches('/');
    Run::of(Command::new("node").arg(script).arg(folder).args([app, kind, end]).output().unwrap())
}

#[test]
fn the_official_client_does_the_videoland_task_over_standard_input_and_output() {
    let Some(folder) = client() else { return };
    let demo = Demo::start();
    let run = drive(&folder, &demo.at(""), "stdio", env!("CARGO_BIN_EXE_uiap"));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("done: "), "{}", run.out);
}

#[test]
fn the_official_client_does_the_videoland_task_over_http() {
    let Some(folder) = client() else { return };
    let demo = Demo::start();
    let served = Served::start(&demo.at("/"));
    let run = drive(&folder, &demo.at(""), "http", &served.url);
    assert!(served.end().success());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

/// What the suite asks of every server. Its other scenarios call tools and read resources of the suite's own example server.
const APPLICABLE: &[&str] = &[
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "completion-complete",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
];

#[test]
fn the_protocols_own_conformance_suite_passes() {
    let Some(folder) = client() else { return };
    let served = Served::start("http://127.0.0.1:9/");
    let suite = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    for scenario in APPLICABLE {
        let run = Run::of(
            Command::new("node")
                .args(["--import", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp-sdk/older-node.mjs")])
                .arg(&suite)
                .args(["server", "--url", &served.url, "--scenario", scenario])
                .output()
                .unwrap(),
        );
        assert_eq!(run.code, 0, "{scenario}: {}{}", run.out, run.err);
        assert!(run.out.contains(" 0 failed, 0 warnings"), "{scenario}: {}", run.out);
    }
    assert!(served.end().success());
}

/// A server for agents over HTTP.
struct Served {
    server: Child,
    url: String,
}

impl Served {
    fn start(app: &str) -> Self {
        let mut server = command()
            .args(["--json", "mcp", "--listen", "127.0.0.1:0", "--url", app])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self { server, url: told["mcp"].as_str().unwrap().to_owned() }
    }

    fn end(mut self) -> ExitStatus {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.server.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        self.server.wait().unwrap()
    }
}
