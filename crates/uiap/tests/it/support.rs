//! Runs the binary.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_uiap"));
    command.env_remove("NO_COLOR").env_remove("COLUMNS").env("TERM", "xterm");
    command
}

pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

pub(crate) fn uiap(args: &[&str]) -> Run {
    Run::of(command().args(args).stdin(Stdio::null()).output().unwrap())
}

pub(crate) fn uiap_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut child = command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Written by a thread: the program may stop reading before the end.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let run = Run::of(child.wait_with_output().unwrap());
    writer.join().unwrap();
    run
}

/// A file of its own for the test.
pub(crate) fn file(folder: &tempfile::TempDir, name: &str, text: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}
