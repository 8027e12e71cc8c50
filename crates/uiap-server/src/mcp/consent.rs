//! A person's consent: asked for through the client, which shows the question to its user, or at a page of the person's own. The model
//! sees neither.

use std::sync::{Mutex, PoisonError};

use rmcp::model::{ElicitationAction, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_runtime::action::Runtime;
use uiap_web::surface::WebSurface;

use super::tools;
use crate::asking::{Desk, THINK};
use crate::session::confirm::{settle, wording};
use crate::session::{Asked, Confirm, Nobody};

/// How a person is reached.
enum Way {
    /// The client is sent a request while the call is open.
    Request(Peer<RoleServer>),
    /// The call ends with a question, and the client calls again with the answer.
    Input,
    /// At a page on this machine.
    Desk(Desk),
    /// Not at all.
    None,
}

/// Who waits for an answer over this protocol.
pub(super) struct Consent {
    way: Way,
    stage: Mutex<String>,
}

impl Consent {
    pub(super) fn new(context: &RequestContext<RoleServer>, desk: Option<&Desk>) -> Self {
        let elicits = context
            .client_capabilities()
            .and_then(|capabilities| capabilities.elicitation)
            .is_some_and(|offered| offered.form.is_some() || offered.url.is_none());
        let newest = ProtocolVersion::V_2026_07_28;
        let inline = context.protocol_version().is_some_and(|version| version.as_str() >= newest.as_str());
        let way = match (elicits, inline, desk) {
            (true, true, _) => Way::Input,
            (true, false, _) => Way::Request(context.peer.clone()),
            (false, _, Some(desk)) => Way::Desk(desk.clone()),
            (false, _, None) => Way::None,
        };
        Self { way, stage: Mutex::default() }
    }

    /// How far it is.
    pub(super) fn stage(&self) -> String {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Confirm for Consent {
    async fn answer(
        &self,
        runtime: &Runtime<WebSurface>,
        question: &ActionConfirmationRequestPayload,
    ) -> Asked {
        let agreed = match &self.way {
            Way::None => return Nobody.answer(runtime, question).await,
            Way::Input => return Asked::Later,
            Way::Request(peer) => ask(peer, wording(question)).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the client could not ask its user");
                false
            }),
            Way::Desk(desk) => desk.ask(wording(question)).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "nobody was asked");
                false
            }),
        };
        settle(runtime, question, agreed, "elicitation");
        Asked::Now
    }

    fn note(&self, stage: &str) {
        stage.clone_into(&mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

async fn ask(peer: &Peer<RoleServer>, message: String) -> Result<bool, rmcp::ServiceError> {
    let Some(question) = tools::form(message) else { return Ok(false) };
    let answer = peer.create_elicitation_with_timeout(question, Some(THINK)).await?;
    Ok(answer.action == ElicitationAction::Accept && tools::said_yes(answer.content.as_ref()))
}
