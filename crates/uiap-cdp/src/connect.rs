//! Connecting to a browser that somebody else started, at an address that somebody names.

use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::http::Uri;

use crate::attach::{AutoAttach, Scope};
use crate::browser::Browser;
use crate::connection::Connection;
use crate::error::CallError;
use crate::transport::{Sink, Source, websocket};

/// The longest answer about the version of a browser.
const VERSION_LIMIT: u64 = 64 << 10;

/// How to connect.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// How long connecting may take.
    pub timeout: Duration,
    /// How long a call may take that names no limit of its own.
    pub call_timeout: Duration,
    /// Which targets get a session by themselves.
    pub auto_attach: AutoAttach,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            call_timeout: crate::DEFAULT_CALL_TIMEOUT,
            auto_attach: AutoAttach::default(),
        }
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address cannot be used.
    #[error("`{address}` is no address of a browser: {problem}")]
    Address {
        /// As given.
        address: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Nobody listens there, or not for us.
    #[error("cannot connect to `{authority}`: {error}")]
    Unreachable {
        /// Host and port.
        authority: String,
        /// The system's word.
        error: std::io::Error,
    },
    /// Somebody answers, but not as a browser does.
    #[error("`{authority}` does not answer as a browser does: {problem}")]
    NotABrowser {
        /// Host and port.
        authority: String,
        /// What was wrong.
        problem: String,
    },
    /// The WebSocket was refused.
    #[error("`{authority}` refused the WebSocket: {error}")]
    Handshake {
        /// Host and port.
        authority: String,
        /// Why.
        error: Box<tungstenite::Error>,
    },
    /// Nothing happened in time.
    #[error("no connection to `{address}` within {limit:?}")]
    TimedOut {
        /// As given.
        address: String,
        /// The limit.
        limit: Duration,
    },
    /// The first calls failed.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl Browser {
    /// Connects to a running browser: `ws://host:port/devtools/browser/…`, or `http://host:port`, which is asked for the former.
    pub async fn connect(address: &str, options: ConnectOptions) -> Result<Self, ConnectError> {
        let limit = options.timeout;
        match timeout(limit, connect(address, options)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ConnectError::TimedOut { address: address.to_owned(), limit }),
        }
    }
}

async fn connect(address: &str, options: ConnectOptions) -> Result<Browser, ConnectError> {
    let endpoint = Endpoint::parse(address)?;
    let path = match endpoint.path {
        Some(path) => path,
        None => browser_path(&endpoint.authority).await?,
    };
    let stream = open(&endpoint.authority).await?;
    let (source, sink) = websocket::open(stream, &format!("ws://{}{path}", endpoint.authority))
        .await
        .map_err(|error| ConnectError::Handshake { authority: endpoint.authority, error: Box::new(error) })?;
    let auto_attach = options.auto_attach.or_scope(Scope::Own);
    let (source, sink) = (Source::Socket(Box::new(source)), Sink::Socket(Box::new(sink)));
    let connection = Connection::start(source, sink, None, auto_attach, options.call_timeout);
    Ok(Browser::introduce(connection, options.timeout).await?)
}

struct Endpoint {
    authority: String,
    /// None: the browser must be asked.
    path: Option<String>,
}

impl Endpoint {
    fn parse(address: &str) -> Result<Self, ConnectError> {
        let failed = |problem| ConnectError::Address { address: address.to_owned(), problem };
        let uri: Uri = address.parse().map_err(|_| failed("it is no URL"))?;
        let authority = uri.authority().ok_or_else(|| failed("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(failed("it contains a user name"));
        }
        let authority = match authority.port() {
            Some(_) => authority.to_string(),
            None => format!("{authority}:80"),
        };
        match (uri.scheme_str(), uri.path()) {
            (Some("http" | "ws"), "/" | "") => Ok(Self { authority, path: None }),
            (Some("http"), _) => Err(failed("an http address has no path")),
            (Some("ws"), _) => {
                Ok(Self { authority, path: uri.path_and_query().map(|path| path.as_str().to_owned()) })
            }
            (Some("wss" | "https"), _) => {
                Err(failed("encrypted connections are not supported; use a tunnel"))
            }
            _ => Err(failed("it begins neither with http:// nor with ws://")),
        }
    }
}

async fn open(authority: &str) -> Result<TcpStream, ConnectError> {
    TcpStream::connect(authority)
        .await
        .map_err(|error| ConnectError::Unreachable { authority: authority.to_owned(), error })
}

#[derive(Deserialize)]
struct VersionAnswer {
    #[serde(rename = "webSocketDebuggerUrl")]
    url: String,
}

/// Asks for the path of the browser's own socket. Host and port stay ours: the answer cannot send us elsewhere.
async fn browser_path(authority: &str) -> Result<String, ConnectError> {
    let body = get(authority, "/json/version").await?;
    let failed = |problem: String| ConnectError::NotABrowser { authority: authority.to_owned(), problem };
    let answer: VersionAnswer = serde_json::from_slice(&body).map_err(|error| failed(error.to_string()))?;
    let uri: Uri = answer.url.parse().map_err(|_| failed(format!("`{}` is no URL", answer.url)))?;
    Ok(uri.path().to_owned())
}

/// The smallest HTTP client that can talk to a browser.
async fn get(authority: &str, path: &str) -> Result<Vec<u8>, ConnectError> {
    let unreachable = |error| ConnectError::Unreachable { authority: authority.to_owned(), error };
    let failed = |problem: String| ConnectError::NotABrowser { authority: authority.to_owned(), problem };
    let mut stream = open(authority).await?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {authority}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.map_err(unreachable)?;
    let mut answer = Vec::new();
    let mut received = stream.take(VERSION_LIMIT);
    loop {
        if let Some(body) = complete_body(&answer).map_err(failed)? {
            return Ok(body);
        }
        if received.read_buf(&mut answer).await.map_err(unreachable)? == 0 {
            return body_at_end(&answer).ok_or_else(|| failed("its answer is no HTTP".to_owned()));
        }
    }
}

fn split_head(answer: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memmem::find(answer, b"\r\n\r\n")?;
    Some((std::str::from_utf8(answer.get(..end)?).ok()?, answer.get(end + 4..)?))
}

/// The body, once as much of it arrived as its head announced.
fn complete_body(answer: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let Some((head, body)) = split_head(answer) else { return Ok(None) };
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(format!("it says `{status}`"));
    }
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok());
    Ok(length.and_then(|length| body.get(..length)).map(<[u8]>::to_vec))
}

fn body_at_end(answer: &[u8]) -> Option<Vec<u8>> {
    split_head(answer).map(|(_, body)| body.to_vec())
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_given_up_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}/devtools/browser/silent", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let mut socket =
                tokio_tungstenite::accept_async(listener.accept().await.unwrap().0).await.unwrap();
            let mut calls = 0;
            while let Some(Ok(message)) = socket.next().await {
                calls += usize::from(message.is_text());
            }
            calls
        });
        let options = ConnectOptions { timeout: Duration::from_millis(300), ..Default::default() };
        let error = Browser::connect(&address, options).await.unwrap_err();
        assert!(matches!(error, ConnectError::TimedOut { .. } | ConnectError::Call(_)), "{error}");
        let calls = timeout(Duration::from_secs(5), server).await.expect("the server sees the end").unwrap();
        assert!(calls > 0);
    }

    fn check(address: &str, expected: Result<(&str, Option<&str>), &str>) {
        match (Endpoint::parse(address), expected) {
            (Ok(endpoint), Ok((authority, path))) => {
                assert_eq!(
                    (endpoint.authority.as_str(), endpoint.path.as_deref()),
                    (authority, path),
                    "{address}"
                );
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (outcome, _) => panic!("{address}: {:?}", outcome.err()),
        }
    }

    #[test]
    fn addresses_are_taken_apart() {
        check("http://127.0.0.1:9222", Ok(("127.0.0.1:9222", None)));
        check("http://localhost:9222/", Ok(("localhost:9222", None)));
        check(
            "ws://[::1]:9222/devtools/browser/x?token=1",
            Ok(("[::1]:9222", Some("/devtools/browser/x?token=1"))),
        );
        check("http://grid", Ok(("grid:80", None)));
        check("wss://grid/session", Err("encrypted"));
        check("http://u:p@grid", Err("user name"));
        check("localhost:9222", Err("neither"));
        check("", Err("no URL"));
    }

    #[test]
    fn a_body_is_complete_when_its_length_arrived() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length:4\r\n\r\n";
        assert_eq!(complete_body(format!("{head}ab").as_bytes()), Ok(None));
        assert_eq!(complete_body(format!("{head}abcdef").as_bytes()), Ok(Some(b"abcd".to_vec())));
        assert!(complete_body(b"HTTP/1.1 404 Not Found\r\n\r\n").is_err());
    }
}
