//! Frames of other origins that may load because somebody granted it, and windows that a page opens all the same. One that lives in
//! a process of its own is held back until the guard of its page stands before its network too; a frame that belongs to no known
//! page asks for nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uiap_cdp::protocol::browser::BrowserContextId;
use uiap_cdp::protocol::target::TargetKind;
use uiap_cdp::{AutoAttach, BrowserContext, Preparation, Session};
use uiap_web::guard::Guard;

/// The guards of all places of a ground, by the context that each place has of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Guests(Arc<Mutex<HashMap<BrowserContextId, Guard>>>);

/// The guard of one place. Dropping it takes it away.
#[derive(Debug)]
pub(super) struct Attended {
    guests: Guests,
    context: BrowserContextId,
}

impl Drop for Attended {
    fn drop(&mut self) {
        self.guests.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.context);
    }
}

impl Guests {
    /// What is done to every frame in a process of its own.
    pub(super) fn attach(&self) -> AutoAttach {
        let guests = self.clone();
        AutoAttach::default().prepare(move |session| guests.prepare(session))
    }

    /// From now on this guard stands before the frames of that context.
    pub(super) fn attend(&self, context: &BrowserContext, guard: &Guard) -> Attended {
        let context = context.id().clone();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(context.clone(), guard.clone());
        Attended { guests: self.clone(), context }
    }

    fn prepare(&self, session: &Session) -> Vec<Preparation> {
        let is_frame = *session.kind() == TargetKind::Iframe;
        if !is_frame && *session.kind() != TargetKind::Page {
            return Vec::new();
        }
        let context = session.info().browser_context_id;
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let prepared = match context.and_then(|context| known.get(&context).cloned()) {
            Some(guard) => guard.attend(session),
            None if is_frame => Guard::closed(session),
            // The page of a place, before anybody stands before it.
            None => return Vec::new(),
        };
        prepared.unwrap_or_else(|error| {
            tracing::error!(%error, "a frame could not be guarded");
            Vec::new()
        })
    }
}
