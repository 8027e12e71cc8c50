//! Makes every new session ready: attaches to what belongs to it, prepares it, lets it run, and tells who waits for it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};

use super::{Chore, Connection, OpenCall, read};
use crate::attach::Preparation;
use crate::error::CallError;
use crate::event::BrowserEvent;
use crate::protocol::target::{AttachToTarget, DisposeBrowserContext, SetAutoAttach, TargetId};
use crate::protocol::{Empty, Method, runtime};
use crate::session::SessionCore;

pub(super) async fn run(connection: Connection, mut todo: mpsc::UnboundedReceiver<Chore>) {
    let stop = connection.inner.stop.clone();
    let work = async {
        while let Some(chore) = todo.recv().await {
            match chore {
                Chore::Prepare(core) => prepare(&connection, core).await,
                Chore::AttachPopup { target } => attach(&connection, target),
                Chore::Dispose(context) => {
                    dispose(&connection, DisposeBrowserContext { browser_context_id: context });
                }
            }
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}

/// Sessions are made ready one after the other; their answers are awaited elsewhere, so that a slow one delays nobody.
async fn prepare(connection: &Connection, core: Arc<SessionCore>) {
    let (queued, all_queued) = oneshot::channel();
    tokio::spawn(make_ready(connection.clone(), core, queued));
    // It drops its end when everything is queued, or when its session ended.
    drop(all_queued.await);
}

async fn make_ready(connection: Connection, core: Arc<SessionCore>, queued: oneshot::Sender<()>) {
    let session = connection.session(Arc::clone(&core));
    let preparations =
        connection.inner.auto_attach.prepare.as_ref().map(|prepare| prepare(&session)).unwrap_or_default();
    let calls = match queue_all(&connection, &core, &preparations).await {
        Ok(calls) => calls,
        // Whoever waits for this session learns from its target that it is gone.
        Err(error) => return tracing::debug!(%error, "session ended before it was ready"),
    };
    drop(queued);
    if connection.inner.auto_attach.leave_paused {
        // What is held back may answer only after it was let go.
        connection.registry().announce(&core, &BrowserEvent::Attached(session.clone()));
    }
    let answers = calls.into_iter().map(|call| finish(call, &core, connection.limit()));
    let failures: Vec<_> = join_all(answers).await.into_iter().filter_map(Result::err).collect();
    // Only now: a navigation would overtake those calls that the renderer answers, and leave it half prepared.
    if !core.is_ready() {
        connection.registry().announce(&core, &BrowserEvent::Attached(session));
    }
    for error in failures {
        report(&connection, &core, error);
    }
}

async fn queue_all<'a>(
    connection: &'a Connection,
    core: &'a SessionCore,
    preparations: &'a [Preparation],
) -> Result<Vec<OpenCall<'a>>, CallError> {
    let mut calls = vec![connection.open(Some(core), SetAutoAttach::NAME, &Connection::children())?];
    for preparation in preparations {
        calls.push(connection.open(Some(core), preparation.method, &preparation.params)?);
    }
    if core.waiting && !connection.inner.auto_attach.leave_paused {
        let resume = runtime::RunIfWaitingForDebugger {};
        calls.push(connection.open(Some(core), runtime::RunIfWaitingForDebugger::NAME, &resume)?);
    }
    for call in &mut calls {
        call.enqueue().await;
    }
    Ok(calls)
}

async fn finish(call: OpenCall<'_>, core: &SessionCore, limit: Duration) -> Result<Empty, CallError> {
    let method = call.method;
    let answer = call.exchange(limit).await?;
    read(Some(core), method, &answer)
}

/// Some kinds of targets lack some domains, and some end at once: neither is a failure.
fn report(connection: &Connection, core: &Arc<SessionCore>, error: CallError) {
    let session = connection.session(Arc::clone(core));
    if error.is_unknown_method() || !session.is_attached() {
        return tracing::debug!(%error, "preparation without effect");
    }
    tracing::warn!(%error, "preparation failed");
    let failed = BrowserEvent::PreparationFailed { session, error: Arc::new(error) };
    connection.registry().events.publish(None, &failed);
}

fn attach(connection: &Connection, target_id: TargetId) {
    let connection = connection.clone();
    tokio::spawn(async move {
        let attach = AttachToTarget { target_id, flatten: true };
        if let Err(error) = connection.call(None, &attach, None).await {
            tracing::debug!(%error, "popup ended before it was attached");
        }
    });
}

fn dispose(connection: &Connection, dispose: DisposeBrowserContext) {
    let connection = connection.clone();
    tokio::spawn(async move {
        if let Err(error) = connection.call(None, &dispose, None).await {
            tracing::debug!(%error, "context was gone before it was disposed of");
        }
    });
}
