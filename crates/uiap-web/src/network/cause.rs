//! Whose doing a request is, as far as the browser tells exactly: it was sent, or its document asked for, while the handlers of an action's
//! input ran, or by a document that was so asked for, until that was loaded. Whether there was a gesture is not asked: for seconds after an
//! input it holds for everything that a page does by itself.

use std::collections::HashMap;

use uiap_cdp::Event;
use uiap_cdp::protocol::network::{LoaderId, RequestWillBeSent, ResourceType};
use uiap_cdp::protocol::page::{FrameId, LoadEventFired};
use uiap_cdp::protocol::target::SessionId;
use uiap_model::names::ActionHandle;

use super::address::redact;
use crate::acting::Inputs;

/// Frames whose next document is remembered.
const MAX_ANNOUNCED: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Causes {
    inputs: Inputs,
    /// The document that a handler asked for last in each frame.
    announced: HashMap<(SessionId, FrameId), (String, ActionHandle)>,
    /// A document that a handler asked for, while it loads.
    loading: Option<(SessionId, LoaderId, ActionHandle)>,
}

impl Causes {
    pub(super) fn take(&mut self, session: &SessionId, event: &Event, acting: Option<&ActionHandle>) {
        self.inputs.take(session, event, acting);
        if event.read::<LoadEventFired>().is_some() {
            self.loading.take_if(|(each, ..)| each == session);
        }
    }

    /// A frame will go to this address; the cause comes back, if it is a handler. Who asks last is who counts.
    pub(super) fn announce(
        &mut self,
        session: &SessionId,
        frame: &FrameId,
        url: &str,
    ) -> Option<ActionHandle> {
        let place = (session.clone(), frame.clone());
        let Some(cause) = self.inputs.cause(session).cloned() else {
            self.announced.remove(&place);
            return None;
        };
        if self.announced.len() >= MAX_ANNOUNCED {
            self.announced.clear();
        }
        self.announced.insert(place, (url.to_owned(), cause.clone()));
        Some(cause)
    }

    /// The page shows another document.
    pub(super) fn arrived(&mut self, session: &SessionId, loader: &LoaderId, cause: Option<ActionHandle>) {
        self.announced.retain(|(each, _), _| each != session);
        self.loading = cause.map(|cause| (session.clone(), loader.clone(), cause));
    }

    pub(super) fn of(&self, session: &SessionId, sent: &RequestWillBeSent) -> Option<ActionHandle> {
        // Documents and preflights are told by another process, in no order with what the page does.
        if sent.kind == Some(ResourceType::Document) {
            let place = (session.clone(), sent.frame_id.clone()?);
            let (url, cause) = self.announced.get(&place)?;
            return (*url == redact(&sent.request.url)).then(|| cause.clone());
        }
        if sent.initiator.kind == "preflight" {
            return None;
        }
        let loading =
            self.loading.as_ref().filter(|(each, loader, _)| each == session && *loader == sent.loader_id);
        loading.map(|(.., cause)| cause).or_else(|| self.inputs.cause(session)).cloned()
    }

    pub(super) fn forget(&mut self, session: &SessionId) {
        self.inputs.end(session);
        self.announced.retain(|(each, _), _| each != session);
        self.loading.take_if(|(each, ..)| each == session);
    }
}
