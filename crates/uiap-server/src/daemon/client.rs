//! The other end of the socket: blocking, because a command of a shell asks one thing and ends.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::line::{Hello, Reply, Request};
use super::place::Place;

/// What a daemon says when it listens.
pub const READY: &str = "ready";

/// A daemon that says nothing for so long does not live.
const GREETING: Duration = Duration::from_secs(30);

/// Why the daemon did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody is there.
    #[error("no session is open")]
    Nobody,
    /// Another build was there, with sessions of its own.
    #[error("a daemon of another build was running; it was ended with its sessions")]
    Replaced,
    /// Other settings hold.
    #[error("the daemon runs with other settings (`{0}`)")]
    Settings(String),
    /// It did not start.
    #[error("the daemon did not start: {0}")]
    Start(String),
    /// It went away.
    #[error("the daemon went away")]
    Gone,
    /// The line.
    #[error("the line to the daemon: {0}")]
    Line(#[from] std::io::Error),
}

/// A line to the daemon.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<UnixStream>,
    /// What it said first.
    pub hello: Hello,
}

impl Client {
    /// A line to the daemon that runs in a place. One of another build is told to go.
    pub fn connect(place: &Place, build: &str) -> Result<Self, ClientError> {
        let stream = match UnixStream::connect(place.socket()) {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                return Err(ClientError::Nobody);
            }
            Err(error) => return Err(error.into()),
        };
        stream.set_read_timeout(Some(GREETING))?;
        let mut reader = BufReader::new(stream);
        let mut text = String::new();
        // One that is about to go may have taken the line and say nothing more.
        let spoken = reader.read_line(&mut text).unwrap_or(0);
        if spoken == 0 {
            return Err(ClientError::Nobody);
        }
        reader.get_ref().set_read_timeout(None)?;
        let hello: Hello = serde_json::from_str(&text).map_err(std::io::Error::from)?;
        let client = Self { reader, hello };
        if client.hello.build == build {
            return Ok(client);
        }
        client.send_away()?;
        Err(ClientError::Replaced)
    }

    /// The same; one is started with `start` when there is none. Two that start at once end with one daemon.
    pub fn connect_or_start(
        place: &Place,
        build: &str,
        start: impl FnOnce() -> Command,
    ) -> Result<Self, ClientError> {
        match Self::connect(place, build) {
            Err(ClientError::Nobody | ClientError::Replaced) => {}
            other => return other,
        }
        let lock = File::options().create(true).truncate(false).write(true).open(place.lock())?;
        flock(&lock, FlockOperation::LockExclusive).map_err(std::io::Error::from)?;
        match Self::connect(place, build) {
            Err(ClientError::Nobody | ClientError::Replaced) => {}
            other => return other,
        }
        launch(start())?;
        Self::connect(place, build)
    }

    /// Tells the daemon to go and waits until it has closed the line.
    pub fn send_away(mut self) -> Result<(), ClientError> {
        self.say(&Request::Go)?;
        let mut rest = Vec::new();
        // However the line ends, the daemon is going.
        drop(self.reader.read_to_end(&mut rest));
        Ok(())
    }

    /// Asks for something; questions to the person are put with `ask`.
    pub fn call(mut self, request: &Request, ask: impl Fn(&str) -> bool) -> Result<Reply, ClientError> {
        self.say(request)?;
        loop {
            let mut text = String::new();
            if self.reader.read_line(&mut text)? == 0 {
                return Err(ClientError::Gone);
            }
            match serde_json::from_str(&text).map_err(std::io::Error::from)? {
                Reply::Question { wording } => self.say(&Request::Agreed(ask(&wording)))?,
                reply => return Ok(reply),
            }
        }
    }

    fn say(&mut self, request: &Request) -> Result<(), ClientError> {
        let mut text = serde_json::to_vec(request).map_err(std::io::Error::from)?;
        text.push(b'\n');
        Ok(self.reader.get_mut().write_all(&text)?)
    }
}

/// Starts a daemon and waits until it says that it listens.
fn launch(mut command: Command) -> Result<(), ClientError> {
    let start = |error: std::io::Error| ClientError::Start(error.to_string());
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = spawned.map_err(start)?;
    let mut said = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut said).map_err(start)?;
    }
    match said.trim() {
        READY => Ok(()),
        "" => Err(ClientError::Start("it ended at once".to_owned())),
        why => Err(ClientError::Start(why.to_owned())),
    }
}
