//! The accept loop: our own, because every connection needs limits of time, of size and of number.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::gatekeeper::Gatekeeper;
use super::layout::Layout;
use super::{Hall, routes};
use crate::protocol::House;

/// Longest wait for somebody to go when nobody can come.
const RELIEF: Duration = Duration::from_secs(1);

/// How much a connection may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections at once.
    pub connections: usize,
    /// How long the head of a request may take, idle time between two requests included.
    pub head: Duration,
    /// Bytes of a head.
    pub head_bytes: usize,
    /// How long everything may take to end.
    pub ending: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 4_096,
            head: Duration::from_secs(5),
            head_bytes: 16 << 10,
            ending: Duration::from_secs(10),
        }
    }
}

/// An open door.
#[derive(Debug)]
pub struct Door {
    address: SocketAddr,
    house: Arc<House>,
    bounds: Bounds,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

impl Door {
    /// Serves a house on a socket.
    pub fn open(
        listener: TcpListener,
        house: Arc<House>,
        gatekeeper: Gatekeeper,
        layout: Layout,
        bounds: Bounds,
    ) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let (tasks, cancel) = (TaskTracker::new(), CancellationToken::new());
        let hall = Hall {
            house: Arc::clone(&house),
            gatekeeper: Arc::new(gatekeeper),
            layout: Arc::new(layout),
            tasks: tasks.clone(),
            cancel: cancel.clone(),
        };
        let router = routes(hall);
        tasks.spawn(accept(listener, router, bounds, cancel.clone(), tasks.clone()));
        Ok(Self { address, house, bounds, tasks, cancel })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The house behind it.
    pub fn house(&self) -> &Arc<House> {
        &self.house
    }

    /// Ends every session with a word, lets what is being written be written, and closes.
    pub async fn close(self) {
        self.house.shut_down(self.bounds.ending).await;
        self.cancel.cancel();
        self.tasks.close();
        if tokio::time::timeout(self.bounds.ending, self.tasks.wait()).await.is_err() {
            tracing::warn!(left = self.tasks.len(), "connections were still open at the end");
        }
    }
}

/// The hosts under which a loopback address is reached.
pub fn loopback_hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts: Vec<String> =
        ["127.0.0.1", "localhost", "[::1]"].iter().map(|host| format!("{host}:{port}")).collect();
    hosts.push(address.to_string());
    if port == 80 {
        hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(str::to_owned));
    }
    hosts
}

/// Accepts until it is cancelled; every connection within the same bounds.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    cancel: CancellationToken,
    tasks: TaskTracker,
) {
    let room = Arc::new(Semaphore::new(bounds.connections));
    let left = Arc::new(Notify::new());
    loop {
        // Whoever comes when the house is full waits in the system's own queue.
        let permit = tokio::select! {
            () = cancel.cancelled() => return,
            permit = Arc::clone(&room).acquire_owned() => match permit {
                Ok(permit) => permit,
                Err(_) => return,
            },
        };
        let stream = tokio::select! {
            () = cancel.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Most likely there are no descriptors left: somebody must go first.
                    tracing::warn!(%error, "a connection could not be accepted");
                    drop(tokio::time::timeout(RELIEF, left.notified()).await);
                    continue;
                }
            },
        };
        let (serving, left) = (serve(stream, router.clone(), bounds, cancel.clone()), Arc::clone(&left));
        tasks.spawn(async move {
            serving.await;
            drop(permit);
            left.notify_one();
        });
    }
}

async fn serve(stream: TcpStream, router: Router, bounds: Bounds, cancel: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small messages may wait for others");
    }
    let service = TowerToHyperService::new(router);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(bounds.head_bytes)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
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
