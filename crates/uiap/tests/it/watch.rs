//! `--watch`: an edit wakes it, Ctrl-C ends it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

use crate::support::{command, uiap};

#[test]
fn an_edit_shows_new_findings_and_an_interrupt_ends_it() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("shop");
    uiap(&["init", package.to_str().unwrap(), "--app", "shop"]);
    let mut child = command()
        .args(["check", "--watch"])
        .arg(&package)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = {
        let (sender, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        let err = BufReader::new(child.stderr.take().unwrap());
        let other = sender.clone();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        std::thread::spawn(move || err.lines().map_while(Result::ok).try_for_each(|line| other.send(line)));
        lines
    };
    // The two streams arrive in any order: what came too early is kept.
    let mut early: Vec<String> = Vec::new();
    let mut wait_for = |wanted: &str| loop {
        if let Some(at) = early.iter().position(|line| line.contains(wanted)) {
            early.remove(at);
            return;
        }
        match lines.recv_timeout(Duration::from_secs(20)) {
            Ok(line) => early.push(line),
            Err(error) => panic!("no {wanted} ({error}): {early:?}"),
        }
    };
    wait_for("no mistakes");
    wait_for("watching");
    let app = package.join("app.uiap.yaml");
    let good = fs::read_to_string(&app).unwrap();
    fs::write(&app, good.replace("defaultLocale", "defaultLocal")).unwrap();
    wait_for("did you mean `defaultLocale`");
    wait_for("watching");
    fs::write(&app, good).unwrap();
    wait_for("no mistakes");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    assert!(!child.wait().unwrap().success());
}
