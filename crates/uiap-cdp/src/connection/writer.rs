//! The one task that writes: calls leave in the order in which they were made, and never after their caller gave up.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Registry;
use crate::error::DisconnectReason;
use crate::transport::Sink;

/// How many waiting calls share one write.
const BATCH: usize = 64;

pub(crate) struct Outgoing {
    pub(crate) id: u64,
    pub(crate) frame: Vec<u8>,
}

pub(super) async fn run(
    mut sink: Sink,
    mut queue: mpsc::Receiver<Outgoing>,
    registry: Arc<Registry>,
    stop: CancellationToken,
) {
    let broken = tokio::select! {
        () = stop.cancelled() => None,
        error = write(&mut sink, &mut queue, &registry) => error.err(),
    };
    if let Some(error) = broken {
        tracing::debug!(%error, "writing to the browser failed");
        // A browser that ended is told by the reader, which knows how it ended; it learns of the end by itself.
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            registry.disconnect(&DisconnectReason::Io(error.to_string().into()));
            stop.cancel();
        }
        stop.cancelled().await;
    }
}

async fn write(
    sink: &mut Sink,
    queue: &mut mpsc::Receiver<Outgoing>,
    registry: &Registry,
) -> std::io::Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let count = tokio::select! {
            count = queue.recv_many(&mut batch, BATCH) => count,
            kept = sink.upkeep() => { kept?; continue }
        };
        if count == 0 {
            return Ok(());
        }
        let wanted = batch.drain(..).filter(|call| registry.mark_sent(call.id)).map(|call| call.frame);
        sink.send(wanted.collect()).await?;
    }
}
