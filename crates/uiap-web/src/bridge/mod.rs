//! Frames of other origins, opened by a grant: captured in their own place and merged into the graph of their page.
//!
//! Without a grant for its origin such a frame stays opaque. The origin is the one that the browser tells, not one that the
//! frame claims, and a frame that does not answer in time stays opaque too. A frame that greets is asked for what it publishes
//! of itself; any other is looked into through the browser, unless only those that greet are wanted.

mod action;
mod entry;
mod grant;
mod greeting;
mod merge;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;
use uiap_cdp::Browser;
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, PageGraph};

pub(crate) use self::entry::Beyond;
use self::entry::{Entered, Place};
use self::grant::HANDSHAKE;
pub use self::grant::{BridgeGrants, GrantError};
pub use self::merge::merge;
use crate::error::{PageError, PageErrorKind};
use crate::page::Page;

/// A page with frames of other origins that may be looked into. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bridge {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    browser: Browser,
    page: Page,
    grants: BridgeGrants,
    /// Frames that do not greet stay opaque.
    greeting_only: bool,
    listening: OnceCell<()>,
    children: Mutex<HashMap<DocumentId, Child>>,
    /// Frames whose greeting was waited for: once, so that a silent one holds nobody up again.
    awaited: Mutex<HashSet<DocumentId>>,
}

/// A frame behind a bridge.
#[derive(Debug, Clone)]
enum Child {
    /// Looked into through the browser.
    Entered(Entered),
    /// Greeted, and published itself.
    Greeted(Greeted),
}

#[derive(Debug, Clone)]
struct Greeted {
    place: Place,
    /// Of its greeting: a frame that went elsewhere greets under another number.
    serial: u64,
    /// Its root document, in its own words.
    root: DocumentId,
}

impl Bridge {
    /// A bridge for a page.
    pub fn new(browser: &Browser, page: &Page, grants: BridgeGrants) -> Self {
        Self::with(browser, page, grants, false)
    }

    /// A bridge for the frames of a page that greet: any other stays opaque, granted or not. The first snapshot waits two seconds
    /// at most for greetings; one that comes later counts from the next snapshot on.
    pub fn cooperative(browser: &Browser, page: &Page, grants: BridgeGrants) -> Self {
        Self::with(browser, page, grants, true)
    }

    fn with(browser: &Browser, page: &Page, grants: BridgeGrants, greeting_only: bool) -> Self {
        let inner = Inner {
            browser: browser.clone(),
            page: page.clone(),
            grants,
            greeting_only,
            listening: OnceCell::new(),
            children: Mutex::default(),
            awaited: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Hears greetings from now on, in the place of any other bridge of the page. A snapshot does so too; before the page loads,
    /// no greeting is missed.
    pub async fn listen(&self) -> Result<(), PageError> {
        let Inner { page, grants, listening, .. } = &*self.inner;
        listening.get_or_try_init(|| greeting::listen(page, grants)).await?;
        Ok(())
    }

    /// What the page shows now, frames with a grant included.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
        self.listen().await?;
        let mut graph = self.inner.page.snapshot(options).await?;
        let opaque: Vec<_> =
            graph.documents.iter().filter(|document| is_foreign(document)).cloned().collect();
        let mut children = HashMap::new();
        let patience = self.inner.grants.patience();
        let crossings = opaque.iter().map(|document| timeout(patience, self.cross(document, options)));
        for (document, crossed) in opaque.iter().zip(join_all(crossings).await) {
            match crossed {
                Ok(Ok(Some((child, inner)))) => {
                    merge(&mut graph, &document.document_id, &inner);
                    children.insert(document.document_id.clone(), child);
                }
                Ok(Ok(None)) => {}
                Ok(Err(error)) => {
                    tracing::debug!(%error, document = %document.document_id, "a frame stays opaque");
                }
                Err(_) => {
                    tracing::debug!(document = %document.document_id, "a frame did not answer and stays opaque");
                }
            }
        }
        *self.inner.children.lock().await = children;
        Ok(graph)
    }

    /// Looks into a frame; none without a grant.
    async fn cross(
        &self,
        document: &DocumentNode,
        options: &SnapshotOptions,
    ) -> Result<Option<(Child, PageGraph)>, PageError> {
        let Some(host) = document.host_instance_id.clone() else { return Ok(None) };
        let Some(place) = Place::locate(&self.inner.browser, &self.inner.page, host).await? else {
            return Ok(None);
        };
        if !self.inner.grants.allows(&place.origin) {
            return Ok(None);
        }
        let known = self.inner.children.lock().await.get(&document.document_id).cloned();
        match self.greeted(document, &place, known.as_ref(), options).await {
            Ok(None) => {}
            Ok(Some((child, graph))) => return Ok(Some((Child::Greeted(child), graph))),
            Err(error) => {
                tracing::warn!(%error, document = %document.document_id, origin = %place.origin, "a frame that greeted is not believed");
            }
        }
        if self.inner.greeting_only {
            return Ok(None);
        }
        let known = known.and_then(|child| match child {
            Child::Entered(child) => Some(child),
            Child::Greeted(_) => None,
        });
        let (child, graph) = Entered::look_into(&self.inner.page, known, place, options).await?;
        Ok(Some((Child::Entered(child), graph)))
    }

    /// What a frame publishes of itself, when it greeted.
    async fn greeted(
        &self,
        document: &DocumentNode,
        place: &Place,
        known: Option<&Child>,
        options: &SnapshotOptions,
    ) -> Result<Option<(Greeted, PageGraph)>, PageError> {
        let first =
            self.inner.greeting_only && self.inner.awaited.lock().await.insert(document.document_id.clone());
        let wait = greeting::Wait {
            hello: if first { HANDSHAKE } else { Duration::ZERO },
            // Nobody tells a port that the document at its other end is gone.
            left: match known {
                Some(Child::Greeted(known)) if known.place.loader != place.loader => Some(known.serial),
                _ => None,
            },
        };
        // The rest of the time is for looking into it another way.
        let patience = self.inner.grants.patience() / 2;
        let found = greeting::published(&self.inner.page, place, options, wait, patience).await?;
        Ok(found.map(|(serial, graph)| {
            let root = graph.root_document_id.clone();
            (Greeted { place: place.clone(), serial, root }, graph)
        }))
    }

    /// The element behind the bridge that the merged graph names so; none for one of the page itself.
    pub(crate) async fn beyond(&self, id: &ElementInstanceId) -> Result<Option<Beyond>, PageError> {
        let children = self.inner.children.lock().await;
        let found = children.iter().find_map(|(document, child)| {
            let inner = merge::inner_name(document, id.as_str())?;
            Some((child.clone(), inner.to_owned()))
        });
        drop(children);
        match found {
            None => Ok(None),
            Some((Child::Greeted(_), _)) => Err(PageError::new(PageErrorKind::Published(id.to_string()))),
            Some((Child::Entered(child), inner)) => child.find(&inner, id).await.map(Some),
        }
    }
}

fn is_foreign(document: &DocumentNode) -> bool {
    document.access == BoundaryAccess::Opaque && document.opaque_reason == Some(OpaqueReason::CrossOrigin)
}
