//! The WebSocket of a browser that somebody else started.

use std::io;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Bytes, Message, Utf8Bytes};

use super::{Frame, MESSAGE_LIMIT};

/// A peer that has been silent for this long, pings included, is gone.
const SILENCE: Duration = Duration::from_mins(1);
const PING: Duration = Duration::from_secs(20);

type Stream = WebSocketStream<TcpStream>;

pub(crate) struct SocketSource {
    stream: SplitStream<Stream>,
}

pub(crate) struct SocketSink {
    sink: SplitSink<Stream, Message>,
    ping: Interval,
}

/// Upgrades an open connection.
pub(crate) async fn open(
    stream: TcpStream,
    url: &str,
) -> Result<(SocketSource, SocketSink), tungstenite::Error> {
    stream.set_nodelay(true)?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT)).max_frame_size(Some(MESSAGE_LIMIT));
    let (stream, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await?;
    let (sink, stream) = stream.split();
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Ok((SocketSource { stream }, SocketSink { sink, ping }))
}

impl SocketSource {
    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        loop {
            let message = timeout(SILENCE, self.stream.next()).await.map_err(|_| {
                io::Error::new(io::ErrorKind::TimedOut, "the browser no longer answers pings")
            })?;
            match message {
                None | Some(Ok(Message::Close(_))) => return Ok(Frame::End),
                Some(Ok(Message::Text(text))) => return Ok(Frame::Message(Bytes::from(text).into())),
                Some(Ok(Message::Binary(bytes))) => return Ok(Frame::Message(bytes.into())),
                Some(Ok(_)) => {}
                Some(Err(tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed)) => {
                    return Ok(Frame::End);
                }
                Some(Err(error)) => return Err(into_io(error)),
            }
        }
    }
}

impl SocketSink {
    pub(crate) async fn send(&mut self, messages: Vec<Vec<u8>>) -> io::Result<()> {
        for message in messages {
            let text = Utf8Bytes::try_from(message).map_err(io::Error::other)?;
            self.sink.feed(Message::Text(text)).await.map_err(into_io)?;
        }
        self.sink.flush().await.map_err(into_io)
    }

    pub(crate) async fn upkeep(&mut self) -> io::Result<()> {
        self.ping.tick().await;
        self.sink.send(Message::Ping(Bytes::new())).await.map_err(into_io)
    }
}

fn into_io(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        other => io::Error::other(other),
    }
}
