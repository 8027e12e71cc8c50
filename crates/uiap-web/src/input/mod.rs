//! Trusted input: what a page cannot tell from a person's, and only where it meets its target.

mod aim;
mod drag;
mod error;
mod files;
mod keyboard;
mod keys;
mod pointer;

use std::time::Duration;

use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_cdp::protocol::runtime::{ReleaseObject, RemoteObjectId};
use uiap_cdp::{CallError, Session};
use uiap_model::names::ElementInstanceId;

pub use self::aim::{Described, HitTest, Point};
pub use self::drag::Dragged;
pub use self::error::InputError;
pub use self::keyboard::Typing;
pub use self::pointer::{Click, Landed, Scrolled};
use crate::bridge::{Beyond, Bridge};
use crate::error::PageError;
use crate::page::Page;

/// How long a target may move, or something that covers it may take to go.
const PATIENCE: Duration = Duration::from_secs(2);

/// Mouse, touch and keyboard of one page. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Input {
    page: Page,
    bridge: Option<Bridge>,
    patience: Duration,
}

impl Input {
    /// Takes the controls of a page. It then behaves as if its window were in front: a page in the background gets no frames.
    pub async fn new(page: &Page) -> Result<Self, CallError> {
        page.session().call(SetFocusEmulationEnabled { enabled: true }).await?;
        Ok(Self { page: page.clone(), bridge: None, patience: PATIENCE })
    }

    /// Reaches elements of frames behind a bridge too.
    #[must_use]
    pub fn across(mut self, bridge: &Bridge) -> Self {
        self.bridge = Some(bridge.clone());
        self
    }

    /// Another patience with targets that move or are covered for a moment.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn session(&self) -> &Session {
        self.page.session()
    }

    async fn element(&self, id: &ElementInstanceId) -> Result<Target, PageError> {
        if let Some(bridge) = &self.bridge
            && let Some(Beyond { session, object, host }) = bridge.beyond(id).await?
        {
            let host = Target {
                session: self.session().clone(),
                object: self.page.element(&host).await?,
                host: None,
            };
            return Ok(Target { session, object, host: Some(Box::new(host)) });
        }
        let object = self.page.element(id).await?;
        Ok(Target { session: self.session().clone(), object, host: None })
    }
}

/// A handle to an element, for as long as it is needed.
#[derive(Debug)]
struct Target {
    session: Session,
    object: RemoteObjectId,
    /// The frame element through which it is seen, when it is behind a bridge.
    host: Option<Box<Target>>,
}

impl Target {
    fn id(&self) -> &RemoteObjectId {
        &self.object
    }

    /// Where the element lives; input itself always goes to the page.
    fn session(&self) -> &Session {
        &self.session
    }
}

impl Drop for Target {
    /// The page keeps what is held; nobody waits for it to be let go.
    fn drop(&mut self) {
        let (session, object_id) = (self.session.clone(), std::mem::take(&mut self.object));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { drop(session.call(ReleaseObject { object_id }).await) });
        }
    }
}
