//! A person is asked and agrees or not; what runs then is what was shown, or nothing.

use std::sync::Arc;
use std::time::Duration;

use compact_str::CompactString;
use tokio::time::Instant;
use uiap_model::action::confirmation::{ActionConfirmationRequestPayload, ConfirmationPreview};
use uiap_model::action::result::{ActionResultPayload, RuntimeErrorCode};
use uiap_model::capability::RiskDescriptor;
use uiap_model::policy::audit::{AuditEvent, AuditOutcome};
use uiap_model::policy::{PolicyDecision, PolicyObligation};
use uiap_policy::confirmation::{ConfirmationBinding, Grant, PendingConfirmation, TargetIdentity};

use super::confirm::Answer;
use super::drive::{Prepared, end, still};
use super::ending::Stop;
use super::execute::execute;
use super::guard::{denied, plain};
use super::life::{CheckingPreconditions, Life};
use super::live::{ActionEvent, Live};
use super::runtime::Core;
use crate::surface::Surface;
use crate::trace::Step;

impl<S: Surface> Core<S> {
    /// Asks a person and waits for the answer.
    pub(super) async fn confirm(
        &self,
        live: &Arc<Live>,
        life: Life<CheckingPreconditions>,
        prepared: Prepared,
        decision: &PolicyDecision,
    ) -> ActionResultPayload {
        let nonce = match nonce() {
            Ok(nonce) => nonce,
            Err(stop) => return end(live, life, &stop),
        };
        let binding = self.binding(live, &prepared, decision, nonce);
        let pending = match PendingConfirmation::open(&binding, decision, live.by.clone(), self.now_ms()) {
            Ok(pending) => pending,
            Err(error) => {
                let stop = Stop::before(RuntimeErrorCode::InternalRuntimeError, error.to_string());
                return end(live, life, &stop);
            }
        };
        let answer = live.question.open(pending);
        let life = life.ask();
        live.trace.note(Step::Confirmation { event: "a person is asked".to_owned() });
        live.tell(&ActionEvent::Confirmation(self.question(live, &prepared, decision)));
        let grant = match self.answered(live, &prepared, decision, answer).await {
            Ok(grant) => grant,
            Err(stop) => return end(live, life, &stop),
        };
        let _hands = match live.control.until(self.hands.lock()).await {
            Ok(hands) => hands,
            Err(stop) => return end(live, life, &stop),
        };
        match self.redeem(live, &prepared, decision, &binding, grant).await {
            Ok((fresh, second)) => execute(self, live, life.execute(), fresh, &second, false).await,
            Err(stop) => end(live, life, &stop),
        }
    }

    /// Waits for the answer.
    async fn answered(
        &self,
        live: &Live,
        prepared: &Prepared,
        decision: &PolicyDecision,
        answer: tokio::sync::oneshot::Receiver<Answer>,
    ) -> Result<Grant, Stop> {
        let expires = expiry(decision);
        live.control.grant_time(expires);
        let asked = Instant::now();
        let answered = live.control.until(tokio::time::timeout(expires, answer)).await;
        live.question.close();
        match answered? {
            Ok(Ok(Answer::Yes(grant))) => {
                tracing::debug!(waited = ?asked.elapsed(), "a person agreed");
                Ok(grant)
            }
            Ok(Ok(Answer::No(reason))) => {
                let message = reason.unwrap_or_else(|| "the confirmation was denied".to_owned());
                Err(Stop::before(RuntimeErrorCode::ConfirmationDenied, message))
            }
            Ok(Err(_)) | Err(_) => {
                self.audit_end(live, prepared, decision, AuditEvent::Confirmation, AuditOutcome::Expired);
                Err(Stop::before(RuntimeErrorCode::Cancelled, "nobody confirmed it in time"))
            }
        }
    }

    /// Looks whether what would run now is what was agreed to, and still allowed.
    async fn redeem(
        &self,
        live: &Live,
        prepared: &Prepared,
        decision: &PolicyDecision,
        binding: &ConfirmationBinding,
        grant: Grant,
    ) -> Result<(Prepared, PolicyDecision), Stop> {
        let Some(fresh) = still(self, live, prepared).await? else {
            let message = "the target is not what the person agreed to any more; ask again";
            return Err(Stop::before(RuntimeErrorCode::StaleTarget, message));
        };
        let second = self.decide(live, &fresh)?;
        if second.effect > decision.effect {
            return Err(denied(&second));
        }
        // The page may have gone on while the person thought; what was agreed to must not have.
        let mut now = self.binding(live, &fresh, decision, binding.nonce.clone());
        now.revision = binding.revision.clone();
        grant
            .redeem(&now, self.now_ms())
            .map_err(|drift| Stop::before(RuntimeErrorCode::StaleTarget, drift.to_string()))?;
        Ok((fresh, second))
    }

    fn binding(
        &self,
        live: &Live,
        prepared: &Prepared,
        decision: &PolicyDecision,
        nonce: CompactString,
    ) -> ConfirmationBinding {
        let root = prepared.graph.documents.first();
        ConfirmationBinding {
            session_id: self.options.session_id.clone(),
            action_handle: live.handle.clone(),
            decision_id: decision.decision_id.clone(),
            action_id: live.request.action_id.clone(),
            target: prepared.target.as_ref().map(|target| TargetIdentity::new(target, prepared.items())),
            args: live.request.args.clone(),
            risk: Self::risk(live, prepared),
            origin: root.and_then(|root| root.origin.clone()),
            revision: prepared.graph.revision.clone(),
            nonce,
        }
    }

    /// The strictest that action and target say.
    fn risk(live: &Live, prepared: &Prepared) -> RiskDescriptor {
        let own = &live.descriptor.risk;
        let of_target = prepared.element().and_then(|element| element.risk.as_ref());
        match of_target {
            Some(of_target) if of_target.level > own.level => (**of_target).clone(),
            _ => own.clone(),
        }
    }

    pub(super) fn question(
        &self,
        live: &Live,
        prepared: &Prepared,
        decision: &PolicyDecision,
    ) -> ActionConfirmationRequestPayload {
        let what = prepared.target.as_ref().map_or_else(String::new, |target| {
            format!(" on {} “{}”", target.role, target.name.as_deref().unwrap_or("without a name"))
        });
        let row = prepared.items().into_iter().find_map(|(role, name)| Some((role, name?)));
        let row = row.map_or_else(String::new, |(role, name)| format!(" in {role} “{name}”"));
        let origin = prepared.graph.documents.first().and_then(|root| root.origin.as_deref());
        let origin = origin.map_or_else(String::new, |origin| format!(", at {origin}"));
        let said = decision.obligations.iter().find_map(|obligation| match obligation {
            PolicyObligation::Confirm { text: Some(text), .. } => Some(format!(": {}", plain(text))),
            _ => None,
        });
        let summary = format!("{}{what}{row}{origin}{}", live.descriptor.id, said.unwrap_or_default());
        let preview = ConfirmationPreview {
            summary: Some(summary.into()),
            target: prepared.target.clone(),
            args: live.request.args.clone(),
        };
        let situation = Self::situation(live, prepared);
        ActionConfirmationRequestPayload {
            action_handle: live.handle.clone(),
            action_id: live.request.action_id.clone(),
            risk: Self::risk(live, prepared),
            preview: Some(self.redactor().preview(&preview, &situation)),
        }
    }
}

/// A word that nobody can know beforehand.
fn nonce() -> Result<CompactString, Stop> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("the system gives no randomness: {error}");
        Stop::before(RuntimeErrorCode::InternalRuntimeError, message)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
}

fn expiry(decision: &PolicyDecision) -> Duration {
    let asked = decision.obligations.iter().filter_map(|obligation| match obligation {
        PolicyObligation::Confirm { expires_ms, .. } => expires_ms.map(|time| time.0),
        _ => None,
    });
    let usual = uiap_policy::confirmation::USUAL_EXPIRY_MS;
    Duration::from_millis(asked.min().unwrap_or(usual).min(usual))
}
