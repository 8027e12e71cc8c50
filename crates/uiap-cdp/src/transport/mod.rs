//! Two ways to a browser, one face: whole messages in, whole messages out.

#[cfg(unix)]
pub(crate) mod pipe;
pub(crate) mod websocket;

use std::io;

/// The longest message that is taken in.
pub(crate) const MESSAGE_LIMIT: usize = 256 << 20;

/// What arrives.
#[derive(Debug)]
pub(crate) enum Frame {
    Message(Vec<u8>),
    /// A message over the limit was skipped; these are its first bytes.
    TooLarge(Vec<u8>),
    End,
}

pub(crate) enum Source {
    #[cfg(unix)]
    Pipe(pipe::PipeSource<tokio::net::unix::pipe::Receiver>),
    Socket(Box<websocket::SocketSource>),
}

impl Source {
    /// The next message. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        match self {
            #[cfg(unix)]
            Self::Pipe(source) => source.next().await,
            Self::Socket(source) => source.next().await,
        }
    }
}

pub(crate) enum Sink {
    #[cfg(unix)]
    Pipe(pipe::PipeSink<tokio::net::unix::pipe::Sender>),
    Socket(Box<websocket::SocketSink>),
}

impl Sink {
    /// Writes all messages, in order, and flushes.
    pub(crate) async fn send(&mut self, messages: Vec<Vec<u8>>) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Pipe(sink) => sink.send(messages).await,
            Self::Socket(sink) => sink.send(messages).await,
        }
    }

    /// Waits until the transport itself has something to do.
    pub(crate) async fn upkeep(&mut self) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Pipe(_) => std::future::pending().await,
            Self::Socket(sink) => sink.upkeep().await,
        }
    }
}
