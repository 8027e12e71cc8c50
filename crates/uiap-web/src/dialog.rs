//! JavaScript dialogs (alert, confirm, prompt, beforeunload): answered at once by policy and reported, so that none ever
//! holds a page up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::page::{
    Crash, DialogType, Enable, FrameId, HandleJavaScriptDialog, JavascriptDialogOpening,
};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{CallError, CallErrorKind, Session, SessionEvent, SessionEvents};

/// Reports that wait for one slow listener.
const LISTENER_QUEUE: usize = 256;
/// Longest text of a dialog that is reported.
const MAX_TEXT: usize = 2_000;
/// How long the browser may take to act upon an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// OK, or leave the page.
    Accept,
    /// Cancel, or stay on the page.
    Dismiss,
    /// OK, with this text for a prompt.
    AcceptWith(String),
}

/// What is answered to which kind of dialog, and how many are borne.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogPolicy {
    /// To an alert.
    pub alert: Answer,
    /// To a question with two answers.
    pub confirm: Answer,
    /// To a question that wants text.
    pub prompt: Answer,
    /// To "leave this page?".
    pub beforeunload: Answer,
    /// Dialogs within [`window`](Self::window) that are reported; more of them are answered without a word.
    pub most: usize,
    /// The time over which dialogs are counted.
    pub window: Duration,
    /// How long such a storm may keep the page from doing anything else before its renderer is ended.
    pub breath: Duration,
}

impl Default for DialogPolicy {
    fn default() -> Self {
        Self {
            alert: Answer::Accept,
            confirm: Answer::Dismiss,
            prompt: Answer::Dismiss,
            beforeunload: Answer::Accept,
            most: 10,
            window: Duration::from_secs(10),
            breath: Duration::from_secs(3),
        }
    }
}

impl DialogPolicy {
    fn answer(&self, kind: &DialogType) -> Answer {
        match kind {
            DialogType::Alert => self.alert.clone(),
            DialogType::Confirm => self.confirm.clone(),
            DialogType::Prompt => self.prompt.clone(),
            DialogType::Beforeunload => self.beforeunload.clone(),
            DialogType::Other(_) => Answer::Dismiss,
        }
    }
}

/// What became of a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogReport {
    /// Its kind.
    pub kind: DialogType,
    /// Its text.
    pub message: String,
    /// The text that a prompt proposes.
    pub proposal: Option<String>,
    /// The frame that opened it, where the browser tells.
    pub frame: Option<FrameId>,
    /// What was done about it.
    pub done: DialogOutcome,
}

/// What was done about a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialogOutcome {
    /// It was answered.
    Answered(Answer),
    /// It was answered like those that follow, which are not reported. Said once per storm.
    Suppressed,
    /// It was one of a storm that never let the page do anything else: the renderer was ended.
    Stopped,
    /// The browser did not take the answer.
    Unanswered(String),
}

/// Answers the dialogs of one page. Dropping the last clone ends it.
#[derive(Debug, Clone)]
pub struct Dialogs {
    shared: Arc<Shared>,
    _task: Arc<Task>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    reports: broadcast::Sender<DialogReport>,
}

#[derive(Debug)]
struct State {
    policy: DialogPolicy,
    /// Answers for the very next dialogs, whatever the policy says.
    next: VecDeque<Answer>,
    recent: VecDeque<Instant>,
    storm: bool,
}

#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What is to be done about a dialog.
#[derive(Debug, PartialEq, Eq)]
struct Decision {
    answer: Answer,
    told: Told,
}

#[derive(Debug, PartialEq, Eq)]
enum Told {
    Answer,
    Storm,
    Nothing,
}

impl State {
    fn decide(&mut self, kind: &DialogType, now: Instant) -> Decision {
        let answer = self.next.pop_front().unwrap_or_else(|| self.policy.answer(kind));
        // Leaving a page ends whatever ran in it; that question cannot come in a storm.
        if *kind == DialogType::Beforeunload {
            return Decision { answer, told: Told::Answer };
        }
        while self.recent.front().is_some_and(|at| now.duration_since(*at) > self.policy.window) {
            self.recent.pop_front();
        }
        let told = match (self.recent.len() >= self.policy.most, self.storm) {
            (false, _) => Told::Answer,
            (true, false) => Told::Storm,
            (true, true) => Told::Nothing,
        };
        self.storm = told != Told::Answer;
        if told == Told::Answer {
            self.recent.push_back(now);
        }
        Decision { answer, told }
    }
}

impl Dialogs {
    /// Answers every dialog of the page from now on.
    pub async fn attend(session: &Session, policy: DialogPolicy) -> Result<Self, CallError> {
        let events = session.events_of(&[JavascriptDialogOpening::NAME]);
        // Without it, the browser answers by itself, and says nothing.
        session.call(Enable {}).await?;
        let state = State { policy, next: VecDeque::new(), recent: VecDeque::new(), storm: false };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), reports: broadcast::Sender::new(LISTENER_QUEUE) });
        let task = tokio::spawn(Arc::clone(&shared).run(session.clone(), events));
        Ok(Self { shared, _task: Arc::new(Task(task)) })
    }

    /// What becomes of dialogs from now on.
    pub fn reports(&self) -> broadcast::Receiver<DialogReport> {
        self.shared.reports.subscribe()
    }

    /// Answers the next dialog in this way, whatever the policy says. Several of them are used up in order.
    pub fn answer_next(&self, answer: Answer) {
        self.shared.state().next.push_back(answer);
    }

    /// Takes back what was said about dialogs that have not come.
    pub fn forget_next(&self) {
        self.shared.state().next.clear();
    }

    /// Another policy from now on.
    pub fn set_policy(&self, policy: DialogPolicy) {
        self.shared.state().policy = policy;
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self: Arc<Self>, session: Session, mut events: SessionEvents) {
        while let Some(event) = events.next().await {
            let SessionEvent::Event(event) = event else { continue };
            let Some(opening) = event.read::<JavascriptDialogOpening>() else { continue };
            let decision = self.state().decide(&opening.kind, Instant::now());
            let done = answered(&session, decision.answer).await;
            match decision.told {
                Told::Answer => self.tell(report(opening, done)),
                Told::Storm => {
                    tokio::spawn(
                        Arc::clone(&self)
                            .survey(session.clone(), report(opening.clone(), DialogOutcome::Stopped)),
                    );
                    self.tell(report(opening, DialogOutcome::Suppressed));
                }
                Told::Nothing => {}
            }
        }
    }

    fn tell(&self, report: DialogReport) {
        // Without a listener there is nobody to tell.
        drop(self.reports.send(report));
    }

    /// Asks the page something in the middle of a storm. A script that only ever opens dialogs lets nothing else run, and
    /// nothing but its end ends it: the browser's order to stop a script does not reach one that is in a dialog.
    async fn survey(self: Arc<Self>, session: Session, last: DialogReport) {
        let breath = self.state().policy.breath;
        let question = Evaluate { expression: "1", silent: true, ..Evaluate::default() };
        let silent = session.call_within(question, breath).await;
        if !silent.is_err_and(|error| matches!(error.kind(), CallErrorKind::TimedOut(_))) {
            return;
        }
        // The call itself ends with the renderer.
        drop(session.call_within(Crash {}, PATIENCE).await);
        self.tell(last);
    }
}

fn report(opening: JavascriptDialogOpening, done: DialogOutcome) -> DialogReport {
    let proposal = opening.default_prompt.filter(|text| !text.is_empty());
    DialogReport {
        message: cut(&opening.message),
        proposal: proposal.as_deref().map(cut),
        kind: opening.kind,
        frame: opening.frame_id,
        done,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

async fn answered(session: &Session, answer: Answer) -> DialogOutcome {
    let (accept, prompt_text) = match &answer {
        Answer::Accept => (true, None),
        Answer::Dismiss => (false, None),
        Answer::AcceptWith(text) => (true, Some(text.as_str())),
    };
    match session.call_within(HandleJavaScriptDialog { accept, prompt_text }, PATIENCE).await {
        Ok(_) => DialogOutcome::Answered(answer),
        Err(error) => DialogOutcome::Unanswered(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(most: usize) -> State {
        let policy = DialogPolicy { most, ..DialogPolicy::default() };
        State { policy, next: VecDeque::new(), recent: VecDeque::new(), storm: false }
    }

    fn answers(answer: Answer) -> Decision {
        Decision { answer, told: Told::Answer }
    }

    #[test]
    fn each_kind_has_its_answer_and_the_next_one_can_be_decided_ahead() {
        let mut state = state(10);
        let now = Instant::now();
        state.next.push_back(Answer::AcceptWith("x".into()));
        assert_eq!(state.decide(&DialogType::Prompt, now), answers(Answer::AcceptWith("x".into())));
        assert_eq!(state.decide(&DialogType::Prompt, now), answers(Answer::Dismiss));
        assert_eq!(state.decide(&DialogType::Alert, now), answers(Answer::Accept));
        assert_eq!(state.decide(&DialogType::Beforeunload, now), answers(Answer::Accept));
    }

    #[test]
    fn a_storm_is_told_once_and_forgotten_after_a_while() {
        let mut state = state(2);
        let now = Instant::now();
        let mut told = |at| state.decide(&DialogType::Alert, at).told;
        assert_eq!(
            [told(now), told(now), told(now), told(now)],
            [Told::Answer, Told::Answer, Told::Storm, Told::Nothing]
        );
        assert_eq!(told(now + Duration::from_secs(11)), Told::Answer);
        assert_eq!(state.decide(&DialogType::Beforeunload, now).told, Told::Answer);
    }
}
