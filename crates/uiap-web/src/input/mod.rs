//! Trusted input: what a page cannot tell from a person's, and only where it meets its target.

pub(crate) mod aim;
mod drag;
mod ears;
mod error;
mod files;
mod keyboard;
mod keys;
mod pointer;
mod target;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_cdp::{CallError, Session};
use uiap_model::names::ElementInstanceId;

pub use self::aim::{Described, HitTest, Point};
pub use self::drag::Dragged;
use self::ears::Ears;
pub use self::error::InputError;
pub use self::keyboard::Typing;
pub use self::pointer::{Click, Landed, Scrolled};
use self::target::Target;
pub(crate) use self::target::found;
use crate::bridge::{Beyond, Bridge};
use crate::error::PageError;
use crate::observe::Early;
use crate::page::Page;

/// How long a target may move, or something that covers it may take to go.
const PATIENCE: Duration = Duration::from_secs(2);

/// Mouse, touch and keyboard of one page. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Input {
    page: Page,
    bridge: Option<Bridge>,
    patience: Duration,
    /// What a target was found to be.
    found: Option<Arc<(ElementInstanceId, Value)>>,
    ears: Ears,
    /// By which what comes of an input is asked for together with it.
    early: Option<Early>,
}

impl Input {
    /// Takes the controls of a page. It then behaves as if its window were in front: a page in the background gets no frames.
    pub async fn new(page: &Page) -> Result<Self, CallError> {
        page.session().call(SetFocusEmulationEnabled { enabled: true }).await?;
        Ok(Self {
            page: page.clone(),
            bridge: None,
            patience: PATIENCE,
            found: None,
            ears: Ears::default(),
            early: None,
        })
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

    /// The same controls for one target that was found to be something: nothing is sent to it once it is something else.
    #[must_use]
    pub(crate) fn meant_for(&self, found: (ElementInstanceId, Value)) -> Self {
        Self { found: Some(Arc::new(found)), ..self.clone() }
    }

    /// The same controls for somebody who observes: what comes of an input is asked for together with it.
    #[must_use]
    pub(crate) fn observed_by(&self, early: Early) -> Self {
        Self { early: Some(early), ..self.clone() }
    }

    async fn element(&self, id: &ElementInstanceId) -> Result<Target, PageError> {
        if let Some(bridge) = &self.bridge
            && let Some(Beyond { session, object, host }) = bridge.beyond(id).await?
        {
            return Ok(Target::far(session, object, Target::near(&self.page, &host, None)));
        }
        let found = self.found.as_ref().filter(|found| found.0 == *id).map(|found| found.1.clone());
        Ok(Target::near(&self.page, id, found))
    }
}
