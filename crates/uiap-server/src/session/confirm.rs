//! Who waits for the answer of an action, and who is asked when a person has to agree. The agent never is.

use std::future::Future;

use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_policy::confirmation::Party;
use uiap_policy::redact::displayable;
use uiap_runtime::action::Runtime;
use uiap_web::surface::WebSurface;

/// Where a question to a person stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The runtime has the answer, or has given up.
    Now,
    /// The answer comes with a later call.
    Later,
}

/// A way to a person, and to whoever waits.
pub trait Confirm: Send + Sync {
    /// Puts the question to a person and hands the answer to the runtime, or says that it comes later.
    fn answer(
        &self,
        runtime: &Runtime<WebSurface>,
        question: &ActionConfirmationRequestPayload,
    ) -> impl Future<Output = Asked> + Send;

    /// How far it is; in few words.
    fn note(&self, _stage: &str) {}
}

/// There is no way to a person: nothing is agreed to.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Confirm for Nobody {
    async fn answer(
        &self,
        runtime: &Runtime<WebSurface>,
        question: &ActionConfirmationRequestPayload,
    ) -> Asked {
        let why = "a person has to agree, and there is no way to ask one";
        if let Err(error) = runtime.cancel(&question.action_handle, Some(why)) {
            tracing::debug!(%error, "the action ended before it was given up");
        }
        Asked::Now
    }
}

/// The question in one paragraph, safe to be shown.
pub(crate) fn wording(question: &ActionConfirmationRequestPayload) -> String {
    let summary = question.preview.as_ref().and_then(|preview| preview.summary.clone()).unwrap_or_default();
    let reason = question.risk.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    displayable(&format!("An agent wants to do this: {summary}. Risk: {}{reason}.", question.risk.level))
}

/// Hands a person's answer to the runtime.
pub(crate) fn settle(
    runtime: &Runtime<WebSurface>,
    question: &ActionConfirmationRequestPayload,
    agreed: bool,
    way: &str,
) {
    let principal =
        PolicyPrincipal { principal_type: PrincipalType::User, id: "user".into(), roles: None, grants: None };
    let person = Party { principal, connection: way.into() };
    let handle = &question.action_handle;
    let told = if agreed {
        runtime.grant(&person, true, handle)
    } else {
        runtime.deny(&person, true, handle, Some("the user did not agree"))
    };
    if let Err(error) = told {
        tracing::info!(%error, "the answer came too late");
    }
}
