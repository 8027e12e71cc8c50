//! Doing something in a page, and waiting for something.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::action::request::{ActionTarget, RequestTarget};
use uiap_model::action::result::{ActionResultPayload, ActionStatus};
use uiap_model::capability::{ActionDescriptor, SuccessSignal, TargetRef, UIRole, UIState};
use uiap_model::policy::decision::AnyOrAll;
use uiap_model::web::PageGraph;
use uiap_model::web::evidence::Observation;
use uiap_runtime::action::{ActionEvent, Loading, LoadingKind, Running, Runtime, WaitEnd};
use uiap_runtime::order::{Order, OrderError, expectation};
use uiap_runtime::scene::Mark;
use uiap_runtime::surface::Surface as _;
use uiap_runtime::trace;
use uiap_web::surface::WebSurface;

use super::confirm::{self, Asked, Confirm};
use super::evidence;
use super::facts::{Facts, Told};
use super::leaf::{BUDGET, Leaf};
use super::{SessionError, telling};

/// Tokens of what is told after an action.
const CHANGE: usize = 400;
/// How long something is waited for when nobody says it.
const PATIENCE: u64 = 5_000;

/// Something to do.
#[derive(Debug, Clone, Default)]
pub struct Deed {
    /// A short word, or the id of an action.
    pub action: String,
    /// To what.
    pub to: Option<Pointing>,
    /// What to type, choose, set, press, upload or open.
    pub text: Option<String>,
    /// Other arguments.
    pub args: Map<String, Value>,
    /// What must be seen.
    pub expect: Vec<String>,
    /// For how long at most.
    pub timeout_ms: Option<u64>,
}

/// How a target is pointed out.
#[derive(Debug, Clone)]
pub enum Pointing {
    /// By its ref.
    Ref(String),
    /// By what it is and what it is called.
    Named {
        /// What it is.
        role: UIRole,
        /// What it is called.
        name: Option<String>,
    },
}

/// How far an action came.
#[derive(Debug)]
pub(super) enum Followed {
    /// It ended.
    Over {
        /// Whether it was seen to work.
        succeeded: bool,
        /// What came of it.
        told: Box<Told>,
    },
    /// A person's answer is due.
    Waiting(Box<Acting>),
}

/// An action on its way. Dropping it before its end gives it up.
#[derive(Debug)]
pub(super) struct Acting {
    runtime: Runtime<WebSurface>,
    running: Running,
    /// Everything until then was told.
    told: Mark,
    question: Option<ActionConfirmationRequestPayload>,
    over: bool,
}

impl Acting {
    /// What a person is asked, in one paragraph.
    pub(super) fn wording(&self) -> String {
        self.question.as_ref().map(confirm::wording).unwrap_or_default()
    }

    /// A person answered the last question.
    pub(super) fn settle(&mut self, agreed: bool, way: &str) {
        if let Some(question) = self.question.take() {
            confirm::settle(&self.runtime, &question, agreed, way);
        }
    }

    /// The result; none when a person's answer comes later.
    async fn follow(
        &mut self,
        confirm: &impl Confirm,
    ) -> Result<Option<Arc<ActionResultPayload>>, SessionError> {
        loop {
            match self.running.events.recv().await {
                Some(ActionEvent::Result(result)) => {
                    self.over = true;
                    return Ok(Some(result));
                }
                Some(ActionEvent::Confirmation(question)) => {
                    confirm.note("a person is asked");
                    let asked = confirm.answer(&self.runtime, &question).await;
                    if asked == Asked::Later {
                        self.question = Some(question);
                        return Ok(None);
                    }
                }
                Some(ActionEvent::Progress(progress)) => confirm.note(&progress.stage.to_string()),
                Some(ActionEvent::Handoff(_)) => confirm.note("a person is asked to do it"),
                None => return Err(SessionError::NoTrace),
            }
        }
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let handle = &self.running.accepted.action_handle;
        if let Err(error) = self.runtime.cancel(handle, Some("nobody waits for it any more")) {
            tracing::debug!(%error, "the action ended before it was given up");
        }
    }
}

impl Leaf {
    /// Begins an action.
    pub(super) async fn begin(&mut self, deed: Deed) -> Result<Acting, SessionError> {
        let (target, as_seen) = match &deed.to {
            None => (None, None),
            Some(Pointing::Ref(name)) => {
                let id = self.refs.element(name).ok_or_else(|| SessionError::Ref(name.clone()))?.clone();
                // Without what it was when it was shown nobody can tell whether it is still the same.
                let seen = self.seen(&id).cloned().ok_or_else(|| SessionError::OldRef(name.clone()))?;
                let (role, name) = seen
                    .elements()
                    .find(|(.., element)| element.instance_id == id)
                    .map(|(.., element)| (Some(element.role.clone()), element.name.clone()))
                    .unwrap_or_default();
                (Some(target(RequestTarget::InstanceId { value: id }, role, name)), Some(seen))
            }
            Some(Pointing::Named { role, name }) => {
                let semantic = RequestTarget::Semantic {
                    role: role.clone(),
                    name: name.as_deref().map(Into::into),
                    scope: None,
                };
                (Some(target(semantic, None, None)), None)
            }
        };
        let order = Order {
            action: deed.action,
            target,
            text: deed.text,
            args: deed.args,
            expect: deed.expect,
            timeout_ms: deed.timeout_ms,
        };
        let request = order.request()?;
        let agent = self.agent();
        let runtime = self.hand().await?.runtime.clone();
        let told = runtime.scene().mark();
        let running = runtime.request(&agent, request, as_seen).await.map_err(SessionError::Refused)?;
        self.last = Some(running.accepted.action_handle.clone());
        Ok(Acting { runtime, running, told, question: None, over: false })
    }

    /// Follows an action to its end, or until a person's answer is due.
    pub(super) async fn follow(
        &mut self,
        mut acting: Acting,
        confirm: &impl Confirm,
    ) -> Result<Followed, SessionError> {
        let Some(result) = acting.follow(confirm).await? else {
            return Ok(Followed::Waiting(Box::new(acting)));
        };
        let scene = acting.runtime.scene();
        let mut text = telling::result(&result);
        let graph = scene.graph();
        let shown = self.covered(&graph);
        text.push_str(&evidence::told(&result, &shown, &mut self.refs));
        let changes = telling::changes(&scene.since(acting.told)).covered(self.redactor());
        text.push_str(&changes.text(&shown, &mut self.refs, CHANGE));
        let text = self.redactor().text(&text);
        let now = scene.mark();
        self.hand().await?.told = now;
        let facts = Facts {
            revision: Some(graph.revision.to_string()),
            status: Some(result.status.to_string()),
            error: result.error.as_ref().map(|error| error.code.to_string()),
            effect: Some(result.side_effect().to_string()),
            ..Facts::default()
        };
        self.show(graph);
        let succeeded = result.status == ActionStatus::Succeeded;
        Ok(Followed::Over { succeeded, told: Box::new(Told { text, facts, links: Vec::new() }) })
    }

    /// What changed since the last answer that told of changes, or since the page was opened; the page, where nobody watched yet.
    pub(super) async fn changes(&mut self, budget: usize) -> Result<Told, SessionError> {
        let begins = self.runtime().is_none();
        let hand = self.hand().await?;
        let told = hand.told;
        let scene = hand.runtime.scene().clone();
        let graph = scene.look().await?;
        hand.told = scene.mark();
        let shown = self.covered(&graph);
        let text = if begins {
            let options = uiap_runtime::text::TextOptions { budget: Some(budget), scope: None };
            uiap_runtime::text::page(&shown, &mut self.refs, &options).text
        } else {
            let changes = telling::changes(&scene.since(told)).covered(self.redactor());
            changes.text(&shown, &mut self.refs, budget)
        };
        let facts = Facts { revision: Some(graph.revision.to_string()), ..Facts::default() };
        self.show(graph);
        Ok(Told { text: self.redactor().text(&text), facts, links: Vec::new() })
    }

    /// Waits until something holds. What happened since the last answer counts, and what is there or not there already, too.
    pub(super) async fn wait(
        &mut self,
        expect: &[String],
        timeout_ms: Option<u64>,
    ) -> Result<(bool, Told), SessionError> {
        let signals = expect
            .iter()
            .map(|word| expectation(word, None).ok_or_else(|| OrderError::Expect(word.clone())))
            .collect::<Result<Vec<_>, _>>()?;
        let limit = Duration::from_millis(timeout_ms.unwrap_or(PATIENCE).min(120_000));
        let before = self.last_shown();
        let hand = self.hand().await?;
        let (told, runtime) = (hand.told, hand.runtime.clone());
        if signals.is_empty() {
            let rest = runtime.surface().settle(limit).await?;
            let (head, status) = if rest.quiet {
                ("the page is quiet".to_owned(), "quiet")
            } else {
                (format!("the page did not come to rest: {}", self.unrest(rest.unrest)), "restless")
            };
            return Ok((rest.quiet, self.after_wait(&head, status).await?));
        }
        let signals = as_states(signals, &*runtime.scene().look().await?);
        if signals.is_empty() {
            return Ok((true, self.after_wait("seen", "seen").await?));
        }
        let waited = runtime.wait_for(&signals, AnyOrAll::All, Some(told), before, limit).await?;
        let (head, status) = match waited.end {
            WaitEnd::Seen => ("seen".to_owned(), "seen"),
            WaitEnd::Oscillating => ("not seen to stay: it comes and goes".to_owned(), "oscillating"),
            WaitEnd::NeverIdle => {
                (format!("not seen in time; the page goes on: {}", self.unrest(&waited.unrest)), "not_seen")
            }
            WaitEnd::Missing => ("not seen in time; the page is quiet".to_owned(), "not_seen"),
        };
        let head = match waited.loading.as_slice() {
            [] => head,
            busy => format!("{head}; still at work: {}", self.unrest(busy.iter().take(3).map(at_work))),
        };
        Ok((waited.end == WaitEnd::Seen, self.after_wait(&head, status).await?))
    }

    async fn after_wait(&mut self, head: &str, status: &str) -> Result<Told, SessionError> {
        let mut told = self.changes(BUDGET).await?;
        told.text.insert_str(0, &format!("{}\n", self.redactor().text(head)));
        told.facts.status = Some(status.to_owned());
        Ok(told)
    }

    pub(super) async fn actions(&mut self) -> Result<Vec<ActionDescriptor>, SessionError> {
        Ok(self.hand().await?.runtime.surface().app_actions().await?)
    }

    pub(super) fn trace(&self) -> Result<String, SessionError> {
        let (runtime, last) = self.runtime().zip(self.last.as_ref()).ok_or(SessionError::NoTrace)?;
        let lines = runtime.trace(last).map_err(|_| SessionError::NoTrace)?;
        Ok(runtime.redactor().text(&trace::story(&lines)))
    }
}

/// Whoever waits for an element means that it is there, whenever it came; likewise that it is gone.
fn as_states(signals: Vec<SuccessSignal>, now: &PageGraph) -> Vec<SuccessSignal> {
    let present = |target: &TargetRef| SuccessSignal::ElementState {
        target: target.clone(),
        state: UIState::default(),
    };
    let is_there = |target: &TargetRef| {
        let seen = Observation { before: now, after: now, signals: &[], custom_sources: &[] };
        seen.look(&present(target)).observed()
    };
    signals
        .into_iter()
        .filter_map(|signal| match &signal {
            SuccessSignal::ElementAppeared { target } => Some(present(target)),
            SuccessSignal::ElementDisappeared { target } => is_there(target).then_some(signal),
            _ => Some(signal),
        })
        .collect()
}

fn at_work(loading: &Loading) -> String {
    let what = match loading.kind {
        LoadingKind::Busy => "something says that it is busy",
        LoadingKind::Loading => "something says that it is loading",
        LoadingKind::Progress => "something shows its progress",
        LoadingKind::Request => return format!("a request to {}", loading.place),
    };
    what.to_owned()
}

fn target(
    r#ref: RequestTarget,
    role: Option<UIRole>,
    name: Option<compact_str::CompactString>,
) -> ActionTarget {
    ActionTarget {
        r#ref: Some(r#ref),
        expected_role: role,
        expected_name: name,
        expected_scope_id: None,
        expected_document_id: None,
        allow_ambiguous: None,
    }
}
