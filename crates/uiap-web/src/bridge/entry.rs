//! Where a frame lives, by the browser's word, and how it is looked into from there.

use uiap_cdp::protocol::dom::DescribeNode;
use uiap_cdp::protocol::network::LoaderId;
use uiap_cdp::protocol::page::{Frame, FrameId, FrameTree, GetFrameTree};
use uiap_cdp::protocol::runtime::RemoteObjectId;
use uiap_cdp::{Browser, Session};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;

use crate::capture::{self, Request};
use crate::error::{PageError, PageErrorKind};
use crate::page::Page;
use crate::transfer::Sent;
use crate::world::{self, World};

/// A frame and what it shows, as the browser tells it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The frame element.
    pub(super) host: ElementInstanceId,
    pub(super) frame: FrameId,
    /// Another one for each document that is loaded.
    pub(super) loader: LoaderId,
    pub(super) origin: String,
    /// The session in which it lives.
    pub(super) session: Session,
}

impl Place {
    /// Where the frame of a frame element is; none when it has none.
    pub(super) async fn locate(
        browser: &Browser,
        page: &Page,
        host: ElementInstanceId,
    ) -> Result<Option<Self>, PageError> {
        let object_id = Some(page.element(&host).await?);
        let node = page.session().call(DescribeNode { object_id, ..DescribeNode::default() }).await?.node;
        let Some(frame) = node.frame_id else { return Ok(None) };
        let apart =
            browser.sessions().into_iter().find(|session| session.target_id().as_str() == frame.as_str());
        let session = apart.unwrap_or_else(|| page.session().clone());
        let tree = session.call(GetFrameTree {}).await?.frame_tree;
        Ok(find(&tree, &frame).map(|found| Self {
            host,
            frame,
            loader: found.loader_id.clone(),
            origin: found.security_origin.trim_end_matches('/').to_owned(),
            session,
        }))
    }
}

fn find<'a>(tree: &'a FrameTree, frame: &FrameId) -> Option<&'a Frame> {
    if tree.frame.id == *frame {
        return Some(&tree.frame);
    }
    tree.child_frames.iter().find_map(|child| find(child, frame))
}

/// A frame that is looked into by a script of ours.
#[derive(Debug, Clone)]
pub(super) struct Entered {
    place: Place,
    world: World,
}

/// An element behind a bridge.
#[derive(Debug)]
pub(crate) struct Beyond {
    pub(crate) session: Session,
    pub(crate) object: RemoteObjectId,
    /// The frame element through which it is seen.
    pub(crate) host: ElementInstanceId,
}

impl Entered {
    /// What a frame shows; one that is known is not entered again.
    pub(super) async fn look_into(
        page: &Page,
        known: Option<Self>,
        place: Place,
        options: &SnapshotOptions,
    ) -> Result<(Self, PageGraph), PageError> {
        let is_same =
            |known: &Self| known.place.frame == place.frame && known.place.session.id() == place.session.id();
        let child = match known.filter(is_same) {
            Some(known) => known,
            None => Self::enter(page, place).await?,
        };
        match child.look(page, options).await {
            Err(error) if error.is_document_gone() => {
                let child = Self::enter(page, child.place).await?;
                let graph = child.look(page, options).await?;
                Ok((child, graph))
            }
            other => Ok((child, other?)),
        }
    }

    async fn enter(page: &Page, place: Place) -> Result<Self, PageError> {
        // The script is in every frame of the page's own process; a frame in another one gets it here.
        if place.session.id() != page.session().id() {
            world::install(&place.session).await?;
        }
        let world = World::create_in(&place.session, place.frame.clone(), 1).await?;
        Ok(Self { place, world })
    }

    async fn look(&self, page: &Page, options: &SnapshotOptions) -> Result<PageGraph, PageError> {
        let missing = |what: &str| PageError::new(PageErrorKind::Script(what.to_owned()));
        let request = serde_json::to_value(Request::new(Some(options), false))?;
        let answer = self.world.ask(&self.place.session, "capture", request).await?;
        let (_, text) = answer.split_once('\n').ok_or_else(|| missing("it told no time"))?;
        let sent: Sent<'_> = serde_json::from_str(text)?;
        capture::graph(sent, page.stamp()?)?.ok_or_else(|| missing("it saw no document"))
    }

    /// The element of that name inside; `id` is what it is called outside.
    pub(super) async fn find(&self, inner: &str, id: &ElementInstanceId) -> Result<Beyond, PageError> {
        let gone = || PageError::new(PageErrorKind::Gone(id.to_string()));
        let handle = match self.world.handle(&self.place.session, "find", inner.into()).await {
            Err(error) if error.is_document_gone() => return Err(gone()),
            other => other?,
        };
        let object = handle.ok_or_else(gone)?;
        Ok(Beyond { session: self.place.session.clone(), object, host: self.place.host.clone() })
    }
}
