//! Which targets get a session by themselves, and what is done to each before its own scripts run.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::protocol::Method;
use crate::session::Session;

/// A call that is made on every new session.
#[derive(Debug, Clone)]
pub struct Preparation {
    pub(crate) method: &'static str,
    pub(crate) params: Box<RawValue>,
}

impl Preparation {
    /// The call with these parameters.
    pub fn new<M: Method>(method: &M) -> Result<Self, serde_json::Error> {
        Ok(Self { method: M::NAME, params: serde_json::value::to_raw_value(method)? })
    }
}

type Prepare = dyn Fn(&Session) -> Vec<Preparation> + Send + Sync;

/// How sessions come into being without being asked for.
///
/// Every session gets one for each of its frames in other processes and for each of its workers. A browser of our own also
/// gets one for each page, popups included; in a browser that others use too, only pages opened here and their popups do.
#[derive(Clone, Default)]
pub struct AutoAttach {
    pub(crate) scope: Option<Scope>,
    pub(crate) prepare: Option<Arc<Prepare>>,
    pub(crate) leave_paused: bool,
}

/// Whose pages are attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// Those that were opened through this connection, and their popups.
    Own,
}

impl AutoAttach {
    /// Whose pages are attached to: by default everything in a browser that was launched here, else only what was opened here.
    /// In the latter case the popup of a page is attached to as soon as it is known, but is not held back.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// What is done to every new session. Targets are held back until the calls are made, so that for instance a script for new
    /// documents is there before the first script of the page. All calls are sent at once, in order, and then the target runs;
    /// a failure arrives as [`BrowserEvent::PreparationFailed`](crate::BrowserEvent::PreparationFailed).
    ///
    /// The function itself may subscribe to the session: no event has been sent yet. It must not block.
    #[must_use]
    pub fn prepare(mut self, prepare: impl Fn(&Session) -> Vec<Preparation> + Send + Sync + 'static) -> Self {
        self.prepare = Some(Arc::new(prepare));
        self
    }

    /// Targets stay held back until [`Session::resume`]. Who sets this must resume every session, workers included.
    #[must_use]
    pub fn leave_paused(mut self) -> Self {
        self.leave_paused = true;
        self
    }

    pub(crate) fn or_scope(mut self, scope: Scope) -> Self {
        self.scope.get_or_insert(scope);
        self
    }

    pub(crate) fn everything(&self) -> bool {
        self.scope != Some(Scope::Own)
    }
}

impl fmt::Debug for AutoAttach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutoAttach")
            .field("scope", &self.scope)
            .field("prepares", &self.prepare.is_some())
            .field("leave_paused", &self.leave_paused)
            .finish()
    }
}
