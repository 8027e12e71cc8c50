//! Frames of other origins, opened by a grant: captured in their own place and merged into the graph of their page.
//!
//! Without a grant for its origin such a frame stays opaque. The origin is the one that the browser tells, not one that the
//! frame claims, and a frame that does not answer in time stays opaque too.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use uiap_cdp::protocol::dom::DescribeNode;
use uiap_cdp::protocol::page::{FrameId, FrameTree, GetFrameTree};
use uiap_cdp::protocol::runtime::RemoteObjectId;
use uiap_cdp::{Browser, Session};
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};
use uiap_model::web::graph::{BoundaryAccess, DocumentKind, OpaqueReason};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, ElementNode, PageGraph};

use crate::capture::{self, Request};
use crate::error::{PageError, PageErrorKind};
use crate::page::Page;
use crate::transfer::Sent;
use crate::world::{self, World};

/// How long a frame may take to answer before it counts as opaque.
const HANDSHAKE: Duration = Duration::from_secs(2);
/// Between the id of a bridged document and the ids in it.
const SEPARATOR: char = ':';

/// The origins whose frames may be looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BridgeGrants {
    origins: BTreeSet<String>,
}

/// A grant that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// Not scheme, host and port.
    #[error("`{0}` is not an origin such as `https://pay.example.com`; wildcards and paths are not granted")]
    Origin(String),
    /// No origin at all.
    #[error("no origin is granted")]
    Empty,
}

impl BridgeGrants {
    /// Grants for exactly these origins.
    pub fn new<S: AsRef<str>>(origins: impl IntoIterator<Item = S>) -> Result<Self, GrantError> {
        let checked = |origin: S| {
            let origin = origin.as_ref().to_owned();
            let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            let fits = host
                .is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', '*', ' ', '\\']));
            if fits { Ok(origin) } else { Err(GrantError::Origin(origin)) }
        };
        let origins = origins.into_iter().map(checked).collect::<Result<BTreeSet<_>, _>>()?;
        if origins.is_empty() { Err(GrantError::Empty) } else { Ok(Self { origins }) }
    }

    fn allows(&self, origin: &str) -> bool {
        self.origins.contains(origin.trim_end_matches('/'))
    }
}

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
    children: Mutex<HashMap<DocumentId, Child>>,
}

/// A frame behind a bridge.
#[derive(Debug, Clone)]
struct Child {
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
        let inner =
            Inner { browser: browser.clone(), page: page.clone(), grants, children: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// What the page shows now, frames with a grant included.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
        let mut graph = self.inner.page.snapshot(options).await?;
        let opaque: Vec<_> =
            graph.documents.iter().filter(|document| is_foreign(document)).cloned().collect();
        let mut children = HashMap::new();
        for document in opaque {
            let crossed = timeout(HANDSHAKE, self.cross(&document, options)).await;
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
        let known = self.inner.children.lock().await.get(&document.document_id).cloned();
        let known = known.filter(|child| child.frame == frame && child.session.id() == session.id());
        let child = match known {
            Some(child) => child,
            None => self.enter(session, frame, host).await?,
        };
        let graph = match self.look(&child, options).await {
            Err(error) if error.is_document_gone() => {
                let child = self.enter(child.session, child.frame, child.host).await?;
                let graph = self.look(&child, options).await?;
                return Ok(Some((child, graph)));
            }
            other => other?,
        };
        Ok(Some((child, graph)))
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
    ) -> Result<Child, PageError> {
        // The script is in every frame of the page's own process; a frame in another one gets it here.
        if session.id() != self.inner.page.session().id() {
            world::install(&session).await?;
        }
        let world = World::create_in(&session, frame.clone(), 1).await?;
        Ok(Child { frame, session, world, host })
    }

    async fn look(&self, child: &Child, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
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
            let inner = id.as_str().strip_prefix(document.as_str())?.strip_prefix(SEPARATOR)?;
            Some((child.clone(), inner.to_owned()))
        });
        drop(children);
        let Some((child, inner)) = found else { return Ok(None) };
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

/// Puts the graph of a frame in the place of its opaque document. Ids in it begin with the id of that document, so that they
/// meet no other.
pub fn merge(graph: &mut PageGraph, document_id: &DocumentId, inner: &PageGraph) {
    let Some(at) = graph.documents.iter().position(|document| document.document_id == *document_id) else {
        return;
    };
    let Some(place) = graph.documents.get(at).cloned() else { return };
    let within = Within { prefix: document_id.as_str(), root: &inner.root_document_id };
    let documents: Vec<_> =
        inner.documents.iter().map(|document| within.document(document, &place)).collect();
    graph.documents.splice(at..=at, documents);
    if let (Some(stack), Some(more)) = (&mut graph.modal_stack, &inner.modal_stack) {
        stack.extend(more.iter().map(|id| within.scope(id)));
    }
    // The keyboard is in the frame when the page says that it is at the frame element.
    let at_host = graph.focus.as_ref().is_some_and(|focus| focus.instance_id == place.host_instance_id);
    if let Some(focus) = inner.focus.as_ref().filter(|_| at_host) {
        let mut focus = focus.clone();
        focus.document_id = within.document_id(&focus.document_id);
        focus.instance_id = focus.instance_id.map(|id| within.element_id(&id));
        focus.scope_id = focus.scope_id.map(|id| within.scope(&id));
        graph.focus = Some(focus);
    }
    if inner.truncated == Some(true) {
        graph.truncated = Some(true);
    }
}

/// Names as they are told outside of a frame.
struct Within<'a> {
    prefix: &'a str,
    root: &'a DocumentId,
}

impl Within<'_> {
    fn name(&self, id: &str) -> String {
        format!("{}{SEPARATOR}{id}", self.prefix)
    }

    fn document_id(&self, id: &DocumentId) -> DocumentId {
        let own = if id == self.root { self.prefix.to_owned() } else { self.name(id.as_str()) };
        DocumentId::parse(&own).unwrap_or_else(|| id.clone())
    }

    fn scope(&self, id: &ScopeId) -> ScopeId {
        ScopeId::parse(&self.name(id.as_str())).unwrap_or_else(|| id.clone())
    }

    fn element_id(&self, id: &ElementInstanceId) -> ElementInstanceId {
        ElementInstanceId::parse(&self.name(id.as_str())).unwrap_or_else(|| id.clone())
    }

    fn document(&self, document: &DocumentNode, place: &DocumentNode) -> DocumentNode {
        let mut told = document.clone();
        told.document_id = self.document_id(&document.document_id);
        if document.document_id == *self.root {
            told.kind = DocumentKind::Bridged;
            told.access = BoundaryAccess::Bridged;
            told.parent_document_id.clone_from(&place.parent_document_id);
            told.host_instance_id.clone_from(&place.host_instance_id);
        } else {
            told.parent_document_id = told.parent_document_id.map(|id| self.document_id(&id));
            told.host_instance_id = told.host_instance_id.map(|id| self.element_id(&id));
        }
        for scope in &mut told.scopes {
            scope.id = self.scope(&scope.id);
            scope.parent_scope_id = scope.parent_scope_id.as_ref().map(|id| self.scope(id));
            scope.submit_target = scope.submit_target.as_ref().map(|id| self.element_id(id));
            for issue in scope.issues.iter_mut().flatten() {
                issue.instance_id = issue.instance_id.as_ref().map(|id| self.element_id(id));
            }
            for element in &mut scope.elements {
                *element = Arc::new(self.element(element));
            }
        }
        told
    }

    fn element(&self, element: &ElementNode) -> ElementNode {
        let mut told = element.clone();
        told.instance_id = self.element_id(&element.instance_id);
        told.parent_instance_id = element.parent_instance_id.as_ref().map(|id| self.element_id(id));
        told
    }
}
