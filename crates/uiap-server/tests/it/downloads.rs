//! Downloads in a real browser: into the session's own folder, under safe names, within bounds, and gone with the session.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::downloads::DownloadOptions;
use uiap_server::protocol::HouseOptions;
use uiap_server::serve::{ServeOptions, Server};

use crate::doors::{Socket, socket_to};

const PAGE: &str = "<!doctype html><title>Files</title><a href=/small>Small</a> <a href=/endless>Endless</a>";

/// A server of files: a small one with a name that leads elsewhere, and one without an end.
async fn files() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = [0; 8_192];
                let count = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..count]).into_owned();
                let attachment = "content-type: application/octet-stream\r\ncontent-disposition: attachment; filename=\"..%2F..%2Fevil name.sh\"\r\n";
                let answer = match head.split(' ').nth(1) {
                    Some("/small") => format!(
                        "HTTP/1.1 200 OK\r\n{attachment}content-length: 5\r\nconnection: close\r\n\r\nsmall"
                    ),
                    Some("/endless") => format!("HTTP/1.1 200 OK\r\n{attachment}connection: close\r\n\r\n"),
                    _ => format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{PAGE}",
                        PAGE.len()
                    ),
                };
                stream.write_all(answer.as_bytes()).await.ok();
                let part = vec![b'x'; 16_384];
                while head.starts_with("GET /endless") && stream.write_all(&part).await.is_ok() {}
            });
        }
    });
    origin
}

async fn serve(origin: &str, downloads: DownloadOptions) -> (Server, Socket) {
    let server = Server::start(ServeOptions {
        reach: Reach::only([origin]).unwrap(),
        house: HouseOptions { start: Some(format!("{origin}/").into()), ..HouseOptions::default() },
        browsers: BrowserOptions { most: 1, ..BrowserOptions::default() },
        downloads,
        ..ServeOptions::default()
    })
    .await
    .unwrap();
    let mut socket = socket_to(server.address(), &[]).await.unwrap();
    socket.begin().await;
    socket.ask("web.state.observe", json!({ "signals": "all", "deltas": false })).await;
    (server, socket)
}

async fn press(socket: &mut Socket, name: &str) {
    let ask = json!({ "actionId": "ui.activate", "target": { "ref": { "by": "semantic", "role": "link", "name": name } } });
    let answer = socket.ask("action.request", ask).await;
    assert_eq!(answer["type"], "action.accepted", "{answer}");
}

/// The next word about a download in one of these states.
async fn download(socket: &mut Socket, states: &[&str]) -> Value {
    loop {
        let told = socket.next().await.unwrap();
        let signal = &told["payload"]["signal"];
        if signal["name"] == "browser.download"
            && states.iter().any(|state| signal["payload"]["state"] == *state)
        {
            return signal["payload"].clone();
        }
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_come_into_the_sessions_own_folder_under_safe_names_and_within_bounds() {
    let origin = files().await;
    let folder = tempfile::tempdir().unwrap();
    let limits = DownloadOptions { keep: Some(folder.path().to_owned()), files: 3, bytes: 200_000 };
    let (server, mut socket) = serve(&origin, limits).await;
    press(&mut socket, "Small").await;
    let stored = download(&mut socket, &["stored", "refused"]).await;
    assert_eq!((&stored["state"], &stored["bytes"]), (&json!("stored"), &json!(5)), "{stored}");
    let name = stored["name"].as_str().unwrap();
    assert!(name.ends_with("evil name.sh") && !name.contains('/') && !name.contains(".."), "{name}");
    let own = folder.path().join(&socket.session);
    assert_eq!(std::fs::read(own.join(name)).unwrap(), b"small");
    assert_eq!((mode(&own), mode(&own.join(name))), (0o700, 0o600));

    press(&mut socket, "Endless").await;
    let refused = download(&mut socket, &["stored", "refused"]).await;
    assert_eq!(refused["state"], "refused", "{refused}");
    press(&mut socket, "Small").await;
    let again = download(&mut socket, &["stored", "refused"]).await;
    assert_eq!(again["state"], "stored", "{again}");
    assert_ne!(again["name"], stored["name"], "nothing is overwritten");
    press(&mut socket, "Small").await;
    let fourth = download(&mut socket, &["stored", "refused"]).await;
    assert!(fourth["reason"].as_str().is_some_and(|reason| reason.contains("3 files")), "{fourth}");
    server.close().await;
    assert!(own.join(name).exists(), "what is to be kept is kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_place_to_keep_them_files_go_with_their_session() {
    let origin = files().await;
    let (server, mut socket) = serve(&origin, DownloadOptions::default()).await;
    press(&mut socket, "Small").await;
    let stored = download(&mut socket, &["stored"]).await;
    let name = stored["name"].as_str().unwrap().to_owned();
    let mine = format!("uiap-downloads-{}.", std::process::id());
    let holds = || {
        let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        folders
            .filter(|folder| folder.file_name().to_string_lossy().starts_with(&mine))
            .any(|folder| folder.path().join(&name).exists())
    };
    assert!(holds());
    server.close().await;
    assert!(!holds(), "the folder is gone");
}
