//! The element that an input is meant for: named, and looked up in the same breath as it is used.

use serde_json::{Value, json};
use uiap_cdp::Session;
use uiap_cdp::protocol::runtime::{CallArgument, CallFunctionOn, ReleaseObject, RemoteObjectId};
use uiap_model::names::ElementInstanceId;
use uiap_runtime::surface::Found;

use crate::error::{PageError, PageErrorKind};
use crate::page::Page;
use crate::world::Kept;

/// What an input is meant for.
#[derive(Debug)]
pub(super) struct Target {
    place: Place,
    /// The frame element through which it is seen, when it is behind a bridge.
    pub(super) host: Option<Box<Target>>,
}

#[derive(Debug)]
enum Place {
    /// In the page, or in a frame that it can reach.
    Near { page: Page, id: ElementInstanceId, found: Option<Value> },
    /// Behind a bridge.
    Far(Handle),
}

impl Target {
    pub(super) fn near(page: &Page, id: &ElementInstanceId, found: Option<Value>) -> Self {
        Self { place: Place::Near { page: page.clone(), id: id.clone(), found }, host: None }
    }

    pub(super) fn far(session: Session, object: RemoteObjectId, host: Self) -> Self {
        Self { place: Place::Far(Handle { session, object }), host: Some(Box::new(host)) }
    }

    /// Calls a function on it, in the world that the page cannot see.
    pub(super) async fn ask(&self, function: &Kept, value: Value) -> Result<String, PageError> {
        match &self.place {
            Place::Near { page, id, found } => page.on(id, found.as_ref(), function, value).await,
            Place::Far(handle) => handle.ask(function, value).await,
        }
    }

    /// Calls a function in the same world, whatever became of the element.
    pub(super) async fn ask_beside(&self, function: &Kept, value: Value) -> Result<String, PageError> {
        match &self.place {
            Place::Near { page, .. } => page.beside(function, value).await,
            Place::Far(handle) => handle.ask(function, value).await,
        }
    }

    /// A handle to it.
    pub(super) async fn handle(&self) -> Result<Handle, PageError> {
        match &self.place {
            Place::Near { page, id, .. } => {
                Ok(Handle { session: page.session().clone(), object: page.element(id).await? })
            }
            Place::Far(handle) => Ok(handle.clone()),
        }
    }
}

/// A handle to an element, for as long as it is needed.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    pub(super) session: Session,
    pub(super) object: RemoteObjectId,
}

impl Handle {
    async fn ask(&self, function: &Kept, value: Value) -> Result<String, PageError> {
        let call = CallFunctionOn {
            function_declaration: function.source,
            object_id: Some(self.object.clone()),
            arguments: Some(vec![CallArgument { value: Some(value), ..CallArgument::default() }]),
            silent: true,
            return_by_value: true,
            await_promise: true,
            ..CallFunctionOn::default()
        };
        let evaluation = self.session.call(call).await?;
        if let Some(details) = evaluation.exception_details {
            let thrown = details.exception.and_then(|exception| exception.description);
            return Err(PageError::new(PageErrorKind::Script(thrown.unwrap_or(details.text))));
        }
        let text: Option<String> = evaluation.result.value_as()?;
        text.ok_or_else(|| PageError::new(PageErrorKind::Script("it answered nothing".to_owned())))
    }

    /// Lets go of it; nobody waits for that.
    pub(super) fn release(self) {
        tokio::spawn(async move {
            drop(self.session.call(ReleaseObject { object_id: self.object }).await);
        });
    }
}

/// What an element was found to be, for the page to compare with what it is.
pub(crate) fn found(observer: &str, found: Found<'_>) -> Value {
    let target = found.target;
    json!({
        "by": observer,
        "unchanged": found.unchanged,
        "found": {
            "role": target.role,
            "name": target.name,
            "stableId": target.stable_id,
            "scopeId": target.scope_id,
        },
    })
}
