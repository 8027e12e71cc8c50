//! The beginning of a run: an initial state for each seed, and more seeds out of the first page.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use compact_str::CompactString;
use sha2::Digest as _;
use uiap_model::discovery::environment::SafetyMode;
use uiap_model::discovery::review::DiscoveryActionEffect;
use uiap_model::discovery::{DiscoverySafetyPolicy, DiscoverySeed};

use super::atlas::Landing;
use super::finding::{Finding, Outcome};
use super::node::{Start, Via, ways};
use super::scout::asks_for_credentials;
use super::tour::Tour;
use super::{End, Run, RunError};
use crate::candidate::is_for_the_asking;
use crate::ground::Ground;
use crate::plan::Goal;
use crate::record::{Incident, IncidentKind};
use crate::run::event::RunEvent;
use crate::safety::{self, Stance, Subject};
use crate::seed::{Offer, page};
use crate::store::{Chapter, StoreError};

/// Seeds have numbers of their own, beyond those of candidates.
const SEEDS: u64 = 1 << 40;

impl<G: Ground> Run<G> {
    /// Produces the initial states of everybody. What one of them is offered on the first page is tried by all, so that nobody's
    /// turn decides who reaches what. Whoever does not get in is left out; says how the run ended when it did.
    pub(super) async fn seed(&mut self) -> Result<Option<End>, RunError> {
        let mut starts = Vec::new();
        for profile in self.plan.profiles.clone() {
            let end = self.open_seeds(&profile, 0..1).await?;
            if end.is_some() {
                return Ok(end);
            }
            match self.start_of(&profile) {
                Some(start) => {
                    self.doubt(&profile, start)?;
                    self.propose(start)?;
                    starts.push((profile, start));
                }
                None => self.leave_out(&profile)?,
            }
        }
        self.inside = starts.iter().map(|(profile, _)| profile.clone()).collect();
        if starts.is_empty() {
            return Ok(Some(End::Unreachable));
        }
        self.refuse_open()?;
        for (profile, start) in starts {
            let end = self.open_seeds(&profile, 1..self.plan.seeds.len()).await?;
            if end.is_some() {
                return Ok(end);
            }
            self.progress(None, self.atlas.nodes.get(start).map(|node| node.state_id.clone()));
        }
        Ok(None)
    }

    /// Tells of a profile that should be logged in and is asked for a password: its session is an old one, most often.
    fn doubt(&mut self, profile: &str, start: usize) -> Result<(), RunError> {
        let graph = self.camp.store().state(start)?.map(|(graph, _)| graph);
        if !self.camp.ground.is_somebody(profile) || !graph.is_some_and(|graph| asks_for_credentials(&graph))
        {
            return Ok(());
        }
        let detail =
            format!("the first page asks profile `{profile}` for a password, although it was given a log-in");
        let url = Some(self.plan.base().url().to_owned());
        let kind = IncidentKind::SessionExpired;
        let incident = Incident { kind, state_id: None, url, detail: detail.clone() };
        let mut chapter = Chapter::default();
        let news = self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident);
        self.notes.push(detail);
        self.publish(chapter, news.into_iter().collect())
    }

    /// Tells of a profile that is not explored, where there are others.
    fn leave_out(&mut self, profile: &str) -> Result<(), RunError> {
        let detail = format!("profile `{profile}` did not get in; nothing was explored as it");
        if self.plan.profiles.len() > 1 {
            let url = Some(self.plan.base().url().to_owned());
            let incident =
                Incident { kind: IncidentKind::Unreachable, state_id: None, url, detail: detail.clone() };
            let mut chapter = Chapter::default();
            let news = self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident);
            self.publish(chapter, news.into_iter().collect())?;
        }
        self.notes.push(detail);
        Ok(())
    }

    /// The state that the base address led to.
    pub(super) fn start_of(&self, profile: &CompactString) -> Option<usize> {
        let nodes = self.atlas.nodes.iter();
        let base = self.plan.base().url();
        let is_start = |node: &super::node::Node| matches!(node.via.get(profile).map(|via| &via.start), Some(Start::Url(url)) if url == base);
        nodes.into_iter().position(is_start)
    }

    /// Opens the addresses that seeds mean, side by side; takes them up in order.
    async fn open_seeds(
        &mut self,
        profile: &CompactString,
        range: std::ops::Range<usize>,
    ) -> Result<Option<End>, RunError> {
        let mut done = HashSet::new();
        let mut tours = Vec::new();
        let (mut numbers, mut meant) = (Vec::new(), HashMap::new());
        let idle = Arc::new(self.atlas.idle.clone());
        let home = self.start_of(profile).map(|start| ways(&self.atlas.nodes, start, profile));
        let home = home.unwrap_or_default();
        for number in range {
            let urls = match self.plan.goals.get(number).and_then(Option::as_ref) {
                Some(Goal::Url(url)) => vec![url.clone()],
                Some(Goal::Urls(urls)) => urls.clone(),
                _ => continue,
            };
            for url in urls {
                if !done.insert(url.clone()) || self.camp.store().was_seeded(profile, &url)? {
                    continue;
                }
                let key = seed_number(profile, &url);
                tours.push(Tour::opening(profile, key, url.clone(), &home, &idle));
                numbers.push(key);
                meant.insert(key, (number, url));
            }
        }
        let profile = profile.clone();
        let end = self
            .send_out(tours, numbers, move |run, number, finding| {
                let Some((seed, url)) = meant.remove(&number) else { return Ok(None) };
                run.take_up_seed(&profile, seed, &url, finding)
            })
            .await?;
        Ok(end)
    }

    fn take_up_seed(
        &mut self,
        profile: &CompactString,
        number: usize,
        url: &str,
        finding: Finding,
    ) -> Result<Option<End>, RunError> {
        let mut chapter = Chapter::default();
        chapter.taken_up.push(seed_number(profile, url));
        // Whoever did not get in may when the run is gone on with.
        let opened = match finding.outcome {
            Outcome::Arrived(_) => true,
            Outcome::Lost { expired, .. } => !expired,
            _ => number > 0,
        };
        if opened {
            chapter.seeded.push((profile.clone(), url.to_owned()));
        }
        self.atlas.learn(&finding.self_writes, &mut chapter)?;
        let mut news: Vec<RunEvent> = Vec::new();
        let mut incidents = finding.incidents;
        let mut end = None;
        match finding.outcome {
            Outcome::Arrived(arrival) => {
                self.expired = 0;
                let via = Via { start: Start::Url(url.to_owned()), depth: 0 };
                let seed = self.plan.seeds.get(number).map(|seed| seed.seed.clone());
                let before = self.atlas.nodes.len();
                let landing = self.atlas.arrive(
                    &arrival,
                    profile,
                    via,
                    seed.as_ref(),
                    &self.camp.store(),
                    &mut chapter,
                )?;
                match landing {
                    Landing::At(at) => {
                        let Some(node) = self.atlas.nodes.get(at) else { return Ok(None) };
                        if let Some(record) = self.plan.seeds.get_mut(number) {
                            record.state_id.get_or_insert_with(|| node.state_id.clone());
                            chapter.seeds.push((number, record.clone()));
                        }
                        if self.atlas.nodes.len() > before {
                            news.push(found(node));
                        }
                    }
                    Landing::Full => {
                        end = Some(End::States);
                        // Where there is room later it is opened then.
                        chapter.seeded.clear();
                    }
                    // Whoever opens an address always looks.
                    Landing::Unseen => {}
                }
                if number == 0 && !arrival.routes.is_empty() {
                    chapter
                        .facts
                        .push(("routes", serde_json::to_value(&arrival.routes).map_err(StoreError::from)?));
                }
            }
            Outcome::Failed { kind, detail } => {
                incidents.push(Incident { kind, state_id: None, url: Some(url.to_owned()), detail });
            }
            Outcome::Lost { detail, expired } => {
                let (kind, gone) = self.lose(expired);
                incidents.push(Incident { kind, state_id: None, url: Some(url.to_owned()), detail });
                end = gone;
            }
            Outcome::Done(_) | Outcome::Held(_) | Outcome::Missed(_) | Outcome::Interrupted => {}
        }
        for incident in incidents {
            news.extend(self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident));
        }
        self.publish(chapter, news)?;
        Ok(end)
    }

    /// Seeds out of the first page: what the app declares, and its navigation.
    fn propose(&mut self, start: usize) -> Result<(), RunError> {
        let routes: Vec<(CompactString, String)> = self.camp.store().fact("routes")?.unwrap_or_default();
        let Some((graph, details)) = self.camp.store().state(start)? else { return Ok(()) };
        if let (Some(id), Some(path)) = (&graph.route.route_id, &graph.route.path)
            && self.plan.base().within(path).is_ok()
        {
            self.plan.learn_route(id, self.plan.base().url().to_owned().as_str());
        }
        for (id, pattern) in &routes {
            self.plan.learn_route(id, pattern);
        }
        // Addresses are opened in every mode; whether one may be is asked as if the link were pressed.
        let mut bold = self.plan.environment.clone();
        let safety =
            DiscoverySafetyPolicy { default_mode: SafetyMode::SafeExplore, ..self.plan.safety.clone() };
        bold.safety = Some(safety);
        let stance = Stance::of(&bold);
        let offers = page::offers(&graph, &routes, |scope, element, action_id| {
            let (scope, element) = (Some(scope), Some(element));
            let subject = Subject { graph: &graph, scope, element, action_id, actions: &[] };
            let verdict = safety::judge(&subject, &stance);
            (verdict.effect != DiscoveryActionEffect::Allow).then_some(verdict.because)
        });
        let registered = details.actions.iter().filter(|action| is_for_the_asking(action)).map(|action| {
            let (action_id, actions) = (action.id.as_str(), &*details.actions);
            let subject = Subject { graph: &graph, scope: None, element: None, action_id, actions };
            let verdict = safety::judge(&subject, &stance);
            let mut offer = Offer::new(DiscoverySeed::Action { action_id: action.id.clone() }, "registry");
            offer.refused = (verdict.effect != DiscoveryActionEffect::Allow).then_some(verdict.because);
            offer
        });
        let (mut chapter, mut news) = (Chapter::default(), Vec::new());
        let offers: Vec<Offer> = offers.into_iter().chain(registered).collect();
        self.take_offers(offers, &mut chapter, &mut news);
        for at in self.plan.reconsider() {
            chapter.seeds.extend(self.plan.seeds.get(at).map(|record| (at, record.clone())));
        }
        self.publish(chapter, news)
    }

    /// Decides about seeds that somebody proposes while the run is under way.
    pub(super) fn take_offers(
        &mut self,
        offers: Vec<Offer>,
        chapter: &mut Chapter,
        news: &mut Vec<RunEvent>,
    ) {
        let changed: BTreeSet<usize> = offers.into_iter().flat_map(|offer| self.plan.take(offer)).collect();
        for at in changed {
            let Some(record) = self.plan.seeds.get(at) else { continue };
            chapter.seeds.push((at, record.clone()));
            if let Some(reason) = record.rejected.clone().filter(|_| !self.plan.is_open(at)) {
                news.push(RunEvent::SeedRejected { seed: record.seed.clone(), reason });
            }
        }
    }

    /// Nothing more is learned that could help to understand a seed.
    fn refuse_open(&mut self) -> Result<(), RunError> {
        let mut chapter = Chapter::default();
        let mut news = Vec::new();
        for (at, record) in self.plan.seeds.iter().enumerate().filter(|(at, _)| self.plan.is_open(*at)) {
            if let Some(reason) = &record.rejected {
                news.push(RunEvent::SeedRejected { seed: record.seed.clone(), reason: reason.clone() });
            }
            chapter.seeds.push((at, record.clone()));
        }
        self.publish(chapter, news)
    }
}

/// The number under which the finding of a seed is kept: the same after an interruption.
fn seed_number(profile: &str, url: &str) -> u64 {
    let digest = sha2::Sha256::digest(format!("{profile}\0{url}"));
    let low = digest.iter().take(4).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    SEEDS + low
}

/// A state that nobody knew.
pub(super) fn found(node: &super::node::Node) -> RunEvent {
    RunEvent::StateFound { state_id: node.state_id.clone(), url: node.url.clone(), title: node.title.clone() }
}
