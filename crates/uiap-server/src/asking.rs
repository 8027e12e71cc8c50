//! A page on loopback where a person agrees or does not: for clients that cannot ask their user themselves.
//!
//! Each question has an address of its own that nobody can guess, holds once and for a short time, and is told to the person alone. No
//! tool shows it, and pages in our browsers do not reach it: the gate is closed for it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::Reach;
use crate::door::Bounds;
use crate::door::listen::accept;
use crate::secret;

/// How long a person may think.
pub const THINK: Duration = Duration::from_secs(110);

/// Why nobody could be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No page.
    #[error("the page for a person cannot be served: {0}")]
    Listen(#[from] std::io::Error),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] secret::NoRandomness),
    /// Nobody came.
    #[error("nobody answered in time")]
    Late,
}

type Announce = dyn Fn(&str) + Send + Sync;

/// Where a person is asked. Cheap to clone; the page opens with the first question.
#[derive(Clone)]
pub struct Desk {
    inner: Arc<Inner>,
}

struct Inner {
    /// Tells the person, and nobody else, where the question is.
    announce: Box<Announce>,
    /// What pages of agents may reach; the desk is never in it.
    reach: Reach,
    open: OnceCell<SocketAddr>,
    questions: Mutex<HashMap<String, Question>>,
    cancel: CancellationToken,
}

struct Question {
    wording: String,
    answer: oneshot::Sender<bool>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("open", &self.inner.open.get()).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Desk {
    /// A desk whose questions are announced so. `reach` is what pages of agents may reach.
    pub fn new(reach: Reach, announce: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            inner: Arc::new(Inner {
                announce: Box::new(announce),
                reach,
                open: OnceCell::new(),
                questions: Mutex::default(),
                cancel: CancellationToken::new(),
            }),
        }
    }

    /// Asks, and waits for the answer.
    pub async fn ask(&self, wording: String) -> Result<bool, AskError> {
        self.ask_within(wording, THINK).await
    }

    /// The same with another limit.
    pub async fn ask_within(&self, wording: String, limit: Duration) -> Result<bool, AskError> {
        let address = *self.inner.open.get_or_try_init(|| self.open()).await?;
        let token = secret::name("")?;
        let (answer, answered) = oneshot::channel();
        self.inner.questions().insert(token.clone(), Question { wording, answer });
        // Whoever stops waiting takes the question back.
        let _forget = Forget { inner: &self.inner, token: &token };
        (self.inner.announce)(&format!("http://{address}/ask/{token}"));
        match tokio::time::timeout(limit, answered).await {
            Ok(Ok(agreed)) => Ok(agreed),
            Ok(Err(_)) | Err(_) => Err(AskError::Late),
        }
    }

    async fn open(&self) -> Result<SocketAddr, AskError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        self.inner.reach.close(address);
        let counter = Counter { questions: Arc::downgrade(&self.inner), address };
        let router = Router::new()
            .route("/ask/{token}", get(show).post(answer))
            .layer(DefaultBodyLimit::max(64))
            .with_state(counter);
        let bounds = Bounds { connections: 16, ..Bounds::default() };
        let cancel = self.inner.cancel.clone();
        tokio::spawn(accept(listener, router, bounds, cancel, TaskTracker::new()));
        Ok(address)
    }
}

impl Inner {
    fn questions(&self) -> MutexGuard<'_, HashMap<String, Question>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Forget<'a> {
    inner: &'a Inner,
    token: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.inner.questions().remove(self.token);
    }
}

/// What the page knows.
#[derive(Clone)]
struct Counter {
    questions: std::sync::Weak<Inner>,
    address: SocketAddr,
}

impl Counter {
    /// Only the person's own browser, at our own address, asks so; a page of somebody else does not.
    fn admits(&self, headers: &HeaderMap, posts: bool) -> bool {
        let one = |name| {
            let mut values = headers.get_all(name).iter();
            values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
        };
        let own = self.address.to_string();
        let host = one(HOST) == Some(own.as_bytes());
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let origin = headers.get_all(ORIGIN).iter().count();
        let from = format!("http://{own}");
        if posts {
            let same = matches!(site, None | Some(b"same-origin"));
            return host && same && one(ORIGIN) == Some(from.as_bytes());
        }
        host && origin == 0 && matches!(site, None | Some(b"none" | b"same-origin"))
    }
}

async fn show(State(counter): State<Counter>, Path(token): Path<String>, headers: HeaderMap) -> Response {
    if !counter.admits(&headers, false) {
        return page(StatusCode::FORBIDDEN, "<p>This page is opened by hand.</p>");
    }
    let wording = counter
        .questions
        .upgrade()
        .and_then(|inner| inner.questions().get(&token).map(|question| question.wording.clone()));
    match wording {
        Some(wording) => page(
            StatusCode::OK,
            &format!(
                "<h1>May it?</h1><p>{}</p><form method=post><button name=answer value=grant>Allow once</button> \
                 <button name=answer value=deny autofocus>Do not allow</button></form>",
                escaped(&wording)
            ),
        ),
        None => page(StatusCode::NOT_FOUND, GONE),
    }
}

const GONE: &str = "<p>Nothing is asked here any more.</p>";

async fn answer(
    State(counter): State<Counter>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    if !counter.admits(&headers, true) {
        return page(StatusCode::FORBIDDEN, "<p>This form is answered by hand.</p>");
    }
    let agreed = match body.as_str() {
        "answer=grant" => true,
        "answer=deny" => false,
        _ => return page(StatusCode::BAD_REQUEST, "<p>Neither yes nor no.</p>"),
    };
    let question = counter.questions.upgrade().and_then(|inner| inner.questions().remove(&token));
    let taken = question.is_some_and(|question| question.answer.send(agreed).is_ok());
    match (taken, agreed) {
        (true, true) => page(StatusCode::OK, "<p>Allowed, once.</p>"),
        (true, false) => page(StatusCode::OK, "<p>Not allowed.</p>"),
        (false, _) => page(StatusCode::NOT_FOUND, GONE),
    }
}

fn escaped(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            '\'' => "&#39;".to_owned(),
            other => other.to_string(),
        })
        .collect()
}

fn page(status: StatusCode, body: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>uiap asks</title>\
         <style>body{{font:16px/1.5 system-ui;max-width:40em;margin:3em auto;padding:0 1em}}button{{font:inherit;padding:.5em 1em}}</style>\
         {body}</html>"
    );
    let mut response = (status, Html(html)).into_response();
    let headers = response.headers_mut();
    // `same-origin` and not `no-referrer`: with the latter a form sends no origin.
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests;
