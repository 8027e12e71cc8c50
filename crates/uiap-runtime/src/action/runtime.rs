//! The runtime of one session: takes requests in, leads them through their lives, remembers how they ended.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::ActionResultPayload;
use uiap_model::action::{ActionAcceptedPayload, request::Accepted};
use uiap_model::capability::{ActionDescriptor, ExecutionMode};
use uiap_model::names::{ActionHandle, SessionId};
use uiap_model::policy::AuditRecord;
use uiap_model::policy::message::HandoffCompletedPayload;
use uiap_model::web::PageGraph;
use uiap_policy::audit::AuditTrail;
use uiap_policy::confirmation::Party;
use uiap_policy::{Audience, Policies, Redactor, SharedSecrets};

use super::afterwatch::{Notice, Notices};
use super::confirm::AnswerError;
use super::life::ActionState;
use super::live::{ActionEvent, Live};
use super::presenter::Presenter;
use super::take_in::{self, Refused, TakenIn};
use super::trust::Trust;
use super::{control::Control, drive};
use crate::journal::Journal;
use crate::scene::{Event, Scene};
use crate::surface::{Surface, SurfaceError};
use crate::trace::{Diagnosis, Line, Record, diagnose};

/// Actions that are remembered after their end.
const REMEMBERED: usize = 1_000;

/// Decides whether an address may be visited; says why not.
pub type MayVisit = Arc<dyn Fn(&str) -> Result<(), String> + Send + Sync>;
/// Gets every audit record, in order; says why one could not be kept.
pub type AuditSink = Arc<dyn Fn(&AuditRecord) -> Result<(), String> + Send + Sync>;

/// How a session acts.
pub struct RuntimeOptions {
    /// The session.
    pub session_id: SessionId,
    /// The number of its next action. Shared by all pages of a session, one after the other or at once: no two actions have one handle.
    pub next_action: Arc<AtomicU64>,
    /// What may be done.
    pub policies: Arc<Policies>,
    /// Actions that the app declares, beside those that the page offers by itself.
    pub actions: Vec<ActionDescriptor>,
    /// Places of the app: id and pattern.
    pub routes: Vec<(String, String)>,
    /// The order in which ways to act are tried; the surface's preference where none is given, else the spec's.
    pub order: Option<Vec<ExecutionMode>>,
    /// Whether every action must say what it is done to, what for and what it should change, and is done only to what is made
    /// for it.
    pub strict: bool,
    /// How long an action may take when its request does not say.
    pub timeout: Duration,
    /// How long something in the way of a target may take to go away.
    pub patience: Duration,
    /// The only directory that files are uploaded from.
    pub uploads: Option<PathBuf>,
    /// Which addresses may be visited.
    pub may_visit: MayVisit,
    /// Where it is written down what was sent.
    pub journal: Arc<Journal>,
    /// Who shows people what happens.
    pub presenter: Option<Presenter>,
    /// Where audit records go.
    pub audit: Option<AuditSink>,
    /// From the system's random source: keeps covered values of two sessions from being compared.
    pub salt: [u8; 32],
    /// What must not be shown, known to everybody who shows something of this session.
    pub secrets: SharedSecrets,
}

impl std::fmt::Debug for RuntimeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RuntimeOptions({})", self.session_id)
    }
}

impl RuntimeOptions {
    /// The usual ones: risk levels hold, the web may be visited, nothing is uploaded, the journal ends with the process.
    pub fn new(session_id: SessionId, journal: Arc<Journal>) -> Self {
        Self {
            session_id,
            next_action: Arc::new(AtomicU64::new(1)),
            policies: Arc::new(Policies::off()),
            actions: Vec::new(),
            routes: Vec::new(),
            order: None,
            strict: false,
            timeout: Duration::from_secs(30),
            patience: Duration::from_secs(3),
            uploads: None,
            may_visit: Arc::new(take_in::web_only),
            journal,
            presenter: None,
            audit: None,
            salt: [0; 32],
            secrets: SharedSecrets::default(),
        }
    }
}

/// An action that was taken in.
#[derive(Debug)]
pub struct Running {
    /// The answer to the request.
    pub accepted: ActionAcceptedPayload,
    /// What is told of it; the result comes last.
    pub events: mpsc::UnboundedReceiver<ActionEvent>,
}

/// A handle that nobody has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAction {
    /// There never was one.
    #[error("there is no action `{0}` in this session")]
    Unknown(ActionHandle),
    /// It is over.
    #[error("action `{0}` is over")]
    Over(ActionHandle),
}

/// Acts on one surface for one session. Cheap to clone.
pub struct Runtime<S> {
    pub(super) core: Arc<Core<S>>,
}

impl<S> Clone for Runtime<S> {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core) }
    }
}

impl<S> std::fmt::Debug for Runtime<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runtime({})", self.core.options.session_id)
    }
}

pub(super) struct Core<S> {
    pub(super) surface: S,
    pub(super) scene: Scene,
    pub(super) options: RuntimeOptions,
    pub(super) policies: RwLock<Arc<Policies>>,
    pub(super) redactor: Mutex<Redactor>,
    pub(super) trail: Mutex<AuditTrail>,
    /// Whether a record could not be kept: from then on nothing is sent.
    pub(super) unaudited: std::sync::atomic::AtomicBool,
    /// One input at a time.
    pub(super) hands: tokio::sync::Mutex<()>,
    pub(super) active: std::sync::atomic::AtomicBool,
    pub(super) start: Instant,
    /// Where the app was seen to keep which kind of state.
    pub(super) trust: Mutex<Trust>,
    /// How many actions began to send something.
    pub(super) begun: AtomicU64,
    pub(super) notices: Mutex<Notices>,
    actions: Mutex<Actions>,
}

#[derive(Default)]
struct Actions {
    live: HashMap<ActionHandle, Arc<Live>>,
    order: std::collections::VecDeque<ActionHandle>,
}

impl<S: Surface> Runtime<S> {
    /// Begins to observe the surface and to take requests.
    pub async fn start(surface: S, options: RuntimeOptions, principal: &Party) -> Result<Self, SurfaceError> {
        let scene = Scene::of(&surface).await?;
        let redactor = Redactor::new(
            Arc::clone(&options.policies),
            &principal.principal,
            Audience::Principal,
            options.salt,
        )
        .knowing(Arc::clone(&options.secrets));
        let core = Core {
            surface,
            scene,
            policies: RwLock::new(Arc::clone(&options.policies)),
            redactor: Mutex::new(redactor),
            trail: Mutex::new(AuditTrail::new(options.session_id.clone())),
            unaudited: std::sync::atomic::AtomicBool::new(false),
            options,
            hands: tokio::sync::Mutex::new(()),
            active: std::sync::atomic::AtomicBool::new(true),
            start: Instant::now(),
            trust: Mutex::default(),
            begun: AtomicU64::new(0),
            notices: Mutex::default(),
            actions: Mutex::default(),
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// The page as it is known.
    pub fn scene(&self) -> &Scene {
        &self.core.scene
    }

    /// What it acts on.
    pub fn surface(&self) -> &S {
        &self.core.surface
    }

    /// Takes a request in, or says why not. What is taken in goes on by itself. `as_seen` is the page as the requester saw it last: an
    /// instance of it stands for what it was then, and for nothing that it became since.
    pub async fn request(
        &self,
        by: &Party,
        request: ActionRequestPayload,
        as_seen: Option<Arc<PageGraph>>,
    ) -> Result<Running, Refused> {
        let handle = self.core.next_handle();
        match take_in::take_in(&self.core, by, request, handle, as_seen).await? {
            TakenIn::New(live) => {
                let running = running(&live);
                self.core.remember(&live);
                tokio::spawn(drive::drive(Arc::clone(&self.core), live));
                Ok(running)
            }
            TakenIn::Known(live) => Ok(running(&live)),
            TakenIn::Done(result) => Ok(done(*result)),
        }
    }

    /// Takes a request in and waits for its result.
    pub async fn act(
        &self,
        by: &Party,
        request: ActionRequestPayload,
        as_seen: Option<Arc<PageGraph>>,
    ) -> Result<Arc<ActionResultPayload>, Refused> {
        let mut running = self.request(by, request, as_seen).await?;
        loop {
            match running.events.recv().await {
                Some(ActionEvent::Result(result)) => return Ok(result),
                Some(_) => {}
                None => return Err(Refused::internal("the action ended without a result")),
            }
        }
    }

    /// Asks an action to stop at the next safe point. Its result still comes.
    pub fn cancel(&self, handle: &ActionHandle, reason: Option<&str>) -> Result<(), UnknownAction> {
        let live = self.live(handle)?;
        if live.state().is_final() {
            return Err(UnknownAction::Over(handle.clone()));
        }
        live.control.cancel(reason);
        Ok(())
    }

    /// Somebody agrees. `authorised` tells whether the app made this principal a confirmer.
    pub fn grant(&self, by: &Party, authorised: bool, handle: &ActionHandle) -> Result<(), AnswerError> {
        let live = self.live(handle).map_err(|_| AnswerError::Unknown(handle.clone()))?;
        let outcome = live.question.grant(handle, by, authorised, self.core.now_ms());
        self.core.audit_answer(&live, by, outcome.as_ref().map(|()| true));
        outcome
    }

    /// Somebody does not.
    pub fn deny(
        &self,
        by: &Party,
        authorised: bool,
        handle: &ActionHandle,
        reason: Option<&str>,
    ) -> Result<(), AnswerError> {
        let live = self.live(handle).map_err(|_| AnswerError::Unknown(handle.clone()))?;
        let outcome = live.question.deny(handle, by, authorised, reason, self.core.now_ms());
        self.core.audit_answer(&live, by, outcome.as_ref().map(|()| false));
        outcome
    }

    /// How long a person can still answer; none when nobody is asked.
    pub fn answer_within(&self, handle: &ActionHandle) -> Option<Duration> {
        let live = self.core.live(handle)?;
        live.question.left(self.core.now_ms()).map(Duration::from_millis)
    }

    /// A person, or whoever speaks for one, says how a handoff ended. Done is not yet a success: it is looked at.
    pub fn handed_back(
        &self,
        handle: &ActionHandle,
        message: &HandoffCompletedPayload,
    ) -> Result<(), AnswerError> {
        let live = self.live(handle).map_err(|_| AnswerError::Unknown(handle.clone()))?;
        live.handover.completed(handle, message)
    }

    /// What became of actions after they were told as successes, the latest last. The next result tells of it too.
    pub fn notices(&self) -> Vec<Notice> {
        self.core.notices().all()
    }

    /// In which state an action is.
    pub fn state(&self, handle: &ActionHandle) -> Result<ActionState, UnknownAction> {
        Ok(self.live(handle)?.state())
    }

    /// What happened to an action so far.
    pub fn trace(&self, handle: &ActionHandle) -> Result<Vec<Line>, UnknownAction> {
        Ok(self.live(handle)?.trace.lines())
    }

    /// What was told before, during and after an action, as far as it is remembered, sorted by what it has to do with it.
    pub fn diagnosis(&self, handle: &ActionHandle) -> Result<Diagnosis, UnknownAction> {
        let live = self.live(handle)?;
        let redactor = self.core.redactor();
        let records = self.core.scene.remembered().into_iter().filter_map(|entry| match &entry.event {
            Event::Signal(heard) => {
                let text = redactor.text(&serde_json::to_string(&heard.signal).unwrap_or_default());
                Some(Record { at_ms: live.trace.millis_until(entry.at), text })
            }
            _ => None,
        });
        Ok(diagnose(&live.trace.lines(), &records.collect::<Vec<_>>()))
    }

    /// How an action ended, as soon as it has.
    pub async fn result(&self, handle: &ActionHandle) -> Result<Arc<ActionResultPayload>, UnknownAction> {
        let mut outcome = self.live(handle)?.outcome();
        let found = outcome.wait_for(Option::is_some).await.ok().and_then(|found| found.clone());
        found.ok_or_else(|| UnknownAction::Unknown(handle.clone()))
    }

    /// Another policy holds from now on, also for what waits.
    pub fn set_policies(&self, policies: Arc<Policies>) {
        let mut redactor = self.core.redactor();
        *redactor = redactor.under(Arc::clone(&policies));
        drop(redactor);
        *self.core.policies.write().unwrap_or_else(PoisonError::into_inner) = policies;
    }

    /// The session is over or paused: nothing is done any more.
    pub fn set_active(&self, active: bool) {
        self.core.active.store(active, Ordering::SeqCst);
    }

    /// Covers what may not be seen.
    pub fn redactor(&self) -> MutexGuard<'_, Redactor> {
        self.core.redactor()
    }

    fn live(&self, handle: &ActionHandle) -> Result<Arc<Live>, UnknownAction> {
        self.core.live(handle).ok_or_else(|| UnknownAction::Unknown(handle.clone()))
    }
}

fn running(live: &Live) -> Running {
    let accepted = ActionAcceptedPayload {
        action_handle: live.handle.clone(),
        action_id: live.request.action_id.clone(),
        status: Accepted::Accepted,
    };
    Running { accepted, events: live.listen() }
}

/// An action of an earlier time: all that is left of it is its result.
fn done(result: ActionResultPayload) -> Running {
    let accepted = ActionAcceptedPayload {
        action_handle: result.action_handle.clone(),
        action_id: result.action_id.clone(),
        status: Accepted::Accepted,
    };
    let (sender, events) = mpsc::unbounded_channel();
    drop(sender.send(ActionEvent::Result(Arc::new(result))));
    Running { accepted, events }
}

impl<S> Core<S> {
    pub(super) fn redactor(&self) -> MutexGuard<'_, Redactor> {
        self.redactor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn policies(&self) -> Arc<Policies> {
        Arc::clone(&self.policies.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn trust(&self) -> MutexGuard<'_, Trust> {
        self.trust.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn notices(&self) -> MutexGuard<'_, Notices> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds of a clock that never jumps.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn live(&self, handle: &ActionHandle) -> Option<Arc<Live>> {
        self.actions().live.get(handle).cloned()
    }

    fn actions(&self) -> MutexGuard<'_, Actions> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles differ from those of earlier sessions too: the journal outlives them.
    fn next_handle(&self) -> ActionHandle {
        let number = self.options.next_action.fetch_add(1, Ordering::Relaxed);
        let text = format!("{}:act_{number}", self.options.session_id);
        ActionHandle::parse(&text).unwrap_or_else(|| unreachable!("it is not empty"))
    }

    fn remember(&self, live: &Arc<Live>) {
        let mut actions = self.actions();
        while actions.order.len() >= REMEMBERED {
            let Some(at) = actions
                .order
                .iter()
                .position(|handle| actions.live.get(handle).is_none_or(|live| live.state().is_final()))
            else {
                break;
            };
            if let Some(oldest) = actions.order.remove(at) {
                actions.live.remove(&oldest);
            }
        }
        actions.order.push_back(live.handle.clone());
        actions.live.insert(live.handle.clone(), Arc::clone(live));
    }
}

/// The reins of a new action.
pub(super) fn control<S>(core: &Core<S>, request: &ActionRequestPayload) -> Control {
    let limit = request.timeout_ms.map_or(core.options.timeout, |time| Duration::from_millis(time.0));
    Control::new(limit, request.timeout_ms.is_some())
}
