//! One connection to a server, and its session once there is one: what the measurements ask with.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Time without a message after which a sign of life is given, and how often before it is given up.
const BEAT: Duration = Duration::from_secs(10);
const MOST_BEATS: usize = 12;

/// An agent's end of a WebSocket.
pub(crate) struct Peer {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    sent: u64,
}

impl Peer {
    /// Connects and begins a session.
    pub(crate) async fn open(address: &str) -> Result<Self, Failure> {
        let mut request = format!("ws://{address}/uiap/ws").into_client_request()?;
        request.headers_mut().insert("sec-websocket-protocol", "uiap.v0.1".parse()?);
        let (socket, _) = tokio_tungstenite::connect_async(request).await?;
        let mut peer = Self { socket, session: None, sent: 0 };
        let hello = json!({
            "supportedVersions": ["0.1"], "peer": { "role": "agent", "id": "measure" }, "supportedProfiles": ["web@0.1"],
        });
        let opened = peer.ask("session.initialize", &hello).await?;
        let session = opened.get("sessionId").and_then(Value::as_str);
        peer.session = Some(session.ok_or_else(|| format!("no session: {opened}"))?.to_owned());
        Ok(peer)
    }

    /// The answer to a request; everything else is passed over.
    pub(crate) async fn ask(&mut self, name: &str, payload: &Value) -> Result<Value, Failure> {
        let id = self.send("request", name, payload).await?;
        loop {
            let answer = self.next().await?;
            if answer.get("correlationId").and_then(Value::as_str) == Some(&id) {
                return Ok(answer);
            }
        }
    }

    /// Says goodbye.
    pub(crate) async fn leave(mut self) -> Result<(), Failure> {
        self.ask("session.terminate", &json!({ "reason": "completed" })).await.map(drop)
    }

    /// The next message. Whoever waits gives a sign of life, or is taken for gone.
    pub(crate) async fn next(&mut self) -> Result<Value, Failure> {
        for _ in 0..MOST_BEATS {
            match tokio::time::timeout(BEAT, self.socket.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => return Ok(serde_json::from_str(&text)?),
                Ok(Some(Ok(Message::Close(frame)))) => {
                    return Err(frame
                        .map_or("closed".into(), |frame| format!("closed with {}", frame.code))
                        .into());
                }
                Ok(Some(Err(error))) => return Err(error.into()),
                Ok(None) => return Err("closed without a word".into()),
                Err(_) if self.session.is_some() => {
                    let seq = json!({ "seq": self.sent });
                    self.send("event", "session.heartbeat", &seq).await?;
                }
                Ok(Some(Ok(_))) | Err(_) => {}
            }
        }
        Err("nothing was heard".into())
    }

    async fn send(&mut self, kind: &str, name: &str, payload: &Value) -> Result<String, Failure> {
        self.sent += 1;
        let id = format!("m{}", self.sent);
        let mut envelope = json!({
            "uiap": "0.1", "kind": kind, "type": name, "id": id, "ts": "2026-03-26T14:00:00.000Z",
            "source": { "role": "agent", "id": "measure" }, "payload": payload,
        });
        if let (Some(envelope), Some(session)) = (envelope.as_object_mut(), &self.session) {
            envelope.insert("sessionId".to_owned(), session.as_str().into());
        }
        self.socket.send(Message::text(envelope.to_string())).await?;
        Ok(id)
    }
}
