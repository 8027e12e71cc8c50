//! Leads one action through its life, from request to result.

use std::sync::Arc;
use std::time::Duration;

use compact_str::CompactString;
use tokio::time::Instant;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ActionResultPayload, ActionStatus, ResolvedTarget, RuntimeErrorCode};
use uiap_model::action::verification::{VerificationOutcome, VerificationPolicy};
use uiap_model::capability::UIRole;
use uiap_model::policy::{PolicyDecision, PolicyEffect};
use uiap_model::web::{ElementNode, PageGraph};

use super::aim::{at_hand, find_target};
use super::ending::Stop;
use super::execute::execute;
use super::life::{ActionState, CheckingPreconditions, Chronicle as _, Life, Recovering, ResolvingTarget};
use super::live::Live;
use super::obstacle::{Readiness, get_past, ready};
use super::plan;
use super::runtime::Core;
use crate::resolve::Identity;
use crate::surface::Surface;
use crate::trace::Step;
use crate::verify::{Expectation, Verdict, find};

/// So long a look is as good as another one.
const RECENT: Duration = Duration::from_millis(30);

/// What an action is done to, and what follows from that.
pub(super) struct Prepared {
    pub(super) graph: Arc<PageGraph>,
    /// When the page was looked at.
    pub(super) at: Instant,
    /// Whether that was before this action began: the app must not have changed since.
    pub(super) unchanged: bool,
    pub(super) target: Option<ResolvedTarget>,
    pub(super) identity: Option<Identity>,
    pub(super) confidence: f64,
}

impl Prepared {
    pub(super) fn element(&self) -> Option<&ElementNode> {
        let target = self.target.as_ref()?;
        find(&self.graph, &target.instance_id).map(|(_, element)| element)
    }

    /// The rows and items that the target belongs to, the nearest first.
    pub(super) fn items(&self) -> Vec<(UIRole, Option<CompactString>)> {
        self.identity.as_ref().map(Identity::items).unwrap_or_default()
    }
}

/// Leads an action to its end and tells of it. A fault of ours ends this action and nothing else.
pub(super) async fn drive<S: Surface>(core: Arc<Core<S>>, live: Arc<Live>) {
    let args = core.redacted_args(&live);
    let intent = plan::intent(&live.request).map(|intent| core.redactor().text(intent));
    live.trace.note(Step::Request { action_id: live.request.action_id.clone(), args, intent });
    let work = tokio::spawn({
        let (core, live) = (Arc::clone(&core), Arc::clone(&live));
        async move { run(&core, &live).await }
    });
    let result = match work.await {
        Ok(result) => result,
        Err(fault) => {
            tracing::error!(%fault, "an action failed by a fault of the runtime");
            let stop = Stop {
                side_effect: SideEffectState::Unknown,
                ..Stop::before(
                    RuntimeErrorCode::InternalRuntimeError,
                    "the runtime failed; this is a fault of its own",
                )
            };
            live.question.close();
            live.entered(ActionState::Failed);
            failed(&live, &stop, None)
        }
    };
    core.conclude(&live, result);
    super::afterwatch::spawn(&core, &live);
}

/// A life that ended, and how.
pub(super) fn end<T>(live: &Live, life: Life<T>, stop: &Stop) -> ActionResultPayload {
    live.question.close();
    match stop.status() {
        ActionStatus::Cancelled => life.cancel(),
        _ => life.fail(),
    }
    failed(live, stop, None)
}

pub(super) fn failed(
    live: &Live,
    stop: &Stop,
    verdict: Option<(&Verdict, &Expectation)>,
) -> ActionResultPayload {
    let policy = live.request.verification.as_ref().and_then(|spec| spec.policy);
    let verification = verdict.map_or_else(
        || VerificationOutcome {
            passed: false,
            policy: policy.unwrap_or(VerificationPolicy::CapabilityDefault),
            observed: Vec::new(),
            missing: live.request.verification.as_ref().and_then(|spec| spec.signals.clone()),
            timeout_ms: None,
        },
        |(verdict, expectation)| verdict.outcome(expectation),
    );
    ActionResultPayload {
        action_handle: live.handle.clone(),
        action_id: live.request.action_id.clone(),
        status: stop.status(),
        chosen_execution_mode: live.mode(),
        resolved_target: live.target(),
        verification,
        side_effect_state: Some(stop.side_effect),
        state_revision: verdict.map(|(verdict, _)| verdict.revision.clone()),
        return_value: None,
        error: Some(stop.descriptor()),
        metadata: None,
    }
}

async fn run<S: Surface>(core: &Core<S>, live: &Arc<Live>) -> ActionResultPayload {
    let life = Life::begin(Arc::<Live>::clone(live)).resolve();
    let (life, prepared, decision) = match prepare(core, live, life).await {
        Ok(ready) => ready,
        Err(result) => return *result,
    };
    match decision.effect {
        PolicyEffect::Deny => {
            let stop = super::guard::denied(&decision);
            end(live, life, &stop)
        }
        PolicyEffect::Handoff => core.hand_over(live, life, prepared, &decision).await,
        PolicyEffect::Confirm => core.confirm(live, life, prepared, &decision).await,
        PolicyEffect::Allow => {
            let _hands = match live.control.until(core.hands.lock()).await {
                Ok(hands) => hands,
                Err(stop) => return end(live, life, &stop),
            };
            match still(core, live, &prepared).await {
                Ok(Some(fresh)) => execute(core, live, life.execute(), fresh, &decision, true).await,
                Ok(None) => again(core, live, life.recover()).await,
                Err(stop) => end(live, life, &stop),
            }
        }
    }
}

/// Resolves, checks, asks the policy.
async fn prepare<S: Surface>(
    core: &Core<S>,
    live: &Arc<Live>,
    life: Life<ResolvingTarget>,
) -> Result<(Life<CheckingPreconditions>, Prepared, PolicyDecision), Box<ActionResultPayload>> {
    let found = match at_hand(core, live) {
        Some(prepared) => Ok(prepared),
        None => find_target(core, live).await,
    };
    let prepared = match found {
        Ok(prepared) => prepared,
        Err(stop) => return Err(Box::new(end(live, life, &stop))),
    };
    let mut life = life.check();
    let decision = match core.decide(live, &prepared) {
        Ok(decision) => decision,
        Err(stop) => return Err(Box::new(end(live, life, &stop))),
    };
    if decision.effect == PolicyEffect::Deny {
        return Ok((life, prepared, decision));
    }
    core.notify(live, &decision);
    if let Err(stop) = core.modes(live, &decision) {
        return Err(Box::new(end(live, life, &stop)));
    }
    let asks = decision.effect == PolicyEffect::Confirm;
    let prepared = match ready(core, live, &prepared, asks).await {
        Ok(Readiness::Ready) => prepared,
        Ok(Readiness::Recover(why)) => {
            live.remark(why);
            life = life.recover().check();
            if let Err(stop) = get_past(core, live, &prepared).await {
                return Err(Box::new(end(live, life, &stop)));
            }
            Prepared { graph: core.scene.graph(), at: Instant::now(), unchanged: false, ..prepared }
        }
        Err(stop) => return Err(Box::new(end(live, life, &stop))),
    };
    if let Err(stop) = core.show(live, &prepared).await {
        return Err(Box::new(end(live, life, &stop)));
    }
    Ok((life, prepared, decision))
}

/// Whether the target is still what it was; none when it is not.
pub(super) async fn still<S: Surface>(
    core: &Core<S>,
    live: &Live,
    prepared: &Prepared,
) -> Result<Option<Prepared>, Stop> {
    if !core.active.load(std::sync::atomic::Ordering::SeqCst) {
        return Err(Stop::before(RuntimeErrorCode::Cancelled, "the session is not active any more"));
    }
    // Whoever compares the target when it is used needs no look that would be older.
    let recent = core.surface.checks() && prepared.at.elapsed() < RECENT;
    let (graph, at) = if recent {
        (core.scene.graph(), prepared.at)
    } else {
        (live.control.until(core.scene.look()).await??, Instant::now())
    };
    let unchanged = recent && prepared.unchanged;
    let Some(target) = &prepared.target else {
        return Ok(Some(Prepared {
            graph,
            at,
            unchanged,
            target: None,
            identity: None,
            confidence: prepared.confidence,
        }));
    };
    let Some((scope, element)) = find(&graph, &target.instance_id) else { return Ok(None) };
    let row = || prepared.identity.as_ref().is_none_or(|meant| meant.is_still(&graph, &target.instance_id));
    let same = element.role == target.role
        && element.name == target.name
        && Some(&scope.id) == target.scope_id.as_ref()
        && element.stable_id == target.stable_id
        && (Arc::ptr_eq(&graph, &prepared.graph) || row());
    if !same {
        return Ok(None);
    }
    Ok(Some(Prepared {
        target: Some(ResolvedTarget { bbox: element.bbox.as_deref().cloned(), ..target.clone() }),
        identity: prepared.identity.clone(),
        confidence: prepared.confidence,
        graph,
        at,
        unchanged,
    }))
}

/// The target went or became another before anything was sent: it is looked for once more, and only once.
pub(super) async fn again<S: Surface>(
    core: &Core<S>,
    live: &Arc<Live>,
    life: Life<Recovering>,
) -> ActionResultPayload {
    let life = life.resolve();
    let prepared = match find_target(core, live).await {
        Ok(prepared) => prepared,
        Err(stop) => return end(live, life, &stop),
    };
    let life = life.check();
    let stricter = match core.decide(live, &prepared) {
        Ok(decision) => decision,
        Err(stop) => return end(live, life, &stop),
    };
    if stricter.effect != PolicyEffect::Allow {
        let stop = Stop::before(
            RuntimeErrorCode::StaleTarget,
            "the target changed before it was used, and what is there now needs another decision",
        );
        return end(live, life, &stop);
    }
    if let Err(stop) = ready(core, live, &prepared, false).await {
        return end(live, life, &stop);
    }
    match still(core, live, &prepared).await {
        Ok(Some(fresh)) => Box::pin(execute(core, live, life.execute(), fresh, &stricter, false)).await,
        Ok(None) => {
            let stop =
                Stop::before(RuntimeErrorCode::StaleTarget, "the target changes faster than it can be used");
            end(live, life, &stop)
        }
        Err(stop) => end(live, life, &stop),
    }
}
