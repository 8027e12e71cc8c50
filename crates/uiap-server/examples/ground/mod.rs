//! What sessions with a browser are measured on: a page on loopback, and how much memory a process takes.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::peer::Failure;

/// Serves one page on loopback, whatever is asked for.
pub(crate) async fn small_app(page: &'static str) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = [0; 4_096];
                if stream.read(&mut head).await.is_ok_and(|count| count > 0) {
                    let answer = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
                        page.len()
                    );
                    // A browser that hung up needs no answer.
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    Ok(origin)
}

/// Kilobytes that this process holds.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default()
}
