//! Who may come in: a person with the key, from this machine, from a page of this very view.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_util::sync::CancellationToken;
use uiap_model::policy::{PolicyGrant, PolicyPrincipal, PrincipalType};
use uiap_policy::confirmation::Party;

use super::view;
use crate::door::listen::loopback_hosts;
use crate::protocol::House;
use crate::secret::{self, NoRandomness, Token};

/// Browsers that are let in at the same time; the one that came first has to go.
const MOST_LOGINS: usize = 8;
/// How long a request that changes something may take to come in.
const PATIENCE: Duration = Duration::from_secs(10);

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every handler knows.
pub(super) struct Booth {
    pub(super) house: Arc<House>,
    /// The path under which everything is.
    pub(super) place: String,
    pub(super) cancel: CancellationToken,
    key: Token,
    cookie: String,
    hosts: Vec<String>,
    logins: Mutex<Vec<Arc<Login>>>,
    next: AtomicU64,
}

/// A browser that showed the key.
pub(super) struct Login {
    cookie: Token,
    /// Stands in every form: what does not hold it was not written by us.
    pub(super) form: Token,
    number: u64,
}

impl Login {
    /// The person, on a connection that no session has.
    pub(super) fn party(&self) -> Party {
        let principal = PolicyPrincipal {
            principal_type: PrincipalType::User,
            id: "operator".into(),
            roles: None,
            grants: Some(vec![PolicyGrant::Observe]),
        };
        Party { principal, connection: compact_str::format_compact!("operator:{}", self.number) }
    }
}

impl Booth {
    pub(super) fn new(
        house: Arc<House>,
        address: SocketAddr,
        cancel: CancellationToken,
    ) -> Result<Self, NoRandomness> {
        Ok(Self {
            house,
            place: secret::name("/operator-")?,
            cancel,
            key: Token::random()?,
            cookie: format!("uiap_operator_{}", address.port()),
            hosts: loopback_hosts(address),
            logins: Mutex::default(),
            next: AtomicU64::new(1),
        })
    }

    /// The key, to be printed once.
    pub(super) fn key(&self) -> &str {
        self.key.expose()
    }

    /// Lets a browser in that has the key; the cookie that it is to keep.
    pub(super) fn enter(&self, key: &str) -> Result<Option<String>, NoRandomness> {
        if !self.key.matches(key.trim()) {
            return Ok(None);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let login = Login { cookie: Token::random()?, form: Token::random()?, number };
        let cookie = format!(
            "{}={}; Path={}; HttpOnly; SameSite=Strict",
            self.cookie,
            login.cookie.expose(),
            self.place
        );
        let mut logins = self.logins();
        if logins.len() >= MOST_LOGINS {
            logins.remove(0);
        }
        logins.push(Arc::new(login));
        Ok(Some(cookie))
    }

    /// Forgets a browser.
    pub(super) fn leave(&self, login: &Login) {
        self.logins().retain(|each| each.number != login.number);
    }

    fn logins(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Login>>> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, parts: &Parts) -> Option<Arc<Login>> {
        let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let named = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie);
        let logins = self.logins().clone();
        let mut found = None;
        for (_, value) in named {
            for login in &logins {
                if login.cookie.matches(value) {
                    found = Some(Arc::clone(login));
                }
            }
        }
        found
    }

    /// Host, Origin and what the browser says of where a request comes from.
    fn check(&self, parts: &Parts) -> Result<(), &'static str> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err("a request names one host") };
        let host = host.to_str().unwrap_or_default();
        let ours = |text: &str| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(text));
        if !ours(host) || !parts.uri.authority().is_none_or(|authority| ours(authority.as_str())) {
            return Err("this view does not answer to that host");
        }
        let reads = matches!(parts.method, Method::GET | Method::HEAD);
        let mut origins = parts.headers.get_all(ORIGIN).iter();
        let same = |origin: &HeaderValue| {
            origin.as_bytes().eq_ignore_ascii_case(format!("http://{host}").as_bytes())
        };
        match (origins.next(), origins.next()) {
            (None, _) if reads => {}
            (Some(origin), None) if same(origin) => {}
            _ => return Err("only a page of this view may do this"),
        }
        match parts.headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None | Some(b"none" | b"same-origin") => Ok(()),
            Some(_) => Err("another page may not lead here; open the address yourself"),
        }
    }
}

/// Stands before every route.
pub(super) async fn stand_guard(State(booth): State<Arc<Booth>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if let Err(why) = booth.check(&parts) {
        return hardened((StatusCode::FORBIDDEN, why).into_response());
    }
    let within = parts.uri.path().strip_prefix(booth.place.as_str()).unwrap_or_default();
    let open = matches!(within, "/enter" | "/style.css" | "/live.js");
    match booth.find(&parts) {
        Some(login) => drop(parts.extensions.insert(login)),
        None if open => {}
        None if within == "/" => {
            return hardened(view::page(StatusCode::UNAUTHORIZED, &view::Enter::new(&booth.place, None)));
        }
        None => return hardened((StatusCode::UNAUTHORIZED, "the key is needed").into_response()),
    }
    let changes = parts.method != Method::GET;
    let answering = next.run(Request::from_parts(parts, body));
    if !changes {
        return hardened(answering.await);
    }
    match tokio::time::timeout(PATIENCE, answering).await {
        Ok(response) => hardened(response),
        Err(_) => hardened((StatusCode::REQUEST_TIMEOUT, "the request did not come in time").into_response()),
    }
}

/// What a browser must not do with anything of ours.
fn hardened(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let mut set =
        |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_FRAME_OPTIONS, "DENY");
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "same-origin");
    set(CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
    response
}
