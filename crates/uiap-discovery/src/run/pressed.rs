//! Seeds that have to be pressed. They are candidates of the first page like others; what became of them is known when the run ends.

use uiap_model::discovery::review::DiscoveryActionEffect;
use uiap_model::names::ActionId;

use super::event::RunEvent;
use super::{Run, RunError};
use crate::candidate::{Candidate, candidates};
use crate::ground::{Deed, Ground};
use crate::plan::Goal;
use crate::record::{Aim, DecisionRecord, Incident, IncidentKind, TransitionRecord};
use crate::store::Chapter;

/// What became of a seed, the best first: of several profiles the one that got furthest counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It was pressed, and led to this state.
    Led(String),
    /// It was there and not pressed, for this reason.
    Refused(String),
    /// It was not there.
    Missing,
}

/// Something that can be pressed on a first page.
struct Button {
    state_id: String,
    aim: Option<Aim>,
    action_id: Option<ActionId>,
}

impl<G: Ground> Run<G> {
    /// Writes down what became of the seeds that have to be pressed.
    pub(super) fn judge_pressed(&mut self) -> Result<(), RunError> {
        let is_pressed = |goal: &Option<Goal>| matches!(goal, Some(Goal::Menu(_) | Goal::Action(_)));
        if self.inside.is_empty() || !self.plan.goals.iter().any(is_pressed) {
            return Ok(());
        }
        let crossings: Vec<_> = self.camp.store().crossings()?.into_iter().map(|each| each.record).collect();
        let decisions = self.camp.store().decisions()?;
        let mut chapter = Chapter::default();
        let mut news = Vec::new();
        for (number, goal) in self.plan.goals.clone().into_iter().enumerate() {
            let Some(goal) = goal.filter(|goal| matches!(goal, Goal::Menu(_) | Goal::Action(_))) else {
                continue;
            };
            let buttons = self.buttons(&goal)?;
            let fates = buttons.iter().map(|button| fate(button, &crossings, &decisions));
            let fate = fates.min().unwrap_or(Fate::Missing);
            let Some(record) = self.plan.seeds.get_mut(number) else { continue };
            (record.state_id, record.rejected) = match fate {
                Fate::Led(state_id) => (Some(state_id.into()), None),
                Fate::Refused(reason) => (None, Some(reason)),
                Fate::Missing => {
                    let what = name(&goal);
                    let detail = format!("the seed `{what}` was not found");
                    let incident =
                        Incident { kind: IncidentKind::LostState, state_id: None, url: None, detail };
                    news.extend(self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident));
                    (None, Some(format!("the first page has no `{what}` that could be pressed")))
                }
            };
            if let Some(reason) = &record.rejected {
                news.push(RunEvent::SeedRejected { seed: record.seed.clone(), reason: reason.clone() });
            }
            chapter.seeds.push((number, record.clone()));
        }
        self.publish(chapter, news)
    }

    /// What a seed means on the first pages.
    fn buttons(&self, goal: &Goal) -> Result<Vec<Button>, RunError> {
        let mut buttons = Vec::new();
        for profile in &self.inside {
            let Some(start) = self.start_of(profile) else { continue };
            let Some(state_id) = self.atlas.nodes.get(start).map(|node| node.state_id.to_string()) else {
                continue;
            };
            let Some((graph, details)) = self.camp.store().state(start)? else { continue };
            let all = candidates(&graph, &details.actions);
            buttons.extend(all.iter().filter(|each| is_meant(each, goal)).map(|each| Button {
                state_id: state_id.clone(),
                aim: each.step.aim.clone(),
                action_id: each.step.deed.action_id(),
            }));
        }
        Ok(buttons)
    }
}

fn fate(button: &Button, crossings: &[TransitionRecord], decisions: &[DecisionRecord]) -> Fate {
    let is_same = |state: &str, aim: &Option<Aim>, action: &ActionId| {
        state == button.state_id && *aim == button.aim && Some(action) == button.action_id.as_ref()
    };
    // What was only tried where nothing could come of it was refused all the same.
    let led = crossings.iter().find(|each| !each.sealed && is_same(&each.from, &each.aim, &each.action_id));
    if let Some(to) = led.and_then(|each| each.to.as_ref()) {
        return Fate::Led(to.to_string());
    }
    let about = || decisions.iter().filter(|each| is_same(&each.state_id, &each.aim, &each.action_id));
    let refused = about().find(|each| each.effect != DiscoveryActionEffect::Allow);
    let untried = || "nothing came of it before the run ended".to_owned();
    Fate::Refused(refused.map_or_else(untried, |decision| decision.because.clone()))
}

fn name(goal: &Goal) -> String {
    match goal {
        Goal::Menu(label) => label.to_string(),
        Goal::Action(id) => id.to_string(),
        Goal::Url(_) | Goal::Urls(_) => String::new(),
    }
}

fn is_meant(candidate: &Candidate<'_>, goal: &Goal) -> bool {
    match goal {
        Goal::Menu(label) => {
            candidate.step.aim.as_ref().is_some_and(|aim| aim.name.eq_ignore_ascii_case(label))
        }
        Goal::Action(id) => is_action(candidate, id),
        Goal::Url(_) | Goal::Urls(_) => false,
    }
}

fn is_action(candidate: &Candidate<'_>, id: &ActionId) -> bool {
    let declared = candidate.element.is_some_and(|element| {
        element.default_action.iter().chain(element.supported_actions.iter().flatten()).any(|each| each == id)
    });
    declared || matches!(&candidate.step.deed, Deed::Invoke { action_id, .. } if action_id == id)
}
