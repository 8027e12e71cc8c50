//! A small web site for tests: pages by path, and paths that answer late, never or badly.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A site on a loopback port. Besides its pages it has `/hold` (answers when told), `/stream` (server-sent events without an
/// end), `/status/N` (answers with that status), `/go` (redirects to `/ok`) and `/ok`.
pub(crate) struct Site {
    origin: String,
    held: watch::Sender<bool>,
}

impl Site {
    pub(crate) async fn with(pages: &[(&str, &str)]) -> Self {
        Self::with_headers(&pages.iter().map(|(path, body)| (*path, "", *body)).collect::<Vec<_>>()).await
    }

    /// Pages with further headers, each ended by `\r\n`.
    pub(crate) async fn with_headers(pages: &[(&str, &str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let pages: HashMap<String, (String, String)> = pages
            .iter()
            .map(|(path, headers, body)| ((*path).to_owned(), ((*headers).to_owned(), (*body).to_owned())))
            .collect();
        let (held, release) = watch::channel(false);
        let pages = Arc::new(pages);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&pages), release.clone()));
            }
        });
        Self { origin, held }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// The same site under another name: another origin, another site.
    pub(crate) fn foreign(&self, path: &str) -> String {
        self.url(path).replace("127.0.0.1", "localhost")
    }

    pub(crate) fn foreign_origin(&self) -> String {
        self.origin.replace("127.0.0.1", "localhost")
    }

    /// Answers what is held.
    pub(crate) fn release(&self) {
        self.held.send_replace(true);
    }
}

async fn answer(
    mut stream: TcpStream,
    pages: Arc<HashMap<String, (String, String)>>,
    mut release: watch::Receiver<bool>,
) {
    let mut request = vec![0; 16 * 1024];
    let Ok(read) = stream.read(&mut request).await else { return };
    let text = String::from_utf8_lossy(request.get(..read).unwrap_or_default()).into_owned();
    let Some(target) = text.split(' ').nth(1) else { return };
    let path = target.split('?').next().unwrap_or_default();
    let status = path.strip_prefix("/status/").and_then(|status| status.parse::<u16>().ok());
    let reply = match (pages.get(path), status, path) {
        (Some((headers, body)), ..) => {
            reply(200, &format!("Content-Type: text/html; charset=utf-8\r\n{headers}"), body)
        }
        (None, Some(status), _) => reply(status, "", "status"),
        (None, None, "/hold") => {
            // The site is gone when its test is over.
            if release.wait_for(|released| *released).await.is_err() {
                return;
            }
            reply(200, "", "held")
        }
        (None, None, "/stream") => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nAccess-Control-Allow-Origin: *\r\n\r\ndata: 1\n\n";
            drop(stream.write_all(head.as_bytes()).await);
            // Stays open for as long as the site stands or the page listens.
            drop(release.wait_for(|_| false).await);
            return;
        }
        (None, None, "/go") => reply(302, "Location: /ok\r\n", ""),
        (None, None, "/ok") => reply(200, "", "ok"),
        (None, None, "/headers") => reply(200, "Content-Type: text/plain\r\n", &text),
        _ => reply(404, "", "nothing here"),
    };
    drop(stream.write_all(reply.as_bytes()).await);
}

fn reply(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\n{headers}Access-Control-Allow-Origin: *\r\nCache-Control: no-store\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
