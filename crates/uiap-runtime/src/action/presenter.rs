//! Showing a person what happens. Whoever shows it only listens: nothing that it does or leaves undone changes an outcome.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use uiap_model::action::request::{Pace, PresentationHints};
use uiap_model::action::result::{ActionStatus, ResolvedTarget};
use uiap_model::names::{ActionHandle, ActionId};
use uiap_model::policy::{PolicyDecision, PolicyObligation};

use super::drive::Prepared;
use super::ending::Stop;
use super::guard::plain;
use super::live::Live;
use super::runtime::Core;
use uiap_model::action::result::ActionStage;

/// Where a presenter listens. What it does not fetch in time is dropped.
pub type Presenter = mpsc::Sender<Cue>;

/// The longest that a presenter may hold an action up, and only where the requester asked for a humanized pace.
const BEAT: Duration = Duration::from_millis(600);

/// Something to show.
#[derive(Debug)]
pub struct Cue {
    /// Of which action.
    pub action_handle: ActionHandle,
    /// What it is.
    pub action_id: ActionId,
    /// What happens.
    pub moment: Moment,
    /// What it is done to.
    pub target: Option<ResolvedTarget>,
    /// How the requester wants it shown.
    pub hints: Option<PresentationHints>,
    /// Answered or dropped when it was shown; only a humanized action waits for that, and not for long.
    pub shown: Option<oneshot::Sender<()>>,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Moment {
    /// The target was found and is about to be used.
    Aim,
    /// A pointer was used there.
    Point(f64, f64),
    /// The policy wants a person to know.
    Notice(String),
    /// It is over.
    End(ActionStatus),
}

impl<S> Core<S> {
    /// Tells the presenter, if there is one that listens.
    pub(super) fn cue(&self, live: &Live, moment: Moment, shown: Option<oneshot::Sender<()>>) {
        let Some(presenter) = &self.options.presenter else { return };
        let cue = Cue {
            action_handle: live.handle.clone(),
            action_id: live.request.action_id.clone(),
            moment,
            target: live.target(),
            hints: live.request.presentation.clone(),
            shown,
        };
        // One that is slow or gone misses it.
        if let Err(missed) = presenter.try_send(cue) {
            tracing::debug!(%missed, "nothing was shown");
        }
    }

    /// Shows the target before it is used.
    pub(super) async fn show(&self, live: &Live, prepared: &Prepared) -> Result<(), Stop> {
        if prepared.target.is_none() && live.request.presentation.is_none() {
            return Ok(());
        }
        let pace = live.request.presentation.as_ref().and_then(|hints| hints.pace);
        if pace != Some(Pace::Humanized) || self.options.presenter.is_none() {
            self.cue(live, Moment::Aim, None);
            return Ok(());
        }
        let (shown, seen) = oneshot::channel();
        self.cue(live, Moment::Aim, Some(shown));
        // Shown, given up or too slow: it goes on all the same.
        let waited = live.control.until(tokio::time::timeout(BEAT, seen)).await?;
        tracing::trace!(?waited, "the target was shown");
        Ok(())
    }

    /// What the policy wants people to know.
    pub(super) fn notify(&self, live: &Live, decision: &PolicyDecision) {
        for obligation in &decision.obligations {
            if let PolicyObligation::Notify { text } = obligation {
                let text = plain(text);
                let detail = serde_json::json!({ "notice": text });
                live.progress(ActionStage::CheckingPreconditions, Some(text.clone()), Some(detail));
                self.cue(live, Moment::Notice(text), None);
            }
        }
    }
}
