//! Pages through the binary: what a person and a script see.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{command, uiap};

/// The demo app in a process of its own; ended with the test.
pub(crate) struct Demo(Child, String);

impl Demo {
    pub(crate) fn start() -> Self {
        let mut child =
            command().args(["demo", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["app"].as_str().unwrap().to_owned();
        Self(child, url)
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.1)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_page_is_shown_as_text_as_a_graph_and_as_a_picture() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("page.png");
    let run =
        uiap(&["snapshot", &demo.at("/videos/new"), "--screenshot", picture.to_str().unwrap(), "--marks"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("<page rev_") && run.out.ends_with("</page>\n"), "{}", run.out);
    assert!(run.out.contains("- textbox \"Title\" [ref="), "{}", run.out);
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let small = uiap(&["snapshot", &demo.at("/videos"), "--budget", "300"]);
    assert!(small.out.contains(" more in scope "), "{}", small.out);
    let graph = uiap(&["snapshot", &demo.at("/videos/new"), "--json"]);
    assert_eq!(graph.json()["profile"], "web@0.1");
    let file = folder.path().join("graph.json");
    std::fs::write(&file, &graph.out).unwrap();
    let valid = uiap(&["validate", file.to_str().unwrap()]);
    assert_eq!(valid.code, 0, "{}", valid.out);
}

#[test]
fn a_page_that_is_not_there_is_told() {
    let run = uiap(&["snapshot", "http://127.0.0.1:9/"]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(run.err.contains("cannot open `http://127.0.0.1:9/`"), "{}", run.err);
    let run = uiap(&["snapshot", "http://127.0.0.1:9/", "--browser", "/nonexistent"]);
    assert_eq!(run.code, 7, "{}", run.err);
    assert!(run.err.contains("uiap doctor"), "{}", run.err);
    assert_eq!(uiap(&["snapshot", "http://127.0.0.1:9/", "--scope", ""]).code, 2);
}

#[test]
fn what_changes_is_told_line_by_line() {
    let demo = Demo::start();
    let run = uiap(&["watch", &demo.at("/dashboard"), "--seconds", "4"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["type"], "web.state.snapshot");
    let deltas: Vec<&Value> = lines.iter().filter(|line| line["type"] == "web.state.delta").collect();
    assert!(!deltas.is_empty(), "the clock of the dashboard ticks: {}", run.out);
    assert_eq!(deltas[0]["payload"]["baseRevision"], lines[0]["payload"]["graph"]["revision"]);
}
