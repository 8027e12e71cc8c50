//! A session on the app, and what came of an action in it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::{ActionResultPayload, ActionStatus, RuntimeErrorCode};
use uiap_model::capability::ActionDescriptor;
use uiap_model::names::{ActionHandle, SessionId};
use uiap_model::parse::decode;
use uiap_model::policy::{AuditRecord, PolicyPrincipal, vocabulary::PrincipalType};
use uiap_model::shape::Strictness;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::life::{ActionState, may_follow};
use uiap_runtime::action::{ActionEvent, Refused, Running, Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::trace::{Line, Step, replay};

use super::page::Page;
use super::surface::{EVERY_MODE, Scripted};
use crate::graph::graph;

/// A session of one agent.
pub(crate) struct Session {
    pub(crate) page: Page,
    pub(crate) runtime: Runtime<Scripted>,
    pub(crate) audit: Arc<Mutex<Vec<AuditRecord>>>,
}

/// What came of an action.
pub(crate) struct Came {
    pub(crate) result: Arc<ActionResultPayload>,
    pub(crate) events: Vec<ActionEvent>,
    pub(crate) trace: Vec<Line>,
    pub(crate) took: Duration,
}

fn party(kind: PrincipalType, id: &str) -> Party {
    Party {
        principal: PolicyPrincipal {
            principal_type: kind,
            id: id.into(),
            roles: None,
            grants: Some(
                serde_json::from_value(json!(["observe", "guide", "draft", "act", "admin"])).unwrap(),
            ),
        },
        connection: format!("connection of {id}").into(),
    }
}

/// Who asks.
pub(crate) fn agent() -> Party {
    party(PrincipalType::Agent, "agent")
}

/// Who may agree.
pub(crate) fn user() -> Party {
    party(PrincipalType::User, "ada")
}

/// An action of the app.
pub(crate) fn descriptor(id: &str, more: Value) -> ActionDescriptor {
    let plain = json!({
        "id": id, "kind": "domain", "targetKinds": ["none", "element"], "executionModes": ["appAction", "semanticUi"],
        "idempotency": "non_idempotent", "risk": { "level": "safe" }
    });
    serde_json::from_value(crate::graph::with(plain, more)).unwrap()
}

/// A target by instance.
pub(crate) fn target(id: &str) -> Value {
    json!({ "ref": { "by": "instanceId", "value": id } })
}

impl Session {
    /// A page with one scope.
    pub(crate) async fn on(elements: Vec<Value>) -> Self {
        Self::of(vec![crate::graph::scope("main", "region", "Main", elements)]).await
    }

    /// A page with these scopes, watched for a while and calm.
    pub(crate) async fn of(scopes: Vec<Value>) -> Self {
        Self::with(Page::new(graph(scopes)), |_| {}).await
    }

    pub(crate) async fn with(page: Page, set: impl FnOnce(&mut RuntimeOptions)) -> Self {
        let modes = EVERY_MODE.into_iter().take(4).collect();
        Self::start(Scripted { page, modes }, set).await
    }

    pub(crate) async fn start(surface: Scripted, set: impl FnOnce(&mut RuntimeOptions)) -> Self {
        let journal = Arc::new(Journal::in_memory().unwrap());
        let mut options = RuntimeOptions::new(SessionId::parse("ses_1").unwrap(), journal);
        let audit: Arc<Mutex<Vec<AuditRecord>>> = Arc::default();
        let kept = Arc::clone(&audit);
        options.audit = Some(Arc::new(move |record| {
            kept.lock().unwrap().push(record.clone());
            Ok(())
        }));
        set(&mut options);
        let page = surface.page.clone();
        let runtime = Runtime::start(surface, options, &agent()).await.unwrap();
        tokio::time::advance(Duration::from_secs(5)).await;
        Self { page, runtime, audit }
    }

    /// The next action of an agent, with its answer.
    pub(crate) async fn request(&self, request: Value) -> Result<Running, Refused> {
        let request: ActionRequestPayload = decode(&request, Strictness::Wire).unwrap();
        let as_seen = Some(self.runtime.scene().graph());
        self.runtime.request(&agent(), request, as_seen).await
    }

    /// An action from request to result. Whatever the test is about, the rules for every action are checked too.
    pub(crate) async fn act(&self, request: Value) -> Came {
        let start = Instant::now();
        let running = self.request(request).await.unwrap();
        self.end(running, start).await
    }

    pub(crate) async fn end(&self, mut running: Running, start: Instant) -> Came {
        let mut events = Vec::new();
        while let Some(event) = running.events.recv().await {
            events.push(event);
        }
        let handle = running.accepted.action_handle.clone();
        let Some(ActionEvent::Result(result)) = events.last().cloned() else {
            panic!("the last event is no result: {events:?}");
        };
        let trace = self.runtime.trace(&handle).unwrap_or_default();
        let came = Came { result, events, trace, took: start.elapsed() };
        came.keeps_the_rules(&handle);
        came
    }

    pub(crate) async fn refusal(&self, request: Value) -> Refused {
        match self.request(request).await {
            Err(refused) => refused,
            Ok(running) => panic!("it was accepted as {:?}", running.accepted),
        }
    }

    /// Waits until an action is asked about, and tells its handle.
    pub(crate) async fn asked(&self, running: &mut Running) -> Vec<ActionEvent> {
        let mut events = Vec::new();
        loop {
            let event = running.events.recv().await.unwrap();
            let stop = matches!(event, ActionEvent::Confirmation(_) | ActionEvent::Handoff(_));
            assert!(!matches!(event, ActionEvent::Result(_)), "nobody was asked: {event:?}");
            events.push(event);
            if stop {
                return events;
            }
        }
    }
}

impl Came {
    pub(crate) fn status(&self) -> &'static str {
        match self.result.status {
            ActionStatus::Succeeded => "succeeded",
            ActionStatus::Failed => "failed",
            ActionStatus::Cancelled => "cancelled",
        }
    }

    pub(crate) fn code(&self) -> Option<RuntimeErrorCode> {
        self.result.error.as_ref().map(|error| error.code)
    }

    pub(crate) fn message(&self) -> String {
        self.result.error.as_ref().map(|error| error.message.to_string()).unwrap_or_default()
    }

    /// A member of the error's detail, by JSON Pointer.
    pub(crate) fn detail(&self, pointer: &str) -> Value {
        let detail = self.result.error.as_ref().and_then(|error| error.detail.clone());
        detail.and_then(|detail| json!(detail.0).pointer(pointer).cloned()).unwrap_or_default()
    }

    pub(crate) fn side_effect(&self) -> String {
        json!(self.result.side_effect_state).as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn mode(&self) -> String {
        json!(self.result.chosen_execution_mode).as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn by(&self) -> String {
        json!(self.result.resolved_target)["by"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn target(&self) -> String {
        let target = self.result.resolved_target.as_ref();
        target.map(|target| target.instance_id.to_string()).unwrap_or_default()
    }

    /// What speaks for success, by kind.
    pub(crate) fn observed(&self) -> Vec<String> {
        kinds(&json!(self.result.verification.observed))
    }

    pub(crate) fn missing(&self) -> Vec<String> {
        kinds(&json!(self.result.verification.missing))
    }

    /// The stages that were told, each once in a row.
    pub(crate) fn stages(&self) -> Vec<String> {
        let mut stages: Vec<String> = self.progress().iter().map(|told| told["stage"].to_string()).collect();
        stages.dedup();
        stages.iter().map(|stage| stage.trim_matches('"').to_owned()).collect()
    }

    pub(crate) fn progress(&self) -> Vec<Value> {
        let told = self.events.iter().filter_map(|event| match event {
            ActionEvent::Progress(progress) => Some(json!(progress)),
            _ => None,
        });
        told.collect()
    }

    pub(crate) fn states(&self) -> Vec<ActionState> {
        let states = self.trace.iter().filter_map(|line| match &line.step {
            Step::State { state } => Some(ActionState::parse(state).unwrap()),
            _ => None,
        });
        states.collect()
    }

    #[track_caller]
    pub(crate) fn succeeded(&self) -> &Self {
        assert_eq!(self.status(), "succeeded", "{:?}\n{}", self.result.error, self.story());
        self
    }

    #[track_caller]
    pub(crate) fn failed(&self, code: RuntimeErrorCode) -> &Self {
        assert_eq!((self.status(), self.code()), ("failed", Some(code)), "{}", self.story());
        self
    }

    #[track_caller]
    pub(crate) fn cancelled(&self, code: RuntimeErrorCode) -> &Self {
        assert_eq!((self.status(), self.code()), ("cancelled", Some(code)), "{}", self.story());
        self
    }

    pub(crate) fn story(&self) -> String {
        uiap_runtime::trace::story(&self.trace)
    }

    #[track_caller]
    fn keeps_the_rules(&self, handle: &ActionHandle) {
        let results = self.events.iter().filter(|event| matches!(event, ActionEvent::Result(_))).count();
        assert_eq!(results, 1, "exactly one result");
        assert_eq!(self.result.action_handle, *handle);
        if self.trace.is_empty() {
            return;
        }
        let states = self.states();
        assert_eq!(states.first(), Some(&ActionState::Received));
        assert!(states.last().is_some_and(|state| state.is_final()), "{states:?}");
        for pair in states.windows(2) {
            assert!(may_follow(pair[0], pair[1]), "{:?} → {:?}\n{}", pair[0], pair[1], self.story());
        }
        for told in self.progress() {
            assert_eq!(told["actionHandle"], json!(handle));
        }
        assert!(self.result.side_effect_state.is_some());
        if self.result.status == ActionStatus::Succeeded {
            assert!(self.result.error.is_none());
        } else {
            let error = self.result.error.as_ref().unwrap();
            assert!(!error.message.is_empty());
            assert!(!self.result.verification.passed);
        }
        let judged = replay(&self.trace).unwrap();
        assert_eq!(judged.unwrap_or(false), self.result.verification.passed, "{}", self.story());
    }
}

fn kinds(signals: &Value) -> Vec<String> {
    let list = signals.as_array().cloned().unwrap_or_default();
    list.iter().map(|signal| signal["kind"].as_str().unwrap_or_default().to_owned()).collect()
}
