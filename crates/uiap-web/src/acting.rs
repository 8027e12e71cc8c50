//! Whose doing something is: the page marks the beginning and the end of the task of an input, and the browser tells these marks and what a
//! page does in one order. What lies between them was done by the input's handlers, for whichever action is under way. No clock is asked.

use std::sync::{Arc, Mutex, PoisonError};

use uiap_cdp::Event;
use uiap_cdp::protocol::page::FrameNavigated;
use uiap_cdp::protocol::runtime::BindingCalled;
use uiap_cdp::protocol::target::SessionId;
use uiap_model::names::ActionHandle;

use crate::world::{BINDING, INPUT_BEGINS, INPUT_ENDS};

/// The action that is under way in a page, if one is. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acting(Arc<Mutex<Option<ActionHandle>>>);

impl Acting {
    pub(crate) fn set(&self, action: Option<ActionHandle>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = action;
    }

    pub(crate) fn get(&self) -> Option<ActionHandle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The action whose input is being handled.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    handled: Option<(SessionId, ActionHandle)>,
}

impl Inputs {
    /// Takes a mark in; other events mean nothing here. A new document ends what its predecessor had no time to.
    pub(crate) fn take(&mut self, session: &SessionId, event: &Event, acting: Option<&ActionHandle>) {
        if let Some(call) = event.read::<BindingCalled>()
            && call.name == BINDING
        {
            match call.payload.as_str() {
                INPUT_BEGINS => self.handled = acting.map(|action| (session.clone(), action.clone())),
                INPUT_ENDS => self.end(session),
                _ => {}
            }
        } else if event.read::<FrameNavigated>().is_some_and(|event| event.frame.parent_id.is_none()) {
            self.end(session);
        }
    }

    /// Nothing is being handled in this session, as far as anybody knows.
    pub(crate) fn end(&mut self, session: &SessionId) {
        self.handled.take_if(|(each, _)| each == session);
    }

    /// Whose doing it is what this session does now.
    pub(crate) fn cause(&self, session: &SessionId) -> Option<&ActionHandle> {
        self.handled.as_ref().filter(|(each, _)| each == session).map(|(_, action)| action)
    }
}
