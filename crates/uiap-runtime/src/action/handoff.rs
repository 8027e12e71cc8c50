//! A person does it: by policy, or because the browser lets nobody else.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use uiap_model::action::result::{ActionResultPayload, RuntimeErrorCode};
use uiap_model::capability::SuccessSignal;
use uiap_model::json::Positive;
use uiap_model::names::ActionHandle;
use uiap_model::policy::document::{HandoffPolicy, OnHandoffTimeout};
use uiap_model::policy::message::{HandoffCompletedPayload, HandoffRequestPayload};
use uiap_model::policy::{PolicyDecision, PolicyObligation};
use uiap_model::web::PageGraph;
use uiap_model::web::evidence::Observation;
use uiap_model::web::signal::{WebSignal, WebSignalBody};
use uiap_policy::handoff::{HandoffStep, HandoffWait};

use super::confirm::AnswerError;
use super::drive::{Prepared, end};
use super::ending::Stop;
use super::execute::Acting;
use super::guard::plain;
use super::judge::look_after;
use super::life::{CheckingPreconditions, Executing, Life};
use super::live::{ActionEvent, Live};
use super::runtime::Core;
use crate::scene::{Event, Mark};
use crate::surface::Surface;
use crate::verify::Expectation;

/// How long a person has to do what only a person can.
const HANDOVER: Duration = Duration::from_mins(2);

/// What a person was asked to do, while that is open.
#[derive(Debug, Default)]
pub(super) struct Handover {
    open: Mutex<Option<(HandoffWait, HandoffStep)>>,
    told: Notify,
}

impl Handover {
    fn begin(&self, request: &HandoffRequestPayload, policy: Option<&HandoffPolicy>, now: u64) {
        let wait = HandoffWait::open(request, policy, now);
        *self.lock() = Some((wait, HandoffStep::Wait));
    }

    fn close(&self) {
        *self.lock() = None;
    }

    /// Somebody says how it ended.
    pub(super) fn completed(
        &self,
        handle: &ActionHandle,
        message: &HandoffCompletedPayload,
    ) -> Result<(), AnswerError> {
        let mut open = self.lock();
        let (wait, step) = open.as_mut().ok_or_else(|| AnswerError::NotWaiting(handle.clone()))?;
        match wait.completed(message) {
            HandoffStep::Ignore => return Err(AnswerError::NotWaiting(handle.clone())),
            next => *step = next,
        }
        drop(open);
        self.told.notify_one();
        Ok(())
    }

    fn step(&self) -> HandoffStep {
        self.lock().as_ref().map_or(HandoffStep::Wait, |(_, step)| *step)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(HandoffWait, HandoffStep)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Surface> Core<S> {
    /// The policy wants a person to do it.
    pub(super) async fn hand_over(
        &self,
        live: &Arc<Live>,
        life: Life<CheckingPreconditions>,
        prepared: Prepared,
        decision: &PolicyDecision,
    ) -> ActionResultPayload {
        let verification = live.request.verification.as_ref();
        let expectation =
            Expectation::new(verification, &live.descriptor, prepared.element(), &decision.obligations);
        // While a person uses the page nobody else does: what an agent clicks is no person's gesture.
        let _hands = match live.control.until(self.hands.lock()).await {
            Ok(hands) => hands,
            Err(stop) => return end(live, life, &stop),
        };
        let request = self.handoff(live, decision, &expectation);
        let note = request.instructions.as_ref().map_or_else(
            || {
                let preview = self.question(live, &prepared, decision).preview;
                let summary = preview.and_then(|it| it.summary).unwrap_or_default();
                format!("please do this yourself: {summary}")
            },
            plain,
        );
        live.remark(note);
        let mark = self.scene.mark();
        let _acting = Acting::begin(self, live);
        live.handover.begin(&request, self.policies().handoff(), self.now_ms());
        let life = life.hand_over();
        let resume_on = request.resume_on.clone().unwrap_or_default();
        live.tell(&ActionEvent::Handoff(request));
        let done = self.gesture(live, mark, &prepared.graph, &resume_on).await;
        live.handover.close();
        match done {
            Ok(()) => look_after(self, live, life.verify(), &prepared, &expectation, mark).await,
            Err(stop) => end(live, life, &stop),
        }
    }

    fn handoff(
        &self,
        live: &Live,
        decision: &PolicyDecision,
        expectation: &Expectation,
    ) -> HandoffRequestPayload {
        let told = decision.obligations.iter().find_map(|obligation| match obligation {
            PolicyObligation::Handoff { reason, instructions } => {
                Some((reason.clone(), instructions.clone()))
            }
            _ => None,
        });
        let (reason, instructions) = told.unwrap_or_else(|| ("policy".into(), None));
        let limit = self.handover_limit();
        HandoffRequestPayload {
            handoff_id: format!("handoff_{}", live.handle).into(),
            action_handle: Some(live.handle.clone()),
            workflow_instance_id: None,
            action_id: Some(live.request.action_id.clone()),
            reason,
            instructions,
            resume_on: Some(expectation.signals.clone()).filter(|signals| !signals.is_empty()),
            timeout_ms: Some(Positive(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1))),
        }
    }

    /// As long as the policy says; where it says to wait on, for an hour.
    fn handover_limit(&self) -> Duration {
        const LONGEST: Duration = Duration::from_hours(1);
        let policies = self.policies();
        let Some(policy) = policies.handoff() else { return HANDOVER };
        if policy.on_timeout == Some(OnHandoffTimeout::Wait) {
            return LONGEST;
        }
        policy.timeout_ms.map_or(HANDOVER, |time| Duration::from_millis(time.0).min(LONGEST))
    }

    /// Only a person's own gesture can do it: said so, and waited for.
    pub(super) async fn wait_for_user(
        &self,
        live: &Arc<Live>,
        life: Life<Executing>,
        prepared: &Prepared,
        expectation: &Expectation,
        stop: Stop,
    ) -> ActionResultPayload {
        let name = prepared.target.as_ref().and_then(|target| target.name.clone()).unwrap_or_default();
        live.remark(format!(
            "the browser lets only a person do this: please use “{name}” yourself ({})",
            stop.message
        ));
        let mark = self.scene.mark();
        let life = life.hand_over();
        match self.gesture(live, mark, &prepared.graph, &[]).await {
            Ok(()) => look_after(self, live, life.verify(), prepared, expectation, mark).await,
            Err(late) => {
                let late = match late.code {
                    RuntimeErrorCode::Timeout => nobody(),
                    _ => late,
                };
                end(live, life, &late)
            }
        }
    }

    /// Waits until a person really used the page, says that it is done, or what was to come of it is seen. What a script does
    /// is not told as an activation.
    async fn gesture(
        &self,
        live: &Live,
        mark: Mark,
        before: &PageGraph,
        resume_on: &[SuccessSignal],
    ) -> Result<(), Stop> {
        let limit = self.handover_limit();
        live.control.grant_time(limit);
        let waited = async {
            loop {
                let seen = self.scene.mark();
                match live.handover.step() {
                    HandoffStep::Verify => return Ok(()),
                    HandoffStep::Cancel => {
                        return Err(Stop::before(RuntimeErrorCode::Cancelled, "the person declined"));
                    }
                    HandoffStep::Wait | HandoffStep::Ignore => {}
                }
                if self.is_used(mark, before, resume_on) {
                    return Ok(());
                }
                tokio::select! {
                    changed = self.scene.changed(seen) => changed?,
                    () = live.handover.told.notified() => {}
                }
            }
        };
        live.control
            .until(tokio::time::timeout_at(Instant::now() + limit, waited))
            .await?
            .map_err(|_| nobody())?
    }

    fn is_used(&self, mark: Mark, before: &PageGraph, resume_on: &[SuccessSignal]) -> bool {
        let signals: Vec<WebSignal> = self
            .scene
            .since(mark)
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Signal(heard) => Some(heard.signal.clone()),
                _ => None,
            })
            .collect();
        let after = self.scene.graph();
        let observation = Observation { before, after: &after, signals: &signals, custom_sources: &[] };
        signals.iter().any(|signal| matches!(signal.body, WebSignalBody::UserActivation { is_active: true }))
            || resume_on.iter().any(|signal| observation.look(signal).observed())
    }
}

fn nobody() -> Stop {
    Stop::before(RuntimeErrorCode::UserActivationRequired, "no person did it in time")
}
