//! The daemon: one for each user, listening on a socket that only that user can open, gone when nobody needs it.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_runtime::action::Runtime;
use uiap_web::surface::WebSurface;

use super::line::{Hello, LONGEST, Reply, Request};
use super::place::Place;
use crate::address::Reach;
use crate::session::confirm::{settle, wording};
use crate::session::{Asked, Confirm, Handles, Pool, Sessions};
use crate::tool::{self, Call, Outcome};

/// How long the end of everything may take.
const ENDING: Duration = Duration::from_secs(5);

/// How a daemon is run.
#[derive(Debug, Clone)]
pub struct DaemonOptions {
    /// Which build it is.
    pub build: String,
    /// How its sessions were set up, as whoever asks for something else can compare.
    pub settings: String,
    /// How long it stays without a session.
    pub linger: Duration,
}

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on `{path}`: {error}")]
pub struct DaemonError {
    path: PathBuf,
    error: std::io::Error,
}

/// A daemon that listens.
#[derive(Debug)]
pub struct Daemon {
    listener: UnixListener,
    hall: Hall,
    linger: Duration,
}

/// The socket as a file. Another daemon may have put its own there since.
#[derive(Debug)]
struct Doorplate {
    path: PathBuf,
    inode: u64,
}

impl Doorplate {
    /// Takes it down, if it is still ours: whoever comes now finds nobody, and starts another daemon.
    fn take_down(&self) {
        let ours = std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode);
        if ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "the socket was gone already");
        }
    }
}

#[derive(Debug, Clone)]
struct Hall {
    doorplate: Arc<Doorplate>,
    sessions: Sessions,
    hello: Arc<Hello>,
    go: CancellationToken,
    tasks: TaskTracker,
}

impl Daemon {
    /// Listens in a place. Whoever calls this holds the place's lock: what is found there is of a daemon that is gone.
    pub fn listen(place: &Place, pool: Pool, options: DaemonOptions) -> Result<Self, DaemonError> {
        let path = place.socket();
        let failed = |error| DaemonError { path: path.clone(), error };
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let inode = std::fs::symlink_metadata(&path).map_err(failed)?.ino();
        let hello = Arc::new(Hello { build: options.build, settings: options.settings });
        let hall = Hall {
            doorplate: Arc::new(Doorplate { path: path.clone(), inode }),
            sessions: Sessions::new(pool, Handles::Chosen),
            hello,
            go: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        Ok(Self { listener, hall, linger: options.linger })
    }

    /// Serves until it is told to go, or nobody needs it any more.
    pub fn serve(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let mut due = Instant::now() + self.linger;
            loop {
                tokio::select! {
                    () = self.hall.go.cancelled() => break,
                    accepted = self.listener.accept() => {
                        match accepted {
                            Ok((stream, _)) => self.welcome(stream),
                            Err(error) => tracing::warn!(%error, "a connection could not be accepted"),
                        }
                        due = Instant::now() + self.linger;
                    }
                    () = tokio::time::sleep_until(due) => {
                        if self.hall.tasks.is_empty() && self.hall.sessions.handles().is_empty() {
                            break;
                        }
                        due = Instant::now() + self.linger;
                    }
                }
            }
            self.hall.doorplate.take_down();
            drop(self.listener);
            self.hall.go.cancel();
            self.hall.tasks.close();
            if tokio::time::timeout(ENDING, self.hall.tasks.wait()).await.is_err() {
                tracing::warn!("some calls did not end in time");
            }
            self.hall.sessions.end().await;
            self.hall.sessions.pool().end().await;
        })
    }

    /// Tells it to go.
    pub fn stopper(&self) -> CancellationToken {
        self.hall.go.clone()
    }

    fn welcome(&self, stream: UnixStream) {
        let own = rustix::process::getuid().as_raw();
        // The directory keeps others out; this holds even where somebody opened it.
        if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
            return;
        }
        let hall = self.hall.clone();
        self.hall.tasks.spawn(async move {
            let go = hall.go.clone();
            tokio::select! {
                () = go.cancelled() => {}
                served = hall.attend(stream) => if let Err(error) = served {
                    tracing::debug!(%error, "a connection ended early");
                },
            }
        });
    }
}

impl Hall {
    async fn attend(&self, stream: UnixStream) -> std::io::Result<()> {
        let (read, write) = stream.into_split();
        let line = Line { write: Mutex::new(write) };
        line.say(&*self.hello).await?;
        let mut reader = BufReader::new(read);
        let Some(first) = next(&mut reader).await? else { return Ok(()) };
        match serde_json::from_str(&first) {
            Ok(Request::Call { tool, arguments, reach }) => {
                let reach = match reach.map(Reach::only).transpose() {
                    Ok(reach) => reach,
                    Err((entry, refusal)) => {
                        return line
                            .say(&Reply::Misunderstood { message: format!("`{entry}`: {refusal}") })
                            .await;
                    }
                };
                self.call(Call { name: tool, arguments, reach, reply: None }, reader, &line).await
            }
            Ok(Request::Go) => {
                // Before the line ends: whoever said this looks for the socket next.
                self.doorplate.take_down();
                self.go.cancel();
                Ok(())
            }
            Ok(Request::Agreed(_)) => Ok(()),
            Err(error) => line.say(&Reply::Misunderstood { message: error.to_string() }).await,
        }
    }

    /// Does what was asked for, unless whoever asked goes away first.
    async fn call(
        &self,
        call: Call,
        mut reader: BufReader<OwnedReadHalf>,
        line: &Line,
    ) -> std::io::Result<()> {
        let (answers, heard) = mpsc::channel(1);
        let person = Person { line, heard: Mutex::new(heard) };
        let begin = std::time::Instant::now();
        let work = tool::perform(&self.sessions, call, &person);
        let gone = async {
            while let Some(text) = next(&mut reader).await? {
                if let Ok(Request::Agreed(agreed)) = serde_json::from_str(&text) {
                    // Nobody waits for an answer that was not asked for.
                    let _ = answers.try_send(agreed);
                }
            }
            std::io::Result::Ok(())
        };
        let outcome = tokio::select! {
            outcome = work => outcome,
            gone = gone => return gone,
        };
        let reply = match outcome {
            Ok(Outcome::Answer(mut answer)) => Reply::Answer {
                png: answer.png.take().map(|png| STANDARD.encode(png)),
                answer,
                took_us: u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX),
            },
            Ok(Outcome::Question { wording, .. }) => Reply::Misunderstood { message: wording },
            Err(error) => Reply::Misunderstood { message: error.to_string() },
        };
        line.say(&reply).await
    }
}

struct Line {
    write: Mutex<OwnedWriteHalf>,
}

impl Line {
    async fn say(&self, message: &impl Serialize) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(message)?;
        text.push(b'\n');
        self.write.lock().await.write_all(&text).await
    }
}

/// The next line; none at the end. A line that does not end is an error.
async fn next(reader: &mut BufReader<OwnedReadHalf>) -> std::io::Result<Option<String>> {
    let mut text = String::new();
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
    reader.take(most).read_line(&mut text).await?;
    match text.pop() {
        None => Ok(None),
        Some('\n') => Ok(Some(text)),
        Some(_) => Err(std::io::Error::other("a line does not end")),
    }
}

/// The person at the shell of the client.
struct Person<'a> {
    line: &'a Line,
    heard: Mutex<mpsc::Receiver<bool>>,
}

impl Confirm for Person<'_> {
    async fn answer(
        &self,
        runtime: &Runtime<WebSurface>,
        question: &ActionConfirmationRequestPayload,
    ) -> Asked {
        let asked = self.line.say(&Reply::Question { wording: wording(question) }).await;
        let agreed = match asked {
            Ok(()) => self.heard.lock().await.recv().await.unwrap_or(false),
            Err(error) => {
                tracing::debug!(%error, "nobody is there to be asked");
                false
            }
        };
        settle(runtime, question, agreed, "terminal");
        Asked::Now
    }
}
