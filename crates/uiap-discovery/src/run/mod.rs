//! The engine of a run. Batches of a fixed size leave the frontier, scouts work on them side by side, and what they bring home is
//! taken up strictly in order: the result depends neither on how many there are nor on who comes home first.
//!
//! The order of a run is the specification's (§10): prepare, seed, explore; extraction, synthesis and review follow in
//! [`package`](crate::package).

mod atlas;
mod batch;
pub mod budget;
mod camp;
mod compare;
mod control;
mod declared;
mod event;
mod explored;
mod finding;
pub(crate) mod node;
mod pressed;
mod scout;
mod seeding;
mod settings;
mod tour;
mod trail;
mod undo;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use compact_str::CompactString;
use serde_json::Value;
use tokio::time::Instant;
use uiap_model::discovery::transition::StateFingerprintPolicy;
use uiap_model::discovery::{DiscoveryRunStatus, DiscoveryRunSummary};
use uiap_model::names::Timestamp;

use self::atlas::Atlas;
use self::camp::Camp;
pub use self::control::{Control, Rein};
pub use self::event::{Listener, Progress, RunEvent};
pub use self::explored::Explored;
use crate::ground::Ground;
use crate::plan::Plan;
use crate::privacy::Discreet;
use crate::record::{Incident, IncidentKind};
use crate::store::{Chapter, Standing, Store, StoreError};

/// How a run is carried out. None of it changes what is found.
pub struct RunOptions {
    /// The run.
    pub run_id: CompactString,
    /// Scouts at the same time.
    pub workers: usize,
    /// The directory for pictures.
    pub gallery: Option<PathBuf>,
    /// What tells states apart.
    pub policy: StateFingerprintPolicy,
    /// The reins.
    pub control: Control,
    /// Who is told.
    pub listener: Listener,
    /// Now.
    pub clock: fn() -> Option<Timestamp>,
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RunOptions({}, {} workers)", self.run_id, self.workers)
    }
}

/// Why a run could not be carried out. What the app does is never a reason: that is an incident.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store belongs to a run that was asked for otherwise. What was judged under other settings must not be done under these.
    #[error(
        "the run in the store was begun with `{setting}` {before}, and is asked for with {now} now: go on with it as it was begun, or begin a new one"
    )]
    OtherSettings {
        /// Which setting.
        setting: String,
        /// What it was.
        before: String,
        /// What it is.
        now: String,
    },
    /// No clock.
    #[error("the clock stands before 1970")]
    Clock,
}

/// How exploring ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Exhausted,
    States,
    Transitions,
    Time,
    Expired,
    Cancelled,
    Unreachable,
}

/// Explores. A store that holds a run of the same environment goes on where that was. The status is `extracting` then, or
/// `failed` or `cancelled` when that is how it ended.
pub async fn explore<G: Ground>(
    ground: Arc<G>,
    plan: Plan,
    store: Store,
    options: RunOptions,
) -> Result<Explored, RunError> {
    if let Some(prepared) = store.fact::<Value>("prepared")? {
        settings::compare(&prepared, &plan.environment)?;
    }
    let camp = Arc::new(Camp {
        ground: Arc::new(Discreet::new(ground)),
        policy: options.policy.clone(),
        store: Arc::new(Mutex::new(store)),
        control: options.control.clone(),
        gallery: options.gallery.clone(),
        known: RwLock::default(),
        places: Mutex::new(HashMap::new()),
        spares: Mutex::new(HashMap::new()),
        ahead: Mutex::new(HashMap::new()),
        shown: Mutex::new(HashMap::new()),
    });
    let mut run = Run::begin(camp, plan, options)?;
    let end = run.all().await;
    run.camp.strike().await;
    run.finish(end?)
}

struct Run<G: Ground> {
    camp: Arc<Camp<G>>,
    plan: Plan,
    options: RunOptions,
    atlas: Atlas,
    started_at: Timestamp,
    began: Instant,
    /// Time that earlier processes spent on it.
    spent: Duration,
    status: DiscoveryRunStatus,
    /// How often in a row the app asked who somebody is instead of showing a state.
    expired: u32,
    /// The profiles that got in.
    inside: Vec<CompactString>,
    /// What whoever reads the summary should know.
    notes: Vec<String>,
}

impl<G: Ground> Run<G> {
    fn begin(camp: Arc<Camp<G>>, mut plan: Plan, options: RunOptions) -> Result<Self, RunError> {
        let now = (options.clock)().ok_or(RunError::Clock)?;
        let store = camp.store();
        let started_at = store.fact("startedAt")?.unwrap_or(now);
        let spent = Duration::from_millis(store.fact("spentMs")?.unwrap_or_default());
        let atlas = Atlas::load(&store, &plan)?;
        plan.remember(store.seeds()?);
        drop(store);
        let known = atlas.nodes.iter().map(|node| node.fingerprint.clone());
        camp.known.write().unwrap_or_else(std::sync::PoisonError::into_inner).extend(known);
        let status = DiscoveryRunStatus::Planning;
        Ok(Self {
            camp,
            plan,
            options,
            atlas,
            started_at,
            began: Instant::now(),
            spent,
            status,
            expired: 0,
            inside: Vec::new(),
            notes: Vec::new(),
        })
    }

    async fn all(&mut self) -> Result<End, RunError> {
        self.enter(DiscoveryRunStatus::Planning);
        self.enter(DiscoveryRunStatus::Preparing);
        self.prepare()?;
        if let Some(end) = self.read_app().await? {
            return Ok(end);
        }
        self.enter(DiscoveryRunStatus::Seeding);
        if let Some(end) = self.seed().await? {
            return Ok(end);
        }
        self.enter(DiscoveryRunStatus::Exploring);
        self.wander().await
    }

    /// Writes down what the run sets out with. Spec: discovery-mapper §11.1.
    fn prepare(&mut self) -> Result<(), RunError> {
        let mut chapter = Chapter::default();
        let environment = &self.plan.environment;
        let seeds: Vec<_> = self.plan.seeds.iter().map(|seed| &seed.seed).collect();
        let prepared = serde_json::json!({
            "environment": environment,
            "principalProfiles": self.plan.profiles,
            "featureFlags": environment.feature_flags.clone().unwrap_or_default(),
            "budgets": environment.budgets.clone().unwrap_or_else(budget::default_budget),
            "safety": self.plan.safety,
            "uiapProfiles": ["web@0.1", "uiap.discovery@0.1"],
            "seeds": seeds,
        });
        chapter.facts.push(("startedAt", self.started_at.as_str().into()));
        chapter.facts.push(("prepared", prepared.clone()));
        for (number, seed) in self.plan.seeds.iter().enumerate() {
            chapter.seeds.push((number, seed.clone()));
            if let Some(reason) = seed.rejected.as_ref().filter(|_| !self.plan.is_open(number)) {
                (self.options.listener)(RunEvent::SeedRejected {
                    seed: seed.seed.clone(),
                    reason: reason.clone(),
                });
            }
        }
        self.camp.store().keep(&chapter)?;
        (self.options.listener)(RunEvent::Prepared(prepared));
        Ok(())
    }

    fn enter(&mut self, status: DiscoveryRunStatus) {
        if self.status != status || status == DiscoveryRunStatus::Planning {
            self.status = status;
            (self.options.listener)(RunEvent::Status(status));
        }
    }

    /// The time that this process has.
    fn left(&self) -> Duration {
        // A budget beyond this is none.
        self.atlas.budget.runtime.saturating_sub(self.spent).min(Duration::from_hours(24 * 365))
    }

    fn deadline(&self) -> Instant {
        self.began + self.left()
    }

    /// Waits for something, unless the run ends meanwhile.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, End> {
        tokio::select! {
            biased;
            () = self.camp.control.cancelled() => Err(End::Cancelled),
            () = tokio::time::sleep_until(self.deadline()) => Err(End::Time),
            done = work => Ok(done),
        }
    }

    fn spent_ms(&self) -> u64 {
        u64::try_from((self.spent + self.began.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }

    fn progress(&self, doing: Option<String>, state_id: Option<CompactString>) {
        let progress = Progress {
            states: self.atlas.nodes.len(),
            transitions: self.atlas.budget.transitions,
            frontier: self.atlas.left(),
            routes: self.atlas.routes.len(),
            state_id,
            doing,
            elapsed_ms: self.spent_ms(),
        };
        (self.options.listener)(RunEvent::Progress(progress));
    }

    /// Says how it ended and hands everything over.
    fn finish(mut self, end: End) -> Result<Explored, RunError> {
        self.judge_pressed()?;
        let mut chapter = Chapter::default();
        chapter.facts.push(("spentMs", self.spent_ms().into()));
        let reached = match end {
            End::States => Some("the most states were recorded that the budget allows"),
            End::Transitions => Some("the most actions were carried out that the budget allows"),
            End::Time => Some("the time that the budget allows is over"),
            End::Exhausted | End::Expired | End::Cancelled | End::Unreachable => None,
        };
        let mut open = Vec::new();
        let mut reached_budget = None;
        if let Some(detail) = reached {
            for standing in [Standing::Taken, Standing::Open] {
                let left = self.camp.store().candidates(standing)?;
                open.extend(left.iter().map(|kept| self.atlas.unaffordable(kept)));
            }
            let detail = format!("{detail}; {} actions were left", open.len());
            let incident = Incident { kind: IncidentKind::BudgetReached, state_id: None, url: None, detail };
            (self.options.listener)(RunEvent::Incident(incident.clone()));
            self.notes.push(incident.detail.clone());
            reached_budget = Some(incident);
        }
        if end == End::Expired {
            let store = self.camp.store();
            let left = store.candidates(Standing::Taken)?.len() + store.candidates(Standing::Open)?.len();
            drop(store);
            let note = format!("the session ended and could not be begun again; {left} actions were left");
            self.notes.push(note);
        }
        self.camp.store().be_sure()?;
        self.camp.store().keep(&chapter)?;
        let status = match end {
            End::Cancelled => DiscoveryRunStatus::Cancelled,
            End::Unreachable | End::Expired => DiscoveryRunStatus::Failed,
            // Nothing that could be mapped was ever seen.
            End::Time if self.atlas.nodes.is_empty() => DiscoveryRunStatus::Failed,
            _ => DiscoveryRunStatus::Extracting,
        };
        self.enter(status);
        let summary = DiscoveryRunSummary {
            run_id: self.options.run_id,
            started_at: self.started_at,
            finished_at: (self.options.clock)(),
            status,
            environment_id: self.plan.environment.environment_id.clone(),
            profile: self.plan.profiles.first().cloned(),
            seeds: Some(self.plan.seeds.into_iter().map(|seed| seed.seed).collect()),
            notes: (!self.notes.is_empty())
                .then(|| self.notes.iter().map(|note| note.as_str().into()).collect()),
        };
        Ok(Explored {
            store: Arc::clone(&self.camp.store),
            nodes: self.atlas.nodes,
            summary,
            environment: self.plan.environment,
            listener: self.options.listener,
            open,
            reached_budget,
        })
    }
}
