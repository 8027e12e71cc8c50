//! Frames of other origins, opened by a grant: captured in their own place and merged into the graph of their page.
//!
//! Without a grant for its origin such a frame stays opaque. The origin is the one that the browser tells, not one that the
//! frame claims, and a frame that does not answer in time stays opaque too. A frame that greets is asked for what it publishes
//! of itself; any other is looked into through the browser, unless only those that greet are wanted.

mod grant;
mod greeting;
mod merge;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;
use uiap_cdp::protocol::dom::DescribeNode;
use uiap_cdp::protocol::page::{FrameId, FrameTree, GetFrameTree};
use uiap_cdp::protocol::runtime::RemoteObjectId;
use uiap_cdp::{Browser, Session};
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, PageGraph};

pub use self::grant::{BridgeGrants, GrantError};
pub use self::merge::merge;
use crate::capture::{self, Request};
use crate::error::{PageError, PageErrorKind};
use crate::page::Page;
use crate::transfer::Sent;
use crate::world::{self, World};

/// How long a frame may take to answer before it counts as opaque.
const HANDSHAKE: Duration = Duration::from_secs(2);

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
    Greeted,
}

#[derive(Debug, Clone)]
struct Entered {
    frame: FrameId,
    session: Session,
    world: World,
    host: ElementInstanceId,
}

/// An element behind a bridge.
#[derive(Debug)]
pub(crate) struct Beyond {
    pub(crate) session: Session,
    pub(crate) object: RemoteObjectId,
    /// The frame element through which it is seen.
    pub(crate) host: ElementInstanceId,
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
        let crossings = opaque.iter().map(|document| timeout(HANDSHAKE, self.cross(document, options)));
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
        let page = &self.inner.page;
        let object_id = Some(page.element(&host).await?);
        let node = page.session().call(DescribeNode { object_id, ..DescribeNode::default() }).await?.node;
        let Some(frame) = node.frame_id else { return Ok(None) };
        let Some((session, origin)) = self.locate(&frame).await? else { return Ok(None) };
        if !self.inner.grants.allows(&origin) {
            return Ok(None);
        }
        match self.greeted(document, &host, &origin, options).await {
            Ok(None) => {}
            Ok(found) => return Ok(found),
            Err(error) => {
                tracing::warn!(%error, document = %document.document_id, %origin, "a frame that greeted is not believed");
            }
        }
        if self.inner.greeting_only {
            return Ok(None);
        }
        let (child, graph) = self.looked_into(document, host, session, frame, options).await?;
        Ok(Some((Child::Entered(child), graph)))
    }

    /// What a frame publishes of itself, when it greeted.
    async fn greeted(
        &self,
        document: &DocumentNode,
        host: &ElementInstanceId,
        origin: &str,
        options: &SnapshotOptions,
    ) -> Result<Option<(Child, PageGraph)>, PageError> {
        let first =
            self.inner.greeting_only && self.inner.awaited.lock().await.insert(document.document_id.clone());
        let hello = if first { HANDSHAKE } else { Duration::ZERO };
        let found = greeting::published(&self.inner.page, host, origin, options, hello).await?;
        Ok(found.map(|(_, graph)| (Child::Greeted, graph)))
    }

    /// What a frame shows, by the browser's word.
    async fn looked_into(
        &self,
        document: &DocumentNode,
        host: ElementInstanceId,
        session: Session,
        frame: FrameId,
        options: &SnapshotOptions,
    ) -> Result<(Entered, PageGraph), PageError> {
        let known = self.inner.children.lock().await.get(&document.document_id).cloned();
        let child = match known {
            Some(Child::Entered(child)) if child.frame == frame && child.session.id() == session.id() => {
                child
            }
            _ => self.enter(session, frame, host).await?,
        };
        let graph = match self.look(&child, options).await {
            Err(error) if error.is_document_gone() => {
                let child = self.enter(child.session, child.frame, child.host).await?;
                let graph = self.look(&child, options).await?;
                return Ok((child, graph));
            }
            other => other?,
        };
        Ok((child, graph))
    }

    /// The session in which a frame lives, and the origin that it has by the browser's word.
    async fn locate(&self, frame: &FrameId) -> Result<Option<(Session, String)>, PageError> {
        let own = self.inner.page.session();
        let apart = self
            .inner
            .browser
            .sessions()
            .into_iter()
            .find(|session| session.target_id().as_str() == frame.as_str());
        let session = apart.unwrap_or_else(|| own.clone());
        let tree = session.call(GetFrameTree {}).await?.frame_tree;
        Ok(origin_of(&tree, frame).map(|origin| (session, origin)))
    }

    async fn enter(
        &self,
        session: Session,
        frame: FrameId,
        host: ElementInstanceId,
    ) -> Result<Entered, PageError> {
        // The script is in every frame of the page's own process; a frame in another one gets it here.
        if session.id() != self.inner.page.session().id() {
            world::install(&session).await?;
        }
        let world = World::create_in(&session, frame.clone(), 1).await?;
        Ok(Entered { frame, session, world, host })
    }

    async fn look(&self, child: &Entered, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
        let missing = |what: &str| PageError::new(PageErrorKind::Script(what.to_owned()));
        let request = serde_json::to_value(Request::new(Some(options), false))?;
        let answer = child.world.ask(&child.session, "capture", request).await?;
        let (_, text) = answer.split_once('\n').ok_or_else(|| missing("it told no time"))?;
        let sent: Sent<'_> = serde_json::from_str(text)?;
        capture::graph(sent, self.inner.page.stamp()?)?.ok_or_else(|| missing("it saw no document"))
    }

    /// The element behind the bridge that the merged graph names so; none for one of the page itself.
    pub(crate) async fn beyond(&self, id: &ElementInstanceId) -> Result<Option<Beyond>, PageError> {
        let children = self.inner.children.lock().await;
        let found = children.iter().find_map(|(document, child)| {
            let inner = merge::inner_name(document, id.as_str())?;
            Some((child.clone(), inner.to_owned()))
        });
        drop(children);
        let (child, inner) = match found {
            None => return Ok(None),
            Some((Child::Greeted, _)) => {
                return Err(PageError::new(PageErrorKind::Published(id.to_string())));
            }
            Some((Child::Entered(child), inner)) => (child, inner),
        };
        let gone = || PageError::new(PageErrorKind::Gone(id.to_string()));
        let handle = match child.world.handle(&child.session, "find", inner.into()).await {
            Err(error) if error.is_document_gone() => return Err(gone()),
            other => other?,
        };
        let object = handle.ok_or_else(gone)?;
        Ok(Some(Beyond { session: child.session, object, host: child.host }))
    }
}

fn is_foreign(document: &DocumentNode) -> bool {
    document.access == BoundaryAccess::Opaque && document.opaque_reason == Some(OpaqueReason::CrossOrigin)
}

fn origin_of(tree: &FrameTree, frame: &FrameId) -> Option<String> {
    if tree.frame.id == *frame {
        return Some(tree.frame.security_origin.trim_end_matches('/').to_owned());
    }
    tree.child_frames.iter().find_map(|child| origin_of(child, frame))
}
