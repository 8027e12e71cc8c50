//! What waits for a person: an action to agree to, or something that only a person may do. An agent never answers either.

use std::sync::{Arc, Weak};
use std::time::Duration;

use compact_str::CompactString;
use tokio::time::Instant;
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::names::ActionHandle;
use uiap_model::policy::message::{HandoffCompletedPayload, HandoffRequestPayload};
use uiap_policy::confirmation::Party;

use super::actions::Verdict;
use super::credential::Part;
use super::house::House;
use super::letter::now;
use super::session::{Session, lock};

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// May it be done?
    Confirmation(ActionConfirmationRequestPayload),
    /// Would you do it?
    Handoff(HandoffRequestPayload),
}

impl Question {
    fn handle(&self) -> Option<&ActionHandle> {
        match self {
            Self::Confirmation(request) => Some(&request.action_handle),
            Self::Handoff(request) => request.action_handle.as_ref(),
        }
    }
}

/// A question that nobody answered yet.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) question: Question,
    pub(crate) session: Weak<Session>,
    /// The page that was shown when it was asked.
    pub(crate) page: Option<CompactString>,
    pub(crate) since: String,
    asked: Instant,
    within: Option<Duration>,
}

impl Waiting {
    /// How long it can still be answered; none when it waits for as long as it takes.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.within.map(|within| within.saturating_sub(self.asked.elapsed()))
    }
}

impl House {
    /// Tells everybody who may answer that an action waits.
    pub(crate) fn ask_people(&self, session: &Arc<Session>, question: &Question) {
        let Some(handle) = question.handle().cloned() else { return };
        let within = match question {
            Question::Confirmation(_) => {
                session.eye.present_actions().and_then(|actions| actions.answer_within(&handle))
            }
            Question::Handoff(request) => request.timeout_ms.map(|time| Duration::from_millis(time.0)),
        };
        let waiting = Waiting {
            question: question.clone(),
            session: Arc::downgrade(session),
            page: session.eye.glance().map(|showing| showing.graph.route.url.clone()),
            since: now(),
            asked: Instant::now(),
            within,
        };
        lock(&self.questions).insert(handle, waiting);
        for approver in self.everybody().iter().filter(|each| each.owner.part == Part::Approver) {
            approver.put(question);
        }
        self.ring();
    }

    /// Every question that waits, the oldest first.
    pub(crate) fn waiting(&self) -> Vec<(ActionHandle, Waiting)> {
        let mut all: Vec<_> =
            lock(&self.questions).iter().map(|(handle, each)| (handle.clone(), each.clone())).collect();
        all.sort_by_key(|(_, each)| each.asked);
        all
    }

    /// An action is over: nobody needs to answer any more.
    pub(crate) fn settle(&self, handle: &ActionHandle) {
        if lock(&self.questions).remove(handle).is_none() {
            return;
        }
        for session in self.everybody() {
            lock(&session.asked).retain(|_, waiting| waiting != handle);
        }
    }

    /// A person's answer to an action that waits. The answer counts once.
    pub(crate) fn confirm(
        &self,
        handle: &ActionHandle,
        verdict: Verdict,
        by: &Party,
    ) -> Result<(), ErrorPayload> {
        let waits = |waiting: &Waiting| matches!(waiting.question, Question::Confirmation(_));
        let session =
            lock(&self.questions).get(handle).filter(|each| waits(each)).map(|each| each.session.clone());
        let missing = || ErrorPayload::new(CoreErrorCode::NotFound, format!("no action `{handle}` waits"));
        let session = session.and_then(|session| session.upgrade()).ok_or_else(missing)?;
        let actions = session.eye.present_actions().ok_or_else(missing)?;
        actions.answer(handle, verdict, by)?;
        self.settle(handle);
        self.ring();
        Ok(())
    }

    /// A person says how it went what only a person could do.
    pub(crate) fn hand_back(&self, message: &HandoffCompletedPayload) -> Result<(), ErrorPayload> {
        let id = &message.handoff_id;
        let missing = || ErrorPayload::new(CoreErrorCode::NotFound, format!("no handoff `{id}` waits"));
        let found = self.waiting().into_iter().find_map(|(handle, waiting)| match &waiting.question {
            Question::Handoff(request) if request.handoff_id == *id => Some((handle, waiting.session)),
            _ => None,
        });
        let (handle, session) = found.ok_or_else(missing)?;
        let session = session.upgrade().ok_or_else(missing)?;
        let actions = session.eye.present_actions().ok_or_else(missing)?;
        actions.handed_back(&handle, message)?;
        self.settle(&handle);
        self.ring();
        Ok(())
    }
}

impl Session {
    /// Puts a question to a person's tool.
    fn put(&self, question: &Question) {
        let sealed = match question {
            Question::Confirmation(request) => {
                let (id, sealed) = self.writer.request("action.confirmation.request", request);
                lock(&self.asked).insert(id, request.action_handle.clone());
                sealed
            }
            Question::Handoff(_) if !self.has_policy() => return,
            Question::Handoff(request) => self.writer.event(&self.policy_word("handoff.request"), request),
        };
        self.outbox.push(sealed.text);
    }
}
