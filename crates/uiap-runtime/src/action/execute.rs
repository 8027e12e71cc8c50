//! Carries an action out: what is sent, and what is remembered of the moment before.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ActionResultPayload, RuntimeErrorCode};
use uiap_model::capability::{ExecutionMode, PrimitiveActionType as Action};
use uiap_model::policy::PolicyDecision;

use super::drive::{Prepared, again, end};
use super::ending::Stop;
use super::hands::Hands;
use super::invoke::invoke;
use super::judge::look;
use super::life::{Executing, Life};
use super::live::Live;
use super::perform::{self, Args, On, Performed};
use super::primitive;
use super::runtime::Core;
use super::travel::navigate;
use crate::scene::Mark;
use crate::surface::Surface;
use crate::verify::Expectation;

/// What was carried out, and what must be seen of it.
pub(super) struct Carried {
    pub(super) performed: Performed,
    pub(super) mark: Mark,
    pub(super) at: Instant,
    pub(super) pending: HashSet<String>,
    pub(super) ambience: crate::ambience::Ambience,
    pub(super) sent: bool,
    /// Whether the app is over what it did at once.
    pub(super) settled: bool,
}

/// Does it and looks whether it worked.
pub(super) async fn execute<S: Surface>(
    core: &Core<S>,
    live: &Arc<Live>,
    life: Life<Executing>,
    prepared: Prepared,
    decision: &PolicyDecision,
    may_look_again: bool,
) -> ActionResultPayload {
    let expectation = Expectation::new(
        live.request.verification.as_ref(),
        &live.descriptor,
        prepared.element(),
        &decision.obligations,
    );
    if expectation.is_impossible() {
        let stop = Stop::before(RuntimeErrorCode::InvalidArgs, "`any` and `all` need at least one signal");
        return end(live, life, &stop);
    }
    let modes = match core.modes(live, decision) {
        Ok(modes) => modes,
        Err(stop) => return end(live, life, &stop),
    };
    let _acting = Acting::begin(core, live);
    let carried = carry_out(core, live, &prepared, &modes).await;
    match carried {
        Ok(carried) => {
            let life = life.verify();
            look(core, live, life, &prepared, &expectation, carried).await
        }
        Err(stop) if stop.code == RuntimeErrorCode::UserActivationRequired => {
            core.wait_for_user(live, life, &prepared, &expectation, stop).await
        }
        // It went before anything reached it.
        Err(stop)
            if may_look_again
                && stop.code == RuntimeErrorCode::StaleTarget
                && stop.side_effect == SideEffectState::None =>
        {
            again(core, live, life.recover()).await
        }
        Err(stop) => end(live, life, &stop),
    }
}

/// While it lives, what is seen may be the action's doing. It ends with the action, however that ends.
pub(super) struct Acting<'a, S: Surface>(&'a Core<S>);

impl<'a, S: Surface> Acting<'a, S> {
    pub(super) fn begin(core: &'a Core<S>, live: &Live) -> Self {
        core.begun.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        core.scene.acting(true);
        core.surface.acting(Some(live.handle.clone()));
        Self(core)
    }
}

impl<S: Surface> Drop for Acting<'_, S> {
    fn drop(&mut self) {
        self.0.scene.release();
        self.0.scene.acting(false);
        self.0.surface.acting(None);
    }
}

/// Whether it changes nothing, whatever comes of it.
pub(super) fn is_harmless(live: &Live) -> bool {
    Action::parse(live.descriptor.id.as_str()).is_some_and(primitive::is_harmless)
}

async fn carry_out<S: Surface>(
    core: &Core<S>,
    live: &Live,
    prepared: &Prepared,
    modes: &[ExecutionMode],
) -> Result<Carried, Stop> {
    core.learn_secrets(live, prepared.element());
    let mark = core.scene.mark();
    let ambience = core.scene.ambience();
    let pending: HashSet<String> = core.surface.pending().into_iter().collect();
    let mut hands = Hands {
        core,
        live,
        modes,
        harmless: is_harmless(live),
        unchanged: prepared.unchanged,
        sent: false,
        settled: false,
    };
    let args = Args(&live.args);
    core.scene.hold_back();
    let performed = match (Action::parse(live.descriptor.id.as_str()), prepared.element(), &prepared.target) {
        (Some(Action::NavNavigate), element, _) => navigate(&mut hands, element, args).await,
        (Some(Action::UiScroll), None, _) => perform::scroll(&mut hands, None, args).await,
        (Some(action), Some(element), Some(target)) => {
            let on = On { target, element, graph: &prepared.graph };
            perform::perform(&mut hands, action, on, args).await
        }
        (Some(_), ..) => Err(Stop::before(RuntimeErrorCode::TargetRequired, "this action needs a target")),
        (None, element, _) => invoke(&mut hands, element, &prepared.graph).await,
    };
    let at = Instant::now();
    let (sent, settled) = (hands.sent, hands.settled);
    match performed {
        Ok(performed) => Ok(Carried { performed, mark, at, pending, ambience, sent, settled }),
        // Whatever stopped it: something was sent before.
        Err(stop) if sent && !is_harmless(live) && stop.side_effect == SideEffectState::None => {
            Err(Stop { side_effect: SideEffectState::Unknown, ..stop })
        }
        Err(stop) => Err(stop),
    }
}
