//! What a page's browser remembers, saved and brought back: cookies, local and session storage.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::dom_storage::{Clear, GetItems, SetItem, StorageId};
use uiap_cdp::protocol::fetch::{self, FulfillRequest, HeaderEntry, RequestPattern, RequestPaused};
use uiap_cdp::protocol::network::{
    self, Cookie, CookieParam, CookieSameSite, ErrorReason, SetBypassServiceWorker,
};
use uiap_cdp::protocol::page::{FrameTree, GetFrameTree};
use uiap_cdp::protocol::storage::{GetCookies, SetCookies};
use uiap_cdp::{Browser, CallError, Session, SessionEvent, SessionEvents};

use crate::error::PageError;
use crate::page::Page;

/// How long an empty document of an origin may take.
const VISIT: Duration = Duration::from_secs(10);

/// The version of the stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StorageVersion(pub u32);

impl Default for StorageVersion {
    fn default() -> Self {
        Self(1)
    }
}

/// What a browser remembers for a page. As JSON it can be read by tools that know cookies and `origins` with `localStorage`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a stored session with `cookies` and `origins`")]
pub struct StorageState {
    /// Its form; a file without one has the first.
    #[serde(default)]
    pub version: StorageVersion,
    /// The cookies of the whole context.
    #[serde(default)]
    pub cookies: Vec<StoredCookie>,
    /// What origins stored.
    #[serde(default)]
    pub origins: Vec<OriginStorage>,
}

/// A cookie.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a cookie")]
pub struct StoredCookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a leading dot all hosts below.
    pub domain: String,
    /// The path.
    pub path: String,
    /// Seconds since 1970; -1 when it ends with the browser.
    pub expires: f64,
    /// Whether scripts cannot see it.
    pub http_only: bool,
    /// Whether it travels over HTTPS only.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

/// What one origin stored.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "what an origin stored")]
pub struct OriginStorage {
    /// Scheme, host and port.
    pub origin: String,
    /// What stays.
    #[serde(default)]
    pub local_storage: Vec<StoredItem>,
    /// What ends with the tab.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub session_storage: Vec<StoredItem>,
}

/// One stored value.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a stored value")]
pub struct StoredItem {
    /// Its key.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Values are credentials more often than not: logs get their number.
impl fmt::Debug for StorageState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origins: Vec<_> = self.origins.iter().map(|each| each.origin.as_str()).collect();
        write!(f, "StorageState({} cookies, {origins:?})", self.cookies.len())
    }
}

/// Why a state could not be saved or brought back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The page could not be asked.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The file is of a later version.
    #[error("the stored state has version {0}; this program knows 1")]
    Version(u32),
    /// Not scheme, host and port.
    #[error("`{0}` is not an origin such as `https://example.com`")]
    Origin(String),
    /// An origin could not be visited.
    #[error("`{0}` could not be visited to bring its storage back")]
    Visit(String),
}

impl From<CallError> for StorageError {
    fn from(error: CallError) -> Self {
        Self::Page(error.into())
    }
}

impl From<Cookie> for StoredCookie {
    fn from(cookie: Cookie) -> Self {
        let Cookie { name, value, domain, path, expires, http_only, secure, same_site, .. } = cookie;
        let same_site = same_site.map(|same_site| same_site.as_str().to_owned());
        Self { name, value, domain, path, expires, http_only, secure, same_site }
    }
}

impl From<&StoredCookie> for CookieParam {
    fn from(cookie: &StoredCookie) -> Self {
        Self {
            name: cookie.name.clone(),
            value: cookie.value.clone(),
            url: None,
            domain: Some(cookie.domain.clone()),
            path: Some(cookie.path.clone()),
            secure: Some(cookie.secure),
            http_only: Some(cookie.http_only),
            same_site: cookie.same_site.as_deref().map(CookieSameSite::from),
            expires: (cookie.expires >= 0.0).then_some(cookie.expires),
        }
    }
}

/// Saves the cookies of the page's context and what the origins of its frames stored.
pub fn save<'a>(browser: &'a Browser, page: &'a Page) -> BoxFuture<'a, Result<StorageState, StorageError>> {
    Box::pin(async move {
        let session = page.session();
        let browser_context_id = session.info().browser_context_id;
        let cookies = browser.call(GetCookies { browser_context_id }).await?.cookies;
        let tree = session.call(GetFrameTree {}).await?.frame_tree;
        let mut names = Vec::new();
        collect(&tree, &mut names);
        let mut origins = Vec::new();
        for origin in names {
            let local_storage = items(session, &origin, true).await?;
            let session_storage = items(session, &origin, false).await?;
            if !local_storage.is_empty() || !session_storage.is_empty() {
                origins.push(OriginStorage { origin, local_storage, session_storage });
            }
        }
        let cookies = cookies.into_iter().map(StoredCookie::from).collect();
        Ok(StorageState { version: StorageVersion::default(), cookies, origins })
    })
}

fn collect(tree: &FrameTree, origins: &mut Vec<String>) {
    let origin = tree.frame.security_origin.trim_end_matches('/');
    if checked(origin).is_ok() && !origins.iter().any(|each| each == origin) {
        origins.push(origin.to_owned());
    }
    for child in &tree.child_frames {
        collect(child, origins);
    }
}

async fn items(
    session: &Session,
    origin: &str,
    is_local_storage: bool,
) -> Result<Vec<StoredItem>, CallError> {
    let entries = session.call(GetItems { storage_id: place(origin, is_local_storage) }).await?.entries;
    Ok(entries.into_iter().map(|(name, value)| StoredItem { name, value }).collect())
}

fn place(origin: &str, is_local_storage: bool) -> StorageId {
    StorageId { security_origin: Some(origin.to_owned()), storage_key: None, is_local_storage }
}

/// Brings a state back: the cookies, then each origin in a visit that nobody but the browser notices. The page is at an empty
/// document of the last origin afterwards; go to the address that you want.
pub fn load<'a>(
    browser: &'a Browser,
    page: &'a Page,
    state: &'a StorageState,
) -> BoxFuture<'a, Result<(), StorageError>> {
    Box::pin(async move {
        if state.version.0 > StorageVersion::default().0 {
            return Err(StorageError::Version(state.version.0));
        }
        for each in &state.origins {
            checked(&each.origin)?;
        }
        let session = page.session();
        let cookies: Vec<_> = state.cookies.iter().map(CookieParam::from).collect();
        browser.call(SetCookies { cookies, browser_context_id: session.info().browser_context_id }).await?;
        if state.origins.is_empty() {
            return Ok(());
        }
        session.call(network::Enable::default()).await?;
        session.call(SetBypassServiceWorker { bypass: true }).await?;
        let mut paused = session.events_of(&[RequestPaused::NAME]);
        let everything = RequestPattern { url_pattern: Some("*".into()), ..RequestPattern::default() };
        session.call(fetch::Enable { patterns: Some(vec![everything]), handle_auth_requests: false }).await?;
        let mut outcome = Ok(());
        for each in &state.origins {
            outcome = visit(page, each, &mut paused).await;
            if outcome.is_err() {
                break;
            }
        }
        let calm = tokio::join!(
            session.call(fetch::Disable {}),
            session.call(SetBypassServiceWorker { bypass: false })
        );
        outcome?;
        calm.0?;
        calm.1?;
        Ok(())
    })
}

/// Goes to an empty document of the origin, without a word to its server, and puts the items in.
async fn visit(page: &Page, storage: &OriginStorage, paused: &mut SessionEvents) -> Result<(), StorageError> {
    let session = page.session();
    let url = format!("{}/", storage.origin);
    let going = timeout(VISIT, page.navigate(&url));
    tokio::pin!(going);
    loop {
        tokio::select! {
            arrived = &mut going => {
                arrived.map_err(|_| StorageError::Visit(storage.origin.clone()))??;
                break;
            }
            event = paused.next() => match event {
                Some(SessionEvent::Event(event)) => answer(session, &event, &url).await?,
                Some(_) => {}
                None => return Err(StorageError::Visit(storage.origin.clone())),
            },
        }
    }
    for (items, local) in [(&storage.local_storage, true), (&storage.session_storage, false)] {
        session.call(Clear { storage_id: place(&storage.origin, local) }).await?;
        for item in items {
            let set =
                SetItem { storage_id: place(&storage.origin, local), key: &item.name, value: &item.value };
            session.call(set).await?;
        }
    }
    Ok(())
}

async fn answer(session: &Session, event: &uiap_cdp::Event, url: &str) -> Result<(), CallError> {
    let Some(paused) = event.read::<RequestPaused>() else { return Ok(()) };
    let request_id = paused.request_id;
    if paused.request.url != url {
        return session
            .call(fetch::FailRequest { request_id, error_reason: ErrorReason::BlockedByClient })
            .await
            .map(drop);
    }
    let html = HeaderEntry { name: "Content-Type".into(), value: "text/html".into() };
    let empty = FulfillRequest {
        request_id,
        response_code: 200,
        response_headers: Some(vec![html]),
        body: Some(""),
        response_phrase: None,
    };
    session.call(empty).await.map(drop)
}

fn checked(origin: &str) -> Result<(), StorageError> {
    let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    let fits =
        host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ', '\\', '*']));
    if fits { Ok(()) } else { Err(StorageError::Origin(origin.to_owned())) }
}
