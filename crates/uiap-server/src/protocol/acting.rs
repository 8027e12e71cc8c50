//! Actions in a session: asked for by agents, confirmed by people, told as they go.

use std::sync::Arc;

use tokio::sync::oneshot;
use uiap_model::action::request::{ActionCancelPayload, ActionCancelledPayload, Cancelled};
use uiap_model::action::result::ActionStage;
use uiap_model::action::{ActionConfirmationDenyPayload, ActionConfirmationGrantPayload};
use uiap_model::core::{CoreErrorCode, Envelope, ErrorPayload};
use uiap_model::names::ActionHandle;
use uiap_policy::Situation;
use uiap_runtime::action::{ActionEvent, Running};

use super::actions::Verdict;
use super::credential::Part;
use super::request::payload;
use super::session::{Outcome, Reply, Session, lock};

impl Session {
    pub(crate) async fn act(self: &Arc<Self>, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let actions = self.eye.actions().await?;
        let started = actions.request(&self.party(), payload(envelope)?, self.eye.seen()).await?;
        let sealed = self.answer(envelope, "action.accepted", &started.accepted);
        let (hold, begin) = oneshot::channel();
        self.tasks.spawn(Arc::clone(self).follow(started, begin));
        Ok(Reply { sealed: Arc::new(sealed), _hold: Some(hold) })
    }

    /// Tells what happens to an action, link or no link: whoever resumes the session gets it then.
    async fn follow(self: Arc<Self>, mut started: Running, begin: oneshot::Receiver<()>) {
        // A dropped sender says the same as a message: the answer has left.
        begin.await.ok();
        let situation = Situation::default();
        while let Some(event) = started.events.recv().await {
            let sealed = match event {
                ActionEvent::Progress(progress) => {
                    if progress.stage == ActionStage::Executing {
                        self.eye.acting(&progress.action_handle);
                    }
                    let shown = self.eye.redactor().progress(&progress, &situation);
                    self.writer.event("action.progress", &shown)
                }
                ActionEvent::Confirmation(request) => {
                    self.house.ask_approvers(&self, &request);
                    let (id, sealed) = self.writer.request("action.confirmation.request", &request);
                    lock(&self.asked).insert(id, request.action_handle.clone());
                    sealed
                }
                ActionEvent::Handoff(request) => self.writer.event("uiap.policy.handoff.request", &request),
                ActionEvent::Result(result) => {
                    self.house.settle(&result.action_handle);
                    self.eye.acted(&result.action_handle, result.state_revision.as_ref());
                    let shown = self.eye.redactor().result(&result, &situation);
                    self.writer.event("action.result", &shown)
                }
            };
            self.outbox.push(sealed.text);
        }
    }

    pub(crate) async fn cancel_action(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: ActionCancelPayload = payload(envelope)?;
        self.eye.actions().await?.cancel(&asked.action_handle, asked.reason.as_deref())?;
        let cancelled = ActionCancelledPayload {
            action_handle: asked.action_handle,
            status: Cancelled::Cancelled,
            reason: asked.reason,
        };
        Ok(self.answer(envelope, "action.cancelled", &cancelled).into())
    }

    pub(crate) async fn response(&self, envelope: Envelope) -> Outcome {
        let asked = envelope.correlation_id.as_ref();
        if is_confirmation(&envelope) {
            return self.confirm(&envelope).await;
        }
        let known = asked.is_some_and(|id| lock(&self.asked).remove(id.as_str()).is_some());
        if known {
            return Outcome::Silence;
        }
        let error = ErrorPayload::new(CoreErrorCode::UnknownCorrelation, "nothing was asked under this id");
        Outcome::Dropped(self.refuse(Some(&envelope.id), &error))
    }

    pub(crate) async fn event(&self, envelope: Envelope) -> Outcome {
        if is_confirmation(&envelope) { self.confirm(&envelope).await } else { Outcome::Silence }
    }

    /// A grant or a denial. Who may give it is told by the credential, never by the message.
    async fn confirm(&self, envelope: &Envelope) -> Outcome {
        match self.confirmed(envelope).await {
            Ok(()) => Outcome::Silence,
            // A person who answers in vain must know.
            Err(error) => Outcome::Reply(self.refuse(Some(&envelope.id), &error)),
        }
    }

    async fn confirmed(&self, envelope: &Envelope) -> Result<(), ErrorPayload> {
        if self.owner.part != Part::Approver {
            let message = "an agent cannot confirm actions; a person does, with a credential of their own";
            return Err(ErrorPayload::new(CoreErrorCode::Forbidden, message));
        }
        let (handle, verdict) = read(envelope)?;
        self.house.confirm(&handle, verdict, &self.party()).await
    }
}

fn is_confirmation(envelope: &Envelope) -> bool {
    matches!(envelope.message_type.as_str(), "action.confirmation.grant" | "action.confirmation.deny")
}

fn read(envelope: &Envelope) -> Result<(ActionHandle, Verdict), ErrorPayload> {
    if envelope.message_type == "action.confirmation.grant" {
        let grant: ActionConfirmationGrantPayload = payload(envelope)?;
        return Ok((grant.action_handle, Verdict::Grant));
    }
    let deny: ActionConfirmationDenyPayload = payload(envelope)?;
    Ok((deny.action_handle, Verdict::Deny(deny.reason.map(Into::into))))
}
