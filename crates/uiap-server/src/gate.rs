//! The gate: a proxy on loopback that every request of a page goes through. What a page loads, frames, workers, sockets, beacons
//! and redirects included, is judged by name and by the number that the name stands for at that moment; the connection goes to
//! exactly the number that was judged.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::{Host, Origin, Reach, Refusal, Scheme};

/// How long a connection to a server may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Longest wait for somebody to go when nobody can come.
const RELIEF: Duration = Duration::from_secs(1);
/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

type Body = BoxBody<Bytes, hyper::Error>;

/// A running gate. Dropping it closes it.
#[derive(Debug)]
pub struct Gate {
    address: SocketAddr,
    rule: Rule,
    cancel: CancellationToken,
    tasks: TaskTracker,
}

impl Gate {
    /// Opens a gate on a free port of this machine.
    pub async fn open(reach: Reach) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (cancel, tasks) = (CancellationToken::new(), TaskTracker::new());
        let rule = Rule(Arc::new(RwLock::new(Arc::new(reach))));
        let keeper = Keeper::new(rule.clone());
        tasks.spawn(accept(listener, keeper, cancel.clone(), tasks.clone()));
        Ok(Self { address, rule, cancel, tasks })
    }

    /// What may be reached from now on.
    pub fn allow(&self, reach: Reach) {
        *self.rule.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(reach);
    }

    /// What a browser is told.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes the gate and everything that goes through it.
    pub async fn close(&self) {
        self.cancel.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

async fn accept(listener: TcpListener, keeper: Keeper, cancel: CancellationToken, tasks: TaskTracker) {
    let left = Arc::new(Notify::new());
    loop {
        let stream = tokio::select! {
            () = cancel.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Most likely there are no descriptors left: somebody must go first.
                    tracing::warn!(%error, "the gate cannot accept");
                    drop(tokio::time::timeout(RELIEF, left.notified()).await);
                    continue;
                }
            },
        };
        let (keeper, cancel, left) = (keeper.clone(), cancel.clone(), Arc::clone(&left));
        tasks.spawn(async move {
            let tunnels = cancel.clone();
            let service = service_fn(move |request| keeper.clone().pass(request, tunnels.clone()));
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .preserve_header_case(true)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            tokio::select! {
                () = cancel.cancelled() => {}
                ended = connection => if let Err(error) = ended {
                    tracing::trace!(%error, "a connection through the gate ended early");
                },
            }
            left.notify_one();
        });
    }
}

/// What may be reached at this moment.
#[derive(Clone, Debug)]
struct Rule(Arc<RwLock<Arc<Reach>>>);

impl Rule {
    fn now(&self) -> Arc<Reach> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Clone)]
struct Keeper {
    rule: Rule,
    client: Client<Connector, Incoming>,
}

impl Keeper {
    fn new(rule: Rule) -> Self {
        let connector = Connector { rule: rule.clone() };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .http1_preserve_header_case(true)
            .build(connector);
        Self { rule, client }
    }

    async fn pass(
        self,
        request: Request<Incoming>,
        cancel: CancellationToken,
    ) -> Result<Response<Body>, std::convert::Infallible> {
        let navigates = goes_elsewhere(request.headers());
        let answer = if request.method() == Method::CONNECT {
            self.tunnel(request, cancel).await
        } else {
            self.forward(request).await
        };
        Ok(answer.unwrap_or_else(|stop| stop.answer(navigates)))
    }

    /// A tunnel: encrypted pages and all sockets.
    async fn tunnel(
        &self,
        request: Request<Incoming>,
        cancel: CancellationToken,
    ) -> Result<Response<Body>, Stop> {
        let authority = request.uri().authority().ok_or(Stop::Unclear)?.as_str().to_owned();
        let reach = self.rule.now();
        let origin = reach.check_tunnel(&authority)?;
        let mut server = connect(&reach, &origin).await?;
        tokio::spawn(async move {
            let upgraded = match hyper::upgrade::on(request).await {
                Ok(upgraded) => upgraded,
                Err(error) => return tracing::trace!(%error, "a tunnel was not begun"),
            };
            let mut client = TokioIo::new(upgraded);
            tokio::select! {
                () = cancel.cancelled() => {}
                ended = tokio::io::copy_bidirectional(&mut client, &mut server) => if let Err(error) = ended {
                    tracing::trace!(%error, "a tunnel ended early");
                },
            }
        });
        Ok(Response::new(empty()))
    }

    /// A request in the open, to the server that its address names.
    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Body>, Stop> {
        let origin = Origin::of(&request.uri().to_string())?;
        self.rule.now().check_origin(&origin)?;
        for name in ["proxy-connection", "proxy-authorization", "te", "trailer"] {
            request.headers_mut().remove(name);
        }
        let answer = self.client.request(request).await.map_err(|error| Stop::of(&error))?;
        Ok(answer.map(BodyExt::boxed))
    }
}

/// Whether a page goes somewhere, as browsers tell it. To servers that they do not trust they do not say whether it is a frame.
fn goes_elsewhere(headers: &HeaderMap) -> bool {
    match headers.get("sec-fetch-dest") {
        Some(destination) => destination == "document",
        None => headers.contains_key("upgrade-insecure-requests"),
    }
}

/// Why something does not pass.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the address is not plainly written")]
    Unclear,
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
}

impl Stop {
    /// A refusal comes back out of the client wrapped up.
    fn of(error: &hyper_util::client::legacy::Error) -> Self {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
        while let Some(found) = cause {
            if let Some(Stop::Refused(refusal)) = found.downcast_ref::<Stop>() {
                return Self::Refused(refusal.clone());
            }
            cause = found.source();
        }
        Self::Unreachable(error.to_string())
    }

    /// A page that goes where it must not stays where it is, so that no refusal looks like an arrival.
    fn answer(&self, navigates: bool) -> Response<Body> {
        tracing::debug!(reason = %self, "the gate stays closed");
        let status = match self {
            Self::Refused(_) | Self::Unclear if navigates => {
                let mut stays = Response::new(empty());
                *stays.status_mut() = StatusCode::NO_CONTENT;
                return stays;
            }
            Self::Refused(_) | Self::Unclear => StatusCode::FORBIDDEN,
            Self::Unreachable(_) => StatusCode::BAD_GATEWAY,
        };
        let mut answer =
            Response::new(Full::new(Bytes::from(self.to_string())).map_err(|never| match never {}).boxed());
        *answer.status_mut() = status;
        answer
    }
}

fn empty() -> Body {
    http_body_util::Empty::new().map_err(|never| match never {}).boxed()
}

/// Connects to what was judged, and to nothing else that the name may stand for a moment later.
async fn connect(reach: &Reach, origin: &Origin) -> Result<TcpStream, Stop> {
    let numbers: Vec<SocketAddr> = match &origin.host {
        Host::Ip(ip) => vec![SocketAddr::new(*ip, origin.port)],
        Host::Name(name) => tokio::net::lookup_host((name.as_str(), origin.port))
            .await
            .map_err(|error| Stop::Unreachable(error.to_string()))?
            .collect(),
    };
    for number in &numbers {
        reach.check_ip(origin, number.ip())?;
    }
    let connecting = tokio::time::timeout(CONNECTING, TcpStream::connect(numbers.as_slice()));
    let stream = connecting
        .await
        .map_err(|_| Stop::Unreachable("it did not answer in time".to_owned()))?
        .map_err(|error| Stop::Unreachable(error.to_string()))?;
    stream.set_nodelay(true).map_err(|error| Stop::Unreachable(error.to_string()))?;
    Ok(stream)
}

#[derive(Clone)]
struct Connector {
    rule: Rule,
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = Stop;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<TcpStream>, Stop>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Stop>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let reach = self.rule.now();
        Box::pin(async move {
            let authority = uri.authority().ok_or(Stop::Unclear)?.as_str().to_owned();
            let origin = Origin::of_authority(Scheme::Http, &authority)?;
            reach.check_origin(&origin)?;
            Ok(TokioIo::new(connect(&reach, &origin).await?))
        })
    }
}
