//! The daemon's socket: what is said on it, and what becomes of the daemon.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::json;
use uiap_server::daemon::client::{Client, ClientError};
use uiap_server::daemon::line::{Reply, Request};
use uiap_server::daemon::{Daemon, DaemonOptions, Place};
use uiap_server::session::Pool;

use crate::site::options;

fn daemon(place: &Place, build: &str, linger: Duration) -> tokio::task::JoinHandle<()> {
    let options_ = DaemonOptions { build: build.to_owned(), settings: String::new(), linger };
    let pool = Pool::new(options("http://127.0.0.1:9"));
    tokio::spawn(Daemon::listen(place, pool, options_).unwrap().serve())
}

const LONG: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_answers_its_owner_and_survives_nonsense() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(&folder.path().join("run")).unwrap();
    let serving = daemon(&place, "b1", LONG);
    let mode = std::fs::metadata(place.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let at = place.clone();
    let said = tokio::task::spawn_blocking(move || {
        for nonsense in ["nonsense\n", "{\"call\":{\"tool\":1}}\n", "\n", "[]\n"] {
            let mut stream = UnixStream::connect(at.socket()).unwrap();
            stream.write_all(nonsense.as_bytes()).unwrap();
            let mut reader = BufReader::new(stream);
            let mut lines = [String::new(), String::new()];
            for line in &mut lines {
                reader.read_line(line).unwrap();
            }
            assert!(lines[1].contains("misunderstood"), "{lines:?}");
        }
        let client = Client::connect(&at, "b1").unwrap();
        let arguments = json!({ "session": "none" }).as_object().cloned().unwrap();
        let request = Request::Call { tool: "snapshot".to_owned(), arguments, reach: None };
        client.call(&request, |_| false).unwrap()
    });
    let Reply::Answer { answer, .. } = said.await.unwrap() else { panic!("no answer") };
    assert!(answer.failed && answer.text.contains("there is no session `none`"), "{answer:?}");
    let at = place.clone();
    tokio::task::spawn_blocking(move || Client::connect(&at, "b1").unwrap().send_away())
        .await
        .unwrap()
        .unwrap();
    serving.await.unwrap();
    assert!(!place.socket().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_of_another_build_is_told_to_go() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(&folder.path().join("run")).unwrap();
    let serving = daemon(&place, "old", LONG);
    let at = place.clone();
    let met = tokio::task::spawn_blocking(move || Client::connect(&at, "new")).await.unwrap();
    assert!(matches!(met, Err(ClientError::Replaced)), "{met:?}");
    serving.await.unwrap();
    let at = place.clone();
    let met = tokio::task::spawn_blocking(move || Client::connect(&at, "new")).await.unwrap();
    assert!(matches!(met, Err(ClientError::Nobody)), "{met:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_without_sessions_goes_and_one_that_died_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(&folder.path().join("run")).unwrap();
    daemon(&place, "b1", Duration::from_millis(50)).await.unwrap();
    assert!(!place.socket().exists());
    // What a daemon leaves that was killed.
    drop(std::os::unix::net::UnixListener::bind(place.socket()).unwrap());
    assert!(place.socket().exists());
    let at = place.clone();
    let met = tokio::task::spawn_blocking(move || Client::connect(&at, "b1")).await.unwrap();
    assert!(matches!(met, Err(ClientError::Nobody)), "{met:?}");
    let serving = daemon(&place, "b1", LONG);
    let at = place.clone();
    tokio::task::spawn_blocking(move || Client::connect(&at, "b1").unwrap().send_away())
        .await
        .unwrap()
        .unwrap();
    serving.await.unwrap();
}
