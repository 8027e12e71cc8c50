//! What a session asked for and how it ended, for the person who watches. Bounded; nothing delicate comes in.

use std::collections::VecDeque;

use compact_str::CompactString;
use uiap_model::action::result::ActionStatus;
use uiap_model::action::{
    ActionAcceptedPayload, ActionProgressPayload, ActionResultPayload, SideEffectState,
};
use uiap_model::names::{ActionHandle, ActionId};

use super::letter::now;

/// Actions that are remembered.
const MOST: usize = 100;
/// Bytes of one story.
const MOST_STORY: usize = 16 << 10;

/// One action.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) handle: ActionHandle,
    pub(crate) action_id: ActionId,
    pub(crate) at: String,
    /// What for, in the agent's words.
    pub(crate) intent: Option<String>,
    pub(crate) stage: CompactString,
    pub(crate) target: Option<String>,
    pub(crate) ending: Option<Ending>,
    pub(crate) story: Option<String>,
}

/// How it ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) status: ActionStatus,
    pub(crate) side_effect: SideEffectState,
    pub(crate) seen: usize,
    pub(crate) missing: usize,
    pub(crate) error: Option<(CompactString, CompactString)>,
}

/// All that is remembered of a session's actions.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    deeds: VecDeque<Deed>,
    count: u64,
}

impl Diary {
    /// An action was accepted.
    pub(crate) fn begin(&mut self, accepted: &ActionAcceptedPayload, intent: Option<String>) {
        if self.deeds.iter().any(|deed| deed.handle == accepted.action_handle) {
            return;
        }
        if self.deeds.len() >= MOST {
            self.deeds.pop_front();
        }
        self.count += 1;
        self.deeds.push_back(Deed {
            handle: accepted.action_handle.clone(),
            action_id: accepted.action_id.clone(),
            at: now(),
            intent,
            stage: "accepted".into(),
            target: None,
            ending: None,
            story: None,
        });
    }

    /// It went on.
    pub(crate) fn progress(&mut self, progress: &ActionProgressPayload) {
        let Some(deed) = self.find(&progress.action_handle) else { return };
        deed.stage = progress.stage.as_str().into();
        if let Some(target) = &progress.resolved_target {
            deed.target = Some(described(target));
        }
    }

    /// It ended.
    pub(crate) fn end(&mut self, result: &ActionResultPayload, story: Option<String>) {
        let Some(deed) = self.find(&result.action_handle) else { return };
        if let Some(target) = &result.resolved_target {
            deed.target = Some(described(target));
        }
        let error = result.error.as_ref();
        deed.ending = Some(Ending {
            status: result.status,
            side_effect: result.side_effect(),
            seen: result.verification.observed.len(),
            missing: result.verification.missing.as_ref().map_or(0, Vec::len),
            error: error.map(|error| (error.code.as_str().into(), error.message.clone())),
        });
        deed.story = story.map(|mut story| {
            let end = story.floor_char_boundary(MOST_STORY);
            if end < story.len() {
                story.truncate(end);
                story.push_str("…\n");
            }
            story
        });
    }

    /// The latest first.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Deed> {
        self.deeds.iter().rev()
    }

    /// How many there were in all.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    fn find(&mut self, handle: &ActionHandle) -> Option<&mut Deed> {
        self.deeds.iter_mut().rev().find(|deed| deed.handle == *handle)
    }
}

/// A target in a few words.
pub(crate) fn described(target: &uiap_model::action::result::ResolvedTarget) -> String {
    let name = target.name.as_deref().unwrap_or("without a name");
    format!("{} “{name}”", target.role)
}
