//! What a run sets out to do: where, as whom, how far, and which seeds it takes and which it does not. Spec: discovery-mapper §9, §14.1.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use compact_str::CompactString;
use uiap_model::discovery::environment::SafetyMode;
use uiap_model::discovery::message::{DiscoveryPlannedPayload, RejectedSeed};
use uiap_model::discovery::{DiscoveryEnvironment, DiscoverySafetyPolicy, DiscoverySeed};
use uiap_model::json::Count;
use uiap_model::names::ActionId;

use crate::record::SeedRecord;
use crate::safety::{self, Stance};
use crate::seed::address::{self, Base, NoBase};
use crate::seed::crowd::{ACTS, Crowd, Refusal};
use crate::seed::{ANNOTATION, DOCUMENTATION, Offer};

/// The profile of a run that names none.
pub const DEFAULT_PROFILE: &str = "default";

/// What the app is known to have before anybody looks at it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Routes: id, and an address or a pattern.
    pub routes: BTreeMap<CompactString, String>,
    /// Workflows: id, and the route or address at which they begin; nothing where they may begin anywhere.
    pub workflows: BTreeMap<CompactString, String>,
    /// What a document refers to, by its name.
    pub documents: BTreeMap<CompactString, Vec<String>>,
}

/// What is done for a seed.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// An address is opened.
    Url(String),
    /// Several addresses are opened.
    Urls(Vec<String>),
    /// An entry of the app's navigation is pressed.
    Menu(CompactString),
    /// An action of the app is invoked.
    Action(ActionId),
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where, as whom, how far.
    pub environment: DiscoveryEnvironment,
    /// As whom, by their ids: in which order somebody names them means nothing.
    pub profiles: Vec<CompactString>,
    /// What may be done.
    pub safety: DiscoverySafetyPolicy,
    /// Every seed and what was decided about it.
    pub seeds: Vec<SeedRecord>,
    /// What is done for those that were accepted; the same order, none for the others.
    pub goals: Vec<Option<Goal>>,
    /// Whether the addresses of the app's sitemap are places to begin at.
    pub sitemap: bool,
    known: Known,
    base: Base,
    /// What became of seeds in the run that is gone on with, by the seed.
    earlier: HashMap<String, SeedRecord>,
    by_seed: HashMap<String, usize>,
    by_goal: HashMap<String, usize>,
    crowd: Crowd,
    /// Seeds that nobody understood yet: what the app says of itself may help.
    open: BTreeSet<usize>,
}

impl Plan {
    /// Makes a plan: the base address is always the first seed.
    pub fn new(
        mut environment: DiscoveryEnvironment,
        offers: Vec<Offer>,
        known: Known,
    ) -> Result<Self, NoBase> {
        let base = Base::parse(&environment.base_url)?;
        let safety = environment.safety.clone().unwrap_or(DiscoverySafetyPolicy {
            default_mode: SafetyMode::ObserveOnly,
            allow_external_effects: None,
            allow_destructive_actions: None,
            allow_auth_flows: None,
            allow_payment_flows: None,
        });
        if let Some(profiles) = &mut environment.principal_profiles {
            profiles.sort_by(|a, b| a.id.cmp(&b.id));
            profiles.dedup_by(|a, b| a.id == b.id);
        }
        let mut profiles: Vec<CompactString> =
            environment.principal_profiles.iter().flatten().map(|profile| profile.id.clone()).collect();
        if profiles.is_empty() {
            profiles.push(DEFAULT_PROFILE.into());
        }
        let start = Offer::new(DiscoverySeed::Url { url: environment.base_url.clone() }, "commandLine");
        let mut plan = Self {
            environment,
            profiles,
            safety,
            seeds: Vec::new(),
            goals: Vec::new(),
            sitemap: false,
            known,
            base,
            earlier: HashMap::new(),
            by_seed: HashMap::new(),
            by_goal: HashMap::new(),
            crowd: Crowd::default(),
            open: BTreeSet::new(),
        };
        for offer in std::iter::once(start).chain(offers) {
            plan.take(offer);
        }
        Ok(plan)
    }

    /// Decides about a further seed; says which records are new or say something else now.
    pub fn take(&mut self, offer: Offer) -> Vec<usize> {
        let is_judged = offer.refused.is_some();
        let decided = match &offer.refused {
            Some(reason) => Err(reason.clone()),
            None => self.resolve(&offer.seed),
        };
        if let Some(at) = self.by_seed.get(&key(&offer.seed)).copied() {
            // What nobody understood before is taken from whoever understands it; what was judged stays judged.
            let Ok(goal) = decided else { return Vec::new() };
            if !self.open.contains(&at) {
                return Vec::new();
            }
            if let Some(record) = self.seeds.get_mut(at) {
                record.origin = offer.origin.into();
            }
            self.accept(at, goal);
            return vec![at];
        }
        match decided {
            Err(reason) => {
                let at = self.push(offer.seed, offer.origin, None, Some(reason));
                if !is_judged {
                    self.open.insert(at);
                }
                vec![at]
            }
            Ok(Goal::Urls(urls)) => self.take_many(offer, urls),
            Ok(goal) => {
                if let Some(at) = self.by_goal.get(&goal_key(&goal)).copied() {
                    return self.name_again(at, offer.seed, offer.origin);
                }
                if let Goal::Url(url) = &goal
                    && let Err(refusal) = self.crowd.admit(url, offer.origin)
                {
                    return self.turn_away(offer.seed, offer.origin, &refusal);
                }
                vec![self.push(offer.seed, offer.origin, Some(goal), None)]
            }
        }
    }

    /// A document: what it links to in the app is opened, the rest of its links is refused one by one.
    fn take_many(&mut self, offer: Offer, links: Vec<String>) -> Vec<usize> {
        let (mut own, mut changed) = (Vec::new(), Vec::new());
        for link in links {
            let refusal = match self.base.within(&link) {
                Err(refusal) => Refusal::alone(refusal.to_string()),
                Ok(url) => {
                    let Err(refusal) = self.crowd.admit(&url, DOCUMENTATION) else {
                        own.push(url);
                        continue;
                    };
                    refusal
                }
            };
            let seed = DiscoverySeed::Url { url: link.into() };
            if !self.by_seed.contains_key(&key(&seed)) {
                changed.extend(self.turn_away(seed, DOCUMENTATION, &refusal));
            }
        }
        let decided = if own.is_empty() {
            (None, Some("the document has no link into the app that is opened".to_owned()))
        } else {
            (Some(Goal::Urls(own)), None)
        };
        changed.push(self.push(offer.seed, offer.origin, decided.0, decided.1));
        changed
    }

    /// Refuses a seed. Of many that are refused for the same reason one stands for the others.
    fn turn_away(&mut self, seed: DiscoverySeed, origin: &'static str, refusal: &Refusal) -> Vec<usize> {
        let reason = refusal.to_string();
        let first = self.crowd.stands_for(refusal);
        if let Some(record) = first.and_then(|at| self.seeds.get_mut(at)) {
            record.rejected = Some(reason);
            return first.into_iter().collect();
        }
        let at = self.push(seed, origin, None, Some(reason));
        self.crowd.stand(refusal, at);
        vec![at]
    }

    fn push(
        &mut self,
        seed: DiscoverySeed,
        origin: &'static str,
        goal: Option<Goal>,
        rejected: Option<String>,
    ) -> usize {
        let at = self.seeds.len();
        self.by_seed.insert(key(&seed), at);
        if let Some(goal) = &goal {
            self.by_goal.insert(goal_key(goal), at);
        }
        let earlier = self.earlier.get(&key(&seed)).cloned();
        let fresh = || SeedRecord { seed, origin: origin.into(), rejected, state_id: None };
        self.seeds.push(earlier.unwrap_or_else(fresh));
        self.goals.push(goal);
        at
    }

    fn accept(&mut self, at: usize, goal: Goal) {
        self.open.remove(&at);
        self.by_goal.entry(goal_key(&goal)).or_insert(at);
        if let (Some(record), Some(slot)) = (self.seeds.get_mut(at), self.goals.get_mut(at)) {
            record.rejected = None;
            *slot = Some(goal);
        }
    }

    /// Asks again about seeds that nobody understood; says which are understood now.
    pub fn reconsider(&mut self) -> Vec<usize> {
        let mut understood = Vec::new();
        for at in self.open.clone() {
            let Some(seed) = self.seeds.get(at).map(|record| record.seed.clone()) else { continue };
            match self.resolve(&seed) {
                Ok(goal) => {
                    self.accept(at, goal);
                    understood.push(at);
                }
                // Where it leads may be known by now, and still not be an address.
                Err(reason) => {
                    if let Some(record) = self.seeds.get_mut(at) {
                        record.rejected = Some(reason);
                    }
                }
            }
        }
        understood
    }

    /// Whether something that the app says may still help to understand a seed.
    pub(crate) fn is_open(&self, at: usize) -> bool {
        self.open.contains(&at)
    }

    /// What the app itself names is a seed also where another one led there already.
    fn name_again(&mut self, at: usize, seed: DiscoverySeed, origin: &'static str) -> Vec<usize> {
        let state_id = self.seeds.get(at).and_then(|known| known.state_id.clone());
        if origin != ANNOTATION || state_id.is_none() {
            return Vec::new();
        }
        let named = self.push(seed, origin, None, None);
        if let Some(record) = self.seeds.get_mut(named) {
            record.state_id = state_id;
        }
        vec![named]
    }

    /// Takes up what became of the seeds in the run that is gone on with.
    pub(crate) fn remember(&mut self, earlier: Vec<SeedRecord>) {
        self.earlier = earlier.into_iter().map(|record| (key(&record.seed), record)).collect();
        for record in &mut self.seeds {
            if let Some(known) = self.earlier.get(&key(&record.seed)) {
                record.clone_from(known);
            }
        }
    }

    /// Why somebody should think twice: it looks as if people did their work there. None for staging, demo and test.
    pub fn caution(&self) -> Option<String> {
        let told = |name: &str| self.environment.metadata.as_ref()?.0.get(name)?.as_bool();
        if told(Stance::CONTROLLED) == Some(true) {
            return None;
        }
        let id = self.environment.environment_id.to_ascii_lowercase();
        if id
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|part| part.starts_with("prod") || part == "live")
        {
            return Some(format!("the environment `{id}` calls itself live"));
        }
        let host = address::host(self.base.origin());
        (!address::is_for_trying(host)).then(|| format!("nothing says that `{host}` is there for trying"))
    }

    /// The app's address.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// A route that the app was found to have.
    pub fn learn_route(&mut self, id: &str, pattern: &str) {
        self.known.routes.entry(id.into()).or_insert_with(|| pattern.to_owned());
    }

    /// A workflow that the app was found to have, and the route at which it begins.
    pub fn learn_workflow(&mut self, id: &str, route: &str) {
        self.known.workflows.entry(id.into()).or_insert_with(|| route.to_owned());
    }

    /// What a seed means, or why it is not used.
    fn resolve(&self, seed: &DiscoverySeed) -> Result<Goal, String> {
        let presses = self.safety.default_mode != SafetyMode::ObserveOnly;
        let address = |url: &str| {
            let own = self.base.within(url).map_err(|refusal| refusal.to_string())?;
            // Where the app begins is asked for in any case.
            if own != self.base.url() && safety::address::acts(&own) {
                return Err(ACTS.to_owned());
            }
            Ok(Goal::Url(own))
        };
        match seed {
            DiscoverySeed::Url { url } => address(url),
            DiscoverySeed::Route { route_id } => self.route(route_id).and_then(|path| address(&path)),
            DiscoverySeed::Workflow { workflow_id } => {
                let entry = self.known.workflows.get(workflow_id);
                let entry = entry.ok_or_else(|| format!("no workflow `{workflow_id}` is known"))?;
                match entry.as_str() {
                    "" => Ok(Goal::Url(self.base.url().to_owned())),
                    path if path.starts_with('/') || path.contains("://") => address(path),
                    id => self.route(id).and_then(|path| address(&path)),
                }
            }
            DiscoverySeed::Documentation { r#ref: name } => {
                let links = self.known.documents.get(name);
                let links = links.ok_or_else(|| format!("the document `{name}` was not read"))?;
                Ok(Goal::Urls(links.clone()))
            }
            DiscoverySeed::Menu { label } if presses => Ok(Goal::Menu(label.clone())),
            DiscoverySeed::Action { action_id } if presses => Ok(Goal::Action(action_id.clone())),
            DiscoverySeed::Menu { .. } | DiscoverySeed::Action { .. } => {
                Err("it would have to be pressed, and nothing is in `observe_only`".to_owned())
            }
        }
    }

    fn route(&self, id: &str) -> Result<String, String> {
        let pattern = self.known.routes.get(id).ok_or_else(|| format!("no route `{id}` is known"))?;
        if pattern.contains([':', '{', '*']) && !pattern.contains("://") {
            return Err(format!("route `{id}` needs values for `{pattern}`"));
        }
        Ok(pattern.clone())
    }

    /// The answer to whoever asked for the plan.
    pub fn planned(&self, run_id: &str) -> DiscoveryPlannedPayload {
        let accepted: Vec<_> =
            self.seeds.iter().filter(|seed| seed.rejected.is_none()).map(|seed| seed.seed.clone()).collect();
        let rejected = self.seeds.iter().filter_map(|seed| {
            Some(RejectedSeed { seed: seed.seed.clone(), reason: seed.rejected.as_deref()?.into() })
        });
        DiscoveryPlannedPayload {
            run_id: run_id.into(),
            estimated_seed_count: Some(Count(accepted.len() as u64)),
            accepted_seeds: Some(accepted),
            rejected_seeds: Some(rejected.collect()),
        }
    }
}

/// What makes a seed this seed.
fn key(seed: &DiscoverySeed) -> String {
    format!("{seed:?}")
}

/// What makes two goals the same.
fn goal_key(goal: &Goal) -> String {
    format!("{goal:?}")
}
