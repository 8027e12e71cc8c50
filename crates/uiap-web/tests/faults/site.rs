//! The folder of pages on a loopback port, and under another name for frames of another origin.

use std::path::PathBuf;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Site {
    origin: String,
}

/// Where the pages are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/pages/faults"))
}

impl Site {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream));
            }
        });
        Self { origin }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.origin)
    }
}

async fn answer(mut stream: TcpStream) -> Option<()> {
    let mut head = Vec::new();
    let mut part = [0; 4_096];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let read = stream.read(&mut part).await.ok()?;
        if read == 0 {
            return None;
        }
        head.extend_from_slice(part.get(..read)?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut words = head.split_whitespace();
    let (method, path) = (words.next()?, words.next()?);
    let name = path.split(['?', '#']).next()?.trim_start_matches('/').to_owned();
    let body =
        if method == "GET" && !name.contains("..") { std::fs::read(folder().join(&name)).ok() } else { None };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        _ => "text/plain",
    };
    let (status, body) = match body {
        Some(body) => ("200 OK", body),
        None if method == "GET" => ("404 Not Found", b"not here".to_vec()),
        None => ("500 Internal Server Error", b"refused".to_vec()),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await.ok()?;
    stream.write_all(&body).await.ok()?;
    stream.shutdown().await.ok()
}
