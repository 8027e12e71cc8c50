//! An action while it lives: what is known of it, and who is told.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use uiap_model::action::confirmation::ActionConfirmationRequestPayload;
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::{
    ActionProgressPayload, ActionResultPayload, ActionStage, ActionStatus, ResolvedTarget,
};
use uiap_model::capability::{ActionDescriptor, ExecutionMode};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionHandle, ElementInstanceId};
use uiap_model::policy::message::HandoffRequestPayload;
use uiap_model::web::PageGraph;
use uiap_policy::confirmation::Party;

use super::afterwatch::Claim;
use super::confirm::Question;
use super::control::Control;
use super::handoff::Handover;
use super::life::{ActionState, Chronicle};
use crate::resolve::Identity;
use crate::trace::{Recorder, Step};

/// What is told of an action, in order; the result comes last.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionEvent {
    /// How far it is.
    Progress(ActionProgressPayload),
    /// A person is asked.
    Confirmation(ActionConfirmationRequestPayload),
    /// A person is asked to do it.
    Handoff(HandoffRequestPayload),
    /// How it ended.
    Result(Arc<ActionResultPayload>),
}

/// What was asked for, by whom, and what is known of it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) handle: ActionHandle,
    pub(super) request: ActionRequestPayload,
    pub(super) args: JsonObject,
    pub(super) descriptor: ActionDescriptor,
    pub(super) by: Party,
    /// The page as the requester saw it last.
    pub(super) as_seen: Option<Arc<PageGraph>>,
    pub(super) control: Control,
    pub(super) question: Question,
    pub(super) handover: Handover,
    pub(super) trace: Recorder,
    /// Whether the journal knows that something is about to be sent.
    pub(super) announced: AtomicBool,
    /// Whether it knows that something was.
    pub(super) acknowledged: AtomicBool,
    facts: Mutex<Facts>,
    listeners: Mutex<Vec<mpsc::UnboundedSender<ActionEvent>>>,
    result: watch::Sender<Option<Arc<ActionResultPayload>>>,
}

#[derive(Debug)]
struct Facts {
    state: ActionState,
    target: Option<ResolvedTarget>,
    meant: Option<(ElementInstanceId, Identity)>,
    mode: Option<ExecutionMode>,
    note: Option<String>,
    claim: Option<Claim>,
}

impl Live {
    pub(super) fn new(
        handle: ActionHandle,
        request: ActionRequestPayload,
        descriptor: ActionDescriptor,
        by: Party,
        as_seen: Option<Arc<PageGraph>>,
        control: Control,
    ) -> Self {
        Self {
            trace: Recorder::new(handle.clone()),
            args: request.args.clone().unwrap_or_default(),
            handle,
            request,
            descriptor,
            by,
            as_seen,
            control,
            question: Question::default(),
            handover: Handover::default(),
            acknowledged: AtomicBool::new(false),
            announced: AtomicBool::new(false),
            facts: Mutex::new(Facts {
                state: ActionState::Received,
                target: None,
                meant: None,
                mode: None,
                note: None,
                claim: None,
            }),
            listeners: Mutex::default(),
            result: watch::Sender::new(None),
        }
    }

    pub(super) fn state(&self) -> ActionState {
        self.facts().state
    }

    pub(super) fn listen(&self) -> mpsc::UnboundedReceiver<ActionEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // Held while the result is looked for, so that it cannot slip through between.
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = self.result.borrow().clone() {
            drop(sender.send(ActionEvent::Result(result)));
        } else {
            listeners.push(sender);
        }
        receiver
    }

    pub(super) fn outcome(&self) -> watch::Receiver<Option<Arc<ActionResultPayload>>> {
        self.result.subscribe()
    }

    pub(super) fn tell(&self, event: &ActionEvent) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.send(event.clone()).is_ok());
    }

    pub(super) fn finish(&self, result: ActionResultPayload) {
        let result = Arc::new(result);
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        self.result.send_replace(Some(Arc::clone(&result)));
        for listener in listeners.drain(..) {
            // Whoever does not listen any more can still ask for the result.
            drop(listener.send(ActionEvent::Result(Arc::clone(&result))));
        }
    }

    pub(super) fn found(&self, target: &ResolvedTarget) {
        self.facts().target = Some(target.clone());
    }

    pub(super) fn target(&self) -> Option<ResolvedTarget> {
        self.facts().target.clone()
    }

    /// What its target was when it was found first: what takes its place later is something else.
    pub(super) fn means(&self, id: &ElementInstanceId, identity: &Identity) {
        self.facts().meant.get_or_insert_with(|| (id.clone(), identity.clone()));
    }

    pub(super) fn meant(&self, id: &ElementInstanceId) -> Option<Identity> {
        self.facts().meant.as_ref().filter(|(meant, _)| meant == id).map(|(_, identity)| identity.clone())
    }

    pub(super) fn chose(&self, mode: ExecutionMode) {
        self.facts().mode = Some(mode);
    }

    pub(super) fn mode(&self) -> Option<ExecutionMode> {
        self.facts().mode
    }

    /// What may still be taken back.
    pub(super) fn claims(&self, claim: Claim) {
        self.facts().claim = Some(claim);
    }

    pub(super) fn claim(&self) -> Option<Claim> {
        self.facts().claim.clone()
    }

    pub(super) fn succeeded(&self) -> Option<ActionStatus> {
        self.result.borrow().as_ref().map(|result| result.status)
    }

    /// Said with the next step.
    pub(super) fn remark(&self, note: impl Into<String>) {
        self.facts().note = Some(note.into());
    }

    /// More of the same stage.
    pub(super) fn progress(&self, stage: ActionStage, note: Option<String>, detail: Option<Value>) {
        let facts = self.facts();
        let payload = ActionProgressPayload {
            action_handle: self.handle.clone(),
            stage,
            chosen_execution_mode: facts.mode,
            resolved_target: facts.target.clone(),
            note: note.map(Into::into),
            detail: detail.and_then(|detail| detail.as_object().cloned()).map(JsonObject),
        };
        drop(facts);
        self.tell(&ActionEvent::Progress(payload));
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chronicle for Live {
    fn entered(&self, state: ActionState) {
        let note = {
            let mut facts = self.facts();
            facts.state = state;
            facts.note.take()
        };
        self.trace.note(Step::State { state: state.as_str().to_owned() });
        if let Some(stage) = state.stage() {
            self.progress(stage, note, None);
        }
    }
}
