//! The browser process and its death: whoever ends it and however, it is reaped, its group is killed, its directory removed.
//!
//! A thread of its own waits for the process, so that this needs no runtime. The leader of the group is reaped only after
//! the group was killed: until then nobody else can get its id, and no signal can hit a stranger.

use std::future::Future;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStderr, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::watch;
use tokio::time::timeout;

use super::orphan;
use super::scratch::Scratch;
use super::stderr::Tail;
use crate::error::Exit;

/// How long helpers may take to follow their browser before they are ended.
const PROMPT: Duration = Duration::from_millis(20);
/// How long a killed group may take to vanish before its directory is removed regardless.
const VANISHING: Duration = Duration::from_millis(1500);
/// How long a destructor waits for that.
const DROPPING: Duration = Duration::from_secs(2);
/// Two small threads: one waits, one reads.
const STACK: usize = 128 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Phase {
    Running,
    Reaped,
    Gone,
}

struct Shared {
    pid: Pid,
    phase: Mutex<Phase>,
    changed: Condvar,
    exit: watch::Sender<Option<Exit>>,
    gone: watch::Sender<bool>,
    stderr: Tail,
}

/// A browser process that dies with this value.
pub(crate) struct Process {
    shared: Arc<Shared>,
}

impl Process {
    /// Takes charge of a process that leads its own group.
    pub(super) fn guard(mut child: Child, scratch: Scratch) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            pid: Pid::from_child(&child),
            phase: Mutex::new(Phase::Running),
            changed: Condvar::new(),
            exit: watch::Sender::new(None),
            gone: watch::Sender::new(false),
            stderr: Tail::default(),
        });
        let stderr = child.stderr.take();
        let warden = Mutex::new(Some(Warden { child, scratch, shared: Arc::clone(&shared) }));
        let process = Self { shared };
        process.start_threads(&Arc::new(warden), stderr)?;
        Ok(process)
    }

    fn start_threads(
        &self,
        warden: &Arc<Mutex<Option<Warden>>>,
        stderr: Option<ChildStderr>,
    ) -> io::Result<()> {
        let (shared, waiting) = (Arc::clone(&self.shared), Arc::clone(warden));
        let started = small_thread("browser-stderr", move || {
            if let Some(stream) = stderr {
                shared.stderr.drain(stream);
            }
        })
        .and_then(|()| small_thread("browser", move || watch(&waiting)));
        if started.is_err() {
            // Without a thread to see to it, it is seen to here.
            self.kill();
            watch(warden);
        }
        started
    }

    pub(crate) fn id(&self) -> u32 {
        self.shared.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// How it ended, once it did.
    pub(super) fn exit(&self) -> watch::Receiver<Option<Exit>> {
        self.shared.exit.subscribe()
    }

    /// How it ended, if it does within this time.
    pub(super) async fn exit_within(&self, limit: Duration) -> Option<Exit> {
        let mut exit = self.exit();
        let ended = timeout(limit, exit.wait_for(Option::is_some)).await;
        ended.ok()?.ok().and_then(|exit| *exit)
    }

    pub(crate) fn stderr(&self) -> String {
        self.shared.stderr.text()
    }

    /// Kills the whole group. It is safe at any time: a group that was reaped is not touched.
    pub(crate) fn kill(&self) {
        self.shared.kill_group();
    }

    /// Waits until process and directory are gone.
    pub(crate) async fn gone(&self) {
        // The sender lives as long as this value does.
        drop(self.shared.gone.subscribe().wait_for(|gone| *gone).await);
    }

    /// Asks for a quiet end, kills when it does not come in time, and waits until everything is gone.
    pub(crate) async fn close<T>(&self, ask: impl Future<Output = T>, limit: Duration) {
        let mut exit = self.exit();
        let quiet = async {
            ask.await;
            exit.wait_for(Option::is_some).await.map(drop)
        };
        if timeout(limit, quiet).await.is_err() {
            tracing::debug!("the browser did not close in time");
        }
        self.kill();
        self.gone().await;
    }
}

impl Drop for Process {
    /// Blocks for the few milliseconds that a killed browser takes to vanish, so that nothing is left when the program ends next.
    fn drop(&mut self) {
        self.kill();
        self.shared.wait_gone(DROPPING);
    }
}

impl Shared {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill_group(&self) {
        let phase = self.phase();
        if *phase == Phase::Running
            && let Err(error) = kill_process_group(self.pid, Signal::KILL)
        {
            tracing::debug!(pid = self.pid.as_raw_nonzero(), %error, "nothing left to kill");
        }
    }

    fn enter(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.notify_all();
    }

    fn wait_gone(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut phase = self.phase();
        while *phase != Phase::Gone {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            phase = self.changed.wait_timeout(phase, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Sees a process to its grave.
struct Warden {
    child: Child,
    scratch: Scratch,
    shared: Arc<Shared>,
}

fn watch(warden: &Mutex<Option<Warden>>) {
    let warden = warden.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(warden) = warden {
        warden.watch();
    }
}

fn small_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

impl Warden {
    fn watch(mut self) {
        wait_without_reaping(self.shared.pid);
        self.shared.kill_group();
        let exit = self.reap();
        self.shared.exit.send_replace(Some(exit));
        self.wait_for_helpers();
        remove(self.scratch);
        self.shared.enter(Phase::Gone);
        self.shared.gone.send_replace(true);
    }

    /// Crash handlers are not in the group and notice late that their browser is gone. They are known by our directory.
    fn wait_for_helpers(&self) {
        if self.shared.stderr.wait_end(PROMPT) {
            return;
        }
        orphan::kill_users_of(self.scratch.path());
        if !self.shared.stderr.wait_end(VANISHING) {
            tracing::debug!("something still holds the standard error of a browser that is gone");
        }
    }

    fn reap(&mut self) -> Exit {
        // Held over the reaping, so that nobody kills a group whose id is free again.
        let mut phase = self.shared.phase();
        let status = self.child.wait();
        *phase = Phase::Reaped;
        drop(phase);
        self.shared.changed.notify_all();
        status.map_or(Exit::Unknown, how)
    }
}

fn how(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }
}

fn wait_without_reaping(pid: Pid) {
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return,
            // Somebody else reaps children here; then there is nothing to wait for.
            Err(error) => return tracing::debug!(%error, "cannot wait for the browser"),
        }
    }
}

fn remove(scratch: Scratch) {
    let path = scratch.path().to_owned();
    if let Err(error) = scratch.remove() {
        tracing::warn!(path = %path.display(), %error, "the directory stays until the next launch");
    }
}
