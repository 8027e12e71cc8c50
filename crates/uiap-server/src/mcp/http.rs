//! MCP over HTTP (streamable): our own Host, Origin and token checks before the protocol sees anything.
//!
//! A client that keeps a connection of the older revisions has sessions of its own, which end with it. Requests of the newest revision
//! stand alone: those of one token share rooms, whose sessions have names that nobody guesses and end when nobody uses them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use compact_str::CompactString;
use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Door, McpOptions, Rooms, warm};
use crate::door::listen::{accept, loopback_hosts};
use crate::door::{Bounds, Gatekeeper, GatekeeperError};
use crate::protocol::{Credential, Keyring, Part};
use crate::session::{Handles, Pool, Sessions};

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";
/// Bytes of a request.
const BODY: usize = 1 << 20;

/// To whom, and where.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The socket.
    pub listen: SocketAddr,
    /// Whether it may be reached from other machines; a token is needed then.
    pub beyond_loopback: bool,
    /// Names, with their ports, under which it is reached beside those of loopback.
    pub hosts: Vec<String>,
    /// Who may connect; everybody on this machine when it is empty.
    pub keyring: Keyring,
    /// Limits of connections.
    pub bounds: Bounds,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            beyond_loopback: false,
            hosts: Vec::new(),
            keyring: Keyring::default(),
            bounds: Bounds::default(),
        }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Everybody could connect.
    #[error("`{0}` can be reached from other machines: that needs `--token-file` and `--beyond-loopback`")]
    Exposed(SocketAddr),
    /// The socket.
    #[error("cannot listen on `{address}`: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// Who may connect.
    #[error(transparent)]
    Gatekeeper(#[from] GatekeeperError),
}

/// An open door.
#[derive(Debug)]
pub struct HttpDoor {
    address: SocketAddr,
    bounds: Bounds,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

impl HttpDoor {
    /// Serves sessions of a pool.
    pub fn open(
        pool: &Pool,
        options: McpOptions,
        http: HttpOptions,
    ) -> BoxFuture<'_, Result<Self, HttpError>> {
        Box::pin(async move {
            let private = http.listen.ip().is_loopback();
            let guarded = http.beyond_loopback && http.keyring.demands();
            if !private && !guarded {
                return Err(HttpError::Exposed(http.listen));
            }
            let failed = |error| HttpError::Listen { address: http.listen, error };
            let listener = TcpListener::bind(http.listen).await.map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            pool.options().reach.close(address);
            let mut hosts = http.hosts.clone();
            hosts.extend(loopback_hosts(address).into_iter().filter(|_| private));
            let gatekeeper = Gatekeeper::new(hosts.clone(), Vec::new())?;
            warm(pool);
            let (tasks, cancel) = (TaskTracker::new(), CancellationToken::new());
            let guard = Guard { gatekeeper: Arc::new(gatekeeper), keyring: Arc::new(http.keyring) };
            let router = Router::new()
                .route_service(PATH, service(pool, options, hosts, cancel.clone()))
                .layer(axum::middleware::from_fn_with_state(guard, stand_guard));
            tasks.spawn(accept(listener, router, http.bounds, cancel.clone(), tasks.clone()));
            Ok(Self { address, bounds: http.bounds, tasks, cancel })
        })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Says goodbye to everybody.
    pub async fn close(self) {
        self.cancel.cancel();
        self.tasks.close();
        if tokio::time::timeout(self.bounds.ending, self.tasks.wait()).await.is_err() {
            tracing::warn!(left = self.tasks.len(), "connections were still open at the end");
        }
    }
}

fn service(
    pool: &Pool,
    options: McpOptions,
    hosts: Vec<String>,
    cancel: CancellationToken,
) -> StreamableHttpService<Door, LocalSessionManager> {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(pool.options().idle);
    let commons = Arc::new(Commons { pool: pool.clone(), rooms: Mutex::default() });
    let pool = pool.clone();
    let door = move || {
        let own = Sessions::new(pool.clone(), Handles::Short);
        Ok(Door::new(Rooms::Http(own, Arc::clone(&commons)), options.clone()))
    };
    // Checked by the gatekeeper already; twice is cheap.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .enforce_origin_validation()
        .with_max_request_body_bytes(BODY)
        .with_cancellation_token(cancel);
    StreamableHttpService::new(door, Arc::new(manager), config)
}

/// Rooms for requests that belong to no connection: one for each token.
#[derive(Debug)]
pub(super) struct Commons {
    pool: Pool,
    rooms: Mutex<HashMap<CompactString, Sessions>>,
}

impl Commons {
    /// The rooms of whoever sent this, unless it belongs to a connection.
    pub(super) fn of(&self, context: &RequestContext<RoleServer>) -> Option<Sessions> {
        let parts = context.extensions.get::<Parts>()?;
        if parts.headers.contains_key("mcp-session-id") {
            return None;
        }
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Sessions::new(self.pool.clone(), Handles::Secret);
        Some(rooms.entry(holder_of(context)).or_insert_with(new).clone())
    }
}

/// Whose token came with a request; nobody's where none is asked for.
pub(super) fn holder_of(context: &RequestContext<RoleServer>) -> CompactString {
    let parts = context.extensions.get::<Parts>();
    let credential = parts.and_then(|parts| parts.extensions.get::<Credential>());
    credential.map(|credential| credential.id.clone()).unwrap_or_default()
}

#[derive(Debug, Clone)]
struct Guard {
    gatekeeper: Arc<Gatekeeper>,
    keyring: Arc<Keyring>,
}

/// Looks at Host, Origin and token before a body is read. Pages may not connect, but for one of our own origin, where there are none:
/// some clients write the server's own address there.
async fn stand_guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if is_own_origin(&parts.headers) {
        parts.headers.remove(ORIGIN);
    }
    if guard.gatekeeper.check(&parts).is_err() {
        return refuse(StatusCode::FORBIDDEN, "this server answers to its own host, and to no page");
    }
    match holder(&parts.headers, &guard.keyring) {
        Some(credential) if credential.part == Part::Agent => parts.extensions.insert(credential),
        Some(_) => {
            return refuse(StatusCode::FORBIDDEN, "this token agrees to actions; it does not ask for any");
        }
        None => return refuse(StatusCode::UNAUTHORIZED, "a valid token is needed"),
    };
    next.run(Request::from_parts(parts, body)).await
}

/// Whether the origin is what the host says; the gatekeeper looks whether that host is ours.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).map(HeaderValue::as_bytes).unwrap_or_default();
    let mut origins = headers.get_all(ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else { return false };
    origin.as_bytes().strip_prefix(b"http://") == Some(host)
}

fn holder(headers: &HeaderMap, keyring: &Keyring) -> Option<Credential> {
    if !keyring.demands() {
        return Some(Credential::anonymous());
    }
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| keyring.find(token.trim())).flatten()
}

fn refuse(status: StatusCode, message: &'static str) -> Response {
    let mut response = (status, message).into_response();
    // The body was not read, and nothing that follows it is trusted to be a request.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
