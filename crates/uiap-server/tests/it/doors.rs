//! A server on loopback, and clients that know nothing of it: plain HTTP over a socket, and WebSocket.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::MaybeTlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use uiap_server::door::listen::loopback_hosts;
use uiap_server::door::{Bounds, Door, Gatekeeper, Layout};
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::peer::{LONG, World, message, offer, world_with};

pub(crate) const PAGE: &str = "http://console.test:3000";

pub(crate) struct Server {
    pub(crate) world: World,
    pub(crate) door: Option<Door>,
    pub(crate) address: SocketAddr,
}

pub(crate) async fn serve(options: HouseOptions, keyring: Keyring) -> Server {
    serve_within(options, keyring, Bounds::default()).await
}

pub(crate) async fn serve_within(options: HouseOptions, keyring: Keyring, bounds: Bounds) -> Server {
    let world = world_with(options, keyring);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let gatekeeper = Gatekeeper::new(loopback_hosts(address), vec![PAGE.to_owned()]).unwrap();
    let house = std::sync::Arc::clone(&world.house);
    let door = Door::open(listener, house, gatekeeper, Layout::default(), bounds).unwrap();
    Server { world, door: Some(door), address }
}

/// An answer of HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            unchunk(body)
        } else {
            body.to_owned()
        };
        Self { status, head: head.to_owned(), body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["payload"]["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_owned()
    }
}

fn unchunk(body: &str) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        out.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    out
}

impl Server {
    /// Sends bytes as they are and reads until the server closes.
    pub(crate) async fn raw(&self, request: &[u8]) -> Answer {
        talk(self.address, request).await
    }

    pub(crate) async fn http(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let host = self.address.to_string();
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method == "POST" {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.raw(format!("{head}\r\n{body}").as_bytes()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.http("POST", path, &[("content-type", "application/uiap+json")], body).await
    }

    /// Opens a session by post; its id.
    pub(crate) async fn open(&self) -> String {
        let answer = self
            .post(
                "/uiap/sessions",
                &message("request", "session.initialize", "init", None, &offer()).to_string(),
            )
            .await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["sessionId"].as_str().unwrap().to_owned()
    }

    /// Posts a request to a session.
    pub(crate) async fn ask(&self, session: &str, id: &str, name: &str, payload: Value) -> Answer {
        let text = message("request", name, id, Some(session), &payload).to_string();
        self.post(&format!("/uiap/sessions/{session}/messages"), &text).await
    }

    pub(crate) async fn stream(&self, session: &str, last: Option<&str>) -> Events {
        let last = last.map(|last| format!("last-event-id: {last}\r\n")).unwrap_or_default();
        Events::open(self.address, &format!("/uiap/sessions/{session}/events"), &last).await
    }

    pub(crate) async fn socket(&self) -> Socket {
        self.socket_with(&[]).await.unwrap()
    }

    pub(crate) async fn socket_with(&self, headers: &[(&str, &str)]) -> Result<Socket, u16> {
        socket_to(self.address, headers).await
    }

    pub(crate) async fn close(&mut self) {
        self.door.take().unwrap().close().await;
    }
}

/// Sends bytes as they are and reads until the server closes.
pub(crate) async fn talk(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut text = Vec::new();
    tokio::time::timeout(LONG, stream.read_to_end(&mut text)).await.expect("no end").ok();
    Answer::read(&String::from_utf8_lossy(&text))
}

/// Connects, or the status of the refusal.
pub(crate) async fn socket_to(address: SocketAddr, headers: &[(&str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://{address}/uiap/ws").into_client_request().unwrap();
    let usual = [("sec-websocket-protocol", "uiap.v0.1")];
    let given = headers.iter().any(|(name, _)| *name == "sec-websocket-protocol");
    for (name, value) in usual.iter().filter(|_| !given).chain(headers) {
        let name = tokio_tungstenite::tungstenite::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok((inner, response)) => {
            let protocol = response.headers().get("sec-websocket-protocol");
            assert_eq!(protocol.unwrap(), "uiap.v0.1");
            Ok(Socket { inner, session: String::new(), next: 0, results: Vec::new() })
        }
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

/// A stream of events.
pub(crate) struct Events {
    stream: TcpStream,
    text: String,
    pub(crate) head: String,
}

impl Events {
    pub(crate) async fn open(address: SocketAddr, path: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut events = Self { stream, text: String::new(), head: String::new() };
        let head = events.until("\r\n\r\n").await.expect("a head");
        events.head = head;
        events
    }

    async fn until(&mut self, end: &str) -> Option<String> {
        loop {
            if let Some((found, rest)) = self.text.split_once(end) {
                let (found, rest) = (found.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(found);
            }
            let mut more = vec![0; 65_536];
            let count =
                tokio::time::timeout(LONG, self.stream.read(&mut more)).await.expect("silence").ok()?;
            if count == 0 {
                return None;
            }
            self.text.push_str(&String::from_utf8_lossy(&more[..count]));
        }
    }

    /// The next item, without the sizes of its chunks; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Vec<String>> {
        let item = self.until("\n\n").await?;
        let lines = item.lines().map(str::trim_end).filter(|line| !line.is_empty());
        Some(
            lines
                .filter(|line| !line.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .map(str::to_owned)
                .collect(),
        )
    }

    /// The next envelope and its number.
    pub(crate) async fn envelope(&mut self) -> Option<(u64, Value)> {
        loop {
            let item = self.next().await?;
            let field = |name: &str| item.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
            if let (Some(id), Some("uiap"), Some(data)) = (field("id:"), field("event:"), field("data:")) {
                return Some((id.parse().unwrap(), serde_json::from_str(data).unwrap()));
            }
            if item.is_empty() {
                continue;
            }
            if let Some(event) = field("event:") {
                return Some((0, Value::String(event.to_owned())));
            }
        }
    }
}

/// A WebSocket client.
pub(crate) struct Socket {
    pub(crate) inner: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) session: String,
    next: u64,
    /// Results of actions that came while something else was waited for.
    pub(crate) results: Vec<Value>,
}

impl Socket {
    pub(crate) async fn send(&mut self, text: impl Into<String>) {
        self.inner.send(Message::text(text.into())).await.unwrap();
    }

    /// The next envelope, or the code of a close frame.
    pub(crate) async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let message = tokio::time::timeout(LONG, self.inner.next()).await.expect("silence");
            match message {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => return Err(frame.map_or(1005, |frame| frame.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(1006),
            }
        }
    }

    pub(crate) async fn knock(&mut self, payload: &Value) -> Result<Value, u16> {
        self.send(message("request", "session.initialize", "init", None, payload).to_string()).await;
        let answer = self.next().await?;
        answer["sessionId"].as_str().unwrap_or_default().clone_into(&mut self.session);
        Ok(answer)
    }

    pub(crate) async fn begin(&mut self) -> Value {
        self.knock(&offer()).await.unwrap()
    }

    /// Sends a request; its id.
    pub(crate) async fn request(&mut self, name: &str, payload: &Value) -> String {
        self.next += 1;
        let id = format!("w{}", self.next);
        self.send(message("request", name, &id, Some(&self.session), payload).to_string()).await;
        id
    }

    /// Answers a confirmation; what the server says to that.
    pub(crate) async fn answer_confirmation(
        &mut self,
        kind: &str,
        name: &str,
        handle: &Value,
        to: &str,
    ) -> Value {
        self.next += 1;
        let id = format!("w{}", self.next);
        let payload = serde_json::json!({ "actionHandle": handle });
        let mut envelope = message(kind, name, &id, Some(&self.session), &payload);
        envelope["correlationId"] = to.into();
        self.send(envelope.to_string()).await;
        self.answer_to(&id).await
    }

    /// The answer to a message; results of actions are kept, everything else is passed over.
    async fn answer_to(&mut self, id: &str) -> Value {
        loop {
            let answer = self.next().await.unwrap();
            if answer["correlationId"] == *id {
                return answer;
            }
            if answer["type"] == "action.result" {
                self.results.push(answer);
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&mut self, name: &str, payload: Value) -> Value {
        let id = self.request(name, &payload).await;
        self.answer_to(&id).await
    }
}
