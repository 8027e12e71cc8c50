//! Exploring: a batch leaves the frontier, scouts bring findings home, findings are taken up in order.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use compact_str::CompactString;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use uiap_model::capability::SuccessSignal;
use uiap_model::discovery::DiscoveryRunStatus;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};

use super::atlas::{Landing, by_step, transition_id};
use super::control::Rein;
use super::finding::{Deal, Finding, Outcome};
use super::node::{Node, ways};
use super::scout;
use super::seeding::found;
use super::tour::{Errand, Stop, Task, Tour, plan};
use super::{End, Run, RunError};
use crate::frontier::{CONFIRMATIONS, Due};
use crate::ground::{Ground, Step};
use crate::record::{CAUSE, DecisionRecord, Incident, IncidentKind, RequestRecord, TransitionRecord};
use crate::run::event::RunEvent;
use crate::store::{Chapter, Crossing, Kept, Standing};

/// Candidates of a batch. Fixed: what is found does not depend on how many scouts there are.
const BATCH: usize = 192;
/// How long before the time is over nobody waits for scouts any more, at most, and for short runs as a part of it: what they
/// brought home is taken up then.
const LEAD: Duration = Duration::from_millis(500);
const LEAD_PART: u32 = 20;
/// How long taking it up may go on when the time is over. What takes longer stays on the disk.
const GRACE: Duration = Duration::from_millis(300);
/// Fresh places that were logged in and found themselves outside, one after the other, before the run gives up.
const MOST_EXPIRED: u32 = 3;

impl<G: Ground> Run<G> {
    /// Explores until nothing is left or something ends it. Profiles take turns, so that none of them uses up what the budget
    /// allows all.
    pub(super) async fn wander(&mut self) -> Result<End, RunError> {
        if let Some(end) = self.go_on_with_interrupted().await? {
            return Ok(end);
        }
        let profiles = self.inside.clone();
        // Whoever goes on with a run goes on with the next turn.
        let last: Option<CompactString> = self.camp.store().fact("turn")?;
        let first =
            last.and_then(|last| profiles.iter().position(|each| *each == last)).map_or(0, |at| at + 1);
        let mut turns = profiles.iter().cycle().skip(first);
        let mut idle = 0;
        while idle < profiles.len() {
            if let Some(end) = self.may_go_on().await {
                return Ok(end);
            }
            let Some(profile) = turns.next() else { break };
            let (batch, waiting) = self.next_batch(profile)?;
            let is_idle = batch.is_empty();
            let end = if is_idle { None } else { self.explore_batch(profile, batch).await? };
            for kept in &waiting {
                self.atlas.queue(kept);
            }
            if let Some(end) = end {
                return Ok(end);
            }
            idle = if is_idle { idle + 1 } else { 0 };
        }
        let spent = self.atlas.budget.transitions_left() == 0 && self.atlas.left() > 0;
        Ok(if spent { End::Transitions } else { End::Exhausted })
    }

    /// Finishes what an earlier process had taken.
    async fn go_on_with_interrupted(&mut self) -> Result<Option<End>, RunError> {
        for profile in self.inside.clone() {
            let batch = self.interrupted(&profile)?;
            if batch.is_empty() {
                continue;
            }
            let stopped = self.may_go_on().await;
            if stopped.is_some() {
                return Ok(stopped);
            }
            let end = self.explore_batch(&profile, batch).await?;
            if end.is_some() {
                return Ok(end);
            }
        }
        Ok(None)
    }

    /// Whether a pause, a stop or a budget stands in the way.
    async fn may_go_on(&mut self) -> Option<End> {
        if self.camp.control.rein() == Rein::Pause {
            self.wait_out().await;
        }
        if self.camp.control.rein() == Rein::Cancel {
            return Some(End::Cancelled);
        }
        if Instant::now() >= self.harvest() {
            return Some(End::Time);
        }
        (!self.atlas.budget.has_state(self.atlas.nodes.len())).then_some(End::States)
    }

    /// Waits until the pause is over.
    async fn wait_out(&mut self) {
        let before = self.status;
        self.enter(DiscoveryRunStatus::Paused);
        let paused = Instant::now();
        self.camp.control.released().await;
        // Nobody is charged for the time in which nothing could be done.
        self.began += paused.elapsed();
        self.enter(before);
    }

    /// What an earlier process had taken and not finished.
    fn interrupted(&mut self, profile: &str) -> Result<Vec<Kept>, RunError> {
        let taken = self.camp.store().candidates(Standing::Taken)?;
        let own: Vec<Kept> = taken.into_iter().filter(|kept| kept.profile == profile).collect();
        for kept in &own {
            self.atlas.frontier(profile).begin(&kept.control);
            let route = self.route_of(kept);
            self.atlas.budget.spend(&route);
        }
        Ok(own)
    }

    fn route_of(&self, kept: &Kept) -> CompactString {
        self.atlas.nodes.get(kept.state).map(|node| node.route.clone()).unwrap_or_default()
    }

    /// Takes the next batch, and what has to wait for it.
    fn next_batch(&mut self, profile: &CompactString) -> Result<(Vec<Kept>, Vec<Kept>), RunError> {
        let share = self.atlas.budget.transitions_left().div_ceil(self.inside.len().max(1));
        let most = BATCH.min(share);
        let (mut batch, mut waiting, mut chapter) = (Vec::new(), Vec::new(), Chapter::default());
        let mut news = Vec::new();
        while batch.len() < most {
            let Some(entry) = self.atlas.frontier(profile).pop() else { break };
            let Some(kept) = self.camp.store().candidate(entry.number)? else { continue };
            let route = self.route_of(&kept);
            if !self.atlas.budget.has_route(&route) {
                news.extend(self.endless(&kept, &route, &mut chapter).map(RunEvent::Incident));
                continue;
            }
            // What needs a place of its own is tried once.
            let confirmations = if kept.body.step.sealed { 1 } else { CONFIRMATIONS };
            match self.atlas.frontier(profile).due(&entry, &kept.control, confirmations) {
                Due::Try => {
                    self.atlas.frontier(profile).begin(&kept.control);
                    self.atlas.budget.spend(&route);
                    chapter.standings.push((kept.number, Standing::Taken));
                    batch.push(kept);
                }
                Due::Later => self.atlas.queue(&kept),
                Due::Wait => waiting.push(kept),
                Due::Known => {
                    let because = "the same control did the same in other states".to_owned();
                    let decision = self.atlas.passed_over(&kept, DiscoveryActionReason::Safe, because);
                    chapter.decisions.push(decision);
                    chapter.standings.push((kept.number, Standing::Over));
                }
            }
        }
        if !batch.is_empty() {
            chapter.facts.push(("turn", profile.as_str().into()));
        }
        self.publish(chapter, news)?;
        batch.sort_by_key(|kept| kept.number);
        Ok((batch, waiting))
    }

    /// More of the same than the budget of a route allows.
    fn endless(&mut self, kept: &Kept, route: &str, chapter: &mut Chapter) -> Option<Incident> {
        chapter.decisions.push(self.atlas.unaffordable(kept));
        chapter.standings.push((kept.number, Standing::Over));
        let detail = format!("route `{route}` holds more than its budget allows");
        let url = self.atlas.nodes.get(kept.state).map(|node| node.url.clone());
        self.atlas.tell(Incident { kind: IncidentKind::Endless, state_id: None, url, detail }, chapter)
    }

    async fn explore_batch(
        &mut self,
        profile: &CompactString,
        batch: Vec<Kept>,
    ) -> Result<Option<End>, RunError> {
        let numbers: Vec<u64> = batch.iter().map(|kept| kept.number).collect();
        let tours = self.tours(profile, &batch)?;
        let mut by_number: BTreeMap<u64, Kept> = batch.into_iter().map(|kept| (kept.number, kept)).collect();
        let end = self
            .send_out(tours, numbers, move |run, number, finding| match by_number.remove(&number) {
                Some(kept) => run.take_up(&kept, finding),
                None => Ok(None),
            })
            .await;
        self.camp.clear_shown();
        end
    }

    /// What is tried in one state is one stop.
    fn tours(&self, profile: &CompactString, batch: &[Kept]) -> Result<Vec<Tour>, RunError> {
        let mut stops: Vec<Stop> = Vec::new();
        // What is tried in a sealed place goes into a stop of its own.
        let mut known: HashMap<(usize, bool), usize> = HashMap::new();
        for kept in batch {
            if self.camp.store().result_of::<Finding>(kept.number)?.is_some() {
                continue;
            }
            let task = Task::Do { step: Box::new(kept.body.step.clone()), once: kept.body.once };
            let errand = Errand { number: kept.number, task };
            let at = *known.entry((kept.state, kept.body.step.sealed)).or_insert_with(|| {
                let ways = ways(&self.atlas.nodes, kept.state, profile);
                stops.push(Stop { ways, errands: Vec::new() });
                stops.len() - 1
            });
            if let Some(stop) = stops.get_mut(at) {
                stop.errands.push(errand);
            }
        }
        Ok(plan(profile, stops, &Arc::new(self.atlas.idle.clone())))
    }

    /// Sends scouts out and takes up what they bring home, in the order of `numbers`. What was brought home is on the disk
    /// before its turn comes.
    pub(super) async fn send_out(
        &mut self,
        tours: Vec<Tour>,
        numbers: Vec<u64>,
        mut take_up: impl FnMut(&mut Self, u64, Finding) -> Result<Option<End>, RunError>,
    ) -> Result<Option<End>, RunError> {
        let mut queue: VecDeque<Tour> = tours.into();
        // The longest first, so that nobody waits for one that began late.
        queue.make_contiguous().sort_by_key(|tour| std::cmp::Reverse(tour.len()));
        tracing::debug!(sizes = ?queue.iter().map(Tour::len).collect::<Vec<_>>(), "tours begin");
        let mut turns: VecDeque<u64> = numbers.into();
        let mut home: BTreeMap<u64, Finding> = BTreeMap::new();
        let (sender, mut findings) = mpsc::unbounded_channel();
        let mut scouts = JoinSet::new();
        let mut harvest = self.harvest();
        loop {
            while let Some(number) = turns.front().copied() {
                let Some(finding) = self.at_home(&mut home, number)? else { break };
                turns.pop_front();
                if let Some(end) = take_up(self, number, finding)? {
                    return Ok(Some(end));
                }
            }
            let workers = self.options.workers.max(1);
            while scouts.len() < workers
                && let Some(next) = queue.pop_front()
            {
                scouts.spawn(scout::go(Arc::clone(&self.camp), next, sender.clone()));
            }
            for after in queue.iter().take(workers) {
                self.camp.send_ahead(after);
            }
            if turns.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = self.camp.control.cancelled() => return Ok(Some(End::Cancelled)),
                () = self.camp.control.paused() => {
                    self.wait_out().await;
                    harvest = self.harvest();
                }
                () = tokio::time::sleep_until(harvest) => {
                    return self.last_harvest(&turns, home, take_up).map(Some);
                }
                Some((number, finding)) = findings.recv() => {
                    home.insert(number, finding);
                }
                Some(ended) = scouts.join_next(), if !scouts.is_empty() => if let Err(error) = ended {
                    tracing::warn!(%error, "a scout did not come home");
                },
                else => break,
            }
            if scouts.is_empty() && queue.is_empty() && findings.is_empty() && home.is_empty() {
                give_up(&turns, &mut home);
            }
        }
        // They have told everything; whoever still tidies up is not waited for longer than the time allows.
        let tidied = async { while scouts.join_next().await.is_some() {} };
        tokio::time::timeout_at(harvest, tidied).await.unwrap_or_default();
        Ok(None)
    }

    /// When the last that was brought home is taken up.
    fn harvest(&self) -> Instant {
        self.deadline() - LEAD.min(self.atlas.budget.runtime / LEAD_PART).min(self.left())
    }

    /// The time is over: what was brought home is taken up, also where somebody is still out whose turn came before. What takes
    /// too long stays on the disk, for whoever goes on with the run.
    fn last_harvest(
        &mut self,
        turns: &VecDeque<u64>,
        mut home: BTreeMap<u64, Finding>,
        mut take_up: impl FnMut(&mut Self, u64, Finding) -> Result<Option<End>, RunError>,
    ) -> Result<End, RunError> {
        let enough = self.deadline() + GRACE;
        // All of it is on the disk already, and stays there until what it became is: nobody waits for the disk each time.
        self.camp.store().hurry()?;
        for number in turns {
            if Instant::now() >= enough {
                break;
            }
            if let Some(finding) = self.at_home(&mut home, *number)?
                && let Some(end) = take_up(self, *number, finding)?
            {
                return Ok(end);
            }
        }
        Ok(End::Time)
    }

    fn at_home(&self, home: &mut BTreeMap<u64, Finding>, number: u64) -> Result<Option<Finding>, RunError> {
        match home.remove(&number) {
            Some(finding) => Ok(Some(finding)),
            None => Ok(self.camp.store().result_of(number)?),
        }
    }

    /// Takes up what came of a candidate. All of it is on the disk when this returns.
    fn take_up(&mut self, kept: &Kept, finding: Finding) -> Result<Option<End>, RunError> {
        let mut chapter = Chapter::default();
        chapter.standings.push((kept.number, Standing::Tried));
        chapter.taken_up.push(kept.number);
        self.atlas.learn(&finding.self_writes, &mut chapter)?;
        self.note_way(kept, &finding, &mut chapter)?;
        let mut incidents = finding.incidents;
        let mut news = Vec::new();
        let mut consequence = None;
        let at =
            |node: Option<&Node>| (node.map(|node| node.state_id.clone()), node.map(|node| node.url.clone()));
        let (state_id, url) = at(self.atlas.nodes.get(kept.state));
        let incident = |kind, detail| Incident { kind, state_id: state_id.clone(), url: url.clone(), detail };
        let mut end = None;
        match finding.outcome {
            Outcome::Done(deal) => {
                self.expired = 0;
                let effect = deal.consequence.clone();
                match self.cross(kept, *deal, &mut chapter, &mut news)? {
                    Landing::At(_) => consequence = Some(effect),
                    Landing::Full => {
                        end = Some(End::States);
                        incidents.extend(put_back(kept, &mut chapter));
                    }
                    Landing::Unseen => {
                        incidents.extend(put_back(kept, &mut chapter));
                        if !kept.body.once {
                            self.atlas.queue(kept);
                        }
                    }
                }
            }
            Outcome::Lost { detail, expired } => {
                let kind;
                (kind, end) = self.lose(expired);
                incidents.push(incident(kind, detail));
                if expired && !kept.body.once {
                    // Whoever goes on with the run with a session that lasts may do it.
                    chapter.standings.push((kept.number, Standing::Open));
                }
            }
            Outcome::Held(requests) => {
                consequence = Some(CompactString::const_new("held"));
                self.expired = 0;
                self.hold(kept, requests, &mut chapter, &mut news);
            }
            Outcome::Missed(detail) => incidents.push(incident(IncidentKind::NotReproducible, detail)),
            Outcome::Failed { kind, detail } => incidents.push(incident(kind, detail)),
            Outcome::Interrupted => {
                let what = kept.body.step.aim.as_ref().map(|aim| named(&aim.role, &aim.name));
                let what = what.unwrap_or_else(|| "an action of the app".to_owned());
                let detail =
                    format!("{what} was begun when the run was interrupted, and must not be done twice");
                incidents.push(incident(IncidentKind::Interrupted, detail));
            }
            Outcome::Arrived(_) => {}
        }
        self.atlas.frontier(&kept.profile).end(&kept.control, consequence.as_deref());
        for mut incident in incidents {
            if incident.state_id.is_none() {
                incident.state_id.clone_from(&state_id);
            }
            news.extend(self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident));
        }
        self.publish(chapter, news)?;
        let doing = kept.body.step.aim.as_ref().map(|aim| format!("{} `{}`", aim.role, aim.name));
        self.progress(doing, state_id);
        Ok(end)
    }

    /// Somebody did not get where he was sent: what kind of incident that is, and whether it ends the run.
    pub(super) fn lose(&mut self, expired: bool) -> (IncidentKind, Option<End>) {
        self.expired = if expired { self.expired + 1 } else { 0 };
        let end = (self.expired >= MOST_EXPIRED).then_some(End::Expired);
        (if expired { IncidentKind::SessionExpired } else { IncidentKind::LostState }, end)
    }

    /// What was learned on the way to the state.
    fn note_way(&mut self, kept: &Kept, finding: &Finding, chapter: &mut Chapter) -> Result<(), RunError> {
        if let (Some(deep), Some(node)) = (finding.deep, self.atlas.nodes.get_mut(kept.state))
            && node.deep.is_none()
        {
            node.deep = Some(deep);
            chapter.nodes.push((kept.state, node.clone()));
        }
        for (id, agreed) in &finding.replays {
            let known = chapter.crossings.iter().position(|crossing| crossing.record.transition_id == *id);
            let record = match known {
                Some(at) => Some(chapter.crossings.swap_remove(at).record),
                None => self.camp.store().transition(id)?,
            };
            let Some(mut record) = record else { continue };
            record.tries += 1;
            record.agreed += u32::from(*agreed);
            let crossing = Crossing { record, control: String::new(), consequence: None };
            chapter.crossings.push(crossing);
        }
        Ok(())
    }

    /// Takes up a transition and the state that it led to.
    fn cross(
        &mut self,
        kept: &Kept,
        deal: Deal,
        chapter: &mut Chapter,
        news: &mut Vec<RunEvent>,
    ) -> Result<Landing, RunError> {
        let profile = CompactString::from(kept.profile.as_str());
        let Some(from) = self.atlas.nodes.get(kept.state).cloned() else { return Ok(Landing::Unseen) };
        let Deal { arrival, signals, requests, consequence, more, way_back } = deal;
        let step = &kept.body.step;
        if more {
            let name = step.aim.as_ref().map(|aim| aim.name.as_str()).unwrap_or_default();
            let detail = format!("`{name}` leads to more of the same, which is taken as one state");
            let (state_id, url) = (Some(from.state_id.clone()), Some(from.url.clone()));
            let incident = Incident { kind: IncidentKind::Endless, state_id, url, detail };
            news.extend(self.atlas.tell(incident, chapter).map(RunEvent::Incident));
        }
        let id = transition_id(&profile, &from.state_id, Some(&arrival.state_id), step);
        let depth = from.via.get(&profile).map_or(0, |via| via.depth) + 1;
        let before = self.atlas.nodes.len();
        let via = by_step(kept, &id, depth);
        let landing = self.atlas.arrive(&arrival, &profile, via, None, &self.camp.store(), chapter)?;
        // A way whose end is not in the record would look as if it led nowhere.
        let Landing::At(at) = landing else { return Ok(landing) };
        let to = self.atlas.nodes.get(at).map(|node| node.state_id.clone());
        if self.atlas.nodes.len() > before
            && let Some(node) = self.atlas.nodes.last()
        {
            news.push(found(node));
        }
        if let (Some(back), Some(state_id)) = (way_back, &to) {
            chapter.decisions.extend(taking_back(kept, back, state_id));
        }
        let made = Made { id, to, signals, requests, consequence };
        self.write_down(kept, &from, made, chapter, news);
        Ok(landing)
    }

    /// What was tried in a sealed place and opened nothing: it acts at once, and what it would have sent is known.
    fn hold(
        &mut self,
        kept: &Kept,
        requests: Vec<RequestRecord>,
        chapter: &mut Chapter,
        news: &mut Vec<RunEvent>,
    ) {
        let Some(from) = self.atlas.nodes.get(kept.state).cloned() else { return };
        let id = transition_id(&kept.profile, &from.state_id, None, &kept.body.step);
        let consequence = CompactString::const_new("held");
        let made = Made { id, to: None, signals: Vec::new(), requests, consequence };
        self.write_down(kept, &from, made, chapter, news);
    }

    fn write_down(
        &mut self,
        kept: &Kept,
        from: &Node,
        made: Made,
        chapter: &mut Chapter,
        news: &mut Vec<RunEvent>,
    ) {
        let Made { id, to, signals, requests, consequence } = made;
        let step = &kept.body.step;
        let Some(action_id) = step.deed.action_id() else { return };
        for request in requests.iter().filter(|request| request.held && (request.writes || !step.sealed)) {
            let by =
                step.aim.as_ref().map_or_else(|| action_id.to_string(), |aim| named(&aim.role, &aim.name));
            let detail = format!("{} `{}` was held back{CAUSE}{by}", request.method, request.path);
            let incident = Incident {
                kind: IncidentKind::WriteHeld,
                state_id: Some(from.state_id.clone()),
                url: Some(from.url.clone()),
                detail,
            };
            news.extend(self.atlas.tell(incident, chapter).map(RunEvent::Incident));
        }
        let record = TransitionRecord {
            transition_id: id,
            from: from.state_id.clone(),
            to: to.clone(),
            action_id: action_id.clone(),
            aim: step.aim.clone(),
            args: step.deed.args(),
            side_effect: kept.body.side_effect.clone(),
            signals,
            requests,
            profile: CompactString::from(kept.profile.as_str()),
            tries: 1,
            agreed: 1,
            sealed: step.sealed,
        };
        news.push(RunEvent::Acted { from: from.state_id.clone(), action_id, aim: step.aim.clone(), to });
        let (control, consequence) = (kept.control.clone(), Some(consequence.to_string()));
        chapter.crossings.push(Crossing { record, control, consequence });
    }

    /// Puts a chapter on the disk, then tells of it.
    pub(super) fn publish(&mut self, mut chapter: Chapter, news: Vec<RunEvent>) -> Result<(), RunError> {
        // Whoever goes on with the run has only what is left of the time.
        chapter.facts.push(("spentMs", self.spent_ms().into()));
        self.camp.store().keep(&chapter)?;
        let mut known = self.camp.known.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(chapter.states.iter().map(|(_, node, ..)| node.fingerprint.clone()));
        drop(known);
        for event in news {
            (self.options.listener)(event);
        }
        Ok(())
    }
}

/// A transition that was made.
struct Made {
    id: CompactString,
    to: Option<CompactString>,
    signals: Vec<SuccessSignal>,
    requests: Vec<RequestRecord>,
    consequence: CompactString,
}

/// What was done may be taken back by the same kind of step, as harmless as the one that was decided about.
fn taking_back(kept: &Kept, back: Step, state_id: &CompactString) -> Option<DecisionRecord> {
    let done = kept.body.step.aim.as_ref().map(|aim| named(&aim.role, &aim.name)).unwrap_or_default();
    Some(DecisionRecord {
        state_id: state_id.clone(),
        action_id: back.deed.action_id()?,
        aim: back.aim,
        side_effect: kept.body.side_effect.clone(),
        effect: DiscoveryActionEffect::Allow,
        reason: DiscoveryActionReason::Safe,
        because: format!("it takes back what was done to {done}"),
        profile: kept.profile.as_str().into(),
    })
}

/// What led to a state that could not be taken up is done again when that can be; what must not be done twice is told.
fn put_back(kept: &Kept, chapter: &mut Chapter) -> Option<Incident> {
    if !kept.body.once {
        chapter.standings.push((kept.number, Standing::Open));
        return None;
    }
    let name = kept.body.step.aim.as_ref().map(|aim| aim.name.as_str()).unwrap_or_default();
    let detail = format!("where `{name}` led could not be taken up any more, and it must not be done twice");
    Some(Incident { kind: IncidentKind::BudgetReached, state_id: None, url: None, detail })
}

/// A control, as a person would look for it.
pub(super) fn named(role: &str, name: &str) -> String {
    if name.is_empty() { format!("a {role} without a name") } else { format!("the {role} `{name}`") }
}

/// A scout that never came home brought nothing.
fn give_up(turns: &VecDeque<u64>, home: &mut BTreeMap<u64, Finding>) {
    for number in turns {
        let outcome = Outcome::Failed { kind: IncidentKind::Crash, detail: "nothing came back".to_owned() };
        let finding = Finding {
            replays: Vec::new(),
            deep: None,
            incidents: Vec::new(),
            self_writes: Vec::new(),
            outcome,
        };
        home.insert(*number, finding);
    }
}
