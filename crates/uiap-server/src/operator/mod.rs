//! The operator's view: a local page on which a person watches sessions, agrees or not to what they ask for, and ends them.
//!
//! It has a socket, a key and an origin of its own: no token of an agent opens it, no page of another site can make it do
//! something, and the gate keeps our own pages from it. What is shown is covered like what agents are shown.
//!
//! - `entrance`: who may come in, and what every answer forbids the browser to do with it.
//! - `desk`: what a person can look at and do; `view`: how it looks; `live`: what wakes an open page.

mod desk;
mod entrance;
mod live;
mod view;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::entrance::Booth;
use crate::door::Bounds;
use crate::door::listen::accept;
use crate::protocol::House;
use crate::secret::NoRandomness;

/// Bytes of a form.
const MOST_FORM: usize = 16 << 10;

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The socket.
    #[error("the operator's view cannot be opened: {0}")]
    Socket(#[from] std::io::Error),
    /// Nobody may reach it from elsewhere.
    #[error("the operator's view listens on this machine only")]
    Exposed,
    /// No key.
    #[error(transparent)]
    Key(#[from] NoRandomness),
}

/// An open view.
pub struct Operator {
    address: SocketAddr,
    booth: Arc<Booth>,
    bounds: Bounds,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

impl Operator {
    /// Opens the view of a house on a socket of this machine.
    pub fn open(listener: TcpListener, house: Arc<House>) -> Result<Self, OperatorError> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            return Err(OperatorError::Exposed);
        }
        let bounds = Bounds { connections: 64, ..Bounds::default() };
        let (tasks, cancel) = (TaskTracker::new(), CancellationToken::new());
        let booth = Arc::new(Booth::new(house, address, cancel.clone())?);
        let router = routes(&booth);
        tasks.spawn(accept(listener, router, bounds, cancel.clone(), tasks.clone()));
        Ok(Self { address, booth, bounds, tasks, cancel })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address with the key in its fragment, which no browser sends anywhere. For a person's eyes only.
    pub fn url(&self) -> String {
        format!("http://{}{}/#{}", self.address, self.booth.place, self.booth.key())
    }

    /// Lets everybody go.
    pub async fn close(self) {
        self.cancel.cancel();
        self.tasks.close();
        if tokio::time::timeout(self.bounds.ending, self.tasks.wait()).await.is_err() {
            tracing::warn!(left = self.tasks.len(), "views were still open at the end");
        }
    }
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator").field("address", &self.address).finish_non_exhaustive()
    }
}

fn routes(booth: &Arc<Booth>) -> Router {
    // The place is no secret; it keeps the cookie from servers on other ports, which share a browser's cookies with us.
    let at = |path: &str| format!("{}{path}", booth.place);
    Router::new()
        .route(&at("/"), get(desk::sessions))
        .route(&at("/enter"), post(desk::enter))
        .route(&at("/leave"), post(desk::leave))
        .route(&at("/sessions/{session}"), get(desk::session))
        .route(&at("/sessions/{session}/picture"), get(desk::picture))
        .route(&at("/sessions/{session}/end"), post(desk::end))
        .route(&at("/answer"), post(desk::answer))
        .route(&at("/handoff"), post(desk::handoff))
        .route(&at("/events"), get(live::events))
        .route(&at("/style.css"), get(desk::style))
        .route(&at("/live.js"), get(desk::script))
        .fallback(desk::nowhere)
        .layer(DefaultBodyLimit::max(MOST_FORM))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(booth), entrance::stand_guard))
        .with_state(Arc::clone(booth))
}
