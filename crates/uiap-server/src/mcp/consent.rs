//! A person's consent, asked for through the client: it shows the question to its user, and the model does not see it.

use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema};
use rmcp::service::ElicitationMode;
use rmcp::{Peer, RoleServer};
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_policy::confirmation::Party;
use uiap_policy::redact::displayable;
use uiap_runtime::action::Runtime;
use uiap_web::surface::WebSurface;

use crate::session::{Confirm, Nobody};

/// How long a person may think.
const THINK: Duration = Duration::from_secs(110);

/// Asks the client's user.
pub(super) struct Consent(pub(super) Peer<RoleServer>);

impl Confirm for Consent {
    async fn answer(&self, runtime: &Runtime<WebSurface>, question: &ActionConfirmationRequestPayload) {
        if !self.0.supported_elicitation_modes().contains(&ElicitationMode::Form) {
            return Nobody.answer(runtime, question).await;
        }
        let summary =
            question.preview.as_ref().and_then(|preview| preview.summary.clone()).unwrap_or_default();
        let reason = question.risk.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let message = displayable(&format!(
            "An agent wants to do this: {summary}. Risk: {}{reason}.",
            question.risk.level
        ));
        let agreed = match self.ask(message).await {
            Ok(agreed) => agreed,
            Err(error) => {
                tracing::warn!(%error, "the client could not ask its user");
                false
            }
        };
        let person = person();
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
}

impl Consent {
    async fn ask(&self, message: String) -> Result<bool, rmcp::ServiceError> {
        let schema = ElicitationSchema::builder().required_bool("agree").build();
        let Ok(requested_schema) = schema else { return Ok(false) };
        let question = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
        let answer = self.0.create_elicitation_with_timeout(question, Some(THINK)).await?;
        let agreed = answer.content.as_ref().and_then(|content| content.get("agree")?.as_bool());
        Ok(answer.action == ElicitationAction::Accept && agreed == Some(true))
    }
}

fn person() -> Party {
    let principal =
        PolicyPrincipal { principal_type: PrincipalType::User, id: "user".into(), roles: None, grants: None };
    Party { principal, connection: "elicitation".into() }
}
