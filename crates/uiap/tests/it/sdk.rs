//! The official TypeScript client drives the Videoland task: an implementation of the protocol that is not ours. Needs `node` and the
//! client's package; `cargo xtask test` installs it and says where it is with UIAP_MCP_SDK. Without it the tests say that they were skipped.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::{Run, command};
use crate::web::Demo;

/// The folder that holds `node_modules` with the client.
fn client() -> Option<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp-sdk");
    let told = std::env::var_os("UIAP_MCP_SDK").map(PathBuf::from);
    let found = told
        .into_iter()
        .chain([own])
        .find(|folder| folder.join("node_modules/@modelcontextprotocol/sdk").is_dir());
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
    let mut server = command()
        .args(["--json", "mcp", "--listen", "127.0.0.1:0", "--url", &demo.at("/")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: serde_json::Value = serde_json::from_str(&line).unwrap();
    let run = drive(&folder, &demo.at(""), "http", told["mcp"].as_str().unwrap());
    let id = rustix::process::Pid::from_raw(i32::try_from(server.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    let ended = server.wait().unwrap();
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(ended.success(), "{ended}");
}
