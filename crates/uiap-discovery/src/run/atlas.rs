//! Everything that is known so far, and how something new is taken up.

use std::collections::{BTreeSet, HashMap, HashSet};

use compact_str::{CompactString, format_compact};
use sha2::{Digest as _, Sha256};
use uiap_model::discovery::DiscoverySeed;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};
use uiap_model::policy::SideEffectClass;
use uiap_model::web::PageGraph;

use super::budget::Budget;
use super::finding::Arrival;
use super::node::{Node, Start, Via};
use crate::candidate::{Candidate, Rank, candidates, draft, path_pattern};
use crate::frontier::{Entry, Frontier};
use crate::ground::{Step, Traffic};
use crate::plan::Plan;
use crate::record::{DecisionRecord, Incident, IncidentKind};
use crate::safety::{self, Stance, Subject, Verdict};
use crate::store::{Allowed, Chapter, Kept, Packed, Standing, Store, StoreError};

/// Where somebody is who arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    /// In this state.
    At(usize),
    /// In a state that the budget has no room for.
    Full,
    /// In a state that nobody looked at: the scout took it for one that somebody else would bring home.
    Unseen,
}

/// What is known so far.
pub(super) struct Atlas {
    pub(super) nodes: Vec<Node>,
    by_fingerprint: HashMap<CompactString, usize>,
    /// What each profile may still try: nobody takes or delays what belongs to another.
    frontiers: HashMap<CompactString, Frontier>,
    pub(super) budget: Budget,
    pub(super) routes: BTreeSet<CompactString>,
    /// What pages write by themselves.
    pub(super) idle: BTreeSet<Traffic>,
    /// The language that the run explores: that of its first page.
    locale: Option<CompactString>,
    told: HashSet<String>,
    next_candidate: u64,
    stance: Stance,
    origin: String,
}

impl Atlas {
    /// What a store knows; nothing for a new one.
    pub(super) fn load(store: &Store, plan: &Plan) -> Result<Self, StoreError> {
        let nodes = store.nodes()?;
        let mut atlas = Self {
            by_fingerprint: nodes
                .iter()
                .enumerate()
                .map(|(at, node)| (node.fingerprint.clone(), at))
                .collect(),
            routes: nodes.iter().map(|node| node.route.clone()).collect(),
            nodes,
            frontiers: HashMap::new(),
            budget: Budget::new(plan.environment.budgets.as_ref()),
            idle: store.fact("idle")?.unwrap_or_default(),
            locale: store.fact("locale")?.unwrap_or_default(),
            told: store.incidents()?.iter().map(gist).collect(),
            next_candidate: store.last_candidate()? + 1,
            stance: Stance::of(&plan.environment),
            origin: plan.base().origin().to_owned(),
        };
        for (state, tries) in store.tries()? {
            let route = atlas.nodes.get(state).map(|node| node.route.clone()).unwrap_or_default();
            for _ in 0..tries {
                atlas.budget.spend(&route);
            }
        }
        for crossing in store.crossings()? {
            let frontier = atlas.frontier(&crossing.record.profile);
            frontier.begin(&crossing.control);
            frontier.end(&crossing.control, crossing.consequence.as_deref());
        }
        for kept in store.candidates(Standing::Open)? {
            atlas.queue(&kept);
        }
        Ok(atlas)
    }

    /// What a profile may still try.
    pub(super) fn frontier(&mut self, profile: &str) -> &mut Frontier {
        self.frontiers.entry(profile.into()).or_default()
    }

    /// How much all of them may still try.
    pub(super) fn left(&self) -> usize {
        self.frontiers.values().map(Frontier::len).sum()
    }

    /// Puts a candidate into the frontier of its profile.
    pub(super) fn queue(&mut self, kept: &Kept) {
        let frontier = self.frontier(&kept.profile);
        let tried = frontier.control(&kept.control).is_some_and(|known| known.tries > 0);
        frontier.push(Entry {
            tried,
            rank: Rank::of(kept.rank),
            depth: kept.body.depth,
            number: kept.number,
            state: kept.state,
        });
    }

    pub(super) fn find(&self, fingerprint: &str) -> Option<usize> {
        self.by_fingerprint.get(fingerprint).copied()
    }

    /// Notes that a profile is in a state; a new state is taken up with everything that could be done there.
    pub(super) fn arrive(
        &mut self,
        arrival: &Arrival,
        profile: &CompactString,
        via: Via,
        seed: Option<&DiscoverySeed>,
        store: &Store,
        chapter: &mut Chapter,
    ) -> Result<Landing, StoreError> {
        if let Some(at) = self.find(&arrival.fingerprint) {
            self.revisit(at, arrival, profile, &via, seed, store, chapter)?;
            return Ok(Landing::At(at));
        }
        if !self.budget.has_state(self.nodes.len()) {
            return Ok(Landing::Full);
        }
        let Some(graph) = &arrival.graph else { return Ok(Landing::Unseen) };
        if self.nodes.is_empty() {
            self.locale.clone_from(&arrival.locale);
            let locale = serde_json::to_value(&self.locale)?;
            chapter.facts.push(("locale", locale));
        }
        let route = route_of(graph);
        self.routes.insert(route.clone());
        let at = self.nodes.len();
        let (depth, closed) = (via.depth, self.closed(arrival, &via));
        let node = Node {
            state_id: arrival.state_id.clone(),
            fingerprint: arrival.fingerprint.clone(),
            url: arrival.url.clone(),
            other_urls: BTreeSet::new(),
            title: arrival.title.clone(),
            seed: seed.cloned(),
            screenshot: arrival.screenshot.clone(),
            visits: 1,
            via: std::iter::once((profile.clone(), via)).collect(),
            deep: None,
            route,
            closed,
        };
        let before = self.before(&node, profile, store)?;
        self.expand(at, &node, profile, depth, graph, &arrival.details.actions, &before, chapter);
        chapter.states.push((at, node.clone(), Packed::of(graph)?, arrival.details.clone()));
        self.by_fingerprint.insert(arrival.fingerprint.clone(), at);
        self.nodes.push(node);
        for detail in &arrival.faults {
            let (url, state_id) = (Some(arrival.url.clone()), Some(arrival.state_id.clone()));
            let detail = detail.clone();
            self.tell(Incident { kind: IncidentKind::Malformed, state_id, url, detail }, chapter);
        }
        Ok(Landing::At(at))
    }

    /// The controls of the state that this one lies over: a layer, a tab or a selection adds to them what is new.
    fn before(
        &self,
        node: &Node,
        profile: &str,
        store: &Store,
    ) -> Result<HashSet<CompactString>, StoreError> {
        let Some(Start::Step { from, .. }) = node.via.get(profile).map(|via| &via.start) else {
            return Ok(HashSet::new());
        };
        let place = |node: &Node| path_pattern(&node.url);
        if self.nodes.get(*from).is_none_or(|from| from.route != node.route || place(from) != place(node)) {
            return Ok(HashSet::new());
        }
        let Some((graph, details)) = store.state(*from)? else { return Ok(HashSet::new()) };
        Ok(candidates(&graph, &details.actions).into_iter().map(|candidate| candidate.control).collect())
    }

    /// Why nothing is tried from a state, where nothing is.
    fn closed(&self, arrival: &Arrival, via: &Via) -> Option<String> {
        if matches!(&via.start, Start::Step { step, .. } if step.sealed) {
            return Some("it was only seen where nothing leaves the page".to_owned());
        }
        let app = crate::seed::address::origin(&arrival.url).is_some_and(|origin| origin == self.origin);
        if !app {
            return Some("it is not a page of the app".to_owned());
        }
        match (&self.locale, &arrival.locale) {
            (Some(own), Some(other)) if own != other => {
                Some(format!("it speaks `{other}`; this run explores `{own}`"))
            }
            _ => None,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the facts of one arrival")]
    fn revisit(
        &mut self,
        at: usize,
        arrival: &Arrival,
        profile: &CompactString,
        via: &Via,
        seed: Option<&DiscoverySeed>,
        store: &Store,
        chapter: &mut Chapter,
    ) -> Result<(), StoreError> {
        let Some(node) = self.nodes.get_mut(at) else { return Ok(()) };
        node.seen_at(&arrival.url);
        if node.seed.is_none() {
            node.seed = seed.cloned();
        }
        let is_new_to_profile = !node.via.contains_key(profile);
        if is_new_to_profile {
            node.via.insert(profile.clone(), via.clone());
        }
        let node = node.clone();
        if is_new_to_profile && let Some((graph, details)) = store.state(at)? {
            let before = self.before(&node, profile, store)?;
            self.expand(at, &node, profile, via.depth, &graph, &details.actions, &before, chapter);
        }
        chapter.nodes.push((at, node));
        Ok(())
    }

    /// Decides about everything that could be done in a state; what is allowed waits in the frontier.
    #[expect(clippy::too_many_arguments, reason = "the facts of one state")]
    pub(super) fn expand(
        &mut self,
        at: usize,
        node: &Node,
        profile: &CompactString,
        depth: u32,
        graph: &PageGraph,
        actions: &[uiap_model::capability::ActionDescriptor],
        before: &HashSet<CompactString>,
        chapter: &mut Chapter,
    ) {
        let (mut drafts, mut senders) = (Vec::new(), Vec::new());
        for candidate in candidates(graph, actions) {
            let decision = self.decide(node, profile, depth, graph, actions, &candidate);
            let Some(mut decision) = decision else { continue };
            let form = draft::form(graph, candidate.scope);
            let is_draft = decision.side_effect == SideEffectClass::Draft;
            if decision.effect == DiscoveryActionEffect::Allow && is_draft {
                drafts.extend(form.zip(draft::of(&candidate)));
            }
            let probe = self.probe(node, graph, actions, &candidate, &decision, before);
            if decision.effect == DiscoveryActionEffect::Allow && before.contains(&candidate.control) {
                decision.effect = DiscoveryActionEffect::Skip;
                "the state that leads here has it too".clone_into(&mut decision.because);
            }
            if candidate.alike > 0 {
                chapter.decisions.push(alike(&decision, &candidate));
            }
            let is_allowed = decision.effect == DiscoveryActionEffect::Allow;
            if is_allowed || probe.is_some() {
                let mut kept = self.keep(at, profile, depth, &candidate, &decision.side_effect);
                kept.body.step.sealed = probe.is_some();
                // Nothing comes of it in a sealed place: a run that was killed meanwhile may try it again.
                kept.body.once &= probe.is_none();
                self.queue(&kept);
                if probe.is_none() && draft::sends(&candidate) {
                    senders.extend(form.map(|form| (chapter.candidates.len(), form)));
                }
                chapter.candidates.push((kept, Standing::Open));
            }
            chapter.decisions.push(decision);
            chapter.decisions.extend(probe);
        }
        // A form is filled in with what may be written into it before it is sent.
        for (at, form) in senders {
            let own = drafts.iter().filter(|(of, _)| *of == form).map(|(_, draft)| draft.clone());
            if let Some((kept, _)) = chapter.candidates.get_mut(at) {
                kept.body.step.drafts = own.collect();
            }
        }
    }

    /// The decision to try what is refused where nothing can come of it.
    fn probe(
        &self,
        node: &Node,
        graph: &PageGraph,
        actions: &[uiap_model::capability::ActionDescriptor],
        candidate: &Candidate<'_>,
        refused: &DecisionRecord,
        before: &HashSet<CompactString>,
    ) -> Option<DecisionRecord> {
        if node.closed.is_some() || before.contains(&candidate.control) {
            return None;
        }
        let DecisionRecord { side_effect, effect, reason, because, .. } = refused.clone();
        let verdict = Verdict { side_effect, effect, reason, because };
        let action_id = refused.action_id.as_str();
        let subject =
            Subject { graph, scope: candidate.scope, element: candidate.element, action_id, actions };
        let because = safety::may_probe(&subject, &verdict, &self.stance)?;
        let (effect, reason) = (DiscoveryActionEffect::Allow, DiscoveryActionReason::Safe);
        Some(DecisionRecord { effect, reason, because, ..refused.clone() })
    }

    fn keep(
        &mut self,
        state: usize,
        profile: &CompactString,
        depth: u32,
        candidate: &Candidate<'_>,
        side_effect: &SideEffectClass,
    ) -> Kept {
        let number = self.next_candidate;
        self.next_candidate += 1;
        let once = !matches!(
            side_effect,
            SideEffectClass::None
                | SideEffectClass::UiOnly
                | SideEffectClass::Navigation
                | SideEffectClass::Draft
        );
        Kept {
            number,
            state,
            profile: profile.to_string(),
            rank: candidate.rank as u8,
            control: format!("{profile}|{}", candidate.control),
            body: Allowed { step: candidate.step.clone(), side_effect: side_effect.clone(), once, depth },
        }
    }

    fn decide(
        &self,
        node: &Node,
        profile: &CompactString,
        depth: u32,
        graph: &PageGraph,
        actions: &[uiap_model::capability::ActionDescriptor],
        candidate: &Candidate<'_>,
    ) -> Option<DecisionRecord> {
        let action_id = candidate.step.deed.action_id()?;
        let subject = Subject {
            graph,
            scope: candidate.scope,
            element: candidate.element,
            action_id: action_id.as_str(),
            actions,
        };
        let verdict = safety::judge(&subject, &self.stance);
        let mut decision = DecisionRecord {
            state_id: node.state_id.clone(),
            action_id,
            aim: candidate.step.aim.clone(),
            side_effect: verdict.side_effect,
            effect: verdict.effect,
            reason: verdict.reason,
            because: verdict.because,
            profile: profile.clone(),
        };
        if decision.effect == DiscoveryActionEffect::Allow {
            if let Some(why) = &node.closed {
                decision.effect = DiscoveryActionEffect::Skip;
                decision.because.clone_from(why);
            } else if !self.budget.reaches(depth) {
                decision.effect = DiscoveryActionEffect::Skip;
                decision.reason = DiscoveryActionReason::BudgetExceeded;
                decision.because = format!("the state is {depth} steps away from a seed");
            }
        }
        Some(decision)
    }

    /// The decision about something that the budget has no room for.
    pub(super) fn unaffordable(&self, kept: &Kept) -> DecisionRecord {
        self.passed_over(
            kept,
            DiscoveryActionReason::BudgetExceeded,
            "the budget was used up before its turn".to_owned(),
        )
    }

    /// The decision about something that was allowed and is not done all the same.
    pub(super) fn passed_over(
        &self,
        kept: &Kept,
        reason: DiscoveryActionReason,
        because: String,
    ) -> DecisionRecord {
        let state_id = self.nodes.get(kept.state).map(|node| node.state_id.clone()).unwrap_or_default();
        let activate = || uiap_model::names::ActionId::parse("ui.activate");
        DecisionRecord {
            state_id,
            action_id: kept
                .body
                .step
                .deed
                .action_id()
                .or_else(activate)
                .unwrap_or_else(|| unreachable!("the word is an id of an action")),
            aim: kept.body.step.aim.clone(),
            side_effect: kept.body.side_effect.clone(),
            effect: DiscoveryActionEffect::Skip,
            reason,
            because,
            profile: kept.profile.as_str().into(),
        }
    }

    /// Notes an incident unless it was told already.
    pub(super) fn tell(&mut self, incident: Incident, chapter: &mut Chapter) -> Option<Incident> {
        if !self.told.insert(gist(&incident)) {
            return None;
        }
        chapter.incidents.push(incident.clone());
        Some(incident)
    }

    /// Takes up what pages wrote by themselves.
    pub(super) fn learn(&mut self, writes: &[Traffic], chapter: &mut Chapter) -> Result<(), StoreError> {
        let before = self.idle.len();
        self.idle.extend(writes.iter().cloned());
        if self.idle.len() > before {
            chapter.facts.push(("idle", serde_json::to_value(&self.idle)?));
        }
        Ok(())
    }
}

fn gist(incident: &Incident) -> String {
    let place = incident.url.as_deref().map(path_pattern).unwrap_or_default();
    format!("{:?}|{place}|{}", incident.kind, crate::candidate::name_pattern(&incident.detail))
}

/// What is said of the others of a pattern.
fn alike(decision: &DecisionRecord, candidate: &Candidate<'_>) -> DecisionRecord {
    let mut other = decision.clone();
    let name = decision.aim.as_ref().map(|aim| aim.name.as_str()).unwrap_or_default();
    if other.effect == DiscoveryActionEffect::Allow {
        other.effect = DiscoveryActionEffect::Skip;
    }
    other.because =
        format!("{} more of the same pattern as `{name}`, which stands for them", candidate.alike);
    other
}

/// What the budget of a route is counted by.
fn route_of(graph: &PageGraph) -> CompactString {
    match &graph.route.route_id {
        Some(id) => id.clone(),
        None => CompactString::from(path_pattern(&graph.route.url)),
    }
}

/// The id of a transition: the same in every run.
pub(super) fn transition_id(profile: &str, from: &str, to: Option<&str>, step: &Step) -> CompactString {
    let mut hash = Sha256::new();
    let action = step.deed.action_id().map(|id| id.to_string()).unwrap_or_default();
    let args = serde_json::to_string(&step.deed.args()).unwrap_or_default();
    for part in [profile, from, to.unwrap_or("?"), action.as_str(), args.as_str()] {
        hash.update(part);
        hash.update([0]);
    }
    if let Some(aim) = &step.aim {
        let stable = aim.stable_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let scope = aim.scope_id.as_ref().map(ToString::to_string).unwrap_or_default();
        for part in [stable.as_str(), aim.role.as_str(), aim.name.as_str(), scope.as_str()] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(aim.ordinal.to_le_bytes());
    }
    let digits: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format_compact!("tr_{digits}")
}

/// How a state was reached by something done in another.
pub(super) fn by_step(kept: &Kept, transition_id: &CompactString, depth: u32) -> Via {
    let step = Box::new(kept.body.step.clone());
    let (from, once) = (kept.state, kept.body.once);
    Via { start: Start::Step { from, step, transition_id: transition_id.clone(), once }, depth }
}
