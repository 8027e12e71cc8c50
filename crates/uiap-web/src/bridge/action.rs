//! Actions on what a frame published: they travel over its port, and the frame tells what became of them.

use std::time::Duration;

use serde_json::json;
use uiap_model::action::{ActionRequestPayload, ActionResultPayload, RequestTarget};
use uiap_model::names::{DocumentId, ElementInstanceId, ScopeId};

use super::entry::Place;
use super::greeting::{self, Question, Wait, fault};
use super::merge::{Within, inner_name};
use super::{Bridge, Child, Greeted, Inner};
use crate::error::{PageError, PageErrorKind};

/// How long an action may take that says nothing of it, and how long at most.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST_PATIENCE: Duration = Duration::from_mins(1);
/// Longest text of a result, in UTF-16 units.
const MOST_TEXT: u32 = 256 << 10;

impl Bridge {
    /// Has a frame carry out an action on an element that it published, named by its instance id in the last snapshot. Once the
    /// frame went elsewhere the element is gone, and nothing is sent. Any other error leaves open whether the
    /// action had an effect.
    pub async fn act(&self, request: &ActionRequestPayload) -> Result<ActionResultPayload, PageError> {
        let target = request.target.as_ref().and_then(|target| target.r#ref.as_ref());
        let Some(RequestTarget::InstanceId { value: id }) = target else {
            return Err(fault("an action for a frame names its target by the instance id"));
        };
        let gone = || PageError::new(PageErrorKind::Gone(id.to_string()));
        let (document, frame) = self.publisher(id).await.ok_or_else(gone)?;
        let Inner { browser, page, .. } = &*self.inner;
        let now = match Place::locate(browser, page, frame.place.host.clone()).await {
            Err(error) if error.is_document_gone() || matches!(error.kind(), PageErrorKind::Gone(_)) => None,
            now => now?,
        };
        if now.is_none_or(|now| now.loader != frame.place.loader) {
            return Err(gone());
        }
        let question = Question {
            message: json!({ "type": "action", "request": inward(request, &document) }),
            answer: ("result", "result"),
            most: MOST_TEXT,
            wait: Wait::default(),
            patience: request
                .timeout_ms
                .as_ref()
                .map_or(PATIENCE, |most| Duration::from_millis(most.0).min(MOST_PATIENCE)),
            serial: Some(frame.serial),
        };
        let answer = greeting::ask(page, &frame.place, question).await?;
        let text = answer.ok_or_else(gone)?.text;
        let result: ActionResultPayload =
            serde_json::from_str(&text).map_err(|_| fault(greeting::malformed(&text, "ActionResult")))?;
        if result.action_id != request.action_id {
            return Err(fault(format!("it told of another action than `{}`", request.action_id)));
        }
        Ok(outward(result, &document, &frame.root))
    }

    /// The frame that published an element, with the id of its document.
    async fn publisher(&self, id: &ElementInstanceId) -> Option<(DocumentId, Greeted)> {
        let children = self.inner.children.lock().await;
        children.iter().find_map(|(document, child)| match child {
            Child::Greeted(frame) if inner_name(document, id.as_str()).is_some() => {
                Some((document.clone(), frame.clone()))
            }
            _ => None,
        })
    }
}

/// The request in the names of the frame.
fn inward(request: &ActionRequestPayload, document: &DocumentId) -> ActionRequestPayload {
    let mut told = request.clone();
    if let Some(target) = &mut told.target {
        if let Some(RequestTarget::InstanceId { value }) = &mut target.r#ref
            && let Some(inner) = inner_name(document, value.as_str()).and_then(ElementInstanceId::parse)
        {
            *value = inner;
        }
        if let Some(scope) = &mut target.expected_scope_id
            && let Some(inner) = inner_name(document, scope.as_str()).and_then(ScopeId::parse)
        {
            *scope = inner;
        }
        // The frame knows its documents by other names, and the instance says which is meant.
        target.expected_document_id = None;
    }
    told
}

/// The result in the names of the page. Revisions of a frame are not those of its page.
fn outward(mut result: ActionResultPayload, document: &DocumentId, root: &DocumentId) -> ActionResultPayload {
    let within = Within { prefix: document.as_str(), root };
    result.state_revision = None;
    if let Some(target) = &mut result.resolved_target {
        target.instance_id = within.element_id(&target.instance_id);
        target.document_id = within.document_id(&target.document_id);
        target.scope_id = target.scope_id.as_ref().map(|id| within.scope(id));
    }
    result
}
