//! A web site of a test's own: a few paths, served on a loopback port under two names, which are two sites to a browser.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

type Pages = HashMap<&'static str, (String, String)>;

pub(crate) struct Site {
    port: u16,
    serving: JoinHandle<()>,
}

impl Site {
    /// Serves HTML pages.
    pub(crate) async fn of(pages: &[(&'static str, &str)]) -> Self {
        let html = pages
            .iter()
            .map(|(path, body)| (*path, ("Content-Type: text/html".to_owned(), (*body).to_owned())));
        Self::with_headers(html.collect()).await
    }

    /// Serves pages with headers of their own, each path with its header lines and its body.
    pub(crate) async fn with_headers(pages: Pages) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages = Arc::new(pages);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&pages)));
            }
        });
        Self { port, serving }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same page on what a browser holds for another site.
    pub(crate) fn foreign_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A browser may hang up at any time, which is no failure of the site.
async fn serve(stream: TcpStream, pages: Arc<Pages>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    stream.read_line(&mut request).await.ok()?;
    loop {
        let mut header = String::new();
        match stream.read_line(&mut header).await.ok()? {
            0 => return None,
            _ if header == "\r\n" => break,
            _ => {}
        }
    }
    let path = request.split([' ', '?']).nth(1)?;
    let answer = match pages.get(path) {
        Some((headers, body)) => format!(
            "HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
        None => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
    };
    stream.write_all(answer.as_bytes()).await.ok()
}
