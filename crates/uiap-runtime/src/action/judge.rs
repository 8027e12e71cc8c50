//! Whether an action worked, told as its result.

use std::collections::HashSet;

use serde_json::json;
use tokio::time::Instant;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ActionResultPayload, ActionStatus, RuntimeErrorCode};
use uiap_model::json::JsonObject;

use super::afterwatch::Claim;
use super::drive::{Prepared, end, failed};
use super::ending::{FailureClass, Stop};
use super::execute::{Carried, is_harmless};
use super::hands::journal;
use super::life::{Life, Verifying};
use super::live::Live;
use super::perform::Performed;
use super::runtime::Core;
use crate::scene::Mark;
use crate::surface::Surface;
use crate::trace::Step;
use crate::verify::{Attempt, Check, Expectation, Verdict, verify};

/// Looks whether what a person did worked.
pub(super) async fn look_after<S: Surface>(
    core: &Core<S>,
    live: &Live,
    life: Life<Verifying>,
    prepared: &Prepared,
    expectation: &Expectation,
    mark: Mark,
) -> ActionResultPayload {
    let carried = Carried {
        performed: Performed::of(Check::Change),
        mark,
        at: Instant::now(),
        pending: HashSet::new(),
        ambience: core.scene.ambience(),
        sent: true,
        settled: false,
    };
    look(core, live, life, prepared, expectation, carried).await
}

/// Looks whether it worked.
pub(super) async fn look<S: Surface>(
    core: &Core<S>,
    live: &Live,
    life: Life<Verifying>,
    prepared: &Prepared,
    expectation: &Expectation,
    carried: Carried,
) -> ActionResultPayload {
    let Carried { performed, mark, at, pending, ambience, sent, settled } = carried;
    let target = performed
        .watched
        .clone()
        .or_else(|| prepared.target.as_ref().map(|target| target.instance_id.clone()));
    let control = prepared.target.as_ref().map(|target| (&target.role, target.scope_id.as_ref()));
    let first_of_its_kind = core.trust().is_new(&prepared.graph, control, &performed.check)
        && core.surface.is_heard().await.unwrap_or(true);
    let seen_before = ambience.clone();
    let attempt = Attempt {
        mark,
        before: &prepared.graph,
        target,
        check: &performed.check,
        expectation,
        ambience,
        pending_before: &pending,
        dispatched_at: at,
        first_of_its_kind,
        settled,
        custom_sources: &[],
        returned: performed.value.as_ref(),
    };
    let harmless = is_harmless(live);
    let unknown = if sent && !harmless { SideEffectState::Unknown } else { SideEffectState::None };
    let looked =
        live.control.until(verify(&core.surface, &core.scene, &attempt, live.control.deadline())).await;
    core.trace_seen(live, mark, &seen_before);
    let verdict = match looked {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(error)) => {
            let stop = Stop { side_effect: unknown, ..Stop::from(error) };
            return end(live, life, &stop);
        }
        Err(stop) => {
            let stop = Stop { side_effect: unknown, ..stop };
            return end(live, life, &stop);
        }
    };
    live.trace.note(expected(expectation, &verdict));
    live.trace.note(Step::Verdict {
        passed: verdict.passed,
        class: verdict.class.map(|class| class.as_str().to_owned()),
        reason: verdict.reason.clone(),
        revision: verdict.revision.clone(),
    });
    if !verdict.passed {
        if performed.check.is_level() {
            core.trust().is_broken(&prepared.graph);
        }
        life.fail();
        let side_effect = if verdict.refused { SideEffectState::None } else { unknown };
        let side_effect = performed.side_effect.unwrap_or(side_effect);
        let stop = Stop {
            code: RuntimeErrorCode::VerificationFailed,
            message: format!("it was not seen to work: {}", verdict.reason),
            detail: detail(&verdict, performed.value.as_ref()),
            side_effect,
            class: verdict.class.or(Some(FailureClass::NoStateChange)),
        };
        let mut result = failed(live, &stop, Some((&verdict, expectation)));
        result.return_value = performed.value;
        return result;
    }
    if let Err(error) = core.verified(live) {
        return end(live, life, &Stop { side_effect: SideEffectState::Applied, ..journal(&error) });
    }
    if let Some(claim) = Claim::of(attempt.target.as_ref(), &performed.check, &verdict.observed) {
        live.claims(claim);
    }
    life.succeed();
    let applied = if sent && !harmless { SideEffectState::Applied } else { SideEffectState::None };
    let metadata = core.beside(&verdict);
    ActionResultPayload {
        action_handle: live.handle.clone(),
        action_id: live.request.action_id.clone(),
        status: ActionStatus::Succeeded,
        chosen_execution_mode: live.mode(),
        resolved_target: prepared.target.clone(),
        verification: verdict.outcome(expectation),
        side_effect_state: Some(performed.side_effect.unwrap_or(applied)),
        state_revision: Some(verdict.revision),
        return_value: performed.value,
        error: None,
        metadata,
    }
}

impl<S> Core<S> {
    /// What a success does not change, and whoever relies on it should know.
    fn beside(&self, verdict: &Verdict) -> Option<JsonObject> {
        let mut told = serde_json::Map::new();
        if !verdict.surprises.is_empty() {
            told.insert("contradicting".to_owned(), json!(verdict.surprises));
        }
        if !verdict.pending.is_empty() {
            let redactor = self.redactor();
            let urls: Vec<String> = verdict.pending.iter().take(10).map(|url| redactor.url(url)).collect();
            told.insert("unanswered".to_owned(), json!(urls));
        }
        (!told.is_empty()).then_some(JsonObject(told))
    }
}

fn detail(verdict: &Verdict, value: Option<&JsonObject>) -> Option<JsonObject> {
    let mut detail = serde_json::Map::new();
    if !verdict.surprises.is_empty() {
        detail.insert("contradicting".to_owned(), json!(verdict.surprises));
    }
    if let Some(outcome) = value.and_then(|value| value.0.get("outcome")) {
        detail.insert("outcome".to_owned(), outcome.clone());
    }
    (!detail.is_empty()).then_some(JsonObject(detail))
}

fn expected(expectation: &Expectation, verdict: &Verdict) -> Step {
    Step::Expected {
        policy: expectation.policy,
        combine: expectation.combine.as_str().to_owned(),
        observed: verdict.observed.clone(),
        missing: verdict.missing.clone(),
        against: verdict.surprises.iter().map(|surprise| surprise.kind.to_owned()).collect(),
        stuck: verdict.facts.needs_revision && !verdict.facts.advanced,
        facts: Box::new(verdict.facts.clone()),
    }
}
