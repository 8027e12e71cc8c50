//! Launching a browser of our own: over a pipe that only we hold, in a group and a directory that die with it.

mod flags;
mod orphan;
mod process;
mod scratch;
mod stderr;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use command_fds::{CommandFdExt as _, FdMapping};
use tokio::net::unix::pipe;

pub(crate) use self::process::Process;
use self::scratch::Scratch;
pub use self::scratch::ScratchError;
use crate::attach::{AutoAttach, Scope};
use crate::browser::Browser;
use crate::connection::Connection;
use crate::error::{CallError, CallErrorKind, DisconnectReason, Exit};
use crate::find::{self, FindError};
use crate::transport::pipe::{PipeSink, PipeSource};
use crate::transport::{Sink, Source};

/// A program that closed the pipe is given this long to end by itself.
const DYING: Duration = Duration::from_secs(1);

/// How to launch.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The browser; when none is named, one is [looked for](crate::find).
    pub executable: Option<PathBuf>,
    /// Without a window.
    pub headless: bool,
    /// Whether the browser's sandbox stays on. As root it cannot.
    pub sandbox: bool,
    /// Width and height of a window.
    pub window_size: (u32, u32),
    /// More arguments. They come last and win.
    pub args: Vec<String>,
    /// More environment variables.
    pub env: Vec<(OsString, OsString)>,
    /// A profile to use and to keep; by default a fresh one that is removed afterwards.
    pub user_data_dir: Option<PathBuf>,
    /// Where fresh profiles and temporary files lie; by default in a private directory in `/dev/shm`, when there is plenty of room and TMPDIR is not
    /// set, else in the directory for temporary files.
    pub scratch_root: Option<PathBuf>,
    /// How long the start may take.
    pub timeout: Duration,
    /// How long a call may take that names no limit of its own.
    pub call_timeout: Duration,
    /// Which targets get a session by themselves.
    pub auto_attach: AutoAttach,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            executable: None,
            headless: true,
            sandbox: true,
            window_size: (1280, 720),
            args: Vec::new(),
            env: Vec::new(),
            user_data_dir: None,
            scratch_root: None,
            timeout: Duration::from_secs(30),
            call_timeout: crate::DEFAULT_CALL_TIMEOUT,
            auto_attach: AutoAttach::default(),
        }
    }
}

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// There is none to launch.
    #[error(transparent)]
    Find(#[from] FindError),
    /// No place for it.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// The system did not start it.
    #[error("cannot start `{}`: {error}", executable.display())]
    Start {
        /// The browser.
        executable: PathBuf,
        /// The system's word.
        error: io::Error,
    },
    /// It ended at once.
    #[error("`{}` {exit} before it answered{}", executable.display(), explanation(stderr))]
    Exited {
        /// The browser.
        executable: PathBuf,
        /// How it ended.
        exit: Exit,
        /// What it said.
        stderr: String,
    },
    /// It speaks something else.
    #[error("`{}` is not a browser: {what}{}", executable.display(), explanation(stderr))]
    NotABrowser {
        /// The program.
        executable: PathBuf,
        /// What it sent.
        what: String,
        /// What it said.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("`{}` did not answer within {limit:?}{}", executable.display(), explanation(stderr))]
    TimedOut {
        /// The browser.
        executable: PathBuf,
        /// The limit.
        limit: Duration,
        /// What it said.
        stderr: String,
    },
    /// A first call failed in another way.
    #[error(transparent)]
    Call(CallError),
}

fn explanation(said: &str) -> String {
    let mut text = String::new();
    let lines = stderr::last_lines(said);
    if !lines.is_empty() {
        text.push_str("; it said:\n");
        text.push_str(&lines);
    }
    if let Some(hint) = stderr::hint(said) {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}

impl Browser {
    /// Launches a browser and waits until it answers. Dropping the future kills it.
    pub async fn launch(options: LaunchOptions) -> Result<Self, LaunchError> {
        let executable = find::executable(options.executable.as_deref(), options.headless)?;
        let Started { process, sink, source, roots } = start(&executable, &options)?;
        let auto_attach = options.auto_attach.or_scope(Scope::Everything);
        let connection =
            Connection::start(source, sink, Some(process.exit()), auto_attach, options.call_timeout);
        match Self::introduce(connection, options.timeout).await {
            Ok(browser) => {
                sweep_in_background(roots);
                Ok(browser.owning(process))
            }
            Err(error) => Err(diagnose(executable, &process, options.timeout, error).await),
        }
    }
}

struct Started {
    process: Process,
    source: Source,
    sink: Sink,
    roots: Vec<PathBuf>,
}

fn start(executable: &Path, options: &LaunchOptions) -> Result<Started, LaunchError> {
    let failed = |error| LaunchError::Start { executable: executable.to_owned(), error };
    let Pipes { theirs, ours } = Pipes::new().map_err(failed)?;
    let roots = options.scratch_root.clone().map_or_else(scratch::default_roots, |root| vec![root]);
    let scratch = Scratch::create(&roots)?;
    let child = match spawn(executable, options, &scratch, theirs) {
        Ok(child) => child,
        Err(error) => {
            discard(scratch);
            return Err(failed(error));
        }
    };
    let process = Process::guard(child, scratch).map_err(failed)?;
    let (source, sink) = ours.into_transport().map_err(failed)?;
    Ok(Started { process, source, sink, roots })
}

fn discard(scratch: Scratch) {
    if let Err(error) = scratch.remove() {
        tracing::warn!(%error, "an unused directory stays until the next launch");
    }
}

fn spawn(
    executable: &Path,
    options: &LaunchOptions,
    scratch: &Scratch,
    (commands, answers): (OwnedFd, OwnedFd),
) -> io::Result<std::process::Child> {
    let data = options.user_data_dir.clone().unwrap_or_else(|| scratch.data());
    let mut command = Command::new(executable);
    command
        .args(flags::arguments(options, &data, flags::Host::this()))
        // Dumps of crashes do not belong into the user's home.
        .env("BREAKPAD_DUMP_LOCATION", scratch.path().join("Crash Reports"))
        .envs(scratch.temporary().map(|path| ("TMPDIR", path)))
        .envs(options.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .fd_mappings(vec![
            FdMapping { parent_fd: commands, child_fd: 3 },
            FdMapping { parent_fd: answers, child_fd: 4 },
        ])
        .map_err(io::Error::other)?;
    command.spawn()
}

struct Pipes {
    theirs: (OwnedFd, OwnedFd),
    ours: Ends,
}

struct Ends {
    answers: OwnedFd,
    commands: OwnedFd,
}

impl Pipes {
    /// All ends are closed on exec, so that no other child keeps a browser alive whose owner is dead.
    fn new() -> io::Result<Self> {
        let (commands_read, commands_write) = io::pipe()?;
        let (answers_read, answers_write) = io::pipe()?;
        let ours = Ends { answers: answers_read.into(), commands: commands_write.into() };
        widen(&ours.answers);
        widen(&ours.commands);
        Ok(Self { theirs: (commands_read.into(), answers_write.into()), ours })
    }
}

impl Ends {
    fn into_transport(self) -> io::Result<(Source, Sink)> {
        let receiver = pipe::Receiver::from_owned_fd(self.answers)?;
        let sender = pipe::Sender::from_owned_fd(self.commands)?;
        Ok((Source::Pipe(PipeSource::new(receiver)), Sink::Pipe(PipeSink::new(sender))))
    }
}

/// A wider pipe means fewer switches between two processes for a big message. The system may refuse: it is only slower.
#[cfg(target_os = "linux")]
fn widen(end: &OwnedFd) {
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(end, 1 << 20) {
        tracing::debug!(%error, "pipes stay narrow");
    }
}

#[cfg(not(target_os = "linux"))]
fn widen(_end: &OwnedFd) {}

fn sweep_in_background(roots: Vec<PathBuf>) {
    let sweep = move || scratch::sweep(&roots);
    if let Err(error) = std::thread::Builder::new().name("browser-sweep".into()).spawn(sweep) {
        tracing::debug!(%error, "stale directories stay until the next launch");
    }
}

/// Says why a launch failed, after the process is gone and has said its last word.
async fn diagnose(executable: PathBuf, process: &Process, limit: Duration, error: CallError) -> LaunchError {
    let ended_by_itself = match error.kind() {
        CallErrorKind::Disconnected(DisconnectReason::Exited(exit)) => Some(*exit),
        CallErrorKind::Disconnected(DisconnectReason::EndOfStream | DisconnectReason::Io(_)) => {
            process.exit_within(DYING).await
        }
        _ => None,
    };
    process.kill();
    process.gone().await;
    let stderr = process.stderr();
    match (ended_by_itself, error.kind()) {
        (Some(exit), _) => LaunchError::Exited { executable, exit, stderr },
        (None, CallErrorKind::Disconnected(reason)) => {
            LaunchError::NotABrowser { executable, what: reason.to_string(), stderr }
        }
        (None, CallErrorKind::TimedOut(_)) => LaunchError::TimedOut { executable, limit, stderr },
        (None, _) => LaunchError::Call(error),
    }
}
