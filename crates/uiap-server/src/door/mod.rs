//! The doors: `ws@0.1` and `http@0.1` on one socket. Spec: http-rest-binding (11).
//!
//! - [`listen`] accepts connections within limits and lets them go cleanly.
//! - [`gatekeeper`] looks at Host, Origin and token of every request before its body is read.
//! - `ws`, `posts` and `stream` carry envelopes between the wire and a session; they know nothing of what these say.

pub mod gatekeeper;
pub mod layout;
pub mod listen;
mod posts;
mod status;
mod stream;
mod ws;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{delete, get, post};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::gatekeeper::{Gatekeeper, GatekeeperError};
pub use self::layout::{Layout, LayoutError};
pub use self::listen::{Bounds, Door};
use crate::protocol::House;

/// The media type of envelopes.
pub const MEDIA_TYPE: &str = "application/uiap+json";
/// The WebSocket subprotocol.
pub const SUBPROTOCOL: &str = "uiap.v0.1";
/// The bindings that are served.
pub const BINDINGS: [&str; 2] = ["ws@0.1", "http@0.1"];
/// A browser sends this header only where it was told to: a form of another page cannot.
pub const CSRF_HEADER: &str = "x-uiap-csrf";

/// What every handler knows.
#[derive(Clone, Debug)]
pub(crate) struct Hall {
    pub(crate) house: Arc<House>,
    pub(crate) gatekeeper: Arc<Gatekeeper>,
    pub(crate) layout: Arc<Layout>,
    pub(crate) tasks: TaskTracker,
    pub(crate) cancel: CancellationToken,
}

/// All routes, behind the gatekeeper.
pub(crate) fn routes(hall: Hall) -> Router {
    let layout = Arc::clone(&hall.layout);
    let session = format!("{}/{{session}}", layout.session_path());
    Router::new()
        .route("/uiap", get(posts::about))
        .route(layout.socket_path(), get(ws::upgrade))
        .route(layout.session_path(), post(posts::open))
        .route(&session, delete(posts::close).get(posts::show))
        .route(&layout.message_route(), post(posts::message))
        .route(&layout.stream_route(), get(stream::events))
        .fallback(posts::nowhere)
        .method_not_allowed_fallback(posts::wrong_method)
        .layer(axum::middleware::from_fn_with_state(hall.clone(), gatekeeper::stand_guard))
        .with_state(hall)
}

/// How long a body may take.
pub(crate) const BODY: Duration = Duration::from_secs(10);
