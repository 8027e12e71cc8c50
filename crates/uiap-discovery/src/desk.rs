//! Runs as messages: plan, start, pause, resume, cancel, the package. Whoever carries messages asks here. Spec: discovery-mapper §14.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compact_str::{CompactString, format_compact};
use tokio::sync::watch;
use uiap_model::discovery::DiscoveryRunStatus as Status;
use uiap_model::discovery::message::{
    CancelledStatus, DiscoveryCancelledPayload, DiscoveryEnd, DiscoveryPackagePayload,
    DiscoveryPausedPayload, DiscoveryPlanPayload, DiscoveryPlannedPayload, DiscoveryProgressPayload,
    DiscoveryResultPayload, DiscoveryResumedPayload, DiscoveryStartedPayload, PausedStatus, StartedStatus,
};
use uiap_model::discovery::{DiscoveryEnvironment, DiscoveryPackage};
use uiap_model::json::Count;
use uiap_model::names::Timestamp;

use crate::fingerprint::default_policy;
use crate::ground::Ground;
use crate::plan::{Known, Plan};
use crate::run::{Control, Progress, Rein, RunEvent, RunOptions, explore};
use crate::seed::Offer;
use crate::seed::address::Base;
use crate::store::Store;

/// Runs that are remembered.
const MOST_RUNS: usize = 16;

/// Opens the ground of an app as its environment is asked for, or says why not.
pub type OpenGround<G> = Arc<dyn Fn(Base, &DiscoveryEnvironment) -> Opening<G> + Send + Sync>;
/// A ground that is being opened.
pub type Opening<G> = Pin<Box<dyn Future<Output = Result<Arc<G>, String>> + Send>>;
/// Says why a run must not be carried out: whoever owns the desk decides, and not whoever asks.
pub type Refuse = Arc<dyn Fn(&Plan) -> Option<String> + Send + Sync>;
/// Gets what a run tells by itself.
pub type Sink = Arc<dyn Fn(DeskEvent) + Send + Sync>;

/// What a run tells by itself.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "it is handed on at once")]
pub enum DeskEvent {
    /// The event `uiap.discovery.progress`.
    Progress(DiscoveryProgressPayload),
    /// The event `uiap.discovery.result`: once, also when it failed or was cancelled.
    Result(DiscoveryResultPayload),
}

/// Why a request about a run is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeskError {
    /// There is no such run.
    #[error("there is no discovery run `{0}`")]
    Unknown(CompactString),
    /// Not in this phase.
    #[error("discovery run `{0}` is {1}: it cannot be {2}")]
    Phase(CompactString, CompactString, &'static str),
    /// The address is none, or none of those that may be explored, or the run is not one that may be carried out.
    #[error("{0}")]
    Refused(String),
    /// There is no package yet.
    #[error("discovery run `{0}` has no package yet")]
    NoPackage(CompactString),
    /// Too many.
    #[error("there are {MOST_RUNS} discovery runs already")]
    Full,
}

/// Where runs are asked for. Cheap to clone.
pub struct Desk<G> {
    inner: Arc<Inner<G>>,
}

impl<G> Clone for Desk<G> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<G> std::fmt::Debug for Desk<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk")
    }
}

struct Inner<G> {
    open: OpenGround<G>,
    refuse: Refuse,
    clock: fn() -> Option<Timestamp>,
    runs: Mutex<BTreeMap<CompactString, Arc<Run>>>,
    next: AtomicU64,
}

struct Run {
    plan: Mutex<Option<Plan>>,
    control: Control,
    status: watch::Sender<Status>,
    package: Mutex<Option<Arc<DiscoveryPackage>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    fn status(&self) -> Status {
        *self.status.borrow()
    }
}

impl<G: Ground> Desk<G> {
    /// Without runs. `refuse` says why a run must not be carried out; only what it lets pass is.
    pub fn new(open: OpenGround<G>, refuse: Refuse, clock: fn() -> Option<Timestamp>) -> Self {
        let inner = Inner { open, refuse, clock, runs: Mutex::default(), next: AtomicU64::new(1) };
        Self { inner: Arc::new(inner) }
    }

    /// `uiap.discovery.plan`.
    pub fn plan(&self, asked: DiscoveryPlanPayload) -> Result<DiscoveryPlannedPayload, DeskError> {
        let seeds = asked.seeds.unwrap_or_default();
        let offers = seeds.into_iter().map(|seed| Offer::new(seed, "commandLine")).collect();
        let plan = Plan::new(asked.environment, offers, Known::default())
            .map_err(|error| DeskError::Refused(error.to_string()))?;
        if let Some(reason) = (self.inner.refuse)(&plan) {
            return Err(DeskError::Refused(reason));
        }
        let mut runs = lock(&self.inner.runs);
        if runs.len() >= MOST_RUNS {
            let over = runs.iter().find(|(_, run)| is_over(run.status())).map(|(id, _)| id.clone());
            runs.remove(&over.ok_or(DeskError::Full)?);
        }
        let number = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let run_id = format_compact!("disc_{number}");
        let planned = plan.planned(&run_id);
        let run = Run {
            plan: Mutex::new(Some(plan)),
            control: Control::default(),
            status: watch::Sender::new(Status::Planning),
            package: Mutex::default(),
        };
        runs.insert(run_id, Arc::new(run));
        Ok(planned)
    }

    /// `uiap.discovery.start`. What follows goes to the sink.
    pub fn start(&self, run_id: &CompactString, sink: Sink) -> Result<DiscoveryStartedPayload, DeskError> {
        let run = self.run(run_id)?;
        let plan = lock(&run.plan).take().ok_or_else(|| wrong(run_id, &run, "started"))?;
        run.status.send_replace(Status::Preparing);
        tokio::spawn(self.clone().carry_out(run_id.clone(), run, plan, sink));
        Ok(DiscoveryStartedPayload { run_id: run_id.clone(), status: StartedStatus::Preparing })
    }

    /// `uiap.discovery.pause`. Only what explores or derives can wait.
    pub fn pause(&self, run_id: &CompactString) -> Result<DiscoveryPausedPayload, DeskError> {
        let run = self.run(run_id)?;
        let can = matches!(
            run.status(),
            Status::Seeding | Status::Exploring | Status::Extracting | Status::Synthesizing | Status::Paused
        );
        if !can {
            return Err(wrong(run_id, &run, "paused"));
        }
        run.control.pause();
        Ok(DiscoveryPausedPayload { run_id: run_id.clone(), status: PausedStatus::Paused })
    }

    /// `uiap.discovery.resume`.
    pub fn resume(&self, run_id: &CompactString) -> Result<DiscoveryResumedPayload, DeskError> {
        let run = self.run(run_id)?;
        if run.control.rein() != Rein::Pause {
            return Err(wrong(run_id, &run, "resumed"));
        }
        run.control.resume();
        let status = if run.status() == Status::Paused { Status::Exploring } else { run.status() };
        Ok(DiscoveryResumedPayload { run_id: run_id.clone(), status })
    }

    /// `uiap.discovery.cancel`. The result still comes, with what was found.
    pub fn cancel(&self, run_id: &CompactString) -> Result<DiscoveryCancelledPayload, DeskError> {
        let run = self.run(run_id)?;
        if is_over(run.status()) {
            return Err(wrong(run_id, &run, "cancelled"));
        }
        run.control.cancel();
        Ok(DiscoveryCancelledPayload { run_id: run_id.clone(), status: CancelledStatus::Cancelled })
    }

    /// `uiap.discovery.package.get`.
    pub fn package(&self, run_id: &CompactString) -> Result<DiscoveryPackagePayload, DeskError> {
        let run = self.run(run_id)?;
        let package = lock(&run.package).clone().ok_or_else(|| DeskError::NoPackage(run_id.clone()))?;
        Ok(DiscoveryPackagePayload { package: (*package).clone() })
    }

    fn run(&self, run_id: &CompactString) -> Result<Arc<Run>, DeskError> {
        lock(&self.inner.runs).get(run_id).cloned().ok_or_else(|| DeskError::Unknown(run_id.clone()))
    }

    async fn carry_out(self, run_id: CompactString, run: Arc<Run>, plan: Plan, sink: Sink) {
        let (environment, base) = (plan.environment.clone(), plan.base().clone());
        let found = match (self.inner.open)(base, &environment).await {
            Ok(ground) => self.explored(&run_id, &run, plan, ground, &sink).await,
            Err(reason) => Err(reason),
        };
        let (package, status) = match found {
            Ok(package) => {
                let end = match package.run.status {
                    Status::Cancelled => DiscoveryEnd::Cancelled,
                    Status::Failed => DiscoveryEnd::Failed,
                    _ => DiscoveryEnd::Completed,
                };
                (package, end)
            }
            Err(reason) => {
                tracing::warn!(%reason, "a discovery run failed");
                let Some(now) = (self.inner.clock)() else { return };
                let summary = uiap_model::discovery::DiscoveryRunSummary {
                    run_id: run_id.clone(),
                    started_at: now.clone(),
                    finished_at: Some(now),
                    status: Status::Failed,
                    environment_id: environment.environment_id.clone(),
                    profile: None,
                    seeds: None,
                    notes: Some(vec![reason.into()]),
                };
                (crate::package::empty(&summary, &environment), DiscoveryEnd::Failed)
            }
        };
        run.status.send_replace(package.run.status);
        *lock(&run.package) = Some(Arc::new(package.clone()));
        sink(DeskEvent::Result(DiscoveryResultPayload { run_id, status, package }));
    }

    async fn explored(
        &self,
        run_id: &CompactString,
        run: &Arc<Run>,
        plan: Plan,
        ground: Arc<G>,
        sink: &Sink,
    ) -> Result<DiscoveryPackage, String> {
        let (id, teller, own) = (run_id.clone(), Arc::clone(sink), Arc::clone(run));
        let last = Mutex::new(Progress::default());
        let options = RunOptions {
            run_id: run_id.clone(),
            workers: 1,
            gallery: None,
            policy: default_policy(),
            control: run.control.clone(),
            listener: Arc::new(move |event| {
                match event {
                    RunEvent::Status(status) => {
                        own.status.send_replace(status);
                    }
                    RunEvent::Progress(progress) => *lock(&last) = progress,
                    _ => return,
                }
                teller(DeskEvent::Progress(told(&id, own.status(), &lock(&last))));
            }),
            clock: self.inner.clock,
        };
        let store = Store::in_memory().map_err(|error| error.to_string())?;
        let explored = explore(ground, plan, store, options).await.map_err(|error| error.to_string())?;
        self.wait_out(run_id, run, sink).await;
        let package = explored.package(|_| {}).map_err(|error| error.to_string())?;
        // Whoever paused it meanwhile is told nothing before it goes on.
        self.wait_out(run_id, run, sink).await;
        Ok(package)
    }

    /// Waits while the run is paused, as it says.
    async fn wait_out(&self, run_id: &CompactString, run: &Run, sink: &Sink) {
        if run.control.rein() != Rein::Pause {
            return;
        }
        let before = run.status.send_replace(Status::Paused);
        sink(DeskEvent::Progress(told(run_id, Status::Paused, &Progress::default())));
        run.control.released().await;
        run.status.send_replace(before);
    }
}

fn told(run_id: &CompactString, status: Status, progress: &Progress) -> DiscoveryProgressPayload {
    let count = |number: usize| Some(Count(number as u64));
    DiscoveryProgressPayload {
        run_id: run_id.clone(),
        status,
        current_seed: None,
        current_route_id: None,
        current_state_id: progress.state_id.clone(),
        visited_states: count(progress.states),
        visited_transitions: count(progress.transitions),
        discovered_routes: count(progress.routes),
        discovered_actions: None,
        discovered_workflow_candidates: None,
        note: progress.doing.as_deref().map(Into::into),
    }
}

fn is_over(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Cancelled)
}

fn wrong(run_id: &CompactString, run: &Run, what: &'static str) -> DeskError {
    DeskError::Phase(run_id.clone(), format_compact!("{}", run.status()), what)
}
