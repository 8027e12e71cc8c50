//! Who may knock at all: Host, Origin, the header against forgery, and the token, before a body is read.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, HOST, ORIGIN, VARY, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use uiap_model::core::{CoreErrorCode, ErrorPayload};

use super::{CSRF_HEADER, Hall, status};
use crate::address::Origin;
use crate::protocol::{Credential, Keyring};

/// Settings that would let anybody in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatekeeperError {
    /// Everybody is nobody in particular.
    #[error("`*` is not an origin; name each origin that may connect")]
    Wildcard,
    /// Not an origin.
    #[error("`{0}` is not an origin such as `http://127.0.0.1:3000`")]
    Origin(String),
}

/// Who may knock.
#[derive(Clone, Debug, Default)]
pub struct Gatekeeper {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why somebody may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No host, or several.
    Unclear,
    /// A host that is not ours: somebody else's name leads here.
    Host,
    /// A page that may not connect.
    Origin,
    /// A page that did not say that it means it.
    Forgery,
    /// No token, or a wrong one.
    Token,
}

impl Gatekeeper {
    /// Answers to these hosts, each with its port, and to pages of these origins.
    pub fn new<T: AsRef<str>>(
        hosts: impl IntoIterator<Item = T>,
        origins: impl IntoIterator<Item = T>,
    ) -> Result<Self, GatekeeperError> {
        let hosts = hosts.into_iter().map(|host| host.as_ref().to_ascii_lowercase()).collect();
        let mut keeper = Self { hosts, origins: Vec::new() };
        for origin in origins {
            let text = origin.as_ref();
            if text.contains('*') {
                return Err(GatekeeperError::Wildcard);
            }
            let read = Origin::of(text).map_err(|_| GatekeeperError::Origin(text.to_owned()))?;
            keeper.origins.push(read.to_string());
        }
        Ok(keeper)
    }

    /// Looks at a request before its body is read.
    pub fn check(&self, parts: &Parts) -> Result<(), Refused> {
        self.check_host(parts)?;
        let origin = self.check_origin(&parts.headers)?;
        let reads = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        if origin && !reads && !parts.headers.contains_key(CSRF_HEADER) {
            return Err(Refused::Forgery);
        }
        Ok(())
    }

    fn check_host(&self, parts: &Parts) -> Result<(), Refused> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(Refused::Unclear) };
        let known = |text: &str| self.hosts.iter().any(|host| host.eq_ignore_ascii_case(text));
        let written = host.to_str().map_err(|_| Refused::Host)?;
        // A request line may name a host too; both must be ours.
        let in_line = parts.uri.authority().is_none_or(|authority| known(authority.as_str()));
        if known(written) && in_line { Ok(()) } else { Err(Refused::Host) }
    }

    /// Whether a page asks; an unknown one is refused.
    fn check_origin(&self, headers: &HeaderMap) -> Result<bool, Refused> {
        let mut origins = headers.get_all(ORIGIN).iter();
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        match (origins.next(), origins.next()) {
            (None, _) => match site {
                None | Some(b"none" | b"same-origin") => Ok(false),
                Some(_) => Err(Refused::Origin),
            },
            (Some(origin), None)
                if self.origins.iter().any(|known| known.as_bytes() == origin.as_bytes()) =>
            {
                Ok(true)
            }
            _ => Err(Refused::Origin),
        }
    }
}

/// What a token proves.
#[derive(Clone, Debug)]
pub(crate) struct Proof(pub(crate) Option<Credential>);

/// The holder of the token in the header; nobody when there is none.
fn holder(headers: &HeaderMap, keyring: &Keyring) -> Result<Proof, Refused> {
    if !keyring.demands() {
        return Ok(Proof(Some(Credential::anonymous())));
    }
    let mut given = headers.get_all(AUTHORIZATION).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(Proof(None)),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| Refused::Token)?;
            let (scheme, token) = text.split_once(' ').ok_or(Refused::Token)?;
            let found = scheme.eq_ignore_ascii_case("bearer").then(|| keyring.find(token.trim())).flatten();
            found.map(|credential| Proof(Some(credential))).ok_or(Refused::Token)
        }
        _ => Err(Refused::Token),
    }
}

/// Stands before every route.
pub(crate) async fn stand_guard(State(hall): State<Hall>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let origin = parts.headers.get(ORIGIN).cloned();
    if let Err(refused) = hall.gatekeeper.check(&parts) {
        return refuse(&hall, refused);
    }
    if parts.method == Method::OPTIONS && origin.is_some() {
        return allow(StatusCode::NO_CONTENT.into_response(), origin);
    }
    let socket = parts.uri.path() == hall.layout.socket_path();
    match holder(&parts.headers, hall.house.keyring()) {
        // A page cannot set headers on a socket: it may bring its token with the first message.
        Ok(Proof(None)) if !socket => return allow(refuse(&hall, Refused::Token), origin),
        Ok(proof) => parts.extensions.insert(proof),
        Err(refused) => return allow(refuse(&hall, refused), origin),
    };
    allow(next.run(Request::from_parts(parts, body)).await, origin)
}

/// Lets a page that may connect read the answer. Never with cookies, and only that page.
fn allow(mut response: Response, origin: Option<HeaderValue>) -> Response {
    let Some(origin) = origin else { return response };
    let headers = response.headers_mut();
    let mut set =
        |name: &'static str, value: HeaderValue| headers.insert(HeaderName::from_static(name), value);
    set("access-control-allow-origin", origin);
    set("access-control-allow-methods", HeaderValue::from_static("GET, POST, DELETE"));
    set(
        "access-control-allow-headers",
        HeaderValue::from_static("authorization, content-type, last-event-id, x-uiap-csrf"),
    );
    set("access-control-expose-headers", HeaderValue::from_static("location, retry-after"));
    headers.append(VARY, HeaderValue::from_static("origin"));
    response
}

fn refuse(hall: &Hall, refused: Refused) -> Response {
    let (code, message) = match refused {
        Refused::Unclear => (CoreErrorCode::InvalidEnvelope, "a request names one host"),
        Refused::Host => (CoreErrorCode::Forbidden, "this server does not answer to that host"),
        Refused::Origin => (CoreErrorCode::Forbidden, "pages of that origin may not connect"),
        Refused::Forgery => (CoreErrorCode::Forbidden, "a page must send the header `x-uiap-csrf`"),
        Refused::Token => (CoreErrorCode::Unauthenticated, "a valid token is needed"),
    };
    let reply = hall.house.refuse(None, &ErrorPayload::new(code, message));
    let mut response = status::envelope(&reply);
    // The body was not read, and nothing that follows it is trusted to be a request.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    if refused == Refused::Token {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
