//! Actions in a session: asked for by agents, confirmed by people, told as they go.

use std::sync::Arc;

use tokio::sync::oneshot;
use uiap_model::action::request::{ActionCancelPayload, ActionCancelledPayload, Cancelled};
use uiap_model::action::result::ActionStage;
use uiap_model::action::{
    ActionConfirmationDenyPayload, ActionConfirmationGrantPayload, ActionRequestPayload,
};
use uiap_model::core::negotiation::canonical_type;
use uiap_model::core::{CoreErrorCode, Envelope, ErrorPayload};
use uiap_model::names::ActionHandle;
use uiap_policy::Situation;
use uiap_runtime::action::{ActionEvent, Running, intent};

use super::actions::Verdict;
use super::credential::Part;
use super::question::Question;
use super::request::payload;
use super::session::{Outcome, Reply, Session, lock};

impl Session {
    pub(crate) async fn act(self: &Arc<Self>, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let actions = self.eye.actions().await?;
        let asked: ActionRequestPayload = payload(envelope)?;
        let intent = intent(&asked).map(|intent| self.eye.redactor().text(intent));
        let started = actions.request(&self.party(), asked, self.eye.seen()).await?;
        lock(&self.diary).begin(&started.accepted, intent);
        self.house.ring();
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
                    lock(&self.diary).progress(&shown);
                    self.writer.event("action.progress", &shown)
                }
                ActionEvent::Confirmation(request) => {
                    let (id, sealed) = self.writer.request("action.confirmation.request", &request);
                    lock(&self.asked).insert(id, request.action_handle.clone());
                    self.house.ask_people(&self, &Question::Confirmation(request));
                    sealed
                }
                ActionEvent::Handoff(request) => {
                    let sealed = self.writer.event(&self.policy_word("handoff.request"), &request);
                    self.house.ask_people(&self, &Question::Handoff(request));
                    sealed
                }
                ActionEvent::Result(result) => {
                    self.house.settle(&result.action_handle);
                    self.eye.acted(&result.action_handle, result.state_revision.as_ref());
                    let shown = self.eye.redactor().result(&result, &situation);
                    let story = self.story(&result.action_handle);
                    lock(&self.diary).end(&shown, story);
                    self.writer.event("action.result", &shown)
                }
            };
            self.outbox.push(sealed.text);
            self.house.ring();
        }
    }

    /// What happened to an action that the page as it is now carried out.
    pub(crate) fn story(&self, handle: &ActionHandle) -> Option<String> {
        let actions = self.eye.present_actions()?;
        actions.story(handle).map(|story| self.eye.redactor().text(&story))
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

    pub(crate) fn response(&self, envelope: &Envelope) -> Outcome {
        let asked = envelope.correlation_id.as_ref();
        if is_confirmation(envelope) {
            return self.confirm(envelope);
        }
        let known = asked.is_some_and(|id| lock(&self.asked).remove(id.as_str()).is_some());
        if known {
            return Outcome::Silence;
        }
        let error = ErrorPayload::new(CoreErrorCode::UnknownCorrelation, "nothing was asked under this id");
        Outcome::Dropped(self.refuse(Some(&envelope.id), &error))
    }

    pub(crate) fn event(&self, envelope: &Envelope) -> Outcome {
        if is_confirmation(envelope) {
            return self.confirm(envelope);
        }
        if canonical_type(envelope.message_type.as_str()) == "uiap.policy.handoff.completed" {
            return self.told(envelope, self.handed_back(envelope));
        }
        Outcome::Silence
    }

    /// A grant or a denial. Who may give it is told by the credential, never by the message.
    fn confirm(&self, envelope: &Envelope) -> Outcome {
        self.told(envelope, self.confirmed(envelope))
    }

    /// An answer that counts needs no word, one that may not be given gets one, one that comes too late does not.
    fn told(&self, envelope: &Envelope, outcome: Result<(), ErrorPayload>) -> Outcome {
        match outcome {
            Ok(()) => Outcome::Silence,
            // A person who answers in vain must know.
            Err(error) => Outcome::Reply(self.refuse(Some(&envelope.id), &error)),
        }
    }

    fn confirmed(&self, envelope: &Envelope) -> Result<(), ErrorPayload> {
        if self.owner.part != Part::Approver {
            let message = "an agent cannot confirm actions; a person does, with a credential of their own";
            return Err(ErrorPayload::new(CoreErrorCode::Forbidden, message));
        }
        let (handle, verdict) = read(envelope)?;
        self.house.confirm(&handle, verdict, &self.party())
    }

    fn handed_back(&self, envelope: &Envelope) -> Result<(), ErrorPayload> {
        if self.owner.part != Part::Approver {
            let message = "an agent cannot say that a person did something";
            return Err(ErrorPayload::new(CoreErrorCode::Forbidden, message));
        }
        self.house.hand_back(&payload(envelope)?)
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
