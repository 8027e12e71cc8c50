//! What is written down of an action, and what of it may be told: trace, audit, journal.

use std::sync::atomic::Ordering;

use serde_json::json;
use uiap_model::action::result::{ActionResultPayload, ActionStatus, RuntimeErrorCode};
use uiap_model::json::JsonObject;
use uiap_model::names::ActionHandle;
use uiap_model::policy::PolicyDecision;
use uiap_model::policy::audit::{AuditEvent, AuditOutcome, AuditTarget};
use uiap_model::web::ElementNode;
use uiap_policy::Situation;
use uiap_policy::audit::AuditDraft;
use uiap_policy::confirmation::Party;

use super::confirm::AnswerError;
use super::drive::Prepared;
use super::ending::Stop;
use super::live::Live;
use super::plan;
use super::presenter::Moment;
use super::runtime::Core;
use crate::ambience::Ambience;
use crate::clock;
use crate::journal::JournalError;
use crate::scene::{Event, Mark};
use crate::surface::Surface;
use crate::trace::{self, Step};
use crate::verify::{is_ambient, is_meaningful};

impl<S: Surface> Core<S> {
    /// Arguments as they may be written down.
    pub(super) fn redacted_args(&self, live: &Live) -> Option<JsonObject> {
        let args = live.request.args.as_ref()?;
        let situation = Situation { descriptor: Some(&live.descriptor), ..Situation::default() };
        let mut shown = self.redactor().for_audit().object(args, &situation, &[]);
        // What is typed may be a secret; whether it is, is known when the target is.
        if let Some(text) = shown.0.get_mut("text") {
            *text = json!(format!(
                "({} characters)",
                args.0.get("text").and_then(|text| text.as_str()).map_or(0, |text| text.chars().count())
            ));
        }
        Some(shown)
    }

    /// What goes into a field that hides what it holds must not come out anywhere else.
    pub(super) fn learn_secrets(&self, live: &Live, element: Option<&ElementNode>) {
        if element.is_some_and(|element| element.state.sensitive == Some(true)) {
            for name in ["text", "value"] {
                if let Some(secret) = live.args.0.get(name).and_then(|value| value.as_str()) {
                    self.redactor().learn(secret);
                }
            }
        }
    }

    /// Writes into the trace what was seen since.
    pub(super) fn trace_seen(&self, live: &Live, mark: Mark, ambience: &Ambience) {
        let (mut changed, mut ambient, mut revision) = (0_u64, 0_u64, None);
        let entries = self.scene.since(mark);
        for (at, entry) in entries.iter().enumerate() {
            match &entry.event {
                Event::Signal(heard) => {
                    let body = &heard.signal.body;
                    let text = serde_json::to_string(body).unwrap_or_default();
                    let text: String = self.redactor().text(&text).chars().take(200).collect();
                    let next = entries.iter().skip(at).find_map(|later| match &later.event {
                        Event::Revision(seen) if later.at == entry.at => Some(seen),
                        _ => None,
                    });
                    let link = trace::link(heard, &live.handle, next.map(|seen| &**seen)).to_owned();
                    let place = heard.place.as_deref().map(|place| self.redactor().text(place));
                    live.trace.note(Step::Signal { signal: body.tag().to_owned(), link, text, place });
                }
                Event::Revision(seen) => {
                    for touched in &seen.elements {
                        let meant = match (&touched.before, &touched.after) {
                            (Some(before), Some(after)) => is_meaningful(before, after),
                            _ => true,
                        };
                        changed += u64::from(meant);
                        ambient += u64::from(meant && is_ambient(touched, seen, ambience, entry.at));
                    }
                    revision = Some(seen.graph.revision.clone());
                }
                Event::Lost(error) => live.trace.note(Step::Note { text: error.to_string() }),
            }
        }
        if let Some(revision) = revision {
            live.trace.note(Step::Changes { revision, elements: changed, ambient });
        }
    }

    /// The end: journal, audit, trace, and whoever waits.
    pub(super) fn conclude(&self, live: &Live, mut result: ActionResultPayload) {
        let untold = self.notices().take_untold();
        if !untold.is_empty() {
            let metadata = result.metadata.get_or_insert_default();
            metadata.0.insert("notices".to_owned(), json!(untold));
        }
        if let Some(intent) = plan::intent(&live.request) {
            let metadata = result.metadata.get_or_insert_default();
            metadata.0.insert("intent".to_owned(), json!(intent));
        }
        let situation = Situation { descriptor: Some(&live.descriptor), ..Situation::default() };
        let result = self.redactor().result(&result, &situation);
        let side_effect = result.side_effect();
        live.trace.note(Step::Result {
            status: result.status,
            code: result.error.as_ref().map(|error| error.code),
            message: result.error.as_ref().map(|error| error.message.to_string()),
            side_effect_state: side_effect,
        });
        let text = serde_json::to_string(&result).unwrap_or_default();
        if let Err(error) = self.options.journal.finish(&live.handle, result.status, side_effect, &text) {
            tracing::error!(%error, "the end of an action could not be written down");
        }
        let outcome = match result.status {
            ActionStatus::Succeeded => AuditOutcome::Succeeded,
            ActionStatus::Failed => AuditOutcome::Failed,
            ActionStatus::Cancelled => AuditOutcome::Cancelled,
        };
        let mut draft = AuditDraft::new(
            AuditEvent::Execution,
            &live.by.principal,
            uiap_model::policy::AuditLevel::Metadata,
        );
        draft.outcome = Some(outcome);
        draft.side_effect_state = Some(side_effect);
        self.append(
            &live.handle,
            draft,
            result.resolved_target.as_ref().map(|target| AuditTarget {
                stable_id: target.stable_id.clone(),
                role: Some(target.role.clone()),
                scope_id: target.scope_id.clone(),
            }),
        );
        self.cue(live, Moment::End(result.status), None);
        live.finish(result);
    }

    pub(super) fn write_down(&self, live: &Live, prepared: &Prepared, draft: AuditDraft) {
        let target = prepared.target.as_ref().map(|target| AuditTarget {
            stable_id: target.stable_id.clone(),
            role: Some(target.role.clone()),
            scope_id: target.scope_id.clone(),
        });
        self.append(&live.handle, draft, target);
    }

    pub(super) fn append(&self, handle: &ActionHandle, mut draft: AuditDraft, target: Option<AuditTarget>) {
        draft.action_handle = Some(handle.clone());
        draft.target = target;
        let Some(sink) = &self.options.audit else { return };
        let Some(now) = clock::now() else { return };
        let mut trail = self.trail.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = match trail.append(draft, now) {
            Ok(Some(record)) => sink(&record),
            Ok(None) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = kept {
            tracing::error!(%error, "an audit record could not be kept; nothing is sent any more");
            self.unaudited.store(true, Ordering::SeqCst);
        }
    }

    /// What nobody could account for is not done.
    pub(super) fn is_accounted_for(&self) -> Result<(), Stop> {
        if !self.unaudited.load(Ordering::SeqCst) {
            return Ok(());
        }
        let message = "the audit chain cannot be written; nothing is done without it";
        Err(Stop::before(RuntimeErrorCode::InternalRuntimeError, message))
    }

    pub(super) fn audit_end(
        &self,
        live: &Live,
        prepared: &Prepared,
        decision: &PolicyDecision,
        event: AuditEvent,
        outcome: AuditOutcome,
    ) {
        let mut draft = AuditDraft::of_decision(event, &Self::ask(live, prepared), decision);
        draft.outcome = Some(outcome);
        self.write_down(live, prepared, draft);
    }

    /// An answer, or an attempt to give one.
    pub(super) fn audit_answer(&self, live: &Live, by: &Party, outcome: Result<bool, &AnswerError>) {
        let (event, told) = match outcome {
            Ok(true) => (AuditOutcome::Granted, "a person agreed".to_owned()),
            Ok(false) => (AuditOutcome::Denied, "a person did not agree".to_owned()),
            Err(error) => (AuditOutcome::Denied, format!("an answer did not count: {error}")),
        };
        live.trace.note(Step::Confirmation { event: told });
        let mut draft = AuditDraft::new(
            AuditEvent::Confirmation,
            &by.principal,
            uiap_model::policy::AuditLevel::Metadata,
        );
        draft.outcome = Some(event);
        self.append(&live.handle, draft, None);
    }

    /// The signals were seen: nobody has to guess any more.
    pub(super) fn verified(&self, live: &Live) -> Result<(), JournalError> {
        // What a person did was never sent by us.
        if live.announced.load(Ordering::SeqCst) {
            self.options.journal.verified(&live.handle)
        } else {
            Ok(())
        }
    }
}
