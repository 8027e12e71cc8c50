//! What a run sets out to do: where, as whom, how far, and which seeds it takes and which it does not. Spec: discovery-mapper §9, §14.1.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model::discovery::environment::SafetyMode;
use uiap_model::discovery::message::{DiscoveryPlannedPayload, RejectedSeed};
use uiap_model::discovery::{DiscoveryEnvironment, DiscoverySafetyPolicy, DiscoverySeed};
use uiap_model::json::Count;
use uiap_model::names::ActionId;

use crate::record::SeedRecord;
use crate::safety::{self, Stance};
use crate::seed::address::{self, Base, NoBase};
use crate::seed::{ANNOTATION, Offer};

/// The profile of a run that names none.
pub const DEFAULT_PROFILE: &str = "default";

/// What the app is known to have before anybody looks at it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Routes: id and pattern.
    pub routes: BTreeMap<CompactString, String>,
    /// Workflows: id and the route or address at which they begin.
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
    /// As whom, in this order.
    pub profiles: Vec<CompactString>,
    /// What may be done.
    pub safety: DiscoverySafetyPolicy,
    /// Every seed and what was decided about it.
    pub seeds: Vec<SeedRecord>,
    /// What is done for those that were accepted; the same order, none for the others.
    pub goals: Vec<Option<Goal>>,
    known: Known,
    base: Base,
    /// What became of seeds in the run that is gone on with.
    earlier: Vec<SeedRecord>,
}

impl Plan {
    /// Makes a plan: the base address is always the first seed.
    pub fn new(environment: DiscoveryEnvironment, offers: Vec<Offer>, known: Known) -> Result<Self, NoBase> {
        let base = Base::parse(&environment.base_url)?;
        let safety = environment.safety.clone().unwrap_or(DiscoverySafetyPolicy {
            default_mode: SafetyMode::ObserveOnly,
            allow_external_effects: None,
            allow_destructive_actions: None,
            allow_auth_flows: None,
            allow_payment_flows: None,
        });
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
            known,
            base,
            earlier: Vec::new(),
        };
        for offer in std::iter::once(start).chain(offers) {
            plan.take(offer);
        }
        Ok(plan)
    }

    /// Decides about a further seed; says where it stands when it was accepted and is not known yet.
    pub fn take(&mut self, offer: Offer) -> Option<usize> {
        let decided = match offer.refused {
            Some(reason) => Err(reason),
            None => self.resolve(&offer.seed),
        };
        if self.seeds.iter().any(|known| known.seed == offer.seed) {
            return None;
        }
        if let Ok(goal) = &decided
            && let Some(at) = self.goals.iter().position(|known| known.as_ref() == Some(goal))
        {
            self.name_again(at, offer.seed, offer.origin);
            return None;
        }
        let (goal, rejected) = match decided {
            Ok(goal) => (Some(goal), None),
            Err(reason) => (None, Some(reason)),
        };
        let accepted = goal.is_some();
        let earlier = self.earlier.iter().find(|earlier| earlier.seed == offer.seed).cloned();
        let fresh = || SeedRecord { seed: offer.seed, origin: offer.origin.into(), rejected, state_id: None };
        self.seeds.push(earlier.unwrap_or_else(fresh));
        self.goals.push(goal);
        accepted.then_some(self.seeds.len() - 1)
    }

    /// What the app itself names is a seed also where another one led there already.
    fn name_again(&mut self, at: usize, seed: DiscoverySeed, origin: &'static str) {
        let state_id = self.seeds.get(at).and_then(|known| known.state_id.clone());
        if origin == ANNOTATION && state_id.is_some() {
            self.seeds.push(SeedRecord { seed, origin: origin.into(), rejected: None, state_id });
            self.goals.push(None);
        }
    }

    /// Takes up what became of the seeds in the run that is gone on with.
    pub(crate) fn remember(&mut self, earlier: Vec<SeedRecord>) {
        for seed in &mut self.seeds {
            if let Some(known) = earlier.iter().find(|known| known.seed == seed.seed) {
                seed.clone_from(known);
            }
        }
        self.earlier = earlier;
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

    /// What a seed means, or why it is not used.
    fn resolve(&self, seed: &DiscoverySeed) -> Result<Goal, String> {
        let presses = self.safety.default_mode != SafetyMode::ObserveOnly;
        let address = |url: &str| {
            let own = self.base.within(url).map_err(|refusal| refusal.to_string())?;
            // Where the app begins is asked for in any case.
            if own != self.base.url() && safety::address::acts(&own) {
                return Err("its address says that asking for it changes something".to_owned());
            }
            Ok(Goal::Url(own))
        };
        match seed {
            DiscoverySeed::Url { url } => address(url),
            DiscoverySeed::Route { route_id } => self.route(route_id).and_then(|path| address(&path)),
            DiscoverySeed::Workflow { workflow_id } => {
                let entry = self.known.workflows.get(workflow_id);
                let entry = entry.ok_or_else(|| format!("no workflow `{workflow_id}` is known"))?;
                self.route(entry).or_else(|_| Ok(entry.clone())).and_then(|path| address(&path))
            }
            DiscoverySeed::Documentation { r#ref: name } => {
                let links = self.known.documents.get(name);
                let links = links.ok_or_else(|| format!("the document `{name}` was not read"))?;
                let own: Vec<String> = links
                    .iter()
                    .filter_map(|link| self.base.within(link).ok())
                    .filter(|own| !safety::address::acts(own))
                    .collect();
                if own.is_empty() {
                    return Err("the document has no link into the app that may be followed".to_owned());
                }
                Ok(Goal::Urls(own))
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
