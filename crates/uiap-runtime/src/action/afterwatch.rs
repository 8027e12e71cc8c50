//! A state that was seen and is taken back soon after: too late for the verdict, and not to be passed over in silence.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;
use uiap_model::action::result::ActionStatus;
use uiap_model::capability::SuccessSignal;
use uiap_model::names::{ActionHandle, ActionId, ElementInstanceId};
use uiap_model::web::PageGraph;
use uiap_model::web::evidence::Observation;

use super::live::Live;
use super::runtime::Core;
use crate::scene::{Entry, Event};
use crate::surface::{Seen, Surface};
use crate::trace::Step;
use crate::verify::{Check, still_holds};

/// How long after a success.
const WATCH: Duration = Duration::from_secs(1);
/// Notices that are kept.
const MOST: usize = 100;

/// What became of an action after it was told as a success.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Of which action.
    pub action_handle: ActionHandle,
    /// What it was.
    pub action_id: ActionId,
    /// In words.
    pub text: String,
    /// Milliseconds after the result.
    pub after_ms: u64,
}

/// Notices, and how many of them were told with a result.
#[derive(Debug, Default)]
pub(super) struct Notices {
    kept: VecDeque<Notice>,
    untold: usize,
}

impl Notices {
    fn add(&mut self, notice: Notice) {
        if self.kept.len() >= MOST {
            self.kept.pop_front();
        }
        self.kept.push_back(notice);
        self.untold = (self.untold + 1).min(self.kept.len());
    }

    pub(super) fn all(&self) -> Vec<Notice> {
        self.kept.iter().cloned().collect()
    }

    /// Those that no result carried yet.
    pub(super) fn take_untold(&mut self) -> Vec<Notice> {
        let from = self.kept.len() - std::mem::take(&mut self.untold);
        self.kept.range(from..).cloned().collect()
    }
}

/// What is watched after a success.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// What the target itself was seen to hold.
    pub(super) target: Option<(ElementInstanceId, Check)>,
    /// States that were expected and seen.
    pub(super) states: Vec<SuccessSignal>,
}

impl Claim {
    /// Of what was seen, that which can be taken back; none where nothing can.
    pub(super) fn of(
        target: Option<&ElementInstanceId>,
        check: &Check,
        observed: &[SuccessSignal],
    ) -> Option<Self> {
        let target = target.filter(|_| check.is_level()).map(|target| (target.clone(), check.clone()));
        let states: Vec<SuccessSignal> = observed.iter().filter(|signal| is_kept(signal)).cloned().collect();
        (target.is_some() || !states.is_empty()).then_some(Self { target, states })
    }

    async fn holds<S: Surface>(&self, surface: &S, graph: &PageGraph) -> bool {
        let now = Observation { before: graph, after: graph, signals: &[], custom_sources: &[] };
        if !self.states.iter().all(|signal| now.look(signal).observed()) {
            return false;
        }
        match &self.target {
            Some((target, check)) => still_holds(surface, graph, target, check).await != Ok(false),
            None => true,
        }
    }
}

/// Whether it is about a state that an app is expected to keep. What appears may be meant to go again.
fn is_kept(signal: &SuccessSignal) -> bool {
    matches!(
        signal,
        SuccessSignal::ElementState { .. }
            | SuccessSignal::ValueEquals { .. }
            | SuccessSignal::CollectionCount { .. }
    )
}

/// Watches until another action begins or the time is over.
pub(super) fn spawn<S: Surface>(core: &Arc<Core<S>>, live: &Arc<Live>) {
    if live.succeeded() != Some(ActionStatus::Succeeded) {
        return;
    }
    let Some(claim) = live.claim() else { return };
    let (core, live) = (Arc::downgrade(core), Arc::clone(live));
    let Some(strong) = core.upgrade() else { return };
    let begun = strong.begun.load(Ordering::SeqCst);
    let scene = strong.scene.clone();
    drop(strong);
    let start = Instant::now();
    tokio::spawn(async move {
        let (mut over, mut mark) = (false, scene.mark());
        while !over {
            over = match tokio::time::timeout_at(start + WATCH, scene.changed(mark)).await {
                Ok(Ok(())) => false,
                Ok(Err(_)) => return,
                Err(_) => true,
            };
            let Some(core) = core.upgrade() else { return };
            if core.begun.load(Ordering::SeqCst) != begun || over && scene.look().await.is_err() {
                return;
            }
            let seen = scene.mark();
            let target = claim.target.as_ref().map(|(target, _)| target);
            let concerned = over || scene.since(mark).iter().any(|entry| claim.is_concerned(entry, target));
            mark = seen;
            if concerned
                && !claim.holds(&core.surface, &scene.graph()).await
                && core.begun.load(Ordering::SeqCst) == begun
            {
                core.trust().is_broken(&scene.graph());
                core.contradicted(&live, start.elapsed());
                return;
            }
        }
    });
}

impl Claim {
    /// Whether something happened that it is about.
    fn is_concerned(&self, entry: &Entry, target: Option<&ElementInstanceId>) -> bool {
        let Event::Revision(seen) = &entry.event else { return false };
        !self.states.is_empty() || target.is_some_and(|target| concerns(seen, target))
    }
}

/// Whether something happened to the target. Nobody asks a field what it holds because a clock ticked.
fn concerns(seen: &Seen, target: &ElementInstanceId) -> bool {
    let nodes = seen.elements.iter().filter_map(|touched| touched.after.as_ref());
    nodes
        .into_iter()
        .any(|node| node.instance_id == *target || node.parent_instance_id.as_ref() == Some(target))
}

impl<S> Core<S> {
    fn contradicted(&self, live: &Live, after: Duration) {
        let text = "what was seen when it was verified was taken back".to_owned();
        live.trace.note(Step::Note { text: text.clone() });
        self.notices().add(Notice {
            action_handle: live.handle.clone(),
            action_id: live.request.action_id.clone(),
            text,
            after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
        });
    }
}
