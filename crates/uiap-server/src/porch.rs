//! An accept loop with limits of time, size and number, for the small doors beside UIAP's own.

use std::sync::Arc;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::door::Bounds;

/// Serves until it is cancelled.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    tasks: TaskTracker,
    cancel: CancellationToken,
) {
    let room = Arc::new(Semaphore::new(bounds.connections));
    loop {
        let accepted = tokio::select! {
            () = cancel.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let serving = connection(stream, router.clone(), bounds, cancel.clone());
        tasks.spawn(async move {
            serving.await;
            drop(permit);
        });
    }
}

async fn connection(stream: TcpStream, router: Router, bounds: Bounds, cancel: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small messages may wait for others");
    }
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(bounds.head_bytes)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = cancel.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection ended early");
    }
}
